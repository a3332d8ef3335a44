"""Statements in a language that has a table in `lang`: which one it is, and the clause that states something."""

from .lang import LANGUAGES
from .rule import Language, Rule, words
from .sentences import mask_quotes

_LEAST = 4  # characters; a Chinese statement is that short
_LOOKED_AT = 24  # words at a sentence's beginning that tell its language
_CLAUSES = 12  # of one sentence that are tried
_STRIP = ".,;:!?¿¡\"'()«»„“”"
_NONE: frozenset[str] = frozenset()  # the tables of `lang` have no rules with needs
# Small words of English: a sentence with more of them than of another language's is left to the English tables.
_ENGLISH = words(
    "the is are was my i i'm we we're you your it it's this that and or of to"
    " with for not don't please always never have has do does from be by at what how can"
)


def spoken_in(sentence: str) -> tuple[Language, ...]:
    """The languages whose tables may have something to say about `sentence`, the likeliest first; often none."""
    plain = sentence.isascii()
    said = {word.strip(_STRIP) for word in sentence[:400].lower().split()[:_LOOKED_AT]}
    floor = max(1, len(said & _ENGLISH))
    found = []
    for place, language in enumerate(LANGUAGES):
        if language.script is not None:
            if not plain and language.script.search(sentence):
                found.append((-99, place, language))
        elif (hits := len(said & language.words)) >= floor:
            found.append((-hits, place, language))
    return tuple(language for _, _, language in sorted(found, key=lambda one: one[:2]))


def statement(sentence: str, language: Language) -> tuple[str, Rule] | None:
    """The clause of `sentence` that states something durable in `language`, and the rule that it meets."""
    body = sentence.strip(" \t*_#")
    masked = mask_quotes(body)
    if (cut := language.tail.search(masked)) and cut.start() >= _LEAST:
        body, masked = body[: cut.start()].rstrip(" ,;:，、"), masked[: cut.start()].rstrip(" ,;:，、")
    if len(body) < _LEAST or masked.rstrip("\"')”»").endswith(("?", "？")) or language.unreal.match(masked):
        return None
    if language.script is not None and language.report.search(masked):
        return None
    for start in _starts(masked, language):
        if start and (language.report.search(masked[:start]) or language.question.match(masked[:start])):
            return None
        clause = masked[start:]
        rule = _rule_at(clause, language)
        if rule is not None:
            return body[start if start not in _led(masked, language) else 0 :].strip(), rule
        if language.question.match(clause) and not start:
            return None
    return None


def _led(masked: str, language: Language) -> list[int]:
    """Where the clause begins behind each opening that belongs to the statement."""
    places, at = [], 0
    for _ in range(3):
        lead = language.lead.match(masked, at)
        if lead is None or lead.end() == at:
            break
        at = lead.end()
        places.append(at)
    return places


def _starts(masked: str, language: Language) -> list[int]:
    clauses = [cut.end() for cut in language.clause.finditer(masked)][:_CLAUSES]
    return list(dict.fromkeys([0, *_led(masked, language), *clauses]))


def _rule_at(clause: str, language: Language) -> Rule | None:
    if language.question.match(clause) or language.unreal.match(clause):
        return None
    rule = language.rules.first(clause, _NONE)
    if rule is None or rule.kind in ("instruction", "decision") or rule.salience >= 0.9:
        return rule
    return None if language.passing.search(clause) else rule
