"""Sessions that ended without on_session_end come back at the next start, once (H13, D62-D66, P46-P48; B003)."""

import contextlib
import platform
import sqlite3
import time
import unittest
from typing import Any

from cognition.delivery import liveness
from cognition.outbox import Outbox

from tests.capture.hostdb import HostDb

from .home import HomeCase

HOUR = 3600.0


class RecoveryCase(HomeCase):
    line = 19

    def setUp(self) -> None:
        super().setUp()
        self.db = HostDb(self.home, self.line)
        self.began = time.time() - 50 * HOUR
        self.outbox = Outbox(self.home / "cognition" / "outbox.db")
        self.told("Let us begin.", session="first")  # makes the files
        self.put("installed_at", repr(self.began))

    def put(self, key: str, value: str) -> None:
        with contextlib.closing(sqlite3.connect(self.outbox.path)) as db, db:
            db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))

    def lost(self, session: str, *texts: str, ago: float = 5 * HOUR, **host: Any) -> None:
        """A session in the host's database that nobody ended, `ago` seconds old."""
        host = {"cwd": str(self.home), **host}
        self.db.session(session, started=time.time() - ago, **host)
        for text in texts:
            self.db.turn(session, text, f"Noted: {text}")

    def start(self, session: str = "now") -> Any:
        """A new session; returns when the recovery has run and what it found is committed."""
        provider = self.provider(session)
        self.settled(provider)
        return provider

    def settled(self, provider: Any) -> None:
        runtime = provider._handle.runtime
        end = time.monotonic() + 20
        while time.monotonic() < end:
            provider._drain_due()
            if not runtime.worker._jobs and not runtime.worker._one_job.locked() and not runtime.backlog()["pending"]:
                break
            time.sleep(0.01)
        provider._drain_due()
        self.assertEqual(runtime.failures, {})

    def logged(self, provider: Any) -> list[tuple[str, str]]:
        return [(message.ref, message.text) for message in provider._handle.runtime.log.walk()]

    def again(self, provider: Any) -> Any:
        provider.shutdown()
        return self.start("later")


class Recovered(RecoveryCase):
    def test_facts_and_messages_come_back_once(self) -> None:
        self.lost("gone", "I prefer tabs.", "My desk is 4B.")
        provider = self.start()
        self.assertEqual(self.contents(), ["I prefer tabs", "My desk is 4B"])
        messages = [each for each in self.logged(provider) if each[0].startswith("msg-gone-")]
        self.assertEqual(
            [text for _, text in messages],
            ["I prefer tabs.", "Noted: I prefer tabs.", "My desk is 4B.", "Noted: My desk is 4B."],
        )
        provider = self.again(provider)
        self.assertEqual([entry["seen"] for entry in self.store().values()], [1, 1])
        self.assertEqual([each for each in self.logged(provider) if each[0].startswith("msg-gone-")], messages)

    def test_time_place_and_message_come_from_the_transcript(self) -> None:
        """H9, B067: not the time of the recovery."""
        (self.home / "shop" / ".git").mkdir(parents=True)
        self.lost(
            "gone", "This project is built on FastAPI.", cwd=str(self.home), git_repo_root=str(self.home / "shop")
        )
        self.start()
        [entry] = self.store().values()
        self.assertEqual(entry["project"], "shop")
        self.assertEqual(entry["provenance"]["message_ref"], "msg-gone-0")
        self.assertEqual(entry["provenance"]["source_session"], "gone")
        self.assertLess(entry["provenance"]["created_at"], time.time() - 4 * HOUR)

    def test_an_interrupted_turn_is_kept(self) -> None:
        """HA10, H13: the user's words; there is no answer."""
        self.lost("gone", "I prefer tabs.")
        self.db.row("gone", "user", "My desk is 4B.")
        provider = self.start()
        self.assertEqual(self.contents(), ["I prefer tabs", "My desk is 4B"])
        self.assertEqual(self.logged(provider)[-1][1], "My desk is 4B.")

    def test_what_was_settled_is_not_brought_again(self) -> None:
        """P29, D62: the same rows, seen by the session's own process and by the recovery."""
        self.told("I prefer tabs.", session="half")
        self.db.session("half", started=time.time() - 5 * HOUR)
        self.db.turn("half", "I prefer tabs.")
        self.db.turn("half", "My desk is 4B.", "Good to know.")
        provider = self.start()
        self.assertEqual(self.contents(), ["I prefer tabs", "My desk is 4B"])
        self.assertEqual({entry["seen"] for entry in self.store().values()}, {1})
        texts = [text for ref, text in self.logged(provider) if ref.startswith("msg-half-")]
        self.assertEqual(texts, ["I prefer tabs.", "Noted.", "My desk is 4B.", "Good to know."])

    def test_undone_rows_stay_undone(self) -> None:
        """P48, HA18."""
        self.lost("gone", "I prefer tabs.", "My desk is 4B.")
        self.db.undo("gone")
        provider = self.start()
        self.assertEqual(self.contents(), ["I prefer tabs"])
        self.assertNotIn("My desk is 4B.", [text for _, text in self.logged(provider)])

    def test_compactions_and_retries_double_nothing(self) -> None:
        """HA13, HA19, HA163, D65."""
        self.lost("gone", "I prefer tabs.", "My desk is 4B.")
        self.db.compact("gone", keep=2)
        self.db.turn("gone", "I live in Oslo.")
        self.db.retry("gone", "Noted at last.")
        provider = self.start()
        self.assertEqual({entry["seen"] for entry in self.store().values()}, {1})
        self.assertEqual(len(self.store()), 3)
        texts = [text for ref, text in self.logged(provider) if ref.startswith("msg-gone-")]
        for text in ("I prefer tabs.", "My desk is 4B.", "I live in Oslo."):
            self.assertEqual(texts.count(text), 1, texts)

    def test_branches_share_what_they_inherited(self) -> None:
        """HA16, D62."""
        self.lost("trunk", "I prefer tabs.")
        self.db.branch("trunk", "branch")
        self.db.turn("branch", "My desk is 4B.")
        self.db._do("UPDATE messages SET timestamp = timestamp - 3600")
        provider = self.start()
        self.assertEqual({entry["seen"] for entry in self.store().values()}, {1})
        self.assertEqual(self.contents(), ["I prefer tabs", "My desk is 4B"])
        refs = [ref for ref, _ in self.logged(provider)]
        self.assertEqual([ref for ref in refs if "branch" in ref], ["msg-branch-0", "msg-branch-1"])

    def test_a_compaction_chain_is_one_conversation(self) -> None:
        """HA14."""
        self.lost("one", "I prefer tabs.", end_reason="compression")
        self.lost("two", "My desk is 4B.", ago=4 * HOUR, parent_session_id="one")
        provider = self.start()
        refs = [ref for ref, _ in self.logged(provider)]
        self.assertEqual([ref for ref in refs if "first" not in ref], [f"msg-one-{n}" for n in range(4)])

    def test_what_is_left_alone(self) -> None:
        """P48: cron, children, what is older than the installation; and what still goes on (D64)."""
        self.lost("cron", "I prefer tabs.", source="cron")
        self.lost("child", "I prefer tabs.", source="subagent", _delegate_from="now")
        self.lost("old", "I prefer tabs.", ago=60 * HOUR)
        self.lost("alive", "I prefer tabs.", ago=60.0)
        provider = self.start()
        self.assertEqual(self.store(), {})
        counts = provider._handle.status()["recovered"]
        self.assertEqual((counts["left_alone"], counts["deferred"]), (3, 1))

    def test_a_session_that_goes_on_is_taken_up_when_it_has_ended(self) -> None:
        self.lost("alive", "I prefer tabs.", ago=60.0)
        provider = self.start()
        self.db._do("UPDATE messages SET timestamp = timestamp - 3600")
        self.again(provider)
        self.assertEqual(self.contents(), ["I prefer tabs"])

    def test_a_killed_process_of_this_machine_is_known_at_once(self) -> None:
        """D64."""
        self.lost("gone", "I prefer tabs.", ago=60.0)
        self.claim("gone", f"{platform.node()}:999999999:1000.00:dead", time.time() - 60)
        self.start()
        self.assertEqual(self.contents(), ["I prefer tabs"])
        self.assertNotIn("gone", liveness.claims(self.outbox.database))

    def test_a_living_process_keeps_its_session(self) -> None:
        """D64: however long it has been silent."""
        self.lost("open", "I prefer tabs.")
        self.claim("open", liveness.owner_name(), time.time() - 9 * HOUR)
        self.start()
        self.assertEqual(self.store(), {})

    def claim(self, session: str, owner: str, since: float, place: dict[str, Any] | None = None) -> None:
        place = place or {"audience": "owner", "project": ""}
        liveness.claim_session(self.outbox.database, session, owner, place, now=since)

    def test_each_person_gets_their_own(self) -> None:
        """B005: the rules of audience.py over what the host has noted; what cannot be attributed is not kept."""
        self.lost("dm", "I prefer tabs.", source="telegram", user_id="111", chat_id="111", chat_type="dm")
        self.lost("room", "My desk is 4B.", source="irc", user_id="ann", chat_id="#ops", chat_type="group")
        self.lost("http", "I live in Oslo.", source="api_server")
        self.lost("tool", "I live in Rome.", source="kanban")
        provider = self.start()
        found = {entry["content"].rstrip("."): entry["audience"] for entry in self.store().values()}
        self.assertEqual(found, {"I prefer tabs": "person/telegram/111", "My desk is 4B": "room/irc/%23ops"})
        self.assertEqual(provider._handle.status()["recovered"]["unattributed"], 2)
        self.assertEqual({m.audience for m in provider._handle.runtime.log.walk()}, {"owner", *found.values()})

    def test_the_place_that_its_own_process_knew_holds(self) -> None:
        """An HTTP client is known by a key that the host does not note."""
        self.lost("http", "I live in Oslo.", source="api_server")
        place = {"audience": "key/api_server/0123456789abcdef", "project": ""}
        self.claim("http", f"{platform.node()}:999999999:1000.00:dead", time.time() - HOUR, place)
        self.start()
        self.assertEqual([entry["audience"] for entry in self.store().values()], [place["audience"]])

    def test_a_host_without_a_readable_database_costs_nothing(self) -> None:
        """P46, HA163: a count in status, never a failure."""
        self.db.path.write_bytes(b"not a database" * 500)
        provider = self.provider("now")
        provider._drain_due()
        self.assertGreaterEqual(provider._handle.status()["recovered"]["deferred"], 1)
        self.assertNotIn("recovery", provider._handle.runtime.failures)

    def test_another_database_than_before_is_read_from_its_beginning(self) -> None:
        self.lost("gone", "I prefer tabs.", "My desk is 4B.")
        self.start().shutdown()
        self.db.path.unlink()
        self.db = HostDb(self.home, self.line)
        self.lost("new", "I live in Oslo.")
        self.start("later")
        self.assertEqual(self.contents(), ["I live in Oslo", "I prefer tabs", "My desk is 4B"])

    def test_the_log_alone_and_the_facts_alone(self) -> None:
        self.lost("gone", "I prefer tabs.")
        provider = self.provider("now", settings={"capture.log": False})
        self.settled(provider)
        self.assertEqual(self.contents(), ["I prefer tabs"])
        self.assertIsNone(provider._handle.runtime.log)

    def test_secrets_stay_where_they_are(self) -> None:
        """Invariant 6."""
        self.lost("gone", "Remember that my key is sk-abcdefghijklmnop1234.")
        provider = self.start()
        provider.shutdown()
        kept = b"".join(data for name, data in self.files().items() if name.startswith("cognition"))
        self.assertNotIn(b"abcdefghijklmnop", kept)

    def test_two_starts_at_once_bring_it_once(self) -> None:
        """Of many sessions one process takes care; should two, the marks hold: who comes second aligns again."""
        from cognition.delivery import recovered

        for n in range(6):
            self.lost(f"gone-{n}", f"My locker number {n} is {n * 7}.")
        database, now = self.outbox.database, time.time()
        self.outbox.seen("any")
        self.assertTrue(liveness.take_lease(database, "recovery", "else:1:-:x", now=now, seconds=120))
        provider = self.start()
        self.assertEqual(len(self.store()), 3)
        liveness.drop_lease(database, "recovery", "else:1:-:x")
        self.again(provider)
        self.assertEqual(len(self.store()), 6)
        self.assertEqual({entry["seen"] for entry in self.store().values()}, {1})
        with self.assertRaises(recovered.Changed):
            recovered.take_in(self.outbox, [], [], root="gone-0", known=0, state="pending")


class RecoveredOnTheNewerHost(Recovered):
    line = 22


class RecoveredByResume(RecoveryCase):
    def test_a_branch_resumed_in_a_new_process_counts_shared_statements_once(self) -> None:
        """D62: its root is found through the host's parents."""
        self.lost("trunk", "I prefer tabs.")
        self.told("I prefer tabs.", session="trunk")
        self.db.branch("trunk", "branch")
        provider = self.provider("branch")
        self.db.turn("branch", "My desk is 4B.")
        transcript = [{"role": role, "content": text} for role, text in self.pairs("I prefer tabs.", "My desk is 4B.")]
        provider.sync_turn("My desk is 4B.", "Noted.", session_id="branch", messages=transcript)
        provider.on_session_end(transcript)
        provider.shutdown()
        self.assertEqual({entry["seen"] for entry in self.store().values()}, {1})

    @staticmethod
    def pairs(*texts: str) -> list[tuple[str, str]]:
        return [pair for text in texts for pair in (("user", text), ("assistant", "Noted."))]


if __name__ == "__main__":
    unittest.main()
