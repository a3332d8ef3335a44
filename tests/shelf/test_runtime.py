"""The export of a real runtime: local memory keeps its pace beside any binary; unused, nothing is loaded (H39)."""

import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cognition.chatlog import Draft, LogPlace
from cognition.config import Settings
from cognition.outboxdb import shelves
from cognition.running import shelving
from cognition.runtime import Runtime
from hypatia_home import HypatiaHome

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Runtime]]:
    monkeypatch.setattr(shelving, "AFTER_START_S", 0.1)
    monkeypatch.setattr(shelving, "AFTER_CHANGE_S", 0.1)
    made: list[Runtime] = []

    def make(program: HypatiaHome | None, **more: Any) -> Runtime:
        settings = Settings(tmp_path)
        found = [str(program.binary)] if program else ["/nowhere/hypatia"]
        settings.values.update({"hypatia.enabled": True, "hypatia.binaries": found, "author": "Ada", **more})
        runtime = Runtime(settings)
        runtime._users = 1
        made.append(runtime)
        runtime.warm_up()
        return runtime

    yield make
    for runtime in made:
        if runtime._users:
            runtime.release(close=True)


def say(runtime: Runtime, number: int, text: str) -> None:
    mark = hashlib.sha256(text.encode()).hexdigest()
    draft = Draft("user", text, mark, 1_770_000_000.0 + number)
    runtime.conversation.file.append(LogPlace("s1", "s1", "owner", "shop"), [draft])


def store(runtime: Runtime, text: str) -> str:
    more = {"session_id": "s1", "audience": "owner", "project": "shop", "repo": "default", "author": "Ada"}
    return runtime.writes.store(text, **more).ref  # type: ignore[arg-type]


def until(true: Callable[[], bool], seconds: float = 40.0) -> None:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    assert true()


def test_a_running_session_sends_what_is_new_and_takes_out_what_is_forgotten(
    home: Callable[..., Runtime], tmp_path: Path
) -> None:
    """H39, H29: by itself."""
    program = HypatiaHome(tmp_path)
    runtime = home(program)
    say(runtime, 0, "Remind me: my shed is painted turquoise. Also the bins.")
    ref = store(runtime, "My shed is painted turquoise")
    until(lambda: set(program.names()) == {"msg-s1-0", ref})
    assert str(program.entries()).count("turquoise") == 2
    until(lambda: runtime.status()["shelf"]["entries"] == 2)  # confirmed a moment after the program has it
    runtime.writes.forget(ref, audience="owner")
    until(lambda: program.names() == ["msg-s1-0"] and "turquoise" not in str(program.entries()))
    assert not [line for line in runtime.health() if "shelf" in line]
    with runtime.outbox.database.reading() as db:
        assert shelves.state(db, "default").asked > 0, "whatever it was, what the shelves hold is compared once more"


@pytest.mark.parametrize(
    "switches",
    [
        {"HANG": "knowledge_get"},
        {"HANG": "initialize"},
        {"SLOW": "3000"},
        {"EXIT": "start=3"},
        {"LIE": "knowledge_create"},
    ],
    ids=lambda switches: "-".join(switches),
)
def test_local_memory_keeps_its_pace_beside_any_binary(
    home: Callable[..., Runtime], tmp_path: Path, switches: dict[str, str]
) -> None:
    """HA228, issue 9: writes and recall wait for no program, and shutdown does not either."""
    program = HypatiaHome(tmp_path, **switches)
    runtime = home(program)
    for number in range(5):
        say(runtime, number, f"Message {number}.")
    until(lambda: bool(program.received()) and (program.received()[1:] or bool(runtime.shelving.lane.last_error)))
    lock = runtime.outbox.database._mutex
    for number in range(10):
        ref = store(runtime, f"The port of service {number} is {7000 + number}")
        assert runtime.store.view().get(ref) is not None, "committed when the call returns"
        assert lock.acquire(timeout=2.0), "no call to the program is made inside a transaction"
        lock.release()
    assert runtime.reader.nearest("port of service 3", "owner")
    ending = threading.Thread(target=runtime.release, kwargs={"close": True})
    ending.start()
    ending.join(20.0)  # a call that hangs is given 30 s: nobody has waited for it
    assert not ending.is_alive()
    until(lambda: not any(one.name == "cognition-shelf" and one.is_alive() for one in threading.enumerate()), 10.0)


def test_a_missing_binary_is_said_and_costs_nothing(home: Callable[..., Runtime]) -> None:
    """HA228, H36: what is wrong, and what waits."""
    runtime = home(None)
    say(runtime, 0, "Hello.")
    until(lambda: bool(runtime.shelving.status().get("waits_because")))
    said = runtime.status()
    assert said["shelf"]["messages_to_send"] == 1
    assert any("the shelf default waits, nothing is lost" in line for line in said["health"])
    assert "Hello." not in repr(said)


def test_switched_off_there_is_no_lane_and_no_program(home: Callable[..., Runtime], tmp_path: Path) -> None:
    """Default: off."""
    program = HypatiaHome(tmp_path)
    runtime = home(program, **{"hypatia.enabled": False})
    say(runtime, 0, "Hello.")
    store(runtime, "The port is 7443")
    runtime.shelving.wake()
    runtime.shelving.forgot()
    assert runtime.shelving._lane is None
    assert runtime.status()["shelf"] == {"on": False}
    assert program.commands() == []


def test_a_runtime_loads_neither_client_nor_export() -> None:
    """D97: what is not used is not imported."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import cognition, tempfile, pathlib\n"
        "from cognition.config import Settings\n"
        "from cognition.runtime import Runtime\n"
        "runtime = Runtime(Settings(pathlib.Path(tempfile.mkdtemp())))\n"
        "runtime._users = 1; runtime.warm_up(); runtime.release(close=True)\n"
        "print([name for name in sys.modules if name.startswith(('cognition.hypatia', 'cognition.shelf'))])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(ROOT / "tests")],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.stdout.strip() == "[]"
