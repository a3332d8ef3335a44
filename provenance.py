"""Where an entry comes from: the mandatory record, the author's identity, and archive-then-evict.

Contract cognition.md C15-C17, C28-C30, CD15-CD17, CD67-CD70, names of section 2.5.
"""

import json
import logging
import math
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .stores import files, gitname, ops
from .stores.codec import plain
from .stores.entry import PROVENANCE_FIELDS, Entry, digest, entry_digest, scrub

if TYPE_CHECKING:
    from .stores.protocol import Store
    from .stores.txn import Txn

logger = logging.getLogger(__name__)

REQUIRED_FIELDS = PROVENANCE_FIELDS
_TEXT_FIELDS = tuple(field for field in REQUIRED_FIELDS if field != "created_at")
EVICT_WAIT_S = 2.0


class ProvenanceError(ValueError):
    """An entry without a complete record of its origin; it is never queued or committed (C15)."""


def make_provenance(
    *, source_session: str, author: str, origin_repo: str, trace_id: str, created_at: float | None = None
) -> dict[str, Any]:
    """A complete record; `created_at` in epoch seconds, now when not given.  Raises ProvenanceError for bad fields."""
    record = {
        "source_session": source_session,
        "author": author,
        "created_at": time.time() if created_at is None else created_at,
        "origin_repo": origin_repo,
        "trace_id": trace_id,
    }
    return dict(validate_provenance({"provenance": record}))


def validate_provenance(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry's provenance record when every field is sound; raises ProvenanceError naming every bad field (CD67)."""
    record = entry.get("provenance") if isinstance(entry, Mapping) else None
    if not record:
        raise ProvenanceError("the entry has no provenance record")
    if not isinstance(record, dict):
        raise ProvenanceError("the entry's provenance is not a record of fields")
    missing = [field for field in REQUIRED_FIELDS if record.get(field) in (None, "")]
    wrong = [
        f"{field} must be non-blank text"
        for field in _TEXT_FIELDS
        if field not in missing and not (isinstance(record[field], str) and record[field].strip())
    ]
    if "created_at" not in missing and not _is_time(record["created_at"]):
        wrong.append("created_at must be a finite positive number of seconds")
    if missing or wrong:
        parts = [f"missing: {', '.join(missing)}"] if missing else []
        raise ProvenanceError("provenance is incomplete (" + "; ".join(parts + wrong) + ")")
    return record


def _is_time(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value) and value > 0
    except OverflowError:
        return False


def git_author(timeout: float = 2.0) -> str:
    """git's `user.name` as git resolves it outside any repository; "" when there is none (CD15-CD17).

    Without git, or when it does not answer within `timeout` seconds, its configuration files are read directly.
    """
    return gitname.ask_git(timeout)


def resolve_author(configured: str | None, timeout: float = 2.0) -> str:
    """The configured author, else git's, else `unknown` (C29, C30)."""
    return (configured or "").strip() or git_author(timeout) or "unknown"


def archive_entry(
    path: str | Path,
    entry: Mapping[str, Any],
    *,
    reason: str,
    now: float | None = None,
    key: str | None = None,
) -> dict[str, Any]:
    """Append one record to the archive and sync it; the cost does not grow with the file (CD69).

    `key` names the eviction it belongs to.  Raises OSError; then the archive is as it was.
    """
    record: dict[str, Any] = {
        "ref": entry.get("ref"),
        "reason": reason,
        "archived_at": float(time.time() if now is None else now),
        "entry": dict(entry),
    }
    if key is not None:
        record["key"] = key
    line = json.dumps(plain(record), sort_keys=True, ensure_ascii=False, default=str)
    target = Path(os.path.realpath(path))
    files.make_folder(target.parent)
    files.append(target, scrub(line).encode("utf-8") + b"\n", "archive")
    return record


def read_archive(path: str | Path) -> tuple[list[dict[str, Any]], list[int]]:
    """The archive's records, and the numbers of lines that cannot be read; those stay in the file (CD68)."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        return [], []
    records, bad = [], []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            records.append(record)
        else:
            bad.append(number)
    return records, bad


def load_archive(path: str | Path) -> list[dict[str, Any]]:
    """The archive's readable records, in order; bad lines are kept and reported in the log (CD68)."""
    records, bad = read_archive(path)
    if bad:
        logger.warning(
            "archive %s: %d unreadable lines (first: line %d) were kept and left out",
            Path(path).name,
            len(bad),
            bad[0],
        )
    return records


def archive_and_evict(
    store: "Store",
    path: str | Path,
    ref: str,
    reason: str,
    now: float | None = None,
    *,
    history: bool = False,
    timeout: float = EVICT_WAIT_S,
) -> bool:
    """Archive an entry (and with `history` its old versions), then remove it, as one transaction (C16, CR15).

    False for an unknown ref.  Raises StoreError when the lock is not had or the disk refuses: nothing has left then.
    """
    with store.transaction(timeout=timeout) as txn:
        entry: Entry | None = txn.get(ref)
        if entry is None:
            return False
        for each in [*(ops.history(txn, ref) if history else ()), entry]:
            archive_once(txn, path, each, reason=reason, now=now)
            txn.remove(each["ref"])
    return True


def archive_once(txn: "Txn", path: str | Path, entry: Entry, *, reason: str, now: float | None = None) -> None:
    """Archive an entry that this transaction is about to remove or replace; one record for one eviction (CD70).

    The eviction's receipt is written first.  Whoever finds it there knows that an earlier attempt died under way and
    looks into the archive before appending; without it the archive is never read, so the cost does not grow.
    """
    key = digest(["evict", entry.get("ref"), entry_digest(entry)])
    if txn.receipt_now(key) or not any(record.get("key") == key for record in read_archive(path)[0]):
        archive_entry(path, entry, reason=reason, now=now, key=key)
