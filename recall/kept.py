"""Rows of the log's index that were read before: what was asked about is asked about again.

A row of an id never changes while the index is of one `era`: that is written anew with everything that is taken out
(episodes.py).  Bounded by bytes; what was not used for long makes room.
"""

import threading
from collections.abc import Iterable
from sys import intern
from typing import Any, NamedTuple

KEPT_BYTES = 16 << 20  # of all rows, about
_ROW_BYTES, _WORD_BYTES = 320, 16  # of a row beside its words; of a word, which many rows share


class Doc(NamedTuple):
    """A row of episode_docs."""

    id: int
    message: int
    part: int
    start: int
    stop: int
    sid: str
    n: int
    user: int
    name: str
    day: int
    marks: int
    length: int
    words: tuple[str, ...]


def doc_of(row: tuple[Any, ...]) -> Doc:
    """The row with its terms taken apart.  `Doc._make` without the detour through its checks: there are hundreds in a
    question."""
    key, message, part, start, stop, sid, n, user, name, day, marks, length, terms = row
    words = tuple(map(intern, terms.split(" ")))
    return tuple.__new__(
        Doc, (key, message, part, start, stop, intern(sid), n, user, intern(name), day, marks, length, words)
    )


class Kept:
    """Passages by id.  Any thread may call it.

    Two generations stand for the order of use: half of the bytes may be of those used since the last change of them.
    """

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._era: str | None = None
        self._young: dict[int, Doc] = {}
        self._old: dict[int, Doc] = {}
        self._bytes = 0  # of the young ones

    def known(self, era: str, keys: Iterable[int]) -> dict[int, Doc]:
        """Those of `keys` that are at hand; "" is the era of an index that has none: nothing is kept of it."""
        found: dict[int, Doc] = {}
        if not era:
            return found
        with self._lock:
            if era != self._era:
                self._era, self._young, self._old, self._bytes = era, {}, {}, 0
            young, old = self._young.get, self._old.get
            again = []
            for key in keys:
                if (doc := young(key)) is not None:
                    found[key] = doc
                elif (doc := old(key)) is not None:
                    found[key] = doc
                    again.append(doc)
            self._put(again)
        return found

    def keep(self, era: str, docs: Iterable[Doc]) -> None:
        """Rows that were read while the index was of this era."""
        with self._lock:
            if era and era == self._era:
                self._put(docs)

    def _put(self, docs: Iterable[Doc]) -> None:
        for doc in docs:
            if 2 * self._bytes > self._most:
                self._old, self._young, self._bytes = self._young, {}, 0
            self._young[doc.id] = doc
            self._bytes += _ROW_BYTES + _WORD_BYTES * len(doc.words)
