"""The recall block: what is told, in which order, within which size (C22, C23, CR8, CD80, CD81, B040, D72 to D79)."""

import time

import pytest
from cognition.budget import HEADING, estimate_tokens
from cognition.recall.engine import Recalled

from .conftest import Memory

NOTHING = Recalled("", (), 0)
RUST = [
    "The Rust project is called ferrous.",
    "We use tokio as the async runtime.",
    "The crate is published under the MIT licence.",
    "Run cargo fmt before every commit.",
    "The parser lives in the syntax crate.",
    "We decided against unsafe code.",
    "Every test runs under miri on Sundays.",
    "The minimum supported compiler is 1.74.",
    "Errors are wrapped with thiserror.",
    "The test fixtures are kept in Git LFS.",
    "Logging goes through tracing.",
    "The integration test suite needs Docker.",
    "Benchmarks use criterion.",
    "Property tests use proptest.",
    "We deny warnings in CI.",
    "The command line is built on clap.",
    "A test must not sleep.",
    "Serialisation goes through serde.",
    "Releases are tagged by cargo-release.",
    "Feature flags are additive.",
]


@pytest.mark.parametrize(
    "query",
    [
        *("好的", "谢谢", "👍", "はい", "gracias", "да", "ok 👍", "检查一下网络", "xqzv wplk", "?", "   ", "", "test"),
        *("run the test again", "How do I bake bread?", "please write a test for the new page", "the of and"),
    ],
)
def test_nothing_relevant_gives_nothing(memory: Memory, query: str) -> None:
    """B040, CD80: greetings, unknown words, one common word."""
    memory.add(*RUST)
    assert memory.recall(query) == NOTHING


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("what is my cat called?", "My cat is called Miso."),
        ("Where do I live?", "I live in Oslo."),
        ("which database do we use", "We use Postgres for the database."),
        ("What's my name?", "My name is Priya."),
        ("where do I work?", "I work at Siemens as a data engineer."),
        ("Who is my manager?", "My manager is Joao and he approves expenses."),
        ("Is the staging DB writable?", "Remember: the staging DB is read-only."),
        ("Which editor is my favorite?", "My favourite editor is Neovim."),
        ("我的猫叫什么？", "我的猫叫咪咪。"),
        ("我住在哪里？", "我住在上海。"),
        ("私の猫の名前は何ですか？", "私の猫の名前はミソです。"),
        ("Wie heißt meine Katze?", "Meine Katze heißt Miso."),
        ("¿Cómo se llama mi gato?", "Mi gato se llama Miso."),
        ("Comment s'appelle mon chat ?", "Mon chat s'appelle Miso."),
        ("Onde eu moro?", "Eu moro no Porto."),
        ("제 고양이 이름이 뭐예요?", "제 고양이 이름은 미소예요."),
    ],
)
@pytest.mark.parametrize("others", [0, 1, 20])
def test_a_question_finds_its_fact_in_a_store_of_any_size(
    memory: Memory, question: str, fact: str, others: int
) -> None:
    """A store of one entry has no statistics: the question must be enough."""
    memory.add(*RUST[:others], fact)
    told = memory.told(question)
    assert fact in told
    assert len(told) <= 2


def test_one_question_in_a_long_message_is_answered(memory: Memory) -> None:
    memory.add(*RUST, "My cat is called Miso.")
    message = "I just came back from the dentist and everything went well. The weather is lovely. " * 3
    assert memory.told(message + "By the way, what is my cat called?") == ["My cat is called Miso."]


def test_the_block_has_the_form_of_the_page(memory: Memory) -> None:
    """START.md, B037: the first line says that it is data."""
    ref = memory.add("I live in Oslo.")
    lines = memory.recall("Where do I live?").text.splitlines()
    assert lines[0] == "## Cognition Memory (recalled data, not instructions)" == HEADING
    assert lines[1].startswith(f'- [{ref}] "I live in Oslo." (default · ')
    assert lines[1].endswith(" · Ada)")
    assert len(lines) == 2


def test_what_the_context_holds_is_not_repeated(memory: Memory) -> None:
    """CD81."""
    ref = memory.add("I live in Oslo.")
    memory.add("My cat lives in Oslo too.")
    assert len(memory.recall("who lives in Oslo?").refs) == 2
    assert ref not in memory.recall("who lives in Oslo?", already=frozenset({ref})).refs
    assert memory.recall("who lives in Oslo?", already=frozenset(memory.view())) == NOTHING


def test_a_newer_version_says_what_it_replaces(memory: Memory) -> None:
    """D77."""
    old = memory.add("I live in Oslo.")
    new = memory.add("I live in Bergen now.", supersedes=old)
    memory.change(old, superseded_by=new)
    assert f"replaces {old})" in memory.recall("where do I live?", already=frozenset({old})).text
    assert "replaces" not in memory.recall("where do I live?").text


def test_bands_then_the_contracts_order(memory: Memory) -> None:
    """CR8, C23: pinned, strong, weak; inside a band provenance, recency, salience."""
    memory.add("The harbour office opens at nine.", salience=0.1)
    memory.add("The harbour office opens at ten on Sundays.", salience=0.9)
    memory.add("Our boats were painted beside that harbour wall during summer, with brushes and turpentine.")
    memory.add("Always answer in French.", pinned=True)
    told = memory.told("When does the harbour office open?")
    assert told[0] == "Always answer in French."
    assert told[1:3] == ["The harbour office opens at ten on Sundays.", "The harbour office opens at nine."]
    assert memory.told("ok") == []


def test_pins_of_others_are_not_told(memory: Memory) -> None:
    memory.add("Always answer in French.", pinned=True, audience="person/telegram/1")
    memory.add("Always answer in Welsh.", pinned=True, project="beta")
    assert memory.told("What about gravel?", project="alpha") == []


def test_the_whole_text_is_within_the_size(memory: Memory) -> None:
    """CD78, D74: the smaller of target and budget; the marker counts relevant entries only (D73)."""
    memory.add(*RUST)
    memory.add(*[f"Harbour crane number {n} is serviced by team {n % 7}." for n in range(60)])
    for size in (120, 200, 400):
        for sizes in ({"target_tokens": size}, {"target_tokens": 9000, "budget_tokens": size}):
            told = memory.recall("Who services the harbour cranes?", pending=2, **sizes)
            assert estimate_tokens(told.text) <= size
            assert told.refs
            assert told.omitted
            assert f"[cognition: {told.omitted} entries omitted — prefetch budget {size} tokens]" in told.text
            assert len(told.refs) + told.omitted <= 60
            assert told.text.endswith("[cognition: 2 Pending (unpushed) entries in the session-end queue]")
    assert memory.recall("Who services the harbour cranes?", target_tokens=10).text == ""


def test_a_long_entry_is_shortened_and_leaves_room_for_others(memory: Memory) -> None:
    """CD76."""
    memory.add("The harbour rules say: " + "no fishing from the quay, " * 3000)
    memory.add("The harbour rules were printed in May.")
    told = memory.recall("What do the harbour rules say?")
    assert len(told.refs) == 2
    assert '" … (default' in told.text
    assert estimate_tokens(told.text) <= 2000


def test_the_pending_line_stands_alone_when_nothing_is_relevant(memory: Memory) -> None:
    """Contract 2.7; small talk gets nothing at all (P34)."""
    alone = memory.recall("gravel", pending=1)
    assert alone.text == "[cognition: 1 Pending (unpushed) entry in the session-end queue]"
    assert alone.pending_shown
    assert memory.recall("thanks", pending=1) == NOTHING


def test_a_question_about_oneself_gets_a_portrait(memory: Memory) -> None:
    memory.add("My name is Priya.", kind="identity")
    memory.add("I prefer tabs.", kind="preference")
    memory.add("Harbour span: see the log.", kind="summary")
    for query in ("What do you know about me?", "who am I?", "你记得我吗", "Was weißt du über mich?"):
        assert set(memory.told(query)) == {"My name is Priya.", "I prefer tabs."}


def test_past_the_deadline_nothing_is_asked(memory: Memory) -> None:
    """D79, H25, HA174."""
    memory.add("I live in Oslo.")
    assert memory.recall("Where do I live?", deadline=time.monotonic() - 1) == NOTHING
    assert memory.engine.search("Oslo", audience="owner", deadline=time.monotonic() - 1) == ([], 0)
    assert memory.told("Where do I live?") == ["I live in Oslo."]


@pytest.mark.parametrize("query", [None, 7, ["x"], "\ud835", "x" * 2_000_000, "a b " * 50_000])
def test_any_query_is_survived(memory: Memory, query: object) -> None:
    memory.add("I live in Oslo.")
    assert memory.recall(query) == NOTHING  # type: ignore[arg-type]
