"""A home with a fixed clock, and the command line on it, in this process."""

import io
import json
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from cognition.commands import main, parser
from cognition.merge import Delivery, push_batch
from cognition.outbox import Outbox
from cognition.outboxdb.rows import NewFact
from cognition.stores.entry import entry_fact_key
from cognition.stores.local import LocalStore

NOW = 1_772_445_600.0  # 2026-03-02 10:00 UTC


class Cli:
    """`run(...)` gives the exit code; `out` and `err` hold what was printed last."""

    def __init__(self, home: Path) -> None:
        self.home, self.now = home, NOW
        self.out = self.err = ""
        self.folder = home / "cognition"

    def __call__(self, *arguments: str, terminal: bool = False) -> int:
        args: Namespace = parser.build().parse_args(["--home", str(self.home), *arguments])
        out, err = Stream(terminal), Stream(terminal)
        code = main.run(args, out=out, err=err, clock=lambda: self.now)
        self.out, self.err = out.getvalue(), err.getvalue()
        assert "Traceback" not in self.out + self.err
        return code

    def json(self, *arguments: str, code: int = 0) -> Any:
        assert self(*arguments, "--json") == code, self.out + self.err
        assert not self.err
        return json.loads(self.out)

    def golden(self, *arguments: str) -> str:
        """What is printed, with the paths of this run taken out."""
        code = self(*arguments)
        text = (self.out + self.err).replace(str(self.home), "HOME")
        return f"$ hermes cognition {' '.join(arguments)}\n{text}[{code}]\n"

    # -- what is there before ------------------------------------------------------------------------------------

    def entry(self, ref: str, content: str, **more: Any) -> dict[str, Any]:
        provenance = {
            "source_session": "s1",
            "author": "Ada",
            "created_at": more.pop("at", NOW - 86_400),
            "origin_repo": "default",
            "trace_id": f"trace-{ref}",
        }
        labels = {"audience": "owner", "project": "", "repo": "default", "kind": "fact", "salience": 0.5, "seen": 1}
        return {"ref": ref, "content": content, "provenance": provenance, **labels, **more}

    def commit(self, *entries: dict[str, Any]) -> None:
        store = LocalStore(self.folder / "committed.json", clock=lambda: self.now)
        outcomes = push_batch(store, [Delivery(one["ref"], one) for one in entries], now=self.now, timeout=2.0)
        assert [one.status for one in outcomes] == ["applied"] * len(entries)
        store.close()

    def put(self, *entries: dict[str, Any]) -> None:
        """As they stand, conflict copies and versions included."""
        store = LocalStore(self.folder / "committed.json", clock=lambda: self.now)
        with store.transaction(timeout=2.0) as txn:
            for one in entries:
                txn.put(one)
        store.close()

    def outbox(self, **options: Any) -> Outbox:
        return Outbox(self.folder / "outbox.db", clock=lambda: self.now, **options)

    def enqueue(self, *contents: str, held: bool = False, session: str = "s2") -> list[str]:
        box = self.outbox()
        payloads = [{key: value for key, value in self.entry("", text).items() if key != "ref"} for text in contents]
        facts = [NewFact(session, payload, entry_fact_key(payload)) for payload in payloads]
        refs = box.enqueue(facts, state="held" if held else "pending")
        box.close()
        return refs

    def bytes_of_files(self) -> dict[str, bytes]:
        return {str(p.relative_to(self.home)): p.read_bytes() for p in self.home.rglob("*") if p.is_file()}

    def holders(self, text: str) -> list[str]:
        return [name for name, data in self.bytes_of_files().items() if text.encode() in data]


class Stream(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.fixture(autouse=True)
def _quiet_surroundings(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("memory:\n  provider: cognition\n  cognition:\n    author: Ada\n")
    monkeypatch.setenv("HERMES_HOME", str(home))
    return Cli(home)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Answers at the terminal, in order; without any nobody can be asked."""
    given: list[str] = []
    for module in ("changes", "purge", "waiting"):
        monkeypatch.setattr(f"cognition.commands.{module}.ask", lambda _shown, _q: given.pop(0) if given else "")
    return given
