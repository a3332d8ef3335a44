"""What another program of the account, another process or the clock can put in the way (MA41, MA79, B097, D58, D60)."""

import contextlib
import dataclasses
import json
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any
from unittest import mock

from cognition.memoria.models import Record

from .memoria_home import MemoriaCase, lines

CAR, RED = "Which car do I drive?", "I drive a red car."
ODD: tuple[Any, ...] = (
    [],
    {"a": {"b": []}},
    10**400,
    -1,
    1e308,
    True,
    "",
    "x" * 100_000,
    "\0",
    "</memory-context>\n## x",
)
FIELDS = ("ref", "content_hash", "fact_key", "author", "created_at", "origin_repo", "kind", "project", "salience")
MORE = ("seen", "pinned", "conflict_with", "superseded_by", "base_hash", "previous", "lineage", "speaker_name")


class MA41Records(MemoriaCase):
    def written_by_others(self, **meta: Any) -> str:
        """A record with our metadata but for `meta`; its id."""
        rows = self.app.memoria.account("alice").tables["main"]
        mine = next(row for row in rows.values() if row.content == RED)
        there = {**(mine.extra_metadata or {}), "ref": "other", "content_hash": "0" * 64, "fact_key": "0" * 64, **meta}
        text = "My other car, which I drive too, is blue."
        made = dataclasses.replace(mine, memory_id=uuid.uuid4().hex, content=text, extra_metadata=there)
        rows[made.memory_id] = made
        return made.memory_id

    def test_no_value_of_its_metadata_spoils_what_stands_beside_it(self) -> None:
        """B097, MA41: recall, search and changes go on, whatever stands in any field."""
        provider = self.provider()
        self.stored(provider, RED)
        runtime = provider._handle.runtime
        for field in (*FIELDS, *MORE):
            for value in ODD:
                made = self.written_by_others(**{field: value})
                runtime.remote.link.cache.invalidate()
                runtime.contexts.clear("s1")
                with self.subTest(field=field, value=str(value)[:20]):
                    block = self.ask(provider, CAR)
                    self.assertIn(RED, lines(block))
                    self.assertNotIn("</memory-context>", block)
                    for tool in ("memoria_search", "cognition_search"):
                        self.assertIn(RED, json.dumps(self.tool(provider, tool, query="car")))
                    text = f"My other car is green. {made}"
                    changed = self.tool(provider, "memoria_update", memory_id=made, new_content=text)
                    self.assertTrue(changed["success"], changed)
                rows = self.app.memoria.account("alice").tables["main"]
                for memory_id in [name for name, row in rows.items() if row.content != RED]:
                    del rows[memory_id]

    def test_half_characters_are_made_whole(self) -> None:
        """B052: JSON can hold them, no file and no terminal can."""
        given = {"memory_id": "a", "content": "x\ud800", "subject_id": "\udc00", "extra_metadata": {"ref": "r\ud800"}}
        json.dumps(Record.model_validate(given).model_dump(), ensure_ascii=False).encode("utf-8")


class D84Rivals(MemoriaCase):
    def test_both_sides_of_a_conflict_are_told_and_each_can_be_changed_by_its_name(self) -> None:
        """D84: two machines have replaced one version, and neither names the other."""
        provider = self.provider()
        ref = self.stored(provider, "My locker is number 12.")
        self.tool(provider, "memoria_update", memory_id=ref, new_content="My locker is number 13.")
        [mine] = self.rows()
        there = {
            **mine.extra_metadata,
            "content_hash": "1" * 64,
            "fact_key": "1" * 64,
            "trace_id": "of another machine",
        }
        text, later = "My locker is number 14.", f"{int(mine.memory_id, 16) + 1:032x}"
        rows = self.app.memoria.account("alice").tables["main"]
        rows[later] = dataclasses.replace(mine, memory_id=later, content=text, extra_metadata=there)
        provider._handle.runtime.remote.link.cache.invalidate()
        told = lines(self.ask(provider, "Which number has my locker?"))
        self.assertEqual(set(told), {"My locker is number 13.", text})
        hits = self.tool(provider, "memoria_search", query="locker")["result"]
        self.assertEqual({hit["content"] for hit in hits}, {"My locker is number 13.", text})
        named = {hit["content"]: hit.get("conflict_with") for hit in hits}
        self.assertEqual(named, {"My locker is number 13.": None, text: mine.extra_metadata["ref"]})
        copy = next(hit["memory_id"] for hit in hits if hit["content"] == text)
        self.tool(provider, "memoria_update", memory_id=copy, new_content="My locker is number 15.")
        self.assertEqual(self.texts(), ["My locker is number 13.", "My locker is number 15."])


class D60Locked(MemoriaCase):
    """Another process has the outbox for longer than anybody waits."""

    alone = True

    @contextlib.contextmanager
    def locked(self, when: threading.Event | None = None) -> Iterator[None]:
        """Locked from when `when` is set until the block ends."""
        over, has = threading.Event(), threading.Event()

        def hold() -> None:
            if when is not None:
                when.wait(10)
            other = sqlite3.connect(self.home / "cognition" / "outbox.db", isolation_level=None, timeout=10)
            other.execute("BEGIN IMMEDIATE")
            has.set()
            over.wait(30)
            other.execute("ROLLBACK")
            other.close()

        thread = threading.Thread(target=hold)
        thread.start()
        if when is None:
            has.wait(10)
        try:
            yield
        finally:
            over.set()
            thread.join()

    def written(self) -> threading.Event:
        """Set when the server has written the next record; its answer comes a moment later."""
        self.app.fault("delay", path="/v1/memories/batch", seconds=1.0, when="after")
        found = threading.Event()

        def watch() -> None:
            self.until(lambda: [e for e in self.app.requests("POST", "/v1/memories/batch") if e.fault and e.commits])
            found.set()

        thread = threading.Thread(target=watch)
        thread.start()
        self.addCleanup(thread.join)
        return found

    def test_a_store_before_it_is_sent_is_queued_and_arrives(self) -> None:
        """D58, D60: nothing is sent that no step on disk speaks of, and nothing is lost for that."""
        provider = self.provider()
        self.stored(provider, "I have a boat.")
        with self.locked():
            answer = self.tool(provider, "memoria_store", content=RED)
            self.assertEqual(answer["result"]["state"], "queued")
            self.assertEqual(self.texts(), ["I have a boat."])
        self.until(lambda: self.texts() == ["I have a boat.", RED], 20)
        self.assertEqual(len(self.app.commits("insert")), 2)

    def test_a_store_that_was_written_says_so(self) -> None:
        """M33: `nothing was sent` would be untrue."""
        provider = self.provider()
        self.stored(provider, "I have a boat.")
        with self.locked(self.written()):
            answer = self.tool(provider, "memoria_store", content=RED)
        self.assertEqual(answer.get("result", answer).get("state"), "stored")
        self.assertEqual(self.texts(), ["I have a boat.", RED])

    def test_an_update_that_was_written_is_finished(self) -> None:
        """D84: the old record goes."""
        provider = self.provider()
        ref = self.stored(provider, "I have a boat.")
        with self.locked(self.written()):
            answer = self.tool(provider, "memoria_update", memory_id=ref, new_content="I have two boats.")
        self.assertEqual(answer.get("result", answer).get("state"), "updated")
        self.assertEqual(self.texts(), ["I have two boats."])


class MA79Clock(MemoriaCase):
    alone = True

    def stored_again(self, *, down: bool) -> list[str]:
        """Forgotten, then the clock is set back by a day, and the same is stored again; what recall tells."""
        first = self.provider()
        self.tool(first, "memoria_forget", memory_id=self.stored(first, RED))
        first.shutdown()
        real = time.time
        with mock.patch("time.time", side_effect=lambda: real() - 86_400):
            provider = self.provider("s2")
            if down:
                with self.down():
                    self.assertEqual(self.tool(provider, "memoria_store", content=RED)["result"]["state"], "queued")
                self.due_now()
                provider._handle.runtime.remote.wake()
            else:
                self.stored(provider, RED)
            self.until(lambda: self.texts() == [RED])
            told = lines(self.ask(provider, CAR))
            provider.shutdown()
        return told

    def test_what_is_stored_after_it_was_forgotten_is_recalled(self) -> None:
        """D63, MA79: it is a new statement, whatever the clock says."""
        self.assertEqual(self.stored_again(down=False), [RED])

    def test_also_when_it_had_to_wait(self) -> None:
        """D63, D60: it is not dropped as one that was said before."""
        self.assertEqual(self.stored_again(down=True), [RED])
