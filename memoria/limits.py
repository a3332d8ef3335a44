"""Every number of this room, with its unit and its source."""

BODY_MAX = 1 << 20  # bytes of one reply that are read (M57)
ERROR_MAX = 4096  # bytes of an error's text that are looked at; none of it is kept (M56)
KEEP_ALIVE_S = 320.0  # an idle connection is kept for the next turn; more than five minutes (MI2)
CONNECTIONS = 8  # at once
GRACE_S = 0.25  # beyond a request's budget, until its caller stops waiting for the client's own thread
RETRY_AFTER_MAX_S = 86_400.0  # a longer Retry-After counts as this (M44)
RATE_WINDOW_S = 60.0  # the server's window of requests (memoria-api.md 1.4)
RATE_DOUBT_S = 150.0  # a proven key that is refused for longer is no longer taken for rate limited

CONTENT_BYTES = 32_768  # of one record (memoria-api.md 3.1)
SESSION_CHARS = 64  # of a session id on the server (2.3)
SUBJECT_BYTES = 128  # of a subject (2.2)
EXCLUDE_MAX = 100  # exclusion ids of one request (3.13)
METADATA_CHARS = 1024  # of one value of metadata; the server filters by values up to 1 KiB
ID_CHARS = 200  # of a memory id (memoria-plugin.md 2.4)
PAGE_MAX = 500  # records of one page of list and query
QUERY_CHARS = 2_000  # of a recall query (MI4)

CACHE_ENTRIES = 32  # recalls that are kept (M23)
CACHE_FRESH_S = 30.0  # and for how long they answer (M23)
PINS_FRESH_S = 300.0  # what is pinned is asked for again after so long: other machines pin, too
PINNED_MOST = 50  # pinned records that are read
CACHE_STALE_S = 600.0  # for how long they may stand in, marked, when there is no answer (MI3)
GONE_IDS = 2_000  # ids known to be forgotten or corrected
IN_FLIGHT = 4  # recalls that run at once
