"""What bounds a recall: files that others hold, labels that are no text, passages there is no room for."""

import time

import pytest
from cognition.budget import estimate_tokens

from .conftest import Talk


@pytest.mark.parametrize(("tokens", "spent"), [(200, 320), (280, 1120), (340, 1360)])
def test_passages_without_room_beside_an_entry_leave_a_marker(talk: Talk, tokens: int, spent: int) -> None:
    """C23, CA24: whatever is left out, there is a marker, and inside the budget (CD78)."""
    talk.store.add("The kiosk belongs to Ada.", ref="r")
    for number in range(3):
        talk.say(f"s{number}", f"{number}: {'数据' * 300} kiosk")
    found = talk.recall("What about the kiosk?", target_tokens=tokens, spent=spent)
    assert (found.refs, found.omitted) == (("r",), 3)
    assert found.text.endswith(f"\n[cognition: 3 entries omitted — prefetch budget {tokens} tokens]")
    assert estimate_tokens(found.text) <= tokens


def test_of_forgotten_messages_no_name_is_left(talk: Talk) -> None:
    """D102: who spoke is taken out with what was said, also when several messages go at once."""
    talk.say("s1", *(f"Zorblax: the violin number {number} is old." for number in range(4)))
    ids = [message.id for message in talk.log.messages("s1")]
    with talk.log.file.transaction(wait=1.0) as tx:
        talk.log.index.remove(tx, ids[:3])
    with talk.log.reading() as db:
        assert db.execute("SELECT name, count FROM episode_names").fetchall() == [("zorblax", 1)]
    with talk.log.file.transaction(wait=1.0) as tx:
        talk.log.index.remove(tx, ids)
    with talk.log.reading() as db:
        assert db.execute("SELECT name, count FROM episode_names").fetchall() == []


@pytest.mark.parametrize("label", ["\ud800", "a\udfffb"])
def test_a_label_that_is_no_text_finds_nothing_and_is_no_fault(talk: Talk, label: str) -> None:
    """B052: lone surrogates come from models and from names of folders."""
    talk.store.add("The kiosk belongs to Ada.", repo=label.encode("utf-8", "replace").decode())
    assert talk.engine.search("kiosk", audience="owner", repo=label) == ([], 0)
    assert talk.engine.search("kiosk", audience=label) == ([], 0)
    assert talk.recall("Whose is the kiosk?", project=label).refs == ("cog-s1-1",)


def test_another_process_is_waited_for_no_longer_than_half_of_what_is_left(talk: Talk) -> None:
    """D79: there is more to look for, and what was found has to be told; without a deadline it is the usual time."""
    talk.say("s1", "The kiosk in Oslo opens at nine.")
    for looking in (talk.engine._index._db.connection, talk.log.reading):
        for seconds, most in ((0.1, 50), (-1.0, 0), (60.0, 100)):
            with looking(time.monotonic() + seconds) as db:
                assert db.execute("PRAGMA busy_timeout").fetchone()[0] <= most
        with looking() as db:
            assert db.execute("PRAGMA busy_timeout").fetchone()[0] == 100
