"""Rows of killed processes are due at once; of all others only when their lease has run out (D55.10, CR12, CR13)."""

import platform
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from cognition.delivery import liveness
from cognition.outbox import NewFact, Outbox


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    box = Outbox(tmp_path / "outbox.db")
    box.enqueue([NewFact("s", {"content": "x"}, "key")])
    return box


def dead_owner() -> str:
    """The name of an owner that has ended."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[1])!r}); "
    code += "from cognition.delivery.liveness import owner_name; print(owner_name())"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_a_dead_owners_row_is_due_at_once(outbox):
    assert outbox.claim(limit=1, owner=dead_owner())
    assert outbox.claim(limit=1, owner="later") == []
    assert liveness.free_rows_of_the_dead(outbox.database) == 1
    [row] = outbox.claim(limit=1, owner="later")
    assert row.attempts == 2


def test_a_late_completion_of_a_freed_row_changes_nothing(outbox):
    """D55.13."""
    [late] = outbox.claim(limit=1, owner=dead_owner())
    liveness.free_rows_of_the_dead(outbox.database)
    outbox.claim(limit=1, owner="later")
    assert outbox.done(late, outcome="applied", committed_ref=late.ref) is False


@pytest.mark.parametrize(
    "owner",
    [
        "",
        "someone",
        "12-abcd",
        "elsewhere:1:1.0:x",
        "a:b:c:d:e:f",
        f"{platform.node()}:1:-:x",
        f"{platform.node()}:x:1:x",
    ],
)
def test_of_an_unknown_owner_nothing_is_known(outbox, owner):
    outbox.claim(limit=1, owner=owner)
    assert not liveness.is_dead(owner)
    assert liveness.free_rows_of_the_dead(outbox.database) == 0


def test_a_living_owner_keeps_its_row(outbox):
    outbox.claim(limit=1, owner=liveness.owner_name())
    assert liveness.free_rows_of_the_dead(outbox.database) == 0


def test_a_pid_that_was_given_again_is_another_process():
    machine, pid, start, random = liveness.owner_name().split(":")
    assert liveness.is_dead(":".join((machine, pid, str(float(start) - 60), random)))
    assert not liveness.is_dead(":".join((machine, pid, str(float(start) - 1), random)))


def test_two_workers_of_one_process_are_two_owners():
    assert liveness.owner_name() != liveness.owner_name()


def test_a_process_that_the_system_does_not_show_is_not_dead(monkeypatch):
    owner = liveness.owner_name()

    def refused(pid):
        raise psutil.AccessDenied(pid)

    monkeypatch.setattr(psutil, "Process", refused)
    machine, pid, _, random = owner.split(":")
    assert not liveness.is_dead(owner)
    assert not liveness.is_dead(":".join((machine, pid, "1.00", random)))
    assert liveness.owner_name().split(":")[2] == "-"


@pytest.mark.parametrize("gone", [psutil.NoSuchProcess, psutil.ZombieProcess])
def test_a_process_that_is_gone_or_a_zombie_is_dead(monkeypatch, gone):
    owner = liveness.owner_name()

    def missing(pid):
        raise gone(pid)

    monkeypatch.setattr(psutil, "Process", missing)
    assert liveness.is_dead(owner)
