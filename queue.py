"""The queue: how the outbox is delivered.  Order, retry schedule, bound, backlog, and the worker that does it.

A file of this name in the plugin's root hides the standard library's `queue` from everybody as soon as the
root is on `sys.path` (`python -m pytest`, `python -c` started here).  So it is two modules: under exactly the
name `queue` it becomes the standard one, and ends there (P8); under any other name it is ours.
"""

if __name__ == "queue":
    import importlib.util as _util
    import os as _os
    import sys as _sys

    # The standard library's own file, found beside `os`; registered before it runs, so that circular imports find it.
    _spec = _util.spec_from_file_location(__name__, _os.path.join(_os.path.dirname(_os.__file__), "queue.py"))  # noqa: PTH118, PTH120
    assert _spec is not None
    assert _spec.loader is not None
    _sys.modules[__name__] = _module = _util.module_from_spec(_spec)
    _spec.loader.exec_module(_module)
else:
    from .delivery.policy import retry_delay
    from .delivery.push_queue import DurablePushQueue
    from .delivery.worker import Worker
    from .outboxdb.limits import DEFAULT_MAX_ENTRIES
    from .outboxdb.rows import entry_ref

    __all__ = ["DEFAULT_MAX_ENTRIES", "DurablePushQueue", "Worker", "entry_ref", "retry_delay"]
