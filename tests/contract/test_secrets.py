"""No secret of the corpus reaches a file of the home, whatever path it came in by (HA50, HA51, H8, B007)."""

import io
import json
import logging
import time
from typing import Any

from cognition.outbox import Outbox
from consolidate.desks import Script
from secret_corpus import SECRETS

from tests.capture.hostdb import HostDb

from .home import HomeCase

PER_TURN = 6  # rows of the corpus in one message
# A shorter value stands in any file by chance.
TRACED = sorted({secret for _, _, secret in SECRETS if len(secret) >= 7})


def turns() -> list[str]:
    rows = [text for _, text, _ in SECRETS]
    # A block without an end hides everything behind it: each stands last in its turn.
    rows.sort(key=lambda text: "BEGIN" in text)
    plain = [text for text in rows if "BEGIN" not in text]
    starts = range(0, len(plain), PER_TURN)
    packed = ["\n\n".join(f"Remember: {text}" for text in plain[at : at + PER_TURN]) for at in starts]
    return packed + [f"My deploy note: {text}" for text in rows if "BEGIN" in text]


class Leaks(HomeCase):
    def setUp(self) -> None:
        super().setUp()
        self.logged = io.StringIO()
        self._listener = logging.StreamHandler(self.logged)
        self._listener.setLevel(logging.DEBUG)
        logging.getLogger().addHandler(self._listener)
        self.addCleanup(logging.getLogger().removeHandler, self._listener)

    def assert_clean(self, *answers: Any) -> None:
        places = {name: data for name, data in self.files().items() if not name.startswith("state.db")}
        places["log lines"] = self.logged.getvalue().encode()
        places["answers"] = "\n".join(map(str, answers)).encode()
        for name, data in places.items():
            self.assertEqual([secret for secret in TRACED if secret.encode() in data], [], name)

    def test_whole_corpus_said_in_turns(self) -> None:
        provider = self.provider("s-corpus")
        said = turns()
        messages: list[dict[str, Any]] = []
        for text in said:
            reply = f"You said: {text}"
            messages += [{"role": "user", "content": text}, {"role": "assistant", "content": reply}]
            provider.sync_turn(text, reply, session_id="s-corpus", messages=messages[-2:])
        answers = [provider.prefetch("what is my deploy password and token?")]
        provider.on_pre_compress(list(messages))
        provider.on_session_end(list(messages))
        provider.shutdown()
        recorded = any(b"REDACTED" in data for data in self.files().values())
        self.assertTrue(recorded, "the turns were recorded at all")
        again = self.provider("s-later")
        answers += [again.prefetch("what is my deploy password and token?"), again.system_prompt_block()]
        again.shutdown()
        self.assert_clean(*answers)

    def test_stored_by_tools_and_mirrored(self) -> None:
        provider = self.provider("s-tools")
        answers = []
        for number, (_, text, _) in enumerate(SECRETS[::9]):
            note = {"content": f"Note {number}: {text}", "kind": "fact"}
            answers.append(provider.handle_tool_call("memoria_store", note))
            provider.on_memory_write("add", "memory", text)
            provider.on_memory_write("replace", "user", text, metadata={"old_text": text})
            provider.on_delegation(task=text, result=text)
        provider.handle_tool_call(f"no such tool {SECRETS[0][1]}", {"ref": SECRETS[1][1]})
        provider.shutdown()
        self.assert_clean(*answers)

    def test_beside_the_words(self) -> None:
        """HA50, HA41, H11: names, ids, arguments, outputs and errors of tools; titles; people, projects, chats."""
        keys = [secret for name, _, secret in SECRETS if name.startswith(("github", "openai", "slack bot", "google/"))]
        keys = sorted({key for key in keys if len(key) >= 20})[:12]
        self.assertGreaterEqual(len(keys), 4)
        db = HostDb(self.home, 22)
        db._do("ALTER TABLE sessions ADD COLUMN title TEXT")
        answers = []
        for number, key in enumerate(keys):
            facts = {"platform": "irc", "chat_id": f"#ops-{key}", "chat_type": "group", "git_repo_root": f"/srv/{key}"}
            session = f"s{number}-{key}"
            db.session(session, started=time.time(), title=f"Rotate {key} soon")
            provider = self.provider(
                session, {"consolidation": {"models": ["main:m"]}}, **(facts if number % 2 else {})
            )
            provider._handle.runtime.consolidating.may_ask(Script(), lambda: False)
            call = {"id": key, "function": {"name": f"terminal {key}", "arguments": json.dumps({"token": key})}}
            told = [
                {"role": "user", "content": "deploy it", "message_uid": f"u-{key}"},
                {"role": "assistant", "content": "", "tool_calls": [call], "reasoning": key},
                {"role": "tool", "tool_call_id": key, "content": json.dumps({"error": f"refused: {key}", "out": key})},
                {"role": "tool", "tool_call_id": f"stray-{key}", "content": json.dumps({"error": {"name": key}})},
                {"role": "assistant", "content": f"It refused {key}.", "message_uid": key},
            ]
            provider.on_turn_start(1, "deploy it", author_id=f"ann-{key}", author_name=key)
            provider.sync_turn("deploy it", f"It refused {key}.", messages=told)
            provider.on_memory_write("remove", "memory", key, metadata={"old_text": key})
            provider.on_delegation(f"use {key}", f"used {key}", child_session_id=f"c-{key}")
            provider.on_pre_compress(told)
            for tool, said in (
                ("cognition_search", {"query": key, "session": key}),
                ("cognition_search", {"ref": f"cog-{key}-1"}),
                ("memoria_update", {"memory_id": f"cog-{key}-1", "content": key}),
                ("memoria_forget", {"memory_id": key}),
                ("memoria_store", {"content": f"My key is {key}", "kind": "rule", "tags": [key], key: key}),
                ("cognition_status", {}),
            ):
                answers.append(provider.handle_tool_call(tool, said))
            provider.on_session_switch(f"b-{key}", parent_session_id=session, reset=False, reason="branch")
            provider.on_session_end(told)
            provider.shutdown()
        kinds = [entry["kind"] for entry in self.store().values()]
        self.assertEqual((kinds.count("session"), kinds.count("delegation")), (len(keys), len(keys)))
        self.assert_clean(*answers)

    def test_of_sessions_that_are_recovered(self) -> None:
        """HA50, H13: the host's transcript holds them, nothing of ours does."""
        db, now = HostDb(self.home, 19), time.time()
        self.told("Let us begin.", session="first")
        with Outbox(self.home / "cognition" / "outbox.db").database.transaction(wait=5) as tx:
            tx.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('installed_at', ?)", (repr(now - 9e5),))
        db.session("gone", started=now - 9000, cwd=str(self.home))
        for text in turns()[::4]:
            db.turn("gone", text, f"You said: {text}")
        provider = self.provider("now")
        end = time.monotonic() + 30
        while not provider._handle.status()["recovered"].get("messages") and time.monotonic() < end:
            time.sleep(0.02)
        self.assertGreater(provider._handle.status()["recovered"]["messages"], 50)
        provider.shutdown()
        self.assert_clean()
