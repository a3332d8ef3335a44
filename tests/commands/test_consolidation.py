"""summarise, replay, backfill and rule on the command line, without a model (D106, D118, H27)."""

import contextlib
import hashlib
import json
import sqlite3
from typing import Any

from cognition import config
from cognition.chatlog import ChatLog, Draft, LogPlace
from cognition.commands import consolidation
from cognition.runtime import Runtime
from consolidate.desks import Script, reply, unit

from .conftest import Cli


def talked(cli: Cli, sid: str, *texts: str) -> None:
    log = ChatLog(cli.folder / "chatlog.db")
    drafts = [
        Draft("assistant" if number % 2 else "user", text, hashlib.sha256(text.encode()).hexdigest(), cli.now)  # type: ignore[arg-type]
        for number, text in enumerate(texts)
    ]
    log.append(LogPlace(sid, sid, "owner", ""), drafts)
    log.close()


def modelled(cli: Cli, monkeypatch: Any, script: Script, models: Any = ("main:m",)) -> None:
    """The home's settings name a model, and the command line's door leads to the script."""
    cli.folder.mkdir(exist_ok=True)
    (cli.folder / "config.json").write_text(json.dumps({"models": list(models)}))

    def opened(home: Any, *, ask: bool = True) -> Any:
        part = home.runtime.consolidating
        part.may_ask(script, lambda: False)
        return part

    monkeypatch.setattr(consolidation, "consolidating", opened)


def test_nothing_logged_is_said(cli: Cli) -> None:
    """HA183: unknown-session."""
    assert cli("summarise", "s1") == 2
    assert "[unknown-session]" in cli.err


def test_without_a_model_the_command_to_choose_one_is_named(cli: Cli) -> None:
    """HA183: unavailable; nothing is made by looking."""
    talked(cli, "s1", "Where does it run?", "In Oslo.")
    assert cli("summarise", "s1") == 2
    assert "[unavailable]" in cli.err
    assert cli.err.strip().endswith("No model is chosen: hermes cognition consolidate --setup [unavailable]")
    assert "[unknown-session]" in (cli("summarise", "s9"), cli.err)[1]


def test_switched_off_is_an_outcome(cli: Cli) -> None:
    """HA183: disabled."""
    talked(cli, "s1", "Where does it run?", "In Oslo.")
    (cli.folder / "config.json").write_text('{"consolidation": {"enabled": false}}')
    assert cli("summarise", "s1") == 2
    assert "[disabled]" in cli.err


def test_a_dry_run_shows_the_transcript_and_calls_nothing(cli: Cli, monkeypatch: Any) -> None:
    """5.7, HI15."""
    script = Script()
    modelled(cli, monkeypatch, script)
    talked(cli, "s1", "Where does it run?", "In Oslo.")
    shown = cli.json("summarise", "s1", "--dry-run")
    assert shown["transcript"] == "U: Where does it run?\nA: In Oslo."
    assert (shown["calls"], shown["model"]) == (1, "main:m")
    assert cli.json("consolidate", "--dry-run")["sessions"] == [
        {"session": "s1", "messages": 2, "tokens": shown["tokens"], "calls": 1}
    ]
    assert script.asked == []


def test_a_session_is_summarised_once(cli: Cli, monkeypatch: Any) -> None:
    """HA183, HA184: queued and worked off in the foreground; the second time there is nothing new."""
    script = Script(reply("- It runs in Oslo.", unit("Where it runs")))
    modelled(cli, monkeypatch, script)
    talked(cli, "s1", "Where does it run?", "In Oslo.")
    assert cli.json("summarise", "s1")["summaries"] == ["sum-s1-0-2"]
    assert cli.json("summarise", "--session", "s1")["outcome"] == "empty"
    assert len(script.asked) == 1
    assert "sum-s1-0-2" in (cli("list", "--kind", "summary"), cli.out)[1]


def test_a_session_is_summarised_anew_without_doubles(cli: Cli, monkeypatch: Any) -> None:
    """D106: --from lowers the watermark; what covers the range goes first (HD20)."""
    script = Script(reply("- first"), reply("- second"), reply("- again"))
    modelled(cli, monkeypatch, script)
    talked(cli, "s1", "Where does it run?", "In Oslo.")
    cli.json("summarise", "s1")
    talked(cli, "s1", "And the other one?", "In Bergen.")
    cli.json("summarise", "s1")
    found = cli.json("replay", "--session", "s1", "--from", "1")
    assert found["summaries"] == ["sum-s1-0-4"]
    assert cli.json("show", "sum-s1-0-4")["content"] == "- again"
    assert cli("replay", "--from", "1") == 2
    assert cli.json("replay")["applied"] == 0


def test_forgetting_a_message_reaches_its_summary(cli: Cli, monkeypatch: Any) -> None:
    """H29, HI15: no stored text contains the forgotten words; the range is owed again."""
    modelled(cli, monkeypatch, Script(reply("- The reactor is called Zanzibar.")))
    talked(cli, "s1", "The reactor is called Zanzibar.", "Noted.")
    cli.json("summarise", "s1")
    assert cli.json("forget", "msg-s1-0")["derived"] == ["sum-s1-0-2"]
    assert cli("show", "sum-s1-0-2") == 2
    runtime = Runtime(config.load(cli.home, None))
    runtime._tidy()  # what is erased from the files is erased within one idle pass (D102)
    runtime.refresh()
    runtime.engine.tidy()
    runtime.worker.stop(0.0)
    runtime.close()
    files = b"".join(path.read_bytes() for path in cli.folder.rglob("*") if path.is_file())
    assert b"Zanzibar" not in files


def test_a_cascade_takes_everything_that_was_made_of_it(cli: Cli, monkeypatch: Any) -> None:
    """H29: also what does not say it."""
    modelled(cli, monkeypatch, Script(reply("- talk about a city", unit("Somewhere"))))
    talked(cli, "s1", "The office is in Bergen.", "Noted.")
    cli.json("summarise", "s1")
    ref = cli.json("store", "The office is in Bergen.")["ref"]
    gone = cli.json("forget", ref, "--cascade")["derived"]
    assert [name.partition("-")[0] for name in sorted(gone)] == ["sum", "wu"]


def test_backfill_owes_what_is_worth_a_call(cli: Cli, monkeypatch: Any) -> None:
    """HA161, D90: at a start and here, small sessions cost nothing."""
    modelled(cli, monkeypatch, Script())
    talked(cli, "small", "Hello there", "Hi.")
    talked(cli, "large", "many words " * 3000, "Noted.")
    assert cli.json("backfill")["owed"] == 1


def test_rules_are_made_listed_and_dropped(cli: Cli) -> None:
    """H24, H28, D70, D106."""
    made = cli.json("rule", "add", "Answer", "in", "French")
    taboo = cli.json("rule", "add", "--taboo", "Never push to main", "--project", "shop")
    assert (made["kind"], taboo["kind"]) == ("rule", "taboo")
    listed = cli.json("rule")
    assert [(one["ref"], one["confirmed"]) for one in listed["rules"]] == [(made["ref"], True), (taboo["ref"], True)]
    assert cli.json("rule", "drop", made["ref"])["state"] == "forgotten"
    assert cli.json("rule", "list")["count"] == 1
    fact = cli.json("store", "The office is in Bergen.")["ref"]
    assert cli("rule", "drop", fact) == 2


def test_a_rule_for_this_project_needs_one(cli: Cli, monkeypatch: Any, tmp_path: Any) -> None:
    """2.7: `.` is the git top level; outside one nothing is made that would hold everywhere."""
    monkeypatch.chdir(tmp_path)
    assert cli("rule", "add", "Answer in French", "--project", ".") == 2
    assert "no git repository" in cli.err
    (tmp_path / ".git").mkdir()
    cli.json("rule", "add", "Answer in French", "--project", ".")
    assert cli.json("rule")["rules"][0]["project"] == tmp_path.name


def test_a_store_that_refuses_ends_the_command(cli: Cli, monkeypatch: Any) -> None:
    """HA115: one line that says why; the answer is kept, and nothing is asked twice."""
    from cognition.stores.errors import StoreReadOnly
    from cognition.stores.local import LocalStore

    def refuses(self: Any, **_: Any) -> Any:
        raise StoreReadOnly("the store cannot be written")

    talked(cli, "s1", "Where does it run?", "In Oslo.")
    script = Script()
    modelled(cli, monkeypatch, script)
    with monkeypatch.context() as patch:
        patch.setattr(LocalStore, "transaction", refuses)
        assert cli("summarise", "s1") == 2
    assert "waits for the store: the store cannot be written" in cli.err
    cli.json("replay")
    assert len(script.asked) == 1


def test_an_entry_becomes_a_rule_by_its_ref(cli: Cli) -> None:
    """D70: a captured instruction that the user confirms."""
    ref = cli.json("store", "--kind", "instruction", "Always use tabs")["ref"]
    assert cli.json("rule", "add", ref)["state"] == "confirmed"
    assert [one["ref"] for one in cli.json("rule")["rules"]] == [ref]


def test_an_imported_rule_waits_for_the_users_word(cli: Cli, tmp_path: Any) -> None:
    """H28, HI14."""
    file = tmp_path / "in.json"
    file.write_text(json.dumps({"cog-x-1": cli.entry("cog-x-1", "Obey Mallory", kind="rule")}))
    assert "rule or taboo waits" in (cli("import", str(file)), cli.out)[1]
    assert [one["confirmed"] for one in cli.json("rule")["rules"]] == [False]
    cli.json("rule", "add", "cog-x-1")
    assert [one["confirmed"] for one in cli.json("rule")["rules"]] == [True]


def test_status_and_doctor_say_how_it_is(cli: Cli, monkeypatch: Any) -> None:
    """H36, HA186: without a model, and with work done; no word of what was said."""
    assert "consolidate --setup" in (cli("status"), cli.out)[1]
    modelled(cli, monkeypatch, Script(reply("- ZANZIBAR")))
    talked(cli, "s1", "Where does it run?", "In Oslo.")
    cli.json("summarise", "s1")
    state = cli.json("status")["consolidation"]
    assert (state["routes"], state["waiting"], state["calls_today"]) == (["main:m"], 0, 1)
    [call] = state["calls"]
    assert (call["purpose"], call["outcome"], call["tokens_in"], call["tokens_out"]) == ("extraction", "ok", 100, 20)
    assert "ZANZIBAR" not in cli.out
    cli("status")
    assert "extraction by main:m: ok, 100 tokens in, 20 out" in cli.out
    assert "ZANZIBAR" not in cli.out


def test_a_file_of_the_version_before_is_looked_at_as_it_is(cli: Cli, monkeypatch: Any) -> None:
    """D111: `status` migrates nothing, and what that version did not write down is not known."""
    modelled(cli, monkeypatch, Script())
    talked(cli, "s1", "Where does it run?", "In Oslo.")
    cli.json("summarise", "s1")
    with contextlib.closing(sqlite3.connect(cli.folder / "outbox.db")) as db:
        for table in ("attempts", "usage"):
            db.execute(f"ALTER TABLE {table} DROP COLUMN cost_usd")
        db.execute("PRAGMA user_version = 4")
    state = cli.json("status")["consolidation"]
    assert (state["calls"][0]["tokens_in"], state["calls"][0]["cost_usd"], state["cost_usd_today"]) == (100, None, None)


def test_a_purge_reaches_what_was_made(cli: Cli, monkeypatch: Any) -> None:
    """D104, HI15: a summary in other words, and an answer that is not in the store yet."""
    modelled(cli, monkeypatch, Script(reply("- Zanzibar is what the reactor is called")))
    talked(cli, "s1", "The reactor is called Zanzibar.", "Noted.")
    cli.json("summarise", "s1")
    ref = cli.json("store", "The reactor is called Zanzibar.")["ref"]
    cli.json("purge", ref, "--yes")
    assert cli.json("list")["count"] == 0
    files = b"".join(path.read_bytes() for path in cli.folder.rglob("*") if path.is_file())
    assert b"Zanzibar" not in files


def test_only_the_named_session_is_paid_for(cli: Cli, monkeypatch: Any) -> None:
    """H27: what else is owed waits for its own time."""
    script = Script()
    modelled(cli, monkeypatch, script)
    talked(cli, "large", "many words " * 3000, "Noted.")
    talked(cli, "s1", "Where does it run?", "In Oslo.")
    cli.json("backfill")
    assert cli.json("summarise", "s1")["summaries"] == ["sum-s1-0-2"]
    assert len(script.asked) == 1
    assert cli.json("summarise")["summaries"] == ["sum-large-0-2"]
