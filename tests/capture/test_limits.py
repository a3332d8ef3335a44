"""Of a very long message head and tail are read: nothing is half there, and the count is right (H7, HA47, HA62, D61)."""

# ruff: noqa: E501 - one value is one line
import pytest
from cognition.capture.caps import cap
from cognition.capture.limits import HEAD, TAIL, shorten
from cognition.capture.redact import redact
from hypothesis import given, settings
from hypothesis import strategies as st

KEY = "ghp_" + "Z9y8x7W6v5" * 3 + "Q1w2e3"
PARTS = {KEY[at : at + 8] for at in range(4, len(KEY) - 7)}
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join("MIIEowIBAAKCAQ" + "x9Yz" * 12 for _ in range(24))
    + "\n-----END RSA PRIVATE KEY-----"
)


def around(secret: str, before: int, after: int) -> str:
    """A text with a secret in it that has so many characters before and behind it."""
    return ("word " * (before // 5 + 1))[-before:] + f" {secret} " + ("more " * (after // 5 + 1))[:after]


@pytest.mark.parametrize("shift", [-110, -90, -60, -41, -30, -12, -5, 0, 5])
@pytest.mark.parametrize("secret", [KEY, f"password={KEY}"])
def test_no_cut_leaves_half_a_secret(shift: int, secret: str) -> None:
    """HA47: this cut comes before redaction, so it falls between words."""
    for text in (around(secret, HEAD + shift, 60_000), around(secret, 110_000, TAIL + shift)):
        short = redact(str(shorten(text)))
        assert len(short) < len(text)
        assert not any(part in short for part in PARTS)


@pytest.mark.parametrize("inside", [10, 300, 900, 1500])
def test_no_cut_leaves_the_end_of_a_key_block(inside: int) -> None:
    """HR1: its beginning is in the part left out."""
    text = around(PEM, 120_000, TAIL - inside).replace("---- more", "----\nmore")
    short = redact(str(shorten(text)))
    assert "x9Yzx9Yz" not in short
    assert "more more" in short


def told(text: str) -> tuple[str, int, str]:
    head, _, rest = text.partition("\n[\u2026 ")
    count, _, tail = rest.partition(" characters omitted \u2026]\n")
    return head, int(count), tail


@given(st.integers(1, 40_000), st.sampled_from(["a", "word ", "line of it\n", "密", "x\n\n"]))
@settings(max_examples=40, deadline=None)
def test_what_is_left_out_is_counted_and_stays_left_out(more: int, unit: str) -> None:
    """HA62, HA63: by what reads it and by the log's cap behind that; a second time changes nothing."""
    text = (unit * (HEAD + TAIL + more))[: HEAD + TAIL + more]
    short = str(shorten(text))
    assert shorten(short) == short
    assert len(short) <= HEAD + TAIL
    for cut in (short, cap(short, 8_000)):
        head, count, tail = told(cut)
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(head) + count + len(tail) == len(text)
