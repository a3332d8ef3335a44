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
SALVAGE_AGAIN = (10.0, 3600.0)  # seconds until a damaged file that could not be read is tried again; first, at most
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

# Turns for the observe routes (memoria-plugin.md 2.3).
TURN_CAPACITY = 1000  # pending and inflight turns of one binding; beyond it a new one is refused
TURN_RETRY_MAX_SECONDS = 300.0  # the longest delay but for Retry-After
TURN_RETRY_JITTER = 0.1  # on top of a delay (MI11)
LEASE_WATCH_SECONDS = LEASE_SECONDS / 3 + 5.0  # a lease that has run out is watched this long: its holder renews sooner
KEEP_TURNS_ENDED = (7 * _DAY, 200)  # done and discarded turns; the receipt stays
KEEP_TURNS_OPEN = (180 * _DAY, 5_000)  # failed and uncertain turns with their text, and rows of dormant bindings
KEEP_TURN_RECEIPTS = (400 * _DAY, 200_000)

TASK_LEASE = 60.0  # seconds; renewed at a third of it, also while a model answers (5.3)
LONGEST_TASK_DELAY = 900.0  # seconds between two attempts at most (5.2)
DEFERRED_FOR = 60.0  # seconds until a deferred task is looked at again
REVIVE_EVERY, REVIVE_MOST = 3600.0, 5  # of a failed task: seconds between two revivals, and how many in all
TASK_TEXT_OF_ERROR = 200  # characters of an error that a task or an attempt keeps (5.7)
KEEP_ATTEMPTS = 100  # of model calls, the newest (5.7)
KEEP_PLANS = (400 * _DAY, 100_000)  # applied plans: ranges and refs, no text
KEEP_USAGE_DAYS = 90
