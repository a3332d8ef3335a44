"""From the id that a person or a model gives to the entry that is meant, or to the nearest real ones (B063, B021)."""

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from .delivery import forgotten
from .outbox import Outbox, OutboxError
from .stores.entry import Entry, audience_of, is_current, scrub
from .stores.local import LocalStore

MAX_REF = 512  # characters of a ref that is looked up at all
NEAREST = 5  # entries offered for an id that is not there
_ALIKE = 0.7  # share of an id's characters, at both ends, that make another one similar

Search = Callable[[str, str], Sequence[Entry]]
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class WriteRefused(Exception):
    """Nothing was changed.  `code` is fixed, `hint` is one line without stored text, `candidates` are real entries.

    more  what else an answer says: of a request to Memoria `result_unknown` (then it may have been changed after all),
          `retry_automatically` and, where it is known, `retry_after` in seconds (memoria-plugin.md 2.5)
    """

    def __init__(
        self, code: str, hint: str, candidates: Iterable[Entry] = (), more: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(f"{code}: {hint}")
        self.code, self.hint, self.candidates, self.more = code, hint, list(candidates), dict(more or {})


class Lookup:
    """Entries of one home by id.  `search`: (text, audience) -> entries, best first."""

    def __init__(self, store: LocalStore, outbox: Outbox, search: Search | None = None) -> None:
        self._store, self._outbox, self._search = store, outbox, search

    def find(self, ref: object, audience: str | None) -> Entry:
        """The entry with exactly this id; `audience` None stands for all.  Raises WriteRefused with the nearest ones.

        An id that was given for a queued text is followed to where the text went (B021, B043).
        """
        wanted = bare_ref(ref)
        view = self._store.view()
        entry = view.get(wanted)
        if entry is None:
            with contextlib.suppress(OutboxError):
                entry = view.get(forgotten.committed_as(self._outbox, wanted))
        if entry is not None and belongs(entry, audience):
            return entry
        raise self.not_found(wanted, audience)

    def current(self, ref: object, audience: str | None) -> Entry:
        """The same, when nothing has replaced it; else WriteRefused names what did."""
        entry = self.find(ref, audience)
        if is_current(entry):
            return entry
        newer: Entry | None = entry
        passed: set[str] = set()
        while newer is not None and not is_current(newer) and newer["ref"] not in passed:
            passed.add(newer["ref"])
            newer = self._store.view().get(str(newer["superseded_by"]))
        found = [newer] if newer is not None and is_current(newer) and belongs(newer, audience) else []
        said = f"; the current one is {found[0]['ref']}" if found else ""
        raise WriteRefused("memory_was_replaced", f"{entry['ref']} holds an earlier text{said}.", found)

    def not_found(self, wanted: str, audience: str | None) -> WriteRefused:
        """The refusal for an id that is not there, with the ids that may be meant."""
        own = [entry for entry in self._store.view().current() if belongs(entry, audience)]
        holding = [entry for entry in own if wanted in entry["ref"]] if len(wanted) > 3 else []
        if len(holding) > 1:
            hint = f"{len(holding)} memories have ids like that: give the whole id of one of them."
            return WriteRefused("ambiguous_memory_id", hint, holding[:NEAREST])
        near = holding or _similar(wanted, own)
        if len(near) < NEAREST and self._search is not None and audience is not None:
            near = [*near, *(entry for entry in self._search(wanted, audience) if entry not in near)]
        hint = f"No memory has that id ({len(own)} exist). Don't try it again: " + (
            "if one of candidates is meant, use its id." if near else "cognition_search shows the ids that exist."
        )
        return WriteRefused("memory_not_found_in_current_subject", hint, near[:NEAREST])


def bare_ref(ref: object) -> str:
    """An id as it is looked up: without the brackets in which recall shows it.  Raises WriteRefused."""
    text = scrub(ref).strip().removeprefix("[").removesuffix("]").strip() if isinstance(ref, str) else ""
    if not text or len(text) > MAX_REF or _CONTROL.search(text):
        raise WriteRefused("invalid_memory_id", "memory_id is one id, as recall and search show it in brackets.")
    return text


def belongs(entry: Mapping[str, Any], audience: str | None) -> bool:
    """Whether `audience` may see the entry; None stands for the owner at the command line, who may see all."""
    return audience is None or audience_of(entry) == audience


def _similar(wanted: str, entries: Sequence[Entry]) -> list[Entry]:
    """Entries whose ref begins and ends like `wanted`: for a slip of a key or two."""
    scored = []
    for entry in entries:
        ref = entry["ref"]
        head = _common(ref, wanted)
        tail = _common(ref[head:][::-1], wanted[head:][::-1])
        if head + tail >= _ALIKE * max(len(ref), len(wanted)):
            scored.append((head + tail - abs(len(ref) - len(wanted)), entry))
    return [entry for _, entry in sorted(scored, key=lambda pair: -pair[0])[:NEAREST]]


def _common(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
