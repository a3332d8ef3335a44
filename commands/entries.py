"""Looking at entries: search, list, show, dream.  Nothing is changed, and where there is nothing no file is made.

With `backend: memoria` what is there is shown beside what is here, each once; this machine's form wins (D37).
"""

import difflib
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..audience import OWNER
from ..lookup import audience_of
from ..provenance import read_archive
from ..stores import ops
from ..stores.entry import CAPTURED_KINDS, EXACT_KINDS, Entry, is_conflict, is_current, order_key
from ..telling.values import provenance_of
from ..toolset.far import joined
from ..toolset.far import unknown as unknown_here
from . import messages, words
from .answer import Answer, Line, Pairs, Part, Refused, Table
from .far import Far
from .home import Home
from .screen import one_line, visible
from .words import brief

if TYPE_CHECKING:
    from ..recall.engine import Hit

EVERYBODY = "all"
NOTHING = "Nothing is remembered here yet."
NEAREST = 3


def search(home: Home, args: Namespace) -> Answer:
    """The best hits, as recall would rank them."""
    query = " ".join(args.words).strip()
    if not query:
        raise Refused("usage", "the query is empty", "give the words to look for")
    view = home.view()
    others = _audiences(list(view.current()) if view is not None else [])
    spoken = messages.audiences(home)
    far = Far(home)
    audiences = _whose(far, {*others, *spoken}, args)
    found, total = [], 0
    most = min(50, args.limit)
    here = view is not None or home.has_log
    own = None if args.project is None else lambda entry: str(entry.get("project") or "") == args.project
    if here:
        home.runtime.refresh()
    for audience in audiences:
        hits: list[Hit] = []
        number = 0
        if here:
            hits, number = home.runtime.engine.search(
                query, audience=audience, project=args.project or "", repo=args.repo, top_k=most, keep=own
            )
        brought = [pair for pair in far.search(query, audience, most) if _meant(pair[0], args)]
        hits, number = joined(hits, number, brought, most)
        found += hits
        total += number
    if len(audiences) > 1:
        found.sort(key=lambda hit: (hit.band != "strong", -hit.score))
    found = found[:most]
    data: dict[str, Any] = {
        "results": [{**brief(hit.entry), "score": round(hit.score, 4), "band": hit.band} for hit in found],
        "count": len(found),
        "total": total,
        "other_audiences": _others(others, audiences),
        "other_messages": _others(Counter(spoken), audiences),
        **far.data(),
    }
    rows = [
        (str(hit.entry.get("ref")), f"{hit.score:.2f}", _day(hit.entry), _words(hit.entry, audiences)) for hit in found
    ]
    parts: list[Part] = [Table(("ref", "score", "date", "text"), rows)] if rows else [Line("Nothing matches.")]
    if total > len(found):
        parts.append(Line(f"{total - len(found)} more match; --limit shows up to 50.", "quiet"))
    return Answer(data, parts + far.parts() + _rest(data["other_audiences"], data["other_messages"]))


def listing(home: Home, args: Namespace) -> Answer:
    """Entries, newest first."""
    every = list(_all(home))
    current = [entry for entry in every if is_current(entry)]
    others = _audiences(current)
    far = Far(home)
    audiences = _whose(far, others, args)
    brought = [
        entry for audience in audiences for entry in far.newest(audience, args.limit, lambda one: _listed(one, args))
    ]
    near = [entry for entry in (every if args.replaced else current) if audience_of(entry) in audiences]
    chosen = [entry for entry in near if _listed(entry, args)] + unknown_here(brought, near)
    if not chosen and args.kind is not None and not far.error:
        known = {"note", *CAPTURED_KINDS, *EXACT_KINDS, *(str(entry.get("kind") or "fact") for entry in every)}
        if args.kind not in known:
            raise Refused("usage", f"there is no kind {visible(args.kind)}", f"the kinds: {', '.join(sorted(known))}")
    chosen.sort(key=order_key, reverse=True)
    shown = chosen[: args.limit]
    data: dict[str, Any] = {
        "entries": [brief(entry) for entry in shown],
        "count": len(shown),
        "total": len(chosen),
        "other_audiences": _others(others, audiences),
        **far.data(),
    }
    rows = [
        (str(entry.get("ref")), _day(entry), str(entry.get("kind") or "fact"), _words(entry, audiences))
        for entry in shown
    ]
    parts: list[Part] = []
    if rows:
        parts.append(Table(("ref", "date", "kind", "text"), rows))
    else:
        parts.append(Line("No entry is like that." if every or brought or far.error else NOTHING))
    if len(chosen) > len(shown):
        parts.append(Line(f"{words.entries(len(chosen) - len(shown))} more; --limit shows more.", "quiet"))
    return Answer(data, parts + far.parts() + _rest(data["other_audiences"]))


def show(home: Home, args: Namespace) -> Answer:
    """One entry with everything known about it, or messages of the log.

    Where the ref is no entry: the row, tombstone or archive record of it.
    """
    if messages.is_message(args.ref):
        return messages.show(home, args.ref)
    view = home.view()
    entry = view.get(args.ref) if view is not None else None
    if entry is None or view is None:
        return _elsewhere(home, args.ref)
    copies = [other for other in view.current() if other.get("conflict_with") == args.ref]
    return _shown(entry, "committed", ops.history(view, args.ref), copies)


def _shown(entry: Entry, state: str, history: list[Entry], copies: list[Entry]) -> Answer:
    data = {**brief(entry), "state": state, "entry": {**entry, "content": words.text_of(entry)}}
    data |= {"history": [brief(one) for one in history], "conflicts": [brief(one) for one in copies]}
    parts: list[Part] = [Line(visible(words.text_of(entry))), Pairs(_facts(entry))]
    for title, group in (("Earlier versions", history), ("Conflict copies", copies)):
        if group:
            rows = [(str(one.get("ref")), _day(one), one_line(words.text_of(one))) for one in group]
            parts += [Line(title, "title"), Table(("ref", "date", "text"), rows)]
    if copies or is_conflict(entry):
        ref = entry.get("ref") if is_conflict(entry) else copies[0].get("ref")
        parts.append(Line(f"To settle it: hermes cognition resolve {ref}", "quiet"))
    return Answer(data, parts)


def dream(home: Home, args: Namespace) -> Answer:
    """The digest of the tool cognition_dream."""
    from ..toolset.digest import digest
    from ..toolset.handlers import DIGESTED

    every = [{**entry, "content": words.text_of(entry)} for entry in _all(home)]
    others = _audiences([entry for entry in every if is_current(entry)])
    far = Far(home)
    audiences = _whose(far, others, args)
    mine = [entry for entry in every if audience_of(entry) in audiences]
    if args.repo is not None:
        mine = [entry for entry in mine if brief_repo(entry) == args.repo]
    meant = [each for whose in audiences for each in far.newest(whose, DIGESTED, lambda one: _meant(one, args))]
    chosen = sorted([*filter(is_current, mine), *unknown_here(meant, mine)], key=order_key)
    text = visible(digest(chosen, [entry for entry in mine if not is_current(entry)]))
    conflicts = sum(1 for entry in chosen if is_conflict(entry))
    rest = _others(others, audiences)
    data = {"digest": text, "committed": len(chosen), "conflicts": conflicts, "other_audiences": rest, **far.data()}
    return Answer(data, [Line(text), *far.parts(), *_rest(rest)])


def find(home: Home, ref: str) -> Entry:
    """The committed entry of exactly this ref.  Raises Refused with the nearest real ones."""
    view = home.view()
    entry = view.get(ref) if view is not None else None
    if entry is None:
        raise unknown(home, ref)
    return entry


def unknown(home: Home, ref: str, far: Far | None = None) -> Refused:
    """Nothing has this ref, as far as `far` has answered; what may have been meant."""
    every = {str(entry.get("ref")): entry for entry in _all(home)}
    inside = [known for known in every if ref and ref in known]
    near = list(dict.fromkeys([*inside[:NEAREST], *difflib.get_close_matches(ref, every, n=NEAREST, cutoff=0.6)]))
    nearest = [{**brief(every[known]), "content": one_line(brief(every[known])["content"])[:80]} for known in near]
    hint = "the nearest are:" if near else "hermes cognition list shows what there is"
    said = f"there is no entry {visible(ref)!s:.120}"
    said += f" on this machine. {far.said()}" if far is not None and far.error else ""
    return Refused("not_found", said, hint, nearest[:NEAREST])


def brief_repo(entry: Entry) -> str:
    return str(entry.get("repo") or provenance_of(entry).get("origin_repo") or "")


# -- parts -------------------------------------------------------------------------------------------------------------


def _all(home: Home) -> list[Entry]:
    view = home.view()
    return list(view.values()) if view is not None else []


def _whose(far: Far, known: Iterable[str], args: Namespace) -> list[str]:
    """The audiences that are meant; on Memoria the owner's is one, whether or not anything of it is here."""
    if args.audience != EVERYBODY:
        return [args.audience]
    return sorted({*known, *([OWNER] if far.on else [])}) or [OWNER]


def _meant(entry: Entry, args: Namespace) -> bool:
    """Whether it has the project and the label that were asked for."""
    project = getattr(args, "project", None)
    return (project is None or str(entry.get("project") or "") == project) and (
        args.repo is None or brief_repo(entry) == args.repo
    )


def _listed(entry: Entry, args: Namespace) -> bool:
    return (
        _meant(entry, args)
        and (args.kind is None or (entry.get("kind") or "fact") == args.kind)
        and (not args.pinned or entry.get("pinned") is True)
    )


def _audiences(current: list[Entry]) -> Counter[str]:
    return Counter(audience_of(entry) for entry in current)


def _others(every: Counter[str], shown: list[str]) -> dict[str, int]:
    return {name: number for name, number in sorted(every.items()) if name not in shown}


def _rest(others: dict[str, int], spoken: dict[str, int] | None = None) -> list[Part]:
    """How much of whom is not shown: entries, and messages where these were looked at."""
    spoken = spoken or {}
    named = sorted({*others, *spoken})
    if not named:
        return []
    counted = [words.entries(sum(others.values()))] if others else []
    counted += [words.count(sum(spoken.values()), "message")] if spoken else []
    whose = words.count(len(named), "other audience")
    said = f"{' and '.join(counted)} of {whose} not shown: --audience all, or one of {', '.join(named)}"
    return [Line(said, "quiet")]


def _day(entry: Entry) -> str:
    return words.day(provenance_of(entry).get("created_at"))


def _words(entry: Entry, audiences: list[str]) -> str:
    said = words.marks(entry)
    labels = [f"[{said}]"] if said else []
    labels += [f"({one_line(entry['project'])})"] if entry.get("project") else []
    labels += [f"<{one_line(audience_of(entry))}>"] if len(audiences) > 1 else []
    return " ".join([*labels, one_line(words.text_of(entry))])


def _facts(entry: Entry) -> list[tuple[str, str]]:
    provenance = provenance_of(entry)
    speaker = words.speaker_of(entry)
    if speaker != provenance.get("author"):
        speaker += f" (author {provenance.get('author')})"
    rows = [
        ("ref", entry.get("ref")),
        ("kind", entry.get("kind") or "fact"),
        ("marks", words.marks(entry)),
        ("audience", audience_of(entry)),
        ("project", entry.get("project")),
        ("label", brief_repo(entry)),
        ("said by", speaker),
        ("said", words.moment(provenance.get("created_at"))),
        ("on Memoria", entry.get("memory_id")),
        ("session", provenance.get("source_session")),
        ("trace", provenance.get("trace_id")),
        ("salience", entry.get("salience")),
        ("seen", f"{entry['seen']} times" if isinstance(entry.get("seen"), int) and entry["seen"] > 1 else ""),
        ("ratings", entry.get("ratings")),
    ]
    links = ("conflict_with", "supersedes", "superseded_by", "derived_from")
    rows += [(key.replace("_", " "), entry.get(key)) for key in links]
    return [(name, one_line(_flat(value))) for name, value in rows if value not in (None, "", [], {})]


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _elsewhere(home: Home, ref: str) -> Answer:
    """Not committed here: waiting, dropped, on Memoria, or archived."""
    from .waiting import row_answer

    found = row_answer(home, ref) if home.has_outbox else None
    if found is not None and found.data["state"] not in ("done", "discarded"):
        return found
    far = Far(home)
    entry, copies = far.one(ref, sorted({OWNER, *map(audience_of, _all(home))}))
    if entry is not None:
        return _shown(entry, "memoria", [], copies)
    records = read_archive(home.settings.path("archive.path"))[0]
    mine = [record for record in records if record.get("ref") == ref]
    if not mine:
        if found is not None:
            found.parts += far.parts()
            return found
        raise unknown(home, ref, far)
    last = mine[-1]
    entry = last.get("entry")
    data = {"ref": ref, "state": "archived", "reason": last.get("reason"), "archived_at": last.get("archived_at")}
    when = words.moment(last.get("archived_at"))
    if not isinstance(entry, dict):
        said = f"{visible(ref)} was archived {when} and purged later; its text is gone."
        return Answer({**data, "state": "purged"}, [Line(said)])
    reason = one_line(last.get("reason") or "no reason given")
    parts: list[Part] = [
        Line(f"Not in memory any more: archived {when} ({reason}).", "bad"),
        Line(visible(words.text_of(entry))),
        Pairs(_facts(entry)),
    ]
    return Answer({**brief(entry), **data}, parts)
