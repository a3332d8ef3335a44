"""What people see, word for word: tests/commands/golden.txt.  COGNITION_UPDATE_GOLDEN=1 writes it anew."""

import os
import re
import sys
from pathlib import Path

import pytest
from cognition.commands import checks, checks_host
from cognition.outboxdb.limits import EVICTED
from cognition.outboxdb.rows import bury

from .conftest import NOW, Cli

GOLDEN = Path(__file__).with_name("golden.txt")

SESSION = """
status
doctor
list
show cog-s1-1
bench
store I live in Bergen, password: hunter22secret
FILL
status
doctor
list
list --audience all --pinned
list --kind preference
search staging port
search nothing like that
show cog-s1-1
show cog-s1-7
show cog-s2-1
dream
dream --repo atlas
bench --limit 4
bench --limit 4 --seed 2 --show
pin cog-s1-2
unpin cog-s1-2
conflicts
resolve cog-s1-1
resolve cog-s1-1 --keep copy
conflicts
resolve cog-s1-1 --keep copy
forget cog-s1-2 --cascade
forget cog-s1-2
show cog-s1-2
evict cog-s1-4 --reason outdated
evict cog-s1-4
queue
queue show cog-s2-1
queue list --state failed
queue retry
queue retry --all-safe
queue approve --all
queue discard cog-s2-1
queue discard --older-than 30d
tombstones
tombstones requeue cog-s3-4
tombstones
fold
export --out HOME/out.json
export --out HOME/out.json
import HOME/out.json
import HOME/missing.json
purge
purge cog-s1-2
purge cog-s1-2 --yes
show cog-s1-2
key
key sk-live-123
status
""".strip().splitlines()


def _fill(cli: Cli) -> None:
    cli.commit(
        cli.entry("cog-s1-1", "I prefer tabs over spaces.", kind="preference", seen=3),
        cli.entry("cog-s1-2", "The staging proxy listens on port 7443.", project="atlas", at=NOW - 3 * 86_400),
        cli.entry("cog-s1-4", "Releases are cut on Fridays.", kind="decision", pinned=True),
        cli.entry("sum-s1-9", "Atlas runs behind a proxy.", kind="summary", derived_from=["cog-s1-2"]),
        cli.entry("cog-s9-1", "Mia lives in Oslo.", audience="person/telegram/7"),
    )
    copy = cli.entry("cog-s1-1-conflict-1772445000", "I prefer two spaces.", kind="preference")
    cli.put({**copy, "conflict_with": "cog-s1-1", "provenance": {**copy["provenance"], "author": "Bo"}})
    cli.enqueue("The API speaks gRPC.")
    cli.enqueue("Backups run at night.", held=True)
    box = cli.outbox()
    cli.enqueue("The wiki moved.")
    row = box.claim(limit=1, owner="test")[0]
    box.retry(row, error="the store is read-only", kind="not_sent", due_at=NOW + 300, aged=False)
    box.close()
    _drop(cli, "The office is in Oslo.")
    (cli.folder / "committed.json.corrupt-20260101T000000Z").write_text("{", encoding="utf-8")
    (cli.folder / "committed.json.corrupt-20260101T000000Z").chmod(0o600)


def _drop(cli: Cli, text: str) -> None:
    """Enqueue one row and turn it into a tombstone, as the bound would."""
    [ref] = cli.enqueue(text, session="s3")
    box = cli.outbox()
    with box.database.transaction(wait=2.0) as tx:
        [(seq,)] = tx.execute("SELECT seq FROM push_queue WHERE ref = ?", (ref,)).fetchall()
        bury(tx, seq, EVICTED, NOW)
    box.close()


@pytest.fixture(autouse=True)
def _one_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the SQLite build nor the packages of this environment may show."""
    for module in ("cognition.outboxdb.database", "cognition.recall.database", "cognition.commands.checks"):
        monkeypatch.setattr(f"{module}.wal_is_safe", lambda: False)
    monkeypatch.setattr(checks.sqlite3, "sqlite_version", "3.40.1")
    monkeypatch.setattr(checks_host, "EXTRAS", {"paths": ("platformdirs>=4", "no_such_package_here", "finds a shelf")})


def test_every_answer_is_word_for_word_as_written_down(cli: Cli) -> None:
    """MI14: golden outputs of every command; a fixed clock, and paths and random refs taken out."""
    said = []
    for line in SESSION:
        if line == "FILL":
            _fill(cli)
            continue
        text = cli.golden(*line.replace("HOME", str(cli.home)).split())
        text = text.replace(str(cli.home), "HOME").replace(sys.executable, "PYTHON")
        text = re.sub(r"\b[\d.]+ (ms|tokens on average)", r"N \1", text)  # bench
        said.append(re.sub(r"cog-tool-[0-9a-f-]{36}", "cog-tool-00000000-0000-7000-8000-000000000000", text))
    found = "\n".join(said)
    if os.environ.get("COGNITION_UPDATE_GOLDEN"):
        GOLDEN.write_text(found, encoding="utf-8")
    assert found == GOLDEN.read_text(encoding="utf-8")
