"""Every file, every kind of harm, seen from the hooks: memory goes on (CR10, CD44, CD57, CD58, CD62, CD90).

Two facts are committed in two sessions, one file is harmed, a third fact is told.  Nothing raises, the first fact is
recalled, the third one is committed in the end, damaged bytes are kept, and health says something about it.
"""

import contextlib
import fcntl
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from person import as_a_person

from .home import HomeCase

KINDS: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "zeros": lambda data: b"\0" * len(data),
    "foreign": lambda data: b"[]\n",
    "noise": lambda data: bytes(range(256)) * (len(data) // 256 + 1),
    "of something else": lambda data: stranger(),
}
TRUTHS = ("committed.json", "committed.json.prev", "committed.json.receipts", "committed.json.lock")
DATABASES = ("outbox.db", "recall.db", "chatlog.db")


def stranger() -> bytes:
    """A sound database that is none of ours."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE recipes (name TEXT)")
        return bytes(db.serialize())


class DamagedFiles(HomeCase):
    def facts(self, number: int) -> str:
        return ("My cat is called Miso.", "My boat is called Petrel.", "My desk is 4B.")[number]

    def harmed(self, name: str, harm: Callable[[bytes], bytes]) -> Path:
        for number in (0, 1):
            self.told(self.facts(number), session=f"s{number}")
        path = self.home / "cognition" / name
        path.write_bytes(harm(path.read_bytes() if path.exists() else b""))
        return path

    def goes_on(self, label: str) -> list[str]:
        """A session on the harmed home; what health said while it ran."""
        provider: Any = self.provider("s2")
        recalled = provider.prefetch("What is my cat called?")
        provider.on_session_end(self.say(provider, self.facts(2)))
        provider._drain_due()
        status = self.tool(provider, "cognition_status")
        self.assertIn("health", status, label)
        provider.shutdown()
        healthy = self.provider("s3")
        healthy._drain_due()
        self.assertIn("4B", healthy.prefetch("Where is my desk?"), label)
        self.assertIn("Miso", recalled or healthy.prefetch("What is my cat called?"), label)
        healthy.shutdown()
        return list(status["health"])

    def test_each_damaged_file_of_the_store_costs_nothing_older_and_is_kept(self) -> None:
        for name in TRUTHS:
            for kind, harm in KINDS.items():
                with self.subTest(file=name, harm=kind):
                    self.tearDown()
                    self.setUp()
                    self.harmed(name, harm)
                    health = self.goes_on(f"{name} {kind}")
                    contents = self.contents()
                    self.assertIn("My cat is called Miso", contents)
                    self.assertEqual(len(contents), len(set(contents)))
                    if name == "committed.json":
                        kept = list((self.home / "cognition").glob("committed.json.corrupt-*"))
                        self.assertTrue(kept, "the damaged bytes are gone")
                        self.assertTrue(any("committed.json" in line for line in health), health)
                    else:  # the truth itself is whole
                        self.assertIn("My boat is called Petrel", contents)

    def test_each_damaged_database_costs_nothing_committed(self) -> None:
        for name in DATABASES:
            for kind, harm in KINDS.items():
                with self.subTest(file=name, harm=kind):
                    self.tearDown()
                    self.setUp()
                    self.harmed(name, harm)
                    self.goes_on(f"{name} {kind}")
                    self.assertEqual(len(self.contents()), 3)

    def test_each_missing_file_costs_nothing_committed(self) -> None:
        for name in (*TRUTHS[1:], *DATABASES):
            with self.subTest(file=name):
                self.tearDown()
                self.setUp()
                self.harmed(name, lambda data: data).unlink()
                self.goes_on(f"{name} missing")
                self.assertEqual(len(self.contents()), 3)

    def test_a_folder_in_the_place_of_a_file_costs_no_exception(self) -> None:
        for name in (*TRUTHS, *DATABASES):
            with self.subTest(file=name):
                self.tearDown()
                self.setUp()
                path = self.harmed(name, lambda data: data)
                aside = path.with_name(f"{name}.aside")
                path.rename(aside)
                path.mkdir()
                provider: Any = self.provider("s2")
                provider.prefetch("What is my cat called?")
                provider.on_session_end(self.say(provider, self.facts(2)))
                self.assertNotEqual(self.tool(provider, "cognition_status").get("health"), None)
                provider.shutdown()
                path.rmdir()
                aside.rename(path)
                self.provider("s3").shutdown()
                self.provider("s4").shutdown()
                self.assertIn("My cat is called Miso", self.contents())
                self.assertIn("My boat is called Petrel", self.contents())

    def test_a_full_disk_loses_nothing_acknowledged_and_recall_goes_on(self) -> None:
        """CR10, CR11, B033: every file at once; below a few kilobytes nothing can be accepted, and that is said."""
        program = Path(__file__).resolve().parents[1] / "torture" / "full_disk.py"
        acknowledged = 0
        for limit in (0, 4_096, 20_000, 60_000, 200_000):
            with self.subTest(limit=limit):
                self.tearDown()
                self.setUp()
                self.harmed("committed.json", lambda data: data)
                ran = subprocess.run(
                    [sys.executable, str(program), str(self.home), str(limit)],
                    capture_output=True,
                    text=True,
                    timeout=60,
                    check=False,
                )
                self.assertEqual(ran.returncode, 0, ran.stderr)
                said = json.loads(ran.stdout)
                self.assertIn("Miso", said["recalled"])
                if not said["acked"]:
                    self.assertNotEqual(said["health"], ["ok"])
                healthy = self.provider("s3")
                healthy._drain_due()
                healthy.shutdown()
                kept = self.contents()
                self.assertEqual(len(kept), len(set(kept)))
                self.assertLessEqual({"My cat is called Miso", "My boat is called Petrel"}, set(kept))
                if said["acked"]:
                    acknowledged += 1
                    self.assertIn("My desk is 4B", kept)
        self.assertGreater(acknowledged, 0)

    def test_a_read_only_home_costs_no_exception_and_is_named(self) -> None:
        """B060, CR10: the folder alone, and every file in it as well; afterwards all is as it was."""
        program = Path(__file__).resolve().parents[1] / "torture" / "full_disk.py"
        for files_too in (False, True):
            with self.subTest(files_too=files_too):
                self.tearDown()
                self.setUp()
                folder = self.harmed("committed.json", lambda data: data).parent
                for path in folder.iterdir() if files_too else ():
                    path.chmod(0o500 if path.is_dir() else 0o400)
                folder.chmod(0o500)
                command = [sys.executable, str(program), str(self.home), "1000000000"]
                ran = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=as_a_person)
                for path in (folder, *folder.iterdir()):
                    path.chmod(0o700 if path.is_dir() else 0o600)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                said = json.loads(ran.stdout)
                self.assertIn("Miso", said["recalled"])
                self.assertNotEqual(said["health"], ["ok"])
                self.provider("s3").shutdown()
                kept = set(self.contents())
                self.assertLessEqual({"My cat is called Miso", "My boat is called Petrel"}, kept)
                self.assertTrue("My desk is 4B" in kept or not said["acked"])

    def test_each_lock_held_elsewhere_delays_the_commit_and_loses_nothing(self) -> None:
        """CD62, CD44: facts stay Pending, recall goes on."""
        for name in ("committed.json.lock", *DATABASES):
            with self.subTest(file=name):
                self.tearDown()
                self.setUp()
                path = self.harmed(name, lambda data: data)
                with held(path):
                    provider: Any = self.provider("s2")
                    recalled = provider.prefetch("What is my cat called?")
                    if name != "recall.db":  # without its index a new process recalls nothing for that moment
                        self.assertIn("Miso", recalled)
                    provider.on_session_end(self.say(provider, self.facts(2)))
                    provider.shutdown()
                    if name == "chatlog.db":  # a fact does not wait for the log
                        self.assertIn("My desk is 4B", self.contents())
                    else:
                        self.assertNotIn("My desk is 4B", self.contents() if name != "recall.db" else [])
                later = self.provider("s3")
                runtime = later._handle.runtime
                runtime.outbox.clock = runtime.worker._clock = lambda: time.time() + 3600
                later._drain_due()
                later.shutdown()
                self.assertIn("My desk is 4B", self.contents())


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a file as another process would: flock for the store's lock, an exclusive transaction for a database."""
    if path.suffix == ".db":
        with contextlib.closing(sqlite3.connect(path)) as other:
            other.execute("BEGIN EXCLUSIVE")
            yield
            other.rollback()
        return
    with path.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
