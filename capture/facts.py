"""Durable statements in a message: sentence by sentence, the clause that states the fact (cognition.md 3.2 and 5).

Accepted: identity, preference, prohibition, decision, project fact, standing instruction, correction.  Rejected:
questions, hypotheticals, quoted or pasted text, code, one-off requests, complaints about the task in hand, played
parts, and what is said about or by others.

English stands in `patterns` and `norms`, and where none of them fits in `clauses`, by the build of the clause; other
languages in `lang`; `corrections` tells what replaces what.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re
from dataclasses import dataclass, replace
from functools import partial

from .bygone import passes
from .clauses import stating
from .compound import apart
from .corrections import change
from .foreign import spoken_in, statement
from .lazy import lazy
from .norms import CONDITION, NORMS, OPENING
from .patterns import (
    DANGLING,
    EMPTY_WORDS,
    FAILING,
    FILLER,
    HYPOTHETICAL,
    IN_PART,
    KEY_STATEMENT,
    LEAD,
    MASKED,
    NOT_OWN,
    OWN_RULE,
    PASSING_TALK,
    PASSWORD_TALK,
    PERSONA,
    PLACEHOLDER,
    QUESTION_CJK,
    QUESTION_START,
    REPORT,
    RIGHT_NOW,
    SARCASM,
    SECRET_TALK,
    STANDING_REQUEST,
    TAIL,
    TASK_TAIL,
    UNREAL,
    WORD,
)
from .patterns import RULES as ENGLISH
from .project import of_project
from .redact import redact
from .restated import anew, beside
from .rule import Language, Rule, Table, said_in
from .sentences import CAP, mask_quotes, sentences
from .typed import as_meant, as_said
from .wordclass import STATING

_MARKS = " .!。！"
_LEAST = 6  # characters of a statement that can mean anything by itself
_HEAD, _LAST = 1_500, 500  # sentences of a message that are looked at, from its beginning and its end
_CLAUSE = lazy(
    r"(?:[,;:–—]\s+|\s+-\s+|\.\.\.\s+)(?:(?:but|and|so|because|since|as|although|though|also|anyway|well)\s+)?|\s+(?:but|because|since|so|and|although|though)\s+"
)
_SUBJECT = lazy(
    r"(?:I|I'm|I've|I'd|i|i'm|i've|i'd|my|My|we|we're|we've|We|our|Our|let's|Let's|always|never|please always|please never|from now on|remember)\b"
)
RULES = Table((*ENGLISH, *NORMS))
_STRONG = lazy(
    r"\b(?:always|never|must|under no circumstances|absolutely|strongly|hate|allergic|immer|niemals|siempre|nunca|jamás|toujours|jamais|sempre)\b|永远|始终|一定|必ず|絶対",
    re.IGNORECASE,
)
_SUPPOSED = lazy(
    r"(?:suppose|supposing|imagine|assum\w+|pretend|let's say|say (?:i|we)|what if|hypothetically)\b", re.IGNORECASE
)
# They begin like questions and are none: `what I can't stand is autoplay`, `when I say prod I mean the EU cluster`.
_CLEFT = lazy(
    r"(?:what|the (?:one |only )?thing|all) i (?:really |truly |absolutely |can't |cannot |don't |do not |never |always )*(?:like|love|hate|value|prefer|enjoy|appreciate|dislike|stand|tolerate|bear|fear|despise)(?: (?!about\b|in\b|of\b)\w+){0,3}? (?:is|are) (?!this|that|these|those|it\b|the\b|your?\b|how you|when you\b)\S",
    re.IGNORECASE,
)
_DEFINES = lazy(
    r"when(?:ever)? (?:i|we) (?:say|write|type|talk about|speak of) [^?]{1,60}?,? (?:i|we)(?: always)? mean \S[^?]*$",
    re.IGNORECASE,
)
# `The spare key is with Ann, remember that.`, or `Please remember this.` behind the sentence that is meant.
_ASKED = lazy(
    r"(?P<joint>\s*[,;–—-]\s*|\s+(?:and|so) |^)(?:(?:and|so|but|please|pls)[, ]\s?){0,3}(?:(?:remember|memori[sz]e|don't forget) (?:this|that|it)|(?:keep|bear) (?:this|that|it) in mind|note (?:this|that) down)(?: for (?:me|later|next time|the future)|,? please){0,2}[.!]*$",
    re.IGNORECASE,
)
_ASKED_WORDS = ("remember", "memori", "forget", "note", "mind")
_MEANT = lazy(
    r"(?:(?:ok|okay|hey|also|btw|fyi|well|so|and|by the way),? ){0,2}(?:the|my|our|we(?:'re|'ve)?|i(?:'m|'ve)?|all|every|each|[\w'-]+ (?:is|are|has|have)) (?!(?:want|need|would|like|wish|hope|think|guess|wonder|can't|don't|am (?:trying|getting|looking)) )(?:[^\s,]+,? ){1,40}",
    re.IGNORECASE,
)
_CJK_START = lazy(r"[^A-Za-z]{0,12}[\u3041-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True)
class Fact:
    """One statement.

    salience       0-1, by kind and explicitness (CD30)
    project_bound  it speaks of this project or of a choice of its team
    correction     its wording says that something stated before is no longer so: `actually it's`, `no longer`,
                   `scratch that`, `not X but Y`, `switched to`, `instead of` (CD24)
    replaces       the old value that a correction names, as said, at most 80 characters; "" when it names none
    """

    content: str
    kind: str
    salience: float
    project_bound: bool
    correction: bool = False
    replaces: str = ""


def extract(text: str) -> list[Fact]:
    """The durable statements of a cleaned message, in order, each once; not redacted, which is the caller's part.

    A sentence that gives a secret away is left out, unless it asks to be remembered or merely names a key or a link:
    then it comes with the secret in it, for `redact` to mask.  Of a message with thousands of sentences the first and
    last ones are read: what people state stands at its ends.
    """
    facts: list[Fact] = []
    seen: set[str] = set()
    said = list(dict.fromkeys(sentences(text)))
    if len(said) > _HEAD + _LAST:
        said = said[:_HEAD] + said[-_LAST:]
    played = False
    before = ""  # the sentence before, when it gave nothing
    for sentence in said:
        languages = spoken_in(sentence)
        played = played or _is_persona(sentence, languages)
        # From here on somebody else is speaking, but for a rule that is plainly about the answers themselves.
        fact = _beside_the_part(sentence) if played else _fact(sentence, languages) or _asked_for(sentence, before)
        before = "" if fact else sentence
        for one in apart(fact, partial(_fact, languages=languages)) if fact else ():
            if one.content not in seen:
                seen.add(one.content)
                facts.append(one)
    return facts


def _is_persona(sentence: str, languages: tuple[Language, ...]) -> bool:
    return PERSONA.match(sentence) is not None or any(language.persona.match(sentence) for language in languages)


def _beside_the_part(sentence: str) -> Fact | None:
    """`Act as a guide, and from now on answer in French`: the rule for the answers, not what belongs to the part."""
    found = OWN_RULE.search(mask_quotes(sentence))
    if found is None or IN_PART.search(sentence, found.start("rule")):
        return None
    return _english(sentence[found.start("rule") :], ())


def _asked_for(sentence: str, before: str) -> Fact | None:
    """What is to be remembered because the end of a sentence, or the one behind it, says so."""
    end = sentence[-60:].lower()
    if not any(word in end for word in _ASKED_WORDS):
        return None
    whole = mask_quotes(sentence)
    asked = _ASKED.search(whole, max(0, len(whole) - 100))
    if asked is None:
        return None
    meant = sentence if asked.start() else before
    whole = mask_quotes(meant)
    clause = whole[: asked.start()] if asked.start() else whole
    if not _MEANT.match(clause.rstrip(".! ") + " ") or _is_question(whole) or UNREAL.search(whole):
        return None
    if any(one.match(whole) for one in (SARCASM, NOT_OWN, HYPOTHETICAL, PASSING_TALK)) or REPORT.search(whole):
        return None
    return _made(meant, meant, Rule("fact", 0.9, ""), ())


def _fact(sentence: str, languages: tuple[Language, ...]) -> Fact | None:
    """The statement of a sentence, also where it is said anew: with a word that says since when, or a verb of change."""
    fact = _stated(sentence, languages)
    if (fact is not None and fact.correction) or not (held := anew(sentence)):
        return fact
    if fact is None:
        fact = _stated(held, spoken_in(held))
        if fact is None or fact.content.rstrip(_MARKS) != held.rstrip(_MARKS):
            return None
        fact = replace(fact, content=sentence.strip()[: CAP + 50])
    return replace(fact, correction=True, salience=min(1.0, round(fact.salience + 0.05, 2)))


def _stated(sentence: str, languages: tuple[Language, ...]) -> Fact | None:
    if not _CJK_START.match(sentence):
        fact = _english(sentence, languages)
        if fact is not None:
            return fact
    for language in languages:
        found = statement(sentence, language)
        if found is not None:
            return _made(sentence, *found, languages, english=False)
    return None


def _english(sentence: str, languages: tuple[Language, ...]) -> Fact | None:
    typed = as_meant(sentence)
    fact = _spelled(typed, languages)
    if fact is None or typed is sentence:
        return fact
    return replace(fact, content=as_said(sentence, typed, fact.content))


def _spelled(sentence: str, languages: tuple[Language, ...]) -> Fact | None:
    body = sentence
    while (filler := FILLER.match(body)) and filler.end() < len(body):
        body = body[filler.end() :]
    body = body.strip(" \t*_#")
    if len(body) < _LEAST and not QUESTION_CJK.search(body) and body.isascii():
        return None
    whole = mask_quotes(body)
    said = said_in(whole)
    start, rule, end = 0, None, len(whole)
    if _may_state(whole, said):
        for end in _ends(whole, said):
            start, rule = _matching(whole[:end], said)
            if rule is not None:
                break
    if rule is None:
        rule, end = _built(whole, said)
    body = body[:end].rstrip(" ,;:–—-") if end < len(whole) else body
    if rule is None:
        return _named_key(body)
    if SARCASM.match(sentence) or NOT_OWN.match(whole):
        return None
    content = body[start:].strip()
    content = content[:1].upper() + content[1:] if start else content
    return _made(sentence, content, rule, languages)


def _built(whole: str, said: frozenset[str]) -> tuple[Rule | None, int]:
    """The rule that a sentence meets by the build of its clauses, and where its statement ends."""
    if _DEFINES.match(whole):
        return Rule("fact", 0.65, ""), len(whole)
    if _CLEFT.match(whole) and not UNREAL.search(whole):
        return Rule("preference", 0.7, ""), len(whole)
    if whole.endswith("?") or said.isdisjoint(STATING):
        return None, len(whole)
    rule = stating(whole)  # the cheapest look first: most sentences state nothing
    if rule is None or UNREAL.search(whole) or _is_question(whole):
        return None, len(whole)
    asked = TAIL.search(whole)
    end = asked.start() if asked and asked.start() >= _LEAST else len(whole)
    clause = whole[:end]
    if PASSING_TALK.match(clause) or _SUPPOSED.match(clause):
        return None, len(whole)
    rule = stating(clause) if asked else rule
    if rule is not None and rule.kind != "instruction" and (FAILING.search(clause) or RIGHT_NOW.search(clause)):
        return None, len(whole)
    return rule, end


def _may_state(whole: str, said: frozenset[str]) -> bool:
    """Whether a clause of it fits any rule: most sentences have none and need no closer look."""
    if RULES.fits(whole, said) or STANDING_REQUEST.match(whole):
        return True
    if (lead := LEAD.match(whole)) and RULES.fits(whole, said, lead.end()):
        return True
    for cut in _CLAUSE.finditer(whole):
        at = cut.end()
        if not _SUBJECT.match(whole, at):
            continue
        if RULES.fits(whole, said, at) or ((lead := LEAD.match(whole, at)) and RULES.fits(whole, said, lead.end())):
            return True
    return False


def _ends(whole: str, said: frozenset[str]) -> list[int]:
    """Where the statement may end: before the request or question behind it, else before nothing.

    A rule of conduct has orders in it (`from now on, start with the result`), so that an order is cut off only when
    what is left is a statement; a question is cut off always.
    """
    if STANDING_REQUEST.match(whole):
        return [len(whole)]
    opening = OPENING.match(whole)
    first = opening.end() if opening else 0
    asked = TAIL.search(whole, first)
    stop = asked.start() if asked and asked.start() >= _LEAST else len(whole)
    task = TASK_TAIL.search(whole, first, stop)
    if task and task.start() >= _LEAST:
        return [stop, task.start()] if _is_conduct(whole[:stop], said) else [task.start()]
    return [stop]


def _is_conduct(clause: str, said: frozenset[str]) -> bool:
    rule = _rule_at(clause, said)
    return rule is not None and rule.kind == "instruction"


def _made(
    sentence: str, content: str, rule: Rule, languages: tuple[Language, ...], *, english: bool = True
) -> Fact | None:
    if len(content) < len(sentence) and passes(sentence) and not passes(content):
        content = sentence.strip()  # `In 1998, I moved to Bonn` without the year would say that it is so
    hidden = redact(content)
    if MASKED in hidden and not _may_name_secret(content, rule):
        return None
    if not _says_something(hidden):
        return None
    corrects, old = change(sentence, () if english else languages, english=english)
    corrects = corrects and (bool(old) or not beside(sentence)) and not passes(sentence)
    salience = rule.salience + (0.05 if _STRONG.search(content) else 0.0) + (0.05 if corrects else 0.0)
    return Fact(
        content[: CAP + 50],
        rule.kind,
        min(1.0, round(salience, 2)),
        rule.bound or of_project(content),
        corrects,
        old if old in hidden else "",
    )


def _matching(masked: str, said: frozenset[str]) -> tuple[int, Rule | None]:
    """Where the stating clause begins and the rule that it meets; the whole sentence is tried first."""
    if UNREAL.search(masked):
        return 0, None
    if standing := STANDING_REQUEST.match(masked):
        return 0, _rule_at(masked[standing.end() :], said)
    if _is_question(masked):
        return 0, None
    rule = _rule_at(masked, said)
    if rule is not None:
        return 0, rule
    if HYPOTHETICAL.match(masked):
        return 0, None
    for cut in _CLAUSE.finditer(masked):
        head, clause = masked[: cut.start()], masked[cut.end() :]
        if REPORT.search(head):
            return 0, None
        if _SUBJECT.match(clause) and not _is_question(clause) and (rule := _rule_at(clause, said)) is not None:
            return cut.end(), rule
    return 0, None


def _rule_at(clause: str, said: frozenset[str]) -> Rule | None:
    lead = LEAD.match(clause)
    for text in (clause, clause[lead.end() :]) if lead else (clause,):
        if PASSING_TALK.match(text):
            return None
        rule = RULES.first(text, said)
        if rule is None:
            continue
        if HYPOTHETICAL.match(text) and rule.kind != "instruction":
            return None
        passing = rule.kind in ("fact", "preference", "identity") and rule.salience < 0.9
        if passing and (FAILING.search(text) or RIGHT_NOW.search(text)):
            return None
        return rule
    return None


def _is_question(masked: str) -> bool:
    return (
        masked.rstrip("\"')”").endswith(("?", "？"))
        or (QUESTION_START.match(masked) is not None and CONDITION.match(masked) is None)
        or QUESTION_CJK.search(masked) is not None
    )


def _named_key(body: str) -> Fact | None:
    """`deploy key is ...`: that a key exists is a fact, and its value will be masked; a pass word is none (CX11)."""
    if not KEY_STATEMENT.match(body) or PASSWORD_TALK.search(body) or _is_question(body):
        return None
    hidden = redact(body)
    return Fact(body[:CAP], "fact", 0.4, False) if MASKED in hidden and _says_something(hidden) else None


def _says_something(hidden: str) -> bool:
    """False for a statement whose object is missing or wholly masked: `my password is [REDACTED credential]`.

    It says more when, apart from the mask, the words for secrets and the small words around them, anything is left:
    which key it is (B007), what it is for, a second statement.
    """
    if MASKED not in hidden:
        return DANGLING.search(hidden) is None
    return WORD.search(EMPTY_WORDS.sub(" ", PLACEHOLDER.sub(" ", hidden))) is not None


def _may_name_secret(content: str, rule: Rule) -> bool:
    if SECRET_TALK.search(content):
        return True
    return rule.kind == "fact" and not PASSWORD_TALK.search(content)
