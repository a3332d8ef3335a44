"""Fixtures of this room.

The suite runs a part of its largest tests; `tests/torture/torture_memoria.py` runs them whole (COGNITION_EXHAUSTIVE=1).
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from .desk import Desk
from .queues import Queue
from .rig import EXHAUSTIVE, Clock, Server, server

# Which combinations stand for all of them: each value of each parameter comes once at least.
THINNED: dict[str, Callable[[Mapping[str, int]], bool]] = {
    "test_each_route_with_each_fault": lambda at: sum(at.values()) % 3 == 0,
    "test_each_fault_ends_in_its_state_with_one_request": lambda at: sum(at.values()) % 3 == 0,
    "test_an_update_ends_in_exactly_one_record": lambda at: at["times"] == 0 and (at["route"] + at["fault"]) % 4 == 0,
    "test_no_body_and_no_silence_outlives_the_budget": lambda at: sum(at.values()) % 2 == 0,
    "test_each_answer_means_what_the_table_says": lambda at: sum(at.values()) % 2 == 0,
    "test_a_process_ends_while_the_server_hangs": lambda at: sum(at.values()) == 0,
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if EXHAUSTIVE:
        return
    out = [item for item in items if not _stands(item)]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if _stands(item)]


def _stands(item: pytest.Item) -> bool:
    rule = THINNED.get(getattr(item, "originalname", ""))
    call = getattr(item, "callspec", None)
    return rule is None or call is None or rule(call.indices)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["asgi", "socket"])
def memoria(request: pytest.FixtureRequest) -> Iterator[Server]:
    """The contract server, in process and on a real socket."""
    with server(request.param) as made:
        yield made


@pytest.fixture
def socket() -> Iterator[Server]:
    """On a real socket alone."""
    with server("socket") as made:
        yield made


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    made = Queue(tmp_path)
    yield made
    made.outbox.close()


@pytest.fixture
def desk(tmp_path: Path, memoria: Server) -> Iterator[Desk]:
    made = Desk(tmp_path, memoria)
    yield made
    made.queue.outbox.close()
