"""Captured facts on Memoria: a correction updates what it corrects (D34, D35, D52, D84, CD24; B020)."""

from typing import Any

from .memoria_home import MemoriaCase

STATED, CORRECTED = "My cat is called Miso.", "Actually, my cat is called Nori."


class D84CapturedCorrections(MemoriaCase):
    """`memoria.upload: facts`."""

    upload = "facts"

    def said(self, text: str, session: str, **settings: Any) -> Any:
        """A whole session in which one thing is said."""
        provider = self.provider(session, settings=settings)
        history: list[dict[str, Any]] = []
        self.turn(provider, text, history=history)
        provider.on_session_end(history)
        return provider

    def settled(self) -> None:
        self.until(lambda: not [row for row in self.queue("push_queue") if row["state"] in ("pending", "inflight")])

    def test_a_correction_is_one_record_under_the_first_ones_ref(self) -> None:
        """No second record beside the one that is wrong; the ref that was given for it leads there, too (B043)."""
        self.said(STATED, "s1")
        self.until(lambda: self.texts() == [STATED])
        [old] = self.rows()
        provider = self.said(CORRECTED, "s2")
        self.until(lambda: self.texts() == [CORRECTED])
        self.settled()
        [new] = self.rows()
        self.assertEqual(new.extra_metadata["ref"], old.extra_metadata["ref"])
        self.assertEqual(new.extra_metadata["previous"], old.memory_id)
        found = self.tool(provider, "cognition_search", ref="cog-s2-2")
        self.assertIn("Nori", str(found))
        self.assertNotIn("Miso", str(self.tool(provider, "memoria_search", query="What is my cat called?")))

    def test_it_is_sent_again_without_doubling_whatever_reply_was_lost(self) -> None:
        """D84: new record, look, delete: each may be cut."""
        for number, (method, path, kind) in enumerate(
            [
                ("POST", "/v1/memories/batch", "drop_after"),
                ("POST", "/v1/memories/batch", "drop_before"),
                ("DELETE", "*", "drop_after"),
                ("DELETE", "*", "drop_before"),
                ("POST", "/v1/memories/retrieve", "drop_before"),
                ("POST", "/v1/memories/query", "drop_after"),
            ]
        ):
            with self.subTest(method=method, path=path, kind=kind):
                name = f"Tarn{number}"
                first, then = f"My dog number {name} is called Rex.", f"Actually, my dog number {name} is called Bo."
                self.said(first, f"a{number}")
                self.until(lambda first=first: first in self.texts())
                self.app.fault(kind, method, path, times=1)
                self.said(then, f"b{number}", **{"memoria.request_timeout": 0.5})
                self.moved(60)
                self.until(lambda name=name, then=then: [t for t in self.texts() if name in t] == [then], 20)

    def moved(self, seconds: float) -> None:
        """As if so much time had passed for what waits, so that D109's pause is over."""
        import contextlib
        import sqlite3
        import time

        end = time.monotonic() + 3
        while time.monotonic() < end:
            with contextlib.closing(sqlite3.connect(self.home / "cognition" / "outbox.db", timeout=5)) as db:
                db.execute("UPDATE push_queue SET due_at = 0 WHERE state = 'pending'")
                db.execute("UPDATE remote_steps SET at = at - ?", (seconds,))
                db.commit()
            time.sleep(0.2)
            if not [row for row in self.queue("push_queue") if row["state"] in ("pending", "inflight")]:
                return

    def test_what_was_said_on_purpose_is_not_touched(self) -> None:
        """As on this machine: no captured correction replaces an explicit store."""
        provider = self.provider("s1")
        self.stored(provider, STATED)
        self.said(CORRECTED, "s2")
        self.until(lambda: len(self.texts()) == 2)
        self.assertEqual(sorted(self.texts()), sorted([STATED, CORRECTED]))

    def test_another_thing_is_not_touched(self) -> None:
        for number, text in enumerate([STATED, "My dog is called Rex.", "I live in Bonn."]):
            self.said(text, f"s{number}")
        self.until(lambda: len(self.texts()) == 3)
        self.said(CORRECTED, "s9")
        self.until(lambda: CORRECTED in self.texts())
        self.settled()
        self.assertEqual(sorted(self.texts()), sorted([CORRECTED, "My dog is called Rex.", "I live in Bonn."]))

    def test_what_stands_on_this_machine_is_retired_here(self) -> None:
        """D35: an entry of the time before `facts` was chosen."""
        earlier = self.said(STATED, "s0", **{"memoria.upload": "none"})
        self.until(lambda: self.contents() == [STATED.rstrip(".")])
        earlier.shutdown()
        provider = self.said(CORRECTED, "s1")
        self.until(lambda: self.texts() == [CORRECTED])
        self.settled()
        self.until(lambda: all(entry.get("superseded_by") for entry in self.store().values()))
        said = self.ask(provider, "What is my cat called?")
        self.assertNotIn("Miso", said)
