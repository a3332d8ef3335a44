"""Who holds a row or a session, and whether that process still exists (D55.10, D64).

An owner is `<machine>:<pid>:<start>:<random>`.  Only a process of this machine can be known to be dead; of any other
one nothing is known, and its lease has to run out (D55.10).  Being wrong costs a second push, which is a no-op.

A session under way has a row in `leases`, `session:<session id>:<owner>`: written when it begins to be used, removed
at its end, never refreshed (D64).  What a killed process leaves there is how the next start knows at once.
"""

import contextlib
import json
import os
import platform
import secrets
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

from ..outboxdb.database import Database
from ..outboxdb.limits import WORKER_WAIT
from ..plain import dataclass

_UNKNOWN = "-"
_SESSION = "session:"
INSTALLED = "installed_at"  # in `meta`: when the process began that first had a session here, epoch seconds
_BOOT_FILE = Path("/proc/sys/kernel/random/boot_id")
SAME_BOOT_S = 60.0  # boot times this near are the same boot: clock corrections move what the system derives
STALE_S = 86_400.0  # a session row of another machine is dropped after this time (D64)
SAME_START_S = 5.0  # a start time this near is the same process: clock corrections move what the system derives


def owner_name() -> str:
    """A name for a worker of this process, distinct from every other worker's."""
    pid = os.getpid()
    try:
        start = f"{_start_of(pid):.2f}"
    except (ImportError, RuntimeError):
        start = _UNKNOWN
    return ":".join((_machine(), str(pid), start, secrets.token_hex(4)))


def is_dead(owner: str) -> bool:
    """True only when `owner` was a process of this machine that no longer exists."""
    parts = owner.split(":")
    if len(parts) != 4 or parts[0] != _machine():
        return False
    try:
        return abs(_start_of(int(parts[1])) - float(parts[2])) > SAME_START_S
    except (ImportError, RuntimeError, ValueError, OverflowError):
        return False


def free_rows_of_the_dead(database: Database, wait: float = WORKER_WAIT) -> int:
    """Make due again what killed processes of this machine hold in flight; how many rows.

    Nothing held is only a look.  wait: seconds for the database's lock.
    """
    with database.reading() as db:
        owners = [str(row[0]) for row in db.execute("SELECT DISTINCT owner FROM push_queue WHERE state = 'inflight'")]
    dead = [owner for owner in owners if is_dead(owner)]
    if not dead:
        return 0
    with database.transaction(wait=wait) as tx:
        marks = ", ".join("?" * len(dead))
        freed = f"UPDATE push_queue SET lease_until = 0 WHERE state = 'inflight' AND owner IN ({marks})"
        return tx.execute(freed, dead).rowcount


@dataclass(frozen=True)
class Claim:
    """A session that a runtime has under way.

    since   epoch seconds
    place   what its owner knew of it: audience, project, speaker
    """

    session_id: str
    owner: str
    boot: str
    since: float
    place: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Of its row."""
        return f"{_SESSION}{self.session_id}:{self.owner}"

    @property
    def alive(self) -> bool | None:
        """Whether its process exists; None when that cannot be known from here."""
        if self.owner.split(":")[0] != _machine() or not _same_boot(self.boot, boot_id()):
            return None
        return not is_dead(self.owner)


def claim_session(
    database: Database, session_id: str, owner: str, place: dict[str, Any], *, now: float, wait: float = WORKER_WAIT
) -> None:
    """Say that `owner` has this session under way.  Raises OutboxBusy, OutboxUnavailable.

    The first one of a home tells as well when the plugin began there: what is older is left alone (P48).
    """
    begun = min(now, started_at() or now)
    detail = json.dumps({"boot": boot_id(), "since": now, "place": place}, ensure_ascii=False, sort_keys=True)
    with database.transaction(wait=wait) as tx:
        tx.execute(
            "INSERT OR REPLACE INTO leases (name, owner, lease_until, detail_json) VALUES (?, ?, ?, ?)",
            (f"{_SESSION}{session_id}:{owner}", owner, now + STALE_S, detail),
        )
        tx.execute("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", (INSTALLED, repr(begun)))


def release_session(database: Database, session_id: str, owner: str, *, wait: float = WORKER_WAIT) -> None:
    """The session has ended here.  Raises OutboxBusy, OutboxUnavailable."""
    with database.transaction(wait=wait) as tx:
        tx.execute("DELETE FROM leases WHERE name = ?", (f"{_SESSION}{session_id}:{owner}",))


def claims(database: Database) -> dict[str, list[Claim]]:
    """Every session that some process has, or had when it died, by session id."""
    with database.reading() as db:
        rows = db.execute(
            "SELECT name, owner, detail_json FROM leases WHERE name >= ? AND name < ?", (_SESSION, "session;")
        ).fetchall()
    found: dict[str, list[Claim]] = {}
    for name, owner, detail in rows:
        told: Any = None
        with contextlib.suppress(ValueError):
            told = json.loads(detail)
        told = told if isinstance(told, dict) else {}
        session_id = str(name)[len(_SESSION) : -len(str(owner)) - 1]
        place, since = told.get("place"), told.get("since")
        claim = Claim(
            session_id,
            str(owner),
            str(told.get("boot") or ""),
            float(since) if isinstance(since, int | float) else 0.0,
            place if isinstance(place, dict) else {},
        )
        found.setdefault(session_id, []).append(claim)
    return found


def take_lease(
    database: Database, name: str, owner: str, *, now: float, seconds: float, wait: float = WORKER_WAIT
) -> bool:
    """Become, or stay, the only one who does `name`; False while another living one does."""
    with database.reading() as db:
        row = db.execute("SELECT owner, lease_until FROM leases WHERE name = ?", (name,)).fetchone()
    held = row is not None and row[0] != owner and now < float(row[1]) <= now + 2 * seconds
    if held and not is_dead(str(row[0])):
        return False
    with database.transaction(wait=wait) as tx:
        again = tx.execute("SELECT owner, lease_until FROM leases WHERE name = ?", (name,)).fetchone()
        if again != row:
            return False
        tx.execute(
            """INSERT INTO leases (name, owner, fence, lease_until) VALUES (?, ?, 1, ?)
               ON CONFLICT (name) DO UPDATE
               SET owner = excluded.owner, lease_until = excluded.lease_until, fence = fence + 1""",
            (name, owner, now + seconds),
        )
    return True


def drop_lease(database: Database, name: str, owner: str, *, wait: float = WORKER_WAIT) -> None:
    """Give `name` back, if it is still ours."""
    with database.transaction(wait=wait) as tx:
        tx.execute("DELETE FROM leases WHERE name = ? AND owner = ?", (name, owner))


@cache
def boot_id() -> str:
    """What tells this start of the machine from any other, "" when the system does not tell."""
    with contextlib.suppress(OSError, ValueError):
        return _BOOT_FILE.read_text(encoding="ascii").strip()
    try:
        import psutil

        return f"{psutil.boot_time():.0f}"
    except Exception:  # a system that does not say: its sessions count as ended when they have been silent
        return ""


def _same_boot(one: str, other: str) -> bool:
    if one == other:
        return bool(one)
    with contextlib.suppress(ValueError):
        return abs(float(one) - float(other)) <= SAME_BOOT_S
    return False


def started_at() -> float | None:
    """When this process started, epoch seconds; None when the system does not tell."""
    try:
        return _start_of(os.getpid()) or None
    except (ImportError, RuntimeError):
        return None


def _machine() -> str:
    return platform.node().replace(":", "_") or _UNKNOWN


def _start_of(pid: int) -> float:
    """When process `pid` started, epoch seconds; 0 when there is none (a zombie counts as none).

    Raises ImportError or RuntimeError when the system does not tell.
    """
    import psutil  # brought by every host; costs about 10 ms, so only where a worker begins

    try:
        process = psutil.Process(pid)
        return 0.0 if process.status() == psutil.STATUS_ZOMBIE else float(process.create_time())
    except psutil.NoSuchProcess:  # ZombieProcess is one of them
        return 0.0
    except psutil.Error as problem:
        raise RuntimeError(f"process {pid}: {problem}") from problem
