"""The optional tier that finds in other words: off without the package, never on the network, nothing kept in files."""

import socket
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from cognition.merge import Delivery, push_batch
from cognition.recall import semantic
from cognition.recall.engine import RecallEngine
from cognition.recall.nearness import Nearness
from cognition.stores.local import LocalStore

needs_model = pytest.mark.skipif(
    not all(map(find_spec, ("numpy", "tokenizers", "safetensors", "wordllama"))),
    reason="needs the extra `semantic`, which is kept in an environment of its own: make extras",
)
FACTS = {
    "a": "I moved to Bergen last spring.",
    "b": "The office printer is out of toner.",
    "c": "My wife teaches chemistry.",
    "d": "We chose Postgres over MySQL.",
}


def test_off_is_nothing() -> None:
    assert semantic.load("off") is None
    assert semantic.load(None) is None


def test_without_the_package_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """P1, H1: nothing breaks without it."""
    monkeypatch.setattr(semantic, "find_spec", lambda _name: None)
    with pytest.raises(semantic.Unusable, match="hermes cognition doctor"):
        semantic.load("wordllama")


def test_a_package_with_other_files_is_unusable(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic, "package", lambda: tmp_path)
    with pytest.raises(semantic.Unusable):
        semantic.load("wordllama")


@pytest.mark.parametrize(
    ("question", "least"),
    [
        ("Where am I living these days?", semantic.NEAR_OWN),
        ("Which appliance is acting up?", semantic.NEAR_OTHER),
        ("who got injured on the winter holiday", semantic.NEAR_OTHER),
        ("我住在哪里？", semantic.NEAR_OWN),
        ("Fix the failing test in the parser module.", 2.0),
        ("thanks", 2.0),
        ("", 2.0),
    ],
)
def test_only_questions_are_told_what_is_near(question: str, least: float) -> None:
    assert semantic.least_near(question) == least


def test_small_words_are_left_out_unless_there_are_no_others() -> None:
    assert semantic.telling("Where do we keep the spare key?") == "keep spare key"
    assert semantic.telling("what about it") == "what about it"
    assert semantic.telling("") == ""


@pytest.fixture
def tier(monkeypatch: pytest.MonkeyPatch) -> semantic.Semantic:
    """The real model, with the network cut."""

    def refuse(*_args: Any, **_kwargs: Any) -> Any:
        raise AssertionError("the network was touched")

    for name in ("create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    made = semantic.load("wordllama")
    assert made is not None
    return made


@needs_model
def test_it_finds_what_words_do_not(tier: semantic.Semantic) -> None:
    assert tier.sync(FACTS.items()) == 4
    assert tier.nearest("What does my spouse do for a living?", 1, 0.0)[0][0] == "c"
    assert tier.nearest("Which database did we settle on?", 1, 0.0)[0][0] == "d"
    assert "wordllama" not in sys.modules  # its files are read, its code is not run


@needs_model
def test_only_what_is_new_or_changed_is_embedded_and_what_is_gone_is_not_found(tier: semantic.Semantic) -> None:
    tier.sync(FACTS.items())
    assert tier.sync(FACTS.items()) == 0
    changed = {**FACTS, "b": "The kettle whistles.", "e": "Tom is scared of heights."}
    del changed["c"]
    assert tier.sync(changed.items()) == 2
    assert len(tier) == 4
    assert "c" not in {ref for ref, _ in tier.nearest("chemistry teacher", 10, -1.0)}
    assert tier.nearest("the kettle", 1, 0.2)[0][0] == "b"
    assert tier.sync(()) == 0
    assert tier.nearest("anything at all?", 5, -1.0) == []


@needs_model
def test_changes_give_what_a_whole_sync_gives(tier: semantic.Semantic, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the matrix, and again when it is made anew."""
    items: dict[str, str | None] = {f"r{n}": f"The box number {n} holds {FACTS['abcd'[n % 4]]}" for n in range(40)}
    tier.sync((ref, str(text)) for ref, text in items.items())
    for beside in (512, 2):
        monkeypatch.setattr(semantic, "BESIDE", beside)
        assert tier.change(
            {"r1": None, "r2": "The kettle whistles.", "new": "Tom is scared of heights.", "r3": items["r3"]}
        ) in (0, 2)
        assert len(tier) == 40
        near = {ref for ref, _ in tier.nearest("box", 60, -1.0)}
        assert near == {*items, "new"} - {"r1"}
        assert tier.nearest("kettle", 1, 0.2)[0][0] == "r2"
        assert tier.nearest("who is afraid of high places", 1, 0.1)[0][0] == "new"
    assert tier.change({"new": None}) == 0
    assert "new" not in {ref for ref, _ in tier.nearest("heights", 60, -1.0)}


@needs_model
def test_scores_are_within_bounds_and_in_order(tier: semantic.Semantic) -> None:
    """B097."""
    scores = tier.score("Which pets do I own?", ["I have two cats.", "", "The rent is due.", "🙂" * 50])
    assert len(scores) == 4
    assert all(0.0 <= one <= 1.0 for one in scores)
    assert scores[0] == max(scores)
    assert tier.score("", ["x"]) == [0.0]
    assert tier.score("x", []) == []


@needs_model
def test_no_more_entries_than_the_limit_have_a_vector(tier: semantic.Semantic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic, "MOST", 60)
    items = [(f"r{n}", f"The box number {n} holds cables.") for n in range(100)]
    assert tier.sync(items) == 60
    assert tier.nearest("cables in a box", 3, 0.0)


# -- in the engine -----------------------------------------------------------------------------------------------------


def _entry(ref: str, content: str, **more: Any) -> dict[str, Any]:
    record = {"source_session": "s", "author": "Ada", "created_at": 1.7e9, "origin_repo": "default", "trace_id": "t"}
    made = {"ref": ref, "content": content, "kind": "fact", "salience": 0.5, "audience": "owner", "project": ""}
    return {**made, "provenance": record, **more}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LocalStore]:
    made = LocalStore(tmp_path / "committed.json")
    entries = [_entry(ref, text) for ref, text in FACTS.items()]
    entries.append(_entry("z", "My husband teaches physics.", audience="person/telegram/7"))
    push_batch(made, [Delivery(one["ref"], one) for one in entries], now=1.7e9, timeout=5.0)
    yield made
    made.close()


def _recalled(engine: RecallEngine, question: str) -> tuple[str, ...]:
    return engine.recall(question, audience="owner", project="", target_tokens=2000, budget_tokens=8000).refs


QUESTION = "What does my spouse do for a living?"
UNFOUND = "How does my other half earn money?"  # by words


def test_without_the_package_recall_goes_on_by_words(
    store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P1: one line in health, and nothing else is different."""
    monkeypatch.setattr(semantic, "package", lambda: None)
    engine = RecallEngine(store, tmp_path / "recall.db", nearness=Nearness("wordllama"))
    engine.refresh()
    assert _recalled(engine, "Where did I move last spring?") == ("a",)
    assert _recalled(engine, UNFOUND) == ()
    assert [line for line in engine.health() if "recall.semantic is off" in line]
    engine.close()


def test_off_loads_nothing(store: LocalStore, tmp_path: Path) -> None:
    engine = RecallEngine(store, tmp_path / "recall.db")
    engine.refresh()
    assert _recalled(engine, UNFOUND) == ()
    assert engine.health() == []
    assert "tokenizers" not in sys.modules or find_spec("tokenizers")
    engine.close()


@needs_model
def test_recall_and_search_find_in_other_words(store: LocalStore, tmp_path: Path) -> None:
    """The audience's own entries, current ones, and only for what asks something."""
    engine = RecallEngine(store, tmp_path / "recall.db", nearness=Nearness("wordllama"))
    engine.refresh()
    assert "c" in _recalled(engine, QUESTION)
    assert "z" not in _recalled(engine, QUESTION)
    assert _recalled(engine, "Fix the failing test in the parser module.") == ()
    hits, total = engine.search("spouse's profession", audience="owner")
    assert "c" in {hit.entry["ref"] for hit in hits}
    assert total == len(hits)
    with store.transaction(timeout=5.0) as txn:
        txn.put({**_entry("c", FACTS["c"]), "superseded_by": "d"})
    assert "c" not in _recalled(engine, QUESTION)  # the vector is still there, the entry is not current any more
    engine.refresh()
    assert "c" not in _recalled(engine, QUESTION)
    push_batch(store, [Delivery("n", _entry("n", "My spouse repairs violins."))], now=1.7e9, timeout=5.0)
    engine.refresh()
    assert "n" in {hit.entry["ref"] for hit in engine.search("husband mends instruments", audience="owner")[0]}
    engine.close()
