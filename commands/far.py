"""What Memoria has to say to a command that looks: within seconds, or one line that says why not (D37)."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..audience import OWNER, Place
from ..stores.entry import Entry
from .answer import Line, Part
from .home import Home

if TYPE_CHECKING:
    from ..running.link import Link

T = TypeVar("T")
WAIT_S = 5.0  # seconds that a command waits for Memoria, over all that it asks
OFF = "off"
OF_THE_KEY = ("authentication_failed", "permission_denied")  # what only another key, or another right of it, mends
_NO_HOST = (
    "the key is in the secret store of Hermes, which is not beside this Python; mend: run it as hermes cognition ..."
)


class Far:
    """Memoria's part of one command.  Nothing is asked any more after an answer that did not come.

    on     whether this home's backend is Memoria at all     error  code of what went wrong, "" while nothing did
    more   whether there is more there than was read
    """

    def __init__(self, home: Home) -> None:
        self.on = home.settings["backend"] == "memoria"
        self.error = self.why = ""
        self.more = False
        if not self.on and may_be_meant(home):
            self.on, self.error, self.why = True, OFF, "config.yaml, which names it, cannot be read here"
        self._home = home
        self._end = time.monotonic() + WAIT_S

    def search(self, query: str, audience: str, top_k: int) -> list[tuple[Entry, float]]:
        """The best entries of an audience with their scores."""
        from ..running import far_reads

        return self._ask(audience, lambda link, left: far_reads.search(link, query, audience, "", top_k, left)) or []

    def newest(self, audience: str, most: int, keep: Callable[[Entry], bool]) -> list[Entry]:
        """Entries of an audience that `keep` wants, newest record first."""
        from ..running import far_reads

        found = self._ask(audience, lambda link, left: far_reads.newest(link, audience, most, left, keep))
        self.more = self.more or bool(found and found[1])
        return found[0] if found else []

    def disputed(self, audience: str) -> list[tuple[Entry, Entry | None]]:
        """Open conflicts: the copy and its other side."""
        from ..running import far_reads

        found = self._ask(audience, lambda link, left: far_reads.disputed(link, audience, left))
        self.more = self.more or bool(found and found[1])
        return found[0] if found else []

    def one(self, ref: str, audiences: Sequence[str]) -> tuple[Entry | None, list[Entry]]:
        """The entry with this ref or id, of whichever audience it is, and its conflict copies."""
        from ..running import far_reads

        for audience in audiences:
            found = self._ask(audience, lambda link, left, whose=audience: far_reads.one(link, ref, whose, left))  # type: ignore[misc]
            if found is not None and found[0] is not None:
                return found
        return None, []

    # -- what is said of it -------------------------------------------------------------------------------------------

    def data(self) -> dict[str, Any]:
        """For `--json`; nothing for a home on this machine alone."""
        if not self.on:
            return {}
        said: dict[str, Any] = {"answered": not self.error}
        said |= {"error": self.error, "why": self.why} if self.error else {}
        return {"memoria": said | ({"more": True} if self.more else {})}

    def parts(self) -> list[Part]:
        """For a reader: nothing while all is well."""
        if self.error:
            return [Line(f"{self.said()}; only what is on this machine is shown.", "bad")]
        return [Line("There are more on Memoria; --limit shows more.", "quiet")] if self.more else []

    def said(self) -> str:
        """Why there is no answer, in half a sentence."""
        if self.error == OFF:
            return f"Memoria is off: {self.why.rstrip('.')}"
        why = self.why.rstrip(".") if "Memoria" in self.why else f"Memoria: {self.why.rstrip('.')}"
        return f"{why} ({self.error})"

    # -- parts --------------------------------------------------------------------------------------------------------

    def _ask(self, audience: str, ask: "Callable[[Link, float], T]") -> T | None:
        from ..lookup import WriteRefused

        link = self._link()
        place = Place(audience, local=audience == OWNER)
        if link is None or not self._home.runtime.remote.serves(place):
            return None
        left = self._end - time.monotonic()
        if left <= 0:
            self.error, self.why = "network_failed", "Memoria did not answer in time"
            return None
        try:
            return ask(link, left)
        except WriteRefused as refused:
            self.error, self.why = refused.code, refused.hint
            return None

    def _link(self) -> "Link | None":
        if not self.on or self.error:
            return None
        from ..memoria.identity import is_made

        home = self._home
        if not is_made(home.path, home.settings.subject):
            return None  # so nothing can be there, and a look makes no identity
        remote = home.runtime.remote
        try:
            link = remote.link
        except ImportError as missing:
            self.error, self.why = OFF, f"this Python has no {missing.name}"
            return None
        if link is None:
            self.error, self.why = OFF, why_off(self._home)
        return link


def may_be_meant(home: Home) -> bool:
    """Whether settings that could not be read speak of Memoria (a Python without YAML, a broken file)."""
    if home.config is not None:
        return False
    try:
        return "memoria" in (home.path / "config.yaml").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def in_words(error: str) -> str:
    """What kept something from Memoria: a code with what it means; anything else as it is."""
    from ..memoria.errors import HINTS

    code = error.removeprefix("Memoria: ")
    return f"{HINTS[code].rstrip('.')} ({code})" if code in HINTS else error


def why_off(home: Home) -> str:
    """Why there is no way to Memoria, and after `; mend: ` what helps, where something does."""
    return home.settings.remote_off_reason or (_NO_HOST if home.host is None else home.runtime.remote.why)


__all__ = ["OF_THE_KEY", "Far", "in_words", "may_be_meant", "why_off"]
