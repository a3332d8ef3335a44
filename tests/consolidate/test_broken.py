"""What broke consolidation when somebody tried: texts that cost minutes, words of another scope, a late plan."""

import json
import threading
import time
from pathlib import Path

import pytest
from cognition.budget import gate_tokens
from cognition.chatlog import LogPlace
from cognition.consolidate import nodes, reply, transcript
from cognition.consolidate.forgetting import drop_all_unfinished, erase
from cognition.consolidate.model import Paused
from cognition.consolidate.triggers import Trigger, consider
from cognition.delivery.forgotten import is_gone
from cognition.outboxdb import plans
from cognition.outboxdb.limits import KEEP_USAGE_DAYS
from hypothesis import given
from hypothesis import strategies as st

from .desks import Home, Script, unit, verdict
from .desks import reply as answer

LONG = "We moved the retry into the client because the proxy dropped idempotency keys. " * 8
# The long texts are read in no time, or, where the work grows with their square, in hours: no clock is looked at.


@pytest.mark.parametrize(
    "text",
    ["<" + " " * 900_000 + "x", "< " * 500_000 + "/", "<" + "\t" * 500_000 + "/" + " " * 500_000 + "transcripts"],
    ids=["spaces", "signs", "around the stroke"],
)
def test_a_message_of_spaces_does_not_stop_the_process(text: str) -> None:
    """HA90: one search holds the interpreter: the host's own threads would stand still with it."""
    assert transcript.harmless(text) == text


@pytest.mark.parametrize(
    "tag", ["</transcript>", "< / Transcript", "<\n/\ttranscript ", "<transcript", "<  TRANSCRIPT>"]
)
def test_every_form_of_the_tag_is_taken_out(tag: str) -> None:
    """HA90."""
    assert transcript.harmless(f"a {tag} b") == f"a ‹{tag[1:]} b"


def test_a_fence_full_of_spaces_does_not_stop_the_process() -> None:
    """HA103: models are known to run on in blanks."""
    text = "```json\n" + " " * 110_000 + "x"
    for _ in range(100):
        with pytest.raises(reply.Unusable):
            reply.extraction(text, 3)


@pytest.mark.parametrize(
    "text",
    ['```json\n{"summary": "- a"}\n```', '  ```\n{"summary": "- a"}```  ', '```JSON \n\n{"summary": "- a"}\n   ```'],
)
def test_one_fence_is_taken_off(text: str) -> None:
    """HA103."""
    assert reply.extraction(text, 3).summary == "- a"


@pytest.mark.parametrize(
    "text", ["我们。" * 100_000, "。" * 300_000, "a\n" * 300_000], ids=["Chinese", "stops", "lines"]
)
def test_a_long_message_in_short_sentences_is_cut_in_no_time(text: str) -> None:
    """HA85, 4.2: every sentence used to have the whole piece counted anew."""
    assert "".join("".join(transcript.split(text, 15_000)).split()) == "".join(text.split())


@given(st.text(alphabet="a字。.!? \n👍ก", max_size=300), st.integers(1, 40))
def test_no_piece_is_over_its_budget_and_no_word_is_lost(text: str, budget: int) -> None:
    """H18, HA32: whatever the script."""
    pieces = transcript.split(text, budget)
    assert all(gate_tokens(piece) <= max(1, budget) for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("one", "other"),
    [(("owner", "p1"), ("owner", "p2")), (("room/irc/a", ""), ("person/irc/b", ""))],
    ids=["another project", "another audience"],
)
def test_a_subagents_finding_stays_in_its_own_scope(
    tmp_path: Path, one: tuple[str, str], other: tuple[str, str]
) -> None:
    """H15, HD12: a conversation that goes on in another project does not take what was found for the first one."""
    home = Home(tmp_path, Script())
    home.say("s1", "Hello there", LONG, audience=one[0], project=one[1])
    nodes.delegation(home.desk, LogPlace("s1", "s1", *one), "child", "Find Zanzibar", "It is an island", home.clock.now)
    home.clock.now += 1
    home.say("s1", "Hello again", LONG, audience=other[0], project=other[1])
    home.say("s1", "Back again", LONG, audience=one[0], project=one[1])
    assert consider(home.desk, "s1", Trigger.BOUNDARY)
    home.work()
    told = ["Zanzibar" in text for _, text in home.script.asked]
    assert told == [False, False, True]  # it ended after the first answer: it stands before the next one of its scope
    home.close()


NAME = "The code name is Zanzibar."


def taken_out(home: Home) -> None:
    home.log.forget_statement("owner", NAME)
    erase(home.desk, home.outbox, "owner", NAME, ["msg-s1-0"])


@pytest.mark.parametrize("forget", [taken_out, lambda home: drop_all_unfinished(home.desk)], ids=["erase", "drop all"])
def test_a_plan_that_was_taken_back_does_not_reach_the_store(tmp_path: Path, forget) -> None:
    """H29, D104: read before it was forgotten, held up by the store's lock, applied after it was forgotten."""
    home = Home(tmp_path, Script(by=lambda _, text: answer(f"- {NAME if 'Zanzibar' in text else 'nothing of note'}")))
    other = Home(tmp_path, Script(), home.clock)
    home.say("s1", f"{NAME} Where do we deploy?", "Noted.")
    assert consider(home.desk, "s1", Trigger.BOUNDARY)
    held, go_on, read = threading.Event(), threading.Event(), threading.Event()

    def hold() -> None:
        with other.store.transaction(timeout=5.0):
            held.set()
            assert go_on.wait(30)

    locker = threading.Thread(target=hold)
    locker.start()
    assert held.wait(10)
    real = home.store.transaction

    def entering(**how):
        read.set()  # the plan has been read, the store's lock is asked for
        return real(timeout=30.0)

    home.store.transaction = entering  # type: ignore[method-assign]
    worker = threading.Thread(target=home.lane.step)
    worker.start()
    assert read.wait(10)
    late = Home(tmp_path, Script(), home.clock)
    forgetter = threading.Thread(target=forget, args=(late,))
    forgetter.start()
    end = time.monotonic() + 20
    while time.monotonic() < end:
        with other.outbox.database.reading() as db:
            if not plans.committed(db, "default"):
                break
        time.sleep(0.01)
    go_on.set()
    for thread in (locker, worker, forgetter):
        thread.join(30)
    assert home.refs("summary") == []
    home.store.transaction = real  # type: ignore[method-assign]
    if forget is taken_out:
        home.work()
        assert [home.entry(ref)["content"] for ref in home.refs("summary")] == ["- nothing of note"]
    for one in (home, other, late):
        one.close()


def test_forgetting_waits_for_a_plan_that_is_on_its_way_into_the_store(tmp_path: Path) -> None:
    """H29: what is being applied when it is forgotten is found there and taken out."""
    home = Home(tmp_path, Script(by=lambda _, text: answer(f"- {NAME if 'Zanzibar' in text else 'nothing of note'}")))
    late = Home(tmp_path, Script(), home.clock)
    home.say("s1", f"{NAME} Where do we deploy?", "Noted.")
    assert consider(home.desk, "s1", Trigger.BOUNDARY)
    looked, go_on = threading.Event(), threading.Event()
    forgotten = home.desk.forgotten

    def slow(ref: str) -> bool:
        looked.set()
        assert go_on.wait(30)
        return forgotten(ref)

    home.desk.forgotten = slow
    worker = threading.Thread(target=home.lane.step)
    worker.start()
    assert looked.wait(10)
    forgetter = threading.Thread(target=taken_out, args=(late,))
    forgetter.start()
    end = time.monotonic() + 20
    while time.monotonic() < end:
        with home.outbox.database.reading() as db:
            if not plans.committed(db, "default"):
                break
        time.sleep(0.01)
    go_on.set()
    for thread in (worker, forgetter):
        thread.join(30)
    home.desk.forgotten = forgotten
    home.work()
    assert [home.entry(ref)["content"] for ref in home.refs("summary")] == ["- nothing of note"]
    for one in (home, late):
        one.close()


def test_an_archive_that_is_begun_while_a_summary_goes_does_not_keep_it(tmp_path: Path) -> None:
    """H29: another process archives the summary after it was found and before it is taken out."""
    home = Home(tmp_path, Script(by=lambda _, text: made_of(text)), **{"cascade.batch_size": 2})
    home.say("s1", f"{NAME} Where do we deploy?", "Noted.")
    home.say("s2", "Where do we deploy?", "In Oslo.")
    for sid in ("s1", "s2"):
        assert consider(home.desk, sid, Trigger.BOUNDARY)
    while home.lane.step(kinds=("consolidate",)):
        pass
    late = Home(tmp_path, Script(), home.clock)
    real = late.store.transaction

    def entering(**how):
        late.store.transaction = real  # type: ignore[method-assign]
        while home.lane.step(kinds=("cascade",)):
            pass
        return real(**how)

    late.store.transaction = entering  # type: ignore[method-assign]
    taken_out(late)
    assert [purpose for purpose, _ in home.script.asked].count("cascade") == 1
    home.work()
    assert [ref for ref in home.refs() if "Zanzibar" in home.entry(ref)["content"]] == []
    assert [ref[:5] for ref in home.refs("summary")] == ["sum-s", "sum-s", "sum2-"]
    for one in (home, late):
        one.close()


def made_of(text: str) -> str:
    return answer(f"- {NAME if 'Zanzibar' in text else 'nothing of note'}", title="Work")


@pytest.mark.parametrize("said", ["refines", "contradicts", "supersedes"])
def test_no_entry_names_a_lesson_that_was_forgotten(tmp_path: Path, said: str) -> None:
    """H29: a lesson's ref is made of its title; what it had replaced stands again, no conflict is left."""

    def by(purpose: str, text: str) -> str:
        if purpose == "adjudication":
            return verdict(said, next(ref for ref in home.refs("work_unit")))
        title, content = ("Code Zanzibar", NAME) if "Zanzibar" in text else ("Code names", "The code name is a place.")
        return answer("- nothing of note", unit(title, content))

    home = Home(tmp_path, Script(by=by))
    order = ["What is the code name?", NAME] if said == "supersedes" else [NAME, "What is the code name?"]
    for sid, text in zip(("s1", "s2"), order, strict=True):
        home.say(sid, text, "Noted.")
        assert consider(home.desk, sid, Trigger.BOUNDARY)
        home.work()
    assert "adjudication" in home.script.purposes()
    home.desk.forgotten = lambda ref: is_gone(home.outbox, ref, None)
    home.log.forget_statement("owner", NAME)
    message = "msg-s2-0" if said == "supersedes" else "msg-s1-0"
    erase(home.desk, home.outbox, "owner", NAME, [message])
    assert "zanzibar" not in json.dumps(home.graph()).casefold()
    (left,) = home.refs("work_unit")
    assert "conflict_with" not in home.entry(left)
    home.close()


def test_a_clock_that_has_been_ahead_lifts_no_ceiling(tmp_path: Path) -> None:
    """HA101: sums of later days push today's out of the kept ones."""
    home = Home(tmp_path, Script(), **{"consolidation.max_calls_per_day": 2})
    today = home.clock.now
    for day in range(1, KEEP_USAGE_DAYS + 2):
        home.clock.now = today + 86_400 * day
        home.models.ask("extraction", "s", "t")
    home.clock.now = today
    for _ in range(2):
        home.models.ask("extraction", "s", "t")
    with pytest.raises(Paused):
        home.models.ask("extraction", "s", "t")
    home.close()
