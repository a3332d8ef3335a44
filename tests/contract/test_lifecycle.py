"""Sessions, switches, homes, audiences, shutdown (cognition.md 3.8, 3.9; host.md P22-P49; B005, B006, B017)."""

import contextlib
import gc
import inspect
import os
import sqlite3
import stat
import threading
import time
from pathlib import Path
from typing import Any
from unittest import mock

import cognition

from .home import HomeCase


class CD91Lifecycle(HomeCase):
    def test_a_session_end_after_shutdown_is_saved(self) -> None:
        """CD91, B024."""
        provider = self.provider()
        messages = self.say(provider, "I prefer tabs over spaces.")
        provider.shutdown()
        provider.shutdown()
        provider.sync_turn("My desk is 4B.", "ok")
        provider.on_session_end([*messages, {"role": "user", "content": "My desk is 4B."}])
        provider.shutdown()
        self.assertEqual(self.contents(), ["I prefer tabs over spaces", "My desk is 4B"])

    def test_unattended_contexts_read_and_write_nothing(self) -> None:
        """CD92, P36."""
        self.told("My cat is called Miso.")
        contexts: list[dict[str, Any]] = [
            {"agent_context": "subagent"},
            {"agent_context": "cron"},
            {"agent_context": "flush"},
            {"platform": "cron"},
        ]
        for facts in contexts:
            provider = self.provider("s-x", **facts)
            messages = self.say(provider, "I prefer tabs over spaces.")
            provider.on_pre_compress(messages)
            provider.on_session_end(messages)
            self.assertTrue(self.tool(provider, "cognition_status"))
            if facts.get("platform") != "cron":
                self.assertIn("Miso", provider.prefetch("What is my cat called?"))
            provider.shutdown()
        self.assertEqual(self.contents(), ["My cat is called Miso"])

    def test_turns_go_to_the_session_they_were_said_in(self) -> None:
        """B017, CD93."""
        provider = self.provider("s1")
        provider.sync_turn("I prefer tabs over spaces.", "ok", session_id="s1")
        provider.on_session_switch("s2", parent_session_id="s1", reset=True, reason="new_session")
        provider.sync_turn("My desk is 4B.", "ok", session_id="")
        provider.sync_turn("My cat is called Miso.", "ok", session_id="s3")
        provider.on_session_switch("s1", parent_session_id="", reset=False)
        provider.shutdown()
        sessions = {e["content"].rstrip("."): e["provenance"]["source_session"] for e in self.store().values()}
        self.assertEqual(
            sessions,
            {"I prefer tabs over spaces": "s1", "My desk is 4B": "s2", "My cat is called Miso": "s3"},
        )

    def test_what_the_user_took_back_is_not_kept(self) -> None:
        """CD93: rewound."""
        provider = self.provider()
        messages = self.say(provider, "I prefer tabs over spaces.", "My desk is 4B.")
        provider.on_session_switch("s1", parent_session_id="", reset=False, rewound=True)
        provider.on_session_end(messages[:2])
        provider.shutdown()
        self.assertEqual(self.contents(), ["I prefer tabs over spaces"])

    def test_what_was_taken_back_and_never_told_again_is_not_kept(self) -> None:
        """CD93: everything undone, then the end, with the empty transcript or with none."""
        for session, ended in (("s1", True), ("s2", False)):
            provider = self.provider(session)
            self.say(provider, "I have a dog named Rex.")
            provider.on_session_switch(session, parent_session_id="", reset=False, rewound=True)
            if ended:
                provider.on_session_end([])
            provider.shutdown()
        self.assertEqual(self.store(), {})

    def test_a_boundary_settles_the_turns_of_every_session_of_the_object(self) -> None:
        """D61: a turn may carry another session id than the one that ends."""
        provider = self.provider("s1")
        for n in range(20):  # more than one object keeps open
            provider.sync_turn(f"My locker number {n} is {n * 7}.", "ok", session_id=f"other-{n}")
        provider.on_session_end([])
        provider._drain_due()
        self.assertEqual(len(self.store()), 20)

    def test_a_pasted_log_does_not_hold_up_a_boundary_and_both_ends_are_read(self) -> None:
        """B029, D61: a message is read at its head and its tail."""
        log = '2026-03-01T12:00:00Z INFO svc token=abc12345 path=/a/b?x=1 "GET / HTTP/1.1" 200\n' * 25_000
        provider = self.provider()
        started = time.monotonic()
        provider.sync_turn(f"My badge number is 5521.\n\n{log}\n\nI moved to Kyoto.", "ok")
        provider.on_session_end([])
        waited = time.monotonic() - started
        provider.shutdown()
        self.assertEqual(self.contents(), ["I moved to Kyoto", "My badge number is 5521"])
        self.assertLess(waited, 5.0)  # reading all of it takes more than twice as long

    def test_a_clock_or_a_host_that_lies_about_the_time_costs_no_fact(self) -> None:
        """CD31, CD67: a time that no entry can carry is replaced by the present."""
        provider = self.provider()
        rows = [
            {"role": "user", "content": f"My locker number {n} is {n}.", "timestamp": when}
            for n, when in enumerate((-5.0, 0, 1e15, float("nan"), "yesterday", True))
        ]
        provider.on_session_end(rows)
        provider.shutdown()
        times = [entry["provenance"]["created_at"] for entry in self.store().values()]
        self.assertEqual(len(times), 6)
        self.assertTrue(all(abs(at - time.time()) < 3600 for at in times), times)

    def test_a_hanging_git_is_not_waited_for(self) -> None:
        """P24: the author is asked on the worker; a boundary that comes first waits 0.3 s."""
        hanging = self.home / "bin" / "git"
        hanging.parent.mkdir()
        hanging.write_text("#!/bin/sh\nexec sleep 60\n")
        hanging.chmod(0o755)
        with mock.patch.dict(os.environ, {"PATH": f"{hanging.parent}:{os.environ['PATH']}"}):
            provider = self.provider(settings={"author": ""})
            started = time.monotonic()
            provider.on_session_end(self.say(provider, "My desk is 4B."))
            self.assertLess(time.monotonic() - started, 1.9)  # git itself is given 2 s
            provider.shutdown()
        self.assertEqual(self.contents(), ["My desk is 4B"])

    def test_a_session_without_id_gets_a_distinct_one(self) -> None:
        """CD33."""
        for _ in range(2):
            provider = self.provider("")
            self.say(provider, f"My badge number is {_}.")
            provider.shutdown()
        sessions = {entry["provenance"]["source_session"] for entry in self.store().values()}
        self.assertEqual(len(sessions), 2)
        self.assertNotIn("session", sessions)

    def test_unknown_keywords_are_ignored_by_every_hook(self) -> None:
        """B008, P22."""
        provider = self.provider()
        provider.on_turn_start(1, "x", future=1)
        provider.sync_turn("My desk is 4B.", "ok", future=1)
        provider.prefetch("q", session_id="s", future=1)
        provider.queue_prefetch("q", session_id="s", future=1)
        provider.on_session_end([], future=1)
        provider.on_pre_compress([], future=1)
        provider.on_memory_write("add", "memory", "x", metadata={}, future=1)
        provider.on_delegation("t", None, child_session_id="c", future=1)
        provider.on_session_switch("s1", parent_session_id="", reset=False, future=1)
        provider.handle_tool_call("cognition_status", {}, future=1)
        self.assertEqual(self.tool(provider, "cognition_status")["health"], ["ok"])

    def test_the_host_sees_the_signatures_it_inspects(self) -> None:
        """P26."""
        provider = cognition.CognitionMemoryProvider()
        self.assertIn("messages", inspect.signature(provider.sync_turn).parameters)
        self.assertIn("session_id", inspect.signature(provider.prefetch).parameters)

    def test_a_failing_initialize_is_remembered_and_said(self) -> None:
        """P23: every hook answers with nothing, the tools with the reason; the session before gets none of it."""
        provider = self.provider("s1")
        with (
            mock.patch.object(type(provider._handle), "__init__", side_effect=RuntimeError("no memory left")),
            self.assertLogs("cognition", "WARNING"),
        ):
            provider.initialize("s2", hermes_home=str(self.home), platform="cli")
        provider.sync_turn("My desk is 4B.", "ok")
        provider.on_session_end([{"role": "user", "content": "My desk is 4B."}])
        self.assertEqual(provider.prefetch("Where is my desk?"), "")
        self.assertIn("no memory left", self.tool(provider, "cognition_status")["error"])
        self.assertIn("no memory left", self.tool(provider, "memoria_search", query="x")["hint"])
        provider.shutdown()
        self.assertEqual(self.store(), {})

    def test_a_home_that_cannot_hold_files_costs_no_exception(self) -> None:
        """CR10, B060: a file stands where the folder should be."""
        blocked = self.home / "file"
        blocked.write_text("not a folder")
        provider = self.provider("s1", hermes_home=str(blocked))
        provider.sync_turn("My desk is 4B.", "ok")
        provider.on_session_end([])
        self.assertEqual(provider.prefetch("desk"), "")
        self.assertNotEqual(self.tool(provider, "cognition_status")["health"], ["ok"])

    def test_an_ill_outbox_costs_neither_recall_nor_status(self) -> None:
        """CR10, CD44, CD90."""
        self.told("My cat is called Miso.")
        outbox = self.home / "cognition" / "outbox.db"
        outbox.unlink()
        outbox.mkdir()
        provider = self.provider("s1")
        self.assertIn("Miso", provider.prefetch("What is my cat called?"))
        status = self.tool(provider, "cognition_status")
        self.assertIsNone(status["pending_unpushed"])
        self.assertEqual(status["committed"], 1)
        self.assertTrue(any("outbox" in line for line in status["health"]), status["health"])

    def test_another_processs_lock_is_not_waited_for(self) -> None:
        """P24, D58: with the outbox locked, hooks go on; what was said is durable in a spill file."""
        self.told("My cat is called Miso.")
        provider = self.provider("s1")
        provider.prefetch("warm up")
        with contextlib.closing(sqlite3.connect(self.home / "cognition" / "outbox.db")) as other:
            other.execute("BEGIN EXCLUSIVE")
            started = time.monotonic()
            self.assertIn("Miso", provider.prefetch("What is my cat called?"))
            provider.on_session_end(self.say(provider, "My desk is 4B."))
            waited = time.monotonic() - started
            self.assertTrue(list((self.home / "cognition" / "spill").iterdir()))
            other.rollback()
        self.assertLess(waited, 4.0)  # without the limit: 2 s for each of several looks
        provider.shutdown()
        self.assertEqual(self.contents(), ["My cat is called Miso", "My desk is 4B"])

    def test_a_locked_log_does_not_keep_the_entries_back(self) -> None:
        """H25, D58: a search of the log waits for half of its time, then the entries are told all the same."""
        self.told("My cat is called Miso.")
        provider = self.provider("s1")
        with contextlib.closing(sqlite3.connect(self.home / "cognition" / "chatlog.db")) as other:
            other.execute("BEGIN EXCLUSIVE")
            self.assertIn("Miso", provider.prefetch("What is my cat called?"))
            other.rollback()

    def test_a_hook_that_fails_is_counted_and_shown(self) -> None:
        """P51."""
        provider = self.provider()

        def broken(*_args: Any, **_kw: Any) -> str:
            raise RuntimeError("broken on purpose")

        provider._handle.recall = broken
        with self.assertLogs("cognition.runtime", "WARNING") as logs:
            for _ in range(3):
                self.assertEqual(provider.prefetch("q"), "")
        self.assertEqual(len(logs.output), 1)
        [line] = self.tool(provider, "cognition_status")["health"]
        self.assertIn("prefetch: 3 time(s)", line)


class B006Homes(HomeCase):
    def test_two_homes_in_one_process_never_mix_and_nothing_else_is_touched(self) -> None:
        """B006, P44, D47."""
        other = self.home / "other"
        ambient = self.home / "ambient"
        for folder in (other, ambient):
            folder.mkdir()
        before = os.environ.get("HERMES_HOME")
        os.environ["HERMES_HOME"] = str(ambient)
        try:
            a = self.provider("s1", hermes_home=str(self.home / "a"))
            b = self.provider("s1", hermes_home=str(other))
            a.on_session_end(self.say(a, "My boat is called alpha."))
            b.on_session_end(self.say(b, "My boat is called beta."))
            a._drain_due()
            b._drain_due()
            for provider, own, foreign in ((a, "alpha", "beta"), (b, "beta", "alpha")):
                text = provider.prefetch("What is my boat called?")
                self.assertIn(own, text)
                self.assertNotIn(foreign, text)
        finally:
            os.environ.pop("HERMES_HOME")
            if before is not None:
                os.environ["HERMES_HOME"] = before
        self.assertEqual([p.name for p in ambient.rglob("*")], [])
        roots = {path.split("/")[1 if path.startswith(("a/", "other/")) else 0] for path in self.files()}
        self.assertEqual(roots, {"cognition"})

    def test_files_are_private_and_usable_whatever_the_umask(self) -> None:
        """CD98, B060, contract 2.3."""
        for umask in (0, 0o777):
            home = self.home / oct(umask)
            home.mkdir()
            before = os.umask(umask)
            try:
                self.told("My desk is 4B.", hermes_home=str(home))
            finally:
                os.umask(before)
            folder = home / "cognition"
            self.assertTrue((folder / "committed.json").exists())
            self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
            for path in folder.rglob("*"):
                expected = 0o700 if path.is_dir() else 0o600
                self.assertEqual(stat.S_IMODE(path.stat().st_mode), expected, path)


class B005Audiences(HomeCase):
    def test_two_users_of_a_gateway_never_see_each_others_memory(self) -> None:
        """B005, CD99."""
        ann = self.provider("sA", platform="telegram", user_id="111", user_name="Ann")
        ann.on_session_end(self.say(ann, "My salary is 4242."))
        ann._drain_due()
        bob = self.provider("sB", platform="telegram", user_id="222")
        owner = self.provider("sC")
        for stranger in (bob, owner):
            self.assertEqual(stranger.prefetch("What is the salary?"), "")
            self.assertEqual(self.tool(stranger, "cognition_search", query="4242")["count"], 0)
            self.assertEqual(self.tool(stranger, "cognition_dream")["committed"], 0)
        self.assertIn("4242", ann.prefetch("What is my salary?"))
        [found] = self.store().values()
        self.assertEqual(found["provenance"]["speaker"], {"id": "111", "name": "Ann"})

    def test_a_shared_session_keeps_to_whoever_speaks(self) -> None:
        """B005, P38."""
        shared = self.provider("sS", platform="telegram", user_id="111")
        shared.on_turn_start(1, "I am allergic to nuts.", author_id="111")
        shared.sync_turn("I am allergic to nuts.", "ok", turn_author={"id": "111"})
        shared.on_session_end([])
        shared._drain_due()
        shared.on_turn_start(2, "what am I allergic to?", author_id="222")
        self.assertEqual(shared.prefetch("what am I allergic to?"), "")
        self.assertEqual(self.tool(shared, "cognition_search", query="allergic nuts")["count"], 0)
        self.assertEqual(self.tool(shared, "cognition_dream")["committed"], 0)
        shared.on_turn_start(3, "what am I allergic to?", author_id="111")
        self.assertIn("nuts", shared.prefetch("what am I allergic to?"))
        shared.sync_turn("My salary is 4242.", "ok", turn_author={"id": "222"})
        shared.on_session_end([{"role": "user", "content": "My salary is 4242."}])
        shared.shutdown()
        self.assertEqual(self.contents(), ["I am allergic to nuts"])

    def test_what_nobody_can_be_named_for_is_neither_kept_nor_shown(self) -> None:
        """D44."""
        self.told("My cat is called Miso.")
        nobody = self.provider("sN", platform="api_server")
        nobody.on_session_end(self.say(nobody, "My desk is 4B."))
        self.assertEqual(nobody.prefetch("What is my cat called?"), "")
        self.assertIn("does not say who", self.tool(nobody, "cognition_search", query="cat")["result"])
        nobody.shutdown()
        self.assertEqual(self.contents(), ["My cat is called Miso"])

    def test_two_people_of_a_room_who_say_the_same_say_two_things(self) -> None:
        """B005: never another person's fact."""
        room = self.provider("sR", platform="slack", chat_id="C1", chat_type="group")
        for number, name in (("111", "Ann"), ("222", "Bob")):
            room.sync_turn("I am allergic to nuts.", "ok", turn_author={"id": number, "name": name})
        room.on_session_end([])
        room.shutdown()
        said = sorted((e["provenance"]["speaker"]["name"], e["seen"]) for e in self.store().values())
        self.assertEqual(said, [("Ann", 1), ("Bob", 1)])

    def test_a_strangers_interrupted_turn_is_not_taken_from_the_transcript(self) -> None:
        """B005: such a turn comes through no sync, only through the transcript."""
        chat = self.provider("sT", platform="telegram", user_id="111", chat_type="dm", chat_id="111")
        chat.on_turn_start(1, "I live in Rome.", author_id="222")
        chat.on_session_end([{"role": "user", "content": "I live in Rome."}])
        chat.shutdown()
        self.assertEqual(self.store(), {})

    def test_a_bots_turn_is_not_kept(self) -> None:
        """M13."""
        room = self.provider("sR", platform="irc", user_id="ann", chat_id="#r", chat_type="group")
        room.sync_turn("My desk is 4B.", "ok", turn_author={"id": "botty", "is_bot": True})
        room.on_session_end([{"role": "user", "content": "My desk is 4B."}])
        room.shutdown()
        self.assertEqual(self.store(), {})


def _target(number: str) -> str:
    try:
        return str(Path(f"/proc/self/fd/{number}").readlink())
    except OSError:
        return ""


class B025Resources(HomeCase):
    def test_dropped_providers_leave_no_threads_or_files_and_lose_nothing(self) -> None:
        """B025, P43."""

        def use(n: int) -> None:
            provider = cognition.CognitionMemoryProvider({"author": "Ada"})
            provider.initialize(f"s{n}", hermes_home=str(self.home), platform="cli")
            provider.prefetch("What is my badge number?")
            if n == 5:
                provider.sync_turn("My badge number is 5521.", "ok")

        def count() -> tuple[int, int]:
            gc.collect()
            # Workers of other tests' homes may still open what belongs there.
            files = [path for path in map(_target, os.listdir("/proc/self/fd")) if elsewhere not in path or own in path]
            return threading.active_count(), len(files)

        own, elsewhere = str(self.home), f"{self.home.parent}{os.sep}{self.home.name[:10]}"
        for n in range(20):
            use(n)
        before = count()
        for n in range(20, 120):
            use(n)
        after = count()
        self.assertLessEqual(after[0], before[0])
        self.assertLessEqual(after[1], before[1] + 2)
        last = self.provider("s-last")
        last.shutdown()
        self.provider("s-end").shutdown()
        self.assertEqual(self.contents(), ["My badge number is 5521"])

    def test_a_finalizer_in_the_middle_of_anything_takes_no_lock(self) -> None:
        """P42, P43: cyclic providers over many homes, collected at every opportunity, never block."""
        thresholds = gc.get_threshold()
        gc.set_threshold(1)
        done = threading.Event()

        def work() -> None:
            for n in range(12):
                provider: Any = cognition.CognitionMemoryProvider({"author": "Ada"})
                provider.cycle = provider
                provider.initialize("s", hermes_home=str(self.home / f"h{n % 4}"), platform="cli")
                provider.sync_turn("My desk is 4B.", "ok")
            done.set()

        try:
            threading.Thread(target=work, daemon=True).start()
            self.assertTrue(done.wait(60), "a finalizer waits for a lock of its own thread")
        finally:
            gc.set_threshold(*thresholds)

    def test_what_a_dropped_provider_heard_is_settled_by_the_worker(self) -> None:
        """P43: evicted chats get no session end."""
        provider: Any = cognition.CognitionMemoryProvider({"author": "Ada"})
        provider.initialize("s", hermes_home=str(self.home), platform="cli")
        provider.sync_turn("My desk is 4B.", "ok")
        runtime = provider._handle.runtime
        del provider
        gc.collect()
        runtime.drain()
        self.assertEqual(self.contents(), ["My desk is 4B"])


class B007Secrets(HomeCase):
    def test_no_secret_reaches_any_file(self) -> None:
        """CD97, B007: raw bytes of every file of the home are searched."""
        secrets = [
            "ghp_" + "a" * 36,
            "AKIA" + "Q7" * 8,
            "hunter2hunter2",
            "eyJhbGciOi" + "c" * 60,
            "sk-" + "proj" + "9" * 30,
        ]
        provider = self.provider()
        messages = self.say(
            provider,
            f"Remember: the deploy key is {secrets[0]} and the AWS id is {secrets[1]}.",
            f"Our database url is postgres://svc:{secrets[2]}@db/x.",
            f"Remember that the header is Authorization: Bearer {secrets[3]}",
            f"Remember that my API key is {secrets[4]}",
            f"my default password is {secrets[2]}, try logging in",
        )
        provider.on_session_end(messages)
        everything = b"".join(self.files().values())
        provider.shutdown()
        everything += b"".join(self.files().values())
        for secret in secrets:
            self.assertNotIn(secret.encode(), everything)
        self.assertTrue(any("[REDACTED" in text for text in self.contents()), self.contents())
        self.assertFalse(any("default password" in text for text in self.contents()))


class CD81Delta(HomeCase):
    def test_an_entry_is_given_once_until_the_context_is_compacted(self) -> None:
        """CD81, P32."""
        self.told("My cat is called Miso.")
        provider = self.provider("s1")
        self.assertIn("Miso", provider.prefetch("What is my cat called?"))
        self.assertEqual(provider.prefetch("What is my cat called?"), "")
        provider.on_session_switch("s1", parent_session_id="s1", reset=False, reason="compression")
        self.assertIn("Miso", provider.prefetch("What is my cat called?"))

    def test_the_indicator_counts_what_was_injected(self) -> None:
        """P33."""
        self.told("My cat is called Miso.")
        provider = self.provider("s1")
        provider.prefetch("What is my cat called?")
        self.assertEqual(provider._handle.last_count, 1)
        provider.prefetch("thanks")
        self.assertEqual(provider._handle.last_count, 0)
        self.assertIsNone(provider.recall_status())
