"""What was forgotten leaves what was made of it, and nothing brings it back."""

from pathlib import Path

import pytest
from cognition.consolidate import forgetting, housekeeping
from cognition.consolidate.triggers import Trigger, consider
from cognition.logdb.forgetting import mentions
from cognition.outboxdb import plans, tasks

from .desks import Home, Script, reply, unit


@pytest.fixture
def home(tmp_path: Path):
    made = Home(tmp_path, Script(), **{"cascade.batch_size": 2})
    yield made
    made.close()


def summarised(home: Home, sid: str, said: str, *answers: str) -> None:
    home.script.answers = list(answers)
    home.say(sid, said, "Noted.")
    assert consider(home.desk, sid, Trigger.BOUNDARY)
    home.work()


def test_mentions() -> None:
    """A text made from a message is compared by its telling words, in any script."""
    assert mentions("- moved to Fra-2, staging host", "The staging host moved to Fra-2")
    assert not mentions("- the kitchen has a grinder", "The staging host moved to Fra-2")
    assert mentions("预发布主机搬到了法兰克福", "预发布主机搬到法兰克福")
    assert not mentions("anything", "")


def test_an_archive_above_goes_too_and_its_members_are_open_again(home: Home) -> None:
    """H29: every tier; the range alone is read again, what is covered by others is not (HD20)."""
    summarised(home, "s1", "The reactor is called Zanzibar. Why?", reply("- the reactor is called Zanzibar"))
    summarised(home, "s2", "The kitchen has a grinder", reply("- grinder"), reply("- reactor called Zanzibar; grinder"))
    (archive,) = [ref for ref in home.refs("summary") if ref.startswith("sum2-")]
    home.log.forget_statement("owner", "The reactor is called Zanzibar")
    found = forgetting.erase(home.desk, home.outbox, "owner", "The reactor is called Zanzibar", ["msg-s1-0"])
    assert sorted(found.refs) == ["sum-s1-0-2", archive]
    assert home.refs("summary") == ["sum-s2-0-2"]
    assert "Zanzibar" not in str(home.graph())
    home.script.answers = [reply("- noted"), reply("- all")]
    before = len(home.script.asked)
    home.work()
    assert [purpose for purpose, _ in home.script.asked[before:]] == ["extraction", "cascade"]
    assert "Zanzibar" not in "".join(text for _, text in home.script.asked[before:])
    assert len(home.refs("summary")) == 3


def test_only_the_hole_is_read_again(home: Home) -> None:
    """HD20, HD19: the watermark stays, later summaries stay."""
    summarised(home, "s1", "The reactor is called Zanzibar. Why?", reply("- Zanzibar is the reactor called so"))
    summarised(home, "s1", "The kitchen has a grinder", reply("- grinder"))
    home.log.forget_statement("owner", "The reactor is called Zanzibar")
    forgetting.erase(home.desk, home.outbox, "owner", "The reactor is called Zanzibar", ["msg-s1-0"])
    home.script.answers = [reply("- only noted")]
    home.work()
    assert home.refs("summary")[:2] == ["sum-s1-0-2", "sum-s1-2-4"]
    assert home.entry("sum-s1-0-2")["content"] == "- only noted"
    with home.outbox.database.reading() as db:
        assert plans.progress(db, "default", "s1").consolidated == 4


def test_who_works_on_it_may_not_commit(home: Home) -> None:
    """HA154: it has read what is no more."""
    home.say("s1", "The reactor is called Zanzibar", "Noted.")
    consider(home.desk, "s1", Trigger.BOUNDARY)
    with home.outbox.database.transaction(wait=1) as tx:
        task = tasks.claim(tx, "default", ("consolidate",), "a:1:1:x", now=home.clock())
    forgetting.erase(home.desk, home.outbox, "owner", "The reactor is called Zanzibar", ["msg-s1-0"])
    with home.outbox.database.transaction(wait=1) as tx:
        assert not tasks.is_held(tx, task)
        assert tasks.counts(tx, "default") == {"pending": 1}


def test_other_audiences_are_not_touched(home: Home) -> None:
    """D45."""
    home.script.answers = [reply("- the reactor is called Zanzibar")]
    home.say("s1", "The reactor is called Zanzibar", "Noted.", audience="person/x/1")
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    forgetting.erase(home.desk, home.outbox, "owner", "The reactor is called Zanzibar", [])
    assert home.refs("summary") == ["sum-s1-0-2"]


def test_a_forgotten_archive_is_not_made_again(home: Home) -> None:
    """HA159, HD26: and costs no call at every run."""
    summarised(home, "s1", "one", reply("- one"))
    summarised(home, "s2", "two", reply("- two"), reply("- both"))
    (archive,) = [ref for ref in home.refs("summary") if ref.startswith("sum2-")]
    home.gone.add(archive)
    with home.store.transaction(timeout=1) as txn:
        txn.remove(archive)
    before = len(home.script.asked)
    summarised(home, "s3", "three", reply("- three"))
    assert [purpose for purpose, _ in home.script.asked[before:]] == ["extraction"]


def test_a_summary_that_is_being_forgotten_is_not_read_again(home: Home) -> None:
    """HA159: what it was made of is looked for while it still stands in the store; nothing is owed or paid for it."""
    summarised(home, "s1", "The reactor is called Zanzibar", reply("- the reactor is called Zanzibar"))
    home.gone.add("sum-s1-0-2")
    found = forgetting.erase(home.desk, home.outbox, "owner", "- the reactor is called Zanzibar", [])
    assert (found.refs, found.again) == (["sum-s1-0-2"], {})
    with home.outbox.database.reading() as db:
        assert tasks.counts(db, "default") == {}


def test_a_users_own_statement_is_not_hidden_by_a_verdict(home: Home) -> None:
    """HI14: the edge is kept, the fact stays; only what a model wrote is retired by a model's word."""
    with home.store.transaction(timeout=1) as txn:
        txn.put({"ref": "cog-x-1", "content": "retry in the client", "kind": "decision", "audience": "owner"})
    verdict = '{"verdict": "supersedes", "target": "cog-x-1"}'
    summarised(home, "s1", "About the retry", reply("- r", unit("Retry in the proxy", "retry in the proxy")), verdict)
    assert "superseded_by" not in home.entry("cog-x-1")
    (name,) = home.refs("work_unit")
    assert ["supersedes", "cog-x-1"] in home.entry(name)["links"]


@pytest.mark.parametrize("comes", ["the same call again", "the sweep of a start"])
def test_what_was_taken_out_before_a_kill_is_read_again(
    home: Home, monkeypatch: pytest.MonkeyPatch, comes: str
) -> None:
    """H29, HA112: the entries are gone and nothing was owed yet; whoever comes next owes it."""
    summarised(home, "s1", "The reactor is called Zanzibar. Why?", reply("- the reactor is called Zanzibar"))
    home.log.forget_statement("owner", "The reactor is called Zanzibar")
    given = (home.desk, home.outbox, "owner", "The reactor is called Zanzibar", ["msg-s1-0"])
    with monkeypatch.context() as killed:
        killed.setattr(forgetting, "_owe", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            forgetting.erase(*given)
    assert home.refs("summary") == []
    if comes == "the same call again":
        assert forgetting.erase(*given).again == {"s1": 0}
    else:
        housekeeping.sweep(home.desk, "me", listed=None)
    home.script.answers = [reply("- noted")]
    home.work()
    assert home.refs("summary") == ["sum-s1-0-2"]
    assert forgetting.erase(*given).again == {}


def test_a_replay_that_was_cut_is_made_whole_by_the_next_one(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """HD20: the summary that reached over the first message has gone, its beginning is read again all the same."""
    summarised(home, "s1", "The kitchen has a grinder", reply("- grinder"))
    with monkeypatch.context() as killed:
        killed.setattr(plans, "reset", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            forgetting.replace_from(home.desk, "s1", 1)
    assert home.refs("summary") == []
    assert forgetting.replace_from(home.desk, "s1", 1) == 0
