"""Names that entries get from what they say: `<prefix>-<slug>-<8 hex>` (auto-memory.md 2.3, D53)."""

import hashlib
import unicodedata

from ..capture.lazy import lazy

SLUG_MOST = 60  # characters of a slug
REMEMBERED = frozenset({"rule", "taboo"})
"""Kinds of explicit stores that are named so; every other one has a ref of its time (START.md)."""

_NAMED = lazy(r"(?s)(?:rule|taboo|note|wu)-.+-[0-9a-f]{8}(?![0-9a-f])")


def slug(title: str) -> str:
    """`title` as part of a name: letters, marks and digits of any script, single dashes between (HD11)."""
    folded = unicodedata.normalize("NFKC", title).lower()
    kept = "".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in folded)
    return "-".join(kept.split())[:SLUG_MOST].strip("-") or "memory"


def name(prefix: str, title: str, content: str, *more: str) -> str:
    """The name of what says `content`; `more`: further lines where another entry holds the plain name (HA34)."""
    own = slug(title)
    return f"{prefix}-{own}-{digest(own, content.strip(), *more)[:8]}"


def tells(ref: str) -> bool:
    """Whether a ref is such a name, or that of a version or copy: it holds words of the text."""
    return _NAMED.match(ref) is not None


def digest(*lines: str) -> str:
    """SHA-256 of the lines, in hex."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
