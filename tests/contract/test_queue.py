"""Contract cognition.md: the queue (C18–C21, CA5–CA8), and the two faces of queue.py (P8, CD101)."""

import json
import queue as standard
import random
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from contextlib import closing
from pathlib import Path

from cognition.queue import DEFAULT_MAX_ENTRIES, DurablePushQueue, entry_ref, retry_delay

from .home import HomeCase

ROOT = Path(__file__).resolve().parents[2]
NOW = 1_700_000_000.0


def payload(text: str) -> dict[str, object]:
    return {
        "content": text,
        "base": None,
        "salience": 0.5,
        "provenance": {
            "source_session": "s1",
            "author": "Ada",
            "created_at": NOW,
            "origin_repo": "default",
            "trace_id": "t",
        },
    }


class QueueCase(unittest.TestCase):
    """A queue in a folder of its own."""

    most = DEFAULT_MAX_ENTRIES

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "cognition" / "queue.db"
        self.queue = DurablePushQueue(self.path, self.most)
        self.addCleanup(self.queue.close)

    def add(self, *texts: str, now: float = NOW) -> list[str]:
        return [self.queue.enqueue(payload(text), session_id="s1", now=now) for text in texts]


class C11Refs(unittest.TestCase):
    def test_the_form_of_a_ref(self) -> None:
        self.assertEqual(entry_ref("s1", 4), "cog-s1-4")


class C18RetryTimes(unittest.TestCase):
    def test_one_five_then_thirty_minutes_with_a_tenth_of_jitter(self) -> None:
        rng = random.Random(7)
        for attempts, base in ((1, 60), (2, 300), (3, 1800), (4, 1800), (99, 1800)):
            delays = [retry_delay(attempts, rng) for _ in range(300)]
            self.assertGreaterEqual(min(delays), base * 0.9)
            self.assertLessEqual(max(delays), base * 1.1)
            self.assertGreater(max(delays) - min(delays), base * 0.15)

    def test_a_plain_function_is_a_random_source_too(self) -> None:
        self.assertEqual([retry_delay(1, lambda: 0.0), retry_delay(2, lambda: 0.5)], [54.0, 300.0])

    def test_without_a_source_the_delay_is_still_in_bounds(self) -> None:
        self.assertTrue(54 <= retry_delay(1) <= 66)


class C19RetryCap(QueueCase):
    def test_twenty_four_hours_since_enqueue_inclusive(self) -> None:
        """2.1: 86 400 s; CA6: dead-lettered, and never due again."""
        (ref,) = self.add("a")
        self.assertEqual(self.queue.fail(ref, now=NOW + 86_399.9), "retry")
        self.assertEqual(self.queue.fail(ref, now=NOW + 86_400), "dead-letter")
        self.assertEqual(self.queue.due(NOW + 10 * 86_400), [])
        stone = self.queue.tombstones()[0]
        self.assertEqual((stone["ref"], stone.reason, stone.payload["content"]), (ref, "expired-max-24h", "a"))


class C20Bound(QueueCase):
    most = 3

    def test_beyond_the_bound_the_oldest_leaves_a_tombstone(self) -> None:
        """CA7."""
        refs = self.add(*"abcde")
        self.assertEqual([row.ref for row in self.queue.due(NOW)], refs[2:])
        self.assertEqual(
            [(stone.ref, stone.reason) for stone in self.queue.tombstones()],
            [(refs[0], "evicted-drop-oldest"), (refs[1], "evicted-drop-oldest")],
        )

    def test_the_default_is_a_thousand(self) -> None:
        self.assertEqual(DEFAULT_MAX_ENTRIES, 1000)


class C21Backlog(QueueCase):
    def test_how_many_how_old_and_when_next(self) -> None:
        """CA8, CD42."""
        nothing = {"pending": 0, "oldest_age_secs": None, "next_due_in_secs": None, "tombstones": 0}
        self.assertEqual(self.queue.backlog(NOW), nothing)
        first, second = self.add("a", "b")
        now = self.queue.backlog(NOW + 1000)
        self.assertEqual(now, {"pending": 2, "oldest_age_secs": 1000.0, "next_due_in_secs": 0.0, "tombstones": 0})
        self.queue.ack(first)
        self.queue.fail(second, now=NOW + 1000, rng=random.Random(1))
        later = self.queue.backlog(NOW + 1000)
        self.assertEqual(later["pending"], self.queue.pending_count())
        self.assertTrue(54 <= later["next_due_in_secs"] <= 66)


class CA5Order(QueueCase):
    def test_refs_order_and_payload_survive_reopening(self) -> None:
        refs = self.add("a", "b", "c")
        self.assertEqual([ref[-1] for ref in refs], ["1", "2", "3"])
        self.queue.close()
        again = DurablePushQueue(self.path)
        self.addCleanup(again.close)
        self.assertEqual(
            [(row.ref, row.payload) for row in again.due()], list(zip(refs, map(payload, "abc"), strict=True))
        )

    def test_every_enqueue_makes_a_row(self) -> None:
        """D117: no merging of equal facts; the ref is the key."""
        self.assertEqual(self.add("a", "a"), ["cog-s1-1", "cog-s1-2"])


class CA6Retry(QueueCase):
    def test_hidden_at_ten_seconds_and_visible_by_sixty_seven(self) -> None:
        (ref,) = self.add("a")
        rng = random.Random(3)
        self.assertEqual(self.queue.fail(ref, now=NOW, rng=rng), "retry")
        self.assertEqual(self.queue.due(NOW + 10), [])
        self.assertEqual([row.attempts for row in self.queue.due(NOW + 67)], [1])
        at = NOW + 67
        for base in (300, 1800, 1800):
            self.queue.fail(ref, now=at, rng=rng)
            self.assertEqual(self.queue.due(at + base * 0.9 - 1), [])
            self.assertEqual([row.ref for row in self.queue.due(at + base * 1.1 + 1)], [ref])


class CD50UnknownRefs(QueueCase):
    def test_are_harmless_and_logged(self) -> None:
        with self.assertLogs("cognition.delivery.push_queue", "WARNING"):
            self.assertEqual(self.queue.fail("cog-nobody-9"), "retry")
        with self.assertLogs("cognition.delivery.push_queue", "WARNING"):
            self.queue.ack("cog-nobody-9")


class D117Hands(QueueCase):
    def test_a_row_in_another_owners_hands_is_neither_acked_nor_failed(self) -> None:
        (ref,) = self.add("a")
        outbox = self.queue._outbox
        row = outbox.claim(limit=1, owner="worker")[0]
        with self.assertLogs("cognition.delivery.push_queue", "WARNING"):
            self.queue.ack(ref)
            self.assertEqual(self.queue.fail(ref), "retry")
        self.assertEqual(outbox.counts(), {"inflight": 1})
        mine = DurablePushQueue.over(outbox, owner="worker")
        mine.ack(ref)
        self.assertEqual(outbox.counts(), {"done": 1})
        self.assertFalse(outbox.done(row, outcome="applied", committed_ref=ref))


class P8TwoFaces(unittest.TestCase):
    """With the root first on the path, `import queue` is the standard module; in the package it is ours."""

    def run_python(self, program: str) -> None:
        program = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + textwrap.dedent(program)
        self.finish([sys.executable, "-c", program])

    def finish(self, command: list[str], **where: str) -> None:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **where)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_standard_names_are_all_there(self) -> None:
        names = sorted(name for name in vars(standard) if not name.startswith("__"))
        self.run_python(f"""
            import queue
            assert sorted(name for name in vars(queue) if not name.startswith("__")) == {names!r}
            assert queue.__file__ == {standard.__file__!r}
            q = queue.PriorityQueue()
            q.put(2); q.put(1)
            assert q.get_nowait() == 1 and issubclass(queue.Empty, Exception)
            try: queue.Queue(1).get_nowait()
            except queue.Empty: pass
        """)

    def test_what_is_built_on_it_works(self) -> None:
        self.run_python("""
            import concurrent.futures, logging.handlers, multiprocessing
            q = multiprocessing.Queue()
            q.put(1)
            assert q.get(timeout=10) == 1
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                assert pool.submit(lambda: 5).result() == 5
            logging.handlers.QueueHandler(__import__("queue").SimpleQueue())
        """)

    def test_python_started_in_the_root(self) -> None:
        self.finish([sys.executable, "-c", "import queue, asyncio; queue.LifoQueue()"], cwd=str(ROOT))

    def test_both_faces_in_one_process(self) -> None:
        self.run_python(f"""
            import queue
            sys.path.insert(0, {str(ROOT / "tests")!r})
            from cognition.queue import DurablePushQueue, Worker
            import cognition.queue
            assert not hasattr(queue, "DurablePushQueue") and not hasattr(cognition.queue, "Queue")
            assert sys.modules["queue"] is queue
        """)

    def test_the_branch_loads_nothing_that_imports_queue(self) -> None:
        self.run_python("""
            import importlib.util, os
            before = set(sys.modules)
            import queue
            new = set(sys.modules) - before
            assert new <= {
                "queue", "_queue", "heapq", "_heapq", "threading", "types", "collections", "time", "_weakrefset",
                "itertools", "_collections", "functools", "operator", "_operator", "keyword", "reprlib",
            }, new
        """)


class Decision1EarlierQueue(HomeCase):
    """An earlier version's queue.db (2.3) is taken over at the start, once, and kept."""

    def earlier(self, place: str) -> Path:
        path = self.home / place
        path.parent.mkdir(parents=True)
        now = time.time()
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("""CREATE TABLE push_queue (seq INTEGER PRIMARY KEY AUTOINCREMENT, ref TEXT NOT NULL UNIQUE,
                session_id TEXT NOT NULL, payload_json TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'pending',
                attempts INTEGER NOT NULL DEFAULT 0, created_at REAL NOT NULL, next_due_at REAL NOT NULL)""")
            db.execute("""CREATE TABLE tombstones (ref TEXT PRIMARY KEY, reason TEXT NOT NULL, dropped_at REAL NOT NULL,
                payload_json TEXT)""")
            for n, text in enumerate(("I live in Oslo.", "My token is ghp_" + "a1B2" * 9 + "."), start=1):
                db.execute(
                    "INSERT INTO push_queue VALUES (?, ?, 'old', ?, 'pending', 0, ?, ?)",
                    (n, f"cog-old-{n}", json.dumps(payload(text)), now - 60, now - 60),
                )
        return path

    def start(self, settings: dict[str, str]) -> None:
        provider = self.provider("s1", settings)
        provider._handle.runtime.drain(10.0)
        provider.shutdown()

    def check(self, place: str, settings: dict[str, str]) -> None:
        path = self.earlier(place)
        before = path.read_bytes()
        self.start(settings)
        store = self.store()
        self.assertEqual(sorted(store), ["cog-old-1", "cog-old-2"])
        self.assertEqual(store["cog-old-1"]["content"], "I live in Oslo.")
        self.assertNotIn("ghp_", json.dumps(store))
        self.assertFalse(path.exists())
        kept = path.with_name("queue.db.imported")
        self.assertEqual(kept.read_bytes(), before)
        self.start(settings)
        self.assertEqual(self.store(), store)
        self.assertEqual(kept.read_bytes(), before)
        self.assertEqual([p.name for p in path.parent.glob("queue.db*")], [kept.name])

    def test_in_the_folder(self) -> None:
        self.check("cognition/queue.db", {})

    def test_where_a_setting_names_it(self) -> None:
        self.check("elsewhere/queue.db", {"queue_path": "elsewhere/queue.db"})


if __name__ == "__main__":
    unittest.main()
