"""What passages may no longer state: the log keeps every word, and some of them have been corrected since.

An entry that another one, an update or the user's built-in memory has replaced stays in the store as history.  A
passage that states it, said before the correction, is told without that sentence; of an old value nothing is left to
contradict the current one (Decision 13, D110).  A sentence states it when it is the same, or when it holds all words
that the correction took away, half of those that it left, and hardly one that it brought: "I have lived in Bonn for
years now" states "I live in Bonn", "flights to Bonn" does not.  And what a shown entry says already, no passage says
again (D78).
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from ..capture import compound
from ..capture.lazy import lazy
from ..capture.restated import as_own, meaning, spoken
from ..stores.entry import Entry
from ..stores.view import View
from . import analyse
from .episodes import without_name
from .index import audience_of, text_of
from .rank import created_at

CHANGED_AT_ONCE = 500  # changed entries from which on all are read anew
READ_AT_ONCE = 5000  # entries up to which a turn may read them; beyond them only the worker does
_SENTENCES = re.compile(r"(?<=[.!?;…])\s+|(?<=[。！？；])|\n+")
_ENDS = " \t\r\n.!?;…。！？；\"'“”„«»,"
_LEFT_OUT = "…"
_ADDED_DATE = lazy(r"[(（]\d{4}-\d\d(?:-\d\d)?[^()（）]{0,30}[)）]")
_LONGEST_STATEMENT = 300  # characters beyond which a statement is looked for word by word only as a whole
# Who speaks of oneself in a statement, and how the other side repeats it.
_I = frozenset("i ich je j eu yo".split())
_YOU = frozenset("you du vous tu usted voce sie".split())
_SPOKEN = lazy(r"[^\W\d_]+")


def plain(text: str) -> str:
    """A statement as it is compared: one case, single spaces, no mark at its ends."""
    return " ".join(text.casefold().split()).strip(_ENDS)


class _Stated(NamedTuple):
    """What a replaced entry states: not told when it was said before `until` (epoch seconds)."""

    audience: str
    said: str
    until: float
    newer: str
    change: "Change | None" = None


class Change(NamedTuple):
    """What a correction took away, left and brought, as index terms; `own`: the statement is about its speaker."""

    gone: frozenset[str]
    left: frozenset[str]
    new: frozenset[str]
    own: bool
    until: float
    given: tuple[str, str] = ("", "")
    """The slot that the old statement filled, and its value."""

    def stated_by(self, terms: frozenset[str], spoken: frozenset[str]) -> bool:
        """Whether a sentence of these terms and folded words says what the correction took away."""
        return (
            self.gone <= terms
            and 2 * len(self.left & terms) >= len(self.left)
            and (not self.new or 2 * len(self.new & terms) < len(self.new))
            and (not self.own or not spoken.isdisjoint(_I | _YOU))
        )


class Statements(dict[str, float]):
    """Statement, as `plain` leaves it -> the time from which on it may have been said anew; and what changed.

    changes  by one word that the correction took away
    """

    def __init__(self) -> None:
        super().__init__()
        self.changes: dict[str, list[Change]] = {}

    def until(self, sentence: str) -> float:
        """The time up to which this sentence is outdated, in epoch seconds; 0.0 when it never is."""
        bare = without_name(sentence)
        exact = self.get(plain(sentence)) or self.get(plain(bare)) or 0.0
        if not exact and (tail := plain(bare.partition(", ")[2])):  # `no, it's Bonn now` is captured without its "no"
            exact = self.get(tail, 0.0)
        if exact or not self.changes:
            return exact
        terms = frozenset(analyse.index_terms(_ADDED_DATE.sub(" ", bare)))
        met = [change for term in terms & self.changes.keys() for change in self.changes[term]]
        if not met:
            return 0.0
        spoken = _spoken(bare)
        given = _given(bare)
        return max(
            (one.until for one in met if one.stated_by(terms, spoken) or (given[0] and one.given == given)), default=0.0
        )


def _given(sentence: str) -> tuple[str, str]:
    """The slot that a sentence fills, and its value, whoever of the two says it: `Du wohnst in Bonn`."""
    from ..likeness import read

    slot = None
    if len(sentence) <= _LONGEST_STATEMENT:
        slot = read(sentence).frame or read(as_own(sentence)).frame
    return (slot.name, slot.value) if slot is not None else ("", "")


def _spoken(text: str) -> frozenset[str]:
    return frozenset(_SPOKEN.findall(analyse.fold(text.replace("’", "'"))))


_WEAK = 0.25  # the say of a pair of characters of which one is a particle: it changes with its neighbour


def _say(text: str) -> frozenset[str]:
    """The terms of a statement that say something; no character alone, which ends a run and need not end another."""
    terms = analyse.index_terms(_ADDED_DATE.sub(" ", text))
    return frozenset(term for term in terms if analyse.term_weight(term) > 0 and (len(term) > 1 or term.isascii()))


def _change(old: str, newer: str, until: float) -> Change | None:
    if len(old) > _LONGEST_STATEMENT:
        return None
    before, after = _say(old), _say(newer)
    gone, left = before - after, before & after
    gone = frozenset(term for term in gone if analyse.term_weight(term) > _WEAK) or gone
    if not gone or len(gone) + len(left) < 2:
        return None
    return Change(gone, left, after - before, not _spoken(old).isdisjoint(_I), until, _given(old))


def _replaced(view: View) -> list[str]:
    """The refs of entries that others have replaced; without reading the current ones."""
    current = frozenset(view.current_refs())
    return [ref for ref in view if ref not in current]


def _read(view: View, refs: Sequence[str]) -> dict[str, _Stated]:
    found: dict[str, _Stated] = {}
    old = {ref: entry for ref, entry in view.get_many(refs).items() if entry.get("superseded_by")}
    newer = view.get_many([by for entry in old.values() if isinstance(by := entry["superseded_by"], str)])
    for ref, entry in old.items():
        by = newer.get(text_of(entry, "superseded_by"))
        content = text_of(entry, "content")
        said = plain(spoken(content))
        until = (created_at(by) if by is not None else 0.0) or float("inf")
        current = text_of(by, "content") if by is not None else ""
        if plain(spoken(current)) == said:
            said = ""  # said anew in the same words
        change = _change(meaning(content), meaning(current), until)
        found[ref] = _Stated(audience_of(entry), said, until, text_of(entry, "superseded_by"), change if said else None)
    return found


class Outdated:
    """The replaced statements of one home, by audience.  Any thread may call it."""

    def __init__(self) -> None:
        # As of which view; by the ref of the entry that was replaced; the same by audience and statement.
        self._state: tuple[View | None, dict[str, _Stated], dict[str, Statements]] = (None, {}, {})

    def read(self, view: View, *, worker: bool = False) -> None:
        """Take note of the store's state, unless that is known or too much for a turn."""
        before, stated, known = self._state
        if before is not None and before.token == view.token:
            return
        changed = view.changed_since(before) if before is not None else None
        if changed is None or len(changed) > CHANGED_AT_ONCE:
            if len(view) > READ_AT_ONCE and not worker:
                return
            stated = _read(view, _replaced(view))
        elif changed:
            new = set(changed)
            new.update([ref for ref, one in stated.items() if one.newer in new])
            stated = {ref: one for ref, one in stated.items() if ref not in new} | _read(view, list(new))
        if changed != []:
            known = {}
            for one in stated.values():
                if one.said:
                    statements = known.setdefault(one.audience, Statements())
                    statements[one.said] = max(statements.get(one.said, 0.0), one.until)
                    if one.change is not None:
                        statements.changes.setdefault(max(one.change.gone, key=len), []).append(one.change)
        self._state = (view, stated, known)

    def in_view(self, view: View, audience: str) -> Statements:
        """`of`, after having read `view`."""
        self.read(view)
        return self.of(audience)

    def of(self, audience: str) -> Statements:
        """The replaced statements of an audience."""
        return self._state[2].get(audience) or Statements()


def marked(message: dict[str, Any], outdated: Statements) -> dict[str, Any]:
    """A found message in an entry's form, `outdated` where the passage that was found states what was corrected."""
    start, stop = message["span"]
    if not Editor((), outdated).current(message["content"][start:stop], created_at(message)):
        message["outdated"] = True
    return message


class Editor:
    """What of a message is told beside these entries.

    shown     the entries of the block       outdated  as `Outdated.of` gives it
    """

    def __init__(self, shown: Iterable[Entry], outdated: Statements | None = None) -> None:
        self._outdated = outdated or Statements()
        # By ref, or by place where there is none.
        contents = {text_of(entry, "ref") or str(at): text_of(entry, "content") for at, entry in enumerate(shown)}
        self._sentences = {
            ref: frozenset(map(plain, _SENTENCES.split(content))) - {""} for ref, content in contents.items()
        }
        self._contents = {ref: plain(content) for ref, content in contents.items()}
        self.without(())

    def without(self, refs: Collection[str]) -> None:
        """From here on these entries are not in the block: a passage says what they say (D78)."""
        for ref in refs:
            self._contents.pop(ref, None)
            self._sentences.pop(ref, None)
        self._shown = list(self._contents.values())
        self._stated = frozenset[str]().union(*self._sentences.values())

    def __call__(self, text: str, at: float) -> str:
        """`text`, said at `at`, without what is outdated or told already; "" when nothing is left."""
        said = without_name(text.strip())
        bare = plain(said)
        if not bare or self._is_shown(bare) or self._has_shown(said):
            return ""
        if not self._outdated and not any(statement in bare for statement in self._stated):
            return text
        kept: list[str] = []
        cut = False
        for sentence in _SENTENCES.split(said):
            if plain(sentence) in self._stated or at < self._outdated.until(sentence):
                cut = True
                if not kept or kept[-1] != _LEFT_OUT:
                    kept.append(_LEFT_OUT)
            elif sentence.strip():
                kept.append(sentence.strip())
        if not cut:
            return text
        name = text.strip().removesuffix(said)
        return name + " ".join(kept) if any(part != _LEFT_OUT for part in kept) else ""

    def current(self, text: str, at: float) -> bool:
        """Whether nothing of `text`, said at `at`, is outdated."""
        return not self._outdated or not any(
            at < self._outdated.until(sentence) for sentence in _SENTENCES.split(without_name(text.strip()))
        )

    def _is_shown(self, bare: str) -> bool:
        return any(bare in said for said in self._shown)

    def _has_shown(self, said: str) -> bool:
        """Whether entries say all of several statements: capture makes one of each (capture/compound.py)."""
        if len(self._shown) < 2:
            return False
        parts = compound.parts(said)
        return len(parts) > 1 and all((bare := plain(part)) and self._is_shown(bare) for part in parts)
