"""The two line forms of START.md, and how a line is shortened.

An entry:   - [cog-s1-4] "I prefer tabs." (default · 2026-03-02 · Ada)
A passage:  - [msg-s7-12..14] "Ada: the staging host moved to Fra-2" … (2026-05-09)
"""

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..capture.lazy import lazy
from ..plain import dataclass
from .escape import plain, quote, shown_name, shown_ref
from .tokens import estimate_tokens
from .values import Entry, content_of, entry_date, provenance_of

KNOWN_PASSAGES = 64  # lines kept as they were formed last: a recall weighs them before it tells them


@dataclass(frozen=True)
class Passage:
    """Messages of one conversation that are told together.

    ref     `msg-<sid>-<n>` of one message, `msg-<sid>-<from>..<to>` of several
    pieces  (speaker, text) of each message in order; no speaker is ""
    day     when it was said, `YYYY-MM-DD`, "" when that is not known
    cut     the pieces are not the whole of these messages
    """

    ref: str
    pieces: tuple[tuple[str, str], ...]
    day: str = ""
    cut: bool = False

    @property
    def text(self) -> str:
        """One line for each message; breaks inside a message become spaces, so that none forges another speaker."""
        return "\n".join(_spoken(who, said) for who, said in self.pieces)


Tellable = Entry | Passage


def _spoken(who: str, said: str) -> str:
    name, line = shown_name(who), " ".join(said.split())
    return f"{name}: {line}" if name else line


def ref_of(told: Tellable) -> object:
    """The ref of an entry or a passage."""
    return told.ref if isinstance(told, Passage) else told.get("ref")


def _text_of(told: Tellable) -> str:
    return told.text if isinstance(told, Passage) else content_of(told)


def _line(told: Tellable, content: str, *, cut: bool = False, note: str = "") -> str:
    ref = shown_ref(ref_of(told)) or "?"
    mark = " …" if cut or (isinstance(told, Passage) and told.cut) else ""
    if isinstance(told, Passage):
        return f"- [{ref}] {quote(content)}{mark} ({_bracket(shown_name(told.day) or '?', note)})"
    provenance = provenance_of(told)
    repo = shown_name(told.get("repo") or provenance.get("origin_repo")) or "?"
    date = entry_date(told)
    author = shown_name(who_said(provenance))
    conflict = shown_ref(told.get("conflict_with"))
    about = _bracket(repo, date, author, f"in conflict with {conflict}" if conflict else "", note)
    said = quote(content) if date or author else plain(content)  # without them the earlier form (D72)
    return f"- [{ref}] {said}{mark} ({about})"


def _bracket(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


_MADE_BY = {"consolidation": "summarised by a model", "subagent": "another agent"}
_OF_ASSISTANT = "said by the assistant"


def who_said(provenance: Mapping[str, Any]) -> object:
    """Who said it: in a chat its speaker, else the author (CD99); nobody's statement is what a model has made (H28)."""
    if provenance.get("made_of") == "assistant":
        return _OF_ASSISTANT
    if made := _MADE_BY.get(str(provenance.get("made_by"))):
        return made
    speaker = provenance.get("speaker")
    named = speaker.get("name") or speaker.get("id") if isinstance(speaker, Mapping) else None
    return named or provenance.get("author")


def format_entry(entry: Tellable, *, note: str = "") -> str:
    """The one line of START.md: `- [ref] "content" (repo · YYYY-MM-DD · author)`, or that of a passage.

    `?` stands for a missing ref, repo or day; an entry without date and author has the earlier form
    `- [ref] content (repo)` (D72). A conflict copy names the ref it is in conflict with; `note`, our own words, is
    added at the end of the bracket.
    """
    return _passage_line(entry, note) if isinstance(entry, Passage) else _line(entry, _text_of(entry), note=note)


@lru_cache(maxsize=KNOWN_PASSAGES)
def _passage_line(told: Passage, note: str) -> str:
    return _line(told, told.text, note=note)


def format_passage(
    ref: str, pieces: str | Sequence[tuple[str, str]], day: str = "", *, cut: bool = False, note: str = ""
) -> str:
    """`- [ref] "speaker: text" … (day)`; several messages are joined by an escaped line break, see `Passage`.

    A text instead of pieces is shown as it stands, without a speaker of our own.
    """
    said = (("", pieces),) if isinstance(pieces, str) else tuple(pieces)
    return format_entry(Passage(ref, said, day, cut), note=note)


# Never cut before these: marks, joiners and variation selectors belong to the character in front of them.
_JOINED = lazy("[\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")
_PLACEHOLDER = lazy(r"\[REDACTED[^\]]{0,40}\]")


def cut_point(content: str, at: int) -> int:
    """The last place up to `at` that splits no character sequence, no placeholder and, if near, no word."""
    for placeholder in _PLACEHOLDER.finditer(content):
        if placeholder.start() < at < placeholder.end():
            at = placeholder.start()
    while 0 < at < len(content) and (
        _JOINED.match(content[at]) or content[at - 1] == "\u200d" or unicodedata.combining(content[at])
    ):
        at -= 1
    space = max(content.rfind(" ", max(0, at - 24), at + 1), content.rfind("\n", max(0, at - 24), at + 1))
    return space if space > 0 and at < len(content) else at


def shorten_entry(entry: Tellable, tokens: int, *, at_least: int = 0, note: str = "") -> str:
    """`format_entry` in at most `tokens`, by cutting the content's end and setting `…` behind it (CD76).

    At least `at_least` characters are kept, even over `tokens`.  Empty when not one character fits.
    """
    content = _text_of(entry)
    whole = _line(entry, content, note=note)
    if estimate_tokens(whole) <= tokens or len(content) <= at_least:
        return whole
    low, high = at_least, len(content) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(_line(entry, content[:middle], cut=True, note=note)) <= tokens:
            low = middle
        else:
            high = middle - 1
    while True:
        kept = content[: cut_point(content, low)].rstrip() or content[:at_least]
        line = _line(entry, kept, cut=True, note=note)
        if not kept or at_least or estimate_tokens(line) <= tokens:
            return line if kept else ""
        low = low * 9 // 10  # a beginning can cost more than the whole: its language is told from fewer words
