"""A message as the sentences that its author wrote in their own words.

Left out: code, quotations, mail, logs and pages that were pasted, and whatever stands behind "translate this:" and the
like.  `lines` says which lines are the author's; all of it is line work with bounded patterns, so that a 2 MB message
costs one pass.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re
from collections.abc import Iterator

from .lazy import lazy
from .lines import BULLET, is_data, own_lines

CAP = 400  # characters of one stored sentence
_LONGEST_LINE = 8_000  # how far into a line an opening of pasted text is looked for
_LOOK_BACK = 160
_LOOK_AT_END = 300  # characters above a list that say whose it is
_QUOTES = "\"'“«„「`‘"
_CLOSING = ('"', "'", "”", "»", "“", "」", "`", "’")

_THING = (
    r"(?:e-?mails?|mails?|logs?|traces?|stack ?traces?|outputs?|errors?|texts?|articles?|pages?|messages?|letters?|transcripts?|drafts?|quotes?"
    r"|codes?|snippets?|files?|configs?|responses?|readme|docs?|documents?|paragraphs?|sentences?|poems?|reviews?|posts?|threads?|chats?"
    r"|conversations?|stories|story|lyrics|tweets?|essays?|reports?|notes?|following|abstracts?|passages?|descriptions?|diffs?|json|yaml)"
)
_PASTE = lazy(
    rf"(?:^|[.!?,]\s{{1,3}}|\b(?:please|you|to|and|then)\s)(?P<verb>summari[sz]e|translate|proof-?read|rewrite|rephrase|paraphrase|review|explain|edit|correct"
    rf"|improve|polish|shorten|analy[sz]e|classify|reply to|respond to|answer|extract|convert|parse|check|read|critique|complete|continue|fix|debug"
    rf"|übersetze?|traduce|traduis|traduza|resume|résume|resuma)\b[^.!?\n:]{{0,100}}[:：]"
    rf"|(?:^|[.!?,]\s{{1,3}})(?:here(?:'s| is| are)(?! (?:what|how) (?:i|we)(?:'d| would| really| want|'ve)? (?:need|want|like|do|did|tried|have in mind|prefer|think)\b)|this is|below is|i (?:got|received|found|have)|see|look at|and|the|my)\b[^.!?\n:]{{0,60}}\b{_THING}\b[^.!?\n:]{{0,40}}[:：](?=\s|$)"
    rf"|(?:翻译|总结|概括|润色|改写|解释)[^。！？\n：:]{{0,30}}[:：]",
    re.IGNORECASE,
)
_END = lazy(
    r"[.!?…]{1,4}[\"')\]]{0,3}\s+|[。！？]{1,4}[」』”]?\s*|\n"
    r"|;\s+(?=(?:I|I'm|I've|My|We|We're|Our|Never|Always|Please|From now on|Remember|The|This)\s)"  # statements in a row
)
# What somebody else handed over: the list below it is theirs.
_HANDED = lazy(
    r"\b(?:customers?|clients?|boss|manager|colleagues?|he|she|they|vendor|supplier|users?|testers?|reviewers?|somebody|someone|support|department|legal|marketing|(?-i:[A-Z][a-z]{2,15})) (?:has |have |had |just )*"
    r"(?:sent|wrote|gave|asked|raised|listed|requested|reported|left|mailed|posted|proposed|suggested|handed)\b[^.!?]{0,80}\b(?:following|these|lists?|points|requirements|requests?|comments|feedback|demands|wishes|rules|remarks|below)\b",
    re.IGNORECASE,
)
_ABBREVIATION = lazy(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|mr|mrs|ms|dr|prof|st|no|nr|approx|ca|inc|ltd|jr|sr|vol|fig|z\.b|d\.h|bzw|p\.ej|[a-z])\.|\b(?:am|zum|vom|den|der|dem|ab|bis|im|des) \d{1,2}\.)\s*\Z",
    re.IGNORECASE,
)
_QUOTE = lazy(
    r"\"[^\"\n]{1,2000}\"|“[^”\n]{1,2000}”|«[^»\n]{1,2000}»|„[^“”\n]{1,2000}[“”]|「[^」\n]{1,2000}」|`[^`\n]{1,2000}`"
    r"|(?<![\w])'(?=[^\s'])(?:[^'\n]|(?<=\w)'(?=\w)){1,2000}'(?!\w)|‘[^’\n]{1,2000}’(?!\w)"
)
# Where a clause with a subject of its own begins inside a sentence without punctuation.
CLAUSE = lazy(r"(?<=\s)(?=(?:I|I'm|I've|I'd|My|We|We're|We've|Our|Please|Remember|From now on)\s)")


def mask_quotes(text: str) -> str:
    """`text`, character for character, with quoted and inline code parts filled up, so that nothing matches in them."""
    if not any(mark in text for mark in "\"'“«„「`‘"):
        return text
    return _QUOTE.sub(lambda found: found[0][0] + "q" * (len(found[0]) - 2) + found[0][-1], text)


def sentences(text: str) -> Iterator[str]:
    """The author's sentences in order, white space cleaned, each at most a few hundred characters where it can be."""
    for block in _blocks(text.replace("’", "'").split("\n")):
        yield from _split(block)


def _blocks(lines: list[str]) -> Iterator[str]:
    """Runs of own lines that belong together: a hard-wrapped sentence is put together again."""
    kinds = own_lines(lines)
    held = ""
    handed = False
    index = -1
    while (index := index + 1) < len(lines):
        line, own = lines[index], kinds[index]
        bullet = BULLET.match(line)
        body = line[bullet.end() :].strip() if bullet else line.strip()
        if not own or not body:
            if held:
                handed = _HANDED.search(held[-_LOOK_AT_END:]) is not None
                yield held
            held = ""
            continue
        if bullet and (handed or (held and _HANDED.search(held[-_LOOK_AT_END:]) is not None)):
            if held:
                yield held
            held, handed = "", True
            continue
        handed = False
        wrapped = (
            held and not bullet and held[-1] not in ".!?:;。！？" and body[:1].islower() and len(held) < _LONGEST_LINE
        )
        if held and not wrapped:
            yield held
            held = ""
        held = f"{held} {body}" if wrapped else body
        # Only what has come in is looked at, with a little before it: a long wrapped text is read once.
        base = max(0, len(held) - len(body) - _LOOK_BACK)
        looked_at = held[base : base + _LONGEST_LINE]
        cut = _PASTE.search(mask_quotes(looked_at)) if ":" in looked_at or "：" in looked_at else None
        if cut is None:
            continue
        rest = held[base + cut.end() :].strip()
        head = held[: base + cut.start()].strip()
        if head:
            yield head
        held = ""
        if rest and rest[0] in _QUOTES and len(rest) < 2000:
            continue
        end = None if rest else _pasted_up_to(lines, kinds, index + 1)
        if end is None:
            return  # what follows is the pasted thing; where it ends, nobody can tell
        index = end - 1
    if held:
        yield held


def _pasted_up_to(lines: list[str], kinds: list[bool], start: int) -> int | None:
    """Behind `here is the log:`, where the author goes on: after data, code or one quoted paragraph.

    None when what was announced is prose, whose end cannot be told from the author's own words.
    """
    at = start
    while at < len(lines) and not lines[at].strip():
        at += 1
    seen = False
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].strip():
            end += 1
        rows = range(at, end)
        data = [row for row in rows if not kinds[row] or is_data(lines[row])]
        quoted = lines[at].lstrip()[:1] in _QUOTES and lines[end - 1].rstrip().endswith(_CLOSING)
        if not (len(data) > 0.5 * len(rows) or (quoted and not seen)):
            return at if seen else None
        if data and data[-1] + 1 < end and not quoted:
            return data[-1] + 1
        seen = True
        at = end
        while at < len(lines) and not lines[at].strip():
            at += 1
    return at if seen else None


def _split(block: str) -> Iterator[str]:
    masked = mask_quotes(block) if len(block) <= 200_000 else block
    start = 0
    for end in _END.finditer(masked):
        if end[0] != "\n" and _ABBREVIATION.search(masked, max(0, end.start() - 8), end.start() + 1):
            continue
        yield from _sized(block[start : end.end()])
        start = end.end()
    yield from _sized(block[start:])


def _sized(sentence: str) -> Iterator[str]:
    if len(sentence) <= CAP:
        tidy = " ".join(sentence.split())
        if tidy:
            yield tidy
        return
    start = 0
    for clause in CLAUSE.finditer(sentence):
        yield _trimmed(sentence[start : clause.start()])
        start = clause.start()
    yield _trimmed(sentence[start:])


def _trimmed(sentence: str) -> str:
    """At most CAP characters, ended at a clause boundary or at least between words."""
    tidy = " ".join(sentence[: 4 * CAP].split())
    if len(tidy) <= CAP:
        return tidy
    head = tidy[:CAP]
    for mark in ("; ", ", ", " - ", " "):
        cut = head.rfind(mark)
        if cut > CAP // 3:
            return head[:cut].rstrip(" ,;-")
    return head
