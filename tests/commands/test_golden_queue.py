"""`queue` over a home whose rows go to Memoria, word for word: tests/commands/golden_queue.txt (MI14, M55, D106).

Pending, held, failed and uncertain turns, rows of another key, facts and explicit writes for both destinations; nobody
listens at the origin.  COGNITION_UPDATE_GOLDEN=1 writes it anew.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from cognition.memoria import identity
from cognition.outboxdb.rows import NewFact
from cognition.outboxdb.turns import NewTurn, Turns
from cognition.stores.entry import entry_fact_key

from .conftest import NOW, Cli
from .test_memoria import queued

GOLDEN = Path(__file__).with_name("golden_queue.txt")
NOBODY = "http://127.0.0.1:9"
SCREENS = """
status
queue
queue list --json
queue list --state uncertain
queue list --state held
queue list --state failed
queue list --state done
queue show PENDING
queue show HELD
queue show FAILED
queue show UNCERTAIN
queue show FOREIGN
queue show UNCERTAIN --json
queue show DONE
queue retry UNCERTAIN
queue retry DONE
queue retry FAILED
queue retry --all-safe
queue approve HELD
queue approve DONE
queue approve --all
queue requeue UNCERTAIN
queue discard UNCERTAIN
queue discard UNCERTAIN
queue discard --older-than 30d
queue purge
queue purge --yes
queue list
""".strip().splitlines()


@pytest.fixture
def far(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("MEMORIA_API_KEY", "sk-" + "a" * 32)
    cli.folder.mkdir(exist_ok=True)
    given = {"backend": "memoria", "api_url": NOBODY, "memoria": {"upload": "turns", "request_timeout": 0.5}}
    (cli.folder / "config.json").write_text(json.dumps(given))
    cli.folder.chmod(0o700)
    (cli.folder / "config.json").chmod(0o600)
    cli.url, cli.key = NOBODY, "sk-" + "a" * 32  # type: ignore[attr-defined]
    return cli


def fill(cli: Any) -> dict[str, str]:
    """One row of each kind; name -> fingerprint."""
    names = {}
    for name in ("held", "uncertain", "failed", "done", "not_sent"):  # each is claimed, if at all, before the next
        [names[name.upper()]] = queued(cli, name, text=f"The {name} one.")
        cli.now += 60
    [names["PENDING"]] = queued(cli, "pending", text="The pending one.")
    cli.now += 60
    [names["FOREIGN"]] = queued(cli, "pending", text="The one of another key.", binding="f" * 64)
    cli.now += 60
    own = identity.binding_of(identity.resolve(cli.home), cli.url, cli.key, "main")
    box = cli.outbox()
    for text, binding, held in (
        ("The wiki moved.", "", False),
        ("Releases are cut on Fridays.", own, False),
        ("Backups run at night.", own, True),
        ("Said with another key.", "f" * 64, False),
    ):
        payload = {key: value for key, value in cli.entry("", text).items() if key != "ref"}
        fact = NewFact("s2", payload, entry_fact_key(payload), binding=binding)
        box.enqueue([fact], state="held" if held else "pending")
    spilled = Turns(box.database, clock=lambda: cli.now)
    spilled._spill(NewTurn("e" * 64, own, {"messages": [{"role": "user", "content": "Spilled."}]}, "s1", ""), "pending")
    box.close()
    cli.now = NOW + 3600
    return names


def named(text: str, names: dict[str, str]) -> str:
    """What differs from run to run taken out."""
    for name, fingerprint in names.items():
        text = text.replace(fingerprint, f"{name}-FINGERPRINT").replace(fingerprint[:12], f"{name:12}"[:12])
    text = re.sub(r"\b[0-9a-f]{64}\b", "BINDING", text)
    text = re.sub(r"\b[0-9a-f]{12} \(in use\)", "BINDING      (in use)", text)
    text = re.sub(r"again in \d+ \w+", "again in A-WHILE", text)  # delays have up to 10 % of chance in them
    return re.sub(r"hermes:[0-9a-f]{32}", "SUBJECT", text)


def test_every_screen_of_the_queue_is_word_for_word_as_written_down(far: Cli) -> None:
    """M55: a text stands in `show` alone."""
    names = fill(far)
    said = []
    for line in SCREENS:
        given = [names.get(word, word) for word in line.split()]
        given = [word[:12] if word in names.values() else word for word in given]
        said.append(named(far.golden(*given), names))
        if "show" not in line:
            assert " one." not in said[-1], line
    found = "\n".join(said)
    if os.environ.get("COGNITION_UPDATE_GOLDEN"):
        GOLDEN.write_text(found, encoding="utf-8")
    assert found == GOLDEN.read_text(encoding="utf-8")
