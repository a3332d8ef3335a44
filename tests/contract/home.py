"""A scratch home with providers on it, for the contract tests."""

import json
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

from cognition import CognitionMemoryProvider


class HomeCase(unittest.TestCase):
    """Each test gets an empty home; providers made by `provider()` are shut down at its end."""

    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="cognition-home-"))
        self._made: list[CognitionMemoryProvider] = []

    def tearDown(self) -> None:
        for provider in self._made:
            provider.shutdown()
        shutil.rmtree(self.home, ignore_errors=True)

    def provider(self, session: str = "s1", settings: dict[str, Any] | None = None, **init: Any) -> Any:
        made = CognitionMemoryProvider({"author": "Ada", **(settings or {})})
        self._made.append(made)
        facts = {"hermes_home": str(self.home), "platform": "cli", "agent_context": "primary", **init}
        made.initialize(session, **facts)
        return made

    def say(self, provider: Any, *texts: str, session: str = "") -> list[dict[str, Any]]:
        """Turns of a user, synced one by one; returns the transcript."""
        messages: list[dict[str, Any]] = []
        for text in texts:
            messages += [{"role": "user", "content": text}, {"role": "assistant", "content": "Noted."}]
            provider.sync_turn(text, "Noted.", session_id=session, messages=list(messages))
        return messages

    def told(self, *texts: str, session: str = "s0", **init: Any) -> None:
        """A whole earlier session: said, ended, committed."""
        provider = self.provider(session, **init)
        provider.on_session_end(self.say(provider, *texts))
        provider.shutdown()

    def store(self) -> dict[str, Any]:
        path = self.home / "cognition" / "committed.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def contents(self) -> list[str]:
        return sorted(entry["content"].rstrip(".") for entry in self.store().values())

    def tool(self, provider: Any, name: str, **arguments: Any) -> Any:
        return json.loads(provider.handle_tool_call(name, arguments))

    def files(self) -> dict[str, bytes]:
        """Every file below the home, with its bytes."""
        return {str(p.relative_to(self.home)): p.read_bytes() for p in self.home.rglob("*") if p.is_file()}
