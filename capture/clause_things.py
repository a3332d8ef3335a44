"""Clauses about a thing, a person, a sort of things, or what they do to the speaker."""

from .clause_parts import DECISION, FACT, IDENTITY, INSTRUCTION, PREFERENCE, generic, is_general, points, skip, verb_at
from .clause_sorts import again_and_again, is_sort, rule_of_sorts
from .rule import Rule
from .wordclass import (
    ARRANGED,
    CHOSEN,
    DEICTIC,
    DETERMINERS,
    EFFECT_FORMS,
    EFFECT_NOUNS,
    ENDED,
    FAILURES,
    FIXTURES,
    JUDGING,
    LASTING,
    LASTING_S,
    MANNERS,
    MODALS,
    MOMENTARY,
    OPINION,
    ORDER_VERBS,
    OTHERS,
    PEOPLE,
    POOR,
    PREPOSITIONS,
    QUANTIFIED,
    RELATION_S,
    RELATIONS,
    REPORTS,
    ROLES,
    SENSED,
    SORTS,
    STYLE,
    TASK_NOUNS,
    TRAITS,
    WRITING,
)


def thing(words: list[str], shapes: list[str], sentence: list[str]) -> Rule | None:
    """A clause about a thing, a person or a sort of things."""
    head = words[0]
    if found := _effect(words):
        return found
    if not TASK_NOUNS.isdisjoint(words[:3]) and head in ("the", "a", "an", "this"):
        return None
    tail = words[-2:]
    joined = " ".join(words)
    plain = head not in DETERMINERS or head in ("no", "all", "any", "every", "each")
    verb = verb_at(words)
    if tail == ["for", "me"] and plain:
        if verb and words[verb] in ("is", "are") and POOR.isdisjoint(words[verb:]) and len(words) - verb > 3:
            return PREFERENCE
        if not verb and not {"only", "always", "never", "strictly", "nothing"}.isdisjoint(words[:-2]):
            return PREFERENCE
    if head == "anything" and words[1:2] == ["but"]:
        return PREFERENCE if "my" in words or "me" in words or "i" in words else None
    if ">" in sentence[1:5] and not {"imo", "imho", "always", "me", "day"}.isdisjoint(sentence):
        return PREFERENCE
    if words[-3:-1] == ["agree", "with"] and words[-1] == "me" and "not" in words:
        return PREFERENCE
    if head.endswith("ing") and words[1:5] in (
        ["is", "fine", "with", "me"],
        ["is", "ok", "with", "me"],
        ["is", "okay", "with", "me"],
        ["is", "fine", "by", "me"],
    ):
        return PREFERENCE
    if tail in (["for", "us"], ["for", "my"]) and verb and not JUDGING.isdisjoint(words[verb:]) and is_general(words):
        return PREFERENCE
    if (
        head == "the"
        and verb
        and words[verb] in ("is", "are")
        and words[2:4] in (["of", "our"], ["of", "my"])
        and MOMENTARY.isdisjoint(words)
    ):
        return FACT if TASK_NOUNS.isdisjoint(words[1:verb]) else None
    if (
        verb
        and words[verb] in ("is", "are")
        and words[verb + 1 : verb + 3] in (["when", "i"], ["where", "i"], ["how", "i"])
    ):
        return PREFERENCE if plain and verb < 5 else None
    if verb and words[verb] in ("is", "are") and words[skip(words, verb + 1) :][:1] in (["my"], ["our"]):
        owned = words[skip(words, verb + 1) + 1 :]
        return FACT if plain and owned and TASK_NOUNS.isdisjoint(owned[:2]) else None
    if not verb and (found := _fragment(words)):
        return found
    opined = any(phrase in joined for phrase in OPINION) or "imo" in words or "imho" in sentence
    if opined and not JUDGING.isdisjoint(words) and is_general(words) and verb:
        return PREFERENCE
    if found := again_and_again(words, verb):
        return found
    if not verb and _is_role(words, sentence):
        return IDENTITY
    if head in ("the", "our", "my") and "been" in words[2:8] and not TASK_NOUNS & set(words[1:3]):
        place = words.index("been")
        gone = words[place - 1] in ("has", "have") and words[place + 1 : place + 2] and words[place + 1] in ENDED
        return FACT if gone else None
    if head in STYLE and verb and words[verb] in ("should", "must", "has", "needs"):
        return INSTRUCTION if not points(words[verb:]) else None
    if head in ("my", "our", "this") and verb and words[verb] in ("is", "are"):
        if not TASK_NOUNS.isdisjoint(words[1:verb]):
            return None
        behind = words[skip(words, verb + 1) :]
        stands = bool(behind) and (behind[0] in ARRANGED or behind[0] in TRAITS or not ROLES.isdisjoint(behind[:4]))
        return FACT if stands and MOMENTARY.isdisjoint(behind) else None
    if head in QUANTIFIED or is_sort(words, verb) or (head in SORTS and words[1] in PREPOSITIONS):
        return rule_of_sorts(words, verb)
    if head == "the" or head in ("my", "our"):
        for place in range(2, min(len(words), 7)):
            if words[place] in OTHERS or words[place] in REPORTS:
                return None
            verb_of_ours = (
                head in ("my", "our")
                and words[place] in RELATION_S
                and words[place]
                not in ("needs", "has", "calls", "fails", "works", "asks", "tells", "says", "wants", "hates", "likes")
            )
            if (
                verb_of_ours
                or words[place] in LASTING_S
                or (words[place] in LASTING and words[place - 1].endswith("s"))
            ):
                behind = words[place + 1 :]
                return (
                    FACT
                    if behind
                    and behind[0] not in DEICTIC
                    and MOMENTARY.isdisjoint(behind)
                    and "me" not in behind[:1]
                    and TASK_NOUNS.isdisjoint(words[1:place])
                    else None
                )
            if (
                head == "the"
                and words[place] in CHOSEN
                and not {"board", "team", "committee", "management", "council", "department"}.isdisjoint(words[1:place])
            ):
                return DECISION
        return None
    if head in PEOPLE and len(words) > 3:
        place = skip(words, 1)
        acts = (
            place < len(words)
            and (words[place] in RELATION_S or words[place] in RELATIONS)
            and words[place] not in FAILURES
        )
        return (
            FACT
            if acts
            and words[place + 1 :]
            and words[place + 1] not in DEICTIC
            and generic(words[place + 1 :], the=True)
            and MOMENTARY.isdisjoint(words)
            else None
        )
    if head in ("team", "management", "leadership", "everyone", "board", "legal", "security") and words[1] in CHOSEN:
        return DECISION if generic(words[2:]) else None
    return None


def existing(rest: list[str]) -> Rule | None:
    """`there's no staging env for the mobile app`."""
    if rest[1] not in ("is", "are") or len(rest) < 4:
        return None
    if rest[2] not in ("no", "not", "only", "never") or not MOMENTARY.isdisjoint(rest):
        return None
    near = rest[3:8]
    return FACT if not FIXTURES.isdisjoint(near) and TASK_NOUNS.isdisjoint(near[:2]) else None


def _effect(words: list[str]) -> Rule | None:
    """`long meetings drain me`, `light themes make my eyes bleed`: a sort of thing and what it does to the speaker."""
    if words[0] in ("the", "my", "our", "your", "let", "help", "please", "do", "does", "did") or words[0] in MODALS:
        return None
    if (
        words[-2:] == ["to", "me"]
        and is_general(words)
        and not SENSED.isdisjoint(words[1:4])
        and OTHERS.isdisjoint(words)
    ):
        return PREFERENCE
    for place in range(2, min(len(words), 9)):
        word, verb = words[place], words[place - 1]
        if (
            not OTHERS.isdisjoint(words[: place - 1])
            or not MODALS.isdisjoint(words[: place - 1])
            or "to" in words[: place - 1]
        ):
            return None
        if word == "me" and verb in EFFECT_FORMS and verb not in ("work", "works", "kill", "help", "suit"):
            return PREFERENCE
        if word == "my" and (verb in EFFECT_FORMS or verb in ("make", "makes", "ruin", "ruins", "wreck", "wrecks")):
            return PREFERENCE if not EFFECT_NOUNS.isdisjoint(words[place + 1 : place + 3]) else None
        if word == "me" and verb in ("on", "with") and words[place - 2] in ("grown", "lost", "wasted", "agree"):
            return PREFERENCE
    if (
        words[-1] == "me"
        and words[-2] not in PREPOSITIONS
        and len(words) < 8
        and words[-2] in EFFECT_FORMS
        and words[-2] not in ("help", "kill")
    ):
        return PREFERENCE
    bare = (
        len(words) >= 3
        and words[-1] == "me"
        and words[-2] in ("bugs", "annoys", "bores", "irks", "bothers", "stresses", "drains", "scares")
    )
    return PREFERENCE if bare else None


def _fragment(words: list[str]) -> Rule | None:
    """`two spaces for indentation`, `low sodium recipes only`: a rule without a verb."""
    if not {"i", "we", "is", "are", "was", "has", "have"}.isdisjoint(words) or not DEICTIC.isdisjoint(words):
        return None
    if words[0] == "no" and words[1] != "one":
        if words[-2:] == ["for", "me"] and TASK_NOUNS.isdisjoint(words):
            return PREFERENCE
        if (
            not FIXTURES.isdisjoint(words[1:3])
            and words[2:3]
            and not PREPOSITIONS.isdisjoint(words[2:5])
            and MOMENTARY.isdisjoint(words)
            and "again" not in words
        ):
            return FACT
        if words[-1] == "please" or not MANNERS.isdisjoint(words[1:4]):
            return INSTRUCTION if not MANNERS.isdisjoint(words[1:4]) and "the" not in words else None
    if (
        words[1] == "first"
        and len(words) < 5
        and (
            words[0] in SORTS
            or words[0] in MANNERS
            or words[0] in ("code", "answer", "result", "conclusion", "command", "summary")
        )
    ):
        return INSTRUCTION
    if (
        not WRITING.isdisjoint(words[:3])
        and len(words) > 2
        and {"for", "in", "over", "everywhere", "only", "not", "instead"} & set(words[1:])
    ):
        return INSTRUCTION if "the" not in words else None
    if (
        words[0] in ("all", "every", "each")
        and words[1] in SORTS
        and not {"in", "as", "with", "without", "under"}.isdisjoint(words[2:4])
        and "the" not in words
    ):
        return INSTRUCTION
    only = words[-1] == "only" or (words[0] == "only" and words[1] not in ORDER_VERBS)
    if (
        only
        and len(words) < 8
        and any(word.endswith("s") and word not in TASK_NOUNS for word in words[:-1])
        and "the" not in words
    ):
        return INSTRUCTION
    return None


def _is_role(words: list[str], sentence: list[str]) -> bool:
    """`backend dev at a small fintech here`, `dentist by training`."""
    if ROLES.isdisjoint(words[:3]) or words[0] in DETERMINERS or not OTHERS.isdisjoint(words):
        return False
    by = next((place for place, word in enumerate(words[:5]) if word == "by"), 0)
    if (
        by
        and words[by + 1 : by + 2]
        and words[by + 1] in ("training", "trade", "profession", "day", "background", "education")
    ):
        return True
    return words[-1] == "here" and len(words) > 2 and RELATION_S.isdisjoint(words)
