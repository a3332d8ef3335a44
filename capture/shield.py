"""Where a text is not its author's prose: code, quotations, links, paths, commands (capture.md section 3)."""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re
from collections.abc import Iterator

from .lazy import lazy

_FENCE = lazy(r"[ \t]{0,8}(?:[-*+>][ \t]{1,3}|\d{1,3}[.)][ \t]{1,3})?(`{3,}|~{3,})")
_BULLET = lazy(r"[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]")
_QUOTE_LINE = lazy(r"[ \t]{0,3}(?:>|&gt;|\uff1e)")

# A line that only a program, a shell or a data file has.
_CODE_LINE = lazy(
    r"[ \t]*(?:"
    r"(?:export|public|private|protected|static|final|async|pub)\s+\w+.{0,400}[;{(=]\s*$"
    r"|(?:const|let|var|val|auto|mut|def|func|fn|class|struct|enum|interface|type|typedef|namespace|package|import|using|module|lambda)\s+[\w.{*\"'<(]+.{0,400}[;{(:=)}]\s*$"
    r"|(?:import|from)\s+[\w.]+(?:\s+(?:import|as)\s+[\w.,* (]+)?;?\s*$"
    r"|(?:if|elif|while|for|switch|match|foreach|until|unless|when)\s*\(.{0,400}[{;)]\s*$"
    r"|(?:if|elif|while|for|with|except|assert|raise|yield|del)\s[^.?!]{0,400}(?:[=<>!]=|[\w\])]\(|\.\w+|\[|\sin\s\w+|\w\s[<>]\s\w|->).{0,400}:?\s*$"
    r"|(?:return|yield|await|throw|raise|assert|goto|break|continue)\b(?:\s[\w.\[\](){}+*/<>=!-]+)?;?\s*$"
    r"|return\s.{0,200}[\w\])]\(.{0,200}$"
    r"|(?:int|long|float|double|bool|boolean|string|String|Date|LocalDate|char|void|auto|u?int\d{1,2}_t|usize|i32|u64)\s+\w+\s*[=;({]"
    r"|[\w.$@\[\]\"'*&>-]+(?:\s*:\s*[\w.\[\]<>|]+)?\s*(?:[-+*/|&%^]|<<|>>|\*\*|//|\?\?)?=(?![=>])\s*\S.{0,2000}$"
    r"|[\w.$@]+\s*:=\s*\S"
    r"|[\w.$:>-]+[(\[].{0,2000}[)\]]\s*[;,:{]?\s*(?:#.*|//.*)?$"
    r"|.{0,2000}(?:[{\\]|=>|->|[)\]}\"'];)\s*$"
    r"|[)\]}]+[;,]?\s*$|File \"[^\"]{1,400}\", line \d+"
    r"|(?://|/\*|\*/|#!|#include|#define|#pragma|@\w+(?:\(|\s*$)|<!--|<\?|</?[A-Za-z][\w-]*[\s/>])"
    r"|(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP|WHERE|FROM|JOIN|ORDER BY|GROUP BY|WITH)\s.{0,2000}$"
    r"|(?:\$|%|>>>|\.\.\.|PS>|In \[\d+\]:)\s\S"
    r"|[\"'][\w $.-]+[\"']\s*:\s*\S"
    r"|(?:git|curl|docker|kubectl|npm|npx|pip|cargo|date|journalctl|find|grep|rg|aws|gh|make|ssh|psql|python3?)\s.{0,200}(?:\s-{1,2}\w|[=|]).{0,400}$"
    r"|[a-z_][\w-]*:\s*(?:$|[\d.:-]+\s*$|[\[{\"'&*|>!]|(?:true|false|null|yes|no)\s*$)"
    r")"
)
# Signs of code that may also stand in a line of prose: two of them in a block make its comment lines code as well.
_COMMENT = lazy(r"[ \t]*(?:#(?!#)|//|--|;;|/?\*)\s")

# A class of one, since `hermes plugins validate` takes an exclamation mark before a backtick for a shell snippet.
_INLINE = lazy(r"(?<![`])(`{1,2})(?![`])(?:(?!\n[ \t]*\n)[^`]){1,2000}?\1(?![`])")
_QUOTES = lazy(
    r"(?<![\w\u4e00-\u9fff])\"(?:(?!\n[ \t]*\n)[^\"]){1,2000}\"|(?<=[\u4e00-\u9fff\uff0c\u3002\uff1a])\"[^\"\n]{1,2000}\""
    r"|\u201c[^\u201c\u201d]{1,2000}\u201d|\u201e[^\u201c\u201d\u201e]{1,2000}[\u201c\u201d]|\u00ab[^\u00ab\u00bb]{1,2000}\u00bb|\u00bb[^\u00ab\u00bb\n]{1,2000}\u00ab"
    r"|(?<![^\W_])\u2018[^\u2018\n]{1,500}?\u2019(?![^\W_])|\u201a[^\u2018\u2019\n]{1,500}[\u2018\u2019]|\u2039[^\u2039\u203a\n]{1,500}\u203a"
    r"|(?<![^\W_])'(?=\S)[^'\n]{1,500}(?:(?<=[^\W_])'(?=[^\W_])[^'\n]{1,500}){0,8}(?<=\S)'(?![^\W_])"
    r"|[\u300c\u300e\u300a\u3008\u3010][^\n\u300c\u300e\u300a\u3008\u3010]{1,500}?[\u300d\u300f\u300b\u3009\u3011]"
)
_TOKEN = lazy(
    r"(?:[A-Za-z][A-Za-z0-9+.-]{1,20}://|www\.|mailto:|data:)[^\s\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]*+"
    r"|[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9][A-Za-z0-9.-]{1,250}"
    r"|\[REDACTED [a-z]{2,16}\]|\[[^\]\n]{1,200}\]\([^)\n]{0,500}\)|<[A-Za-z!][^<>\n]{0,500}>|\$\{[^}\n]{1,200}\}|\{\{[^}\n]{1,200}\}\}"
)


class Shield:
    """The places of `text` that are not prose; `covers` asks for any part of a stretch.  Linear in the length."""

    def __init__(self, text: str) -> None:
        self._marks = bytearray(len(text))
        self._text = text
        self._lines()
        for pattern, signs in (
            (_TOKEN, "@[<{:w"), (_INLINE, "`"), (_QUOTES, "\"'\u201c\u201e\u00ab\u00bb\u2018\u201a\u2039\u300c\u300e\u300a\u3008\u3010")
        ):  # fmt: skip
            if any(sign in text for sign in signs):
                self._cover(pattern)

    def covers(self, start: int, stop: int) -> bool:
        return any(self._marks[start:stop])

    def _mark(self, start: int, stop: int) -> None:
        self._marks[start:stop] = b"\1" * (stop - start)

    def _cover(self, pattern: re.Pattern[str]) -> None:
        for found in pattern.finditer(self._text):
            if not self._marks[found.start()]:
                self._mark(found.start(), found.end())

    def _lines(self) -> None:
        """Fenced and indented blocks, block quotes, and lines of code outside of any."""
        fence = ""
        listed = indented = False
        blank = True
        block: list[tuple[int, int, str]] = []
        for start, stop in _line_ends(self._text):
            line = self._text[start : min(stop, start + 4000)]
            opening = _FENCE.match(line)
            if fence:
                self._mark(start, stop)
                if opening and opening.group(1).startswith(fence) and not line[opening.end() :].strip("`~ \t\r\n"):
                    fence = ""
                continue
            if opening:
                fence = opening.group(1)
                self._mark(start, stop)
                blank = indented = False
                continue
            if not line.strip():
                self._block(block)
                block, blank = [], True
                continue
            bullet = _BULLET.match(line) is not None
            deep = line.startswith(("    ", "\t", "  \t", " \t"))
            if deep and not (listed and (bullet or not blank)) and (blank or indented or not bullet):
                self._mark(start, stop)
                indented = True
            elif _QUOTE_LINE.match(line) is not None:
                self._mark(start, stop)
                indented = False
            else:
                block.append((start, stop, line))
                indented = False
                listed = bullet or (listed and deep)
            blank = False
        self._block(block)

    def _block(self, block: list[tuple[int, int, str]]) -> None:
        """A paragraph: its lines of code, and its comments where most of the rest is code."""
        code = [_CODE_LINE.match(line) is not None for _, _, line in block]
        comments = [_COMMENT.match(line) is not None for _, _, line in block]
        others = sum(not comment for comment in comments)
        mostly = sum(code) >= 2 and sum(code) * 2 >= others
        for (start, stop, _), is_code, is_comment in zip(block, code, comments, strict=True):
            if is_code or (mostly and is_comment) or (mostly and sum(code) * 4 >= others * 3):
                self._mark(start, stop)


def _line_ends(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        stop = len(text) if end < 0 else end + 1
        yield start, stop
        start = stop
