"""What a command gives: data for `--json`, and parts for a reader.  A command prints nothing itself."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

DONE, WRONG, REFUSED = 0, 1, 2
"""Exit codes: done; `doctor` found something that needs a person; refused or wrong usage, and nothing was changed."""

Tone = Literal["", "good", "bad", "quiet", "title"]


@dataclass(frozen=True)
class Line:
    """One line, or several, of text."""

    text: str
    tone: Tone = ""


@dataclass(frozen=True)
class Pairs:
    """Names and values below each other."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Table:
    """Rows under headings.  The last column takes what room there is, and wraps; `tones` colours a row."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    tones: Sequence[Tone] = ()


Part = Line | Pairs | Table


@dataclass
class Answer:
    """`data` is printed as one JSON object; `raw` stands for everything else when it is set."""

    data: dict[str, Any]
    parts: list[Part] = field(default_factory=list)
    code: int = DONE
    raw: str | None = None


class Refused(Exception):
    """Nothing was changed: `code` for programs, the message for people, `hint` the one thing that helps."""

    def __init__(self, code: str, message: str, hint: str = "", candidates: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint
        self.candidates = list(candidates)

    def answer(self) -> dict[str, Any]:
        """The JSON form."""
        said: dict[str, Any] = {"error": self.code, "message": self.message, "hint": self.hint}
        return {**said, "candidates": self.candidates} if self.candidates else said
