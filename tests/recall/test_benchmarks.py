"""The parts of the recall benchmarks that reckon: what is compared with what (issue 6, 3 and 9)."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from cognition.recall import choose
from cognition.recall.rank import Match
from cognition.recall.weights import ENTRY_WEIGHTS, WEIGHTS

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """Gives a script of benchmarks/ as a module; what it imports from there is gone again afterwards."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(BENCHMARKS)):
            del sys.modules[name]


@pytest.fixture
def gap(benchmark: object) -> ModuleType:
    return benchmark("gap")  # type: ignore[operator, no-any-return]


@pytest.fixture
def entries(benchmark: object) -> ModuleType:
    return benchmark("tune_entries")  # type: ignore[operator, no-any-return]


@pytest.fixture
def passages(benchmark: object) -> ModuleType:
    return benchmark("tune_recall")  # type: ignore[operator, no-any-return]


KEY = ("ours", 2000, "all")
UNTUNED = ("FTS5 with neighbours", 2000, "all")


def some(gap: ModuleType, cell: tuple[str, int], hits: int, misses: int, *, held: bool) -> list[object]:
    return [gap.Scored("c", cell, held, {KEY: float(n < hits), UNTUNED: 0.0}) for n in range(hits + misses)]


def test_a_gap_of_mixture_alone_is_no_gap(gap: ModuleType) -> None:
    """Both halves do equally well in every cell; the held-back one has more of the hard questions."""
    dev = some(gap, ("single", 1), 72, 8, held=False) + some(gap, ("multi", 3), 10, 10, held=False)
    held = some(gap, ("single", 1), 18, 2, held=True) + some(gap, ("multi", 3), 40, 40, held=True)
    got = gap.gaps(dev, held)[KEY]
    assert (got.dev, got.held) == (0.82, 0.58)
    assert got.like == pytest.approx(0.82)
    assert got.gap == pytest.approx(0.0)


def test_a_gap_inside_the_cells_stays(gap: ModuleType) -> None:
    dev = some(gap, ("single", 1), 9, 1, held=False)
    held = some(gap, ("single", 1), 7, 3, held=True)
    assert gap.gaps(dev, held)[KEY].gap == pytest.approx(0.2)


def test_a_cell_of_one_half_counts_for_neither(gap: ModuleType) -> None:
    dev = some(gap, ("single", 1), 8, 2, held=False) + some(gap, ("open", 2), 0, 10, held=False)
    held = some(gap, ("single", 1), 8, 2, held=True) + some(gap, ("multi", 3), 0, 10, held=True)
    assert gap.gaps(dev, held)[KEY].gap == pytest.approx(0.0)


def test_three_pieces_and_more_are_one_cell(gap: ModuleType) -> None:
    assert [gap.cell_of("multi", pieces)[1] for pieces in (1, 2, 3, 9)] == [1, 2, 3, 3]


def test_intervals_are_the_same_every_time_and_hold_the_value(gap: ModuleType) -> None:
    rows = some(gap, ("single", 1), 80, 20, held=False) + some(gap, ("single", 1), 60, 40, held=True)
    for one in rows:
        one.scores.update({(search, size, kind): one.scores[KEY] for search in (*gap.PLAIN, "ours")
                           for size in gap.SIZES for kind in ("any", "all")})  # fmt: skip
    table = gap.gap_table(rows, "ours", rounds=200)
    assert table == gap.gap_table(rows, "ours", rounds=200)
    ours = next(line for line in table if line.startswith("| ours | 2,000 | all"))
    cells = [cell.strip() for cell in ours.split("|")]
    assert cells[7] == "+20.0"
    low, high = cells[8].partition("(")[2].rstrip(")").split(" to ")
    assert float(low) < 20 < float(high)
    assert cells[9] == "+0.0 (+0.0 to +0.0)"  # the untuned search has the same gap on the same questions


def match(relevance: float, evidence: float, content: str = "x", score: float = 0.5) -> Match:
    return Match({"content": content}, score, relevance, evidence, None)


def test_floors_are_scaled_until_requests_are_quiet(entries: ModuleType) -> None:
    """At the scale that is found, 95 of 100 requests bring nothing, and a little lower they do not."""
    by = ENTRY_WEIGHTS
    told = [[match(by.floor * (0.5 + number / 100), by.least_evidence)] for number in range(100)]
    worst = [entries.critical(some, by) for some in told]
    scale = entries.scale_for(worst)
    for times, quiet in ((1.0, 95), (0.995, 94)):
        weights = entries.scaled(by, scale * times)
        calm = [not entries.judge(some, "x", weights)[0] for some in told]
        assert sum(calm) == quiet


def test_no_floor_quiets_what_is_strong(entries: ModuleType) -> None:
    strong = entries.critical([match(ENTRY_WEIGHTS.strong, ENTRY_WEIGHTS.least_evidence)], ENTRY_WEIGHTS)
    assert strong == float("inf")
    assert entries.critical([match(1.0, ENTRY_WEIGHTS.least_evidence - 0.01)], ENTRY_WEIGHTS) == 0.0


def test_the_right_entry_is_told_and_its_place_counted(entries: ModuleType) -> None:
    by = ENTRY_WEIGHTS
    found = [match(by.strong, 2.0, "a", 0.9), match(by.strong, 2.0, "b", 0.8), match(by.floor_rich / 2, 2.0, "c", 0.7)]
    assert entries.judge(found, "b", by) == (True, 0.5, 1)
    assert entries.judge(found, "c", by) == (False, 0.0, 2)


def test_what_ships_is_what_may_be_found(entries: ModuleType) -> None:
    """B040: one common word is no evidence, whatever the figures say."""
    assert entries.is_sound(ENTRY_WEIGHTS)
    assert not entries.is_sound(entries.replace(ENTRY_WEIGHTS, personal_evidence=ENTRY_WEIGHTS.least_evidence))


def test_both_halves_of_the_questions_are_of_other_facts(entries: ModuleType) -> None:
    asks = [ask for name in entries.FILES for ask in entries.questions(name)]
    dev, held = ({ask.fact for ask in asks if ask.held == half} for half in (False, True))
    assert not dev & held
    assert min(len(dev), len(held)) > 80
    assert len(entries.questions("entry_rephrased")) >= 60


def test_made_up_asks_have_their_evidence(passages: ModuleType) -> None:
    """The same talk each time; every question has evidence among its messages, and what counts is the newest."""
    chats = passages.made_asks()
    assert chats == passages.made_asks()
    for chat in chats:
        said = {line.id: line for line in chat.lines()}
        assert all(one in said for probe in chat.probes for one in probe.evidence)
        for probe in chat.probes:
            if probe.category in ("versions", "standing"):
                name = next(word for word in probe.text.split() if word[0].isupper() and word not in ("When", "How"))
                shared = [line for line in said.values() if name in line.text]
                assert max(shared, key=lambda line: line.at).id == probe.evidence[0]
                assert len(shared) >= 5
            if probe.category == "quoted":
                phrase = probe.text.split('"')[1]
                assert [line.id for line in said.values() if phrase in line.text] == list(probe.evidence)
    assert {kind for _, kinds in passages.RARE.values() for kind in kinds} == {p.category for p in chats[0].probes}


def test_a_part_is_switched_off_only_meanwhile(passages: ModuleType) -> None:
    like = choose.LIKE
    with passages.switched_off("near-duplicates told once", WEIGHTS) as by:
        assert by == WEIGHTS
        assert choose.LIKE > 1
    assert like == choose.LIKE
    with passages.switched_off("recency", WEIGHTS) as by:
        assert by.recency == 0.0
