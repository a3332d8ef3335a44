"""The floor of always-on facts: which entries, and with which message (CD80, B040)."""

import pytest
from cognition.budget import estimate_tokens
from cognition.recall.floor import FLOOR_TOKENS, always_on, is_request

from .conftest import Memory


def found(content: str, kind: str = "instruction", **fields: object) -> bool:
    return bool(always_on([{"ref": "r", "content": content, "kind": kind, **fields}]))


@pytest.mark.parametrize(
    "content",
    """Always answer in French.|Never use emojis in replies.|Please reply briefly from now on.|Keep your answers short.
Antworte immer auf Deutsch.|Call me Pri.|Always speak English with me.|Responde siempre en español.|总是用中文回答
Réponds toujours en français.|You should always explain your reasoning.|日本語で答えてください
항상 한국어로 답변해 주세요""".replace("\n", "|").split("|"),
)
def test_instructions_about_the_answers(content: str) -> None:
    assert found(content)


@pytest.mark.parametrize(
    "content",
    """Always run cargo clippy before pushing.|Never use unwrap in library code.|Always add a test for a bug.
Never deploy on Fridays.|Don't call me before nine.|Always log failed responses of the server.|Always pin versions."""
    "".replace("\n", "|").split("|"),
)
def test_instructions_about_a_subject_wait_for_it(content: str) -> None:
    assert not found(content)
    assert found(content, seen=2)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("My name is Priya.", True), ("Ich heiße Anna.", True), ("我叫李雷。", True), ("Je m'appelle Luc.", True),
        ("私の名前はケンです。", True), ("My name is on the deploy list.", False), ("I live in Oslo.", False),
        ("I am vegetarian.", False),
    ],
)  # fmt: skip
def test_identity_is_the_name_alone(content: str, name: bool) -> None:
    assert found(content, "identity") is name


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("How do I bake bread?", True), ("帮我检查一下网络连接", True), ("パンの焼き方を教えて", True),
        ("빵을 어떻게 구워 야 하나", True), ("¿Cómo se hace el pan?", True),
        ("检查一下网络", False), ("xqzv wplk", False), ("test", False), ("fix the tests", False), ("", False),
    ],
)  # fmt: skip
def test_a_request_has_four_words(text: str, request_: bool) -> None:
    assert is_request(text) is request_


def test_the_floor_is_asked_for_and_small(memory: Memory) -> None:
    memory.add(*[f"Always answer in style {n}, " + "please " * 60 for n in range(30)], kind="instruction")
    without, told = memory.recall("How do I bake bread?"), memory.recall("How do I bake bread?", with_floor=True)
    assert (without.text, without.floor_given) == ("", False)
    assert told.floor_given
    assert 1 <= len(told.refs) <= 6
    assert told.omitted == 0
    assert estimate_tokens(told.text.partition("\n")[2]) <= FLOOR_TOKENS
    short = memory.recall("fix tests", with_floor=True)
    assert (short.text, short.floor_given) == ("", False)


def test_the_floor_leaves_the_room_to_what_is_relevant(memory: Memory) -> None:
    """D73: what of it does not fit is not counted as left out."""
    memory.add("Always answer in French.", kind="instruction")
    memory.add(*[f"Harbour crane number {n} is serviced by team {n % 7}." for n in range(60)])
    told = memory.recall("Who services the harbour cranes?", with_floor=True, target_tokens=200)
    assert "French" not in told.text
    assert f"{told.omitted} entries omitted" in told.text
    assert "French" in memory.recall("Who services the harbour cranes?", with_floor=True).text


def test_a_relevant_entry_of_the_floor_is_told_once(memory: Memory) -> None:
    ref = memory.add("Always answer in French.", kind="instruction")
    told = memory.recall("In which language do I want you to answer?", with_floor=True)
    assert told.refs == (ref,)
    assert told.text.count("French") == 1


def test_rules_and_taboos_hold_always_and_come_before_instructions() -> None:
    def entry(ref: str, kind: str, content: str) -> dict[str, object]:
        return {"ref": ref, "kind": kind, "content": content, "pinned": False}

    some = [entry(f"i{n}", "instruction", f"Always answer in style {n}.") for n in range(9)]
    some += [entry("r", "rule", "Run the linter before a commit."), entry("t", "taboo", "Never push to main.")]
    refs = [str(one["ref"]) for one in always_on(some)]
    assert (len(refs), set(refs[:2])) == (6, {"r", "t"})


def test_a_floor_taken_from_an_index_that_lags_is_not_remembered(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CD80: a session that begins while the worker still indexes must not cost the next ones their floor."""
    memory.engine.refresh()
    memory.add("Always answer in French.", kind="instruction")
    with monkeypatch.context() as late:
        late.setattr(type(memory.engine._index), "catch_up", lambda self, view, seconds=None: False)
        memory.engine.prepare("owner", "")
    found = memory.recall("please fix the failing test today", with_floor=True)
    assert "Always answer in French." in found.text
