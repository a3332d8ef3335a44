"""Memoria is away for hours, processes die, homes are copied and moved (B003, D41-D43, D56, MA70-MA74, MA79)."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from .memoria_home import MemoriaCase

ROOT = Path(__file__).resolve().parents[2]


class B003DownForHours(MemoriaCase):
    alone = True

    def test_six_arrive_once_in_order_with_their_original_times(self) -> None:
        """B003, D56, D60, C19: several processes meanwhile, none of which loses or ages anything."""
        said = [f"Fact number {n} of the outage." for n in range(6)]
        with self.down():
            for number, pair in enumerate((said[:2], said[2:4], said[4:])):
                provider = self.provider(f"s{number}")
                for text in pair:
                    answer = self.tool(provider, "memoria_store", content=text)
                    self.assertEqual(answer["result"]["state"], "queued")
                provider.shutdown()
            rows = self.queue("push_queue")
            times = [row["created_at"] for row in rows]
            self.assertEqual([row["state"] for row in rows], ["pending"] * 6)
            self.assertEqual({row["aging_from"] for row in rows}, {None})
        self.due_now()
        provider = self.provider("s9")
        self.until(lambda: len(self.rows()) == 6)
        provider.shutdown()
        self.assertEqual(self.texts(), said)
        made = [row.extra_metadata["created_at"] for row in self.rows()]
        for told, queued in zip(made, times, strict=True):
            self.assertAlmostEqual(told, queued, delta=5)
        self.assertEqual(len(self.app.commits("insert")), 6)

    def test_a_queued_text_can_be_changed_forgotten_and_is_not_doubled(self) -> None:
        """B061, D60: in order behind the text itself."""
        provider = self.provider()
        with self.down():
            first = self.stored(provider, "I drive a red car.")
            self.assertEqual(self.stored(provider, "I drive a red car."), first)
            changed = self.tool(provider, "memoria_update", memory_id=first, new_content="I drive a blue car.")
            self.assertEqual(changed["result"]["state"], "queued")
            second = self.stored(provider, "I have a boat.")
            self.assertTrue(self.tool(provider, "memoria_forget", memory_id=second)["success"])
        self.due_now()
        provider._handle.runtime.remote.wake()
        self.until(lambda: self.texts() == ["I drive a blue car."])

    def test_the_notice_comes_once(self) -> None:
        """M58, M59: a conversation goes on."""
        provider = self.provider()
        with self.down():
            for n in range(3):
                self.ask(provider, f"Which car do I drive in week {n}?")
                self.turn(provider, f"I like number {n}.")
        self.assertEqual(len(self.warned), 1, self.warned)


class MA72Kill(MemoriaCase):
    """A program that is killed -9 in the middle; what it had accepted is recalled by the next (M54, MA72)."""

    upload = "turns"

    def run_and_kill(self, work: str) -> str:
        program = "\n".join(
            (
                "import os, sys, json, signal, time",
                f"sys.path.insert(0, {str(ROOT / 'tests')!r})",
                "import cognition",
                "from cognition import CognitionMemoryProvider",
                f"given = {{'backend': 'memoria', 'api_url': {self.url!r}, 'memoria.upload': 'turns'}}",
                "p = CognitionMemoryProvider(given)",
                f"p.initialize('s1', hermes_home={str(self.home)!r}, platform='cli', agent_context='primary')",
                work,
                "os.kill(os.getpid(), signal.SIGKILL)",
            )
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, -9, done.stderr)
        return done.stdout

    def test_a_store_and_a_turn_survive(self) -> None:
        """B003: explicit stores and opted-in turns are durable when the call returns."""
        self.app.fault("delay", path="/v1/memories*", seconds=0.3, times=1)
        out = self.run_and_kill(
            "print(p.handle_tool_call('memoria_store', {'content': 'I drive a red car.'}), flush=True)\n"
            "p.sync_turn('I like tea.', 'Noted.', messages=None)"
        )
        self.assertTrue(json.loads(out)["success"])
        provider = self.provider("s2")
        self.until(lambda: self.observed() or [row["state"] for row in self.queue()] == ["uncertain"])
        self.assertIn("I drive a red car.", self.ask(provider, "Which car do I drive?"))


class D41Identity(MemoriaCase):
    alone = True

    def moved(self) -> Path:
        there = Path(str(self.home) + "-moved")
        self.addCleanup(shutil.rmtree, there, ignore_errors=True)
        return there

    def test_auto_is_derived_from_the_home(self) -> None:
        """D41, M16, MA18: the same in every session; a moved home is a new subject."""
        for session in ("s1", "s2"):
            self.stored(self.provider(session), f"Said in {session}.")
        self.assertEqual(len({row.subject_id for row in self.rows()}), 1)
        there = self.moved()
        for provider in self._made:
            provider.shutdown()
        shutil.copytree(self.home, there)
        self.stored(self.provider("s3", hermes_home=str(there)), "Said there.")
        self.assertEqual(len({row.subject_id for row in self.rows()}), 2)

    def test_a_portable_home_that_was_copied_sends_and_reads_nothing_until_it_is_settled(self) -> None:
        """D42, M21, MA21, MI9."""
        from cognition.memoria.identity import confirm

        portable = {"memoria.subject": "portable"}
        provider = self.provider("s1", portable)
        self.stored(provider, "I drive a red car.")
        with self.down():
            self.stored(provider, "Queued here.")
            provider.shutdown()
        there = self.moved()
        shutil.copytree(self.home, there)
        before = len(self.asked())
        copy = self.provider("s2", portable, hermes_home=str(there))
        answer = self.tool(copy, "memoria_store", content="Said in the copy.")
        self.assertFalse(answer["success"])
        self.assertIn("hermes cognition identity confirm", answer["hint"])
        self.assertEqual(self.ask(copy, "Which car do I drive?"), "")
        self.assertIn("identity confirm", " ".join(self.tool(copy, "cognition_status")["health"]))
        self.assertEqual(len(self.asked()), before)
        confirm(there, "copied")
        self.stored(copy, "Said in the copy.")
        copy.shutdown()
        subjects = {row.content: row.subject_id for row in self.rows()}
        self.assertNotEqual(subjects["Said in the copy."], subjects["I drive a red car."])
        self.assertNotIn("Queued here.", subjects)

    def test_a_shared_name_serves_several_homes(self) -> None:
        """D43, B002: several machines, one memory."""
        shared = {"memoria.subject": "ada"}
        self.stored(self.provider("s1", shared), "I drive a red car.")
        there = self.moved()
        there.mkdir()
        other = self.provider("s1", shared, hermes_home=str(there))
        self.assertIn("I drive a red car.", self.ask(other, "Which car do I drive?"))

    def test_earlier_rows_are_taken_over_once(self) -> None:
        """M42, M52, MA71, D105: the earlier queue's turns go out under today's binding."""
        import sqlite3

        from cognition.memoria import identity

        home = str(self.home.resolve())
        subject = identity.derived(home)
        binding = identity.earlier_binding(self.url, self.key, subject, "main")
        folder = self.home / "plugin-data" / "memoria"
        folder.mkdir(parents=True)
        payload: dict[str, Any] = {
            "messages": [{"role": "user", "content": "I like tea."}],
            "subject_id": subject,
            "session_id": "s0",
            "branch": "main",
        }
        db = sqlite3.connect(folder / "outbox.sqlite3")
        db.execute(
            "CREATE TABLE captures (id TEXT PRIMARY KEY, binding TEXT, payload TEXT, state TEXT, attempts INT,"
            " created REAL, updated REAL, error TEXT)"
        )
        row = ("f" * 64, binding, json.dumps(payload), "failed", 3, 1.7e9, 1.7e9, "connection_failed")
        db.execute("INSERT INTO captures VALUES (?,?,?,?,?,?,?,?)", row)
        db.commit()
        db.close()
        self.provider("s1", {"memoria.upload": "turns"})
        [body] = self.until(self.observed)
        self.assertEqual(body["messages"][0]["content"], "I like tea.")
        self.assertTrue((folder / "outbox.sqlite3.imported").exists())
