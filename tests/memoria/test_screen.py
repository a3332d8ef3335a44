"""What the server blocks is known before it is sent; what redaction leaves behind passes (D107, memoria-api.md 4)."""

import pytest
from capture.test_redact import MASKED
from cognition.capture.redact import redact
from cognition.memoria.errors import ContentBlocked, Refused
from cognition.memoria.screen import BLOCKED, blocked, checked, on_the_wire
from hypothesis import given
from hypothesis import strategies as st
from memoria_server.rules import BLOCKERS, Refusal, screen

from .rig import server

ALONE = ["{}", "Note: {} (see wiki)", "x\n{}\ny"]
ASSIGNED = ["password: {}", "passwd={}", "client_secret = '{}'", 'SECRET := "{}"']
SECRETS = [text for text, _ in MASKED]
CASES = [around.format(text) for text in SECRETS for around in ALONE]
CASES += [around.format(text) for text in SECRETS if len(text.split()) == 1 for around in ASSIGNED]


def refused_by_server(text: str) -> bool:
    try:
        screen(text)
    except Refusal:
        return True
    return False


@pytest.mark.parametrize("text", CASES, ids=range(len(CASES)))
def test_what_redaction_leaves_behind_is_taken_by_the_server(text):
    """D107: the output of every redaction rule, alone, in a sentence, and as the value of an assignment."""
    wire = on_the_wire(redact(text))
    assert not refused_by_server(wire), wire
    assert not blocked(wire)


def test_every_rule_through_the_batch_route(clock):
    """The same over the wire: none of them is refused, none of them is lost."""
    from .rig import delivered

    with server("asgi") as memoria:
        store = memoria.store(clock)
        texts = dict.fromkeys(redact(f"Case {n}: {text}") for n, (text, _) in enumerate(MASKED))
        outcomes = store.push([delivered(f"r{n}", text, kind="note") for n, text in enumerate(texts)])
        assert {one.status for one in outcomes} == {"applied"}
        assert len(memoria.rows()) == len(texts)


@pytest.mark.parametrize(
    ("text", "wire"),
    [
        ("DB_PASSWORD=[REDACTED credential] and more", "DB_PASSWORD [REDACTED credential] and more"),
        ('password: str = "[REDACTED credential]"', 'password str = "[REDACTED credential]"'),
        ("secret => [REDACTED x]", "secret [REDACTED x]"),
        ("The password is [REDACTED credential].", "The password is [REDACTED credential]."),
        ("nothing to mask: a = b", "nothing to mask: a = b"),
    ],
)
def test_a_masked_assignment_loses_its_separator(text, wire):
    """D107."""
    assert on_the_wire(text) == wire


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("key AKIAABCDEFGHIJKLMNOP", "aws_key"),
        ("-----BEGIN EC PRIVATE KEY-----", "private_key"),
        ("use BEARER abc.def", "bearer_token"),
        ("Passwd = x", "password_assign"),
        ("my secret: tea", "password_assign"),
    ],
)
def test_blocked_texts_are_refused_before_they_are_sent(text, label):
    assert blocked(text) == label
    with pytest.raises(ContentBlocked):
        checked(text)


def test_too_long_is_refused_in_bytes():
    """MA36."""
    with pytest.raises(Refused, match="content_exceeds_32_KiB"):
        checked("世" * 10_923)
    assert checked("世" * 10_922)


_PARTS = st.sampled_from(
    ["password", "secret", " ", ":", "=", "\n", "bearer", "AKIA", "ABCDEFGHIJKLMNOP", "x", '"', "[REDACTED a]"]
)


@given(st.lists(_PARTS, max_size=12).map("".join))
def test_the_copy_agrees_with_the_server(text):
    """Never more, never less than the server's rules."""
    assert bool(blocked(text)) == refused_by_server(text)
    assert BLOCKED.keys() == BLOCKERS.keys()


@given(st.lists(_PARTS, max_size=12).map("".join))
def test_the_wire_form_is_stable(text):
    once = on_the_wire(text)
    assert on_the_wire(once) == once or blocked(once), "what is refused is not sent"


@pytest.mark.parametrize(
    "hostile", ["password:" * 20_000, "secret " * 30_000, "password" + " " * 200_000, "bearer " + "a" * 200_000]
)
def test_hostile_texts_take_linear_time(hostile):
    """Minutes if it were not."""
    on_the_wire(hostile)
    blocked(hostile)
