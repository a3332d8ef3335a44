"""An entry as a record of Memoria, and back (START.md's table, D80, D116).

The server may rewrite a text (e-mail addresses, phone and card numbers), so a record is compared by the `content_hash`
in its metadata and never by its text (D82).  Its identity is the digest of ref, content_hash and the five provenance
fields; every record carries that of the delivery it came from, under which a redelivery finds it again.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..memoria.limits import METADATA_CHARS
from .entry import PROVENANCE_FIELDS, Entry, content_hash, digest, entry_fact_key

if TYPE_CHECKING:
    from ..memoria.models import Record

Scalar = str | int | float | bool
Metadata = dict[str, Scalar]

TYPES = ("semantic", "profile", "procedural", "episodic", "working", "tool_result")
PROFILE_KINDS = {"identity", "preference", "instruction", "rule", "taboo"}
_COPIED = ("kind", "project", "repo", "salience", "seen", "pinned", "conflict_with", "supersedes", "superseded_by")
_MADE = ("made_by", "made_of")  # of provenance: whose words they are when nobody has said them
_SHORT, _REMEMBERED = 20, 40  # hex digits of an identity in a lineage, and how many of them fit into one value


def identity(entry: Mapping[str, Any]) -> str:
    """What makes a delivery the same one: ref, content_hash, provenance (D116); bookkeeping is left out."""
    given = entry.get("provenance")
    provenance = given if isinstance(given, Mapping) else {}
    hashed = str(entry.get("content_hash") or content_hash(str(entry.get("content", ""))))
    fields = {field: _plain(provenance.get(field)) for field in PROVENANCE_FIELDS}
    return digest({"ref": entry.get("ref"), "content_hash": hashed, "provenance": fields})


def metadata_of(
    entry: Entry, *, delivery: str, base: str | None = None, previous: str = "", lineage: str = ""
) -> Metadata:
    """The metadata of the record that `entry` becomes.

    delivery  identity of what was pushed; that of a conflict copy is its original's
    base      identity of the version that this one replaces; previous: the id of that version's record (B043)
    lineage   of the versions that stood there before, as `lineage_of` gives it
    """
    provenance = entry["provenance"]
    found: dict[str, Any] = {"source": "hermes", "ref": entry["ref"], "delivery": delivery}
    found |= {"content_hash": content_hash(entry["content"]), "fact_key": entry_fact_key(entry)}
    found |= {"audience": str(entry.get("audience") or "owner")}
    found |= {field: _plain(provenance.get(field)) for field in PROVENANCE_FIELDS}
    found |= {name: entry[name] for name in _COPIED if entry.get(name) not in (None, "", False)}
    found |= {"base_hash": base} if base else {}
    found |= {"previous": previous} if previous else {}
    found |= {"lineage": lineage} if lineage else {}
    found |= {name: provenance[name] for name in _MADE if isinstance(provenance.get(name), str)}
    speaker = provenance.get("speaker")
    if isinstance(speaker, Mapping):
        found |= {f"speaker_{name}": speaker[name] for name in ("id", "name") if isinstance(speaker.get(name), str)}
    return {name: _fitting(value) for name, value in found.items() if _sendable(value)}


def memory_type(entry: Mapping[str, Any]) -> str:
    """The type under which an entry is stored."""
    known = entry.get("memory_type")
    if known in TYPES:
        return str(known)
    return "profile" if entry.get("kind") in PROFILE_KINDS else "semantic"


def entry_of(record: "Record") -> Entry:
    """A record as an entry: `memory_id` beside the ref, the server's text as content.

    One that this plugin did not write has no ref: its id stands for it, and its provenance is what the server knows.
    """
    meta = record.extra_metadata
    provenance = {
        "source_session": str(meta.get("source_session") or record.session_id or "memoria"),
        "author": str(meta.get("author") or "memoria"),
        "created_at": _moment(meta.get("created_at"), record),
        "origin_repo": str(meta.get("origin_repo") or "default"),
        "trace_id": str(meta.get("trace_id") or record.memory_id),
        **{name: meta[name] for name in _MADE if isinstance(meta.get(name), str)},
    }
    speaker = {name: meta[f"speaker_{name}"] for name in ("id", "name") if isinstance(meta.get(f"speaker_{name}"), str)}
    entry: Entry = {
        "ref": ref_of(record),
        "memory_id": record.memory_id,
        "memory_type": record.memory_type or "semantic",
        "content": record.content,
        "kind": "note",
        "salience": 0.5,
        "seen": 1,
        "audience": str(meta.get("audience") or ""),
        "provenance": {**provenance, "speaker": speaker} if speaker else provenance,
    }
    entry |= {name: meta[name] for name in (*_COPIED, "content_hash", "base_hash", "fact_key") if name in meta}
    return entry


def ref_of(record: "Record") -> str:
    """The ref that a record carries, else its id."""
    ref = record.extra_metadata.get("ref")
    return ref if isinstance(ref, str) and ref.strip() else record.memory_id


def ours(record: "Record") -> bool:
    """True for a record that carries a ref: it is never corrected, only replaced (D84)."""
    return ref_of(record) != record.memory_id


def identity_of(record: "Record") -> str:
    """The identity of a record, from its metadata alone."""
    meta = record.extra_metadata
    fields = {field: _plain(meta.get(field)) for field in PROVENANCE_FIELDS}
    return digest({"ref": meta.get("ref"), "content_hash": str(meta.get("content_hash")), "provenance": fields})


def lineage_of(record: "Record") -> str:
    """The versions that a replacement of `record` has behind it, newest last: the records of old ones are deleted."""
    before = record.extra_metadata.get("lineage")
    known = before.split() if isinstance(before, str) else []
    return " ".join([*known, identity_of(record)[:_SHORT]][-_REMEMBERED:])


def was_before(record: "Record", identity: str) -> bool:
    """Whether a version of this identity stood where `record` stands: its redelivery writes nothing (CR1)."""
    lineage = record.extra_metadata.get("lineage")
    known = lineage.split() if isinstance(lineage, str) else []
    return record.extra_metadata.get("base_hash") == identity or identity[:_SHORT] in known


def standing(records: "Sequence[Record]") -> "list[Record]":
    """Of the records under one ref those that no other replaces, oldest first (D84).

    One: it is the current version.  More: two writers replaced the same version, and both are shown as a conflict.  Two
    with one identity are the same version twice.
    """
    replaced = {record.extra_metadata.get("base_hash") for record in records}
    by_identity: dict[str, Record] = {}
    for record in sorted(records, key=lambda one: one.memory_id):
        by_identity.setdefault(identity_of(record), record)
    return [record for name, record in by_identity.items() if name not in replaced] or list(by_identity.values())


def rivals_of(record: "Record", records: "Sequence[Record]") -> "list[Record]":
    """The older ones that replaced the same version as `record` did: two writers, neither naming the other (D84)."""
    ref = ref_of(record)
    if not ours(record):
        return []
    found = standing([one for one in records if ref_of(one) == ref])
    at = [one.memory_id for one in found]
    return found[: at.index(record.memory_id)] if record.memory_id in at else []


def current_only(records: "Iterable[Record]") -> "list[Record]":
    """What a search brought, without versions that another hit replaces and without what has been superseded."""
    hits = [record for record in records if not record.extra_metadata.get("superseded_by")]
    by_ref: dict[str, list[Record]] = {}
    for record in hits:
        by_ref.setdefault(ref_of(record), []).append(record)
    kept = {record.memory_id for same in by_ref.values() for record in (standing(same) if ours(same[0]) else same)}
    return [record for record in hits if record.memory_id in kept]


def entries_of(records: "Iterable[Record]", audience: str) -> list[Entry]:
    """What stands among `records`, as entries of `audience`.

    Of versions that replaced the same one the newer ones are named by their ids, as copies in conflict with the oldest:
    a ref names one entry wherever entries are read.
    """
    current = current_only(records)
    versions: dict[str, list[Record]] = {}
    for record in current:
        versions.setdefault(ref_of(record), []).append(record)
    found = []
    for record in current:
        entry = {**entry_of(record), "audience": audience}
        if rivals_of(record, versions[entry["ref"]]):
            entry |= {"ref": record.memory_id, "conflict_with": entry["ref"]}
        found.append(entry)
    return found


def _plain(value: object) -> object:
    """Numbers as floats, so that 5 and 5.0 are one time whatever a server makes of them."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return value
    return value


def _sendable(value: object) -> bool:
    """Scalars alone, and no number that JSON does not have."""
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _fitting(value: Scalar) -> Scalar:
    return value[:METADATA_CHARS] if isinstance(value, str) else value


def _moment(value: object, record: "Record") -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    from datetime import UTC, datetime

    try:
        seen = datetime.fromisoformat(record.observed_at or record.created_at)
    except ValueError:
        return 0.0
    return (seen if seen.tzinfo else seen.replace(tzinfo=UTC)).timestamp()
