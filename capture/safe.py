"""Names that are written beside a fact or a message: sessions, projects, labels, chats.

They come from hosts, folders and clients, and now and then one of them is a secret: a session named after a token, a
folder `sk-…`.  Invariant 6 holds for them too.
"""

import hashlib
from functools import lru_cache

from ..stores.entry import scrub


@lru_cache(maxsize=4096)
def safe_name(name: str) -> str:
    """`name`, or a digest in place of each part between slashes that is a secret, or of the whole that is one.

    Distinct names stay distinct, and the same name always gives the same one.  Lone surrogates become U+FFFD (B052).
    """
    from .redact import redact

    name = scrub(name)
    if not name or redact(name) == name:
        return name
    safe = "/".join(part if redact(part) == part else _digest(part) for part in name.split("/"))
    return safe if redact(safe) == safe else _digest(name)  # a link whose path is the secret


def _digest(part: str) -> str:
    return f"redacted-{hashlib.sha256(part.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
