"""The tables of `outbox.db`, as a list of migrations (migrations.py, D55.1)."""

import sqlite3

from .migrations import Migrations

# States in which a row still owes a delivery.  `fact_key` is unique among them (D55.2), `pending` in a status
# counts them (C8), and a newer row of the same target waits for them (D55.5).  In SQL, for the partial index
# and every query.
LIVE = "('held','pending','inflight')"
WAITING = "('held','pending')"

_SHARED = """
    state TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at REAL NOT NULL,
    token TEXT NOT NULL DEFAULT '',
    owner TEXT NOT NULL DEFAULT '',
    lease_until REAL NOT NULL DEFAULT 0,
    failure_kind TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT ''"""


def _final_tables(tx: sqlite3.Connection) -> None:
    """Version 1: every table of D55, the ones that later rooms fill included."""
    tx.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
    # `binding` is the destination, fixed at enqueue (D35); '' is the local store.  `aging_from` is the first
    # failure that reached the store (D56, CD37).  AUTOINCREMENT: a number once used never comes back (CD43).
    tx.execute(f"""
        CREATE TABLE push_queue (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            ref TEXT NOT NULL UNIQUE,
            session_id TEXT NOT NULL,
            payload_json TEXT NOT NULL,
            created_at REAL NOT NULL,
            op TEXT NOT NULL DEFAULT 'put',
            target_ref TEXT NOT NULL,
            base_hash TEXT,
            fact_key TEXT NOT NULL DEFAULT '',
            audience TEXT NOT NULL DEFAULT 'owner',
            lane TEXT NOT NULL DEFAULT 'facts',
            binding TEXT NOT NULL DEFAULT '',
            aging_from REAL,
            ended_at REAL,{_SHARED})""")
    tx.execute(f"""
        CREATE UNIQUE INDEX push_queue_live_fact ON push_queue (fact_key)
        WHERE fact_key <> '' AND state IN {LIVE}""")
    tx.execute(f"CREATE INDEX push_queue_live ON push_queue (state, due_at) WHERE state IN {LIVE}")
    tx.execute(f"CREATE INDEX push_queue_target ON push_queue (target_ref, seq) WHERE state IN {LIVE}")
    tx.execute(f"CREATE INDEX push_queue_ended ON push_queue (state, ended_at) WHERE state NOT IN {LIVE}")
    tx.execute(f"""
        CREATE TABLE turns (
            id TEXT PRIMARY KEY,
            binding TEXT NOT NULL,
            payload_json TEXT NOT NULL,
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL,{_SHARED})""")
    tx.execute("CREATE INDEX turns_by_binding ON turns (binding, state, created_at)")
    tx.execute(f"""
        CREATE TABLE tasks (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            shelf TEXT NOT NULL,
            kind TEXT NOT NULL,
            sid TEXT NOT NULL DEFAULT '',
            scope TEXT NOT NULL DEFAULT '',
            from_n INTEGER NOT NULL DEFAULT 0,
            to_n INTEGER NOT NULL DEFAULT 0,
            fence INTEGER NOT NULL DEFAULT 0,
            enqueued_at REAL NOT NULL,{_SHARED})""")
    tx.execute("CREATE UNIQUE INDEX tasks_key ON tasks (shelf, kind, sid, scope)")
    tx.execute("""
        CREATE TABLE receipts (
            kind TEXT NOT NULL,
            key TEXT NOT NULL,
            outcome TEXT NOT NULL,
            committed_ref TEXT NOT NULL DEFAULT '',
            at REAL NOT NULL,
            PRIMARY KEY (kind, key)) WITHOUT ROWID""")
    tx.execute("CREATE INDEX receipts_by_age ON receipts (at)")
    # The first four columns are the earlier ones; `row_json` holds the rest of the row, so that a requeue is whole.
    tx.execute("""
        CREATE TABLE tombstones (
            ref TEXT PRIMARY KEY,
            reason TEXT NOT NULL,
            dropped_at REAL NOT NULL,
            payload_json TEXT,
            fact_key TEXT NOT NULL DEFAULT '',
            row_json TEXT NOT NULL DEFAULT '{}')""")
    tx.execute("CREATE INDEX tombstones_by_age ON tombstones (dropped_at)")
    tx.execute("""
        CREATE TABLE seen (
            root TEXT NOT NULL,
            n INTEGER NOT NULL,
            fingerprint TEXT NOT NULL,
            at REAL NOT NULL,
            UNIQUE (root, n))""")
    tx.execute("""
        CREATE TABLE given (
            session_id TEXT NOT NULL,
            ref TEXT NOT NULL,
            digest TEXT NOT NULL DEFAULT '',
            at REAL NOT NULL,
            UNIQUE (session_id, ref))""")
    tx.execute("""
        CREATE TABLE leases (
            name TEXT PRIMARY KEY,
            owner TEXT NOT NULL,
            fence INTEGER NOT NULL DEFAULT 0,
            lease_until REAL NOT NULL,
            detail_json TEXT NOT NULL DEFAULT '{}') WITHOUT ROWID""")


def _turns_by_session(tx: sqlite3.Connection) -> None:
    """Version 2: a turn's session and its two texts' digest, for undo; the steps of a write to a remote store (D84)."""
    tx.execute("ALTER TABLE turns ADD COLUMN session_id TEXT NOT NULL DEFAULT ''")
    tx.execute("ALTER TABLE turns ADD COLUMN pair TEXT NOT NULL DEFAULT ''")
    tx.execute("CREATE INDEX turns_by_state ON turns (state, updated_at)")
    # No text in it: ids of records, digests, and when the request went out.
    tx.execute("""
        CREATE TABLE remote_steps (
            key TEXT PRIMARY KEY,
            step TEXT NOT NULL,
            detail_json TEXT NOT NULL DEFAULT '{}',
            at REAL NOT NULL) WITHOUT ROWID""")


def _consolidation(tx: sqlite3.Connection) -> None:
    """Version 3: what consolidation has done and still owes (auto-memory.md 2.8, 5.1, 5.7)."""
    tx.execute("ALTER TABLE tasks ADD COLUMN revivals INTEGER NOT NULL DEFAULT 0")
    tx.execute("ALTER TABLE tasks ADD COLUMN detail_json TEXT NOT NULL DEFAULT '{}'")
    # How far each conversation has come: `consolidated` by committed plans, `asked` by accepted tasks.
    tx.execute("""
        CREATE TABLE progress (
            shelf TEXT NOT NULL,
            sid TEXT NOT NULL,
            audience TEXT NOT NULL DEFAULT '',
            project TEXT NOT NULL DEFAULT '',
            consolidated INTEGER NOT NULL DEFAULT 0,
            asked INTEGER NOT NULL DEFAULT 0,
            asked_turn INTEGER NOT NULL DEFAULT 0,
            at REAL NOT NULL DEFAULT 0,
            PRIMARY KEY (shelf, sid)) WITHOUT ROWID""")
    # open: answers that have been received and paid for.  committed: to be applied.  applied: the range alone is left.
    tx.execute("""
        CREATE TABLE plans (
            shelf TEXT NOT NULL,
            name TEXT NOT NULL,
            kind TEXT NOT NULL,
            sid TEXT NOT NULL DEFAULT '',
            scope TEXT NOT NULL DEFAULT '',
            from_n INTEGER NOT NULL DEFAULT 0,
            to_n INTEGER NOT NULL DEFAULT 0,
            state TEXT NOT NULL,
            plan_json TEXT NOT NULL DEFAULT '',
            at REAL NOT NULL,
            PRIMARY KEY (shelf, name)) WITHOUT ROWID""")
    tx.execute("CREATE INDEX plans_by_range ON plans (shelf, sid, from_n)")
    tx.execute("CREATE INDEX plans_by_state ON plans (state, at)")
    tx.execute("""
        CREATE TABLE attempts (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            at REAL NOT NULL,
            purpose TEXT NOT NULL,
            provider TEXT NOT NULL DEFAULT '',
            model TEXT NOT NULL DEFAULT '',
            outcome TEXT NOT NULL DEFAULT 'pending',
            ms INTEGER NOT NULL DEFAULT 0,
            tokens_in INTEGER NOT NULL DEFAULT 0,
            tokens_out INTEGER NOT NULL DEFAULT 0,
            detail TEXT NOT NULL DEFAULT '')""")
    tx.execute("""
        CREATE TABLE usage (
            day TEXT PRIMARY KEY,
            calls INTEGER NOT NULL DEFAULT 0,
            tokens INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID""")


def _shelves(tx: sqlite3.Connection) -> None:
    """Version 4: what each shelf is known to hold, and what is still owed to it: names and digests (hypatia.md 2)."""
    # log_*: how far of the log has been looked at, and what had been taken back or forgotten by then.
    # entries_*: the same of the store.  asked > looked: something was forgotten, and what the shelf holds is compared.
    tx.execute("""
        CREATE TABLE shelves (
            shelf TEXT PRIMARY KEY,
            log_upto INTEGER NOT NULL DEFAULT 0,
            log_name TEXT NOT NULL DEFAULT '',
            log_gone TEXT NOT NULL DEFAULT '',
            entries_epoch TEXT NOT NULL DEFAULT '',
            entries_upto INTEGER NOT NULL DEFAULT 0,
            asked INTEGER NOT NULL DEFAULT 0,
            looked INTEGER NOT NULL DEFAULT 0,
            at REAL NOT NULL DEFAULT 0) WITHOUT ROWID""")
    # edges: 0 all statements of it are out, 1 some are owed, 2 some wait for their other end.
    # owed: '' nothing, 'sending' (on its way), 'remove', 'renew' (its text has lost something), 'missing' (gone here).
    # note: 'differs', or why it was refused.  fact: the fact key of an entry, by which a mark of forgetting finds it.
    tx.execute("""
        CREATE TABLE shelf_entries (
            shelf TEXT NOT NULL,
            name TEXT NOT NULL,
            digest TEXT NOT NULL,
            fact TEXT NOT NULL DEFAULT '',
            edges INTEGER NOT NULL DEFAULT 1,
            owed TEXT NOT NULL DEFAULT '',
            note TEXT NOT NULL DEFAULT '',
            PRIMARY KEY (shelf, name)) WITHOUT ROWID""")
    tx.execute("CREATE INDEX shelf_entries_owed ON shelf_entries (shelf, owed) WHERE owed <> ''")
    tx.execute("CREATE INDEX shelf_entries_edges ON shelf_entries (shelf, edges) WHERE edges <> 0")
    tx.execute("CREATE INDEX shelf_entries_note ON shelf_entries (shelf, note) WHERE note <> ''")
    tx.execute("""
        CREATE TABLE shelf_statements (
            shelf TEXT NOT NULL,
            head TEXT NOT NULL,
            relation TEXT NOT NULL,
            tail TEXT NOT NULL,
            note TEXT NOT NULL DEFAULT '',
            PRIMARY KEY (shelf, head, relation, tail)) WITHOUT ROWID""")
    tx.execute("CREATE INDEX shelf_statements_by_tail ON shelf_statements (shelf, tail)")


def _costs(tx: sqlite3.Connection) -> None:
    """Version 5: what calls of models cost, where the host says so; NULL is not known (auto-memory.md 5.7)."""
    tx.execute("ALTER TABLE attempts ADD COLUMN cost_usd REAL")
    tx.execute("ALTER TABLE usage ADD COLUMN cost_usd REAL")


MIGRATIONS: Migrations = (
    ("final tables", _final_tables),
    ("turns by session, steps of remote writes", _turns_by_session),
    ("consolidation", _consolidation),
    ("shelves", _shelves),
    ("costs of model calls", _costs),
)
VERSION = len(MIGRATIONS)
