"""Record every hook call on a memory provider, whichever it is, without a change to it.

The harness copies this file into a scratch home as sitecustomize.py and puts that folder on PYTHONPATH, so
that every interpreter of the host runs it.  It wraps the provider's methods on the instance when the host adds it
to its MemoryManager; functools.wraps keeps the signatures, which the host inspects.  It needs PROVIDER_TRACE.
"""

import functools
import importlib.abc
import importlib.util
import json
import os
import sys
import threading
import time
from types import ModuleType
from typing import Any

_HOOKS = (
    *("is_available", "initialize", "system_prompt_block", "on_turn_start", "prefetch", "recall_status"),
    *("handle_tool_call", "sync_turn", "queue_prefetch", "on_memory_write", "on_delegation"),
    *("on_pre_compress", "on_session_end", "on_session_switch", "shutdown"),
)
_START, _LOCK = time.time(), threading.Lock()


def _clip(value: object) -> Any:
    text = json.dumps(value, default=repr, ensure_ascii=True)  # a lone surrogate must not end the recording
    return json.loads(text) if len(text) < 20000 else text[:20000] + "..."


def _wrap(provider: Any, hook: str) -> None:
    fn = getattr(provider, hook, None)
    if not callable(fn):
        return

    @functools.wraps(fn)
    def spy(*args: Any, **kwargs: Any) -> Any:
        start, error, out = time.time(), None, None
        given = (
            _clip(args),
            _clip(kwargs),
        )  # before the call: the host goes on changing the transcript it passes
        try:
            out = fn(*args, **kwargs)
            return out
        except BaseException as exc:
            error = repr(exc)
            raise
        finally:
            thread = threading.current_thread()
            record = {
                "t": round(start - _START, 3),
                "dt": round(time.time() - start, 4),
                "pid": os.getpid(),
                "thread": thread.name,
                "main": thread is threading.main_thread(),
                "hook": hook,
                "args": given[0],
                "kwargs": given[1],
                "out": _clip(out),
                "error": error,
            }
            with _LOCK, open(os.environ["PROVIDER_TRACE"], "a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")

    setattr(provider, hook, spy)


def _patch(module: Any) -> None:
    original = module.MemoryManager.add_provider

    def add_provider(self: Any, provider: Any) -> Any:
        for hook in _HOOKS:
            _wrap(provider, hook)
        return original(self, provider)

    module.MemoryManager.add_provider = add_provider


class _Finder(importlib.abc.MetaPathFinder):
    """Patches the host's manager in the moment in which it is first imported."""

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> Any:
        if name != "agent.memory_manager":
            return None
        sys.meta_path.remove(self)
        spec: Any = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def execute_and_patch(module: ModuleType) -> None:
            execute(module)
            _patch(module)

        spec.loader.exec_module = execute_and_patch
        return spec


if os.environ.get("PROVIDER_TRACE"):
    sys.meta_path.insert(0, _Finder())
