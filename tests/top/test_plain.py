"""`plain.dataclass` is `dataclasses.dataclass`, at run time as for the type checker."""

import copy
import dataclasses
import pickle
from typing import Any

import pytest
from cognition.plain import dataclass as plain
from hypothesis import given
from hypothesis import strategies as st


def made(decorator: Any) -> Any:
    @decorator(frozen=True)
    class Point:
        """A point."""

        x: int
        name: str = ""
        seen: tuple[int, ...] = ()
        note: str = dataclasses.field(default="", compare=False, repr=False)

    return Point


@plain(frozen=True)
class Kept:
    """One that can be pickled."""

    value: int


OURS, THEIRS = made(plain), made(dataclasses.dataclass)
VALUES = st.tuples(st.integers(0, 3), st.sampled_from(["", "a"]), st.tuples(st.integers(0, 1)), st.sampled_from("pq"))


@given(VALUES, VALUES)
def test_equality_hash_and_text_are_those_of_the_standard_one(one: Any, other: Any) -> None:
    mine, yours = (OURS(*one), OURS(*other)), (THEIRS(*one), THEIRS(*other))
    assert (mine[0] == mine[1]) == (yours[0] == yours[1])
    assert repr(mine[0]) == repr(yours[0])
    assert len({*mine}) == len({*yours})
    assert hash(mine[0]) == hash(OURS(*one))
    assert dataclasses.asdict(mine[0]) == dataclasses.asdict(yours[0])
    changed = dataclasses.replace(mine[0], x=9)
    assert (changed.x, changed.name, mine[0].x) == (9, one[1], one[0])
    assert mine[0] != yours[0]


def test_what_is_not_frozen_has_no_hash_and_classes_differ() -> None:
    @plain
    class Open:
        items: list[int] = dataclasses.field(default_factory=list)

    @plain(frozen=True)
    class More(OURS):  # type: ignore[misc, valid-type]
        extra: int = 0

    assert Open() == Open()
    assert Open().items is not Open().items
    with pytest.raises(TypeError):
        hash(Open())
    assert More(1) != OURS(1)
    assert More(1, extra=2) != More(1)
    assert [field.name for field in dataclasses.fields(More)] == ["x", "name", "seen", "note", "extra"]


def test_own_methods_stay() -> None:
    @plain(frozen=True)
    class Loud:
        text: str

        def __repr__(self) -> str:
            return self.text.upper()

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Loud)

        def __hash__(self) -> int:
            return 7

    @plain(frozen=True, eq=False)
    class Alone:
        text: str

    @plain(frozen=True)
    class Empty:
        pass

    assert (repr(Loud("a")), Loud("a") == Loud("b"), hash(Loud("a"))) == ("A", True, 7)
    assert Alone("a") != Alone("a")
    assert Empty() == Empty()
    assert len({Empty(), Empty()}) == 1


def test_copies_and_pickles() -> None:
    assert copy.deepcopy(Kept(3)) == pickle.loads(pickle.dumps(Kept(3))) == Kept(3)
