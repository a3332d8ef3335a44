"""Messages of the conversation log on the command line: shown, forgotten, purged, written out, taken in."""

import json

import pytest
from chatlog.logs import draft, place, turn
from cognition.chatlog import Call, ChatLog
from cognition.commands.messages import from_data
from hypothesis import given
from hypothesis import strategies as st

from .conftest import NOW, Cli


@pytest.fixture
def talked(cli: Cli) -> Cli:
    cli.commit(cli.entry("cog-s1-1", "My cat is called Minka."))
    log = ChatLog(cli.folder / "chatlog.db", clock=lambda: cli.now)
    log.append(
        place("s1"), turn("Good morning. My cat is called Minka. What now?", "Your cat is called Minka!", NOW - 60)
    )
    calls = (Call("read_file", ok=True, seconds=1.2, count=5),)
    log.append(place("s1"), [draft("user", "go"), draft("assistant", "quetzal", calls=calls)])
    log.close()
    return cli


def test_a_message_is_shown_in_the_layout_of_the_log(talked: Cli) -> None:
    """2.4, Decision 4: a ref that recall names can be looked at."""
    assert talked("show", "msg-s1-3") == 0
    assert "## Role\nassistant" in talked.out
    assert "1. `read_file` ×5 — ✅ 1.2s total" in talked.out
    shown = talked.json("show", "msg-s1-0..2")
    assert [one["ref"] for one in shown["messages"]] == ["msg-s1-0", "msg-s1-1", "msg-s1-2"]
    assert talked("show", "msg-s1-99") == 2
    assert talked("show", "msg-nonsense") == 2


def test_forgetting_a_message_leaves_its_text_in_no_file(talked: Cli) -> None:
    """H29, D102."""
    assert talked.json("forget", "msg-s1-3")["messages"] == 1
    assert talked.holders("quetzal") == []
    assert talked.json("show", "msg-s1-3")["state"] == "forgotten"
    assert talked("forget", "msg-s1-3") == 0
    assert talked("forget", "msg-s1-99") == 2


def test_forgetting_an_entry_takes_its_sentence_out_of_the_log(talked: Cli) -> None:
    """Issue 5.5: forget reaches the log, the assistant's repetition included."""
    assert talked("forget", "cog-s1-1") == 0
    texts = [one["text"] for one in talked.json("show", "msg-s1-0..1")["messages"]]
    assert texts == ["Good morning. [forgotten] What now?"]
    assert not any("chatlog" in name for name in talked.holders("Minka"))


def test_purge_reaches_the_log(talked: Cli) -> None:
    """D104."""
    answer = talked.json("purge", "--text", "minka", "--yes")
    assert set(answer["messages"]) == {"msg-s1-0", "msg-s1-1"}
    assert answer["left_in"] == []
    assert talked.holders("Minka") == []
    assert talked.json("purge", "msg-s1-3", "--yes")["messages"] == ["msg-s1-3"]
    assert talked.holders("quetzal") == []


def test_export_and_import_carry_the_log_when_asked(talked: Cli, tmp_path) -> None:
    """H6: messages keep their names; D105: what comes in is redacted."""
    assert "messages" not in talked.json("export")
    path = tmp_path / "out.json"
    talked("export", "--messages", "--out", str(path))
    document = json.loads(path.read_text())
    assert [one["ref"] for one in document["messages"]] == [f"msg-s1-{n}" for n in range(4)]
    document["messages"][2]["text"] = "my password=hunter2hunter2"
    document["messages"] += [{"role": "user"}, 7, {"n": "x"}]
    path.write_text(json.dumps(document))
    (talked.folder / "chatlog.db").unlink()
    assert talked.json("import", str(path), "--dry-run")["messages"] == 7
    assert talked.json("import", str(path))["messages"] == 4
    assert talked.json("import", str(path))["messages"] == 0
    shown = talked.json("show", "msg-s1-0..3")["messages"]
    assert shown[3]["calls"] == [{"name": "read_file", "ok": True, "seconds": 1.2, "error": "", "count": 5}]
    assert "hunter2" not in shown[2]["text"]


def test_doctor_looks_at_the_log(talked: Cli) -> None:
    """D111: damage, journal mode."""
    assert talked("doctor") in (0, 1)
    assert "chatlog.db is sound" in talked.out
    path = talked.folder / "chatlog.db"
    path.write_bytes(b"no database" * 1000)
    assert talked("doctor") == 1
    assert "chatlog.db is damaged" in talked.out
    assert talked("show", "msg-s1-0") == 2
    assert list(talked.folder.glob("chatlog.db.corrupt-*"))


@given(st.recursive(st.none() | st.text() | st.integers(), lambda inner: st.dictionaries(st.text(), inner)))
def test_odd_values_are_no_messages(value) -> None:
    assert from_data(value) is None
    assert from_data({"role": "user", "text": value, "fingerprint": "", "sent_at": value}) is None
