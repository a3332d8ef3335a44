"""Every number of the outbox and the queue, with its unit and its source."""

DEFAULT_MAX_ENTRIES = 1000  # rows that wait; beyond it the oldest is dropped into a tombstone (C20)
LEASE_SECONDS = 120.0  # D55.5; renewed at a third of it
RETRY_BASE_SECONDS = (60.0, 300.0, 1800.0)  # by consecutive failure, then the last one (C18)
RETRY_JITTER = 0.1  # uniform, each way (contract 2.1)
RETRY_CAP_SECONDS = 86_400.0  # of failures that reached the store, inclusive (C19, D56)
LONGEST_DELAY_SECONDS = 90_000.0  # no row is ever due later than this from now; beyond it the clock was set back

ENQUEUE_WAIT = 0.05  # seconds for the write lock on the turn's path, then spill (D58)
WORKER_WAIT = 2.0  # seconds for the write lock in the worker (as D49.3)
COMMIT_WAIT = 2.0  # seconds that COMMIT, or a look, waits for other processes to finish reading or committing
FACE_WAIT = 5.0  # seconds for the write lock in DurablePushQueue (D117)
IDLE_POLL = 10.0  # seconds between looks for rows of other processes (D55.14)
BATCH = 1000  # rows per claim: one store transaction each, and at most this many wait for a lost lease
COPY_PAGES = 256  # pages per step of a database copy, 1 MiB: the lock is free in between
PAGES_BACK = 1000  # free pages that one pruning returns to the file system, 4 MiB
SPILL_BATCH = 200  # spill files that one round adopts
TEXT_OF_ERROR = 2000  # characters of an error that a row keeps

# What is kept, by age in seconds and by number; beyond either the oldest goes (Decision 13, CD40, B082).
_DAY = 86_400.0
KEEP_ENDED = (7 * _DAY, 200)  # done and discarded rows: no text, but each may leave its page half empty
KEEP_REFUSED = (180 * _DAY, 1_000)  # failed rows; they go into the tombstones, with their text
KEEP_TOMBSTONES = (180 * _DAY, 5_000)
KEEP_RECEIPTS = (180 * _DAY, 50_000)
KEEP_SEEN = (400 * _DAY, 500_000)  # marks, counted in user rows
KEEP_GIVEN = (30 * _DAY, 50_000)
PRUNE_EVERY = 6 * 3600.0  # seconds between two looks for what is too old

EVICTED = "evicted-drop-oldest"  # tombstone reasons (contract 2.3)
EXPIRED = "expired-max-24h"
REFUSED = "refused-and-set-aside"  # a failed row beyond KEEP_REFUSED
