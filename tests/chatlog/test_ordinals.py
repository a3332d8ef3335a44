"""A log that is lost: no name is given to a second message, whoever still has the first (H6)."""

import sqlite3
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from cognition.chatlog import ChatLog, Message, OutboxBusy, OutboxUnavailable
from cognition.outbox import Outbox
from cognition.outboxdb import ordinals
from cognition.outboxdb.ordinals import STEP, Ceiling
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from .logs import NOW, Words, place, turn

LOSSES = {
    "deleted": lambda path: path.unlink(),
    "cut to nothing": lambda path: path.write_bytes(b""),
    "zeros": lambda path: path.write_bytes(b"\0" * path.stat().st_size),
    "noise": lambda path: path.write_bytes(b"no database" * 1000),
}


class Made:
    """A home's log and outbox, in one process after the other."""

    def __init__(self, folder: Path, wal: bool | None = None) -> None:
        self.folder, self.now, self.wal = folder, NOW, wal
        self.open()

    def open(self) -> None:
        self.outbox = Outbox(self.folder / "outbox.db", clock=lambda: self.now)
        ceiling = Ceiling(self.outbox.database, lambda: self.now)
        path = self.folder / "chatlog.db"
        self.log = ChatLog(path, clock=lambda: self.now, index=Words(), ceiling=ceiling, wal=self.wal)

    def close(self) -> None:
        self.log.close()
        self.outbox.close()

    def again(self) -> None:
        self.close()
        self.open()

    def say(self, sid: str = "s1", times: int = 1) -> list[str]:
        return [ref for _ in range(times) for ref in self._turn(sid)]

    def _turn(self, sid: str) -> list[str]:
        """As the worker does: what is wrong with a file in use is met once, and mended by the next use."""
        try:
            return self.log.append(place(sid), turn("a question", "an answer"))
        except OutboxUnavailable:
            return self.log.append(place(sid), turn("a question", "an answer"))


@pytest.fixture
def home(tmp_path):
    made = Made(tmp_path / "cognition")
    yield made
    made.close()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("restart", [True, False])
def test_a_conversation_whose_log_was_lost_counts_on(home, loss, restart):
    """H6: what was told, kept in an entry or noted by a person names one message for ever."""
    first = home.say(times=3) + home.say("s2")
    if restart:
        home.close()
    LOSSES[loss](home.folder / "chatlog.db")
    if restart:
        home.open()
    again = home.say(times=2)
    assert again == [f"msg-s1-{STEP + n}" for n in range(4)]  # dense from there on
    assert not set(again) & set(first)
    assert all(home.log.message(ref) is None for ref in first)
    assert home.say("s3")[0] == f"msg-s3-{STEP}"
    said = "lost and is begun anew" if loss == "deleted" else "its bytes are kept as chatlog.db.corrupt-"
    assert [line for line in home.log.health() if said in line]


def test_a_new_home_counts_from_0(home):
    """H6: dense from 0; the ceiling is no part of a name."""
    assert home.say() == ["msg-s1-0", "msg-s1-1"]
    home.again()
    assert home.say() == ["msg-s1-2", "msg-s1-3"]
    assert home.say("s2") == ["msg-s2-0", "msg-s2-1"]
    assert home.log.health() == []


def test_a_long_conversation_stays_below_the_ceiling(home):
    refs = home.say(times=STEP)
    assert refs[-1] == f"msg-s1-{2 * STEP - 1}"
    (home.folder / "chatlog.db").unlink()
    assert int(home.say("s2")[0].rpartition("-")[2]) >= 2 * STEP


def test_one_write_of_the_outbox_for_many_turns(home):
    home.say()
    before = home.outbox.data_version()
    other = Outbox(home.folder / "outbox.db")
    seen = other.data_version()
    home.say(times=20)
    home.say("s2", times=20)
    assert (home.outbox.data_version(), other.data_version()) == (before, seen)
    other.close()


@pytest.mark.parametrize("loss", LOSSES)
def test_a_lost_outbox_learns_the_ceiling_from_the_log(home, loss):
    """Each of the two files makes up for the other."""
    first = home.say(times=200)  # beyond one step
    home.close()
    LOSSES[loss](home.folder / "outbox.db")
    home.open()
    second = home.say("s2")
    home.close()
    (home.folder / "chatlog.db").unlink()
    home.open()
    third = home.say("s1")
    assert len({*first, *second, *third}) == len(first) + len(second) + len(third)


def test_an_outbox_that_cannot_be_had_costs_no_turn(home):
    """CR10: the fault of one file is not the other's; an ordinal above all is the time, as for queue numbers (CD43)."""
    first = home.say()
    home.close()
    for name in ("outbox.db", "chatlog.db"):
        (home.folder / name).unlink()
    (home.folder / "outbox.db").mkdir()
    home.open()
    second = home.say()
    assert second == [f"msg-s1-{int(NOW) + n}" for n in range(2)]
    assert not set(first) & set(second)


def test_a_busy_outbox_delays_a_new_log_and_no_other(home):
    first = home.say()
    home.again()
    with closing(sqlite3.connect(home.folder / "outbox.db", isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        other = Made(home.folder)
        assert other.log.append(place(), turn("c", "d"), wait=0.05) == ["msg-s1-2", "msg-s1-3"]
        other.close()
        (home.folder / "chatlog.db").unlink()
        with pytest.raises(OutboxBusy):
            other.log.append(place(), turn("e", "f"), wait=0.05)
        other.close()
    assert not set(home.say()) & {*first, "msg-s1-2", "msg-s1-3"}


def test_an_import_brings_messages_back_under_their_own_names(home):
    """D101, H6: the way back for whoever has an export."""
    home.say(times=2)
    exported = list(home.log.walk())
    (home.folder / "chatlog.db").unlink()
    new = home.say()
    assert home.log.take_in(exported) == 4
    assert [one.ref for one in home.log.messages("s1")] == [*(one.ref for one in exported), *new]
    assert home.say() == [f"msg-s1-{STEP + 2}", f"msg-s1-{STEP + 3}"]


@pytest.mark.parametrize("look", [True, False])
def test_what_stands_beside_a_log_cut_to_nothing_is_kept(tmp_path, look):
    """CR10: SQLite throws the write-ahead log of an empty file away; its bytes may hold messages."""
    home = Made(tmp_path / "cognition", wal=True)
    home.say()
    beside = (home.folder / "chatlog.db-wal").read_bytes()
    assert beside
    home.close()
    (home.folder / "chatlog.db").write_bytes(b"")
    (home.folder / "chatlog.db-wal").write_bytes(beside)
    home.open()
    if look:
        assert list(home.log.walk()) == []
    assert home.say() == [f"msg-s1-{STEP}", f"msg-s1-{STEP + 1}"]
    assert [file.read_bytes() for file in home.folder.glob("chatlog.db.corrupt-*-wal")] == [beside]
    home.close()


def test_what_was_imported_is_covered_as_well(home):
    """Names of another home count: they are in this log's transcripts and entries from now on."""
    home.say()
    (message,) = [one for one in home.log.walk() if one.n == 0]
    far = replace(message, n=10 * STEP + 3, ref=f"msg-s9-{10 * STEP + 3}", sid="s9")
    assert home.log.take_in([far]) == 1
    home.close()
    (home.folder / "chatlog.db").unlink()
    home.open()
    assert home.say("s9")[0] == f"msg-s9-{11 * STEP}"


def test_what_is_saved_of_a_damaged_log_keeps_its_count(home):
    """Where the log still says how far a conversation has come, it goes on from there."""
    home.say(times=3)
    home.close()
    path = home.folder / "chatlog.db"
    path.rename(path.with_name("chatlog.db.corrupt-1"))
    home.open()
    assert home.say() == ["msg-s1-6", "msg-s1-7"]


class Losses(RuleBasedStateMachine):
    """Turns, restarts, and one of the two files lost at a time, in any order."""

    @initialize()
    def begin(self) -> None:
        self.step, ordinals.STEP = ordinals.STEP, 8
        self.place = tempfile.TemporaryDirectory()
        self.home = Made(Path(self.place.name) / "cognition")
        self.given: dict[str, Message] = {}
        self.safe = True  # both files know the ceiling

    @rule(sid=st.sampled_from(["s1", "s2", "s-3"]), times=st.sampled_from([1, 1, 2, 9]))
    def say(self, sid: str, times: int) -> None:
        for ref in self.home.say(sid, times):
            assert ref not in self.given
            self.given[ref] = self.home.log.message(ref)
        self.safe = True

    @rule()
    def restart(self) -> None:
        self.home.again()

    @precondition(lambda self: self.safe)
    @rule(loss=st.sampled_from(sorted(LOSSES)), name=st.sampled_from(["chatlog.db", "outbox.db"]))
    def lose(self, loss: str, name: str) -> None:
        path = self.home.folder / name
        if path.exists():
            self.home.close()
            LOSSES[loss](path)
            self.home.open()
            self.safe = False

    def teardown(self) -> None:
        if hasattr(self, "home"):
            ordinals.STEP = self.step
            self.home.close()
            self.place.cleanup()


Losses.TestCase.settings = settings(max_examples=12, stateful_step_count=12, deadline=None)
TestLosses = Losses.TestCase


@pytest.mark.parametrize("loss", ["deleted", "cut to nothing"])
def test_a_lost_log_is_begun_anew_by_one_process_at_a_time(home, loss):
    """H6, CR10: what another one is just making is no loss."""
    home.say()
    LOSSES[loss](home.log.path)
    home.again()
    making, first_rows = threading.Event(), home.log.file.first_rows

    def slowly():
        rows = first_rows()
        making.set()
        time.sleep(0.3)  # the file is there and has no tables yet
        return rows

    home.log.file.first_rows = slowly
    other = Made(home.folder)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(home.say, "s1")
        assert making.wait(20)
        second = pool.submit(other.say, "s2")
        refs = [*first.result(), *second.result()]
    other.close()
    assert sorted(message.ref for message in home.log.walk()) == sorted(refs)
    assert len(list(home.folder.glob("chatlog.db.corrupt-*"))) == (loss != "deleted")
