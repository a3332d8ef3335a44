"""Whose records are meant: subject, audience, binding (M16-M22, D41-D47).

    auto       derived from the resolved home, the same as in the earlier implementation: a moved home is a new subject
    portable   a random id in cognition/identity.json, with a digest of the home in which it was made
    <name>     one subject for several machines or profiles

A subject is a filter inside an account and no security boundary (M20).  The *binding* names the destination of queued
rows: origin, key, subject, branch and home.  It is an HMAC under the key itself, so it says nothing about the key,
which is stored nowhere (M22, MI9); rows of another binding lie dormant.  The home is part of it because a copied
profile with a shared name has everything else in common with its original, and must not send the original's queue.
"""

import contextlib
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..stores.entry import canonical, digest
from ..stores.files import open_private
from .errors import Refused
from .limits import SUBJECT_BYTES

FILE = "identity.json"
NO_ID = "no id yet: it is made when Memoria is used first"
OWNER = "owner"


@dataclass(frozen=True)
class Identity:
    """The subject of a home.  `doubt`: why nothing may be sent until a person has said which home this is (D42)."""

    subject: str
    form: Literal["auto", "portable", "named"]
    home: str
    doubt: str = ""

    def of_audience(self, audience: str) -> str:
        """The subject under which an audience's records stand: the owner's is the bare one (D46)."""
        if audience == OWNER:
            return self.subject
        if not audience:
            raise Refused("no_audience", "Nobody can say whose memory this would be; nothing was sent.")
        return f"{self.subject}~{hashlib.sha256(canonical_text(audience)).hexdigest()[:16]}"


def resolve(home: Path, setting: str = "auto") -> Identity:
    """The identity of `home`; `setting` is auto, portable, or a name in the form in which it is sent.

    A portable id is made with the first call.  Raises Refused when its file cannot be read or written, and for a name
    that is too long.
    """
    real = real_home(home)
    if setting == "auto":
        return Identity(derived(real), "auto", real)
    if setting != "portable":
        if len(setting.encode("utf-8", "replace")) + 17 > SUBJECT_BYTES or not setting.strip():
            raise Refused("invalid_subject", "memoria.subject is too long or blank; nothing is sent.")
        return Identity(setting, "named", real)
    saved = _saved(home)
    if saved is None:
        saved = _write(home, {"id": f"hermes-{secrets.token_hex(16)}", "home": digest(real)})
    doubt = ""
    if saved["home"] != digest(real):
        doubt = (
            "this home was copied or moved, and nothing is sent to Memoria until you say which: "
            "hermes cognition identity confirm"
        )
    return Identity(saved["id"], "portable", real, doubt)


def is_made(home: Path, setting: str) -> bool:
    """False for a portable identity that nobody has used yet: `resolve` would make it, which is not for a look."""
    return setting != "portable" or _path(home).exists()


def confirm(home: Path, which: Literal["moved", "copied"]) -> Identity:
    """Settle the doubt about a portable id: a moved home keeps it, a copy gets one of its own (D42).

    Rows that a copy brought along stay with the old subject, dormant and visible.
    """
    saved = _saved(home)
    if saved is None:
        return resolve(home, "portable")
    kept = saved["id"] if which == "moved" else f"hermes-{secrets.token_hex(16)}"
    _write(home, {"id": kept, "home": digest(real_home(home)), "before": saved["id"]})
    return resolve(home, "portable")


def real_home(home: Path) -> str:
    """The home as a real path, in which alone it is compared and hashed (memoria-plugin.md 2.2)."""
    return os.path.realpath(home)


def derived(real: str) -> str:
    """The subject of a resolved home (M16, memoria-plugin.md 2.2)."""
    return "hermes:" + hashlib.sha256(canonical([real, "local-user"])).hexdigest()[:32]


def binding(origin: str, key: str, subject: str, branch: str, home: str) -> str:
    """The partition of the queue, 64 hex digits.  A portable identity keeps its rows when the home has moved: it is
    the subject itself that tells a copy apart there, and its caller gives "" for home."""
    parts = canonical(["cognition binding 1", origin.rstrip("/"), subject, branch, home])
    return hmac.new(key.encode("utf-8", "replace"), parts, hashlib.sha256).hexdigest()


def binding_of(identity: Identity, origin: str, key: str, branch: str) -> str:
    """The binding of an identity."""
    home = identity.home if identity.form == "named" else ""
    return binding(origin, key, identity.subject, branch, home)


def earlier_binding(origin: str, key: str, subject: str, branch: str) -> str:
    """The binding as the earlier implementation stored it; rows under it are taken over (memoria-plugin.md 2.2)."""
    return hashlib.sha256(canonical([origin.rstrip("/"), key, subject, branch])).hexdigest()


def signature(home: Path, values: Mapping[str, Any], key: str) -> str:
    """Changes with the key, the settings and the home, and reveals none of them (M22)."""
    parts = canonical(["cognition signature 1", real_home(home), dict(values)])
    return hmac.new(key.encode("utf-8", "replace"), parts, hashlib.sha256).hexdigest()


def canonical_text(text: str) -> bytes:
    """UTF-8 that never raises."""
    return text.encode("utf-8", "replace")


def _path(home: Path) -> Path:
    return Path(home) / "cognition" / FILE


def _saved(home: Path) -> dict[str, str] | None:
    """What is saved; None when nothing is.  A file that cannot be read is not replaced: its id may be needed."""
    path = _path(home)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        saved = {"id": str(value["id"]), "home": str(value["home"])}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as problem:
        hint = f"{path.name} cannot be read; nothing is sent to Memoria. Restore it, or delete it for a new identity."
        raise Refused("identity_unreadable", hint) from problem
    if not saved["id"].startswith("hermes-") or len(saved["id"]) > SUBJECT_BYTES - 17:
        raise Refused("identity_unreadable", f"{path.name} holds no id of ours; nothing is sent to Memoria.")
    return saved


def _write(home: Path, value: Mapping[str, str]) -> dict[str, str]:
    """Save, all or nothing.  Of two processes that make one at once the first wins, and both use it."""
    path = _path(home)
    partial = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.partial")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(open_private(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY), "wb") as file:
            file.write(canonical(dict(value)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        if "before" in value:
            partial.replace(path)
        else:
            try:
                os.link(partial, path)
            except FileExistsError:
                pass
            except OSError:  # no links here
                partial.replace(path)
    except OSError as problem:
        hint = f"{path.name} cannot be written ({problem.strerror}); nothing is sent to Memoria."
        raise Refused("identity_unwritable", hint) from problem
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()
    return _saved(home) or dict(value)
