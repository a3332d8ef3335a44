"""Durable statements in a message: sentence by sentence, the clause that states the fact (cognition.md 3.2 and 5).

Accepted: identity, preference, prohibition, decision, project fact, standing instruction, correction.  Rejected:
questions, hypotheticals, quoted or pasted text, code, one-off requests, complaints about the task in hand, and what is
said about or by others.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re
from dataclasses import dataclass

from .patterns import (
    FAILING,
    FILLER,
    HYPOTHETICAL,
    KEY_STATEMENT,
    LEAD,
    PASSING_TALK,
    PASSWORD_TALK,
    PROJECT,
    QUESTION_CJK,
    QUESTION_START,
    REPORT,
    RULES,
    SECRET_TALK,
    STANDING_REQUEST,
    TAIL,
    TEAM,
    UNREAL,
    Rule,
)
from .redact import holds_secret
from .sentences import CAP, mask_quotes, sentences

_LEAST = 6  # characters of a statement that can mean anything by itself
_CLAUSE = re.compile(
    r"(?:[,;:–—]\s+|\s+-\s+|\.\.\.\s+)(?:(?:but|and|so|because|since|as|although|though|also|anyway|well)\s+)?|\s+(?:but|because|since|so|and|although|though)\s+"
)
_SUBJECT = re.compile(
    r"(?:I|I'm|I've|I'd|i|i'm|i've|i'd|my|My|we|we're|we've|We|our|Our|always|never|please always|please never|from now on|remember)\b"
)
_STRONG = re.compile(
    r"\b(?:always|never|must|under no circumstances|absolutely|strongly|hate|allergic)\b", re.IGNORECASE
)


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
    cut = None if STANDING_REQUEST.match(masked) else TAIL.search(masked)
    # A tail that takes the whole statement with it is the statement.
    if cut and cut.start() >= _LEAST:
        body, masked = body[: cut.start()].rstrip(" ,;:–—-"), masked[: cut.start()].rstrip(" ,;:–—-")
    start, rule = _matching(masked)
    if rule is None:
        return _named_key(body)
    content = body[start:].strip()
    if _secretive(content) and not _may_name_secret(content, rule):
        return None
    content = content[:1].upper() + content[1:] if start else content
    strong = 0.05 if _STRONG.search(content) else 0.0
    return Fact(content[: CAP + 50], rule.kind, min(1.0, round(rule.salience + strong, 2)), _project_bound(content))


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
        or QUESTION_START.match(masked) is not None
        or QUESTION_CJK.search(masked) is not None
    )


def _named_key(body: str) -> Fact | None:
    """`deploy key is ...`: that a key exists is a fact, and its value will be masked; a pass word is none (CX11)."""
    if KEY_STATEMENT.match(body) and not PASSWORD_TALK.search(body) and not _is_question(body) and _secretive(body):
        return Fact(body[:CAP], "fact", 0.4, False)
    return None


def _secretive(content: str) -> bool:
    """True for a sentence with a secret in it, and for one whose secret has been masked before."""
    return "[REDACTED " in content or holds_secret(content)


def _may_name_secret(content: str, rule: Rule) -> bool:
    if SECRET_TALK.search(content):
        return True
    return rule.kind == "fact" and not PASSWORD_TALK.search(content)


def _project_bound(content: str) -> bool:
    return PROJECT.search(content) is not None or TEAM.search(content) is not None
