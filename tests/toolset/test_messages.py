"""The conversation log in cognition_search: refs, neighbours, listings, filters, whose it is (D92, B091, D45)."""

import json

import pytest
from cognition.chatlog import Call, Draft, LogPlace
from cognition.toolset import answers

from .desk import NOW, Desk, entry

DAY = 86_400.0


def say(desk: Desk, *texts: str, sid: str = "s7", audience: str = "owner", at: float = NOW, **more) -> list[str]:
    """Log messages, user and assistant in turn, a minute apart; their refs."""
    log = desk.runtime.log
    assert log is not None
    drafts = [
        Draft("assistant" if n % 2 else "user", text, f"{n:064x}", at + 60 * n, **more) for n, text in enumerate(texts)
    ]
    return log.append(LogPlace(f"session-{sid}", sid, audience, ""), drafts)


@pytest.fixture
def talk(desk: Desk) -> Desk:
    say(desk, *(f"Line {n} about the kiosk." for n in range(8)))
    return desk


def test_a_message_comes_with_what_was_said_around_it(talk):
    """D92: `ref`."""
    answer = talk.tool("cognition_search", ref="msg-s7-4")
    [found] = answer["results"]
    assert (found["ref"], found["content"], found["kind"]) == ("msg-s7-4", "Line 4 about the kiosk.", "message")
    assert (found["author"], found["session"], len(found["date"])) == ("user", "s7", 10)
    assert [one["ref"] for one in answer["neighbours"]["before"]] == ["msg-s7-2", "msg-s7-3"]
    assert [one["ref"] for one in answer["neighbours"]["after"]] == ["msg-s7-5", "msg-s7-6"]


def test_the_ref_of_a_recalled_passage_gives_all_its_messages(talk):
    """START.md: `[msg-s7-2..4]` as a recalled line shows it."""
    answer = talk.tool("cognition_search", ref="[msg-s7-2..4]")
    assert [one["ref"] for one in answer["results"]] == ["msg-s7-2", "msg-s7-3", "msg-s7-4"]
    assert [one["ref"] for one in answer["neighbours"]["before"]] == ["msg-s7-0", "msg-s7-1"]


def test_a_long_range_says_how_much_is_left_and_where_it_goes_on(talk):
    """D92, CD86: of a range twenty messages at a time, with the whole count; the rest by its own ref."""
    say(talk, *(f"Word {n}." for n in range(50)), sid="s 9%")
    ref, seen = "msg-s%209%25-3..99", []
    totals = []
    while ref:
        answer = talk.tool("cognition_search", ref=ref)
        seen += [one["content"] for one in answer["results"]]
        totals.append(answer["total"])
        ref = answer.get("rest")
    assert seen == [f"Word {n}." for n in range(3, 50)]
    assert totals == [47, 27, 7]


def test_a_message_has_no_relations_and_the_error_says_what_does(talk):
    """D92, D93."""
    said = talk.tool("cognition_search", related_to="[msg-s7-4]")["error"]
    assert said.startswith("related_to")
    assert "as ref" in said


def test_the_assistants_calls_are_told(desk):
    [ref] = say(desk, "Look at the logs.", calls=(Call("terminal", False, 1.0, "exit 1", 3), Call("read", True)))
    [found] = desk.tool("cognition_search", ref=ref)["results"]
    failed = {"tool": "terminal", "ok": False, "times": 3, "error": "exit 1"}
    assert found["calls"] == [failed, {"tool": "read", "ok": True}]


@pytest.mark.parametrize("ref", ["msg-s7-99", "msg-other-1", "msg-s7-x", "msg-s8-0"])
def test_what_is_not_there_or_of_others_is_not_told(talk, ref):
    """D45: another audience's message is as absent as one that never was."""
    say(talk, "A secret of somebody else.", sid="s8", audience="person/telegram/7")
    answer = talk.tool("cognition_search", ref=ref)
    assert "No message has that ref" in answer["error"]
    assert "secret" not in json.dumps(answer)


def test_neighbours_of_another_audience_are_left_out(talk):
    say(talk, "A secret of somebody else.", audience="person/telegram/7")
    answer = talk.tool("cognition_search", ref="msg-s7-7")
    assert answer["neighbours"]["after"] == []


def test_a_forgotten_message_is_not_told(talk):
    assert talk.runtime.log.forget(["msg-s7-4"]) == 1
    assert "error" in talk.tool("cognition_search", ref="msg-s7-4")
    assert [one["ref"] for one in talk.tool("cognition_search", ref="msg-s7-5")["neighbours"]["before"]] == [
        "msg-s7-2",
        "msg-s7-3",
    ]


def test_a_time_or_a_session_alone_lists_both_tiers_newest_first(talk):
    talk.put(entry("cog-s7-1", "The kiosk opens at nine.", at=NOW + 90, session="session-s7"))
    answer = talk.tool("cognition_search", session="session-s7", top_k=5)
    assert answer["total"] == 9
    assert [one["ref"] for one in answer["results"]][:2] == ["msg-s7-7", "msg-s7-6"]
    whole = talk.tool("cognition_search", session="session-s7", top_k=50)["results"]
    assert [one["ref"] for one in whole][6:8] == ["cog-s7-1", "msg-s7-1"]
    assert talk.tool("cognition_search", session="s7", kind="message")["total"] == 8
    assert talk.tool("cognition_search", session="nobody")["count"] == 0


def test_listings_are_narrowed_by_time_speaker_and_kind(talk):
    say(talk, "Bo says hello.", sid="s9", at=NOW + DAY, speaker={"id": "7", "name": "Bo"})
    assert talk.tool("cognition_search", author="bo")["results"][0]["content"] == "Bo says hello."
    assert talk.tool("cognition_search", author="assistant")["total"] == 4
    assert talk.tool("cognition_search", author="Ada", kind="message")["total"] == 4  # the user is called Ada
    assert talk.tool("cognition_search", since=NOW + 2 * 3600, kind="message")["total"] == 1
    assert talk.tool("cognition_search", until=NOW + 120, kind="message")["total"] == 3
    assert talk.tool("cognition_search", since=NOW - DAY, kind="fact")["count"] == 0
    assert talk.tool("cognition_search", since=NOW - DAY, repo="default")["count"] == 0  # a message has no label


def test_words_find_messages_and_entries(talk):
    """D92, B091: text, date, kind, score; the highlighted piece; the total."""
    talk.put(entry("cog-s1-1", "The kiosk opens at nine.", at=NOW))
    answer = talk.tool("cognition_search", query="kiosk", top_k=50)
    kinds = {one["kind"] for one in answer["results"]}
    assert kinds == {"fact", "message"}
    assert answer["total"] == 9
    assert all("**kiosk**" in one["highlighted"] and 0 <= one["score"] <= 1 for one in answer["results"])
    only = talk.tool("cognition_search", query="kiosk", kind="message", top_k=50)
    assert {one["kind"] for one in only["results"]} == {"message"}
    assert talk.tool("cognition_search", query="kiosk", kind="fact")["total"] == 1
    assert talk.tool("cognition_search", query="kiosk", repo="default")["total"] == 1
    hits = talk.tool("memoria_search", query="kiosk")["result"]
    assert [one["memory_id"] for one in hits] == ["cog-s1-1"]


def test_words_within_a_session_a_time_and_by_a_speaker(talk):
    say(talk, "The kiosk in Oslo is closed.", sid="s9", at=NOW + 5 * DAY, speaker={"id": "7", "name": "Bo"})
    found = talk.tool("cognition_search", query="kiosk", session="session-s9")["results"]
    assert [one["ref"] for one in found] == ["msg-s9-0"]
    assert talk.tool("cognition_search", query="kiosk", since=NOW + DAY)["total"] == 1
    assert talk.tool("cognition_search", query="kiosk", until=NOW + 130, top_k=50)["total"] == 3
    assert talk.tool("cognition_search", query="kiosk", author="Bo")["total"] == 1
    assert talk.tool("cognition_search", query="kiosk", author="assistant", top_k=50)["total"] == 4


def test_long_messages_are_shortened_in_results_and_whole_by_ref(desk):
    """P35: at most 30,000 characters."""
    refs = say(desk, *(f"kiosk {n} " + "word " * 4_000 for n in range(12)))
    text = desk.raw("cognition_search", {"query": "kiosk", "top_k": 12})
    assert len(text) <= answers.MAX_RESULT
    rows = json.loads(text)["results"]
    assert len(rows) == 12
    assert all(row["content_truncated"] and len(row["content"]) <= 1_200 for row in rows)
    assert len(desk.raw("cognition_search", {"ref": f"{refs[0]}..11"})) <= answers.MAX_RESULT
    assert len(desk.tool("cognition_search", ref=refs[0])["results"][0]["content"]) > 15_000


def test_a_message_that_was_corrected_since_says_so(desk):
    """Decision 13: a search shows what was said, and that it holds no more; what is said anew is no old value."""
    ref = desk.store("I live in Oslo.")
    said = say(
        desk, "The kiosk opens at nine. I live in Oslo.", "Then you live in Oslo!", "The kiosk is in Oslo.", at=NOW
    )
    desk.clock = NOW + 3 * DAY
    assert desk.tool("memoria_update", memory_id=ref, new_content="I live in Bergen.")["success"]
    later = say(desk, "I live in Oslo again.", sid="s8", at=NOW + 5 * DAY)
    found = {
        row["ref"]: row.get("outdated") for row in desk.tool("cognition_search", query="Oslo Bergen live")["results"]
    }
    assert found == {said[0]: True, said[1]: True, said[2]: None, later[0]: None, ref: None}
