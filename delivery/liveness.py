"""Who holds a row, and whether that process still exists (as D64 does for sessions).

An owner is `<machine>:<pid>:<start>:<random>`.  Only a process of this machine can be known to be dead; of any other
one nothing is known, and its lease has to run out (D55.10).  Being wrong costs a second push, which is a no-op.
"""

import os
import platform
import secrets

from ..outboxdb.database import Database
from ..outboxdb.limits import WORKER_WAIT

_UNKNOWN = "-"
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
