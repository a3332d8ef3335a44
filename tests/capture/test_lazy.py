"""Patterns that are compiled at their first use."""

import importlib
import pkgutil
import re
import subprocess
import sys
import threading
from pathlib import Path

import cognition.capture
import pytest
from cognition.capture.datewords import eastern, english, northern, western
from cognition.capture.lazy import lazy, literals
from cognition.recall import floor, slots
from hypothesis import given
from hypothesis import strategies as st

TABLES = [info.name for info in pkgutil.iter_modules(cognition.capture.__path__)]


def test_a_lazy_pattern_behaves_like_a_compiled_one() -> None:
    pattern = lazy(r"(?P<word>a+)b", re.IGNORECASE)
    found = pattern.search("xAAb")
    assert found is not None
    assert (found["word"], found.re.groupindex["word"], pattern.sub("-", "ab ab")) == ("AA", 1, "- -")
    assert pattern.pattern == r"(?P<word>a+)b"


def test_a_wrong_pattern_is_told_at_its_first_use() -> None:
    wrong = lazy("(")
    with pytest.raises(re.error):
        wrong.match("")


def test_a_text_may_be_put_together_at_the_first_use() -> None:
    asked: list[str] = []

    def text() -> str:
        asked.append("now")
        return "a+"

    pattern = lazy(text)
    assert asked == []
    assert (pattern.findall("aa b a"), bool(pattern.match("b"))) == (["aa", "a"], False)


def test_every_expression_of_a_time_is_well_formed() -> None:
    for table in (english, western, northern, eastern):
        assert len(table.PHRASES) > 40
        for phrase in table.PHRASES:
            re.compile(phrase.pattern.pattern, phrase.pattern.flags)


NEEDING = [text for text in (*(asks for asks, _ in slots._SLOTS), floor._NAME_TEXT) if literals(text)]


@given(st.data())
def test_what_a_pattern_matches_holds_one_of_its_literals(data: st.DataObject) -> None:
    """A gate that is wrong would hide a question from its slot, and an entry from the floor."""
    text = data.draw(st.sampled_from(NEEDING))
    said = data.draw(st.from_regex(text))
    assert any(one in said for one in literals(text))


def test_literals_of_a_pattern() -> None:
    assert literals(r"\bmy (?:full )?name\b|c[oó]mo llam[ao]s?") == ("name", "mo llam")
    assert literals(r"colou?r") == ("colo",)
    assert literals(r"x{0,2}y+z") == ("y",)
    assert literals(r"name|(?:a|b)") == ()


def test_threads_may_use_a_fresh_pattern_together() -> None:
    pattern = lazy(r"\d+")
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(pattern.findall("1 22 333"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["1", "22", "333"]] * 8


def patterns_of(name: str) -> list[tuple[str, int]]:
    """Source and flags of the patterns in one module."""
    found = []
    for value in vars(importlib.import_module(f"cognition.capture.{name}")).values():
        for item in value if isinstance(value, tuple | list) else (value,):
            pattern = getattr(item, "pattern", None)
            if isinstance(pattern, str):  # a pattern itself
                found.append((pattern, item.flags))
            elif pattern is not None:  # a rule or a form that holds one
                found.append((pattern.pattern, pattern.flags))
    return found


@pytest.mark.parametrize("name", TABLES)
def test_every_pattern_of_the_room_is_well_formed(name: str) -> None:
    """A pattern that is compiled late must not fail late."""
    for pattern, flags in patterns_of(name):
        re.compile(pattern, flags)


def test_the_patterns_of_the_room_are_found() -> None:
    assert sum(len(patterns_of(name)) for name in TABLES) > 200


def test_importing_the_reader_compiles_nothing() -> None:
    """D97: the tables cost the host nothing before the first message is read."""
    program = (
        "import sys, json, datetime, hashlib, dataclasses, base64, re\n"
        "sys.path.insert(0, sys.argv[1])\nimport cognition\n"
        "import cognition.stores.entry\n"
        "made, whole = [], re.compile\n"
        "re.compile = lambda *given, **named: (made.append(given), whole(*given, **named))[1]\n"
        "import cognition.capture.reader\n"
        "print(len(made))"
    )
    tests = Path(__file__).resolve().parents[1]
    said = subprocess.check_output([sys.executable, "-c", program, str(tests)], text=True)
    assert int(said) == 0
