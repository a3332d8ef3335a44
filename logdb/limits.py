"""Every number of the conversation log, with its unit."""

APPEND_WAIT = 2.0  # seconds for the write lock; a turn is logged on the worker
LOOK_WAIT = 0.1  # seconds that a search waits for another process's commit
POOL = 4  # connections that are kept for searches
PROGRESS_STEPS = 1000  # SQLite steps between two looks at a search's deadline

PAGE = 500  # rows read, or changed, at a time
INDEX_BATCH = 200  # messages that one transaction adds to a text index that is being rebuilt
MERGE_PAGES = 200  # of a text index that was rebuilt, written anew by one transaction
REBUILD_SECONDS = 5.0  # that one idle pass spends on rebuilding; the rest is the next pass's

_DAY = 86_400.0
PRUNE_TO = 0.9  # of the size limit: what a pruning by size goes down to
KEEP_MARKS = (400 * _DAY, 500_000)  # marks of pruned messages, by age and number (as the outbox's `seen`)
KEEP_FORGOTTEN = 50_000  # digests of what was forgotten
KEEP_MAPPING = (400 * _DAY, 200_000)

SHORTEST_STATEMENT = 2  # words; what is shorter is only found as a whole message
LONGEST_STATEMENT = 200  # words of a statement that count
KNOWN_BY = 12  # words that a forgotten statement is known again by
