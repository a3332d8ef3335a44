"""Orders that say, in one way or another, that they reach further than now."""

from .clause_parts import INSTRUCTION, MARKS, points
from .rule import Rule
from .wordclass import (
    ALWAYS,
    AT_LEISURE,
    DEICTIC,
    HEDGES,
    LANGUAGES,
    LEAVE_OUT,
    MANNERS,
    MEASURES,
    ORDER_VERBS,
    SORTS,
    SPEECH_VERBS,
    STYLE_VERBS,
    TALK,
    TASK_NOUNS,
    TONES,
)


def order(words: list[str], sentence: list[str], first: bool) -> Rule | None:
    """An order that says, in one way or another, that it reaches further than now."""
    at, negative = 0, False
    while at < len(words) and (
        words[at] in ("please", "just", "also", "kindly", "always", "never", "instead", "simply") or words[at] in HEDGES
    ):
        at += 1
    rest = words[at:]
    strong = "always" in words[:at] or "never" in words[:at]
    if rest[:1] == ["only"] and rest[1:2] and rest[1] in STYLE_VERBS:
        return (
            INSTRUCTION if first and rest[2:] and not points(rest[2:]) and rest[2] not in ("the", "a", "an") else None
        )
    if rest[:1] == ["never"] or rest[:2] == ["do", "not"]:
        negative, rest = True, rest[1 + (rest[0] == "do") :]
        rest = rest[1:] if rest[:1] == ["ever"] else rest
    elif rest[:2] == ["no", "need"] and rest[2:3] in (["to"], ["for"]):
        negative, rest = True, rest[3:]
    elif rest[:1] == ["you"]:
        if rest[1:4] == ["do", "not", "have"] or rest[1:4] == ["do", "not", "need"]:
            negative, rest = True, rest[5:]
        elif rest[1:2] in (["can"], ["may"]) and rest[2:3] and (rest[2] in LEAVE_OUT or rest[2] == "just"):
            rest = rest[2:] if rest[2] != "just" else rest[3:]
        else:
            return None
    elif rest[:2] in (["feel", "free"], ["make", "sure"]) or rest[:2] in (["try", "to"], ["try", "not"]):
        rest = rest[3:] if rest[2:3] in (["to"], ["you"]) else rest[2:]
    if rest[:2] in (["bother", "with"], ["bother", "to"]):
        rest = rest[2:]
    if len(rest) < 2:
        return None
    verb, behind = rest[0], rest[1:]
    if verb.endswith("ing") and negative:
        verb = "skip" if verb not in ORDER_VERBS else verb
    if verb not in ORDER_VERBS and verb not in SPEECH_VERBS and not (negative and verb in MANNERS):
        return None
    pointing = points(behind)
    said = set(behind)
    far = next((place for place, word in enumerate(behind) if word in ALWAYS), -1)
    strong = (
        strong
        or (far >= 0 and {"who", "that", "which", "i", "we", "it", "they"}.isdisjoint(behind[:far]))
        or sentence[-2:] in (["every", "time"], ["each", "time"])
        or sentence[-3:-1] == ["from", "now"]
    )
    strong = strong or (len(sentence) > 2 and sentence[-1] in ("always", "ever", "exceptions", "principle") and first)
    if strong and first and not (pointing and not negative):
        return INSTRUCTION
    again = _again(behind)
    if verb == "be":
        meant = (
            behind[1:3] == ["with", "me"]
            or "when" in behind
            or (len(behind) == 1 and behind[0] in ("brief", "concise", "terse", "blunt", "direct", "succinct"))
        )
        return INSTRUCTION if behind[0] in TONES and meant and not pointing else None
    if verb in ("speak", "talk", "write", "answer", "reply", "respond", "explain") and first and not pointing:
        manner = (
            behind[0] in ("things", "everything", "concepts", "in", "like", "as")
            or (behind[0].endswith("ly") and behind[0] != "only")
            or behind[0] in ("simply", "plain")
        )
        how = (
            "like" in behind
            or "as" in behind
            or not LANGUAGES.isdisjoint(behind)
            or {"voice", "style", "prose", "terms", "person", "tense", "words", "sentences"} & said
        )
        if (
            manner
            and (how or (behind[0].endswith("ly") and len(behind) < 3))
            and "the" not in said
            and "a" not in behind[:2]
        ):
            return INSTRUCTION
    if verb == "let" and not strong and "before" not in behind:
        return None
    if verb == "keep" and behind[0] in ("it", "things") and again and not MEASURES.isdisjoint(behind):
        return INSTRUCTION
    if pointing:
        return None
    if again and behind[0] not in ("a", "an") and (behind[0] != "the" or TASK_NOUNS.isdisjoint(behind[1:3])):
        return INSTRUCTION
    if (verb in SPEECH_VERBS or verb in MANNERS) and negative and "the" not in said and first:
        return INSTRUCTION
    if (negative or verb in LEAVE_OUT) and not TALK.isdisjoint(behind[:4]):
        return INSTRUCTION
    if (
        behind[-2:] in (["with", "me"], ["for", "me"])
        and verb in ("stick", "stay", "keep", "use", "default", "avoid", "speak", "talk")
        and "a" not in said
    ):
        return INSTRUCTION
    if "me" in said and verb == "stick" and behind[0] in ("to", "with") and first:
        return INSTRUCTION
    if verb in ("default", "refrain", "treat", "favor", "favour") and (
        behind[0] in ("to", "from", "all", "every") or behind[0] in SORTS
    ):
        return INSTRUCTION
    scope = {"project", "repo", "codebase", "repository", "team", "company"} & said and not {"a", "an"} & said
    if scope and verb in ("use", "avoid", "prefer", "keep", "treat", "write", "put", "name", "format", "stick"):
        return INSTRUCTION
    if (
        verb in ("use", "write", "keep", "draft", "format", "send", "name", "answer", "reply", "write")
        and behind[0] in SORTS
        and {"in", "to", "with", "under", "below"} & said
    ):
        return INSTRUCTION if "the" not in said and "a" not in said and len(behind) < 10 else None
    return None


def conditional(words: list[str]) -> Rule | None:
    """`if you're unsure about something just ask me`: an order behind a condition that can come again."""
    if words[1:2] not in (["you"], ["i"], ["we"]) and words[0] not in ("whenever",):
        return None
    for place in range(3, min(len(words) - 1, 25)):
        before = words[place - 1]
        if (
            words[place] in ORDER_VERBS
            and words[place] != "let"
            and words[2] not in AT_LEISURE
            and (before in ("just", "please", "always", "never", "not") or before in MARKS)
        ):
            when = words[1:place]
            return INSTRUCTION if not points(when) and not points(words[place + 1 :]) and "the" not in when else None
    return None


def _again(behind: list[str]) -> bool:
    """Whether there is a condition that can come again: `when you explain stuff`, `before installing dependencies`."""
    for place, word in enumerate(behind[:-1]):
        after = behind[place + 1]
        if word in ("when", "whenever", "if") and after in ("you", "i", "we", "in", "unsure"):
            if behind[place + 2 : place + 3] and behind[place + 2] in AT_LEISURE:
                return False
            return DEICTIC.isdisjoint(behind[place + 2 :]) and "the" not in behind[place + 2 :] and "done" not in behind
        if word == "before" and after in ("any", "every", "each", "you"):
            return (
                DEICTIC.isdisjoint(behind[place + 2 :])
                and "the" not in behind[place + 1 :]
                and behind[place + 2 : place + 3] != ["start"]
            )
        if (
            word in ("before", "after", "when", "while")
            and after.endswith("ing")
            and after not in ("merging", "finishing", "pushing")
        ):
            return DEICTIC.isdisjoint(behind[place + 1 :]) and "the" not in behind[place + 1 :]
    return False
