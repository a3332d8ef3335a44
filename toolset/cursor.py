"""Cursors of memoria_profile: opaque, bound to one audience, and always good for going on (M32, MA34).

A cursor holds the place of the last record shown, not its number: records that come, go or change meanwhile neither
hide nor repeat another one.
"""

import base64
import json

from ..stores.entry import digest
from .arguments import BadArgument

Place = tuple[float, int, str]  # order_key of an entry
_VERSION = 1
_MOST = 4_000  # characters of a value that is looked at


def made(after: Place, audience: str) -> str:
    """The cursor that goes on right after `after`."""
    body = [_VERSION, *after]
    return base64.urlsafe_b64encode(json.dumps([*body, _mark(body, audience)]).encode()).decode().rstrip("=")


def place(cursor: object, audience: str) -> Place:
    """Where to go on.  Raises BadArgument for everything that `made` has not given to this audience."""
    wrong = BadArgument("invalid_cursor", "cursor is not one that memoria_profile gave: leave it out to begin anew.")
    if not isinstance(cursor, str) or len(cursor) > _MOST:
        raise wrong
    said = cursor.strip()
    try:
        version, at, number, ref, mark = json.loads(base64.urlsafe_b64decode(said + "=" * (-len(said) % 4)))
        body = [version, at, number, ref]
        if version != _VERSION or mark != _mark(body, audience) or not isinstance(ref, str):
            raise wrong
        return float(at), int(number), ref
    except (ValueError, TypeError, RecursionError):
        raise wrong from None


def _mark(body: list[object], audience: str) -> str:
    return digest([*body, audience])[:16]
