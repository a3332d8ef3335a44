"""What people leave out when they type: put back for reading, stored as typed."""

import re

from .lazy import lazy
from .wordclass import TYPED

_SLOPPY = lazy(
    r"(?<![\w'/.@-])(?:" + "|".join(sorted(map(re.escape, TYPED), key=len, reverse=True)) + r")(?![\w'/@-]|\.\w)"
)


def as_meant(sentence: str) -> str:
    """`sentence` with what was left out put back, word for word: `im` is `I'm`, `dont` is `don't`."""
    if TYPED.keys().isdisjoint(sentence.replace(",", " ").replace(".", " ").split()):
        return sentence
    return _SLOPPY.sub(lambda found: TYPED[found[0]], sentence)


def as_said(sentence: str, typed: str, content: str) -> str:
    """The words of `sentence` for `content`, which was found in its spelled-out form: they have the same number."""
    at = typed.lower().find(content.lower())
    if at < 0:
        return content
    first = typed[:at].count(" ")
    said = sentence.split(" ")[first : first + content.count(" ") + 1]
    kept = " ".join(said).lstrip("*_#")
    return kept if content[-1:] == kept[-1:] else kept.rstrip(" ,;:–—-*_#")
