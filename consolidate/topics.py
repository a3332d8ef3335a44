"""Where a conversation turns to something else: found without a model (HI13).

    another audience or project         always a cut: a summary belongs to one scope
    other words                         three turns before and three after share next to none
    half an hour of silence             and few words in common
    four hours of silence               whatever is said

A cut comes only where enough has been said before it to be worth a summary of its own.
"""

from collections.abc import Sequence

from ..budget import gate_tokens as estimate
from ..chatlog import Message
from ..recall.analyse import index_terms, term_weight

WINDOW = 3  # turns on each side that are compared
LEAST_TURNS = 2  # before a cut
LEAST_TERMS = 12  # of the smaller side: fewer say nothing
SHIFTED, DRIFTED = 0.06, 0.2  # share of the smaller side's terms that both have: below it is another topic
PAUSE_S, LONG_PAUSE_S = 1800.0, 4 * 3600.0
READ_CHARS = 4000  # of one turn


def cut(messages: Sequence[Message], stop: int, least: int) -> int:
    """The ordinal before which the first topic of `messages` ends; `stop` when they are about one thing.

    messages  live ones, in order          least  estimated tokens before a cut
    """
    turns = _turns(messages)
    terms = [_terms(turn) for turn in turns]
    told = 0
    for at in range(1, len(turns)):
        before, after = turns[at - 1][-1], turns[at][0]
        told += sum(estimate(message.text) for message in turns[at - 1])
        if (before.audience, before.project) != (after.audience, after.project):
            return after.n
        if at < LEAST_TURNS or told < least:
            continue
        pause = after.sent_at - before.sent_at
        if pause >= LONG_PAUSE_S:
            return after.n
        shared = _shared(terms[max(0, at - WINDOW) : at], terms[at : at + WINDOW])
        if shared is not None and shared < (DRIFTED if pause >= PAUSE_S else SHIFTED):
            return after.n
    return stop


def _turns(messages: Sequence[Message]) -> list[list[Message]]:
    """Each from a user's message to the next; a change of scope begins one too."""
    turns: list[list[Message]] = []
    for message in messages:
        last = turns[-1][-1] if turns else None
        moved = last is not None and (last.audience, last.project) != (message.audience, message.project)
        if last is None or moved or (message.role == "user" and last.role != "user"):
            turns.append([message])
        else:
            turns[-1].append(message)
    return turns


def _terms(turn: Sequence[Message]) -> frozenset[str]:
    found = {term for message in turn for term in index_terms(message.text[:READ_CHARS])}
    return frozenset(term for term in found if term_weight(term) >= 1.0)  # small and generic words stand in every topic


def _shared(before: Sequence[frozenset[str]], after: Sequence[frozenset[str]]) -> float | None:
    """The share of the smaller side's terms that both have; None when one of them says too little."""
    ours, theirs = frozenset().union(*before), frozenset().union(*after)
    smaller = min(len(ours), len(theirs))
    return len(ours & theirs) / smaller if smaller >= LEAST_TERMS else None
