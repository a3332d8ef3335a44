"""A reader whose files never hold still waits for the writers' lock: briefly once it has seen a state (D49.14)."""

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from cognition.stores import files
from cognition.stores.local import LocalStore
from cognition.stores.lock import WriterLock

from .support import JOURNAL, contents, entry, put, remove

PATIENT = replace(JOURNAL, reader_first_wait_s=30.0)
"""A wait that no slow machine outlasts, so that only a reader that does not wait at all comes back early."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with one entry, and a journal."""
    store = LocalStore(tmp_path / "committed.json", limits=PATIENT)
    put(store, entry("gone"))
    put(store, entry())
    remove(store, "gone")
    return store.path


def replaced(path: Path) -> None:
    """The same bytes in another file."""
    if path.exists():
        fresh = path.with_name("fresh")
        fresh.write_bytes(path.read_bytes())
        fresh.replace(path)


@contextlib.contextmanager
def restless(path: Path) -> Iterator[tuple[threading.Event, threading.Event]]:
    """A writer holds the lock, and whoever looks at the journal meanwhile finds another file there at every look.

    Gives an event that is set when a reader is about to wait for the lock, and one that lets the writer finish.
    """
    held, asked, done = threading.Event(), threading.Event(), threading.Event()
    identity, hold = files.identity, WriterLock.hold

    def changed(looked_at: Path) -> files.Identity | None:
        if ".journal." not in looked_at.name or done.is_set():
            return identity(looked_at)
        replaced(looked_at)
        seen = identity(looked_at)
        replaced(looked_at)
        return seen

    def noted(lock: WriterLock, timeout: float, *, mark: bool = True) -> contextlib.AbstractContextManager[None]:
        asked.set()
        return hold(lock, timeout, mark=mark)

    def write() -> None:
        with hold(WriterLock(path.with_name(f"{path.name}.lock")), 5.0):
            held.set()
            done.wait(60)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert held.wait(10)
        with mock.patch.object(files, "identity", changed), mock.patch.object(WriterLock, "hold", noted):
            yield asked, done
    finally:
        done.set()
        writer.join()


def test_a_reader_without_a_state_to_show_waits_for_the_writers(path: Path) -> None:
    """An empty store would be a lie."""
    reader = LocalStore(path, limits=PATIENT)
    shown: list[dict[str, str]] = []
    with restless(path) as (asked, done):
        thread = threading.Thread(target=lambda: shown.append(contents(reader)))
        thread.start()
        assert asked.wait(10)
        time.sleep(4 * PATIENT.reader_wait_s)
        done.set()
        thread.join()
    assert shown == [{"cog-s-1": "I prefer tabs."}]
    assert reader.health() == []


def test_a_reader_with_a_state_to_show_shows_it(path: Path) -> None:
    reader = LocalStore(path, limits=PATIENT)
    before = contents(reader)
    with restless(path) as (asked, done):
        assert contents(reader) == before
        assert asked.is_set()
        assert not done.is_set()
        assert "last good state" in reader.health()[0]
    assert reader.health() == []


def test_a_waiting_reader_keeps_no_writer_of_its_process_waiting(path: Path) -> None:
    """Writers take the store's own guard behind the lock: a reader that held it while it waits would stop them both."""
    store = LocalStore(path, limits=PATIENT)
    with restless(path) as (asked, done):
        thread = threading.Thread(target=store.view)
        thread.start()
        assert asked.wait(10)
        assert store._guard.acquire(timeout=10)
        store._guard.release()
        assert thread.is_alive(), "it waits still"
        done.set()
        thread.join()
