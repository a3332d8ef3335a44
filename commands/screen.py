"""Parts on a screen: rich tables on a terminal, plain aligned text everywhere else (pipe, NO_COLOR, no rich).

Remembered text is somebody's words: control characters in it, which could move the cursor or rewrite what stands on the
screen, are shown as escapes and never sent.
"""

import json
import os
import shutil
import textwrap
import unicodedata
from collections.abc import Sequence
from typing import Any, TextIO

from ..stores.codec import plain as sound
from ..stores.entry import scrub
from .answer import Answer, Line, Pairs, Part, Table

_BIDI = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
_STYLES = {"": "", "good": "green", "bad": "bold red", "quiet": "dim", "title": "bold"}
NARROWEST = 24  # columns of text that a wrapped last column keeps


def one_line(text: object) -> str:
    """`text` as one line that is safe to print."""
    return visible(" ".join(str(text).split()))


def visible(text: object) -> str:
    """`text` with its line breaks, and every other control character as an escape."""
    return "".join(char if char == "\n" or not _hidden(char) else _escape(char) for char in scrub(str(text)))


def _hidden(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or ord(char) in _BIDI


def _escape(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"


def as_json(data: Any) -> str:
    """One JSON text; what JSON cannot say (NaN in a file written by hand) becomes null."""
    return scrub(json.dumps(sound(data), ensure_ascii=False, indent=2, default=str))


class Screen:
    """Where an answer goes.  Rich is used on a terminal only, when it is there and NO_COLOR is not set."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.terminal = bool(getattr(stream, "isatty", lambda: False)())
        self.console: Any = self._console() if self.terminal else None

    def _console(self) -> Any:
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") in ("dumb", "unknown"):
            return None
        try:
            from rich.console import Console
        except ImportError:
            return None
        return Console(file=self.stream, highlight=False, markup=False, emoji=False)

    def show(self, answer: Answer) -> None:
        """Print the parts of an answer; empty lines stand between them where they differ in kind."""
        if answer.raw is not None:
            self.stream.write(answer.raw)
            return
        before: Part | None = None
        for part in answer.parts:
            heading = isinstance(part, Line) and part.tone == "title"
            if before is not None and (type(part) is not type(before) or heading or _is_block(before)):
                self.stream.write("\n")
            self._part(part)
            before = None if heading else part

    def _part(self, part: Part) -> None:
        part = _safe(part)
        if self.console is not None:
            self._rich(part)
        elif isinstance(part, Line):
            self._lines(part.text)
        elif isinstance(part, Pairs):
            self._plain(part.rows)
        elif part.rows:
            self._plain([tuple(name.upper() for name in part.columns), *part.rows])

    def _rich(self, part: Part) -> None:
        from rich.table import Table as RichTable
        from rich.text import Text

        if isinstance(part, Line):
            self.console.print(Text(part.text, _STYLES[part.tone]), soft_wrap=False)
            return
        if isinstance(part, Pairs):
            grid = RichTable.grid(padding=(0, 2))
            grid.add_column(style="cyan", no_wrap=True)
            grid.add_column(overflow="fold")
            for name, value in part.rows:
                grid.add_row(Text(name), Text(value))
            self.console.print(grid)
            return
        table = RichTable(box=None, padding=(0, 2, 0, 0), header_style="bold cyan", pad_edge=False)
        for number, name in enumerate(part.columns):
            table.add_column(name, overflow="fold", ratio=1 if number == len(part.columns) - 1 else None)
        for number, row in enumerate(part.rows):
            style = _STYLES[part.tones[number]] if number < len(part.tones) else ""
            table.add_row(*(Text(cell) for cell in row), style=style)
        self.console.print(table)

    def _lines(self, text: str) -> None:
        for line in text.split("\n"):
            kept = line[: len(line) - len(line.lstrip())]
            for piece in self._wrapped(line, self._width(), kept + "  "):
                self.stream.write(piece + "\n")

    def _plain(self, rows: Sequence[Sequence[str]]) -> None:
        """Aligned columns.  In a pipe a row is always one line, so that grep and cut work on it."""
        count = max(len(row) for row in rows)
        widths = [max(_cells(row[n]) for row in rows) for n in range(count - 1)]
        left = sum(widths) + 2 * len(widths)
        width = self._width()
        room = max(NARROWEST, width - left) if width else 0
        for row in rows:
            head = "".join(cell + " " * (size - _cells(cell) + 2) for cell, size in zip(row[:-1], widths, strict=True))
            first, *more = self._wrapped(row[-1], room, "")
            self.stream.write((head + first).rstrip() + "\n")
            for piece in more:
                self.stream.write(" " * left + piece + "\n")

    def _width(self) -> int:
        return shutil.get_terminal_size((100, 24)).columns if self.terminal else 0

    @staticmethod
    def _wrapped(text: str, width: int, indent: str) -> list[str]:
        if not width or _cells(text) <= width:
            return [text]
        return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _safe(part: Part) -> Part:
    """The part with nothing in it that a terminal would obey; here, so that no command can forget it."""
    if isinstance(part, Line):
        return Line(visible(part.text), part.tone)
    rows = [[visible(cell).replace("\n", " ") for cell in row] for row in part.rows]
    if isinstance(part, Pairs):
        return Pairs([(name, value) for name, value in rows])
    return Table(part.columns, rows, part.tones)


def _is_block(part: Part) -> bool:
    return isinstance(part, Line) and "\n" in part.text


def _cells(text: str) -> int:
    """Columns that `text` takes on a terminal."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
