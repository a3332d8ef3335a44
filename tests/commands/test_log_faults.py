"""`doctor` on a log that is none, or not whole: one line that says what was kept and what to do (H36, HA202, CR10)."""

import json
import sqlite3
from contextlib import closing

import pytest
from chatlog.logs import place, turn
from cognition.chatlog import ChatLog
from cognition.logdb.schema import MIGRATIONS
from cognition.outboxdb.ordinals import STEP, Ceiling

from .conftest import NOW, Cli


def changed(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def talk(cli: Cli, text: str = "Good morning") -> None:
    box = cli.outbox()
    clock = lambda: cli.now  # noqa: E731  # as the runtime makes it
    log = ChatLog(cli.folder / "chatlog.db", clock=clock, ceiling=Ceiling(box.database, clock))
    log.append(place("s1"), turn(text, "Hello", NOW - 60))
    log.close()
    box.close()


@pytest.fixture
def talked(cli: Cli) -> Cli:
    cli.commit(cli.entry("cog-s1-1", "My cat is called Minka."))
    talk(cli)
    return cli


def of_the_log(cli: Cli) -> dict[str, str]:
    """The one finding about the log's file; nothing of ours is changed by asking."""
    before = ours(cli)
    assert cli("doctor", "--json") in (0, 1)
    told = json.loads(cli.out)
    (found,) = [one for one in told["findings"] if one["name"] == "log"]
    assert ours(cli) == before
    assert told["wrong"] or found["state"] != "wrong"
    return dict(found)


def ours(cli: Cli) -> dict[str, bytes]:
    return {name: data for name, data in cli.bytes_of_files().items() if name.startswith("cognition")}


def test_a_sound_log_is_called_sound(talked: Cli) -> None:
    assert of_the_log(talked)["state"] == "well"
    assert "chatlog.db is sound" in of_the_log(talked)["said"]


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (("DROP TABLE mapping",), "it lacks the table mapping"),
        (("ALTER TABLE messages RENAME COLUMN text TO words",), "its table messages lacks text"),
        (("PRAGMA user_version = 0",), "its version is 0"),
        (("PRAGMA user_version = -3",), "its version is -3"),
    ],
)
def test_another_schema_is_said_and_mended_by_the_command_that_is_named(talked: Cli, harm, says) -> None:
    path = talked.folder / "chatlog.db"
    changed(path, *harm)
    found = of_the_log(talked)
    assert found["state"] == "wrong"
    assert found["said"].startswith("chatlog.db is not a log of this plugin")
    assert says in found["said"]
    assert "sets its bytes aside and saves" in found["said"]
    assert found["mend"] == "hermes cognition search anything"
    before = path.read_bytes()
    assert talked(*found["mend"].split()[2:]) == 0
    assert [file.read_bytes() for file in talked.folder.glob("chatlog.db.corrupt-*")] == [before]
    assert "chatlog.db is sound" in of_the_log(talked)["said"]


def test_a_database_of_something_else_is_not_called_sound(talked: Cli) -> None:
    path = talked.folder / "chatlog.db"
    path.unlink()
    changed(path, "CREATE TABLE recipes (name TEXT)")
    assert "it has the table recipes" in of_the_log(talked)["said"]


def test_a_log_of_a_newer_version_is_named_and_kept(talked: Cli) -> None:
    """What only a newer version knows is neither judged nor touched."""
    changed(talked.folder / "chatlog.db", f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    found = of_the_log(talked)
    assert found["state"] == "wrong"
    assert "written by a newer version of this plugin and is left as it is" in found["said"]
    assert found["mend"] == "hermes plugins update cognition"
    before = (talked.folder / "chatlog.db").read_bytes()
    talked("search", "anything")
    assert (talked.folder / "chatlog.db").read_bytes() == before


def test_a_folder_in_its_place_is_named(talked: Cli) -> None:
    path = talked.folder / "chatlog.db"
    path.unlink()
    path.mkdir()
    found = of_the_log(talked)
    assert "chatlog.db is a folder and no file; nothing in it was touched" in found["said"]
    assert found["mend"] == f"mv {path} {path}.aside"


def test_a_log_cut_to_nothing_is_a_loss_and_no_empty_log(talked: Cli) -> None:
    """CR10: damaged is not the same as empty; what was told keeps its meaning (H6)."""
    path = talked.folder / "chatlog.db"
    path.write_bytes(b"")
    found = of_the_log(talked)
    assert found["state"] == "wrong"
    assert "chatlog.db is empty, and messages had been logged" in found["said"]
    assert f"count on from {STEP}" in found["said"]
    assert found["mend"] == "hermes cognition import FILE"
    talk(talked)
    found = of_the_log(talked)
    assert "chatlog.db is sound" in found["said"]
    assert f"begun anew 2026-03-02, names count from {STEP}" in found["said"]


def test_a_log_that_is_gone_is_a_note(talked: Cli) -> None:
    """Somebody may have wanted that; "no conversation has been logged" would be untrue."""
    (talked.folder / "chatlog.db").unlink()
    found = of_the_log(talked)
    assert found["state"] == "note"
    assert "chatlog.db is not there, and messages had been logged" in found["said"]


def test_an_empty_log_where_nothing_was_logged_is_no_fault(cli: Cli) -> None:
    """A kill between making the file and making its tables."""
    cli.commit(cli.entry("cog-s1-1", "My cat is called Minka."))
    (cli.folder / "chatlog.db").touch(0o600)
    assert of_the_log(cli)["state"] == "well"
    talk(cli)
    assert "chatlog.db is sound" in of_the_log(cli)["said"]


def test_an_outbox_of_another_schema_is_said_as_well(talked: Cli) -> None:
    changed(talked.folder / "outbox.db", "DROP TABLE push_queue")
    talked("doctor")
    assert "outbox.db is not of this plugin (it lacks the table push_queue)" in " ".join(talked.out.split())
