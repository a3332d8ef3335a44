"""Whose memory a session may read and write, and for which project (D44, D45, design Decision 11).

An audience is `owner` (the person at this machine), `person/<platform>/<user>` (a direct chat),
`room/<platform>/<chat>` or `key/<platform>/<digest>` (a client of the HTTP server).  The empty audience means that the
host cannot say who is there: nothing is captured and nothing is shown.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .capture.safe import safe_name
from .plain import dataclass
from .stores.entry import scrub

OWNER = "owner"
_OWNER_PLATFORMS = {"", "cli", "tui", "acp", "local", "desktop"}
_DIRECT = {"dm", "direct", "private", "im"}
_UNATTENDED = {"cron", "subagent"}


@dataclass(frozen=True)
class Speaker:
    """A chat user as the platform names them; recorded beside the author (CD99)."""

    id: str
    name: str = ""

    def record(self) -> dict[str, str]:
        return {"id": self.id, "name": self.name} if self.name else {"id": self.id}


@dataclass(frozen=True)
class Place:
    """Where a session takes place.

    audience  whose memory it is; "" = cannot be attributed
    project   name of the git top level, "" outside one
    speaker   the chat user, None for the owner
    writes    False in unattended contexts: nothing is captured there (P36)
    local     at the machine itself, no gateway chat: Memoria works here without being asked for (M11, D113)
    """

    audience: str
    project: str = ""
    speaker: Speaker | None = None
    writes: bool = True
    local: bool = True

    @property
    def recorded(self) -> dict[str, str] | None:
        """The speaker, as recorded beside the author."""
        return self.speaker.record() if self.speaker is not None else None

    def spoken_by(self, author: Speaker | None) -> "Place":
        """This place for one turn whose author the host names (P38).

        In a room the turn is recorded as that person's.  In a direct chat a stranger's turn belongs to nobody we can
        name, so nothing is captured or shown (B005).
        """
        if author is None or not author.id or self.audience == OWNER or author == self.speaker:
            return self
        if self.audience.startswith("room/"):
            return replace(self, speaker=author)
        if self.speaker is not None and author.id == self.speaker.id:
            return self
        return replace(self, audience="", writes=False)

    def safe(self) -> "Place":
        """This place with the names that are written, and looked for, without secrets (invariant 6)."""
        audience = self.audience if self.audience == OWNER else safe_name(self.audience)
        return replace(self, audience=audience, project=safe_name(self.project))


def place_of(facts: Mapping[str, Any], owners: Iterable[str] = (), project: str = "") -> Place:
    """The place of a session from the keywords of `initialize` (host.md 5.3).

    owners  direct chats that are the owner, as `platform:user` (setting audiences.owner)
    """
    platform = _text(facts, "platform").lower()
    context = _text(facts, "agent_context").lower()
    writes = (not context or context == "primary") and platform not in _UNATTENDED
    user, chat = _text(facts, "user_id"), _text(facts, "chat_id")
    kind = _text(facts, "chat_type").lower()
    key = _text(facts, "gateway_session_key")
    speaker = Speaker(user, _text(facts, "user_name")) if user else None
    local = platform in _OWNER_PLATFORMS | _UNATTENDED and not key
    audience = _audience(platform, user, chat, kind, key)
    if audience.startswith("room/") and not (user and key.split(":")[-1] == user):
        # Several people may share this object; only a turn that names its author is a person's (P38).
        speaker = Speaker(chat, _text(facts, "chat_name"))
    if audience.startswith("person/") and f"{platform}:{user}" in set(owners):
        return Place(OWNER, project, None, writes, local)
    if audience == OWNER:
        speaker = None
    return Place(audience, project, speaker, writes and bool(audience), local)


def _audience(platform: str, user: str, chat: str, kind: str, session_key: str) -> str:
    if platform in _OWNER_PLATFORMS:
        return OWNER
    name = quote(platform, safe="")
    if platform == "api_server":
        # The key tells clients apart and may itself be guarded: only its digest is kept.
        return f"key/{name}/{hashlib.sha256(session_key.encode()).hexdigest()[:16]}" if session_key else ""
    if user and (kind in _DIRECT or (not kind and chat in ("", user))):
        return f"person/{name}/{quote(user, safe='')}"
    if chat:  # a room; also a chat of unknown kind, which is then nobody else's
        return f"room/{name}/{quote(chat, safe='')}"
    return ""


def _text(facts: Mapping[str, Any], key: str) -> str:
    value = facts.get(key)
    return scrub(str(value)).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def project_of(folder: Path | None) -> str:
    """The name of the git top level that holds `folder`, "" outside one.  No process is started (P24)."""
    if folder is None:
        return ""
    try:
        resolved = folder.resolve()
        for candidate in (resolved, *resolved.parents):
            if (candidate / ".git").exists():
                return scrub(candidate.name)
    except (OSError, ValueError):
        pass
    return ""
