"""Whether a statement says that something stated before is no longer so, and what it names as the old value."""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re
from collections.abc import Iterable

from .lazy import lazy
from .rule import Language

_LONGEST = 80  # characters of a named old value
_OLD = r"(?P<old>[^,;:!?()]{1,80}?)"
_STOP = r"(?=\s+(?:to|with|by|but|and|for|because|since|now|any|anymore|in favou?r|as|so|that|when|which|from|like|before|earlier|after|in (?:all|every|my|our|this))\b|\s+[-–—]|[,;:!?()]|\.(?:\s|$)|\s*$)"
_ARTICLE = lazy(
    r"(?:(?:the|an?|our|my|your|using|on|in|at|der|die|das|den|dem|ein\w*|el|la|los|las|un\w?|le|les|l'|o|os|as|um\w?)\s+|l')+",
    re.I,
)


def _old(pattern: str) -> re.Pattern[str]:
    return lazy(pattern + _OLD + _STOP, re.IGNORECASE)


# The first that matches anywhere in the sentence decides.  Nothing here runs over more than one sentence.
_CHANGE = lazy(
    r"^\W*(?:(?:no|nope|(?:no|oh|oh no),? wait|wait,? no|sorry|oops|whoops|wait|hold on|my mistake|my bad|scratch that|make that|that's outdated|i mixed (?:that|it) up|sorry, i|correction|small correction|update|i was wrong|i misspoke|that's wrong|not quite)(?:[,.:;!–—-]+| i meant| earlier)|actually\b(?! (?:a|an|quite|pretty)\b)|(?:ok(?:ay)?|so|well|hm+|oh|ah|and|but),? actually\b)"
    r"|\bno longer\b|n't (?:\S+ ){0,8}?(?:any ?more|any longer)\b|\b(?:not|never) (?:\S+ ){0,8}?(?:any ?more|any longer)\b|\bafter all\b"
    r"|\bi(?:'ve| have)? (?:just |recently |finally |now )?(?:stopped|quit|gave up|given up|retired|moved (?:to|from|out|away|in)|relocated|divorced|changed (?:jobs?|my mind|my name|careers))\b"
    r"|\b(?:changed|change) (?:my|our) minds?\b|\b(?:switched|switching|migrated|migrating|converted|defected|upgraded|downgraded|moved (?:\w+ ){0,3}?(?:from|off|away from|over to|everything))\b|\bmoved (?:from|off|to) (?-i:[A-Z])"
    r"|\b(?:replaced|replacing|ditched|dropped|abandoned|deprecated|phased out|decommissioned|got rid of|renamed)\b"
    r"|\b(?:has|have|had|was|were|been|is|are|got)(?: (?:just|now|been))* (?:moved|renamed|postponed|rescheduled|pushed (?:back|out|to)|brought forward|cancell?ed|called off|delayed|replaced|extended|put off|changed)\b|\b(?:release|demo|deadline|launch|meeting|freeze|stand-?up|date) (?:\w+ )?(?:moved|changed|shifted|slipped)\b"
    r"|\binstead of\b|\bin place of\b|\bused to [a-z]+ [^.;]{1,80}\b(?:but|now|these days)\b|\b(?:it's|it is|that's|they're|she's|he's|we're|i'm|is|are|am) (?:\S+ ){0,6}?now\b(?! (?:and then|that)\b)|\bnow (?:it's|it is|i'm at|we're on|i live|i work)\b|\b(?:i|we|he|she|they|it|(?:my|our|the) [\w'-]+)(?: am| are| is|'m|'re|'s)? now (?:live|work|use|prefer|start|begin|listen|run|deploy|drink|eat|speak|write)(?:s|es|ing)?\b|\b(?:i|we|he|she|(?:my|our|the) [\w'-]+(?: [\w'-]+)?) \w+ \S+(?: \S+){0,4} now[.!]?$"
    r"|\bi (?:said|told you|wrote|claimed) [^.;]{1,80}\b(?:before|earlier|yesterday|last time|previously|but)\b|\bi (?:meant|should have said|meant to say)\b|\b(?:forget|ignore|disregard|scrap) (?:what i (?:said|told|wrote)|that i|about (?:what|my))\b|^not [A-Z0-9]\S*, |\bgone back to\b|\bpushed (?:to|back)\b|\bi was (?:wrong|mistaken)\b"
    r"|\bnot (?!only\b)[^,.;]{1,60}?,? but (?:rather )?(?!also\b)|n't [^,.;]{1,60}[,;:–—] ?(?:it's|it is|but|they're|she's|he's|i'm)\b|, (?:and )?not (?:on |in |at |to |from |the |a )?(?:(?-i:[A-Z0-9])|\w+[.!]?$)",
    re.IGNORECASE,
)
_REPLACES = (
    _old(r"\b(?:instead of|in place of)\s"),
    _old(r"\b(?:switched|switching|moved|moving|migrated|migrating|changed|converted|upgraded|downgraded|went|gone|defected)\s(?:[\w'-]+\s){0,4}?(?:away\s)?(?:from|off)\s"),
    _old(r"\b(?:replaced|replacing|swapped)\s(?!by\b|with\b)"),
    _old(r"\b(?:ditched|dropped|abandoned|retired|deprecated|decommissioned|phased out|got rid of|renamed)\s"),
    _old(r"\bno longer\s(?:(?:use|using|on|with|run|running|live|living|work|working|eat|eating|drink|drinking|like|prefer|support|need|have|called|based|at|in|for|a|an|deploy|host)\s){1,3}"),
    _old(r"n't\s(?:(?:use|using|on|with|run|running|live|living|work|working|eat|eating|drink|drinking|like|prefer|support|need|have|called|based|at|in|for|deploy|host)\s){1,3}(?=[^,;:!?()]{1,80}\s(?:any ?more|any longer)\b)"),
    _old(r"\bused to\s(?:(?:use|run|live|work|eat|drink|like|prefer|be|have|on|with|at|in|for|called|based)\s){1,3}"),
    _old(r"\bi (?:said|told you|wrote)\s(?:it was |that )?(?=[^,;:!?()]{1,80}\s(?:before|earlier|yesterday|last time|previously)\b)"),
    _old(r"\bforget (?:what i said )?about\s"),
    _old(r"\b(?:stopped|quit|gave up|given up)\s(?:(?:using|drinking|eating|taking|going to|wearing|playing|watching|reading)\s)?"),
    lazy(r"\bnot\s(?:on\s|in\s|at\s|to\s|from\s)?(?P<old>[^,;:!?()]{1,80}?),?\sbut\s", re.IGNORECASE),
    lazy(r"(?:isn't|aren't|wasn't|is not|are not|it's not)\s(?:on\s|in\s|at\s)?(?P<old>[^,;:!?()]{1,60}?)(?:\sany ?more)?(?:\safter all[^:;,]{0,60})?\s?[,;:–—]+\s?(?:it's|it is|but|they're|she's|he's)\b", re.IGNORECASE),
    _old(r",\s(?:and\s)?not\s(?:on\s|in\s|at\s|to\s|from\s)?"),
    _old(r"\brather than\s"),
)  # fmt: skip


def change(sentence: str, languages: Iterable[Language] = (), *, english: bool = True) -> tuple[bool, str]:
    """(whether `sentence` corrects something stated before, the old value it names or "").

    The sentence is to be whole, with the `No,` or `Actually` before the statement.  Nothing is replaced by a sentence
    that is no correction: in `I prefer tea to coffee` both hold.
    """
    if english and _CHANGE.search(sentence):
        return True, _named(sentence, _REPLACES)
    for language in languages:
        if language.correction.search(sentence):
            return True, _named(sentence, language.replaces)
    return False, ""


def _named(sentence: str, patterns: Iterable[re.Pattern[str]]) -> str:
    for pattern in patterns:
        found = pattern.search(sentence)
        if found:
            old = _ARTICLE.sub("", found["old"].strip(" \t\"'`«»“”„*.!。！、，,"), count=1) if found["old"] else ""
            if old:
                return old[:_LONGEST].strip()
    return ""
