"""Clauses about the speaker: what follows `I` and `we`, by auxiliary, verb class and object."""

from .clause_parts import (
    DECISION,
    FACT,
    HABIT,
    IDENTITY,
    INSTRUCTION,
    PREFERENCE,
    generic,
    is_general,
    points,
    present,
    skip,
)
from .rule import Rule
from .wordclass import (
    ABILITIES,
    BARRED,
    CHOSEN,
    DEGREES,
    DEVICES,
    DISPOSED,
    ELLIPSIS,
    FINAL,
    FIXTURES,
    GROUPS,
    ILLS,
    LANGUAGES,
    LIFE_VERBS,
    LIVING,
    LONG_UNITS,
    MANNERS,
    MOVING,
    RIGHTS,
    ROLES,
    SEEN,
    SORTS,
    STANCE_SET,
    STANCES_DONE,
    TASK_NOUNS,
    TRAIT_ENDINGS,
    TRAITS,
)


def person(words: list[str], sentence: list[str], plural: bool) -> Rule | None:
    """What follows `I` or `we`."""
    at = skip(words, 0)
    if at >= len(words):
        return None
    head = words[at]
    if head in ("am", "are"):
        return _being(words[at + 1 :], plural)
    if head == "was":
        second = words[skip(words, at + 1) :][:1]
        return (
            IDENTITY
            if second in (["born"], ["raised"], ["diagnosed"], ["married"], ["promoted"], ["divorced"])
            else None
        )
    negated = "not" in words[: at + 3] or "never" in words[: at + 3]
    if head in ("have", "had"):
        found = _having(words, at, plural)
        if found is not None:
            return found
    if (
        head == "do"
        and words[at + 1 : at + 3] in (["most", "of"], ["all", "of"], ["much", "of"])
        and words[at + 3 : at + 4] in (["my"], ["our"])
    ):
        return HABIT
    aux = head if head in ELLIPSIS else ""
    if aux:
        at = skip(words, at + 1)
    if at >= len(words):
        return None
    head = words[at]
    if aux in ("", "do", "can", "could", "have") or (aux == "would" and negated):
        for length in (4, 3, 2, 1):
            if " ".join(words[at : at + length]) in STANCE_SET:
                if aux != "have" and head in STANCES_DONE:
                    break
                if (
                    head in ("like", "stand", "bear", "stomach", "trust", "care", "tolerate")
                    and length == 1
                    and not negated
                ):
                    break
                behind = words[at + length :]
                if (
                    behind[:1] == ["to"]
                    and behind[1:2]
                    and behind[1]
                    in (
                        "say",
                        "admit",
                        "break",
                        "interrupt",
                        "ask",
                        "nag",
                        "bother",
                        "complain",
                        "disagree",
                        "see",
                        "know",
                        "hear",
                    )
                ):
                    break
                if plural and aux in ("can", "could"):
                    break
                if (
                    aux in ("can", "could")
                    and not negated
                    and words[at : at + 2] not in (["live", "without"], ["do", "without"])
                ):
                    break
                nested = behind[1:] if behind and behind[0].endswith("ing") else behind
                if behind and generic(behind) and generic(nested) and behind[0] not in ("that", "you", "it", "us"):
                    return PREFERENCE
                break
    if (
        aux == "would"
        and head in ("take", "pick", "choose", "go")
        and ("over" in words[at:] or words[-2:] in (["any", "day"], ["every", "time"]))
    ):
        return PREFERENCE if generic(words[at + 1 + (head == "go") :]) else None
    if (
        aux == "would"
        and negated
        and head in ("touch", "trust", "buy", "use", "eat", "wear", "recommend")
        and words[at + 1 :]
    ):
        return PREFERENCE if is_general(words[at + 1 :]) and generic(words[at + 1 :]) else None
    if (head in ("want", "need") and not aux and not negated) or (
        aux == "would" and head in ("like", "want", "prefer")
    ):
        near = words[at + 1 : at + 5]
        kind = not MANNERS.isdisjoint(near[:3]) or (
            (near[:1] in (["all"], ["every"], ["any"]) and not SORTS.isdisjoint(near))
            or (near[:1] == ["all"] and "code" in near)
        )
        return INSTRUCTION if kind and near[0] not in ("the", "a", "an") and not points(words[at + 1 :]) else None
    if aux == "can" and negated and head in BARRED and words[at + 1 :] and "anymore" not in words:
        return (
            (FACT if plural else PREFERENCE)
            if generic(words[at + 1 :]) and words[at + 1] not in ("to", "for", "because")
            else None
        )
    if words[-1] == "myself" and "all" in words and not aux and present(head):
        return HABIT
    if head == "pay" and not aux and words[at + 1 : at + 2] and words[at + 1][:1].isdigit():
        return FACT
    if head == "keep" and not aux and words[at + 1 : at + 2] in (["kosher"], ["halal"], ["shabbat"], ["vegan"]):
        return IDENTITY
    if head == "mind" and not negated:
        return None
    if (
        aux == "can"
        and not plural
        and not negated
        and (head in ABILITIES or (head == "read" and not LANGUAGES.isdisjoint(words[at:])))
        and words[at + 1 :]
    ):
        return IDENTITY if generic(words[at + 1 :]) and words[at + 1] not in ("the", "a") else None
    if not aux and not plural and words[at + 1 : at + 2] == ["easily"]:
        return IDENTITY
    if head == "grew" and words[at + 1 : at + 2] == ["up"]:
        return IDENTITY
    if aux == "did" and words[at : at + 1] == ["my"]:
        return IDENTITY if not DEGREES.isdisjoint(words[at:]) else None
    if (
        aux == "will"
        and plural
        and head == "be"
        and words[at + 1 : at + 2]
        and words[at + 1] in MOVING
        and "if" not in sentence
    ):
        return DECISION if generic(words[at + 2 :]) else None
    if aux == "will" and plural:
        return DECISION if not FINAL.isdisjoint(sentence[-4:]) and not negated and "if" not in sentence else None
    if (
        head in ("ended", "wound")
        and words[at + 1 : at + 2] == ["up"]
        and words[at + 2 : at + 3]
        and words[at + 2].endswith("ing")
    ):
        chosen = words[at + 2] in (
            "picking",
            "choosing",
            "buying",
            "going",
            "using",
            "taking",
            "hiring",
            "keeping",
            "adopting",
            "moving",
        )
        return DECISION if chosen and generic(words[at + 3 :], the=True) else None
    if (
        aux in ("", "have")
        and not negated
        and head in CHOSEN
        and (plural or head in ("settled", "decided"))
        and words[at + 1 :]
    ):
        long_ago = plural and not {
            "month",
            "year",
            "quarter",
            "finally",
            "officially",
            "spring",
            "summer",
            "autumn",
            "winter",
        }.isdisjoint(words)
        return DECISION if generic(words[at + 1 :], the=long_ago) and "nothing" not in words else None
    if aux in ("", "do") and head in LIFE_VERBS | {"run"} and words[at + 1 :] and not plural:
        behind = words[at + 1 :]
        if head == "run" and GROUPS.isdisjoint(behind[:6]):
            return None
        if behind[0] == "to" and head not in ("commute", "travel", "fly", "drive", "report"):
            return None
        if head == "look" and behind[0] != "after":
            return None
        if head in (
            "write",
            "report",
            "handle",
            "care",
            "code",
            "program",
            "operate",
            "support",
            "play",
            "collect",
            "draw",
            "design",
        ) and behind[0] in ("the", "a", "an", "to"):
            return IDENTITY if not GROUPS.isdisjoint(behind[:6]) else None
        lasting = (
            behind[0] not in ("the", "a", "an")
            or not GROUPS.isdisjoint(behind[:6])
            or head in ("own", "rent", "drive", "lead", "manage", "share", "sublet")
        )
        told = {"when", "if", "then", "and"} & set(sentence) and behind[0] in ("the", "a", "an")
        return IDENTITY if lasting and not told and generic(behind, the=True) else None
    if (
        aux in ("", "do", "would", "can")
        and head == "get"
        and words[at + 1 : at + 2] in (["lost"], ["confused"], ["sick"], ["tired"], ["cranky"], ["hangry"], ["sleepy"])
    ):
        later = words[at + 2 : at + 3]
        if later in (["when"], ["if"], ["by"], ["from"], ["in"], ["on"]):
            return PREFERENCE if generic(words[at + 3 :]) else None
    if plural and aux in ("do", "have") and "have" in words[at - 1 : at + 1]:
        near = words[at : at + 8]
        lasting = not FIXTURES.isdisjoint(near) and TASK_NOUNS.isdisjoint(near)
        return FACT if lasting and generic(near[1:]) else None
    return None


def _being(words: list[str], plural: bool) -> Rule | None:
    """What follows `I am`."""
    at = skip(words, 0)
    rest = words[at:]
    if len(rest) < 1:
        return None
    head, second = rest[0], rest[1] if len(rest) > 1 else ""
    if head == "of" and at and words[at - 1] in ("much", "more"):
        return PREFERENCE
    if plural and head in ("behind", "under", "on", "bound") and second in ("a", "an", "strict", "by"):
        return FACT if not FIXTURES.isdisjoint(rest[2:5]) else None
    if head in DISPOSED and second in DISPOSED[head]:
        return PREFERENCE if generic(rest[2:]) and rest[2:] else None
    if head in ("into", "partial", "fond", "keen"):
        return (
            PREFERENCE
            if rest[1:]
            and (head == "into" or second in ("on", "to", "of"))
            and (head, second) != ("keen", "to")
            and generic(rest[1:])
            else None
        )
    if plural:
        return None
    if head in ("a", "an", "the", "one", "not"):
        if second in ("kind", "type", "sort") or rest[:3] == ["one", "of", "those"]:
            return IDENTITY
        if second in ("fan", "big", "huge", "believer", "great", "real", "massive"):
            near = rest.index("of", 0, 5) if "of" in rest[:5] else 0
            return PREFERENCE if near and generic(rest[near + 1 :]) else None
    if head in ("more", "much") and second == "of":
        return PREFERENCE
    if head in TRAITS or head.endswith(TRAIT_ENDINGS) or (second == "handed" and head in ("left", "right")):
        return IDENTITY
    if head == "on" and second in ("a", "an", "the", "my"):
        return IDENTITY if not DEVICES.isdisjoint(rest[2:5]) else None
    if (
        head == "planning"
        and second == "to"
        and rest[2:3] in (["retire"], ["emigrate"], ["move"], ["quit"], ["marry"], ["study"], ["adopt"])
        and generic(rest[3:])
    ):
        return IDENTITY
    if head in LIVING and generic(rest[1:]):
        return IDENTITY
    if not ROLES.isdisjoint(rest[:3]) and head not in ("the", "your", "with", "in", "at", "not", "from", "no"):
        return IDENTITY
    return None


def _having(words: list[str], at: int, plural: bool) -> Rule | None:
    """What follows `I have`: been something for years, always or never done something."""
    before = at + 1
    after = skip(words, before)
    said = words[:after]
    if after >= len(words):
        return None
    head = words[after]
    always = "never" in said or "always" in said or "long" in said
    behind = words[after + 1 :]
    if head == "been":
        if (
            always
            and behind[:1]
            and behind[0]
            in ("a", "an", "into", "good", "bad", "big", "fond", "much", "one", "keen", "more", "terrible")
        ):
            start = behind.index("of") + 1 if "of" in behind[:5] else 1
            return PREFERENCE if generic(behind[start:]) else None
        long = not LONG_UNITS.isdisjoint(behind) or any(
            len(word) == 4 and word[:2] in ("19", "20") and word.isdigit() for word in behind
        )
        lasting = (
            long
            and ("for" in behind or "since" in behind)
            and behind[0]
            not in ("staring", "trying", "waiting", "looking", "debugging", "stuck", "fighting", "at", "chasing")
        )
        if lasting or "birth" in behind or "childhood" in behind or (behind[:1] and behind[0] in TRAITS):
            return FACT if plural else IDENTITY
        if (
            behind[:1]
            and behind[0] in ("on", "at", "with", "in", "using")
            and "since" in behind
            and behind[-1] not in ("morning", "lunch", "yesterday")
        ):
            return FACT if plural else IDENTITY
        return None
    if head in ("a", "an") and behind[:1] and not ILLS.isdisjoint(behind[:3]):
        return IDENTITY
    if (
        not RIGHTS.isdisjoint(words[after : after + 3])
        and head not in ("the", "your", "been", "lost")
        and generic(words[after + 2 :])
    ):
        return FACT
    if head in TRAITS:
        return IDENTITY
    if (
        "not" in said
        and not LONG_UNITS.isdisjoint(behind)
        and head.endswith(("ed", "en", "nk", "wn", "ad"))
        and head not in SEEN
    ):
        return PREFERENCE
    if (
        always
        and head not in SEEN
        and (head.endswith(("ed", "en", "wn")) or head in ("found", "felt", "loved", "kept", "gone", "held"))
    ):
        return PREFERENCE if behind and generic(behind) and behind[0] not in ("that", "it") else None
    if always and " ".join(words[after : after + 2]) in STANCE_SET:
        return PREFERENCE if generic(words[after + 2 :]) else None
    if always and " ".join(words[after : after + 3]) in STANCE_SET:
        return PREFERENCE if generic(words[after + 3 :]) else None
    return None
