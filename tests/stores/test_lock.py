"""The writers' lock (D49.3, D49.16, CD56, CD62, CD66)."""

import errno
import json
import os
import sys
import threading
import time
from pathlib import Path
from unittest import mock

import pytest
from cognition.stores import files, lock
from cognition.stores.errors import StoreBusy, StoreError, StoreReadOnly
from cognition.stores.lock import WriterLock

posix = pytest.mark.skipif(sys.platform == "win32", reason="fork and flock")


def held_by(path: Path, timeout: float = 0.0) -> bool:
    try:
        with WriterLock(path).hold(timeout):
            return False
    except StoreBusy:
        return True


def test_two_lock_objects_on_one_file_exclude_each_other(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with WriterLock(path).hold(1.0):
        assert held_by(path)
    assert not held_by(path)
    assert path.exists(), "it is never deleted"


@posix
def test_another_process_is_excluded_and_its_death_frees_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    ready_read, ready_write = os.pipe()
    child = os.fork()
    if child == 0:
        with WriterLock(path).hold(1.0):
            os.write(ready_write, b"x")
            time.sleep(60)
        os._exit(0)
    os.read(ready_read, 1)
    assert held_by(path)
    with pytest.raises(StoreBusy, match=str(child)), WriterLock(path).hold(0.01):
        pass
    os.kill(child, 9)
    os.waitpid(child, 0)
    assert not held_by(path, 1.0)


@posix
def test_a_fork_inside_a_transaction_neither_commits_nor_frees_the_parents_lock(tmp_path: Path) -> None:
    """D49.3: the process id is checked again after a fork."""
    path = tmp_path / "x.lock"
    with WriterLock(path).hold(1.0):
        child = os.fork()
        if child == 0:
            os._exit(_leave_as_child(path))
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 7
        assert held_by(path)
    assert not held_by(path)


def _leave_as_child(path: Path) -> int:
    holder = WriterLock(path).hold(0.0)
    try:
        with holder:  # the parent's lock is held: a child has a mutex of its own, but not the file
            return 1
    except StoreBusy:
        pass
    return 7


@posix
def test_a_child_that_goes_on_in_its_parents_block_is_told(tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    child = 0
    try:
        with WriterLock(tmp_path / "x.lock").hold(1.0):
            child = os.fork()
    except StoreError as error:
        os.write(write_end, str(error).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert b"forked" in os.read(read_end, 200)


def test_waiting_ends_as_soon_as_the_lock_is_free(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with WriterLock(path).hold(1.0):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    assert entered.wait(10)
    threading.Timer(0.05, leave.set).start()
    with WriterLock(path).hold(10.0):
        assert leave.is_set()
    thread.join()


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_said_not_silently_accepted(tmp_path: Path, number: int) -> None:
    """CD66, D49.16: read-only, and the message names the alternative."""
    with (
        mock.patch.object(lock.fcntl, "flock", side_effect=OSError(number, "no locks")),
        pytest.raises(StoreReadOnly, match="Memoria"),
        WriterLock(tmp_path / "x.lock").hold(0.1),
    ):
        pass


def test_another_machine_that_wrote_a_moment_ago_is_noticed(tmp_path: Path) -> None:
    """D49.16."""
    path = tmp_path / "x.lock"
    elsewhere = {"boot": "b", "host": "laptop", "pid": 1, "at": time.time()}
    path.write_text(json.dumps(elsewhere))
    with pytest.raises(StoreReadOnly, match=r"laptop.*Memoria"), WriterLock(path).hold(0.1):
        pass
    path.write_text(json.dumps({**elsewhere, "at": time.time() - 3600}))
    assert not held_by(path)


def test_a_container_or_a_reboot_is_not_another_machine(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    here = lock.machine()
    for mark in ({**here, "host": "container"}, {**here, "boot": "before the reboot"}):
        path.write_text(json.dumps({**mark, "pid": 1, "at": time.time()}))
        assert not held_by(path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"at": "x"}', "\x00" * 50])
def test_any_garbage_in_the_lock_file_is_harmless(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.lock"
    path.write_text(text)
    assert not held_by(path)
    assert WriterLock(path).owner()["pid"] == os.getpid()


def test_a_lock_file_deleted_while_waiting_does_not_give_two_holders(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    real = lock._try_lock
    first = iter([True])

    def deleted_meanwhile(fd: int) -> bool:
        for _ in first:
            path.unlink()
            files.open_private(path, os.O_CREAT | os.O_RDWR)
        return real(fd)

    with mock.patch.object(lock, "_try_lock", deleted_meanwhile), WriterLock(path).hold(1.0):
        assert held_by(path)
