"""A single line in somebody else's voice: `Kim: I now live in Bergen`, a line of a song.

Whole talks are known by their names coming back (lines.py).  One line alone is somebody's when a name stands before
words in the first person; a noun with which people head a note of their own (`Job: I work at …`) is none.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re

from .lazy import lazy

_HEAD = 120  # characters of a line that are looked at
_FIRST = (
    r"(?:(?:so|well|ok|okay|hey|hi|yes|no|actually|now|oh|btw|also|and|but|ja|nein|jetzt|oui|non|maintenant|désormais|sí|ahora|sim|não|agora)[,!]? ){0,2}"
    r"(?:i|i'm|i've|i'll|i'd|my|we|we're|we've|our|ich|wir|meine?|unsere?|je|j'\S+|nous|on|mon|ma|mes|notre|yo|vivo|trabajo|uso|soy|mi|mis|nuestr[oa]|me|eu|moro|trabalho|sou|meu|minha|nosso|nossa|wohne|bin|habe)\b"
)
_SPEAKER = lazy(
    rf"\s{{0,8}}(?:[\[(]?\d{{1,2}}[:.]\d\d(?:[:.]\d\d)?(?: ?[ap]m)?[\])]?[ ,-]{{0,3}})?(?:(?i:from|by|fwd(?: from)?|forwarded from|message from|von|de|da)\s)?[<@*_\[#]{{0,3}}"
    r"(?P<name>[A-ZÀ-ÖØ-Þ][\w'.-]{1,20}(?: [A-ZÀ-ÖØ-Þ][\w'.-]{0,20}){0,2}|(?<=[<@ \]])[a-z][\w.-]{1,20})(?: ?\([^()\n]{1,30}\))?[*_\]]{0,3}\s?[:>][*_]{0,2}\s{1,3}[\"“«„]?"
    rf"(?i:{_FIRST})"
)
_SPEAKER_ZH = lazy(
    r"\s{0,8}(?:[小老阿][\u4e00-\u9fff]{1,2}|[王李张刘陈杨黄赵周吴徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤][\u4e00-\u9fff]{1,2}|[\u4e00-\u9fff]{1,3}(?:先生|女士|老师|同学|师傅|经理|主任|哥|姐))\s?[：:]\s?[“「\"]?(?:现在|目前|今天|其实)?我"
)
_SPEAKER_JA = lazy(
    r"\s{0,8}[\u3041-\u30ff\u3400-\u9fffA-Za-z]{1,8}(?:さん|くん|ちゃん|君|様|先輩|先生|部長|課長|社長)\s?[：:]\s?\S"
)
_NOTES = frozenset(
    """about account address age aim allergies allergy also answer answers api app appendix background basics bio birthday budget business car career case cat city coding
    coffee color colour comment commute company condition conditions confession constraint constraints contact context convention conventions correction country cv database
    day deadline decision default details diet disclaimer dog drinks edit editor education email employer env environment equipment exception experience fact facts family
    favorite favorites favourite favourites finances fix focus follow-up food formatting full fun fyi general goal goals habit habits hardware health heads-up hello hi
    hint history hobbies hobby home hometown house important info instruction instructions intro introduction issue item job kids language languages last life lifestyle likes dislikes
    location maybe me meals medical memo memory mine money mood morning mother motto music my myself name names note notes nickname now number occupation office ok okay one only option
    org p.s. pet pets phone plan plans point position preference preferences problem profession profile project projects ps pps quick question quirk reason recap reference remember
    reminder reply request requirement requirements role routine rule rules schedule school scope setup short side situation size skills sleep sports stack status step style summary
    task team tech thanks the there thing things thought time timezone tip today todo tools tooling travel truth tv two update updates us user username versions warning
    weekend weekends what work workflow working workplace yes no three first second third finally still sorry actually anyway basically personal private shell indentation tabs spaces tea os
    hinweis nachtrag korrektur notiz beruf arbeit wohnort adresse alter hobbys sprache sprachen wichtig übrigens merke info kurz fakt regel regeln ernährung familie projekt aktualisierung
    zur erinnerung ergänzung anmerkung bemerkung hintergrund person persönlich kontext
    note remarque rappel précision correction travail métier adresse profession langue langues important info infos mémo projet contexte règle famille régime santé
    nota dato datos aviso corrección recordatorio trabajo profesión dirección idioma importante regla familia proyecto contexto dieta salud aclaración actualización
    lembrete correção trabalho profissão endereço morada regra família projeto dieta saúde atualização observação obs""".split()
)
_NOUN_ENDINGS = ("tion", "sion", "ment", "ness", "ship", "ware", "ung", "heit", "keit", "schaft", "ción", "ção", "dade")
_SONG_LINE = lazy(r"\s{0,8}[*_]{0,2}[♪♫🎵🎶🎤]")
_SONG = lazy(
    r"\W{0,4}(?:(?:song )?lyrics?|chorus|verse|refrain|bridge|pre-chorus|outro|songtext|liedtext|strophe|paroles|couplet|letra|estribillo|estrofa|refrão|estrofe|歌词|歌詞|副歌|サビ)(?: \d)?(?: (?:of|to|for|from|by|von|de|da)\b[^\n]{0,60})?\s?\W{0,3}\s{0,4}\Z",
    re.I,
)


def is_others(line: str) -> bool:
    """Whether a line is said by somebody whose name stands before it, or sung."""
    head = line[:_HEAD]
    if _SONG_LINE.match(head) or ("：" in head and (_SPEAKER_ZH.match(head) or _SPEAKER_JA.match(head))):
        return True
    if ":" not in head and ">" not in head:
        return False
    found = _SPEAKER.match(head.replace("’", "'"))
    return found is not None and not any(_heads_a_note(word) for word in found["name"].split())


def is_song(line: str) -> bool:
    """Whether a line says that a song's text stands below it."""
    return len(line) <= _HEAD and _SONG.match(line) is not None


def _heads_a_note(word: str) -> bool:
    low = word.lower().strip(".'")
    return low in _NOTES or low.endswith(_NOUN_ENDINGS) or (len(low) > 5 and low.endswith("ing"))


__all__ = ["is_others", "is_song"]
