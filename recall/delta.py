"""What is news to a context: the entries that it does not hold yet, and how they stand to what it holds (D76, D77)."""

from collections.abc import Callable, Collection, Mapping, Sequence

from ..budget import shown_ref
from ..stores.entry import Entry
from .block import Told
from .index import text_of

EARLIER_TEXT = "replaces the earlier text"
MOST_NAMED = 3  # refs in one note


class Delta:
    """already    refs in the context, and where it is known what was `Told` of them
    elsewhere  says that a text stands in the context by other hands (D67); a pin is told all the same
    """

    def __init__(
        self, already: Collection[str] | Mapping[str, Told], elsewhere: Callable[[str], bool] | None = None
    ) -> None:
        self._refs = frozenset(already)
        self._told = already if isinstance(already, Mapping) else {}
        self._elsewhere = elsewhere

    def news(self, entries: Sequence[Entry]) -> tuple[list[Entry], dict[str, str]]:
        """The entries to tell, in order, and by ref the notes of those that replace what was told."""
        found: list[Entry] = []
        notes: dict[str, str] = {}
        for entry in entries:
            ref, content = text_of(entry, "ref"), text_of(entry, "content")
            if self._has(ref):
                told = self._told.get(shown_ref(ref))
                if told is None or told.states(content):
                    continue
                notes[ref] = EARLIER_TEXT
            elif self._elsewhere is not None and entry.get("pinned") is not True and self._elsewhere(content):
                continue
            if older := [old for old in _refs(entry.get("supersedes")) if self._has(old)]:
                notes[ref] = "replaces " + ", ".join(older[:MOST_NAMED])
            found.append(entry)
        return found, notes

    def _has(self, ref: str) -> bool:
        return ref in self._refs or shown_ref(ref) in self._refs


def _refs(value: object) -> Sequence[str]:
    if isinstance(value, str):
        return [value]
    return [ref for ref in value if isinstance(ref, str)] if isinstance(value, list) else []
