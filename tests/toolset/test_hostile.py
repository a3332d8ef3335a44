"""Any arguments to any tool: strict JSON of at most 30,000 characters, nothing changed when refused (MA42, MI15)."""

import json
import math
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from cognition.toolset import cursor, schemas
from cognition.toolset.answers import MAX_RESULT, excerpted, plain, share_out
from cognition.toolset.arguments import BadArgument
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .desk import NOW, Desk, entry

_NAMES = ("query", "content", "memory_id", "new_content", "signal", "cursor", "limit", "top_k", "kind", "memory_type")
_MORE = ("repo", "since", "until", "ref", "related_to", "subject_id", "session_id", "")
_TEXTS = st.one_of(
    st.text(max_size=60),
    st.text(st.characters(codec=None, exclude_categories=()), max_size=30),
    st.sampled_from(
        ["r1", "[r2]", "r1-v1", "gone", "useful", "rule", "identity", "2026-03-02", "\x00", "\ud835", "'; --"]
    ),
    st.sampled_from(['"' * 20_000, "\\" * 24_000, "記" * 10_900, "x" * 40_000, "\x01" * 23_000 + "a", "[" * 9_000]),
)
_VALUES = st.one_of(
    _TEXTS,
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.lists(_TEXTS, max_size=3),
    st.dictionaries(st.text(max_size=5), _TEXTS, max_size=2),
)
_ARGUMENTS = st.one_of(
    st.dictionaries(st.sampled_from((*_NAMES, *_MORE)), _VALUES, max_size=5),
    st.none(),
    st.lists(st.integers(), max_size=2),
    st.text(max_size=5),
)
_TOOLS = st.sampled_from((*schemas.NAMES, *schemas.NAMES[3:], "memoria_x", "cognition_\ud835"))
_CALLS = st.lists(st.tuples(_TOOLS, _ARGUMENTS), min_size=1, max_size=6)


def never(word: str) -> None:
    raise AssertionError(f"{word} is not strict JSON")


def strict(text: str) -> Any:
    assert len(text) <= MAX_RESULT
    text.encode("utf-8")
    return json.loads(text, parse_constant=never)


class _Fuzzed:
    """One desk for all examples, with entries that are themselves hostile."""

    def __enter__(self) -> Desk:
        self.place = Path(tempfile.mkdtemp(prefix="desk-"))
        self.desk = Desk(self.place)
        odd = {
            "salience": "high",
            "supersedes": {"a": [1]},
            "conflict_with": 5,
            "memory_type": ["x"],
            "project": "p" * 9_000,
        }
        self.desk.put(
            entry("r1", "I live in Oslo."),
            entry("r2", "Oslo " * 30_000, kind="identity"),
            entry("r3", '"\\\x01' * 12_000, kind="identity", at=NOW),
            entry("r" * 3_000, "a long id", kind="preference", at=1e300),
            entry("r5", "odd ones", kind="identity", at=NOW + 1, **odd),
        )
        return self.desk

    def __exit__(self, *_exc: object) -> None:
        self.desk.close()
        shutil.rmtree(self.place, ignore_errors=True)


def test_any_call_is_answered_and_a_refusal_changes_nothing() -> None:
    """MA42, P35, D93: the family's own form of error."""
    with _Fuzzed() as desk:

        @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
        @given(_CALLS)
        def run(calls: list[tuple[str, Any]]) -> None:
            for name, arguments in calls:
                before = desk.state()
                answer = strict(desk.raw(name, arguments))
                refused = "error" in answer
                if name.startswith("memoria_"):
                    assert answer["success"] is not refused
                    assert not refused or (answer["error"].strip() and answer["hint"].strip())
                if refused or name not in schemas.NAMES or name.startswith("cognition_") or "search" in name:
                    assert desk.state() == before

        run()


def test_every_page_of_a_hostile_profile_is_bounded_and_paging_ends() -> None:
    """MD6, MI15."""
    with _Fuzzed() as desk:
        for limit in (1, 2, 50):
            seen: list[str] = []
            given: dict[str, Any] = {"limit": limit}
            for _ in range(20):
                result = strict(desk.raw("memoria_profile", given))["result"]
                seen += [row["memory_id"] for row in result["items"]]
                if result["next_cursor"] is None:
                    break
                given["cursor"] = result["next_cursor"]
            assert sorted(seen) == sorted(["r2", "r3", "r" * 3_000, "r5"])


def test_paused_writes_change_nothing_whatever_they_are_given(tmp_path: Path) -> None:
    """MA40."""
    desk = Desk(tmp_path, approval=lambda: True)
    desk.put(entry("r1", "I live in Oslo."))

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(["store", "update", "forget", "feedback"]), _ARGUMENTS)
    def run(name: str, arguments: Any) -> None:
        before = desk.state()
        assert strict(desk.raw(f"memoria_{name}", arguments))["success"] is False
        assert desk.state() == before

    run()
    desk.close()


_ROWS = st.lists(
    st.fixed_dictionaries(
        {"memory_id": st.text(min_size=1, max_size=40), "content": _TEXTS, "score": st.floats(0, 1), "extra": _VALUES}
    ),
    max_size=20,
)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(_ROWS)
def test_sharing_out_keeps_every_id_in_order_and_ends(rows: list[dict[str, Any]]) -> None:
    """M31, MI15: bounding is proven to end and loses no hit."""
    rows = [{**row, "extra": row["extra"] if not _odd(row["extra"]) else 0} for row in rows]
    text = share_out(rows, lambda some, cut: {"result": some, "cut": cut}, _short)
    answer = strict(text)
    kept = [json.loads(plain(row["memory_id"])) for row in rows]
    assert [row["memory_id"] for row in answer["result"]] == kept


def _short(row: dict[str, Any], room: int) -> dict[str, Any]:
    return excerpted(row, room, keep=("memory_id",))


def _odd(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False), st.integers(0, 10**18), st.text(max_size=40), st.text(max_size=20))
def test_a_cursor_that_was_given_out_is_always_taken_back(at: float, number: int, ref: str, audience: str) -> None:
    """M32."""
    assert cursor.place(cursor.made((at, number, ref), audience), audience) == (at, number, ref)


@settings(max_examples=200, deadline=None)
@given(st.one_of(_VALUES, st.from_regex(r"[A-Za-z0-9_-]{1,80}", fullmatch=True)))
def test_no_other_value_is_taken_for_a_cursor(value: Any) -> None:
    """M32: refused locally."""
    with pytest.raises(BadArgument) as wrong:
        cursor.place(value, "owner")
    assert wrong.value.code == "invalid_cursor"
