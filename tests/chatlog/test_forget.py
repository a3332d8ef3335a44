"""What is forgotten leaves rows, index and bytes, and no transcript brings it back (H29, D63, D102, D103)."""

import sqlite3
from pathlib import Path

import pytest
from cognition.chatlog import Call, ChatLog
from cognition.logdb.forgetting import occurrences, without, words_of
from hypothesis import given
from hypothesis import strategies as st

from .logs import NOW, Words, draft, found, place, turn


def in_bytes(path: Path, text: str) -> bool:
    return any(text.encode() in file.read_bytes() for file in path.parent.glob(path.name + "*"))


def test_a_forgotten_message_keeps_its_ordinal_and_nothing_else(log, path):
    said = draft("user", "the wombat is blue", calls=(Call("x", ok=True),), speaker={"name": "Ada"})
    log.append(place(), [said, draft("assistant", "noted")])
    assert in_bytes(path, "wombat")
    assert log.forget(["msg-s1-0", "cog-s1-0", "msg-s1-99"]) == 1
    message = log.message("msg-s1-0")
    assert (message.text, message.state, message.calls, message.speaker) == ("", "forgotten", (), None)
    assert found(log, "wombat") == []
    assert [one.n for one in log.messages("s1")] == [1]
    assert log.tidy()
    assert not in_bytes(path, "wombat")
    assert log.append(place(), turn("next", "one")) == ["msg-s1-2", "msg-s1-3"]


def test_a_range_is_forgotten_at_once(log):
    log.append(place(), turn("a", "b") + turn("c", "d"))
    assert log.forget(["msg-s1-1..2"]) == 2
    assert [one.text for one in log.messages("s1")] == ["a", "d"]


def test_what_was_said_before_the_forgetting_is_never_logged_again(log):
    """As D63 has it for entries: an old statement stays out, one that is made anew counts."""
    first = draft("user", "my cat is called Minka", NOW - 60)
    log.append(place("s1"), [first])
    log.forget(["msg-s1-0"])
    assert log.append(place("s2"), [first, draft("assistant", "nice", NOW - 59)]) == ["msg-s2-0", "msg-s2-1"]
    assert [one.text for one in log.messages("s2")] == ["nice"]
    assert log.message("msg-s2-0").state == "forgotten"
    log.append(place("s3"), [draft("user", "my cat is called Minka", NOW + 60)])
    assert [one.text for one in log.messages("s3")] == ["my cat is called Minka"]
    log.append(place("s4", audience="person/irc/bo"), [first])
    assert len(log.messages("s4")) == 1  # another person's own words


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I prefer tabs.", None),
        ("Hello. I prefer tabs! Build it now.", "Hello. [forgotten] Build it now."),
        ("As you said, you prefer tabs, so I use them.\nDone.", "[forgotten]\nDone."),
        ("i  PREFER\ttabs", None),
        ("I prefer tabs (2026-02-03).", None),
        ("“I prefer tabs”, he wrote. Fine.", "[forgotten] Fine."),
        ("I prefer tablets. You prefer spaces.", "I prefer tablets. You prefer spaces."),
        ("I do prefer tabs", "I do prefer tabs"),
    ],
)
def test_a_statement_goes_with_its_sentence_wherever_it_stands(log, text, left):
    log.append(place(), [draft("assistant", text), draft("user", "unrelated")])
    changed = log.forget_statement("owner", "I prefer tabs.")
    message = log.message("msg-s1-0")
    if left is None:
        assert (changed, message.state, message.text) == (1, "forgotten", "")
    else:
        assert message.text == left
        assert changed == (left != text)
    assert log.message("msg-s1-1").text == "unrelated"


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("My deadline is tomorrow (2026-02-03)", "my deadline is tomorrow"),
        ("My deadline is tomorrow", "Your deadline is tomorrow (2026-02-03)."),
        ("I moved last week (week of 2026-01-26) to Rome", "I moved last week to Rome"),
        ("我喜欢喝茶。", "好的，你喜欢喝茶！"),
        ("私は東京に住んでいます", "そうですか。私は東京に住んでいます。"),
        ("Ich heiße Jürgen", "ICH HEISSE JÜRGEN"),
    ],
)
def test_dates_pronouns_case_and_scripts_make_no_difference(log, statement, text):
    log.append(place(), [draft("user", text)])
    assert log.stating("owner", statement) == ["msg-s1-0"]
    assert log.forget_statement("owner", statement) == 1
    assert log.stating("owner", statement) == []


def test_a_statement_leaves_other_audiences_alone(log):
    log.append(place("s1"), [draft("user", "I prefer tabs")])
    log.append(place("s2", audience="person/irc/bo"), [draft("user", "I prefer tabs")])
    assert log.forget_statement("owner", "I prefer tabs") == 1
    assert log.messages("s2")[0].text == "I prefer tabs"


def test_the_index_and_the_bytes_follow(log, path):
    log.append(place(), [draft("user", "The code word is marzipan. Now build.")])
    assert found(log, "marzipan") == [1]
    log.forget_statement("owner", "the code word is marzipan")
    assert (found(log, "marzipan"), found(log, "build")) == ([], [1])
    assert log.tidy()
    assert not in_bytes(path, "marzipan")


def test_a_forgotten_statement_stays_out_of_what_is_read_later(log):
    long = "code word is marzipan and nobody else in the whole wide world"
    log.forget_statement("owner", f"my {long} may ever know it")
    log.append(
        place(),
        [
            draft(
                "user",
                f"Hi. My {long} may ever know it!",
                NOW - 5,
            ),
            draft(
                "assistant",
                f"Your {long} may ever know.",
                NOW - 4,
            ),
            draft("user", f"My {long} cares.", NOW + 5),
        ],
    )
    texts = [one.text for one in log.messages("s1")]
    assert texts[0] == "Hi. [forgotten]"
    assert texts[1] == "[forgotten]"
    assert texts[2].startswith("My code word")


def test_a_single_word_is_only_found_as_a_whole_message(log):
    log.append(place(), turn("marzipan", "marzipan is sweet"))
    assert log.forget_statement("owner", "Marzipan!") == 1
    assert [one.text for one in log.messages("s1")] == ["marzipan is sweet"]
    assert log.forget_statement("owner", "...") == 0


def test_a_process_without_the_index_drops_it_rather_than_leaving_the_text(log, path):
    log.append(place(), turn("the wombat is blue", "ok"))
    bare = ChatLog(path, clock=lambda: NOW)
    assert bare.forget(["msg-s1-0"]) == 1
    bare.tidy()
    assert not in_bytes(path, "wombat")
    bare.close()
    assert log.stats()["unindexed"] == 1
    log.tidy()
    assert found(log, "ok") == [2]


def test_nothing_readable_is_kept_of_what_was_forgotten(log, path):
    log.append(place(), turn("the wombat is blue", "ok"))
    log.forget_statement("owner", "the wombat is blue")
    log.tidy()
    log.close()
    rows = sqlite3.connect(path).execute("SELECT * FROM forgotten").fetchall()
    assert rows
    assert not in_bytes(path, "wombat")


WORDS = st.lists(st.sampled_from(["I", "you", "like", "tea", "茶", "Straße", "x1"]), min_size=2, max_size=8)


@given(WORDS, st.text(max_size=30), st.text(max_size=30))
def test_a_statement_is_found_in_any_surroundings_and_gone_afterwards(words, before, after):
    statement = " ".join(words)
    known = words_of(statement)
    text = f"{before}\n{statement}\n{after}"
    spans = occurrences(text, known)
    assert spans
    left = without(text, spans)
    assert not occurrences(left.replace("[forgotten]", "\n"), known) or statement in before + after or len(known) == 2


def test_a_long_text_takes_no_long_time_to_search():
    """Linear: a hostile repetition of the first words."""
    assert occurrences("i like " * 20_000, words_of("I like tea very much")) == []


def test_words_survive_a_plain_index(tmp_path):
    log = ChatLog(tmp_path / "chatlog.db", index=Words("2"))
    log.append(place(), turn("a", "b"))
    assert found(log, "a") == [1]
    log.close()


ROW = "I live in Oslo and I prefer tabs"


@pytest.mark.parametrize(
    ("text", "statement", "left"),
    [
        (ROW, "I prefer tabs", "I live in Oslo and [forgotten]"),
        (f"Hi.  {ROW}! Build it.", "I live in Oslo.", "Hi.  [forgotten] and I prefer tabs! Build it."),
        ("I live in Oslo, I prefer tabs, and I own X", "I prefer tabs", "I live in Oslo, [forgotten], and I own X"),
        (f"Please remember that {ROW}.", "I live in Oslo", "Please remember that [forgotten] and I prefer tabs."),
        ("I live in Oslo near the park and I prefer tabs", "I live in Oslo", "[forgotten] and I prefer tabs"),
        ("I like tea and I like coffee", "I like tea", "[forgotten] and I like coffee"),
    ],
)  # fmt: skip
def test_of_a_row_of_statements_only_the_one_goes(log, path, text, statement, left):
    """H29, CD24: what capture keeps as entries of their own is forgotten one by one, in the log too."""
    log.append(place(), [draft("user", text)])
    assert log.forget_statement("owner", statement) == 1
    assert log.message("msg-s1-0").text == left
    assert log.stating("owner", statement) == []


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I live in Oslo and I prefer tabs because my editor likes them", "I prefer tabs"),  # explains
        ("You live in Oslo and you prefer tabs", "I prefer tabs"),  # no row that capture splits
        ("I live in Oslo and I prefer tabs", "Oslo and I prefer"),  # lies over the joint
        ("My name is Ada and I live in Oslo", "I live in Oslo"),  # one entry (CE1)
        ('I said "I live in Oslo and I prefer tabs"', "I prefer tabs"),
        ("I prefer tabs and I always prefer my tabs", "I prefer tabs"),  # said again in other words
        (f"I {'really ' * 80}live in Oslo and I prefer tabs", "I prefer tabs"),  # longer than a removal reaches
    ],
)
def test_what_cannot_be_taken_apart_safely_goes_whole(log, text, statement):
    log.append(place(), [draft("user", text)])
    assert log.forget_statement("owner", statement) == 1
    left = log.message("msg-s1-0")
    assert "tabs" not in left.text
    assert "Oslo and" not in left.text


def test_the_rest_of_a_row_can_be_forgotten_too(log, path):
    log.append(place(), [draft("user", f"{ROW}.")])
    for statement in ("I prefer tabs", "I live in Oslo"):
        assert log.forget_statement("owner", statement) == 1
    assert (log.message("msg-s1-0").state, log.message("msg-s1-0").text) == ("forgotten", "")
    log.append(place("s2"), [draft("user", f"{ROW}.", NOW - 9)])
    assert log.message("msg-s2-0").text == "[forgotten]"
    assert log.tidy()
    assert not in_bytes(path, "tabs")
    assert not in_bytes(path, "Oslo")


def test_a_statement_known_by_its_beginning_takes_the_whole_sentence_along(log):
    """A transcript read later is held against the first words alone: the rest may stand behind the joint."""
    said = "I live in a small red house by the harbour of old Oslo and my safe holds marzipan"
    log.forget_statement("owner", said)
    log.append(place(), [draft("user", f"{said}.", NOW - 9)])
    assert "marzipan" not in log.message("msg-s1-0").text


PIECES = st.lists(
    st.sampled_from(
        ["I live in Oslo", "I prefer tabs", "my cat is called Minka", "we use Postgres", "I own 3 boats", "茶 x1"]
    ),
    min_size=1,
    max_size=8,
)


@given(PIECES, st.lists(st.sampled_from([" and ", ", and ", ", ", "; ", ". ", "\n", " so "]), min_size=8), st.data())
def test_no_row_keeps_what_was_forgotten_and_nothing_new_is_said(pieces, joints, data):
    text = "".join(piece + joint for piece, joint in zip(pieces, joints, strict=False))
    statement = data.draw(st.sampled_from(pieces))
    known = words_of(statement)
    left = without(text, occurrences(text, known))
    assert statement not in left
    assert not occurrences(left.replace("[forgotten]", "\n"), known)
    at = 0
    for kept in left.split("[forgotten]"):  # what stays stood there, in that order
        at = text.index(kept, at) + len(kept)
