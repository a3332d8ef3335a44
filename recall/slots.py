"""What small questions about oneself ask for, where question and answer share no word: "My job?", "I am a nurse."

A slot is a pair of patterns: of the question, and of a statement that answers it.  One line each; statements are read
in lower case with straight apostrophes.
"""

import re
from functools import lru_cache

from ..capture.lazy import lazy, literals

_Q, _A = 0, 1

_SLOTS: tuple[tuple[str, str], ...] = (
    (
        r"\bmy (?:full |first |last |given |own )?name\b|\bwhat am i called\b|\bwho am i\b|\baddress me\b"
        r"|\bwie hei(?:ß|ss)e ich\b|\bmein name\b|\bc[oó]mo me llamo\b|\bmi nombre\b|\bje m'appelle\b"
        r"|\bmon nom\b"
        r"|\bcomo me chamo\b|\bmeu nome\b|我叫什么|我的名字|我是谁",
        r"\bmy (?:full |first |given )?name is\b|\bi(?:'m| am) called\b|\bcall me\b|\bmein name ist\b"
        r"|\bich hei(?:ß|ss)e\b|\bme llamo\b|\bmi nombre es\b|\bje m'appelle\b|\bmon nom est\b|\bme chamo\b|我叫"
        r"|我的名字是",
    ),
    (
        r"\bmy (?:job|profession|occupation|role|position|employer|company|workplace|title)\b"
        r"|\bwhere do i work\b"
        r"|\bdo i do (?:for (?:a living|work)|all day)\b|\bwho do i work\b|\bwas arbeite ich\b"
        r"|\bwo arbeite ich\b"
        r"|\bmein (?:beruf|job)\b|\b(?:mi|meu) trabajo\b|\ben qu[eé] trabajo\b|\bmon (?:métier|travail)\b|我的工作"
        r"|我在哪里?(?:工作|上班)",
        r"\bi work\b|\bi(?:'m| am) an? (?!bit\b|fan\b|lot\b|morning\b|night\b|vegetarian\b|vegan\b)"
        r"[\w -]{3,40}(?:\.|$|,| at\b| for\b| by\b| in\b)"
        r"|\bmy (?:job|employer|profession|title|role)\b|\bich arbeite\b|\btrabajo (?:en|como|de)\b"
        r"|\bje travaille\b"
        r"|\btrabalho\b|我在.{1,20}(?:工作|上班)|我是.{1,12}(?:师|员|医生|学生|经理)",
    ),
    (
        r"\bwhere (?:do|am) i (?:live|living|based|located)\b|\bmy (?:home ?town|city|home address|address)\b"
        r"|\bdo i live\b|\bam i living\b|\bwo wohne ich\b|\bd[oó]nde vivo\b|\bo[uù] est-ce que j'habite\b"
        r"|\bo[uù] j'habite\b|\bonde (?:eu )?moro\b|我住|どこに住んで",
        r"\bi live\b|\bi(?:'ve| have)? moved to\b|\bi(?:'m| am) (?:based|located|living) in\b"
        r"|\bmy (?:home )?address is\b"
        r"|\bich wohne\b|\bvivo en\b|\bj'habite\b|\bmoro em\b|我住"
        # Where one has moved to, one lives.
        r"|\bi(?:'ve| have)? relocated to\b|\bich bin (?:\w+ )?nach .{1,40}gezogen\b|\bme (?:mud[eé]|he mudado) a\b"
        r"|\bj'ai (?:\w+ )?(?:d[eé]m[eé]nag[eé]|emm[eé]nag[eé]) [aà]\b|\bmudei(?:-me)? (?:para|pra)\b"
        r"|我(?:\w{1,4})?搬[到去]|に(?:住んで|引っ越し)",
    ),
    (
        r"\bhow old am i\b|\bmy (?:age|birthday|date of birth|birth date)\b|\bwhen was i born\b"
        r"|\bwie alt bin ich\b"
        r"|\bcu[aá]ntos a[nñ]os tengo\b|\bquel âge ai-je\b|我(?:几岁|多大)|我的生日",
        r"\bi(?:'m| am) \d{1,3}(?: years)?\b|\bi was born\b|\bmy birthday\b|\bich bin \d{1,3} jahre\b"
        r"|\btengo \d+ a[nñ]os\b"
        r"|\bj'ai \d+ ans\b|我的生日|我\d+岁|我出生",
    ),
    (
        r"\ballerg|\bintoleran|\bmy diet\b|\b(?:can't|cannot|can|do|should) i (?:not )?eat\b|\balergi"
        r"|\bvertrage ich\b|过敏|忌口",
        r"\ballerg|\bintoleran|\bvegan\b|\bvegetari|\bc(?:o)?eliac\b"
        r"|\b(?:i )?(?:don't|do not|never|avoid) (?:eat )?(?:meat|gluten|dairy|fish|nuts|pork)\b"
        r"|\bal[eé]rgic|过敏|不吃|吃素",
    ),
    (
        r"\bmy (?:wife|husband|partner|spouse|girlfriend|boyfriend)\b|\bam i (?:married|single|engaged)\b"
        r"|我(?:老婆|老公|妻子|丈夫)",
        r"\bmy (?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc)"
        r"|\bi(?:'m| am) (?:married|single|engaged|divorced)\b|我(?:老婆|老公|妻子|丈夫)",
    ),
    (
        r"\bmy (?:kids?|child(?:ren)?|sons?|daughters?)\b"
        r"|\b(?:do|have) i (?:have |got )?(?:any )?(?:kids|children)\b|\bam i a (?:father|mother|parent)\b",
        r"\bmy (?:son|daughter|kid|child|children|kids)\b"
        r"|\bi have (?:\w+ )?(?:sons?|daughters?|kids?|children|twins)\b",
    ),
    (
        r"\bmy pets?\b|\bpets? do i\b|\bdo i (?:have|own) (?:a |any )?(?:pets?|animals?)\b|\bmein haustier\b",
        r"\b(?:my|have an?|have (?:two|three|four|\d)) (?:\w+ )?"
        r"(?:dog|cat|rabbit|parrot|hamster|horse|turtle|bird|puppy|kitten)s?\b",
    ),
    (r"\btime ?zone\b|时区", r"\btime ?zone\b|\b(?:utc|gmt|cet|cest|est|pst)\b|\b[a-z]+/[a-z]+(?:_[a-z]+)?\b|时区"),
    (
        r"\blanguages? (?:do|can) i speak\b|\bin which language\b|\bwhat language should\b"
        r"|\bwhich language should\b",
        r"\bi speak\b|\b(?:answer|reply|respond|write|speak|talk)\b.{0,20}\bin [a-z]+\b",
    ),
    (
        r"\bmy (?:computer|laptop|machine|pc)\b|\b(?:computer|laptop) do i (?:have|use|own)\b",
        r"\bmy (?:computer|laptop|machine|pc|macbook|thinkpad)\b|\b(?:macbook|thinkpad)\b",
    ),
    (
        r"\bmy (?:medication|medicine|pills?)\b|\bmedica(?:tion|ments?|tions?) do i\b"
        r"|\bwhich (?:medicine|pills?)\b",
        r"\bi take \w+|\bmy (?:medication|medicine|prescription)\b",
    ),
    (
        r"\bdo i dislike\b|\bdon't i like\b|\bdo i (?:hate|avoid)\b",
        r"\bi (?:hate|dislike|can't stand|avoid|don't like)\b",
    ),
    (
        r"\bmy hobb|\bhobbies\b|\bdo i do for fun\b|\b(?:which|what) sports? do i\b"
        r"|\bin my (?:free|spare) time\b",
        r"\bi (?:go|love|like|enjoy|do|play|collect|run|practi[cs]e) (?:to )?\w+|\bmy hobb"
        r"|\bin my (?:free|spare) time\b",
    ),
    (
        r"\bhow should you (?:answer|reply|respond|write|talk)\b|\bhow do i want (?:you|your)\b"
        r"|\bmy preferences?\b",
        r"\b(?:short|brief|concise|long|detailed) (?:answers?|replies)\b|\b(?:answer|reply|respond)\b"
        r"|\bemojis?\b|\bcall me\b",
    ),
)
_LONGEST = 400


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    return tuple((lazy(asks), lazy(answers)) for asks, answers in _SLOTS)


@lru_cache(maxsize=1)
def _needed() -> tuple[tuple[str, ...], ...]:
    """Of each slot what a question must hold to be worth its pattern, which most questions are not; () for nothing."""
    return tuple(literals(asks) for asks, _ in _SLOTS)


def _lowered(text: str) -> str:
    return text[:_LONGEST].casefold().replace("’", "'").replace("ß", "ss")


def asked_for(question: str) -> tuple[int, ...]:
    """The slots that a question asks for; none for most questions."""
    low = _lowered(question)
    return tuple(
        number
        for number, needed in enumerate(_needed())
        if (not needed or any(one in low for one in needed)) and _patterns()[number][_Q].search(low)
    )


def answers(slots: tuple[int, ...], statement: str) -> bool:
    """True when the statement fills one of these slots."""
    if not slots:
        return False
    low = _lowered(statement)
    return any(_patterns()[number][_A].search(low) for number in slots)
