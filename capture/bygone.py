"""What is told and does not hold now: what was and may be over, a case, a figure of speech.

`I moved to Bergen in 1999` says nothing of where somebody lives, and `I live in Excel` neither.  Such a sentence is
kept as it was said; it corrects nothing, and gives nothing a value.  A word that says since when it holds (`now`) ends
all talk of the past.  Tables, one row for a language; a new language adds its own.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re

from .lazy import lazy

_YEAR = r"(?:19|20)\d\d\b(?![-/.]\d)"
_N_EN = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|\d{1,2}|several|some|many|a few|a couple of|half a)"
_N_DE = r"(?:ein(?:ige|em|en)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|fünfzehn|zwanzig|dreißig|\d{1,2}|viele?n?|einigen|mehrere[n]?|ein paar)"
_N_FR = r"(?:un|une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze|quinze|vingt|trente|\d{1,2}|plusieurs|quelques|(?:bien )?des)"
_N_ES = r"(?:une?|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|quince|veinte|treinta|\d{1,2}|much[oa]s|vari[oa]s|un[oa]s(?: cuant[oa]s)?)"
_N_PT = r"(?:uma?|dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez|doze|quinze|vinte|trinta|\d{1,2}|muit[oa]s|vári[oa]s|algu(?:ns|mas)|uns|umas)"
_N_ZH = r"[\d一二两三四五六七八九十几多好数]{1,3}"

# (who moved, or changed what they use; how it is said that it was then; what says that it is about now).  Since when
# something holds (`since 2010`, `depuis`, `起`) is no talk of the past.
_BYGONE: tuple[tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (lazy(did, re.I), lazy(then, re.I), lazy(now, re.I))
    for did, then, now in (
        (
            r"\b(?:i|we|(?:my|our) (?:family|parents|wife|husband|partner|brother|sister|son|daughter|kids|mother|father|mum|mom|dad|team|company|employer))(?: (?:and i|\w+ly|once|then|also|even|first|had|both|all|just|'d)){0,2} (?:moved|relocated|(?:e|im)migrated|settled|switched|migrated|converted|upgraded|changed|lived|worked|used|joined|stayed|resided|went|started)\b|\bhad (?:i|we)\b",
            rf"\b(?:back (?:in|then|when|at)\b|in (?:the )?(?:year |(?:early|mid|late)[ -])?(?:{_YEAR}|(?:19|20)?\d0'?s\b|(?:fif|six|seven|eigh|nine)ties\b)|(?:until|till|from|between|around) {_YEAR}|{_N_EN} (?:years|decades) (?:ago|back)\b|(?:years|decades|ages|a lifetime) ago\b|long ago\b|a (?:long time|while) (?:ago|back)\b"
            r"|(?:i|we) (?:once|almost|nearly|originally|initially|had)\b|once,? (?:i|we)\b|when(?:ever)? (?:i|we) (?:was|were|lived|worked|studied|had|first)\b|when (?:my|our) \w+ (?:was|were)\b|as an? (?:\w+ )?(?:child|kid|boy|girl|teen(?:ager)?|toddler|baby|student|pupil|trainee|apprentice|intern|undergrad\w*|freshman|postdoc|au pair|youngster|young \w+)\b"
            r"|in my (?:youth|childhood|teens|(?:early |late |mid[- ])?(?:twenties|thirties|forties|20s|30s)|(?:student|college|school|university|younger) (?:days|years|time))\b|(?:during|throughout) (?:my|our|the|college|school|university|uni|high school)\b|(?:at|in) (?:uni|college|university|high school)\b|at my (?:old|previous|former|last|first|ex-?) ?\w+|in (?:a|my) (?:previous|former|past|old) \w+"
            rf"|for (?:only |just |about |around |nearly |almost )?{_N_EN} (?:years?|months?|weeks?|semesters?|terms?|summers?|winters?)\b(?! now| already| to come)|before (?:i|we|that|moving|returning|coming|going|then)\b|(?:at the time|in those days|in the past|in an? (?:earlier|different) life|growing up|(?:at|from) (?:the )?age\b|aged \d|used to|originally|at first|after (?:the war|school|college|university|uni|high school|my (?:studies|degree|military service)))\b|\band (?:stayed|spent|lived there)\b|in (?:a|my) dream"
            r"|(?:and|but|then|later|before|,) (?:(?:i|we|have|had|\w+ly|then|soon|later) ){0,2}(?:(?:moved|came|went|turned) back|returned|regretted|left again)\b|(?:i|we) (?:dreamed|dreamt)\b|(?:had|if|should) (?:i|we)\b)",
            r"\b(?:now|these days|nowadays|currently|no longer|any ?more|since then|ever since|still live)\b",
        ),
        (
            r"\b(?:bin|sind|war|waren|habe|haben|hatten?)\b.{1,120}?\b(?:\w{0,5}gezogen|gewohnt|gelebt|gearbeitet|gewechselt|umgestiegen|umgestellt|umgesiedelt|ausgewandert|migriert|genutzt|benutzt|verwendet|gegangen)\b|\b(?:zog|zogen|wechselten?|wohnten?|lebten?|arbeiteten?)\b",
            rf"(?:^|\b(?:im jahr(?:e)?|anno|bis|von|zwischen|um|ich|wir) )(?:{_YEAR})|\b(?:bin|sind|habe|haben|hatten?|war|waren) {_YEAR}|\b(?:damals|früher|einst|einmal|seinerzeit|ursprünglich|zuerst|beinahe|fast)\b|\bmit (?:\d{{1,2}}|\w+zehn|zwanzig|(?:\w+ ){{0,2}}jahren)\b|\bals (?:ich|wir|mein\w*|unser\w*)\b|\bals (?:klein\w+ |jung\w+ )?(?:kind|junge|mädchen|teenager|jugendliche[rn]?|student(?:in)?|schüler(?:in)?|praktikant(?:in)?|azubi|lehrling|au-pair|baby)\b"
            rf"|\bvor (?:gut |etwa |über )?{_N_DE} (?:jahren|jahrzehnten)\b|\bvor langer zeit\b|\b(?:für )?{_N_DE} (?:jahre?|monate?|wochen|semester)(?: lang)?\b(?! alt)|\bin den \S+ jahren\b|\bin den (?:19|20)?\d0ern?\b|\bin meiner (?:jugend|kindheit|studienzeit|schulzeit|ausbildung)\b|\bwährend (?:des|meines|meiner|der|dem)\b|\b(?:und|aber|dann|später)\b.{0,30}\bzurück(?:gezogen|gekehrt|gekommen|gegangen)?\b",
            r"\b(?:jetzt|inzwischen|mittlerweile|heute|heutzutage|seitdem|seither|nicht mehr|neuerdings|nun)\b",
        ),
        (
            r"\b(?:j'ai|j'avais|nous avons|on a|on avait|je (?:me )?suis|nous (?:nous )?sommes)\b.{1,60}?(?:ménagé|installé|habité|vécu|travaillé|utilisé|changé|passé|migré|parti|venu)|\bj'(?:étais|habitais|utilisais)\b|\bje (?:vivais|travaillais)\b",
            rf"\b(?:en|vers|jusqu'en|de) {_YEAR}|\bà (?:l'âge de )?[\w-]+ ans\b|\bdans les années\b|\bil y a (?:bien |environ )?(?:{_N_FR} (?:ans|années|décennies)|longtemps)\b|\b(?:quand|lorsque|alors que) (?:j'|je |nous |on |mon |ma |mes )|\b(?:étant|comme|en tant qu')\s?(?:enfant|jeune|étudiante?|stagiaire|apprentie?)\b|\bpendant (?:mes|mon|ma|la|le|l'|les|{_N_FR})\b|\bdurant (?:mes|mon|ma|la|le|l'|les|{_N_FR})\b"
            rf"|\bpour {_N_FR} (?:ans?|mois|semaines|semestres|années)\b|\b(?:autrefois|jadis|à l'époque|en ce temps-là|dans ma jeunesse|dans mon enfance|avant de|au début|à l'origine|presque|failli)\b|\b(?:et|mais|puis)\b.{0,30}\b(?:revenue?s?|retournée?s?|rentrée?s?|repartie?s?)\b",
            r"\b(?:maintenant|désormais|dorénavant|actuellement|aujourd'hui|à présent|n\S{1,20} plus)\b",
        ),
        (
            r"\b(?:me|nos) (?:mud|cambi|traslad|fui)\w*|\b(?:viví|vivía|vivimos|trabajé|trabajaba|cambié|cambiamos|pasé|pasamos|usé|usaba|migramos|había)\b",
            rf"\b(?:en(?: el año)?|hasta|hacia|de) {_YEAR}|\b(?:a los|con) \w+ años\b|\ben los (?:años )?(?:\d0|sesenta|setenta|ochenta|noventa)\b|\bhace (?:ya |unos |casi )?(?:{_N_ES} (?:años|décadas)|mucho(?: tiempo)?)\b|\bcuando (?:era|éramos|tenía|teníamos|vivía|vivíamos|estudiaba|estaba|trabajaba|yo|mi)\b|\b(?:de|como) (?:niñ[oa]|joven|pequeñ[oa]|chic[oa]|estudiante|adolescente|becari[oa])\b"
            rf"|\bdurante (?:mis?|la|el|los|las|{_N_ES})\b|\bpor {_N_ES} (?:años?|meses|semanas|semestres)\b|\b(?:en aquella época|en aquel entonces|entonces|antes de|antaño|en mi (?:juventud|infancia|época)|una vez|casi|al principio|originalmente)\b|\b(?:y|pero|luego)\b.{0,30}\b(?:volví|regresé|volvimos|regresamos)\b",
            r"\b(?:ahora|actualmente|hoy|ya no|hoy en día)\b",
        ),
        (
            r"\b(?:mudei|mudamos|mudou|vivi|vivia|morei|morava|trabalhei|trabalhava|troquei|trocamos|passei|passamos|usei|usava|migramos|tinha|fui)\b",
            rf"\b(?:em|até|por volta de|de) {_YEAR}|\b(?:aos|com) \w+ anos\b|\bnos anos (?:\d0|sessenta|setenta|oitenta|noventa)\b|\bhá (?:já |uns |quase )?(?:{_N_PT} (?:anos|décadas)|muito(?: tempo)?)\b|\b{_N_PT} (?:anos|décadas) atrás\b|\bquando (?:eu |nós )?(?:era|éramos|tinha|tínhamos|morava|estudava|estava|trabalhava|criança|jovem|meu|minha)\b|\b(?:em|de|como|quando) (?:criança|jovem|miúd[oa]|pequen[oa]|estudante|adolescente|estagiári[oa])\b"
            rf"|\bdurante (?:os|as|o|a|meus?|minhas?|{_N_PT})\b|\bpor {_N_PT} (?:anos?|meses|semanas|semestres)\b|\b(?:naquela época|naquele tempo|na altura|antigamente|outrora|antes de|na (?:minha )?(?:infância|juventude)|uma vez|quase|no início|originalmente)\b|\b(?:e|mas|depois)\b.{0,30}\b(?:voltei|regressei|voltamos)\b",
            r"\b(?:agora|atualmente|hoje|já não|hoje em dia)\b",
        ),
        (
            r"我.{0,40}(?:[搬住换]|改用|工作|切换)",
            rf"(?:19|20)\d\d年(?:\d{{1,2}}月)?(?!\d|起|以来|开始)|{_N_ZH}岁|小时候|当年|当时|以前|从前|曾经?|过去|年轻|[大小中高]学.{{0,3}}(?:时|期间)|上学|读书(?:时|的时候)|{_N_ZH}年前|那(?:时|年|会儿)|后来|[住待]了{_N_ZH}(?:年|个月|个学期)|差[点一]|如果|要是|假如|梦",
            r"现在|目前|如今|最近|刚",
        ),
        (
            r"(?:引っ越|引越|移り|転職|住んで|働いて|乗り換え)",
            r"(?:19|20)\d\d年(?:\d{1,2}月)?(?!\d|から|以来|より)|[\d一二三四五六七八九十]{1,3}[歳才]|昔|以前|かつて|当時|(?:子供|子ども|学生|幼い|若い|小さい|高校|大学|中学).{0,3}(?:頃|ころ|時代?|とき)|[\d一二三四五六七八九十数何]{1,3}年(?:も)?前|[\d一二三四五六七八九十数何]{1,3}(?:年間|ヶ月間|か月間)|もし|夢|危うく|戻って",
            r"今|現在|最近",
        ),
    )
)  # fmt: skip
_MAY_BE = lazy(
    r"\b(?:i|we|my|our|ich|wir|j'\w+|je|nous|on|me|nos|eu|vivo|vivía|viví|moro|morei|mudei|mudamos|bin|sind)\b|我|引|住|移|転職",
    re.I,
)

# Where somebody lives: (the verb and what stands before the place)
_LIVES = lazy(
    r"\b(?:i|we)\b[^,.;]{0,30}?\b(?:live|living|lives)\b[^,.;]{0,20}?\b(?:in|inside|on) (?P<en>[^,.;!?]{1,40})"
    r"|\b(?:wohne|wohnen|lebe|leben)\b[^,.;]{0,40}?\bin (?P<de>[^,.;!?]{1,40})"
    r"|\b(?:j'habite|je vis|nous vivons|on vit)\b[^,.;]{0,30}?\b(?P<into>dans (?!(?:le|la|les|un|une|mon|ma|notre|ce|cette)\b|l'))?(?:(?<=dans )|\b(?:à|en|sur) )(?P<fr>[^,.;!?]{1,40})"
    r"|\b(?:vivo|vivimos|moro|moramos)\b[^,.;]{0,30}?\b(?:en|em|no|na|dentro (?:de|do)) (?P<es>[^,.;!?]{1,40})",
    re.I,
)
_LIVES_CJK = lazy(r"住在(?P<zh>[A-Za-z0-9 .+#-]{1,30})|(?P<ja>[A-Za-z0-9 .+#-]{1,30})(?:の中)?に(?:住ん|住み)")
_FIGURE = lazy(
    r"\b(?:basically|practically|pretty much|virtually|essentially|more or less|half|all but|kind of|sort of|mentally|spiritually|emotionally)\b"
    r"|\b(?:quasi|praktisch|sozusagen|förmlich|gefühlt|im grunde|gedanklich)\b|\b(?:pratiquement|quasiment|presque|carrément|littéralement|en gros)\b"
    r"|\b(?:prácticamente|básicamente|casi|literalmente)\b|\b(?:praticamente|basicamente|quase)\b|简直|几乎|基本上?|差不多|整天|ほぼ|まるで|ほとんど|ようなもの|みたいな",
    re.I,
)
_IN_MIND = lazy(r"\b(?:in my (?:head|dreams?|mind)|rent[- ]free)\b", re.I)
_CLAUSE_END = ",.;，。、"
_PROGRAMS = frozenset(
    """excel word outlook powerpoint teams onenote sharepoint sheets docs gmail slack zoom jira confluence notion figma photoshop illustrator indesign
    lightroom vim neovim emacs vscode xcode tmux bash github gitlab trello asana discord whatsapp telegram twitter reddit youtube
    instagram tiktok facebook linkedin netflix spotify minecraft fortnite roblox matlab sap salesforce autocad jupyter tableau
    airtable miro obsidian evernote chrome firefox javascript typescript kubernetes latex sql""".split()
)


def passes(text: str) -> bool:
    """What the text tells does not hold now, or may be over, or is a figure of speech: it gives nothing a value."""
    if _MAY_BE.search(text) is None:
        return False
    return _was(text) or _is_figure(text)


def _was(text: str) -> bool:
    return any(
        did.search(text) is not None and then.search(text) is not None and now.search(text) is None
        for did, then, now in _BYGONE
    )


def _is_figure(text: str) -> bool:
    found = (_LIVES_CJK if "住" in text else _LIVES).search(text)
    if found is None:
        return False
    name = next(name for name, place in found.groupdict().items() if place and name != "into")
    ahead = text[: found.start(name)]
    clause = ahead[max(ahead.rfind(mark) for mark in _CLAUSE_END) + 1 :]
    if found.groupdict().get("into") or _FIGURE.search(clause) or _IN_MIND.search(text):
        return True
    place = found[name].strip().lower()
    return place.split(" ")[0] in _PROGRAMS


__all__ = ["passes"]
