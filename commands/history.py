"""`backfill --history`: the host's transcripts from before this memory was set up, taken into the log (5.6, HA167)."""

from ..audience import OWNER
from .answer import Refused
from .home import Home


def bring_in(home: Home) -> int:
    """How many messages were new.  Sessions under way elsewhere, and unattended ones, are left alone.

    Only the log: what was said long ago becomes no fact by itself, summaries may be made of it.
    """
    from ..capture.recover import chain_of, is_unattended, standing
    from ..delivery import liveness
    from ..host_sessions import HostSessions
    from ..running.conversation import Scene
    from ..running.recovery import inherited_rows, place_in

    conversation, source = home.runtime.conversation, HostSessions(home.path)
    if not conversation.on:
        raise Refused("disabled", "the conversation log is off (capture.log)")
    found = source.activity(0)
    if found is None:
        raise Refused("deferred", "Hermes' own transcripts cannot be read now", "try again in a moment")
    claims = liveness.claims(home.outbox.database) if home.has_outbox else {}
    zone = home.host.time_zone if home.host is not None else (lambda: None)
    new = 0
    for activity in found:
        session = source.session(activity.session_id)
        if session is None or is_unattended(session):
            continue
        if any(claim.alive for claim in claims.get(activity.session_id, ())):
            continue
        place = place_in(session, home.settings["audiences.owner"])
        stored = source.rows(activity.session_id)
        if not place.audience or (not place.writes and place.audience != OWNER) or not stored:
            continue
        rows, chain = standing(stored), chain_of(session, source.session)
        speaker = place.speaker.record() if place.speaker else None
        known = {session.id: chain}
        scene = Scene(session.id, place.audience, place.project, speaker, home.mask(), known.get, zone)
        start = inherited_rows(source, chain.parent, rows) if chain.parent else 0
        new += conversation.catch_up(scene, rows, start=start)
    return new
