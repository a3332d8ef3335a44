"""What people see of a home on Memoria, word for word: golden_memoria.txt.

COGNITION_UPDATE_GOLDEN=1 writes it anew.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from cognition.commands import checks, checks_host

from .conftest import NOW
from .test_far_reading import app, configure, far, put, stored  # noqa: F401  # fixtures among them

GOLDEN = Path(__file__).with_name("golden_memoria.txt")
SESSION = """
status
identity
list
search greenhouse
conflicts
show cog-1
FILL
list
search greenhouse thermometer
show REF
conflicts
resolve REF
resolve REF --keep copy
pin REF
list --pinned
unpin REF
doctor
OLD
doctor
BLOCKED
list
search greenhouse
conflicts
show cog-s9-9
pin cog-s9-9
doctor
DOWN
list
search greenhouse
show REF
doctor
NOKEY
list
doctor
status
store The pond has carp.
""".strip().splitlines()


@pytest.fixture(autouse=True)
def _one_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the SQLite build nor the packages of this environment may show."""
    for module in ("cognition.outboxdb.database", "cognition.recall.database", "cognition.commands.checks"):
        monkeypatch.setattr(f"{module}.wal_is_safe", lambda: False)
    monkeypatch.setattr(checks.sqlite3, "sqlite_version", "3.40.1")
    monkeypatch.setattr(checks_host, "EXTRAS", {})


def test_every_answer_of_a_home_on_memoria_is_word_for_word_as_written_down(
    far: Any,  # noqa: F811
    app: Any,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """MI14, M58, D37: golden outputs; ids, ports and paths of this run are taken out.  No text is an error body."""
    url = far.url
    said, ref = [], ""

    def clean(text: str) -> str:
        text = text.replace(str(far.home), "HOME").replace(url, "https://memoria.example").replace(sys.executable, "PY")
        text = text.replace("http://127.0.0.1:9", "https://memoria.example")
        text = re.sub(r"cog-tool-[0-9a-f-]{36}", "cog-tool-00000000-0000-7000-8000-000000000000", text)
        text = re.sub(r"hermes:[0-9a-f]{32}", "hermes:" + "0" * 32, text)
        text = re.sub(r"\b[0-9a-f]{32}\b", "0" * 32, text)
        return re.sub(r"this clock is .* the server's", "this clock is N days behind the server's", text)

    for line in SESSION:
        if line == "FILL":
            far.commit(far.entry("cog-s1-1", "The greenhouse is locked on Sundays.", at=NOW - 3600))
            ref = stored(far, "The greenhouse has a brass thermometer.", project="garden")
            copy = far.entry(f"{ref}-conflict-7", "The greenhouse has a steel thermometer.", at=NOW - 60)
            put(far, {**copy, "conflict_with": ref, "project": "garden"})
        elif line == "OLD":
            app.memoria.release = "2026-08"
            configure(far, memoria={"upload": "turns", "branch": "mian"})
        elif line == "BLOCKED":
            configure(far)
            monkeypatch.setenv("MEMORIA_API_KEY", f"sk-{'0' * 32}")  # one that never worked
        elif line == "DOWN":
            far.url = "http://127.0.0.1:9"
            configure(far)
        elif line == "NOKEY":
            monkeypatch.delenv("MEMORIA_API_KEY")
        else:
            said.append(clean(far.golden(*line.replace("REF", ref).split())))
    found = "\n".join(said)
    assert far.key not in found
    if os.environ.get("COGNITION_UPDATE_GOLDEN"):
        GOLDEN.write_text(found, encoding="utf-8")
    assert found == GOLDEN.read_text(encoding="utf-8")
