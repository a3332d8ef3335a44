"""What a recall or search may see, and what narrows it down: small questions about one entry."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from ..stores.entry import Entry
from ..stores.view import View
from ..telling.lines import who_said
from .analyse import Term
from .episodes import day_number
from .index import Filter, text_of
from .kin import kin_of
from .rank import created_at
from .weights import ENTRY_WEIGHTS

KIN_EACH = 8  # related words of one term

_ABOUT_ME = re.compile(
    r"\bwho am i\b|\b(?:know|remember|learn(?:ed|t)?|recall|have|stored?|saved?)\b[^.?!]{0,24}\babout (?:me|us)\b"
    r"|\bwhat do you (?:remember|know)\b\W*$|\bwer bin ich\b|\b(?:weisst|erinnerst)\b[^.?!]{0,24}\bmich\b"
    r"|\bsabes (?:de|sobre) m[ií]\b|\bqui[ée]n soy\b|\bsais(?:-tu)? (?:de|sur) moi\b|\bqui suis-je\b"
    r"|\bsabe sobre mim\b|\bquem sou eu\b|关于我|我是谁|记得我|了解我|私について|私は誰|나에 대해"
)
PORTRAIT = ("identity", "rule", "taboo", "preference", "instruction", "fact", "decision")


def asks_about_user(query: str) -> bool:
    """True for a question about what is known of the one who asks."""
    return bool(_ABOUT_ME.search(query.casefold()))


def narrowed(
    keep: Callable[[Entry], bool] | None,
    *,
    since: float | None,
    until: float | None,
    author: str,
    session: str,
    kind: Collection[str] | None,
) -> Callable[[Entry], bool]:
    """Whether an entry, or a message in an entry's form, is meant by the filters of a search."""

    def meant(entry: Entry) -> bool:
        at = created_at(entry)
        return (
            (since is None or at >= since)
            and (until is None or at <= until)
            and (not author or author.casefold() in _author_of(entry).casefold())
            and (not session or _session_of(entry) == session)
            and (kind is None or text_of(entry, "kind") in kind or text_of(entry, "kind") == "message")
            and (keep is None or keep(entry))
        )

    return meant


def with_kin(terms: Sequence[Term]) -> tuple[Term, ...]:
    """The terms of a question and a few related words of each, to find candidates by."""
    own = {term.text for term in terms}
    kin = dict.fromkeys(word for term in terms for word in kin_of(term.text)[:KIN_EACH] if word not in own)
    return (*terms, *(Term(word, ENTRY_WEIGHTS.kin) for word in kin))


def filter_of(audience: str, project: str, repo: str | None) -> Filter:
    return Filter(audience, (project, "") if project else None, repo)


def distance(entry: Entry, project: str) -> int:
    """0 for the session's own project, 1 for project-free entries, 2 for other projects (Decision 11)."""
    own = text_of(entry, "project")
    return 1 if not own else 0 if own == project else 2


def still(entries: list[Entry], view: View, where: Filter) -> list[Entry]:
    """The entries as they are in `view`, without those that have left it."""
    now = (view.get(text_of(entry, "ref")) for entry in entries)
    return [entry for entry in now if entry is not None and where.allows(entry)]


def _author_of(entry: Entry) -> str:
    provenance = entry.get("provenance")
    if not isinstance(provenance, Mapping):
        return ""
    return str(who_said(provenance) or "")


def _session_of(entry: Entry) -> str:
    provenance = entry.get("provenance")
    return text_of(provenance, "source_session") if isinstance(provenance, Mapping) else ""


def days_of(since: float | None, until: float | None) -> tuple[int, int] | None:
    if since is None and until is None:
        return None
    return (day_number(since) if since is not None else 0, day_number(until) if until is not None else 9_999_999)
