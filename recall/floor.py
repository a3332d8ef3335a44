"""The floor of always-on facts: what holds for every answer, whatever is asked (CD80).

    pinned entries             with every question, once in a context (not counted here: a pin is the user's own word)
    the user's name            at most 2 entries of kind identity
    the user's rules           every entry of kind rule or taboo: the user's own words (D70)
    standing instructions      those about the answers themselves (language, length, tone, form of address), and those
                               that the user has given more than once

An instruction about a subject ("always run clippy before a commit") is no floor: it is told when the subject comes up.
The floor comes once in a context, with the first message that is a real request, of at least four words (two characters
of an unspaced script count as one): `好的`, `检查一下网络` and `xqzv wplk` never bring it (B040, P34).  Nothing of the
kind in the store: nothing.
"""

import itertools
import re
import unicodedata
from collections.abc import Sequence

from .. import budget
from ..budget import rank_key
from ..capture.lazy import lazy, literals
from ..stores.entry import Entry
from .delta import Delta
from .index import text_of
from .rank import finite

# ── every number of the floor, with its unit ──
FLOOR_TOKENS = 240  # of the whole floor, inside the size of the recall it comes with
FLOOR_ENTRIES = 6
LINE = 80  # tokens of one of them
FLOOR_NAMES = 2  # of them
REQUEST_WORDS = 4  # that make a message a request
REPEATED = 2  # statements of an instruction from which on it holds for everything
_RULES = ("rule", "taboo")  # hold always, and come before instructions
KINDS = ("identity", *_RULES, "instruction")

_NAME_TEXT = (
    r"\bmy (?:full |first |given |nick|user ?)?name(?:'s| is)\b(?! on\b| in\b| not\b)|\bi(?:'m| am) called\b"
    r"|\bcall me (?!at\b|back\b|before\b|after\b|if\b|when\b|later\b|on\b|tomorrow\b)"
    r"|\bmein name ist\b|\bich hei(?:ß|ss)e\b|\bme llamo\b|\bmi nombre es\b|\bje m'appelle\b|\bmon (?:pré)?nom est\b"
    r"|\bme chamo\b|\bmeu nome (?:é|e)\b|\bmi chiamo\b|\bik heet\b|\bменя зовут\b|我叫|我的名字|名前は|이름은|이름이"
)
_NAME, _NAME_NEEDS = lazy(_NAME_TEXT), literals(_NAME_TEXT)
_ANSWERS = lazy(
    r"\b(?:answers?|answering|repl(?:y|ies)|replying|respond|your responses?|speak|talk to me|address me|refer to me"
    r"|emojis?|emoticons|apologi[sz]e|apologies|explain (?:your|things|everything)|your (?:tone|style|language)"
    r"|metric units|imperial units|bullet points|small talk|flattery|disclaimers?|(?:with|to) me in)\b"
    r"|\bantwort\w*|\bsprich\b|\bduze\b|\bsieze\b|\bnenn(?:e)? mich\b|\brespond[ea]\w*|\bcontesta\w*|\bhabla(?:me)?\b"
    r"|\bllámame\b|\bréponds?\b|\bparle(?:-moi)?\b|\btutoie|\bvouvoie|\bappelle-moi\b|\bfal[ae]\b|\brispondi\b|\bparla(?:mi)?\b"
    r"|\bотвечай\w*|\bговори\w*|\bназывай\b|回答|回复|答复|称呼|叫我|说中文|用中文|答えて|返答|話して|呼んで|답변|대답|한국어로|불러"
)


def is_request(text: str) -> bool:
    """True for a message of at least four words."""
    words, letters = 0, 0
    for word in re.findall(r"\w+", text[:2000]):
        wide = sum(unicodedata.east_asian_width(char) == "W" and char.isalpha() for char in word)
        letters += wide
        words += wide < len(word)
    return words + letters // 2 >= REQUEST_WORDS


def always_on(entries: Sequence[Entry]) -> list[Entry]:
    """Of the entries of these KINDS those that belong to the floor, best first, at most six."""
    ordered = sorted(entries, key=rank_key)
    names = itertools.islice((entry for entry in ordered if _names(_words(entry))), FLOOR_NAMES)
    rules = (entry for entry in ordered if text_of(entry, "kind") in _RULES)
    told = (entry for entry in ordered if text_of(entry, "kind") == "instruction" and _holds_always(entry))
    chosen: dict[str, Entry] = {}
    for entry in itertools.chain(names, rules, told):  # of hundreds of entries few are looked at
        chosen[text_of(entry, "ref")] = entry
        if len(chosen) == FLOOR_ENTRIES:
            break
    return list(chosen.values())


def _holds_always(entry: Entry) -> bool:
    words = _words(entry)
    return finite(entry.get("seen")) >= REPEATED or bool(_ANSWERS.search(words)) or _names(words)


def _names(words: str) -> bool:
    """Whether these words say how the user is called; most hold none of what it takes, of hundreds of entries."""
    return any(one in words for one in _NAME_NEEDS) and bool(_NAME.search(words))


def _words(entry: Entry) -> str:
    return text_of(entry, "content")[:400].casefold().replace("’", "'")


def beside(lasting: list[Entry], delta: Delta, lines: list[str], tail: list[str], room: int) -> list[tuple[Entry, str]]:
    """The entries of the floor that the context lacks, with their lines, as far as floor and recall have room."""
    found: list[tuple[Entry, str]] = []
    news, notes = delta.news(lasting)
    for entry in news:
        opening = f"- [{budget.shown_ref(entry.get('ref'))}] "
        line = budget.shorten_entry(entry, LINE, note=notes.get(text_of(entry, "ref"), ""))
        if not line or any(other.startswith(opening) for other in lines):
            continue
        added = [*(before for _, before in found), line]
        whole = "\n".join([budget.HEADING, *lines, *added, *tail])
        if budget.estimate_tokens("\n".join(added)) > FLOOR_TOKENS or budget.estimate_tokens(whole) > room:
            break
        found.append((entry, line))
    return found
