"""`dataclass` for plain data at a quarter of its cost.

The standard one compiles up to six methods for every class: of the sixty classes that a start and a first question
load that was 25 ms of the host's time (D97).  Here only `__init__` is compiled; the others are shared.  To type
checkers it is the standard one, `frozen=True` included; at run time a frozen value is not guarded against its owner.
"""

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from operator import attrgetter

    def dataclass(cls=None, /, *, frozen=False, eq=True):
        """As `dataclasses.dataclass`, of which it takes these two."""
        if cls is None:
            return lambda made: dataclass(made, frozen=frozen, eq=eq)
        own = cls.__dict__
        explicit = own.get("__hash__") is not None
        made = dataclasses.dataclass(cls, repr=False, eq=False)
        if "__repr__" not in own:
            made.__repr__ = _repr
        if eq:
            names = [field.name for field in dataclasses.fields(made) if field.compare]
            made._compared = staticmethod(attrgetter(*names) if names else _nothing)
            if "__eq__" not in own:
                made.__eq__ = _eq
            if not explicit:
                made.__hash__ = _hash if frozen else None
        return made


def _repr(self: Any) -> str:
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self._compared(self) == self._compared(other)


def _hash(self: Any) -> int:
    return hash(self._compared(self))


def _nothing(value: object) -> tuple[()]:
    return ()


__all__ = ["dataclass"]
