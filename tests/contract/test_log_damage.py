"""The log harmed in every way, seen from the hooks: memory goes on, names stay, what was saved is found (CR10, H6)."""

import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from cognition.recall.episodes import EpisodeIndex

from .home import HomeCase

SAID = "The ferry to Skerry leaves from pier 9 on even days."
ASKED = "Which pier does the ferry to Skerry leave from?"


def changed(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def half_gone(path: Path) -> None:
    """Pages in the middle are overwritten; the messages before and behind them can be read."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 8192 * 4096)
        file.write(b"\xff" * 3 * 4096)


SAVED: dict[str, Callable[[Path], object]] = {
    "a damaged middle": half_gone,
    "no version": lambda path: changed(path, "PRAGMA user_version = 0"),
    "a table is missing": lambda path: changed(path, "DROP TABLE mapping"),
    "the text index has no table": lambda path: changed(path, "DROP TABLE episode_words", "DROP TABLE episode_text"),
    "half of the text index": lambda path: changed(path, "DROP TABLE episode_text_data"),
    "no text index": lambda path: changed(path, "DELETE FROM meta WHERE key LIKE 'index%'"),
}
LOST: dict[str, Callable[[Path], object]] = {
    "cut to nothing": lambda path: path.write_bytes(b""),
    "deleted": lambda path: path.unlink(),
    "zeros": lambda path: path.write_bytes(b"\0" * path.stat().st_size),
    "of something else": lambda path: (path.unlink(), changed(path, "CREATE TABLE recipes (name TEXT)")),
}


class HarmedLog(HomeCase):
    def log(self) -> Path:
        return self.home / "cognition" / "chatlog.db"

    def filled(self) -> list[str]:
        provider = self.provider("s1")
        rows = self.say(provider, SAID, *(f"Note {n}: " + "some words about nothing " * 40 for n in range(12)))
        provider.on_session_end(rows)
        refs = self.refs(provider)
        provider.shutdown()
        self.assertIn("msg-s1-0", refs)
        return refs

    def each(self, harms: dict[str, Callable[[Path], object]]) -> Iterator[tuple[str, Callable[[Path], object]]]:
        """Every harm, in a home of its own with a filled log."""
        for kind, harm in harms.items():
            with self.subTest(kind):
                self.tearDown()
                self.setUp()
                self.filled()
                yield kind, harm

    def refs(self, provider: Any) -> list[str]:
        log = provider._handle.runtime.log
        return [one.ref for one in log.walk()]

    def never_idle(self, session: str) -> Any:
        """A provider whose worker has no idle time at all: what it does, it does when it is free."""
        provider = self.provider(session)
        provider._handle.runtime.worker._idle_after = 1e9
        return provider

    def until(self, there: Callable[[], object]) -> bool:
        end = time.monotonic() + 60
        while not (found := bool(there())) and time.monotonic() < end:
            time.sleep(0.02)
        return found

    def test_what_was_saved_is_found_as_soon_as_the_worker_is_free(self) -> None:
        """CR10: nobody has to wait for the half minute without work after which the idle pass comes."""
        for kind, harm in self.each(SAVED):
            harm(self.log())
            provider = self.never_idle("s2")
            self.assertTrue(self.until(lambda provider=provider: "pier 9" in provider.prefetch(ASKED)), kind)
            provider.shutdown()

    def test_damage_that_is_met_while_the_process_runs_is_made_good_as_well(self) -> None:
        for kind, harm in self.each(SAVED):
            provider = self.never_idle("s2")
            self.assertTrue(self.until(lambda provider=provider: "pier 9" in provider.prefetch(ASKED)), kind)
            provider.on_session_end([])
            provider._handle.runtime.contexts.__init__()  # told once a context
            harm(self.log())

            def asked(provider: Any = provider) -> bool:
                self.say(provider, "What else is new?")
                return "pier 9" in provider.prefetch(ASKED)

            self.assertTrue(self.until(asked), kind)
            provider.shutdown()

    def test_an_index_that_cannot_be_made_is_not_tried_with_every_turn(self) -> None:
        """CR10: the idle pass tries again; a turn does not ask for one more."""
        self.filled()
        changed(
            self.log(), "DELETE FROM meta WHERE key LIKE 'index%'", "UPDATE messages SET text = x'00ff' WHERE n = 0"
        )
        provider = self.never_idle("s2")
        talk, hurried = provider._handle.runtime.conversation, []
        self.assertTrue(self.until(lambda: talk._stuck_at is not None))
        talk._hurry = lambda: hurried.append(1)
        talk.mind_index()
        talk.tidy()
        talk.mind_index()
        self.assertEqual(hurried, [])
        changed(self.log(), "UPDATE messages SET text = 'The ferry.' WHERE n = 0")
        self.assertTrue(self.until(talk.tidy))
        self.assertIsNone(talk._stuck_at)
        provider.shutdown()

    def test_no_index_work_on_the_path_of_a_turn(self) -> None:
        """What the hooks call runs on the host's thread; the index is written on the worker's."""
        self.filled()
        SAVED["the text index has no table"](self.log())
        threads, add = set(), EpisodeIndex.add
        EpisodeIndex.add = lambda *given: (threads.add(threading.current_thread().name), add(*given))[1]  # type: ignore
        try:
            provider = self.never_idle("s2")
            self.assertTrue(self.until(lambda: "pier 9" in provider.prefetch(ASKED)))
            provider.shutdown()
        finally:
            EpisodeIndex.add = add
        self.assertEqual(threads, {"cognition-worker"})

    def test_no_name_is_given_twice(self) -> None:
        """H6: the same session goes on after its log was lost; what was told before names nothing else."""
        for kind, harm in LOST.items():
            with self.subTest(kind):
                self.tearDown()
                self.setUp()
                before = self.filled()
                harm(self.log())
                provider = self.provider("s1")
                provider.on_session_end(self.say(provider, "My boat is called Petrel."))
                provider._drain_due()
                after = self.refs(provider)
                self.assertEqual(len(after), 2)
                self.assertFalse(set(after) & set(before))
                named = [ref for entry in self.store().values() for ref in re.findall(r"msg-s1-\d+", str(entry))]
                self.assertEqual(len(named), len(set(named)))
                self.assertTrue(any("chatlog.db" in line for line in self.tool(provider, "cognition_status")["health"]))
                provider.shutdown()

    def test_a_newer_log_and_a_folder_cost_no_exception_and_stay(self) -> None:
        """CR10: said in status, not touched; facts are remembered without the log."""
        for kind in ("newer", "folder"):
            with self.subTest(kind):
                self.tearDown()
                self.setUp()
                self.filled()
                if kind == "newer":
                    changed(self.log(), "PRAGMA user_version = 99")
                else:
                    self.log().unlink()
                    self.log().mkdir()
                before = self.log().read_bytes() if self.log().is_file() else b""
                provider = self.provider("s2")
                provider.prefetch(ASKED)
                provider.on_session_end(self.say(provider, "My cat is called Miso."))
                provider._drain_due()
                health = self.tool(provider, "cognition_status")["health"]
                self.assertTrue(any("chatlog.db" in line for line in health), health)
                provider.shutdown()
                self.assertIn("My cat is called Miso", self.contents())
                self.assertEqual(self.log().read_bytes() if self.log().is_file() else b"", before)
                self.assertEqual(list(self.log().parent.glob("chatlog.db.corrupt-*")), [])
