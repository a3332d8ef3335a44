"""Capture and the log through the provider, case by case: what no other file of this folder pins (issue 5)."""

import os
import sqlite3
import threading
import time
import unittest
from typing import Any
from unittest import mock

import hermes_time
from cognition.chatlog import ChatLog, Message

from tests.capture.hostdb import HostDb

from .home import HomeCase

DAY = 86_400.0


def row(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": text, **more}


class CaptureCase(HomeCase):
    def logged(self) -> list[Message]:
        log = ChatLog(self.home / "cognition" / "chatlog.db")
        try:
            return list(log.walk())
        finally:
            log.close()

    def waiting(self) -> int:
        """Facts in the outbox, as another process sees them."""
        db = sqlite3.connect(self.home / "cognition" / "outbox.db")
        try:
            return int(db.execute("SELECT count(*) FROM push_queue").fetchone()[0])
        finally:
            db.close()

    def at(self, provider: Any, moment: float) -> None:
        runtime = provider._handle.runtime
        for part in (runtime, runtime.conversation, runtime.outbox, runtime.sessions):
            for name in ("_clock", "clock"):
                if hasattr(part, name):
                    setattr(part, name, lambda: moment)


class WhatAFactCarries(CaptureCase):
    def test_kind_salience_words_time_and_message(self) -> None:
        """Issue 5, 1; CD30, CD31: of a turn, and of one that is tried again (HA19)."""
        said_at = time.time() - 900
        for case, answers in (("once", ["Noted."]), ("retried", ["Nted.", "Noted."])):
            with self.subTest(case):
                provider = self.provider(case)
                told: list[dict[str, Any]] = []
                for answer in answers:
                    text = f"hello. I prefer {case} brewed tea, could you go on?"
                    told = [row("user", text, timestamp=said_at), row("assistant", answer)]
                    provider.sync_turn(text, answer, session_id=case, messages=told)
                provider._handle.runtime.conversation.flush(10)
                provider.on_session_end(told)
                provider.shutdown()
                [entry] = [one for one in self.store().values() if case in one["content"]]
                self.assertEqual(entry["content"], f"I prefer {case} brewed tea")
                self.assertEqual((entry["kind"], entry["seen"]), ("preference", 1))
                self.assertGreater(entry["salience"], 0.5)
                self.assertEqual(entry["provenance"]["message_ref"], f"msg-{case}-0")
                self.assertAlmostEqual(entry["provenance"]["created_at"], said_at, delta=1)

    def test_a_message_keeps_the_time_that_the_host_gives(self) -> None:
        """HA54, CD31: the base of its dates as well, in the configured zone (HA55)."""
        os.environ["HERMES_TIMEZONE"] = "America/New_York"
        hermes_time.reset_cache()
        try:
            provider = self.provider()
            sent = 1772341200.0  # 2026-03-01T00:00 in New York, 05:00 in UTC
            self.at(provider, sent + 3 * DAY)
            told = [row("user", "We met yesterday.", timestamp=sent), row("assistant", "I see.", timestamp=sent + 9)]
            provider.sync_turn("We met yesterday.", "I see.", messages=told)
            provider.on_session_end([])
        finally:
            del os.environ["HERMES_TIMEZONE"]
            hermes_time.reset_cache()
        said = self.logged()[0]
        self.assertEqual((said.text, said.sent_at), ("We met yesterday (2026-02-28).", sent))

    def test_a_turn_over_midnight_counts_from_its_beginning(self) -> None:
        """HA54: a host that gives no times says when a turn begins; what it says then was said then."""
        os.environ["HERMES_TIMEZONE"] = "America/New_York"
        hermes_time.reset_cache()
        try:
            provider = self.provider()
            asked = 1772341200.0 - 60  # one minute before 2026-03-01 in New York
            text = "My demo is tomorrow."
            with mock.patch.object(provider._handle._times, "_clock", return_value=asked):
                provider.on_turn_start(1, text)
            self.at(provider, asked + 600)
            provider.sync_turn(text, "Good luck.", messages=[row("user", text), row("assistant", "Good luck.")])
            provider.on_session_end([])
        finally:
            del os.environ["HERMES_TIMEZONE"]
            hermes_time.reset_cache()
        self.assertEqual(self.logged()[0].text, "My demo is tomorrow (2026-03-01).")

    def test_words_stay_in_the_language_in_which_they_were_said(self) -> None:
        """B069: names unchanged, nothing of ours around them."""
        said = ("我妹妹在星河公司上班", "Meu aniversário é 3 de maio", "Ich heiße Jürgen Groß")
        self.told(*said)
        self.assertEqual(self.contents(), sorted(said))
        self.told("明天 deploy 到 staging", session="s9")
        [text] = [one.text for one in self.logged() if one.sid == "s9" and one.role == "user"]
        self.assertRegex(text, r"\A明天 \(\d{4}-\d\d-\d\d\) deploy 到 staging\Z")


class Durable(CaptureCase):
    def test_forty_facts_are_accepted_before_a_compaction(self) -> None:
        """B086: when `on_pre_compress` returns, whatever becomes of the process."""
        provider = self.provider()
        provider._handle.runtime.worker.stop(2)
        told = self.say(provider, *(f"My locker number {n} is {n * 7}." for n in range(40)))
        provider.on_pre_compress(told)
        self.assertEqual(self.waiting(), 40)

    def test_whatever_hangs_behind_it_a_turn_does_not(self) -> None:
        """HA22, H3: a job that never ends stands in for a model route, a disk, a remote store."""
        provider, go_on, done = self.provider(), threading.Event(), threading.Event()
        provider._handle.runtime.worker.submit(lambda: go_on.wait(60))

        def talk() -> None:
            provider.on_session_end(self.say(provider, "I prefer tabs."))
            done.set()

        threading.Thread(target=talk, daemon=True).start()
        try:
            self.assertTrue(done.wait(30), "it waits for what hangs")
            self.assertEqual(self.waiting(), 1)
        finally:
            go_on.set()


class TheLog(CaptureCase):
    def kept(self, settings: dict[str, Any], turns: int, size: int, age: float) -> tuple[int, int]:
        """(messages of a first session that are left after the idle pass, messages of the present one)."""
        provider = self.provider("old", settings)
        self.at(provider, time.time() - age)
        for n in range(turns):
            provider.sync_turn(f"question {n} " + "w " * size, f"answer {n}", session_id="old")
        provider.shutdown()
        again = self.provider("new", settings)
        again.sync_turn("What now?", "This.", session_id="new")
        again._handle.runtime.conversation.flush(10)
        again._handle.runtime.conversation.tidy()
        again.shutdown()
        sids = [one.sid for one in self.logged()]
        return sids.count("old"), sids.count("new")

    def test_retention_by_age(self) -> None:
        """Issue 5, 5; D101."""
        self.assertEqual(self.kept({"capture.log_max_days": 30}, 3, 5, 31 * DAY), (0, 2))

    def test_retention_by_size(self) -> None:
        """Issue 5, 5: the oldest go first."""
        left, new = self.kept({"capture.log_max_mb": 1, "capture.log_max_days": 0}, 40, 15_000, 60.0)
        self.assertEqual(new, 2)
        self.assertLess(left, 80)
        self.assertGreater(left, 4)

    def test_no_age_is_too_old_where_none_is_set(self) -> None:
        self.assertEqual(self.kept({"capture.log_max_days": 0}, 1, 5, 4000 * DAY), (2, 2))

    def test_switched_off_it_is_neither_written_nor_read(self) -> None:
        """Decision 12: also where a log is there already, and by the recovery."""
        self.told("The heron box answers on port 7443.")
        before = (self.home / "cognition" / "chatlog.db").read_bytes()
        db = HostDb(self.home, 19)
        db.session("gone", started=time.time() - 3600, cwd=str(self.home))
        db.turn("gone", "I prefer tabs.", "Noted.")
        db._do("UPDATE messages SET timestamp = ?", time.time() - 1800)
        provider = self.provider("s2", {"capture.log": False})
        provider.sync_turn("The egret box answers on port 9000.", "I see.")
        found = self.tool(provider, "cognition_search", query="which port has the heron box")
        provider.on_session_end([])
        provider.shutdown()
        self.assertNotIn("msg-", str(found))
        self.assertEqual((self.home / "cognition" / "chatlog.db").read_bytes(), before)

    def test_a_call_is_in_the_ledger_without_what_went_in_or_came_out(self) -> None:
        """H11, D68, HA41."""
        provider = self.provider()
        told = [
            row("user", "deploy it"),
            row("assistant", "", tool_calls=[{"id": "1", "function": {"name": "sh", "arguments": "ARGUMENT"}}]),
            row("tool", '{"error": "no such host", "output": "OUTPUT"}', tool_call_id="1"),
            row("assistant", "It failed."),
        ]
        provider.sync_turn("deploy it", "It failed.", messages=told)
        provider.on_session_end([])
        provider.shutdown()
        [call] = self.logged()[1].calls
        self.assertEqual((call.name, call.ok, call.error), ("sh", False, "no such host"))
        for name, data in self.files().items():
            self.assertFalse({b"ARGUMENT", b"OUTPUT"} & set(data.replace(b'"', b" ").split()), name)

    def test_a_subagent_leaves_one_entry_beside_its_parent(self) -> None:
        """HA20, B094: and no message of its own."""
        provider = self.provider()
        provider.sync_turn("Why is prod down?", "I ask.")
        for _ in range(2):
            provider.on_delegation("find the bug", "Root cause: the queue name.", child_session_id="c1")
        provider.on_session_end([])
        provider.shutdown()
        [entry] = self.store().values()
        self.assertEqual((entry["ref"], entry["kind"]), ("delegation-c1", "delegation"))
        self.assertEqual(entry["links"], [["belongTo", "session-s1"]])
        self.assertEqual(len(self.logged()), 2)

    def test_odd_names_of_sessions(self) -> None:
        """B052: a lone surrogate in an id stops no job."""
        provider = self.provider("bold \ud835 half")
        with self.assertNoLogs("cognition", "WARNING"):
            self.say(provider, "I prefer tabs.")
            provider.on_session_end([])
            provider.shutdown()
        self.assertEqual(len(self.logged()), 2)
        self.assertEqual(len(self.store()), 1)


if __name__ == "__main__":
    unittest.main()
