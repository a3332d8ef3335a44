"""The text index of the conversation log: which passages hold which terms, and what is needed to rank them.

It lives in the log's own file and is written in the log's own transactions, so that it is never behind the log and
never ahead of it.  The text itself stays with the message: here are only terms, places and numbers.

Tables of `chatlog.db`:

    episode_meta     key, value: docs and length, the sums that ranking needs; era, another one whenever rows were taken
                     out: an id may come to stand for another row only then
    episode_places   number, audience, project; a passage's place is one of its terms too ("¶3"), so that a search in a
                     log of many audiences walks its own
    episode_names    name, count: who speaks, as messages name them
    episode_docs     one row a passage: where it stands, what it says as terms; a message of usual length is one passage
    episode_text     FTS5 over the terms of episode_docs, rowid = episode_docs.id
    episode_words    its vocabulary
"""

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..logdb.model import Message
from . import analyse
from .database import SECURE_TEXT
from .weights import OVERLAP_CHARS, PASSAGE_CHARS

SCHEMA = 2
ASKS, DATES = 1, 2  # marks of a passage: it asks something; it names a time

_TABLES = """
CREATE TABLE episode_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE episode_places (
    number INTEGER PRIMARY KEY, audience TEXT NOT NULL, project TEXT NOT NULL, UNIQUE (audience, project));
CREATE TABLE episode_names (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE episode_docs (
    id INTEGER PRIMARY KEY, message INTEGER NOT NULL, part INTEGER NOT NULL, start INTEGER NOT NULL,
    stop INTEGER NOT NULL, sid TEXT NOT NULL, n INTEGER NOT NULL, place INTEGER NOT NULL, user INTEGER NOT NULL,
    name TEXT NOT NULL, day INTEGER NOT NULL, marks INTEGER NOT NULL, length INTEGER NOT NULL, terms TEXT NOT NULL);
CREATE INDEX episode_docs_message ON episode_docs (message);
CREATE INDEX episode_docs_order ON episode_docs (sid, n);
CREATE INDEX episode_docs_day ON episode_docs (day);
CREATE VIRTUAL TABLE episode_text USING fts5(
    terms, content = 'episode_docs', content_rowid = 'id', detail = none, columnsize = 0,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'");
CREATE VIRTUAL TABLE episode_words USING fts5vocab(episode_text, row);
"""
_NAMES = ("episode_words", "episode_text", "episode_docs", "episode_names", "episode_places", "episode_meta")
_FORGET = "INSERT INTO episode_text (episode_text, rowid, terms) VALUES ('delete', ?, ?)"
_NEW_ERA = "INSERT OR REPLACE INTO episode_meta VALUES ('era', lower(hex(randomblob(12))))"
_INSERT = f"INSERT INTO episode_docs VALUES ({','.join('?' * 14)})"

# A speaker's name in front of what a bridge or an import has put down: `Ada: …`.
_LEADING_NAME = re.compile(r"([^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,2})(?:: |：)(?=\S)")
_BREAK = re.compile(r"(?<=[.!?;:])\s|\n|[。！？；]")
_TIME_WORDS = """
    yesterday today tonight tomorrow morning evening afternoon night day week weekend month year ago last next monday
    tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december summer winter spring autumn recently soon gestern heute morgen woche monat jahr montag
    dienstag mittwoch donnerstag freitag samstag sonntag ayer hoy manana semana mes ano lunes martes miercoles jueves
    viernes sabado domingo hier aujourd demain semaine mois annee lundi mardi mercredi jeudi vendredi samedi dimanche
    ontem hoje amanha segunda
"""
_TIME_CJK = re.compile(
    "昨天|今天|明天|前天|后天|上周|下周|上个月|去年|今年|星期|周[一二三四五六日]|[0-9]月|昨日|今日|明日|先週|어제|오늘|내일"
)


class EpisodeIndex:
    """The log's text index (`LogIndex`).  Holds no state but what it has looked up; never begins or ends a
    transaction."""

    version = f"{SCHEMA}.{analyse.VERSION}"

    def create(self, db: sqlite3.Connection) -> None:
        """Make the tables, once."""
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'episode_meta'").fetchone():
            return
        for statement in filter(str.strip, _TABLES.split(";")):
            db.execute(statement)
        if SECURE_TEXT:
            db.execute("INSERT INTO episode_text(episode_text, rank) VALUES ('secure-delete', 1)")
        db.executemany("INSERT INTO episode_meta VALUES (?, ?)", [("docs", "0"), ("length", "0")])
        db.execute(_NEW_ERA)

    def drop(self, db: sqlite3.Connection) -> None:
        """Take the tables away, whatever version made them."""
        for name in _NAMES:
            db.execute(f"DROP TABLE IF EXISTS {name}")

    def add(self, db: sqlite3.Connection, messages: Sequence[Message]) -> None:
        """Index `messages`; those without text or no longer live are left out."""
        at = int(db.execute("SELECT coalesce(max(id), 0) FROM episode_docs").fetchone()[0])
        rows: list[tuple[Any, ...]] = []
        names: Counter[str] = Counter()
        places: dict[tuple[str, str], int] = {}
        for message in messages:
            if message.state != "live" or not message.text.strip():
                continue
            where = (message.audience, message.project)
            place = places.get(where)
            if place is None:
                place = places[where] = _place(db, *where)
            name = " ".join(analyse.fold(speaker_of(message)).split())
            if name:
                names[name] += 1
            day, user = day_number(message.sent_at), int(message.role == "user")
            head = (message.sid, message.n, place, user, name, day)
            for part, (start, stop) in enumerate(passages(message.text)):
                text = message.text[start:stop]
                terms = analyse.index_terms(text)
                at += 1
                words = " ".join((*terms, f"¶{place}"))
                rows.append((at, message.id, part, start, stop, *head, _marks(text, terms), len(terms), words))
        if not rows:
            return
        db.executemany(_INSERT, rows)
        db.executemany("INSERT INTO episode_text (rowid, terms) VALUES (?, ?)", ((row[0], row[13]) for row in rows))
        _count(db, len(rows), sum(row[12] for row in rows), names)

    def remove(self, db: sqlite3.Connection, ids: Sequence[int]) -> None:
        """Take the passages of these messages out; nothing of them is found from here on."""
        names: Counter[str] = Counter()
        docs = length = 0
        for number in ids:
            rows = db.execute(
                "SELECT id, name, length, terms FROM episode_docs WHERE message = ?", (number,)
            ).fetchall()
            for row, _, words, terms in rows:
                db.execute(_FORGET, (row, terms))
                docs, length = docs - 1, length - words
            if rows:
                if name := rows[0][1]:  # counted once a message, as `add` does
                    names[name] -= 1
                db.execute("DELETE FROM episode_docs WHERE message = ?", (number,))
        if docs:
            _count(db, docs, length, names)
            db.execute(_NEW_ERA)


def _count(db: sqlite3.Connection, docs: int, length: int, names: Mapping[str, int]) -> None:
    db.execute("UPDATE episode_meta SET value = value + ? WHERE key = 'docs'", (docs,))
    db.execute("UPDATE episode_meta SET value = value + ? WHERE key = 'length'", (length,))
    for name, count in names.items():
        db.execute(
            "INSERT INTO episode_names VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET count = count + ?2",
            (name, count),
        )
    if docs < 0:
        db.execute("DELETE FROM episode_names WHERE count <= 0")


def _place(db: sqlite3.Connection, audience: str, project: str) -> int:
    found = db.execute("SELECT number FROM episode_places WHERE audience = ? AND project = ?", (audience, project))
    row = found.fetchone()
    if row:
        return int(row[0])
    made = db.execute("INSERT INTO episode_places (audience, project) VALUES (?, ?)", (audience, project))
    return int(made.lastrowid or 0)


def day_number(at: float) -> int:
    """The day of an epoch time in the machine's own zone, as `date.toordinal` counts; 0 when there is none."""
    try:
        local = time.localtime(at)
    except (OverflowError, ValueError, OSError):
        return 0
    before = local.tm_year - 1
    return max(0, before * 365 + before // 4 - before // 100 + before // 400 + local.tm_yday)


def speaker_of(message: Message) -> str:
    """The name of who said it: the chat's speaker, or the name that the text begins with; "" for neither."""
    speaker = message.speaker
    if speaker:
        name = speaker.get("name") or speaker.get("id")
        return name if isinstance(name, str) else ""
    return leading_name(message.text)


def leading_name(text: str) -> str:
    """`Ada` of `Ada: hello`, else ""."""
    found = _LEADING_NAME.match(text)
    return found[1] if found and not found[1][0].islower() else ""


def without_name(text: str) -> str:
    """`hello` of `Ada: hello`; a text without a name as it is."""
    found = _LEADING_NAME.match(text)
    return text[found.end() :] if found and not found[1][0].islower() else text


def passages(text: str) -> Iterator[tuple[int, int]]:
    """(start, stop) of the passages of a text: the whole, or overlapping pieces that end where a sentence does."""
    start, end = 0, len(text)
    while end - start > PASSAGE_CHARS * 1.3:
        ends = [found.end() for found in _BREAK.finditer(text, start + PASSAGE_CHARS // 2, start + PASSAGE_CHARS)]
        stop = ends[-1] if ends else start + PASSAGE_CHARS
        yield start, stop
        back = stop - OVERLAP_CHARS
        begins = [found.end() for found in _BREAK.finditer(text, back, stop - 1)]
        start = begins[0] if begins else text.find(" ", back, stop) + 1 or back
    yield start, end


def _marks(text: str, terms: Iterable[str]) -> int:
    asks = ASKS if "?" in text or "？" in text else 0
    dated = not time_terms().isdisjoint(terms) or (not text.isascii() and _TIME_CJK.search(text))
    return asks | (DATES if dated else 0)


_known_times: frozenset[str] = frozenset()


def time_terms() -> frozenset[str]:
    """Words that name a time, as index terms."""
    global _known_times
    if not _known_times:
        _known_times = frozenset(analyse.index_terms(_TIME_WORDS))
    return _known_times
