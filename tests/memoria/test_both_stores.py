"""What merge promises on either store (issue 7: the same contract), walked on both by the same steps."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from cognition.merge import Delivery, push_batch
from cognition.stores.entry import delivery_digest
from cognition.stores.local import LocalStore
from cognition.stores.memoria_records import identity
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from .rig import START, Clock, delivered, entry, server


class Pushed(Protocol):
    """One store under test."""

    def push(self, given: dict, base: dict | None = None) -> tuple[str, str]: ...

    def texts(self) -> list[str]: ...


class Local:
    def __init__(self, folder: Path) -> None:
        self.store, self.now = LocalStore(folder / "committed.json"), START

    def push(self, given: dict, base: dict | None = None) -> tuple[str, str]:
        self.now += 1
        hashed = None if base is None else delivery_digest(base)
        [outcome] = push_batch(self.store, [Delivery(given["ref"], given, hashed)], now=self.now, timeout=5)
        return outcome.status, outcome.committed_ref

    def texts(self) -> list[str]:
        return sorted(one["content"] for one in self.store.view().current())


class Remote:
    def __init__(self, memoria) -> None:
        self.memoria, self.clock = memoria, Clock()
        self.store = memoria.store(self.clock)

    def push(self, given: dict, base: dict | None = None) -> tuple[str, str]:
        self.clock.now += 1
        key = given["provenance"]["trace_id"]
        one = type(delivered("x", "y"))(key, given, None if base is None else identity(base))
        [outcome] = self.store.push([one])
        return outcome.status, outcome.committed_ref

    def texts(self) -> list[str]:
        return sorted(self.memoria.texts())


@pytest.fixture(params=["local", "memoria"])
def store(request, tmp_path) -> Iterator[Pushed]:
    if request.param == "local":
        yield Local(tmp_path)
        return
    with server("asgi") as memoria:
        yield Remote(memoria)


def version(ref: str, text: str, trace: str = "t", **more) -> dict:
    return entry(ref, text, provenance={"trace_id": f"{ref}-{trace}"}, **more)


def test_a_new_entry_is_applied_and_its_redelivery_writes_nothing(store):
    one = version("r1", "I prefer tabs.")
    assert store.push(one) == ("applied", "r1")
    assert store.push(one) == ("already", "r1")
    assert store.texts() == ["I prefer tabs."]


def test_a_version_on_its_base_replaces_it(store):
    one, two = version("r1", "I prefer tabs."), version("r1", "I prefer spaces.", "u")
    store.push(one)
    assert store.push(two, one) == ("applied", "r1")
    assert store.texts() == ["I prefer spaces."]
    assert store.push(two, one) == ("already", "r1")


def test_a_redelivery_after_an_update_is_no_conflict(store):
    """CR1."""
    one, two = version("r1", "I prefer tabs."), version("r1", "I prefer spaces.", "u")
    store.push(one)
    store.push(two, one)
    assert store.push(one)[0] == "already"
    assert store.texts() == ["I prefer spaces."]


@pytest.mark.parametrize("base", ["none", "stale", "gone"])
def test_a_version_on_another_base_is_kept_beside_it(store, base):
    """C11: nobody's text is lost."""
    one, two = version("r1", "I prefer tabs."), version("r1", "I prefer spaces.", "u")
    if base != "gone":
        store.push(one)
    status, ref = store.push(two, {"none": None, "stale": version("r1", "never", "x"), "gone": one}[base])
    assert (status, ref) == ("conflict", f"r1-conflict-{int(START) + (2 if base != 'gone' else 1)}")
    assert store.push(two, {"none": None, "stale": version("r1", "never", "x"), "gone": one}[base]) == (status, ref)
    assert store.texts() == sorted({"I prefer spaces."} | ({"I prefer tabs."} if base != "gone" else set()))


def test_an_equal_text_is_merged_and_one_of_another_project_is_not(store):
    """D69."""
    store.push(version("r1", "The port is 7443."))
    assert store.push(version("r2", "the port is 7443")) == ("merged", "r1")
    assert store.push(version("r3", "The port is 7443.", project="lab")) == ("applied", "r3")


def test_what_can_never_be_stored_is_refused_and_holds_up_nobody(store):
    """CR14."""
    bad = version("r1", "x")
    bad["provenance"]["author"] = ""
    assert store.push(bad)[0] == "refused"
    assert store.push(version("r2", "   "))[0] == "refused"
    assert store.push(version("r3", "fine"))[0] == "applied"


_STEPS = st.lists(
    st.tuples(st.sampled_from(["r1", "r2"]), st.integers(0, 3), st.none() | st.integers(0, 3)), max_size=7
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_STEPS)
@example([("r2", 2, None), ("r2", 0, 2), ("r2", 1, 0), ("r2", 2, None)])  # CR1: a version before the last one
def test_any_sequence_of_pushes_leaves_the_same_texts_on_both(tmp_path_factory, steps):
    """Versions pushed in any order, again and again, on right, wrong and missing bases."""
    local = Local(tmp_path_factory.mktemp("local"))
    with server("asgi") as memoria:
        remote = Remote(memoria)
        for ref, number, base in steps:
            given = version(ref, f"Text {number} of {ref}", str(number))
            before = None if base is None else version(ref, f"Text {base} of {ref}", str(base))
            if base == number:
                continue  # no writer replaces a version by itself
            assert (local.push(given, before)[0] == "conflict") == (remote.push(given, before)[0] == "conflict")
        assert local.texts() == remote.texts()
