"""What the readers of clauses share: whether an object is a sort of thing or the matter in hand, where words stand."""

from .rule import Rule
from .wordclass import (
    ADVERBS,
    COPULAS,
    DEICTIC,
    ELLIPSIS,
    GROUPS,
    MODALS,
    ONE_OFF,
    OTHERS,
    PAST,
    PREPOSITIONS,
    TASK_NOUNS,
)

PREFERENCE = Rule("preference", 0.65, "")
HABIT = Rule("preference", 0.6, "")
IDENTITY = Rule("identity", 0.7, "")
INSTRUCTION = Rule("instruction", 0.8, "")
DECISION = Rule("decision", 0.7, "")
FACT = Rule("fact", 0.6, "")
MARKS = frozenset(",;:()–—-") | {"...", "..", "...."}


def generic(rest: list[str], *, the: bool = False) -> bool:
    """Whether an object names a sort of thing, and does not point at the matter in hand."""
    at = 0
    while at < len(rest) and (rest[at] in PREPOSITIONS or rest[at] in ADVERBS or rest[at] == "not"):
        at += 1
    if at == len(rest):
        return True
    head = rest[at]
    if head in DEICTIC:
        return head in ("this", "that") and rest[at + 1 : at + 2] in (
            ["project"],
            ["team"],
            ["company"],
            ["kind"],
            ["sort"],
        )
    if head in ("the", "a", "an", "my", "our"):
        near = rest[at + 1 : at + 6]
        near = near[: near.index("last")] if "last" in near[1:] else near
        if not TASK_NOUNS.isdisjoint(near[:3]):
            return False
        return head != "the" or the or not GROUPS.isdisjoint(near)
    if head in ("how", "what", "where", "that", "when", "who", "to"):
        return (
            DEICTIC.isdisjoint(rest[at + 1 : at + 4])
            and head not in ("what", "who")
            and rest[at + 1 : at + 2] not in (["say"], ["admit"], ["break"], ["interrupt"])
        )
    return "here" not in rest[at : at + 8]


def is_general(words: list[str]) -> bool:
    return (
        bool(words)
        and (words[0] not in DEICTIC or words[0] == "anything")
        and words[0] not in OTHERS
        and words[0] != "the"
    )


def verb_at(words: list[str]) -> int:
    """Where the copula or modal of a clause about a thing stands; 0: it has none."""
    return next(
        (place for place in range(1, min(len(words), 9)) if words[place] in COPULAS or words[place] in MODALS), 0
    )


def points(rest: list[str]) -> bool:
    """Whether an order's object is the matter in hand."""
    pointing = [
        word
        for place, word in enumerate(rest)
        if word in ONE_OFF
        and word != "you"
        and not (word == "first" and place == len(rest) - 1)
        and not (word == "your" and rest[place + 1 : place + 2] and rest[place + 1].endswith("s"))
    ]
    return bool(pointing) or any(
        word == "the" and rest[place + 1 : place + 2] and rest[place + 1] in TASK_NOUNS
        for place, word in enumerate(rest)
    )


def present(word: str) -> bool:
    return word.isalpha() and not word.endswith(("ed", "ing")) and word not in PAST and word not in ELLIPSIS


def skip(words: list[str], at: int) -> int:
    while at < len(words) and (words[at] in ADVERBS or words[at] == "not" or words[at] == "longer"):
        at += 1
    return at
