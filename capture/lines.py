"""Which lines of a message its author wrote as their own words.

Not theirs: code, logs, mail and letters, chat transcripts, what stands between tags or behind a quotation mark of mail.
Every line is looked at once, its first characters only, so that a 2 MB message costs one pass.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re
from collections import Counter

from .lazy import lazy
from .voices import is_others, is_song

_SAMPLE = 400  # characters of a line that are looked at

_FENCE = lazy(r"\s{0,3}(?:```|~~~|\"\"\"|''')")
_MACHINE = lazy(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|TRACE|FATAL|CRITICAL)\b[\]: ]"
    r"|at [\w.$<>]+\(|Traceback|File \"|Caused by:|[\w.]+(?:Error|Exception|Warning)\b ?:|\$ |>>> |\.\.\. |# include|#!|//|/\*|\* @|<[!/a-zA-Z]"
    r"|diff --git|@@ |[+-]{3} [ab/]|[{}\[\]();]{1,40}$|;{1,3} ?[A-Za-z]|REM |(?:def|class|import|from|const|let|var|function|public|private|static"
    r"|return|package|using|fn|func|struct|enum|async|export|elif|else|try|except|catch|raise|throw|print|echo|sudo|apt|pip|npm|git|docker|curl)\b.*"
    r"[\])}({;=:\\|\\\\]|SELECT |INSERT |UPDATE \w+ SET|CREATE |DROP |\|.*\|\s*$|[+-]?\d[\d.,:\s%-]*$|-{3,}|={3,}|\w+\s*[:+]?=\s*\S.*[;({\[]$|.*[{;]\s*$"
    r"|# (?!remember|note|always|never|about me)[a-z]|\d{1,3}(?:\.\d{1,3}){3}\b|[=*#>-]{1,3} ?(?:\[|ERROR|WARN)|#\d+ \d|(?:FAIL|PASS|ok|not ok|✓|✗|❯|✔|✘|●|├|└|│)\s|[\w./-]+:\d+(?::\d+)?:|commit [0-9a-f]{7,40}\b)"
)
_PROSE = lazy(r"\s*[A-Za-z']{1,20},?(?: [A-Za-z']{1,20},?){2,}+[ .!?:]")
_MAIL_HEAD = lazy(
    r"\s*(?:From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Von|An|Betreff|De|Para|Asunto|Objet|发件人|收件人|主题)\s?: ?\S"
)
_MAIL_CUT = lazy(
    r"\s*(?:-{2,}\s{0,3}(?:Original|Forwarded|Begin forwarded|Ursprüngliche|Weitergeleitete)[^\n]{0,60}|Begin forwarded message:"
    r"|On .{6,120} wrote:\s*$|Am .{6,120} schrieb .{1,80}:\s*$|Le .{6,120} a écrit\s?:\s*$|El .{6,120} escribió:\s*$|Em .{6,120} escreveu:\s*$)",
    re.IGNORECASE,
)
_SALUTATION = lazy(
    r"\s*(?:dear|to whom it may concern|sehr geehrte[rn]?|liebe[rs]?|estimad[oa]s?|querid[oa]s?|cher|chère|chers|prezad[oa]s?|car[oa]s?|尊敬的|亲爱的|拝啓)(?=\W|[一-鿿])(?! (?:hermes|assistant|ai|bot|claude|gpt)\b)[^\n.!?]{0,60}[,:，：！!]?\s*$",
    re.IGNORECASE,
)
_SIGN_OFF = lazy(
    r"\s*(?:(?:kind|best|warm|with (?:kind|best)|many)? ?(?:regards|wishes)|yours(?: sincerely| faithfully| truly)?|sincerely(?: yours)?|respectfully|cheers|mit freundlichen grüßen|(?:viele|liebe|beste|freundliche) grüße|atentamente|un saludo|saludos(?: cordiales)?|cordialement|bien à vous|cordiais saudações|atenciosamente|com os melhores cumprimentos|此致|敬具)\b[^\n.?]{0,40}$",
    re.IGNORECASE,
)
# `User: ...`, `### Assistant`, `[10:41] Meera: ...`, `Anna: ...`
_ROLE = lazy(
    r"\s*(?:#{1,4} ?|\*{0,2}|<\|?|\[)(?P<role>user|human|assistant|ai|bot|chatbot|chatgpt|gpt(?:-\d\w*)?|claude|gemini|system|agent|model|customer|support|interviewer|interviewee|candidate|q|a)(?:\|?>|\])?\*{0,2}(?: ?[:：]| ?$)",
    re.IGNORECASE,
)
_MACHINE_ROLES = frozenset(
    "assistant ai bot chatbot chatgpt claude gemini model system agent support interviewer candidate a".split()
)
_STAMPED = lazy(r"\s*\W?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[ap]m)?\W{1,3}\s?\*{0,2}[\w .-]{1,30}\*{0,2}:\s")
_SPEAKER = lazy(r"\s*\*{0,2}(?P<name>[A-Z][\w'.-]{1,20}(?: [A-Z][\w'.-]{0,20})?)\*{0,2}: \S")
_NO_SPEAKER = frozenset(
    "note todo fixme hint tip warning error remember example update edit ps pps question answer environment steps expected actual frequency "
    "first second third goal problem context background summary task input output result version name about reminder correction budget hiring".split()
)
_OPENED = lazy(r"\s*<(?P<tag>[A-Za-z][\w-]{1,40})(?: [^<>\n]{0,200})?>(?P<rest>.*)$")
# A line of a program, and a remark behind one or in a line of its own.
_PROGRAM = r"(?:[\w.\[\]\"']{1,60}\s?(?:[:+*-]?=|<-)\s?[^\s=]|[\w.]{1,60}\([^()\n]{0,120}\)|[^\s#]{0,200}[;{}])"
_CODE = lazy(rf"\s*{_PROGRAM}[^\n]{{0,200}}$")
_REMARKED = lazy(rf"\s*{_PROGRAM}[^#\n]{{0,200}}?\s(?:#|//|--|/\*)\s?[A-Za-z]")
_REMARK = lazy(r"\s*(?:#{1,3}|--|%{1,3}|'|\*)\s?[^\W\d_]")
# How the last lines of a tool's answer look that came in the user's name.
_TOOL_OUTPUT = lazy(r"\s*(?:bash-\$|\(Current directory: [^)\n]{0,200}\)|OBSERVATION:|<returncode>)")


def own_lines(lines: list[str]) -> list[bool]:
    """For each line whether its author wrote it as their own words."""
    if _is_tool_output(lines):
        return [False] * len(lines)
    own = []
    fence = ""
    tag = ""
    sung = remark = False
    mail = letter = 0
    for index, line in enumerate(lines):
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
        if remark or line.lstrip()[:2] == "/*":
            remark = "*/" not in line
            own.append(False)
            continue
        if sung or is_song(line):
            sung = bool(line.strip())
            own.append(False)
            continue
        if tag:
            own.append(False)
            tag = "" if f"</{tag}>" in line[-_SAMPLE:] else tag
            continue
        if line.lstrip()[:1] == "<" and (found := _OPENED.match(line[:_SAMPLE])):
            if f"</{found['tag']}>" not in line and _closes(lines, index, found["tag"]):
                tag = found["tag"]
            own.append(False)
            continue
        if _MAIL_CUT.match(line[:_SAMPLE]):
            mail = 2
        elif _MAIL_HEAD.match(line):
            mail += 1
        elif line.strip() and mail < 2:
            mail = 0
        if _SALUTATION.match(line[:_SAMPLE]) and _is_letter(lines, index):
            letter = 1
        if mail >= 2 or letter:
            own.append(False)
            if _SIGN_OFF.match(line[:_SAMPLE]):
                letter, mail = 2, 2
            elif (letter == 2 or (mail == 2 and letter)) and not line.strip():
                letter = mail = 0  # signed: what follows the name is the author's again
            continue
        start = line[:12].lstrip()
        indented = line.startswith(("    ", "\t")) and not is_bullet(line)
        mine = bool(start) and not start.startswith((">", "|", "＞")) and not indented and not is_machine(line)
        own.append(mine and not is_others(line) and not _is_remark(lines, index))
    return _without_talk(lines, _without_islands(lines, own))


def is_bullet(line: str) -> re.Match[str] | None:
    """The mark of a list entry at the beginning of `line`."""
    return BULLET.match(line)


BULLET = lazy(r"\s{0,12}(?:[-*•·]|\d{1,2}[.)]|\[[ xX]\])\s{1,4}(?:\[[ xX]\]\s{1,3})?")


def is_machine(line: str) -> bool:
    """Whether `line` looks like code, a log or data."""
    sample = line[:_SAMPLE]
    if _MACHINE.match(sample) or line.count('\\"') > 1:  # text inside JSON text, as in a request or a log
        return True
    if len(sample) < 8:
        return False
    if _PROSE.match(sample):
        return False
    signs = sum(not (char.isalnum() or char.isspace() or char in ".,!?'\"-’:;()") for char in sample)
    return signs > 0.2 * len(sample) or (len(line) > 300 and " " not in sample and sample.isascii())


def _is_remark(lines: list[str], index: int) -> bool:
    """A remark in a program: behind its code, or beside a line of code."""
    line = lines[index][:_SAMPLE]
    if _REMARKED.match(line):
        return True
    if not _REMARK.match(line):
        return False
    around = (lines[at] for at in (index - 1, index + 1) if 0 <= at < len(lines))
    return any(_CODE.match(near[:_SAMPLE]) or (near.strip() and is_machine(near)) for near in around)


def is_data(line: str) -> bool:
    """Whether `line`, which stands behind `here is the log:`, may belong to what was announced there."""
    sample = line[:_SAMPLE].strip()
    if not sample or is_machine(line) or line.startswith(("    ", "\t", ">")):
        return True
    words = sample.split()
    plain = sum(word.strip(".,;:!?()'\"").replace("'", "").isalpha() for word in words)
    return (len(words) < 4 and sample[-1] not in ".!?。！？") or plain < 0.7 * len(words)


def _is_tool_output(lines: list[str]) -> bool:
    filled = [line for line in (*lines[:3], *lines[-3:]) if line.strip()]
    return any(_TOOL_OUTPUT.match(line[:_SAMPLE]) for line in filled)


def _closes(lines: list[str], index: int, tag: str) -> bool:
    return any(f"</{tag}>" in line for line in lines[index + 1 : index + 4_000])


def _is_letter(lines: list[str], index: int) -> bool:
    """A salutation with a text below it, not a greeting to the assistant with the request in the next line alone."""
    below = [line for line in lines[index + 1 : index + 200] if line.strip()]
    return any(_SIGN_OFF.match(line[:_SAMPLE]) for line in below) or len(below) > 3


def _without_talk(lines: list[str], own: list[bool]) -> list[bool]:
    """A transcript of a talk between people, or of one with an assistant, is nobody's statement to us."""
    roles = [_ROLE.match(line[:80]) for line in lines]
    named = {found["role"].lower() for found in roles if found}
    speaking = [found is not None for found in roles]
    if not (len(named) > 1 and named & _MACHINE_ROLES):
        speaking = [_STAMPED.match(line[:80]) is not None for line in lines]
        if sum(speaking) < 2:
            said = [_SPEAKER.match(line[:80]) for line in lines]
            names = Counter(one["name"] for one in said if one and one["name"].split()[0].lower() not in _NO_SPEAKER)
            if not (len(names) > 1 and max(names.values()) > 1):
                return own
            speaking = [one is not None and one["name"] in names for one in said]
    kept = list(own)
    inside = False
    for index, line in enumerate(lines):
        if speaking[index]:
            inside = True
            # A heading's own text stands below it, up to the next heading.
        elif not line.strip() and not _below_heading(lines, index):
            inside = False
        if inside:
            kept[index] = False
    return kept


def _below_heading(lines: list[str], index: int) -> bool:
    above = lines[index - 1].rstrip() if index else ""
    found = _ROLE.match(above[:80])
    return found is not None and found.end() == len(above)


def _without_islands(lines: list[str], own: list[bool]) -> list[bool]:
    """A lone line in the middle of machine text is machine text."""
    filled = [index for index, line in enumerate(lines) if line.strip()]
    kept = list(own)
    for place, index in enumerate(filled):
        if not own[index] or _FENCE.match(lines[index]):
            continue
        around = filled[max(0, place - 2) : place] + filled[place + 1 : place + 3]
        machine = [near for near in around if not own[near] and is_machine(lines[near])]
        if len(machine) >= 3:
            kept[index] = False
    return kept
