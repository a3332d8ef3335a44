"""Which rows are new (D62): every row of a history is taken up once, however it is cut and repeated."""

from cognition.capture.seen import new_rows
from cognition.capture.turn import UserRow
from hypothesis import given, settings
from hypothesis import strategies as st


def rows(*texts: str) -> list[UserRow]:
    return [UserRow(text, text, None, "") for text in texts]


def fresh(known: list[str], *texts: str) -> list[tuple[int, str]]:
    return [(n, row.text) for n, row in new_rows(known, rows(*texts))]


def test_everything_is_new_at_first() -> None:
    assert fresh([], "a", "b") == [(0, "a"), (1, "b")]


def test_a_repeated_transcript_has_nothing_new() -> None:
    """CD23, B-cases of repeated session ends."""
    assert fresh(["a", "b", "c"], "a", "b", "c") == []
    assert fresh(["a", "b", "c"]) == []


def test_only_what_follows_is_new() -> None:
    assert fresh(["a", "b"], "a", "b", "c") == [(2, "c")]


def test_the_tail_after_a_compaction_is_known() -> None:
    assert fresh(["a", "b", "c", "d"], "c", "d", "e") == [(4, "e")]


def test_a_transcript_that_holds_only_new_rows() -> None:
    assert fresh(["a", "b"], "c", "d") == [(2, "c"), (3, "d")]


def test_undone_rows_leave_gaps() -> None:
    assert fresh(["a", "b", "c"], "a", "d") == [(3, "d")]
    assert fresh(["a", "b", "c", "d"], "a", "d") == []


def test_a_text_said_again_later_is_new() -> None:
    assert fresh(["a", "b"], "a", "b", "a") == [(2, "a")]
    assert fresh(["a", "b", "c"], "c", "x", "a") == [(3, "x"), (4, "a")]


def test_a_row_never_delivered_is_new_alone() -> None:
    """An interrupted turn stands in the transcript only (host.md 5.5): what follows it stays known."""
    assert fresh(["a", "c"], "a", "interrupted", "c") == [(2, "interrupted")]
    assert fresh(["a", "c", "interrupted"], "a", "interrupted", "c") == []


def test_an_old_statement_never_becomes_new_for_being_cut_out_of_its_place() -> None:
    """D63: where texts cannot decide, the row counts as known."""
    assert fresh(["yes", "x", "yes"], "yes", "x") == []


@given(st.lists(st.integers(0, 3).map(str), max_size=12), st.data())
@settings(max_examples=150, deadline=None)
def test_a_growing_full_transcript_gives_each_row_once(history: list[str], data: st.DataObject) -> None:
    """Repeated texts included: as long as the transcript is whole, every row is taken up exactly once."""
    known: list[str] = []
    for end in sorted(data.draw(st.lists(st.integers(0, len(history)), max_size=4))) + [len(history)] * 2:
        for n, row in new_rows(known, rows(*history[:end])):
            assert n == len(known)
            known.append(row.fingerprint)
    assert known == history


@given(st.integers(0, 14), st.data())
@settings(max_examples=150, deadline=None)
def test_compactions_at_any_points_give_each_row_once(size: int, data: st.DataObject) -> None:
    history = [f"t{n}" for n in range(size)]
    known: list[str] = []
    start = 0
    for end in [*sorted(data.draw(st.lists(st.integers(0, size), max_size=5))), size]:
        start = min(start, end)
        for _ in range(2):
            known += [row.fingerprint for _, row in new_rows(known, rows(*history[start:end]))]
        start = data.draw(st.integers(start, end))
    assert known == history


@given(st.lists(st.sampled_from("abc"), max_size=10), st.lists(st.sampled_from("abc"), max_size=10))
@settings(max_examples=200, deadline=None)
def test_feeding_a_transcript_twice_gives_nothing_the_second_time(before: list[str], transcript: list[str]) -> None:
    known = list(before)
    first = new_rows(known, rows(*transcript))
    assert [n for n, _ in first] == list(range(len(known), len(known) + len(first)))
    known += [row.fingerprint for _, row in first]
    assert new_rows(known, rows(*transcript)) == []
