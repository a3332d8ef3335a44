"""Clauses about sorts of things: what is so, must be so or happens again with all of them."""

# ruff: noqa: E501 - a condition of many words is easier to check in one line than in five
from .clause_parts import FACT, INSTRUCTION, generic, skip
from .rule import Rule
from .wordclass import (
    ARRANGED,
    COPULAS,
    DEICTIC,
    DETERMINERS,
    FAILURES,
    FIXTURES,
    LASTING,
    LASTING_S,
    MENDED,
    MODALS,
    MOMENTARY,
    OTHERS,
    PEOPLE,
    PREPOSITIONS,
    PRONOUNS,
    QUANTIFIED,
    RECURRING,
    RELATION_S,
    RELATIONS,
    SORTS,
    TASK_NOUNS,
)


def again_and_again(words: list[str], verb: int) -> Rule | None:
    """`staging resets itself every night`, `customers reach us only by phone`: what happens again, and is no failure."""
    if (
        words[0] in ("a", "an", "this", "that", "these", "those", "nothing", "nobody", "it")
        or not MOMENTARY.isdisjoint(words)
        or any(
            word in FAILURES
            and not (
                word in ("get", "gets")
                and words[place + 1 : place + 2]
                and words[place + 1].endswith(("ed", "en", "t", "wn"))
            )
            for place, word in enumerate(words)
        )
    ):
        return None
    for place in range(2, len(words)):
        word = words[place]
        after = words[place + 1] if place + 1 < len(words) else ""
        again = word in RECURRING and not (
            word in ("every", "each")
            and (not after or after in ("time", "row", "line", "one", "request", "call", "user", "item", "element"))
        )
        if word in ("once", "twice"):
            again = after in ("a", "an", "every", "per")
        limited = word == "only" and after in ("by", "via", "through", "on", "in", "with", "from", "at")
        if not (again or limited):
            continue
        head = words[:place]
        if not TASK_NOUNS.isdisjoint(head[:4]):
            return None
        acts = any(
            (one.endswith("s") and not one.endswith(("ss", "us")) and nr > 0 and not head[nr - 1].endswith("s"))
            or (nr > 0 and head[nr - 1].endswith("s") and one.isalpha() and one not in PREPOSITIONS)
            or one in COPULAS
            for nr, one in enumerate(head)
        )
        known = words[0] in ("our", "my", "the") or head[0] in FIXTURES or head[0].endswith("s") or head[0] in PEOPLE
        return FACT if acts and known and len(head) > 1 else None
    return None


def is_sort(words: list[str], verb: int) -> bool:
    """Whether the subject is a bare plural: `endpoints`, `feature flags`."""
    end = verb or next(
        (
            place
            for place in range(1, min(len(words), 5))
            if words[place] in RELATIONS and words[place - 1].endswith("s")
        ),
        0,
    )
    if not 0 < end <= 3 or words[0] in DETERMINERS or words[0] in PRONOUNS or words[0] in OTHERS or words[0] in DEICTIC:
        return False
    last = words[end - 1]
    if words[0].endswith("ing"):
        return False
    return last.endswith("s") and not last.endswith(("ss", "us", "'s")) and (last in SORTS or last not in TASK_NOUNS)


def rule_of_sorts(words: list[str], verb: int) -> Rule | None:
    """`everything in /legacy is frozen`, `tests need redis running`, `anything customer facing should go past me`."""
    if not MOMENTARY.isdisjoint(words):
        return None
    if verb and words[verb] in MODALS and words[verb] not in ("can", "may", "have", "has", "need", "needs"):
        behind = words[skip(words, verb + 1) :]
        if behind[:1] == ["have"] or "everyone's" in behind or (words[0] == "no" and words[1] == "one"):
            return None
        behind = behind[1:] if behind[:1] == ["be"] else behind
        return (
            INSTRUCTION
            if behind and behind[0] not in MENDED and generic(behind[1:], the=True) and len(behind) > 1
            else None
        )
    if verb and words[verb] in ("have", "has", "need", "needs") and words[verb + 1 : verb + 2] == ["to"]:
        behind = words[verb + 2 :]
        behind = behind[1:] if behind[:1] == ["be"] else behind
        return INSTRUCTION if behind and behind[0] not in MENDED and len(behind) > 1 else None
    if verb and words[verb] in ("is", "are"):
        behind = words[skip(words, verb + 1) :]
        placed = (
            words[0] in ("all", "everything")
            and behind[:1]
            and behind[0] in ("in", "on", "at", "under")
            and behind[-1] not in ("fire", "progress", "order", "place", "track")
        )
        return (
            FACT
            if behind and (behind[0] in ARRANGED or (placed and behind[1:] and generic(behind[1:], the=True)))
            else None
        )
    if (
        (words[:2] == ["no", "one"] or words[0] == "nobody")
        and verb
        and words[verb] in ("can", "may")
        and words[verb + 1 : verb + 2]
    ):
        return (
            FACT
            if words[verb + 2 :]
            and generic(words[verb + 2 :])
            and words[verb + 1] not in ("say", "tell", "know", "see")
            else None
        )
    sorts = next((place for place in range(2) if words[place] in SORTS), -1)
    if (
        sorts >= 0
        and not words[0].endswith("ing")
        and DEICTIC.isdisjoint([word for word in words if word not in ("first", "second", "one")])
        and words[0] not in QUANTIFIED
    ):
        for place in range(sorts + 1, min(len(words) - 1, sorts + 5)):
            near = words[place - 1] == words[sorts] or words[sorts + 1] in PREPOSITIONS
            if words[place] in RELATIONS and near and words[place] not in FAILURES:
                return FACT if words[place + 1] not in OTHERS and words[place + 1] != "to" else None
    for place in range(1, min(len(words), 7)):
        word = words[place]
        if (
            words[0] in ("every", "each", "all")
            and word in ("has", "have", "gets", "get")
            and words[1] not in ("time", "test", "tests")
            and place > 1
        ):
            return (
                FACT
                if words[place + 1 : place + 2] in (["a"], ["an"], ["its"], ["their"], ["two"], ["at"])
                and TASK_NOUNS.isdisjoint(words[place + 1 :])
                else None
            )
        if (
            word in RELATION_S
            or (word in RELATIONS and words[place - 1].endswith("s"))
            or (words[0] == "only" and word in ("has", "have"))
        ):
            behind = words[place + 1 :]
            known = (
                words[0] in ("nobody", "only", "noone")
                or words[place - 1] in SORTS
                or words[place - 1] in FIXTURES
                or word in LASTING | LASTING_S
            )
            return FACT if behind and known and behind[0] not in DEICTIC and generic(behind, the=True) else None
    return None
