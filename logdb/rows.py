"""Messages as rows: writing them inside the caller's transaction, reading them back."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from ..stores.entry import scrub
from . import forgetting
from .limits import KNOWN_BY
from .model import CALL_FIELDS, Call, Draft, LogPlace, Mark, Message, ref_of
from .schema import first_of

COLUMNS = (
    "m.id, s.sid, m.n, m.role, m.turn, m.state, m.sent_at, m.fingerprint, m.host_uid, m.session_id, m.audience, "
    "m.project, m.interrupted, m.speaker_json, m.calls_json, m.text"
)
FROM = "FROM messages AS m JOIN sessions AS s ON s.key = m.session"


def print_of(fingerprint: str) -> bytes:
    """A fingerprint as it is stored: 32 bytes, or its text when it is no SHA-256."""
    try:
        raw = bytes.fromhex(fingerprint)
    except ValueError:
        raw = b""
    return raw if len(raw) == 32 else scrub(fingerprint).encode()


def _print_text(raw: Any) -> str:
    data = raw if isinstance(raw, bytes) else str(raw).encode()
    return data.hex() if len(data) == 32 else data.decode("utf-8", "replace")


def session_row(tx: sqlite3.Connection, sid: str) -> tuple[int, int, int]:
    """Key, next ordinal and turns of a conversation; made when it is new."""
    found = tx.execute("SELECT key, next_n, turn FROM sessions WHERE sid = ?", (sid,)).fetchone()
    if found is None:
        made = tx.execute("INSERT INTO sessions (sid, next_n) VALUES (?, ?)", (sid, first_of(tx)))
        return int(made.lastrowid or 0), first_of(tx), 0
    key, next_n, turn = found
    return int(key), int(next_n), int(turn)


def next_of(db: sqlite3.Connection, sid: str) -> int:
    """The next ordinal of a conversation; 0 for one that is not known."""
    found = db.execute("SELECT next_n FROM sessions WHERE sid = ?", (sid,)).fetchone()
    return int(found[0]) if found else 0


def highest(db: sqlite3.Connection) -> int:
    """The next ordinal of the longest conversation: what an outbox that was lost has to learn again."""
    return int(db.execute("SELECT coalesce(max(next_n), 0) FROM sessions").fetchone()[0])


def key_of(db: sqlite3.Connection, sid: str) -> int | None:
    found = db.execute("SELECT key FROM sessions WHERE sid = ?", (scrub(sid),)).fetchone()
    return int(found[0]) if found else None


def ids_of(db: sqlite3.Connection, key: int, ordinals: Iterable[int], states: Sequence[str]) -> list[int]:
    """Ids of the messages of a conversation that have one of these ordinals and states."""
    found = []
    for n in sorted(set(ordinals)):
        row = db.execute("SELECT id, state FROM messages WHERE session = ? AND n = ?", (key, n)).fetchone()
        if row and row[1] in states:
            found.append(int(row[0]))
    return found


def insert(
    tx: sqlite3.Connection, place: LogPlace, drafts: Sequence[Draft], session: tuple[int, int, int]
) -> list[Message]:
    """Append `drafts` at the next ordinals.  What was forgotten keeps its ordinal and loses its text."""
    key, n, turn = session
    known = forgetting.barred(tx, place.audience)
    messages = []
    for draft in drafts:
        turn += draft.role == "user"
        text, state = scrub(draft.text), "live"
        if known:
            text, state = _uncensored(draft, text, known)
        calls = draft.calls if state == "live" else ()
        speaker = draft.speaker if state == "live" else None
        row = (
            key,
            n,
            draft.role,
            turn,
            state,
            float(draft.sent_at),
            print_of(draft.fingerprint),
            scrub(draft.host_uid),
            place.session_id,
            place.audience,
            place.project,
            int(draft.interrupted),
            _speaker_text(speaker),
            calls_text(calls),
            text,
        )
        made = tx.execute(
            f"""INSERT INTO messages (session, n, role, turn, state, sent_at, fingerprint, host_uid, session_id,
                    audience, project, interrupted, speaker_json, calls_json, text)
                VALUES ({", ".join("?" * len(row))})""",
            row,
        )
        messages.append(message_of((made.lastrowid, place.sid, *row[1:])))
        n += 1
    tx.execute("UPDATE sessions SET next_n = ?, turn = ? WHERE key = ?", (n, turn, key))
    return messages


def _uncensored(draft: Draft, text: str, known: dict[int, dict[bytes, float]]) -> tuple[str, str]:
    """Text and state of a draft where something has been forgotten; what is said anew, later, counts (as D63)."""
    standing = {
        size: {digest for digest, at in digests.items() if draft.sent_at <= at} for size, digests in known.items()
    }
    if print_of(draft.fingerprint) in standing.pop(0, ()):
        return "", "forgotten"
    if spans := forgetting.known_again(text, {size: digests for size, digests in standing.items() if digests}):
        text = forgetting.without(text, spans, known_by=KNOWN_BY)
    return text, "live"


def message_of(row: Sequence[Any]) -> Message:
    """A row of `COLUMNS` as a message; odd contents of a file edited by hand give empty parts, no error."""
    return Message(
        id=row[0],
        ref=ref_of(row[1], row[2]),
        sid=row[1],
        n=row[2],
        role=row[3],
        turn=row[4],
        state=row[5],
        sent_at=row[6],
        fingerprint=_print_text(row[7]),
        host_uid=row[8],
        session_id=row[9],
        audience=row[10],
        project=row[11],
        interrupted=bool(row[12]),
        speaker=_speaker(row[13]),
        calls=_calls(row[14]),
        text=row[15],
    )


def mark_of(row: Sequence[Any]) -> Mark:
    """A row of n, role, fingerprint, host_uid, state, sent_at."""
    n, role, fingerprint, uid, state, sent_at = row
    return Mark(int(n), str(role), _print_text(fingerprint), str(uid), str(state), float(sent_at))


def calls_text(calls: Iterable[Call]) -> str:
    """Calls as JSON lists in the order of the fields; "" for none."""
    rows = [[getattr(call, name) for name in CALL_FIELDS] for call in calls]
    return scrub(json.dumps(rows, ensure_ascii=False, separators=(",", ":"))) if rows else ""


def _calls(text: str) -> tuple[Call, ...]:
    if not text:
        return ()
    try:
        return tuple(Call(**dict(zip(CALL_FIELDS, row, strict=False))) for row in json.loads(text))
    except (ValueError, TypeError):
        return ()


def _speaker_text(speaker: dict[str, Any] | None) -> str:
    return scrub(json.dumps(speaker, ensure_ascii=False, default=str)) if speaker else ""


def _speaker(text: str) -> dict[str, Any] | None:
    if not text:
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def empty(tx: sqlite3.Connection, ids: Iterable[int], state: str) -> None:
    """Take the text out of messages; their ordinals, fingerprints and places stay."""
    tx.executemany(
        "UPDATE messages SET state = ?, text = '', calls_json = '', speaker_json = '' WHERE id = ?",
        [(state, id_) for id_ in ids],
    )
