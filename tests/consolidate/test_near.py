"""Candidates in other words, when the semantic tier is on (H1, HI11, HA119, HA120).  The tier: a table."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cognition.config import Settings
from cognition.consolidate import adjudicate
from cognition.consolidate.reply import Unit
from cognition.recall import semantic
from cognition.runtime import Runtime

LESSON = "Retries belong into the client"
NEW = "Spend another attempt where the request began"  # shares no word with it


class Table:
    """What a model of vectors would say: the nearness of each text to whatever is asked; 0 for a text unknown to it."""

    def __init__(self, nearness: dict[str, float]) -> None:
        self.nearness, self.texts = nearness, dict[str, str]()
        self.broken = False

    def sync(self, items: Iterator[tuple[str, str]]) -> int:
        self.texts = dict(items)
        return len(self.texts)

    def change(self, items: dict[str, str | None]) -> int:
        self.texts |= {ref: text for ref, text in items.items() if text is not None}
        return len(items)

    def nearest(self, _question: str, most: int, least: float) -> list[tuple[str, float]]:
        if self.broken:
            raise RuntimeError("no vectors today")
        near = [(ref, self.nearness.get(text, 0.0)) for ref, text in self.texts.items()]
        return sorted((one for one in near if one[1] >= least), key=lambda one: -one[1])[:most]


Asked = Callable[..., list[str]]


@pytest.fixture
def near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[Runtime, Table]]]:
    made: list[Runtime] = []

    def make(nearness: dict[str, float], **settings: object) -> tuple[Runtime, Table]:
        table = Table(nearness)
        monkeypatch.setattr(semantic, "load", lambda _choice: table)
        found = Settings(tmp_path)
        found.values.update({"recall.semantic": "wordllama", "consolidation.models": ["main:m"], **settings})
        made.append(Runtime(found))
        return made[-1], table

    yield make
    for runtime in made:
        runtime.close()


def know(runtime: Runtime, *texts: str, **more: object) -> None:
    with runtime.store.transaction(timeout=1) as txn:
        for text in texts:
            ref = f"wu-known-{abs(hash((text, str(more)))) % 16**8:08x}"
            scope = {"audience": "owner", "project": "shop", "tags": ["work-unit"], **more}
            txn.put({"ref": str(scope.pop("ref", ref)), "content": text, "kind": "work_unit", **scope})
    runtime.refresh()


def offered(runtime: Runtime, title: str = NEW) -> list[str]:
    search = runtime.consolidating.desk.search
    found = adjudicate.candidates(
        Unit(title, title), "wu-new-00000000", "owner", "shop", search=search, known=[], asked=5
    )
    return [str(entry["content"]) for entry in found]


def test_a_lesson_in_other_words_is_offered_when_the_tier_is_on(near: Callable[..., tuple[Runtime, Table]]) -> None:
    """HI11: vectors only add; without them words find nothing here."""
    runtime, table = near({LESSON: 0.8})
    know(runtime, LESSON)
    assert offered(runtime) == [LESSON]
    table.broken = True  # HA122: a source that fails contributes nothing, and takes nothing away
    assert offered(runtime) == []
    assert offered(runtime, f"{LESSON}, again") == [LESSON]


def test_lessons_found_by_words_do_not_crowd_out_the_one_that_is_near(
    near: Callable[..., tuple[Runtime, Table]],
) -> None:
    """4.6: each source has a ranking of its own, merged by reciprocal rank."""
    runtime, _ = near({LESSON: 0.9})
    know(runtime, LESSON, *(f"Spend another attempt on tea {n}" for n in range(30)))
    assert LESSON in offered(runtime)


def test_what_may_not_be_offered_crowds_out_nothing_that_is_near(
    near: Callable[..., tuple[Runtime, Table]],
) -> None:
    """HA119, HI3: hundreds of nearer entries of another project, and of other kinds."""
    others = [f"elsewhere {n}" for n in range(400)]
    runtime, _ = near({LESSON: 0.6, **dict.fromkeys(others, 0.95)})
    know(runtime, LESSON)
    know(runtime, *others[:200], project="other")
    for n, text in enumerate(others[200:]):
        know_one = {"ref": f"sum-s{n}-0-2", "tags": ["summary", "summary 1"]}
        with runtime.store.transaction(timeout=1) as txn:
            txn.put({"content": text, "kind": "summary", "audience": "owner", "project": "shop", **know_one})
    runtime.refresh()
    assert offered(runtime) == [LESSON]


def test_the_distance_is_a_setting_and_what_words_find_needs_none(
    near: Callable[..., tuple[Runtime, Table]],
) -> None:
    """HA120: cosine distance at most `consolidation.dedup_max_distance`; rows without a distance stay."""
    runtime, _ = near({LESSON: 0.5})
    know(runtime, LESSON)
    assert offered(runtime) == []  # 0.5 is beyond 0.45
    assert offered(runtime, LESSON + " for good") == [LESSON]  # by words, whatever the vectors say
    runtime.settings.values["consolidation.dedup_max_distance"] = 0.5
    assert offered(runtime) == [LESSON]
