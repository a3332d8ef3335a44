"""What a captured statement meets in the store: the same fact, what it corrects, what it contradicts (CD24, CD25, D69).

    same fact       an entry of the same audience and project says it in these or other words -> merged into it
    correction      the wording says that something is no longer so -> what it corrects is superseded, history kept
    contradiction   another value for what has one only, or the opposite -> both are kept, the newer names the older
    late            what was corrected or restated since it was said -> it joins the history, nothing becomes current

Found by keys (stores/keys.py), so that the cost does not grow with the store.  Explicit stores are never compared
here: they merge when they are equal (D69), and no correction touches them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..capture.lazy import lazy
from .entry import CAPTURED_KINDS, EXACT_KINDS, Entry, entry_fact_key, is_copy, is_current, is_version, said_at
from .keys import MOST, key_of, old_value, slot_key, statement_of, value_key
from .ops import BUILTIN
from .txn import Txn

EXPLICIT = ("cog-tool-", "rule-", "taboo-")
"""How the refs of explicit stores begin (START.md, D53)."""

RECENT = 40
"""Statements that "it's X now" may speak of: the last ones of its session, among so many of the store."""

_USED = " use:"  # in the slots of what somebody uses, of its category
_POINTS_BACK = lazy(r"^(?:it|that|this|they) is\b")
_NAMED_AS_ONE = lazy(r"(?i)(?:\bis|'s|\bto|\bare)\s+(?:now\s+|actually\s+)?(?:an?|the)\s")


@dataclass
class Meeting:
    """equal     the entry it is merged into          corrects   refs that it supersedes
    disputes  ref that it contradicts              outdated   ref that has replaced it already
    """

    equal: Entry | None = None
    corrects: list[str] = field(default_factory=list)
    disputes: str = ""
    outdated: str = ""


def is_captured(entry: Entry) -> bool:
    """A statement found in a user's words, as opposed to an explicit store and to what consolidation writes."""
    return str(entry.get("kind")) in CAPTURED_KINDS and not str(entry.get("ref", "")).startswith(EXPLICIT)


def meet(txn: Txn, entry: Entry) -> Meeting:
    """What becomes of a new entry; nothing is changed."""
    if not entry.get("kind"):
        return Meeting()
    said = statement_of(entry)
    compared = is_captured(entry) and said.form is not None and is_current(entry) and not entry.get("conflict_with")
    if not compared:
        return Meeting(equal=_equal(txn, entry))
    same, past, rivals = _alike(txn, entry)
    met = Meeting(equal=same)
    if entry.get("supersedes"):
        return met
    if same is None and past is not None:
        newer = txn.get(str(past.get("superseded_by")))
        if newer is not None and said_at(newer) >= said_at(entry):
            return Meeting(equal=past)
    if entry.get("correction") is True:
        met.corrects = [each["ref"] for each in _corrected(txn, entry, rivals) if each is not same]
        if said.frame is not None and said.frame.single and same is None and not met.corrects:
            met.disputes = _first([each for each in _in_slot(txn, entry) if not is_captured(each)])
    elif same is None:
        if said.frame is not None and said.frame.single:
            rivals += [each for each in _in_slot(txn, entry) if _one_only(entry, each) and each not in rivals]
        later: list[Entry] = []
        if said_at(entry) < txn.newest():
            later = [each for each in rivals + _waiting_for(txn, entry) if each.get("correction") is True]
            later = [each for each in later if said_at(each) > said_at(entry)]
        if later:
            met.outdated = later[0]["ref"]
        else:
            met.disputes = _first(rivals)
    return met


def said_alike(txn: Txn, entry: Entry) -> list[str]:
    """The refs of captured entries, current or replaced, that say the same in other words."""
    key = key_of("alike", entry)
    said = statement_of(entry)
    found = _entries(txn, txn.keyed("alike", key) if key is not None else [], entry)
    return [str(each["ref"]) for each in found if is_captured(each) and said.same(statement_of(each))]


def _equal(txn: Txn, entry: Entry) -> Entry | None:
    """A current entry, under another ref, with the same words (D55.2)."""
    for ref in txn.all_by_fact_key(entry_fact_key(entry)):
        other = txn.get(ref)
        if other is not None and ref != entry["ref"] and _mergeable(other, entry):
            return other
    return None


def _mergeable(other: Entry, entry: Entry) -> bool:
    return other.get("kind") == entry["kind"] or not ({entry["kind"], str(other.get("kind"))} & EXACT_KINDS)


def _alike(txn: Txn, entry: Entry) -> tuple[Entry | None, Entry | None, list[Entry]]:
    """(a current entry that says the same, a replaced one that did, current ones that say the opposite)."""
    said, key = statement_of(entry), key_of("alike", entry)
    same: Entry | None = None
    past: Entry | None = None
    denied: list[Entry] = []
    if key is None:
        return None, None, []
    for other in _entries(txn, txn.keyed("alike", key), entry):
        if not _mergeable(other, entry):
            continue
        statement = statement_of(other)
        if said.same(statement):
            if is_current(other):
                same = other if same is None or same.get("conflict_with") else same
            elif other.get("superseded_by") != BUILTIN and (past is None or said_at(other) >= said_at(past)):
                past = other
        elif is_current(other) and is_captured(other) and said.denies(statement):
            denied.append(other)
    return same, past, denied


def _entries(txn: Txn, refs: list[str], entry: Entry) -> Iterator[Entry]:
    """The entries of these refs, without the one itself, old versions, and other versions of one ref."""
    for ref in refs:
        other = txn.get(ref)
        if other is not None and ref != entry["ref"] and not is_version(other) and not is_copy(other):
            yield other


def _in_slot(txn: Txn, entry: Entry) -> list[Entry]:
    """Current entries that give another value for the same thing."""
    slot = statement_of(entry).slot
    if slot is None:
        return []
    refs = txn.keyed("slot", slot_key(entry, slot.name))
    found = _entries(txn, refs if len(refs) < MOST else [], entry)
    return [each for each in found if is_current(each) and _mergeable(each, entry) and _differs(entry, each)]


def _differs(entry: Entry, other: Entry) -> bool:
    from ..likeness.slots import comparable

    one, two = statement_of(entry).slot, statement_of(other).slot
    return one is not None and two is not None and comparable(one.value, two.value)


def _one_only(entry: Entry, other: Entry) -> bool:
    """Both values cannot hold."""
    from ..likeness.slots import category

    one, two = statement_of(entry).slot, statement_of(other).slot
    if one is None or two is None:
        return False
    if _USED in one.name and category(one.value) == category(two.value):
        return one.single or two.single  # `our database is X` beside `we use Y`
    return one.single and two.single


def _waiting_for(txn: Txn, entry: Entry) -> list[Entry]:
    """Corrections of this statement that were here before it: by slot, and by the value that they set aside."""
    slot = statement_of(entry).slot
    if slot is None:
        return []
    refs = txn.keyed("old", value_key(entry, slot.value)) + txn.keyed("old", slot_key(entry, slot.name))
    found = [each for each in _entries(txn, refs, entry) if is_current(each) and _of_one_kind(each, entry)]
    return [each for each in found if _differs(entry, each)]


# ── corrections ──


def _corrected(txn: Txn, entry: Entry, denied: list[Entry]) -> list[Entry]:
    """What a correction replaces: what it names, what stands in its slot, what it denies, what it points back to."""
    targets = [each for each in denied if said_at(each) <= said_at(entry)]
    for found in (_named, _replaced, _pointed_at):
        if targets:
            break
        targets = [each for each in found(txn, entry) if is_captured(each) and said_at(each) <= said_at(entry)]
    return targets


def _named(txn: Txn, entry: Entry) -> list[Entry]:
    """Entries that give the old value which the correction names."""
    old = old_value(entry)
    if not old:
        return []
    from ..likeness.slots import within

    refs = txn.keyed("value", value_key(entry, old))
    found = [each for each in _entries(txn, refs, entry) if is_current(each) and _mergeable(each, entry)]
    slot = statement_of(entry).slot
    if slot is not None:
        found += [each for each in _in_slot(txn, entry) if each not in found and within(old, _value(each))]
        exact = [each for each in found if _slot_name(each) == slot.name]
        found = exact or [each for each in found if _of_one_kind(entry, each)]
    else:
        form = statement_of(entry).form
        who = form.main[:1] if form is not None else ()
        found = [each for each in found if (other := statement_of(each).form) is not None and other.main[:1] == who]
    return found if len({_slot_name(each) for each in found}) == 1 else []


def _of_one_kind(one: Entry, other: Entry) -> bool:
    """`we use: continuous integration` and the same `for` something: what is used, by whom, as what."""
    first, second = _slot_name(one).split("|")[0], _slot_name(other).split("|")[0]
    return first == second or first.split(":")[0] == second.split(":")[0] != ""


def _replaced(txn: Txn, entry: Entry) -> list[Entry]:
    """What stands in the correction's slot: all of it where there is one value only, else the one that fits."""
    slot = statement_of(entry).slot
    if slot is None:
        return []
    from ..likeness.slots import category, measure

    found = _in_slot(txn, entry)
    if _USED in slot.name and _given_already(txn, entry):
        return []  # several are in use
    if slot.single:
        return found
    head = slot.value.split(" ")[0]
    closest = [each for each in found if _value(each).split(" ")[0] == head]
    kind = category(slot.value)
    for chosen in (
        closest,
        [each for each in found if kind and category(_value(each)) == kind],
        [each for each in found if measure(_value(each)) == measure(slot.value) != ""],
        [each for each in found if _noun(each) and _noun(entry)],
        found if slot.name.endswith((" name is", " live", " work")) else [],
    ):
        if chosen:
            return chosen if len({_value(each) for each in chosen}) == 1 else []
    return []


def _pointed_at(txn: Txn, entry: Entry) -> list[Entry]:
    """`it's X now`: of the session's last statements the only one that gives a value of X's kind.

    Capture resolves a value alone where it was said, and keeps none that it cannot (capture/answered.py).
    """
    form = statement_of(entry).form
    if form is None or _POINTS_BACK.match(form.key) is None:
        return []
    from ..likeness.slots import category, measure, within

    value = " ".join(form.main[2:]) or " ".join(form.parts[0][1:] if form.parts else ())
    if measure(value) in ("clock", "date"):
        return []  # it may be the present one; what it answers is known where it was said (capture/answered.py)
    session = _session(entry)
    recent = [
        each
        for each in _entries(txn, [each["ref"] for each in txn.latest(RECENT)], entry)
        if _session(each) == session
        and is_current(each)
        and is_captured(each)
        and each.get("audience") == entry.get("audience")
        and statement_of(each).slot is not None
        and not within(value, _value(each))
    ]
    words, kind = set(value.split()), category(value)
    for fits in (
        lambda each: words & set(_value(each).split()),
        lambda each: kind and category(_value(each)) == kind,
        lambda each: measure(value) == measure(_value(each)) != "",
    ):
        if chosen := [each for each in recent if fits(each)]:
            return chosen if len(chosen) == 1 else []  # two could be meant
    return []


def _slot_name(entry: Entry) -> str:
    slot = statement_of(entry).slot
    return "" if slot is None else slot.name


def _value(entry: Entry) -> str:
    slot = statement_of(entry).slot
    return "" if slot is None else slot.value


def _given_already(txn: Txn, entry: Entry) -> bool:
    """The value of a correction stands in its slot already."""
    slot = statement_of(entry).slot
    refs = txn.keyed("slot", slot_key(entry, slot.name)) if slot is not None else []
    return any(_value(each) == _value(entry) and is_current(each) for each in _entries(txn, refs, entry))


def _noun(entry: Entry) -> bool:
    """`is an owl`, `is the owl`: says what something is, not how."""
    return _NAMED_AS_ONE.search(str(entry.get("content", ""))) is not None


def _session(entry: Entry) -> object:
    provenance = entry.get("provenance")
    return provenance.get("source_session") if isinstance(provenance, dict) else None


def _first(entries: list[Entry]) -> str:
    """The ref of the side that a conflict is laid against: the one that names none itself."""
    for entry in entries:
        if not entry.get("conflict_with"):
            return str(entry["ref"])
    return str(entries[0]["conflict_with"]) if entries else ""
