"""An entry: one remembered fact with its provenance, as plain JSON data.

Entries are dicts, not classes, because unknown keys of newer versions must survive a rewrite (contract cognition.md
2.3) and because every process on a home may run another version.  The keys are START.md's table.  This module holds
what is a function of the entry alone: its digests, its key, and what kind of version it is.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

Entry = dict[str, Any]

CAPTURED_KINDS = frozenset({"fact", "preference", "instruction", "decision", "identity"})
"""Kinds of statements that were found in a user's words."""

EXACT_KINDS = frozenset({"rule", "taboo", "summary", "work_unit", "session", "delegation"})
"""Kinds that never merge with an equal text of another kind: a rule is not said by a preference."""

PROVENANCE_FIELDS = ("source_session", "author", "created_at", "origin_repo", "trace_id")

# What may be left standing at the end of a sentence without changing the fact it states.
_TAIL = " \t\r\n.!。！…;；,，、"
_SPACE = re.compile(r"\s+")
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str).encode
_SEQ = re.compile(r"^cog-(?P<session>.+)-(?P<seq>\d{1,18})$")


def scrub(text: str) -> str:
    """`text` with every lone surrogate replaced by U+FFFD, so that it can be written as UTF-8 (B052, CD34)."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def canonical(value: object) -> bytes:
    """Canonical JSON: sorted keys, compact, non-ASCII kept, UTF-8; lone surrogates are scrubbed, never raised."""
    return scrub(_canonical(value)).encode("utf-8")


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON of `value`, 64 hex digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def normalise(text: str) -> str:
    """The form in which two statements count as equal: NFKC, case folded, one space, no closing punctuation."""
    folded = (text if text.isascii() else unicodedata.normalize("NFKC", scrub(text))).casefold()
    return _SPACE.sub(" ", folded).strip().strip(_TAIL)


def content_hash(content: str) -> str:
    """SHA-256 of the normalised content: what a merge compares, never the server's text (START.md)."""
    return hashlib.sha256(normalise(content).encode("utf-8")).hexdigest()


def fact_key(audience: str, project: str, content: str) -> str:
    """The idempotency key of a captured fact: SHA-256 of audience, project and normalised text (D55.2)."""
    return digest([audience, project, normalise(content)])


def audience_of(entry: Mapping[str, Any]) -> str:
    """Whose entry it is; those of earlier files are the owner's."""
    return str(entry.get("audience") or "owner")


def repo_of(entry: Mapping[str, Any]) -> str:
    """The repo label that it was written under, or its own; "" for none."""
    provenance = entry.get("provenance")
    origin = provenance.get("origin_repo") if isinstance(provenance, Mapping) else None
    return str(origin or entry.get("repo") or "")


def scope_of(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Whose statement it is (audience, in a room with its speaker: two people who say the same say two things, B005)
    and of which project."""
    audience = audience_of(entry)
    if audience.startswith("room/"):
        provenance = entry.get("provenance")
        speaker = provenance.get("speaker") if isinstance(provenance, Mapping) else None
        if isinstance(speaker, Mapping):
            audience = f"{audience} {speaker.get('id', '')}"
    return audience, str(entry.get("project", ""))


def entry_fact_key(entry: Mapping[str, Any]) -> str:
    """`fact_key` of an entry."""
    return fact_key(*scope_of(entry), str(entry.get("content", "")))


def delivery_digest(entry: Mapping[str, Any]) -> str:
    """Identity of a delivery: ref, content and the five provenance fields; bookkeeping is left out (D116, CR1)."""
    provenance = entry.get("provenance")
    provenance = provenance if isinstance(provenance, Mapping) else {}
    fields = {field: provenance.get(field) for field in PROVENANCE_FIELDS}
    return digest({"ref": entry.get("ref"), "content": entry.get("content"), "provenance": fields})


def original_delivery(entry: Mapping[str, Any]) -> str:
    """Digest of the delivery that an entry came from, also when it now lives on as a conflict copy or an old version.

    Both carry a ref that they were given later; the delivery itself was addressed to `conflict_with`, or to the ref
    whose version it is.  A statement that contradicts another one has kept its own.
    """
    copy_of = entry.get("conflict_with") if is_copy(entry) else None
    ref = copy_of or (is_version(entry) and entry.get("superseded_by")) or entry.get("ref")
    return delivery_digest({**entry, "ref": ref})


def entry_digest(entry: Mapping[str, Any] | None) -> str | None:
    """`was` of the store protocol: digest of the whole entry, a pin included; None for an absent one (D116)."""
    return None if entry is None else digest(dict(entry))


def is_version(entry: Mapping[str, Any]) -> bool:
    """True for `{ref}-v{n}`: what an update replaced, kept for history (D52)."""
    newer = entry.get("superseded_by")
    return isinstance(newer, str) and re.fullmatch(re.escape(newer) + r"-v\d+", str(entry.get("ref", ""))) is not None


def is_current(entry: Mapping[str, Any]) -> bool:
    """False for everything that another entry, or the user's built-in memory, has replaced."""
    return not entry.get("superseded_by")


def is_conflict(entry: Mapping[str, Any]) -> bool:
    """True for one side of a conflict: it has `conflict_with`; its ref proves nothing (contract 2.2, CD54)."""
    return bool(entry.get("conflict_with"))


def is_copy(entry: Mapping[str, Any]) -> bool:
    """True for a conflict that is another version of the same entry (C11), not a statement of its own."""
    other = entry.get("conflict_with")
    return bool(other) and str(entry.get("ref", "")).startswith(f"{other}-conflict-")


def seq_of(ref: str) -> int | None:
    """The outbox number inside `cog-{session}-{seq}`, or None for refs of another form."""
    found = _SEQ.match(ref)
    return int(found["seq"]) if found else None


def said_at(entry: Mapping[str, Any]) -> float:
    """When it was said, epoch seconds; 0 when that cannot be told."""
    provenance = entry.get("provenance")
    created = provenance.get("created_at") if isinstance(provenance, Mapping) else None
    try:
        at = float(created) if isinstance(created, int | float) and not isinstance(created, bool) else 0.0
    except OverflowError:  # a number of hundreds of digits, by hand
        return 0.0
    return at if at == at else 0.0


def order_key(entry: Mapping[str, Any]) -> tuple[float, int, str]:
    """Sort key for lists: when the fact was said, then the number given at enqueue, so that 10 follows 2 (CD64)."""
    ref = str(entry.get("ref", ""))
    return said_at(entry), seq_of(ref) or 0, ref
