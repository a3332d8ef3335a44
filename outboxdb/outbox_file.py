"""The file `outbox.db`: its tables, the numbers of its rows, and what is carried over into it."""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import earlier, quarantine
from .database import Connection, Database
from .migrations import version_of
from .rows import insert_buried, insert_saved, raise_number, was_handled, write_receipt
from .schema import LIVE, MIGRATIONS
from .sqlite import immediate

_ROW = (
    "seq, ref, session_id, payload_json, created_at, state, op, target_ref, base_hash, fact_key, audience, lane,"
    " binding, attempts, error"
)


_LENT, _EDGES = "shelf, name, digest, fact, owed, note", "shelf, head, relation, tail, note"


class OutboxFile(Database):
    """The outbox at `path`.

    `seq_floor` is asked when a new file is made, for the highest queue number that refs elsewhere already use (CD43).
    """

    migrations = MIGRATIONS
    meanwhile = "new facts wait beside it"
    saved_things = "waiting entries"

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = time.time,
        seq_floor: Callable[[], int] | None = None,
        wal: bool | None = None,
    ) -> None:
        super().__init__(path, clock=clock, wal=wal)
        self._seq_floor = seq_floor

    def bring_up_to_date(self, connection: Connection) -> None:
        if version_of(connection) == 0 and earlier.is_earlier(connection):
            earlier.convert(connection, None if self.look_only else self.path)
        else:
            super().bring_up_to_date(connection)

    def misfit(self, connection: sqlite3.Connection) -> str:
        """An earlier queue.db is ours as well: it is converted."""
        return "" if version_of(connection) == 0 and earlier.is_earlier(connection) else super().misfit(connection)

    def first_rows(self) -> Callable[[sqlite3.Connection], object]:
        floor = self._floor()
        return lambda tx: raise_number(tx, floor)

    def _floor(self) -> int:
        try:
            return max(0, int(self._seq_floor())) if self._seq_floor else 0
        except Exception as problem:
            self.note(f"earlier numbers could not be read ({problem}); new refs count from the present time")
            return self._above_all()

    def _above_all(self) -> int:
        """Numbers must never repeat (CD43): the time is above every number used so far."""
        return int(self.clock())

    # -- damage ------------------------------------------------------------------------------------------------------

    def was_read(self, db: sqlite3.Connection, name: str) -> bool:
        return was_handled(db, "salvage", name)

    def read_kept(self, db: sqlite3.Connection, name: str) -> Callable[[Connection], int]:
        """Live and refused rows, turns, and the other tables as they stand.

        The receipt is written with the rows, so that a kill in between repeats it, and nothing is carried over twice.
        A row that was delivered, but whose receipt is lost, is delivered again, which the merge layer answers with
        "already there".
        """
        from .turn_rows import SAVED, insert_saved_turn  # a damaged file is rare, and loading costs the host (D97)

        receipts = quarantine.scan(db, "receipts", "kind, key, outcome, committed_ref, at", by="kind, key")
        settled = {key for kind, key, *_ in receipts if kind == "fact"}
        rows: list[dict[str, Any]] = [
            dict(zip(_ROW.split(", "), row, strict=True))
            for row in quarantine.scan(db, "push_queue", _ROW, f"state IN {LIVE} OR state = 'failed'")
            if isinstance(row[0], int) and isinstance(row[1], str) and isinstance(row[4], float)
        ]
        stones = quarantine.scan(db, "tombstones", "ref, reason, dropped_at, payload_json, fact_key, row_json")
        marks = quarantine.scan(db, "seen", "root, n, fingerprint, at")
        turns = quarantine.scan(db, "turns", SAVED, "state NOT IN ('done', 'discarded')")
        # How far a shelf has come stays behind: what cannot be read here is looked at again, what can costs no call.
        lent = quarantine.scan(db, "shelf_entries", _LENT, "owed <> 'missing'", by="shelf, name")
        edges = quarantine.scan(db, "shelf_statements", _EDGES, by="shelf, head, relation, tail")
        numbers = [row[0] for row in quarantine.scan(db, "sqlite_sequence", "seq", "name = 'push_queue'")]
        top = max((n for n in [*numbers, *(row["seq"] for row in rows)] if isinstance(n, int)), default=0)

        def carry(connection: Connection) -> int:
            with immediate(connection):
                connection.executemany("INSERT OR IGNORE INTO receipts VALUES (?, ?, ?, ?, ?)", receipts)
                connection.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?)", marks)
                connection.executemany(f"INSERT OR IGNORE INTO shelf_entries ({_LENT}) VALUES (?, ?, ?, ?, ?, ?)", lent)
                connection.executemany(
                    f"INSERT OR IGNORE INTO shelf_statements ({_EDGES}) VALUES (?, ?, ?, ?, ?)", edges
                )
                for stone in stones:
                    insert_buried(connection, stone)
                now = self.clock()
                saved = sum(insert_saved(connection, row) for row in rows if row["ref"] not in settled)
                saved += sum(insert_saved_turn(connection, turn, now) for turn in turns)
                raise_number(connection, top)
                write_receipt(connection, name, f"saved {saved}", "", now, kind="salvage")
            return saved

        return carry

    def go_on_without(self, connection: Connection) -> None:
        """The store must not wait: new rows get numbers that no row of the damaged file can have."""
        with immediate(connection):
            raise_number(connection, self._above_all())
