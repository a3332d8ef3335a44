"""A finished turn as the observe routes take it (memoria-plugin.md 2.2, 2.7; M34, M38, M39).

The caller has cleaned and redacted both texts and has found the ids that the turn saved explicitly; here they become
the payload that is queued, and sent unchanged, with the fingerprint by which the turn is known again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..stores.entry import digest, scrub
from .api import fitting_session
from .limits import EXCLUDE_MAX
from .screen import on_the_wire


@dataclass(frozen=True)
class Turn:
    """What is queued.

    fingerprint  the row's id: digest of binding, payload and history (M38)
    pair         by it an undo finds what it has to cancel
    """

    fingerprint: str
    pair: str
    payload: dict[str, Any]


def turn_of(
    user: str,
    assistant: str,
    *,
    binding: str,
    subject: str,
    session_id: str,
    branch: str,
    exclude: Sequence[str] = (),
    history: str = "",
    pair: str = "",
) -> Turn:
    """The pair as plain strings, which is all that the server reads of a message (3.12).

    exclude  ids saved in this turn, oldest first; of more than 100 the newest go (MI13)
    history  digest of the cleaned texts of the turns so far; "" = none is known, and the pair stands for it
    pair     digest of what was said, where that is not what leaves; "" = of the two texts
    """
    user, assistant = on_the_wire(scrub(user)), on_the_wire(scrub(assistant))
    messages = [{"role": "user", "content": user}]
    messages += [{"role": "assistant", "content": assistant}] if assistant else []
    payload: dict[str, Any] = {
        "messages": messages,
        "subject_id": subject,
        "session_id": fitting_session(session_id),
        "branch": branch,
    }
    if ids := list(dict.fromkeys(exclude))[-EXCLUDE_MAX:]:
        payload["exclude_memory_ids"] = ids
    pair = pair or pair_digest(user, assistant)
    return Turn(digest([binding, payload, history or pair]), pair, payload)


def pair_digest(user: str, assistant: str) -> str:
    """By what a turn's two texts, or the fingerprints of them, are known without the texts."""
    return digest([on_the_wire(scrub(user)), on_the_wire(scrub(assistant))])
