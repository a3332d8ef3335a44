"""Order, cut and marker (C23, CD75 to CD78, CA24 to CA26, D73, D74)."""

from typing import Any

from cognition.budget import (
    HEADING,
    Passage,
    apply_budget,
    estimate_tokens,
    fit,
    pending_line,
    rank_key,
    truncation_marker,
)
from hypothesis import given, settings
from hypothesis import strategies as st


def entry(ref: str, content: str, created: Any = 1000.0, salience: Any = 0.5, **more: Any) -> dict[str, Any]:
    record = {"source_session": "s", "author": "Ada", "created_at": created, "origin_repo": "r", "trace_id": "t"}
    return {"ref": ref, "content": content, "salience": salience, "provenance": record, **more}


def test_the_order_is_pin_provenance_recency_salience() -> None:
    pinned = entry("pin", "x", 1.0, 0.0, pinned=True)
    newer, older = entry("new", "x", 200.0, 0.1), entry("old", "x", 100.0, 0.9)
    salient = entry("sal", "x", 200.0, 0.8)
    bare = {"ref": "bare", "content": "x", "salience": 1.0}
    ordered = sorted([bare, older, newer, salient, pinned], key=rank_key)
    assert [one["ref"] for one in ordered] == ["pin", "sal", "new", "old", "bare"]


def test_extra_provenance_keys_do_not_rank() -> None:
    """CD77."""
    extra = entry("a", "x", 100.0)
    extra["provenance"] |= {f"k{n}": "v" for n in range(10)}
    assert rank_key(entry("b", "x", 200.0)) < rank_key(extra)


def test_values_of_a_wrong_type_rank_as_zero() -> None:
    """CD82, B097."""
    for odd in ("high", None, True, float("nan"), float("inf"), [1]):
        assert rank_key(entry("a", "x", 100.0, odd)) == rank_key(entry("a", "x", 100.0, 0))
        rank_key({"provenance": odd, "pinned": odd, "content": odd})


def test_strict_order_lets_nothing_pass_what_was_left_out() -> None:
    """CD75."""
    first, long, short = entry("a", "alpha " * 90), entry("b", "bravo " * 60), entry("c", "charlie")
    room = estimate_tokens("\n".join(fit([first, short], 10_000).lines)) + estimate_tokens(truncation_marker(2, 999))
    fitted = fit([first, long, short], room + 20)
    assert [one["ref"] for one in fitted.kept] == ["a"]
    assert fitted.dropped == 2


def test_one_entry_longer_than_the_budget_is_shortened() -> None:
    """CD76."""
    text, kept, dropped = apply_budget([entry("a", "lorem " * 7000)], 1000)
    assert (kept, dropped) == (1, 0)
    assert 900 < estimate_tokens(text) <= 1000
    assert " … (" in text


def test_heading_pending_line_and_marker_are_inside() -> None:
    """CD78."""
    entries = [entry(f"e{n}", f"fact number {n} about the staging host") for n in range(60)]
    frame = [HEADING, pending_line(3)]
    told = 0
    for budget in range(40, 400, 7):
        fitted = fit(entries, budget, frame=frame)
        if fitted.lines:
            told += 1
            assert estimate_tokens("\n".join([*frame, *fitted.lines])) <= budget
            assert fitted.lines[-1] == truncation_marker(fitted.dropped, budget)
    assert told > 30


def test_what_fits_exactly_has_no_marker() -> None:
    """CA24."""
    entries = [entry(f"e{n}", "some words about a thing") for n in range(8)]
    text, _, _ = apply_budget(entries, 10_000)
    again, kept, dropped = apply_budget(entries, estimate_tokens(text))
    assert (again, kept, dropped) == (text, 8, 0)
    less, kept, dropped = apply_budget(entries, estimate_tokens(text) - 1)
    assert dropped == 8 - kept > 0
    assert less.endswith(truncation_marker(dropped, estimate_tokens(text) - 1))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=300), max_size=8), st.integers(1, 300))
def test_the_text_is_within_the_budget_or_one_entry(contents: list[str], budget: int) -> None:
    entries = [entry(f"e{n}", content, 1000.0 - n) for n, content in enumerate(contents)]
    text, kept, dropped = apply_budget(entries, budget)
    assert kept + dropped == len(entries)
    assert (kept == 0) == (not entries)
    assert estimate_tokens(text) <= budget or kept == 1
    shown = [line for line in text.splitlines() if line.startswith("- [")]
    assert [line[3 : line.index("]")] for line in shown] == [f"e{n}" for n in range(kept)]
    assert text.endswith(truncation_marker(dropped, budget)) == bool(dropped)


def test_b065_texts_stay_within_their_budget() -> None:
    """B065: forty items each; counted as 1 per CJK character and 2 per emoji at least."""
    for content in ("汉" * 120, "👩‍👩‍👧‍👦" * 8, "a " * 200, "สวัสดี" * 20, "mixed 汉字 and 👍 text " * 6):
        text, kept, _ = apply_budget([entry(f"e{n}", content) for n in range(40)], 300)
        wide = sum(1 if 0x2E80 <= ord(char) <= 0x9FFF else 2 if ord(char) >= 0x1F000 else 0 for char in text)
        assert kept >= 1
        assert wide <= 330
        assert text.count("a ") <= 330


_PASSAGES = st.builds(
    Passage,
    st.integers(0, 99).map(lambda n: f"msg-s7-{n}..{n + 2}"),
    st.lists(st.tuples(st.text(max_size=20), st.text(max_size=200)), min_size=1, max_size=4).map(tuple),
    st.sampled_from(["", "2026-05-09"]),
)
_ENTRIES = st.text(max_size=300).map(lambda content: entry("cog-s1-1", content))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(_ENTRIES, _PASSAGES), max_size=8), st.integers(20, 400), st.booleans(), st.booleans())
def test_the_whole_injected_text_is_inside_the_budget(
    told: list[Any], budget: int, pending: bool, capped: bool
) -> None:
    """CD75, CD76, CD78, D73: entries and passages in one order, the marker last, heading and Pending line counted."""
    tail = [pending_line(2)] if pending else []
    fitted = fit(told, budget, frame=[HEADING, *tail], longest=60 if capped else None)
    assert len(fitted.kept) + fitted.dropped == len(told)
    assert list(fitted.kept) == told[: len(fitted.kept)]
    if fitted.lines:
        assert estimate_tokens("\n".join([HEADING, *fitted.lines, *tail])) <= budget
        marked = fitted.lines[-1] == truncation_marker(fitted.dropped, budget)
        assert marked == bool(fitted.dropped)
        assert len(fitted.lines) == len(fitted.kept) + marked
        assert all(len(line.splitlines()) == 1 for line in fitted.lines)
