"""A secret that is given by an answer: `No, it's Winter2025 now`, behind a masked password.

Alone it is a word like any other; what stands before it says what it is.  Whether the value may be a secret is asked
of the rules for the plain sentence, as `my password is Winter2025`.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re
from collections.abc import Callable, Iterable
from itertools import islice

from .lazy import lazy

MASK = "[REDACTED "
_LONGEST = 240  # characters of an answer that are looked at, and of what stands behind a mask
_MOST_MASKS = 100  # of one piece of text
_ASKED_IN, _SAID_IN = 300, 600  # characters at the end of what the assistant, and the user before it, said
_STARTS = 4  # sentences
# A secret known by the words around it: what is known by its own form (a vendor's key) is known again without them.
_IN_WORDS = lazy(r"\[REDACTED (?:credential|host)\]")
_VALUE = r"(?P<value>[^\s;，。、；\u3400-\u9fff\u3040-\u30ff]{3,64})"
_LEAD = (
    r"(?:(?:no|nope|sorry|oops|whoops|wait|actually|correction|well|ah|oh|hm+|my mistake|my bad|scratch that|update|nein|doch|moment|korrektur|eigentlich|ach|entschuldigung"
    r"|non|pardon|en fait|enfin|désolée?|perdón|en realidad|corrección|bueno|espera|não|desculp[ea]|na verdade|aliás|correção)\b[,.:;!–—-]*\s*)"
)
_IS = (
    r"(?P<is>(?:it's|it is|that's|that is|make (?:that|it)|i meant(?: to say)?|i mean|i changed it to|now it's|es ist|das ist|ist es|jetzt ist es|ich meinte|c'est|je voulais dire"
    r"|ahora es|es|quise decir|agora é|é|quis dizer)\s+(?:actually\s|now\s|jetzt\s|nun\s|ahora\s|agora\s|maintenant\s|désormais\s)?)"
)
_END = r"(?P<end>(?:\s+(?:now|these days|actually|instead|sorry|jetzt|nun|ahora|agora|maintenant|désormais|please|thanks))?\s*(?:$|[\n]))?"
_GIVEN = lazy(
    rf"(?P<no>{_LEAD}{{1,3}})?(?:(?:maintenant|désormais|jetzt|ahora|agora|now),?\s)?{_IS}?{_VALUE}{_END}", re.I
)
_GIVEN_CJK = lazy(
    r"(?:(?:不对|不是|错了|更正|其实|抱歉|不|いや|いえ|いいえ|違います|違う|実は|訂正)[，,。：:、 ]{0,2})(?:现在|目前|应该|今は|現在は|もう)?(?:是|改成|换成)?了?(?P<value>[!-~]{3,64})"
)
_ALONE = lazy(r"\s{0,4}(?P<value>[^\s,;，。、；]{3,64})\s{0,4}\Z")
_BREAK = lazy(r"[.!?;,，。！？；]\s+|[，。！？；\n]")
_DIGIT = lazy(r"\d")
_WORDED = 4  # groups of a pattern by which an answer is known by its words
_CLOSERS = ".,!?\"'`)]}”’»。！？"
_OPENERS = "\"'`([{“‘„«"
# What the assistant asks for.
_SECRET = lazy(
    r"passw(?!ords? (?:manager|reset|polic|hash|field|generator|strength))|passcode|pass ?phrase|\bpins?\b|kennwort|contrase|\bclave\b|senha|mot de passe|\b(?:api|access|secret|deploy) keys?\b|(?<!many )(?<!number of )\b(?:tokens?|secrets?)\b(?! (?:limit|budget|count|usage|window|size|length|price|cost|rate|manager|santa))|\bcredentials?\b|密码|口令|密钥|令牌|パスワード|暗証番号",
    re.I,
)
_ASKS = lazy(
    r"[?？]|\b(?:send|give|tell|enter|type|share|provide|need|schick|gib|nenn|sag|brauche|envoie|donne|dis|dime|envía|dame|necesito|manda|diga|preciso)|请|发给|告诉|教えて|ください",
    re.I,
)

Hide = Callable[[str], str]
Around = Callable[[], tuple[str, str]]


def behind_masks(text: str, hide: Hide) -> str:
    """`text` without the values that its sentences give anew behind a masked one; `hide` masks a plain sentence."""
    places: list[tuple[int, int]] = []
    for found in islice(_IN_WORDS.finditer(text), _MOST_MASKS):
        places += _given(text, found.end(), hide, weak=False)
    return _masked(text, places) if places else text


def masked_after(text: str, around: Around, hide: Hide) -> str:
    """A user's redacted `text` without the value by which it answers a masked secret, or a question for one.

    around  gives the user's message before, and what the assistant said in between, "" for nothing; both redacted, and
            asked for only where the text gives a value alone
    """
    if not (values := _given(text, 0, hide, weak=False)):
        return text
    earlier, answer = around()
    end = answer[-_ASKED_IN:]
    if not _IN_WORDS.search(earlier[-_SAID_IN:]) and not _IN_WORDS.search(end):
        if not (_SECRET.search(end) and _ASKS.search(end)):
            return text
        values = _given(text, 0, hide, weak=True)
    return _masked(text, values)


def _masked(text: str, places: Iterable[tuple[int, int]]) -> str:
    out, done = [], 0
    for start, end in places:
        if start >= done:
            out += [text[done:start], f"{MASK}credential]"]
            done = end
    return "".join((*out, text[done:]))


def _given(text: str, at: int, hide: Hide, *, weak: bool) -> list[tuple[int, int]]:
    """Where the next sentences give a value alone that may be a secret; `weak`: only one with a digit in it, as is
    what stands there without a denial (`it's great`)."""
    tail = text[at : at + _LONGEST]
    starts = [0] if not at else []
    starts += [found.end() for found in _BREAK.finditer(tail)]
    places = []
    alone = _ALONE.match(text) if not at and len(text) <= _LONGEST else None
    for found in (alone, *(p.match(tail, start) for start in starts[:_STARTS] for p in (_GIVEN, _GIVEN_CJK))):
        if found is None:
            continue
        value = found["value"].rstrip(_CLOSERS)
        bare = value.lstrip(_OPENERS)
        start = found.start("value") + len(value) - len(bare)
        if not (_gives(found) if _DIGIT.search(value) else _denies(found) and not weak):
            continue
        if bare and MASK.strip() not in bare and MASK in hide(f"my password is {bare}"):
            places.append((at + start, at + start + len(bare)))
    return sorted(set(places))


def _gives(found: re.Match[str]) -> bool:
    if found.re.groups < _WORDED:
        return True
    return found["is"] is not None or (found["no"] is not None and found["end"] is not None)


def _denies(found: re.Match[str]) -> bool:
    groups = found.groupdict()
    words = (groups.get("is") or "").lower()
    return all(groups.get(name) is not None for name in ("no", "is", "end")) and not words.startswith("that")


__all__ = ["MASK", "behind_masks", "masked_after"]
