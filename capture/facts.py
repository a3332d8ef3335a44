"""Durable statements in a message: sentence by sentence, the clause that states the fact (cognition.md 3.2 and 5).

Accepted: identity, preference, prohibition, decision, project fact, standing instruction, correction.  Rejected:
questions, hypotheticals, quoted or pasted text, code, one-off requests, complaints about the task in hand, and what is
said about or by others.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re
from dataclasses import dataclass

from .languages import OTHER_LANGUAGES
from .lazy import lazy
from .norms import CONDITION, NORMS, OPENING
from .patterns import (
    DANGLING,
    EMPTY_WORDS,
    FAILING,
    FILLER,
    HYPOTHETICAL,
    KEY_STATEMENT,
    LEAD,
    MASKED,
    PASSING_TALK,
    PASSWORD_TALK,
    PLACEHOLDER,
    PROJECT,
    QUESTION_CJK,
    QUESTION_START,
    REPORT,
    SECRET_TALK,
    STANDING_REQUEST,
    TAIL,
    TEAM,
    UNREAL,
    WORD,
)
from .patterns import RULES as ENGLISH
from .redact import redact
from .rule import Rule
from .sentences import CAP, mask_quotes, sentences

_LEAST = 6  # characters of a statement that can mean anything by itself
_CLAUSE = lazy(
    r"(?:[,;:–—]\s+|\s+-\s+|\.\.\.\s+)(?:(?:but|and|so|because|since|as|although|though|also|anyway|well)\s+)?|\s+(?:but|because|since|so|and|although|though)\s+"
)
_SUBJECT = lazy(
    r"(?:I|I'm|I've|I'd|i|i'm|i've|i'd|my|My|we|we're|we've|We|our|Our|let's|Let's|always|never|please always|please never|from now on|remember)\b"
)
RULES: tuple[Rule, ...] = (*ENGLISH, *NORMS, *OTHER_LANGUAGES)
_STRONG = lazy(r"\b(?:always|never|must|under no circumstances|absolutely|strongly|hate|allergic)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Fact:
    """One statement.  `salience` 0-1; `project_bound` when it speaks of this project or of a choice of its team."""

    content: str
    kind: str
    salience: float
    project_bound: bool


def extract(text: str) -> list[Fact]:
    """The durable statements of a cleaned message, in order, each once; not redacted, which is the caller's part.

    A sentence that gives a secret away is left out, unless it asks to be remembered or merely names a key or a link:
    then it comes with the secret in it, for `redact` to mask.
    """
    facts: list[Fact] = []
    seen: set[str] = set()
    for sentence in sentences(text):
        fact = _fact(sentence)
        if fact is not None and fact.content not in seen:
            seen.add(fact.content)
            facts.append(fact)
    return facts


def _fact(sentence: str) -> Fact | None:
    body = sentence
    while (filler := FILLER.match(body)) and filler.end() < len(body):
        body = body[filler.end() :]
    body = body.strip(" \t*_#")
    if len(body) < _LEAST and not QUESTION_CJK.search(body) and body.isascii():
        return None
    masked = mask_quotes(body)
    opening = OPENING.match(masked)
    cut = None if STANDING_REQUEST.match(masked) else TAIL.search(masked, opening.end() if opening else 0)
    # A tail that takes the whole statement with it is the statement.
    if cut and cut.start() >= _LEAST:
        body, masked = body[: cut.start()].rstrip(" ,;:–—-"), masked[: cut.start()].rstrip(" ,;:–—-")
    start, rule = _matching(masked)
    if rule is None:
        return _named_key(body)
    content = body[start:].strip()
    hidden = redact(content)
    if MASKED in hidden and not _may_name_secret(content, rule):
        return None
    if not _says_something(hidden):
        return None
    content = content[:1].upper() + content[1:] if start else content
    strong = 0.05 if _STRONG.search(content) else 0.0
    return Fact(
        content[: CAP + 50],
        rule.kind,
        min(1.0, round(rule.salience + strong, 2)),
        rule.bound or _project_bound(content),
    )


def _matching(masked: str) -> tuple[int, Rule | None]:
    """Where the stating clause begins and the rule that it meets; the whole sentence is tried first."""
    if UNREAL.search(masked):
        return 0, None
    if standing := STANDING_REQUEST.match(masked):
        return 0, _rule_at(masked[standing.end() :])
    if _is_question(masked):
        return 0, None
    rule = _rule_at(masked)
    if rule is not None:
        return 0, rule
    if HYPOTHETICAL.match(masked):
        return 0, None
    for cut in _CLAUSE.finditer(masked):
        head, clause = masked[: cut.start()], masked[cut.end() :]
        if REPORT.search(head):
            return 0, None
        if _SUBJECT.match(clause) and not _is_question(clause) and (rule := _rule_at(clause)) is not None:
            return cut.end(), rule
    return 0, None


def _rule_at(clause: str) -> Rule | None:
    lead = LEAD.match(clause)
    for text in (clause, clause[lead.end() :]) if lead else (clause,):
        if PASSING_TALK.match(text):
            return None
        rule = next((rule for rule in RULES if rule.pattern.match(text)), None)
        if rule is None:
            continue
        if HYPOTHETICAL.match(text) and rule.kind != "instruction":
            return None
        if rule.kind in ("fact", "preference", "identity") and rule.salience < 0.9 and FAILING.search(text):
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


def _project_bound(content: str) -> bool:
    return PROJECT.search(content) is not None or TEAM.search(content) is not None
