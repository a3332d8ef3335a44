"""The dream digest: themes, changes, conflicts, staleness, within a budget, the same for the same store (C25, CD89)."""

import json
from typing import Any

import pytest
from cognition.budget import estimate_tokens
from cognition.toolset import digest, stale, themes
from hypothesis import given, settings
from hypothesis import strategies as st

from .desk import NOW, Desk, entry

DAY = 86_400.0


def lines_below(text: str, heading: str) -> list[str]:
    """The lines of one part."""
    lines = text.splitlines()
    assert heading in lines, text
    found = []
    for line in lines[lines.index(heading) + 1 :]:
        if not line:
            break
        found.append(line)
    return found


def some() -> list[dict[str, Any]]:
    return [
        entry("cog-s1-1", "The staging proxy listens on port 7443.", at=NOW - 300 * DAY),
        entry("cog-s1-2", "The staging proxy restarts every night.", at=NOW - 20 * DAY),
        entry("cog-s1-3", "Staging runs on two machines in Oslo.", at=NOW - 10 * DAY, kind="decision"),
        entry("cog-s2-4", "My sister Mia lives in Bergen.", at=NOW - 5 * DAY, kind="identity", pinned=True),
        entry("cog-s2-5", "I prefer tabs.", at=NOW, kind="preference", seen=3),
        entry("cog-s2-6", "Mia likes trains.", at=NOW - 4 * DAY),
        entry("cog-s2-7", "Mia is allergic to peanuts.", at=NOW - 3 * DAY),
    ]


def test_it_counts_what_there_is_by_kind():
    text = digest.digest(some())
    assert text.splitlines()[2] == (
        f"7 entries up to {_day(NOW)}: 4 fact, 1 decision, 1 identity, 1 preference; 1 pinned; 1 said again"
    )


def test_themes_group_entries_by_the_words_they_share():
    """CD89: grouped and condensed."""
    found = lines_below(digest.digest(some()), "## Themes")
    assert [line.split(" (")[0] for line in found] == ["- Mia", "- staging, proxy"]
    assert "cog-s1-1" in found[1]
    assert "3 entries" in found[0]


def test_an_entry_stands_in_one_theme_at_most():
    made = themes.themes(some(), 8)
    refs = [one["ref"] for theme in made for one in theme.entries]
    assert len(refs) == len(set(refs))


def test_themes_without_spaces_between_words():
    texts = ["数据库在法兰克福", "数据库的端口是五千", "备份数据库每天一次", "我喜欢茶", "她住在柏林"]
    made = themes.themes([entry(f"cog-s-{n}", text) for n, text in enumerate(texts)], 8)
    assert len(made) == 1
    assert len(made[0].entries) == 3
    assert "数据" in made[0].words[0] or "据库" in made[0].words[0]


def test_changes_name_both_texts_and_days():
    """CD24, CD89: what was replaced, with dates; a chain is one line."""
    now = entry("cog-s2-9", "I prefer spaces now.", at=NOW, kind="preference")
    first = entry("cog-s1-1", "I prefer tabs.", at=NOW - 40 * DAY, superseded_by="cog-s1-2")
    second = entry("cog-s1-2", "I prefer two spaces.", at=NOW - 20 * DAY, superseded_by="cog-s2-9")
    gone = entry("cog-s1-7", "I live in Oslo.", at=NOW - 9 * DAY, superseded_by="builtin")
    loop = [entry("cog-s1-8", "x", superseded_by="cog-s1-8"), entry("cog-s1-6", "y", superseded_by="nowhere")]
    found = lines_below(digest.digest([now], [first, second, gone, *loop]), "## Changes over time")
    assert found == [
        f"- “I prefer tabs.” ({_day(NOW - 40 * DAY)}) → 1 more → “I prefer spaces now.” ({_day(NOW)}): "
        "cog-s1-2 → cog-s2-9",
        f"- “I live in Oslo.” ({_day(NOW - 9 * DAY)}) → replaced in the built-in memory: cog-s1-7",
    ]


def test_conflicts_name_both_refs_and_quote_both_sides():
    """CD88."""
    both = [entry("a", "The port is 80.", at=NOW), entry("a-conflict-1", "The port is 81.", conflict_with="a", at=NOW)]
    found = lines_below(digest.digest(both), "## Unresolved conflicts (1)")
    day = _day(NOW)
    assert found == [f"- a-conflict-1 conflicts with a: “The port is 81.” ({day}) — against “The port is 80.” ({day})"]


def test_stale_is_what_passed_and_what_is_old_and_was_never_said_again():
    said = NOW - 300 * DAY
    entries = [
        entry("plan", f"The audit is due on {_day(NOW - 200 * DAY)}.", at=said),
        entry("ahead", f"The lease ends on {_day(NOW + 50 * DAY)}.", at=NOW - DAY),
        entry("past", f"The release was on {_day(said - 5 * DAY)}.", at=NOW - 3 * DAY),
        entry("old", "The printer is in room four.", at=said),
        entry("again", "The scanner is in room five.", at=said, seen=2),
        entry("useful", "The kettle is in room six.", at=said, ratings={"useful": 1}),
        entry("pin", "The safe is in room seven.", at=said, pinned=True),
        entry("who", "My name is Ada.", at=said, kind="identity"),
        entry("new", "Tea is at four.", at=NOW),
        entry("odd", "On 2026-99-99 nothing.", at=float("nan")),
    ]
    assert [(one.entry["ref"], one.why) for one in stale.stale(entries)] == [
        ("plan", f"{_day(NOW - 200 * DAY)} has passed"),
        ("old", "said 300 days before the newest entry and never again"),
    ]
    assert stale.stale([]) == []


def test_it_reads_only_and_filters_by_label(desk: Desk):
    """C26, contract 2.6: `repo`."""
    desk.put(*some())
    other = entry("cog-s9-1", "The kiosk opens at nine.")
    other["provenance"] = {**other["provenance"], "origin_repo": "shop"}
    desk.put(other)
    before = desk.state()
    everything, shop = desk.tool("cognition_dream"), desk.tool("cognition_dream", repo="shop")
    assert desk.state() == before
    assert everything["committed"] == 8
    assert (shop["committed"], shop["digest"].count("- [")) == (1, 1)
    assert desk.tool("cognition_dream")["digest"] == everything["digest"]


def test_what_an_update_replaced_shows_as_a_change(desk: Desk):
    """D52, through the tools."""
    ref = desk.store("The port of the kiosk is 80.")
    desk.tool("memoria_update", memory_id=ref, new_content="The port of the kiosk is 81.")
    text = desk.tool("cognition_dream")["digest"]
    assert "“The port of the kiosk is 80.”" in lines_below(text, "## Changes over time")[0]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.text(max_size=400), max_size=40),
    st.lists(st.text(max_size=400), max_size=30),
    st.sampled_from([800, 2_000, 6_000]),
    st.randoms(use_true_random=False),
)
def test_it_stays_within_its_budget_and_depends_on_the_entries_alone(facts, disputes, tokens, rng):
    entries = [entry(f"cog-s-{n}", text, at=NOW - n * DAY, salience=n % 7 / 7) for n, text in enumerate(facts)]
    entries += [entry(f"x{n}", text, conflict_with="cog-s-0") for n, text in enumerate(disputes)]
    text = digest.digest(entries, tokens=tokens)
    assert estimate_tokens(text) <= tokens
    assert text.splitlines()[0] == digest.TITLE
    assert sum(line.startswith("- [") for line in text.splitlines()) <= 20
    mixed = list(entries)
    rng.shuffle(mixed)
    assert digest.digest(mixed, tokens=tokens) == text
    assert json.loads(json.dumps(text)) == text


@pytest.mark.parametrize("value", ["high", float("nan"), 10**400, None, True])
def test_a_salience_that_is_no_number_counts_as_none(value):
    """CD82, B097."""
    assert "x y z" in digest.digest([entry("a", "x y z", salience=value, seen=value, ratings=value)])


def _day(seconds: float) -> str:
    return stale._day(seconds)
