"""A message as the sentences that its author wrote in their own words.

Left out: code, quotations, mail, logs and pages that were pasted, and whatever stands behind "translate this:" and the
like.  All of it is line work with bounded patterns, so that a 2 MB message costs one pass.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re
from collections.abc import Iterator

from .lazy import lazy

CAP = 400  # characters of one stored sentence
_LONGEST_LINE = 8_000  # how far into a line an opening of pasted text is looked for
_LOOK_BACK = 160

_FENCE = lazy(r"\s{0,3}(?:```|~~~|\"\"\"|''')")
_MACHINE = lazy(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|TRACE|FATAL|CRITICAL)\b[\]: ]"
    r"|at [\w.$<>]+\(|Traceback|File \"|Caused by:|[\w.]+(?:Error|Exception|Warning)\b ?:|\$ |>>> |\.\.\. |# include|#!|//|/\*|\* @|<[!/a-zA-Z]"
    r"|diff --git|@@ |[+-]{3} [ab/]|[{}\[\]();]{1,40}$|(?:def|class|import|from|const|let|var|function|public|private|static"
    r"|return|package|using|fn|func|struct|enum|async|export|elif|else|try|except|catch|raise|throw|print|echo|sudo|apt|pip|npm|git|docker|curl)\b.*"
    r"[\])}({;=:\\|\\\\]|SELECT |INSERT |UPDATE \w+ SET|CREATE |DROP |\|.*\|\s*$|[+-]?\d[\d.,:\s%-]*$|-{3,}|={3,}|\w+\s*[:+]?=\s*\S.*[;({\[]$|.*[{;]\s*$)"
)
_PROSE = lazy(r"\s*[A-Za-z']{1,20},?(?: [A-Za-z']{1,20},?){2,}+[ .!?:]")
_MAIL_HEAD = lazy(
    r"\s*(?:From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Von|An|Betreff|De|Para|Asunto|Objet|发件人|收件人|主题)\s?: ?\S"
)
_MAIL_CUT = lazy(
    r"\s*(?:-{2,}\s{0,3}(?:Original|Forwarded|Begin forwarded|Ursprüngliche|Weitergeleitete)[^\n]{0,60}|Begin forwarded message:"
    r"|On .{6,120} wrote:\s*$|Am .{6,120} schrieb .{1,80}:\s*$|Le .{6,120} a écrit\s?:\s*$|Dear (?:Sir|Madam|Mr|Ms|Mrs|all|customer)\b)",
    re.IGNORECASE,
)
_THING = (
    r"(?:e-?mails?|mails?|logs?|traces?|stack ?traces?|outputs?|errors?|texts?|articles?|pages?|messages?|letters?|transcripts?|drafts?|quotes?"
    r"|codes?|snippets?|files?|configs?|responses?|readme|docs?|documents?|paragraphs?|sentences?|poems?|reviews?|posts?|threads?|chats?"
    r"|conversations?|stories|story|lyrics|tweets?|essays?|reports?|notes?|following|abstracts?|passages?|descriptions?|diffs?|json|yaml)"
)
_PASTE = lazy(
    rf"(?:^|[.!?,]\s{{1,3}}|\b(?:please|you|to|and|then)\s)(?P<verb>summari[sz]e|translate|proof-?read|rewrite|rephrase|paraphrase|review|explain|edit|correct"
    rf"|improve|polish|shorten|analy[sz]e|classify|reply to|respond to|answer|extract|convert|parse|check|read|critique|complete|continue|fix|debug"
    rf"|übersetze?|traduce|traduis|traduza|resume|résume|resuma)\b[^.!?\n:]{{0,100}}[:：]"
    rf"|(?:^|[.!?,]\s{{1,3}})(?:here(?:'s| is| are)|this is|below is|i (?:got|received|found|have)|see|look at|and|the|my)\b[^.!?\n:]{{0,60}}\b{_THING}\b[^.!?\n:]{{0,40}}[:：](?=\s|$)"
    rf"|(?:翻译|总结|概括|润色|改写|解释)[^。！？\n：:]{{0,30}}[:：]",
    re.IGNORECASE,
)
_BULLET = lazy(r"\s{0,12}(?:[-*•·]|\d{1,2}[.)]|\[[ xX]\])\s{1,4}(?:\[[ xX]\]\s{1,3})?")
_END = lazy(r"[.!?…]{1,4}[\"')\]]{0,3}\s+|[。！？]{1,4}[」』”]?\s*|\n")
_ABBREVIATION = lazy(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|mr|mrs|ms|dr|prof|st|no|nr|approx|ca|inc|ltd|jr|sr|vol|fig|z\.b|d\.h|bzw|p\.ej|[a-z])\.)\s*\Z",
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
    kinds = _kinds(lines)
    held = ""
    for line, own in zip(lines, kinds, strict=True):
        bullet = _BULLET.match(line)
        body = line[bullet.end() :].strip() if bullet else line.strip()
        if not own or not body:
            if held:
                yield held
            held = ""
            continue
        wrapped = (
            held and not bullet and held[-1] not in ".!?:;。！？" and body[:1].islower() and len(held) < _LONGEST_LINE
        )
        if held and not wrapped:
            yield held
            held = ""
        held = f"{held} {body}" if wrapped else body
        # Only what has come in is looked at, with a little before it: a long wrapped text is read once.
        base = max(0, len(held) - len(body) - _LOOK_BACK)
        cut = _PASTE.search(mask_quotes(held[base : base + _LONGEST_LINE]))
        if cut is None:
            continue
        rest = held[base + cut.end() :].strip()
        head = held[: base + cut.start()].strip()
        if head:
            yield head
        held = ""
        if not (rest and rest[0] in "\"'“«„「`‘" and len(rest) < 2000):
            return  # what follows is the pasted thing; where it ends, nobody can tell
    if held:
        yield held


def _kinds(lines: list[str]) -> list[bool]:
    """For each line whether its author wrote it as their own words."""
    own = []
    fence = ""
    mail = 0
    for line in lines:
        opened = _FENCE.match(line)
        if opened:
            mark = opened[0].strip()
            closes_itself = line.strip() != mark and line.rstrip().endswith(mark)
            fence = "" if fence else ("" if closes_itself else mark)
            own.append(False)
            continue
        if fence:
            own.append(False)
            continue
        if _MAIL_CUT.match(line):
            mail = 2
        elif _MAIL_HEAD.match(line):
            mail += 1
        elif line.strip() and mail < 2:
            mail = 0
        if mail >= 2:
            own.append(False)
            continue
        start = line[:12].lstrip()
        indented = line.startswith(("    ", "\t")) and not _BULLET.match(line)
        own.append(bool(start) and not start.startswith((">", "|")) and not indented and not _is_machine(line))
    return _without_islands(lines, own)


def _is_machine(line: str) -> bool:
    sample = line[:400]
    if _MACHINE.match(sample):
        return True
    if len(sample) < 8:
        return False
    if _PROSE.match(sample):
        return False
    signs = sum(not (char.isalnum() or char.isspace() or char in ".,!?'\"-’:;()") for char in sample)
    return signs > 0.2 * len(sample) or (len(line) > 300 and " " not in sample and sample.isascii())


def _without_islands(lines: list[str], own: list[bool]) -> list[bool]:
    """A lone line in the middle of machine text is machine text."""
    filled = [index for index, line in enumerate(lines) if line.strip()]
    kept = list(own)
    for place, index in enumerate(filled):
        if not own[index] or _FENCE.match(lines[index]):
            continue
        around = filled[max(0, place - 2) : place] + filled[place + 1 : place + 3]
        machine = [near for near in around if not own[near] and _is_machine(lines[near])]
        if len(machine) >= 3:
            kept[index] = False
    return kept


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
