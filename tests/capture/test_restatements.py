"""Statements made anew: the value that no longer holds goes into the history, and nothing else does (CD24, issue 6)."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from cognition.capture.answered import alone
from cognition.capture.facts import extract
from cognition.capture.restated import as_own, plainly
from cognition.capture.session import Context, SessionCapture
from cognition.merge import Delivery, push_batch
from cognition.outbox import NewFact, SeenMark
from cognition.stores.entry import Entry
from cognition.stores.local import LocalStore
from hypothesis import given, settings
from hypothesis import strategies as st

from . import restatements as table

NOT_TOLD = {"我用Vim。", "Trabajo en Iberia."}
"""Rows that are missed: what is said first is not captured; a town and a firm are worded alike ("en")."""

_NOW = 1_700_000_000.0


class Talk:
    """One conversation: every message is settled by itself, and pushed into a store of its own."""

    def __init__(self, folder: Path, audience: str = "owner") -> None:
        self.audience = audience
        self.store = LocalStore(folder / "committed.json", folder / "recall.db")
        self.now = _NOW
        self.count = 0
        self.messages: list[dict[str, object]] = []
        self.seen: list[str] = []
        self.session = self._session("s")

    def _session(self, name: str) -> SessionCapture:
        return SessionCapture(Context(name, name, self.audience, "", "default"), clock=lambda: self.now)

    def say(self, text: str, answer: str = "Noted.", speaker: str = "") -> None:
        self.now += 10
        found: list[NewFact] = []

        def enqueue(facts: Sequence[NewFact], marks: Sequence[SeenMark]) -> None:
            found.extend(facts)
            self.seen += [mark.fingerprint for mark in marks]

        self.session.hear(text, speaker={"id": speaker, "name": speaker} if speaker else None)
        self.messages.append({"role": "user", "content": text})
        self.session.settle(self.messages, known=lambda _: list(self.seen), enqueue=enqueue, author="Ada")
        self.messages.append({"role": "assistant", "content": answer})
        for fact in found:
            self.count += 1
            entry: Entry = {**fact.payload, "ref": f"cog-s-{self.count}"}
            entry.pop("undated", None)
            [outcome] = push_batch(self.store, [Delivery(entry["ref"], entry)], now=self.now, timeout=5.0)
            assert outcome.status != "refused", outcome

    def another_session(self) -> None:
        """From here on nothing of what was said stands in the conversation."""
        self.messages, self.seen = [], []
        self.session = self._session("t")

    def past(self) -> list[str]:
        return [each["content"] for each in self.store.view().values() if each.get("superseded_by")]

    def current(self) -> list[str]:
        return [each["content"] for each in self.store.view().current()]


def _heard(folder: Path, said: Sequence[str]) -> Talk:
    talk = Talk(folder)
    for text in said:
        talk.say(text)
    return talk


@pytest.mark.parametrize(
    ("before", "after", "word"), [*table.RETIRES, *table.RETIRES_HELD, *table.RETIRES_LATER, *table.RETIRES_CUED]
)
def test_what_is_said_anew_retires_the_one_value_that_it_gives_anew(
    tmp_path: Path, before: tuple[str, ...], after: str, word: str
) -> None:
    """CD24, issue 6."""
    past = _heard(tmp_path, [*before, after]).past()
    if before[0] in NOT_TOLD:
        assert past == []
    else:
        assert len(past) == 1
        assert word in past[0]


@pytest.mark.parametrize(("before", "after"), [*table.KEEPS, *table.KEEPS_HELD, *table.KEEPS_LATER, *table.KEEPS_CUED])
def test_what_only_looks_so_retires_nothing(tmp_path: Path, before: tuple[str, ...], after: str) -> None:
    """D63: when it is not clear, both are kept."""
    assert _heard(tmp_path, [*before, after]).past() == []


@pytest.mark.parametrize(
    ("fact", "answer", "correction", "means"),
    [
        ("I live in Oslo.", "You live in Oslo.", "No, it's Bergen now.", "I live in Bergen"),
        ("I live in Oslo.", "As you live in **Oslo**, take a train.", "Actually it's Bergen.", "I live in Bergen"),
        ("My manager is Joao.", "Your manager is Joao.", "Sorry, I meant Ana.", "My manager is Ana"),
        ("Ich wohne in Mainz.", "Du wohnst in Mainz.", "Nein, jetzt ist es Worms.", "Ich wohne in Worms"),
        ("J'habite à Paris.", "Vous habitez à Paris.", "Non, c'est Lyon maintenant.", "J'habite à Lyon"),
        ("Vivo en Madrid.", "Vives en Madrid.", "No, ahora es Sevilla.", "Vivo en Sevilla"),
        ("Moro em Lisboa.", "Você mora em Lisboa.", "Não, agora é o Porto.", "Moro em Porto"),
        ("我住在上海。", "您住在上海。", "不对，现在是北京。", "我住在北京"),
    ],
)
def test_an_answer_to_what_was_told_of_another_session(
    tmp_path: Path, fact: str, answer: str, correction: str, means: str
) -> None:
    """CD24: the fact was stated in another session, and the assistant has just said it."""
    talk = _heard(tmp_path, [fact])
    talk.another_session()
    talk.say("Hm?", answer)
    talk.say(correction)
    assert talk.past() == [fact]
    assert f"(= {means})" in talk.current()[0]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Your brother lives in Oslo.", "No, it's Bergen now."),
        ("The capital of Norway is Oslo.", "No, it's Bergen now."),
        ("You live in Oslo. Your manager is Ada.", "No, it's Bergen now."),
        ("You live in Oslo.", "No, it's fine."),
        ("You live in Oslo.", "No, it's a Tuesday."),
        ("You live in Oslo.", "No, it's OAuth now."),
        ("You live in Oslo.", "Is it Bergen now?"),
        ("You live in Oslo.", "It's Bergen now."),
        ("Do you live in Oslo?", "No, it's Bergen now."),
        ("Noted.", "No, it's Bergen now."),
    ],
)
def test_an_answer_to_something_else(tmp_path: Path, answer: str, said: str) -> None:
    """D63: somebody else's town, two things at once, no value, a question, nothing denied."""
    talk = _heard(tmp_path, ["I live in Oslo."])
    talk.another_session()
    talk.say("Hm?", answer)
    talk.say(said)
    assert talk.past() == []


def test_an_answer_holds_for_the_message_right_before_only(tmp_path: Path) -> None:
    talk = _heard(tmp_path, ["I live in Oslo.", "Thanks, and how is the weather?", "Actually it's Bergen now."])
    assert talk.past() == []


@pytest.mark.parametrize(("first", "second", "past"), [("1", "1", 1), ("1", "2", 0), ("", "", 0)])
def test_in_a_room_nobody_answers_for_another(tmp_path: Path, first: str, second: str, past: int) -> None:
    """B005: only the same person, known by name."""
    talk = Talk(tmp_path, "room/irc/#c")
    talk.say("I live in Oslo.", speaker=first)
    talk.say("No, it's Bergen now.", speaker=second)
    assert talk.past() == ["I live in Oslo."][:past]
    assert len(talk.current()) == 1, "a town alone is not kept"


def test_what_stands_between_in_the_transcript_parts_them(tmp_path: Path) -> None:
    """A message that was not heard, as of an interrupted turn, was the last one said."""
    talk = _heard(tmp_path, ["I live in Oslo."])
    talk.messages += [{"role": "user", "content": "And the weather?"}, {"role": "assistant", "content": "Rain."}]
    talk.say("No, it's Bergen now.")
    assert talk.past() == []


def test_a_second_answer_corrects_the_first(tmp_path: Path) -> None:
    talk = _heard(tmp_path, ["I live in Oslo.", "No, it's Bergen now.", "No wait, it's Bonn now."])
    assert talk.current() == ["it's Bonn now (= I live in Bonn)"]


def test_a_settlement_that_fails_is_made_again(tmp_path: Path) -> None:
    """P29: rows that could not be enqueued stay, and mean the same at the next boundary."""
    session = SessionCapture(Context("s", "s", "owner", "", "default"), clock=lambda: _NOW)
    session.hear("I live in Oslo.")
    session.hear("No, it's Bergen now.")

    def fails(facts: Sequence[NewFact], marks: Sequence[SeenMark]) -> None:
        raise OSError("the disk is full")

    found: list[NewFact] = []
    with pytest.raises(OSError, match="disk"):
        session.settle(None, known=lambda _: [], enqueue=fails, author="Ada")
    session.settle(None, known=lambda _: [], enqueue=lambda facts, _: found.extend(facts), author="Ada")
    assert [each.payload["content"] for each in found] == ["I live in Oslo.", "it's Bergen now (= I live in Bergen)"]
    assert found[1].payload["replaces"] == "Oslo"


def test_a_secret_of_the_answer_is_not_kept(tmp_path: Path) -> None:
    """H8."""
    talk = Talk(tmp_path)
    talk.say("Hm?", "You live in ghp_" + "a" * 36 + ".")
    talk.say("No, it's Bergen now.")
    assert all("ghp_" not in each for each in talk.current())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("No, it's Bergen now.", ("Bergen", True)),
        ("It's at 9:30 now.", ("9:30", False)),
        ("No, it's fine now.", ("", False)),
        ("Is it Bergen now?", ("", False)),
        ("It's Bergen.", ("", False)),
        ("No, it's Bergen now. Can you update the table?", ("Bergen", True)),
    ],
)
def test_a_value_alone(text: str, value: tuple[str, bool]) -> None:
    assert alone(text) == value


def test_a_statement_beside_another_is_no_correction() -> None:
    for text in ("I also use fish now.", "I use fish now, too.", "Ich nutze jetzt auch fish."):
        assert not any(fact.correction for fact in extract(text)), text


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=120),
    st.sampled_from(["No, it's ", "Nein, jetzt ist es ", "The date moved to ", "不对，现在是", ""]),
)
def test_nothing_odd_raises(text: str, start: str) -> None:
    said = start + text
    alone(said)
    as_own(said)
    assert plainly(plainly(said)) == plainly(said)


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "If you live in Oslo, take the tram.",
            "In the story you live in Oslo.",
            "Once upon a time: you live in Oslo.",
        ),
        *("Maybe you live in Oslo.", "Let's pretend you live in Oslo.", "His friend said you live in Oslo."),
        *("Vielleicht lebst du in Mainz.", "Dans le conte, tu habites à Paris.", "Por ejemplo, vives en Madrid."),
        *("Num conto, você mora em Lisboa.", "例如，你住在上海。", "昔々、あなたは東京にお住まいです。"),
    ],
)
def test_what_is_told_of_a_case_or_in_a_tale_is_told_of_nobody(answer: str) -> None:
    assert as_own(answer) == ""


@pytest.mark.parametrize(
    ("answer", "own"),
    [
        ("As you said, you live in Oslo", "I live in Oslo"),
        ("You told me that you live in Oslo", "I live in Oslo"),
        ("Got it, noted: you live in Oslo", "I live in Oslo"),
        ("Notiert: du wohnst in Mainz", "Ich wohne in Mainz"),
        ("D'accord, tu habites à Paris", "J'habite à Paris"),
        ("好的，你住在上海", "我住在上海"),
        ("はい、あなたは東京にお住まいです", "東京に住んでいます"),
    ],
)
def test_what_is_told_behind_a_nod_is_told_of_the_user(answer: str, own: str) -> None:
    assert as_own(answer) == own
