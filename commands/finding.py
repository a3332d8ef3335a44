"""One finding of `doctor` and `status`."""

from dataclasses import dataclass
from typing import Literal

State = Literal["well", "note", "wrong"]


@dataclass(frozen=True)
class Finding:
    """What was looked at, how it is, in plain words, and the one command that helps."""

    name: str
    state: State
    said: str
    mend: str = ""

    def told(self) -> str:
        """In one line, with the command."""
        said = self.said.rstrip(".")
        return f"{said}: {self.mend}" if self.mend else said
