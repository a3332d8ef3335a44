"""The labelled sets: that they are what they claim to be, and that extraction reaches its floors on them.

The figures themselves come from benchmarks/capture.py.
"""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from cognition.capture.facts import Fact, extract
from cognition.capture.turn import row_of

HERE = Path(__file__).with_name("labelled")
LANGUAGES = ("en", "de", "es", "fr", "pt", "zh", "ja")
Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    with (HERE / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def held(row: Row) -> bool:
    """A third of the sets that the rules were written beside, half of those that came after them."""
    late = row["id"].startswith(("chat", "fresh"))
    return hashlib.sha256(row["id"].split(".")[0].encode()).digest()[0] % (2 if late else 3) == 0


def captured(row: Row) -> list[Fact]:
    said = row_of(row["utterance"], None)
    return extract(said.redacted) if said is not None else []


def plain(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


def f1(set_of_rows: list[Row]) -> float:
    taken = [bool(captured(row)) for row in set_of_rows]
    right = sum(one and row["is_durable_fact"] for one, row in zip(taken, set_of_rows, strict=True))
    return 2 * right / (sum(taken) + sum(row["is_durable_fact"] for row in set_of_rows))


def test_the_sets_are_large_and_balanced() -> None:
    """Issue 5: 450 sentences over kinds and languages, 130 long messages with a statement and 40 without."""
    sentences = [row for language in LANGUAGES for row in rows(language)]
    assert len(sentences) >= 450
    assert min(Counter(row["language"] for row in sentences).values()) >= 45
    stated = Counter(row["kind"] for row in sentences if row["is_durable_fact"])
    assert set(stated) == {"identity", "preference", "instruction", "decision", "fact", "correction", "remember"}
    assert min(stated.values()) >= 30
    long = rows("long")
    assert sum(row["is_durable_fact"] for row in long) >= 130
    assert sum(not row["is_durable_fact"] for row in long) >= 40
    assert all(300 <= len(row["utterance"]) <= 4000 or row["language"] == "zh" for row in long)
    ids = [row["id"] for row in (*sentences, *long)]
    assert len(set(ids)) == len(ids)
    assert 0.2 < sum(map(held, sentences)) / len(sentences) < 0.45


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language(language: str) -> None:
    """Issue 5: F1 of 0.75 at least in each of the six others; English thoroughly."""
    own = rows(language)
    assert f1(own) >= 0.85
    assert f1([row for row in own if held(row)]) >= 0.8


def test_statements_in_long_messages() -> None:
    """Issue 5, CD20, CD21: recall of 0.85 at least, in the part that was not looked at as well."""
    found: dict[bool, list[bool]] = {True: [], False: []}
    for row in rows("long"):
        if row["is_durable_fact"]:
            right = plain(row["fact"])
            hit = any(plain(fact.content) in right or right in plain(fact.content) for fact in captured(row))
            found[held(row)].append(hit)
    assert all(found.values())
    for hits in found.values():
        assert sum(hits) / len(hits) >= 0.85


def test_what_the_rows_of_a_long_message_without_a_statement_give() -> None:
    """CD26, CD28, CD29: at most one message in five gives something."""
    others = [row for row in rows("long") if not row["is_durable_fact"]]
    assert sum(bool(captured(row)) for row in others) <= len(others) / 5


def test_the_sets_written_after_the_rules() -> None:
    """Issue 5: as people type to an assistant, nearly half of it stating nothing; a half of each was not looked at."""
    for name, least in (("chat", 200), ("fresh", 100), ("chat_long", 40)):
        own = rows(name)
        assert len(own) >= least
        assert 0.4 <= sum(not row["is_durable_fact"] for row in own) / len(own) <= 0.5
        assert 0.4 < sum(map(held, own)) / len(own) < 0.6
    assert f1([row for row in rows("chat") if held(row)]) >= 0.85
    assert f1([row for row in rows("fresh") if held(row)]) >= 0.7
    assert f1([row for row in rows("chat_long") if held(row)]) >= 0.7
