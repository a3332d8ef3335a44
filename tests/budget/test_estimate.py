"""The token estimate: by script, never several-fold too low (CD73, CD74, B065, capture.md section 4)."""

import pytest
from cognition.budget import estimate_tokens, gate_tokens
from cognition.telling import tokens
from hypothesis import given
from hypothesis import strategies as st


def test_a_text_costs_something_and_nothing_costs_nothing() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("x") == 1
    assert estimate_tokens("the quick brown foxes jumped over lazy dogs") == 9


def test_wide_characters_count_one_each_or_more() -> None:
    """CD73."""
    assert 1000 <= estimate_tokens("好" * 1000) <= 1300
    assert estimate_tokens("あア한ＡＢ。") >= 6


def test_other_letters_outside_ascii_count_a_half_or_more() -> None:
    assert 50 <= estimate_tokens("ж" * 100) <= 70


def test_the_fixed_estimate_of_the_gates() -> None:
    """capture.md section 4, HD10, HA64: by script, mixed text, empty text."""
    assert gate_tokens("") == 0
    assert gate_tokens("abcd" * 100) == 100
    assert gate_tokens("abcde") == 2
    assert gate_tokens("好" * 1000) == 1000
    assert gate_tokens("あア한ＡＢ。") == 6
    assert gate_tokens("ж" * 100) == gate_tokens("é" * 100) == 50
    assert gate_tokens("ab 好 é") == 3  # 5/4 + 1 + 1/2


def test_line_breaks_are_counted() -> None:
    """CD74."""
    assert estimate_tokens("ab\n" * 500) >= 500
    assert estimate_tokens("\n" * 400) >= 100


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("a " * 200, 200),
        ("👩‍👩‍👧‍👦" * 20, 160),
        ("👍" * 60, 120),
        ("dGhpcyBpcyBub3Qg4oCmIGEg5Yr7cmV0IGtleSBhdCBhbGwgMTIzNDU2Nzg5" * 7, 230),
        ("สวัสดีครับ" * 30, 250),
        ('{"a":1,"b":[2,3],"c":{"d":4}}', 15),
        ("3f9a0c1d7be24f60a1c9", 9),
    ],
)
def test_dense_text_is_not_taken_for_prose(text: str, least: int) -> None:
    """B065: what tokenisers cut into small pieces counts by the piece."""
    assert estimate_tokens(text) >= least


def test_prose_is_not_overrated() -> None:
    prose = "We decided to move the staging host to Frankfurt because the latency to our users was too high. " * 20
    assert len(prose.split()) <= estimate_tokens(prose) <= len(prose) / 4


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_estimate_grows_with_the_text(left: str, right: str) -> None:
    whole = estimate_tokens(left + "\n" + right)
    assert whole <= estimate_tokens(left) + estimate_tokens(right) + 1
    assert whole >= max(estimate_tokens(left), estimate_tokens(right)) - 1


@given(st.text(st.sampled_from("aAzZ09'- .,\t\r\x0b\x0c\u00a0\u3000é中+/=_\x00" + " " * 8), max_size=80))
def test_a_line_costs_what_its_pieces_cost(line: str) -> None:
    """Words are looked up whole: what stands between single spaces is a piece of no other word."""
    cost = tokens._known_english_cost if tokens._is_english(line) else tokens._known_cost
    dense = sum(12 * len(run) for run in tokens._DENSE.findall(line) if tokens._is_dense(run))
    assert tokens.measure(line) == sum(map(cost, tokens._PIECES.findall(line))) + dense
