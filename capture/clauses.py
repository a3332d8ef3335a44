"""English statements by the build of their clauses, where no pattern of `patterns` and `norms` fits.

A clause is read as subject, verb and complement by the word classes of `wordclass`: who it is about (I, we, what is
mine or ours, a sort of things), what sort of verb (stance, life, relation, arrangement, effect on the speaker), in which
form (habitual present, not one-time past or progressive), and whether its object is a sort of thing or the matter in
hand.  An order counts when something in it says that it reaches beyond now.  Every word is looked at a bounded number
of times.
"""

# ruff: noqa: E501 - a condition of many words is easier to check in one line than in five
from .clause_orders import conditional, order
from .clause_parts import HABIT, IDENTITY, INSTRUCTION, MARKS, PREFERENCE, generic, is_general, points, verb_at
from .clause_persons import person
from .clause_sorts import rule_of_sorts
from .clause_things import existing, thing
from .lazy import lazy
from .rule import Rule
from .wordclass import (
    COPULAS,
    DEICTIC,
    ELLIPSIS,
    HEDGES,
    JUDGING,
    OPINION,
    ORDER_VERBS,
    OTHERS,
    PAST,
    PREPOSITIONS,
    PRONOUNS,
    QUANTIFIED,
    RECURRING,
    REPORTS,
    SAID_BARE,
    SAID_BARE_OF_ME,
    SOON,
    SORTS,
    SUBORDINATE,
    TASK_NOUNS,
)

_LONGEST = 70  # words of a sentence that are read
_TOKEN = lazy(r"[^\W_][\w'+#/.&@%-]*|/[\w/.-]+|[,;:()–—>]|(?<=\s)-(?=\s)|\.{2,}")
_SPLIT = {
    "i'm": ("i", "am"), "i've": ("i", "have"), "i'd": ("i", "would"), "i'll": ("i", "will"), "we're": ("we", "are"), "we've": ("we", "have"), "we'd": ("we", "would"),
    "we'll": ("we", "will"), "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"), "that's": ("that", "is"), "there's": ("there", "is"),
    "it's": ("it", "is"), "you're": ("you", "are"), "let's": ("let", "us"), "got-to": ("got", "to"), "want-to": ("want", "to"), "everything's": ("everything", "is"),
}  # fmt: skip
_BUT = frozenset("but so because since though although and plus then".split())
_BLOCKS = frozenset(
    "maybe perhaps possibly might undecided wonder wondering hypothetically guess probably seems looks apparently supposedly".split()
)
_SAY = frozenset("say admit mention add confess".split())


def stating(text: str) -> Rule | None:
    """What kind of statement there is in `text`, a sentence with its quotations masked, or None."""
    words, shapes = _tokens(text)
    if len(words) < 3 or not _BLOCKS.isdisjoint(words[:12]):
        return None
    first = True
    for clause, shape in _clauses(words, shapes):
        if clause and (found := _clause(clause, shape, first, words)):
            return found
        if (
            first
            and clause
            and clause[0] in SUBORDINATE
            and clause[0] not in ("since", "as", "though", "although", "while")
        ):
            return conditional(words)
        if not REPORTS.isdisjoint(clause) and "i" not in clause[:1]:
            return None
        first = first and not any(word not in HEDGES for word in clause)
    return None


def _tokens(text: str) -> tuple[list[str], list[str]]:
    """(words in lower case with contractions taken apart, the same as written)."""
    words: list[str] = []
    shapes: list[str] = []
    for token in _TOKEN.findall(text):
        shape = token.rstrip(".") or token
        word = shape.lower()
        if word in _SPLIT:
            parts: tuple[str, ...] = _SPLIT[word]
        elif word.endswith("n't") and len(word) > 3:
            parts = (word[:-3], "not")
        else:
            parts = (word,)
        words.extend(parts)
        shapes.extend((shape,) * len(parts))
        if len(words) >= _LONGEST:
            break
    for place in range(len(words) - 1):  # `my sister's a lawyer`
        if words[place].endswith("'s") and words[place + 1] in ("a", "an", "the", "not", "allergic", "from", "in"):
            words[place : place + 1] = [words[place][:-2], "is"]
            shapes[place : place + 1] = [shapes[place]] * 2
            break
    return words, shapes


def _clauses(words: list[str], shapes: list[str]) -> list[tuple[list[str], list[str]]]:
    found, start = [], 0
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else ""
        mark = word in MARKS
        joins = (
            word in _BUT
            and place > start
            and (
                after in PRONOUNS
                or after in ("it", "he", "she", "they", "no", "the", "that")
                or word in ("but", "because")
            )
            and words[place - 1] not in COPULAS
        )
        if mark or joins:
            found.append((words[start:place], shapes[start:place]))
            start = place + 1
    found.append((words[start:], shapes[start:]))
    if (
        len(found) > 2
        and len(found[1][0]) == 1
        and found[1][1][0][:1].isupper()
        and found[0][0][:1]
        and found[0][0][0] in ("the", "my", "our")
    ):
        found[:3] = [(found[0][0] + found[2][0], found[0][1] + found[2][1])]  # `the intern, Josh, reports to me`
    return found[:10]


def _clause(words: list[str], shapes: list[str], first: bool, sentence: list[str]) -> Rule | None:
    at = 0
    while at < len(words) and words[at] in HEDGES and not (words[at] in ("since", "as") and at == 0):
        at += 1
    rest = words[at:]
    if rest[:1] in (["got"], ["must"]) and rest[1:2] == ["to"] and rest[2:3] and rest[2] in _SAY:
        rest = rest[3:]
    elif rest[:1] == ["i"] and rest[1:3] in (["have", "to"], ["got", "to"]) and rest[3:4] and rest[3] in _SAY:
        rest = rest[4:]
    elif rest[:2] == ["i", "must"] and rest[2:3] and rest[2] in _SAY:
        rest = rest[3:]
    rest = rest[1:] if rest[:1] == ["that"] and rest[1:2] and rest[1] in PRONOUNS else rest
    if len(rest) < 2:
        return None
    if not SOON.isdisjoint(rest):
        return None
    head = rest[0]
    if head in ("i", "we"):
        return person(rest[1:], sentence, head == "we")
    if first:
        if head == "as" and rest[1] in ("a", "an", "someone") and "i" in rest[2:9]:
            return None if TASK_NOUNS & set(rest[2:4]) else IDENTITY
        if restored := _restored(rest):
            return person(restored, sentence, False)
        if head in PREPOSITIONS:
            return _fronted(rest, sentence)
    if found := order(rest, sentence, first):
        return found
    if not first and head not in ("that", "my", "our", "everything", "nothing", "nobody", "anything"):
        return None
    if head == "there":
        return existing(rest)
    if (
        head == "that"
        and not first
        and rest[1:3] in (["is", "our"], ["is", "my"])
        and rest[3:4] in (["way"], ["rule"], ["policy"], ["convention"], ["motto"], ["style"], ["habit"])
    ):
        return INSTRUCTION
    if head == "that":
        return (
            PREFERENCE
            if rest[1:3] == ["is", "how"]
            and rest[3:5]
            in (["i", "like"], ["i", "prefer"], ["i", "want"], ["i", "work"], ["we", "work"], ["we", "do"])
            else None
        )
    if rest[:2] in (["no", "need"], ["no", "problem"], ["no", "idea"]) or (
        head in ORDER_VERBS and rest[1] not in SORTS
    ):
        return None
    if head in OTHERS or head in DEICTIC or head in SUBORDINATE or (first and (head in COPULAS or head in ELLIPSIS)):
        return None
    return thing(rest, shapes, sentence)


def _restored(rest: list[str]) -> list[str] | None:
    """The words behind the `I` that was left out: `never been into podcasts`, `not a fan of async`."""
    head, second = rest[0], rest[1]
    if head == "have" and second == "not":
        return rest
    if head == "had" and second in ("a", "an"):
        return rest
    if head == "been" or (head in ("never", "always") and second in ("been", "liked", "got", "gotten", "understood")):
        return ["have", *rest]
    if head in SAID_BARE_OF_ME or (
        head == "not" and second in ("a", "into", "keen", "big", "fond", "much", "really", "huge")
    ):
        return ["am", *rest]
    if head in ("big", "huge", "long-time", "proud", "lifelong") and second in (
        "fan",
        "believer",
        "user",
        "proponent",
        "advocate",
        "owner",
    ):
        return ["am", "a", *rest]
    if head == "more" and second == "of":
        return ["am", *rest]
    if second in ("and", "or", "to", "it", "that", "this", "seeing", "your", "you"):
        return None
    if head in SAID_BARE or (
        head == "can" and second == "not" and rest[2:3] and rest[2] in ("stand", "bear", "stomach", "eat")
    ):
        return rest
    return ["was", *rest[1:]] if head == "got" and second in ("diagnosed", "married", "promoted", "divorced") else None


def _fronted(rest: list[str], sentence: list[str]) -> Rule | None:
    """`after some back and forth we settled on kafka`, `for shell scripts stick to posix sh`."""
    if " ".join(rest[:2]) in OPINION or " ".join(rest[:3]) in OPINION:
        about = rest[2 if " ".join(rest[:2]) in OPINION else 3 :]
        return PREFERENCE if not JUDGING.isdisjoint(about) and is_general(about) else None
    for place in range(2, min(len(rest) - 1, 9)):
        if rest[place] in ("i", "we"):
            if rest[place - 1] in ("that", "which", "when", "what", "where", "as") or rest[place - 1] in PREPOSITIONS:
                return None
            behind = rest[place + 1 :]
            if (
                not RECURRING.isdisjoint(rest[:place])
                and behind[0].isalpha()
                and behind[0] not in ELLIPSIS
                and not behind[0].endswith("ed")
                and generic(behind[1:])
            ):
                return HABIT if behind[0] not in PAST else None
            return person(behind, sentence, rest[place] == "we")
        if (
            rest[place] in QUANTIFIED
            and rest[place - 1] not in PREPOSITIONS
            and rest[1] in ("our", "my", "this")
            and rest[place] != "no"
        ):
            return rule_of_sorts(rest[place:], verb_at(rest[place:]))
        if place >= 2 and rest[place] in ORDER_VERBS and rest[0] in ("for", "in", "with", "on"):
            scope = rest[1:place]
            general = scope[-1] in SORTS or scope[0] in ("general", "our", "any", "all", "every", "each", "commit")
            if general and DEICTIC.isdisjoint(scope) and "the" not in scope:
                return None if points(rest[place + 1 :]) else INSTRUCTION
        if rest[place] == "do" and rest[place + 1 : place + 2] == ["not"] and rest[1] == "general":
            return INSTRUCTION
    return None
