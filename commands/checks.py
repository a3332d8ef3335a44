"""What `status` and `doctor` look at: each check gives findings, and never raises (MI14).

Databases are opened read-write with `query_only`, so that a journal left by a kill is no obstacle (D111); nothing here
repairs anything, and where there is no file none is made.
"""

import os
import shlex
import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..checkup import broken_parts
from ..config import KEY_COMMAND
from ..outbox import OutboxError
from ..outboxdb.database import wal_is_safe
from ..outboxdb.migrations import version_of
from ..outboxdb.outbox_file import OutboxFile
from ..running.health import PENDING_NOTICE_S
from . import turns, words
from .far import OF_THE_KEY, in_words
from .finding import Finding, State
from .home import Home
from .screen import one_line

LEAST_FREE = 50 << 20  # bytes of free disk below which writing may soon fail
WHOLE_CHECK = 256 << 20  # bytes up to which a database is read through
REMEDIES = {"settings": "hermes config edit"}  # of a fault that names none, by finding; else:
FALLBACK = "hermes cognition status"
ABSENT = {
    "outbox": "nothing ever waited",
    "index": "made when something is looked for",
    "log": "no conversation has been logged",
}
OURS = {"outbox": "of this plugin", "log": "a log of this plugin"}
INSTEAD = {  # of a file that cannot be used
    "outbox": "new facts wait beside it",
    "index": "the index is kept in memory",
    "log": "what is said now is found later in Hermes's transcripts",
}
SEARCH = "hermes cognition search anything"
MENDED = {  # what is done about one that is ill, and by which command
    "outbox": ("a write sets its bytes aside, saves the rest", "hermes cognition queue retry --all-safe"),
    "index": ("it is derived and made anew by a search", SEARCH),
    "log": ("a search sets its bytes aside and saves the rest", SEARCH),
}
NEWER = "written by a newer version of this plugin"
NAMED = 5  # files, rows and errors named in one finding


Check = Callable[[Home], Iterator[Finding]]


def run(home: Home, checks: tuple[tuple[str, Check], ...]) -> list[Finding]:
    """All findings.  A check that fails is a finding too."""
    found: list[Finding] = []
    for name, check in checks:
        try:
            found += check(home)
        except Exception as problem:
            said = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
            found.append(Finding(name, "wrong", one_line(said)))
    return [_with_remedy(finding) for finding in found]


def _with_remedy(finding: Finding) -> Finding:
    """A fault is never told without a command."""
    if finding.state != "wrong" or finding.mend.strip():
        return finding
    return replace(finding, mend=REMEDIES.get(finding.name, FALLBACK))


# -- plugin and settings -----------------------------------------------------------------------------------------------


def parts(_home: Home) -> Iterator[Finding]:
    """Every part loads (P5)."""
    broken = broken_parts()
    for line in broken:
        yield Finding("plugin", "wrong", line, "hermes plugins update cognition")
    if not broken:
        yield Finding("plugin", "well", "every part loads")


def settings(home: Home) -> Iterator[Finding]:
    """Problems and notes of the settings, each with its remedy (D27-D29)."""
    for line in home.settings.problems:
        said, _, mend = line.partition("; mend: ")
        yield Finding("settings", "wrong", said, mend)
    for line in [*home.settings.notes, *home.notes]:
        yield Finding("settings", "note", line)
    if not home.settings.problems:
        yield Finding("settings", "well", f"sound; {_backend(home)}")


def _backend(home: Home) -> str:
    return "memory is on this machine alone" if home.settings["backend"] == "local" else "the backend is Memoria"


# -- files -------------------------------------------------------------------------------------------------------------


def folder(home: Home) -> Iterator[Finding]:
    """Private, writable, and with room (CD98)."""
    path = home.settings.folder
    if not path.is_dir():
        yield Finding("folder", "well", f"{path.name}/ is made when something is remembered")
        return
    places = ("commit_log_path", "queue.path", "archive.path")
    outside = [file for name in places if path not in (file := home.settings.path(name)).parents and file.exists()]
    if sys.platform != "win32":
        opened = sorted([*_open_to_others(path), *(said for file in outside for said in _open_to_others(file))])
        if opened:
            named = ", ".join(opened[:NAMED]) + (" and others" if len(opened) > NAMED else "")
            where = " ".join(map(_quoted, (path, *outside)))
            yield Finding("folder", "wrong", f"other users may read {named}", f"chmod -R go-rwx {where}")
        else:
            yield Finding("folder", "well", "readable by you alone")
    locked = [item.name for item in (path, *path.iterdir(), *outside) if not _writable(item)]
    if locked:
        said = f"{', '.join(sorted(locked)[:NAMED])} cannot be written: new facts are not kept, what is there is read"
        yield Finding("folder", "wrong", said, f"chmod -R u+rwX {_quoted(path)}")
    free = shutil.disk_usage(path).free
    if free < LEAST_FREE:
        yield Finding("disk", "wrong", f"only {words.size(free)} free: new facts may not be kept", f"df -h {path}")


def _open_to_others(path: Path) -> Iterator[str]:
    for item in (path, *path.rglob("*")):
        status = item.lstat()
        if stat.S_IMODE(status.st_mode) & 0o077 and not stat.S_ISLNK(status.st_mode):
            name = item.relative_to(path.parent).as_posix()
            yield f"{name} ({stat.S_IMODE(status.st_mode):04o})"


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK)


def store(home: Home) -> Iterator[Finding]:
    """The committed entries."""
    if not home.has_store:
        yield Finding("store", "well", "nothing is remembered yet")
        return
    home.store.view()
    ill = home.store_ills()
    for line in ill:
        said, mend = _remedy(line)
        yield Finding("store", "wrong", said, mend)
    if not ill:
        view = home.store.view()
        yield Finding(
            "store", "well", f"{home.store.path.name} is sound: {words.entries(len(view))}, versions included"
        )
    if archive := [path for path in [home.settings.path("archive.path")] if path.exists()]:
        from ..provenance import read_archive

        records, bad = read_archive(archive[0])
        if bad:
            said = f"{words.count(len(bad), 'line')} of {archive[0].name} cannot be read (first: {bad[0]}); they stay"
            yield Finding("archive", "note", said)
        else:
            yield Finding("archive", "well", f"{words.count(len(records), 'archived text')}")


def _remedy(line: str) -> tuple[str, str]:
    """A damaged store repairs itself at the next write; folding is such a write."""
    if "the next write" in line:
        return line, "hermes cognition fold"
    return line, ""


def databases(home: Home) -> Iterator[Finding]:
    """Outbox, index and log: ours, sound, and in which journal mode (D111, START.md)."""
    for name, path in (
        ("outbox", home.settings.path("queue.path")),
        ("index", home.settings.folder / "recall.db"),
        ("log", home.settings.folder / "chatlog.db"),
    ):
        yield _database(home, name, path)


def _database(home: Home, name: str, path: Path) -> Finding:
    lost = _names_given(home) if name == "log" else 0
    if not path.exists():
        return _lost(path, lost, "note") if lost else Finding(name, "well", f"{path.name} is not there: {ABSENT[name]}")
    if path.is_dir():
        said = f"{path.name} is a folder and no file; nothing in it was touched, and {INSTEAD[name]}"
        return Finding(name, "wrong", said, f"mv {_quoted(path)} {_quoted(path.with_name(f'{path.name}.aside'))}")
    if lost and not path.stat().st_size:
        return _lost(path, lost, "wrong")
    try:
        mode, fault = _look(path)
        if not fault and name in OURS:
            fault = _misfit(path, name)
        also = _begun_anew(path) if not fault and name == "log" else ""
    except sqlite3.OperationalError as problem:
        busy = "locked" in str(problem)
        said = f"{path.name} is in use by another process" if busy else f"{path.name} cannot be opened ({problem})"
        return Finding(name, "note" if busy else "wrong", said)
    except sqlite3.DatabaseError as problem:
        mode, also, fault = "", "", f"is damaged ({one_line(str(problem))[:80]})"
    if fault == NEWER:
        said = f"{path.name} was {fault} and is left as it is; {INSTEAD[name]}"
        return Finding(name, "wrong", said, "hermes plugins update cognition")
    if fault:
        return Finding(name, "wrong", f"{path.name} {fault}; {MENDED[name][0]}", MENDED[name][1])
    return _journal(name, path, mode, also)


def _look(path: Path) -> tuple[str, str]:
    """Journal mode, and what a check of the whole file says against it ("" when it is sound)."""
    with closing(_only_looking(path)) as db:
        mode = str(db.execute("PRAGMA journal_mode").fetchone()[0])
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if path.stat().st_size > WHOLE_CHECK:
            return mode, ""
        verdict = [str(row[0]) for row in db.execute("PRAGMA quick_check(1)")]
        return mode, "" if verdict == ["ok"] else f"is damaged ({one_line(verdict[0])[:80]})"


def _only_looking(path: Path) -> sqlite3.Connection:
    uri = f"{path.resolve().as_uri()}?mode={'rw' if _writable(path) else 'ro'}"
    db = sqlite3.connect(uri, uri=True, timeout=1.0)
    db.execute("PRAGMA query_only = ON")
    return db


def _misfit(path: Path, name: str) -> str:
    """What the opener of the file would say of its tables, "" when they are ours."""
    from ..logdb.database import LogFile

    file = LogFile(path) if name == "log" else OutboxFile(path)
    with closing(_only_looking(path)) as db:
        if version_of(db) > len(file.migrations):
            return NEWER
        why = file.misfit(db)
    return f"is not {OURS[name]} ({one_line(why)})" if why else ""


def _names_given(home: Home) -> int:
    """Where names of messages would count on from if the log were lost; 0 where none was ever logged, or not known."""
    try:
        return home.runtime.conversation.ceiling.known() if home.has_outbox else 0
    except OutboxError:
        return 0


def _lost(path: Path, first: int, state: State) -> Finding:
    said = (
        f"{path.name} is {'empty' if path.exists() else 'not there'}, and messages had been logged: what was "
        "remembered of them is kept, they are logged again from Hermes's transcripts when a session is taken up, "
        f"names count on from {first}; what was exported with --messages comes back by"
    )
    return Finding("log", state, said, "hermes cognition import FILE")


def _begun_anew(path: Path) -> str:
    """That this log has taken the place of a lost one, "" where it is the first."""
    from ..logdb.schema import BEGUN, first_of

    with closing(_only_looking(path)) as db:
        if not (db.execute("PRAGMA user_version").fetchone()[0] and (first := first_of(db))):
            return ""
        at = db.execute("SELECT CAST(value AS REAL) FROM meta WHERE key = ?", (BEGUN,)).fetchone()
    return f"begun anew {words.day(at[0] if at else None)}, names count from {first}; "


def _journal(name: str, path: Path, mode: str, also: str) -> Finding:
    version, safe = sqlite3.sqlite_version, wal_is_safe()
    if mode == "wal" and not safe:
        said = f"{path.name} is in WAL mode, and SQLite {version} can lose commits in it (the WAL-reset bug)"
        return Finding(name, "wrong", said, "use a Python with SQLite 3.44.6, 3.50.7, 3.51.3 or newer")
    if mode == "wal":
        said = f"{path.name} is sound; {also}WAL, because SQLite {version} has the WAL-reset bug fixed"
        return Finding(name, "well", said)
    why = "it was made by a build without that fix" if safe else f"SQLite {version} has the WAL-reset bug in WAL mode"
    return Finding(name, "well", f"{path.name} is sound; {also}{mode.upper()} with full sync, because {why}")


# -- what waits, what was lost, what was kept --------------------------------------------------------------------------


def waiting(home: Home) -> Iterator[Finding]:
    """Pending and why, held, refused (C8, CD90); turns for Memoria too, whatever the backend is by now (2.9)."""
    if not home.has_outbox:
        uploads = list(turns.findings(home))
        yield from uploads or [Finding("pending", "well", "nothing waits")]
        return
    try:
        counts, backlog = home.outbox.counts(), home.outbox.backlog(home.clock())
        spilled, uploads = home.outbox.spilled(), list(turns.findings(home))
        own, foreign = turns.foreign_rows(home)
    except OutboxError as problem:
        yield Finding("pending", "wrong", str(problem))
        return
    pending, held, failed = backlog["pending"] + spilled, counts.get("held", 0), counts.get("failed", 0)
    moving = pending - held - foreign
    if moving > 0:
        rows = _pending(home, own)
        oldest = _oldest(home, rows) if foreign else backlog["oldest_age_secs"]
        errors = {str(row["error"]) for row in rows if row["error"]}
        said = f"{words.entries(moving)} Pending"
        said += f", the oldest for {words.age(oldest)}" if oldest is not None else ""
        said += f", {spilled} of them in spill files" if spilled else ""
        said += f"; why: {_told(errors)}" if errors else "; committed by the next session, or at once"
        refused = not errors.isdisjoint(OF_THE_KEY)
        # A fault of this machine needs a hand; a service that does not answer for a moment does not.
        stuck = refused or any(row["error"] and not row["binding"] for row in rows)
        late = stuck or (oldest is not None and oldest > PENDING_NOTICE_S)
        mend = "hermes cognition queue retry --all-safe" if late or not errors else ""
        yield Finding("pending", "wrong" if late else "note", said, KEY_COMMAND if refused else mend)
    if foreign:
        said = f"{words.entries(foreign)} of another key, subject or branch: never sent with this one"
        yield Finding("pending", "wrong", said, "hermes cognition queue list")
    if held:
        said = f"{words.entries(held)} held until you approve, redacted and durable"
        yield Finding("pending", "note", said, "hermes cognition queue approve --all")
    if failed:
        said = f"{words.entries(failed)} refused and set aside, text kept"
        yield Finding("pending", "wrong", said, "hermes cognition queue list --state failed")
    yield from uploads
    if not (moving or held or failed or foreign or uploads):
        yield Finding("pending", "well", "nothing waits")


def _told(errors: set[str]) -> str:
    return "; ".join(one_line(in_words(error)) for error in sorted(errors)[:NAMED])[:400]


def _oldest(home: Home, rows: list[dict[str, Any]]) -> float | None:
    times = [row["created_at"] for row in rows]
    return max(0.0, home.clock() - min(times)) if times else None


def _pending(home: Home, own: str) -> list[dict[str, Any]]:
    """The first rows that wait and may go from here."""
    from ..delivery.review import Review

    return [row for row in Review(home.outbox).rows(state="pending", limit=1000) if not turns.is_foreign(row, own)]


def dropped(home: Home) -> Iterator[Finding]:
    """Tombstones, with their text, and how to bring them back (CD41)."""
    if not home.has_outbox:
        return
    try:
        number = home.outbox.backlog()["tombstones"]
    except OutboxError:
        return  # said by the check of what waits
    if number:
        said = f"{words.entries(number)} dropped, text kept"
        yield Finding("dropped", "note", said, "hermes cognition tombstones")
    else:
        yield Finding("dropped", "well", "nothing was dropped")


def kept_files(home: Home) -> list[Path]:
    """Damaged and imported files that lie about, oldest name first."""
    folders = {home.settings.folder, *(home.settings.path(name).parent for name in ("commit_log_path", "queue.path"))}
    found = {
        path
        for place in folders
        if place.is_dir()
        for pattern in ("*.corrupt-*", "*.imported", "spill/*.corrupt-*")
        for path in place.glob(pattern)
    }
    return sorted(found)


def kept(home: Home) -> Iterator[Finding]:
    """Files that were set aside: never deleted without being asked."""
    for path in kept_files(home):
        what = (
            "an earlier version's file, taken over" if path.name.endswith(".imported") else "damaged bytes, set aside"
        )
        size = words.size(path.stat().st_size)
        yield Finding("kept", "note", f"{path.name} ({size}): {what}; when you need it no more", f"rm {_quoted(path)}")


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
