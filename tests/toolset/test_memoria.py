"""The six memoria_* tools on the local store (contract memoria-plugin.md 2.5; M28-M33)."""

import json

import pytest
from cognition.audience import Place
from cognition.toolset import answers

from .desk import NOW, WRITES, Desk, entry


@pytest.fixture
def known(desk: Desk) -> Desk:
    desk.put(entry("r", "My cat is called Tom."))
    return desk


# -- arguments and receipts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "given", "code"),
    [
        ("memoria_search", {}, "invalid_query"),
        ("memoria_search", {"query": "  "}, "invalid_query"),
        ("memoria_search", {"query": "x", "top_k": True}, "invalid_top_k"),
        ("memoria_search", {"query": "x", "top_k": 0}, "invalid_top_k"),
        ("memoria_search", {"query": "x", "top_k": 21}, "invalid_top_k"),
        ("memoria_search", {"query": "x", "top_k": 2.5}, "invalid_top_k"),
        ("memoria_search", {"query": "x", "subject_id": "other"}, "invalid_tool_arguments"),
        ("memoria_store", {"content": None}, "invalid_content"),
        ("memoria_store", {"content": "x" * 24_001}, "invalid_content"),
        ("memoria_store", {"content": "記" * 12_000}, "content_exceeds_32_KiB"),
        ("memoria_store", {"content": "x", "memory_type": "song"}, "invalid_memory_type"),
        ("memoria_store", {"content": "x", "kind": "song"}, "invalid_kind"),
        ("memoria_store", {"content": "x", "session_id": "s"}, "invalid_tool_arguments"),
        ("memoria_update", {"memory_id": "r"}, "invalid_new_content"),
        ("memoria_update", {"memory_id": "r", "new_content": "記" * 12_000}, "new_content_exceeds_32_KiB"),
        ("memoria_update", {"new_content": "x"}, "invalid_memory_id"),
        ("memoria_forget", {"memory_id": 5}, "invalid_memory_id"),
        ("memoria_forget", {"memory_id": "a\x00b"}, "invalid_memory_id"),
        ("memoria_profile", {"limit": 51}, "invalid_limit"),
        ("memoria_profile", {"cursor": "page2"}, "invalid_cursor"),
        ("memoria_profile", {"cursor": 7}, "invalid_cursor"),
        ("memoria_feedback", {"memory_id": "r", "signal": "great"}, "invalid_signal"),
        ("memoria_forget", ["r"], "unknown_tool_or_invalid_arguments"),
    ],
)
def test_wrong_arguments_are_refused_by_name_and_change_nothing(known, name, given, code):
    """M29, MA19, MA36, D93."""
    before = known.state()
    answer = json.loads(known.raw(name, given))
    assert (answer["success"], answer["error"]) == (False, code)
    assert answer["hint"]
    assert known.state() == before


@pytest.mark.parametrize("top_k", [5, 5.0, "5", " 5 "])
def test_numbers_with_one_meaning_are_taken(known, top_k):
    """MI15."""
    assert known.tool("memoria_search", query="cat", top_k=top_k)["success"]


def test_receipts_are_short_and_hold_no_text(known):
    """M30, MA37: a 20,000-character text full of quotes."""
    text = '"' * 10_000 + " secret cat " + '"' * 9_000
    stored = known.raw("memoria_store", {"content": text})
    updated = known.raw("memoria_update", {"memory_id": "r", "new_content": text + "!1"})
    for receipt in (stored, updated):
        assert len(receipt) < 1024
        assert "secret cat" not in receipt
        assert json.loads(receipt)["result"]["memory_id"]
    assert json.loads(updated)["result"]["previous_memory_id"] == "r-v1"


def test_the_round_trip_from_a_search_result(desk):
    """B091, MA23: store, find, correct, rate, forget, by the ids that the tools give."""
    desk.store("The staging proxy listens on port 7443.")
    [hit] = desk.tool("memoria_search", query="which port is the staging proxy on?")["result"]
    ref = hit["memory_id"]
    assert hit["date"]
    assert 0 < hit["score"] <= 1
    assert desk.tool("memoria_update", memory_id=ref, new_content="The staging proxy listens on port 9000.")["success"]
    assert desk.found("staging proxy port") == ["The staging proxy listens on port 9000."]
    assert desk.tool("memoria_feedback", memory_id=ref, signal="useful")["result"]["state"] == "rated"
    assert desk.tool("memoria_forget", memory_id=ref)["result"]["state"] == "forgotten"
    assert desk.found("staging proxy port") == []
    assert desk.tool("memoria_forget", memory_id=ref)["result"]["state"] == "gone"


@pytest.mark.parametrize("name", ["memoria_update", "memoria_forget", "memoria_feedback"])
def test_a_made_up_id_changes_nothing_and_names_the_nearest(known, name):
    """B021, B063, M19."""
    before = known.state()
    answer = known.tool(name, **{**WRITES[name], "memory_id": "cat called"})
    assert answer["error"] == "memory_not_found_in_current_subject"
    assert answer["candidates"][0]["memory_id"] == "r"
    assert "Don't try it again" in answer["hint"]
    assert known.state() == before


def test_a_busy_store_answers_queued(known):
    """D60, M33: never reported as saved."""
    with known.locked():
        for name, given in WRITES.items():
            answer = known.tool(name, **given)
            assert answer["success"]
            assert answer["result"]["state"] == "queued"
    while known.drain():
        pass
    assert known.contents() == ["I live in Oslo."]


# -- bounds ------------------------------------------------------------------------------------------------------------


def test_within_the_limit_rows_pass_whole_and_unescaped(desk):
    """MA31."""
    texts = [f"Überall in Straße {n}: ça coûte 数据 \u2028 5 €" for n in range(5)]
    desk.put(*(entry(f"r{n}", text) for n, text in enumerate(texts)))
    raw = desk.raw("memoria_search", {"query": "Straße überall", "top_k": 20})
    answer = json.loads(raw)
    assert sorted(hit["content"] for hit in answer["result"]) == sorted(texts)
    assert "truncated" not in answer
    assert "Straße" in raw


@pytest.mark.parametrize("giant", ["Oslo " * 6_400, "Oslo " + '"\\\n' * 10_600])
def test_a_giant_first_hit_is_an_excerpt_and_the_second_one_whole(desk, giant):
    """MA32."""
    desk.put(entry("big", giant), entry("small", "Oslo is a city."))
    text = desk.raw("memoria_search", {"query": "Oslo"})
    rows = {row["memory_id"]: row for row in json.loads(text)["result"]}
    assert len(text) <= answers.MAX_RESULT
    assert rows["big"]["content_truncated"] is True
    assert len(rows["big"]["excerpt"]) <= 6_000
    assert rows["small"]["content"] == "Oslo is a city."
    assert json.loads(text)["truncated"] is True


def test_twenty_giants_keep_their_ids_in_order(desk):
    """MA33."""
    desk.put(*(entry(f"big-{n}", f"Oslo {n} " * 3_000) for n in range(20)))
    order = [row["memory_id"] for row in desk.tool("memoria_search", query="Oslo", top_k=20)["result"]]
    text = desk.raw("memoria_search", {"query": "Oslo", "top_k": 20})
    rows = json.loads(text)["result"]
    assert len(text) <= answers.MAX_RESULT
    assert [row["memory_id"] for row in rows] == order
    assert len(rows) == 20
    assert all(row["truncated"] for row in rows)


def test_large_metadata_is_left_out_and_the_text_is_not_called_cut(desk):
    """MA33."""
    desk.put(*(entry(f"r{n}", f"Oslo {n}", supersedes=["x" * 5_000]) for n in range(10)))
    rows = desk.tool("memoria_search", query="Oslo", top_k=20)["result"]
    assert sorted(row["content"] for row in rows) == sorted(f"Oslo {n}" for n in range(10))
    assert all(row["content_truncated"] is False for row in rows)


# -- profile -----------------------------------------------------------------------------------------------------------


def pages(desk: Desk, **more) -> list[list[str]]:
    found, cursor = [], None
    while True:
        given = {**more, **({"cursor": cursor} if cursor else {})}
        text = desk.raw("memoria_profile", given)
        assert len(text) <= answers.MAX_RESULT
        result = json.loads(text)["result"]
        found.append([row["memory_id"] for row in result["items"]])
        cursor = result["next_cursor"]
        if cursor is None:
            return found


def test_a_profile_is_who_the_user_is_and_how_they_want_things(desk):
    """M32: fifty at most, in order, each once."""
    kinds = ("identity", "preference", "instruction", "fact", "note")
    desk.put(*(entry(f"r{n:03}", f"fact {n}", kind=kinds[n % 5], at=NOW + n) for n in range(200)))
    desk.put(entry("typed", "explicit", kind="fact", memory_type="profile", at=NOW + 500))
    got = pages(desk)
    assert [len(page) for page in got] == [50, 50, 21]
    every = [ref for page in got for ref in page]
    assert every == [f"r{n:03}" for n in range(200) if n % 5 < 3] + ["typed"]
    assert [ref for page in pages(desk, limit=7) for ref in page] == every


def test_two_large_rows_are_two_pages(desk):
    """MA34."""
    desk.put(*(entry(f"r{n}", f"{n}" + "x" * 16_000, kind="identity", at=NOW + n) for n in range(2)))
    assert pages(desk) == [["r0"], ["r1"]]
    assert pages(desk, limit=1) == [["r0"], ["r1"]]


def test_a_giant_row_is_an_excerpt_and_paging_ends(desk):
    """MA35, MD6."""
    desk.put(entry("big", "x" * 40_000, kind="identity"), entry("small", "y", kind="identity", at=NOW))
    first = desk.tool("memoria_profile")["result"]
    assert first["items"][0]["content_truncated"] is True
    assert pages(desk) == [["big"], ["small"]]
    desk.put(entry("typed", "z", kind="identity", memory_type="q" * 50_000, at=NOW + 1))
    assert pages(desk)[-1][-1] == "typed"


def test_a_cursor_goes_on_where_it_stopped_whatever_comes_and_goes(desk):
    """M32."""
    desk.put(*(entry(f"r{n}", f"fact {n}", kind="identity", at=NOW + n) for n in range(6)))
    cursor = desk.tool("memoria_profile", limit=3)["result"]["next_cursor"]
    desk.tool("memoria_forget", memory_id="r2")
    desk.tool("memoria_forget", memory_id="r0")
    desk.put(entry("early", "before", kind="identity", at=NOW - 5))
    assert [row["memory_id"] for row in desk.tool("memoria_profile", cursor=cursor)["result"]["items"]] == [
        "r3",
        "r4",
        "r5",
    ]


def test_a_cursor_of_another_audience_is_refused(desk):
    desk.put(*(entry(f"r{n}", f"fact {n}", kind="identity") for n in range(3)))
    cursor = desk.tool("memoria_profile", limit=1)["result"]["next_cursor"]
    desk.now = Place("person/telegram/7")
    assert desk.tool("memoria_profile", cursor=cursor)["error"] == "invalid_cursor"
