"""What is said anew, told as what holds now: `the deadline moved to April 9` as `the deadline is April 9`.

A value is given anew in three ways: with a word that says since when (`now`, `désormais`, `现在`), with a verb of change
(`moved to`, `verschoben auf`, `搬到`), or alone, in answer to the old one; capture writes what such an answer means
behind it, as in `it's Bergen now (= I live in Bergen)`.  `plainly` brings all of them to the plain statement, by whose
slot the old one is found.  Only whole clauses about somebody's own matters fit: what somebody says, asks, or supposes
begins otherwise.  Tables; a new language adds its rows.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re
import unicodedata

from .bygone import passes
from .lazy import lazy

MEANT = "(= {})"
"""How what an answer means stands behind it."""

CALENDAR = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december tomorrow tonight noon midnight weekend
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag januar februar märz mai juni juli oktober dezember
    lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril juin juillet août septembre octobre
    novembre décembre
    lunes lune martes marte miércoles miércole jueves jueve viernes vierne sábado domingo enero febrero marzo abril mayo
    junio julio agosto septiembre octubre noviembre diciembre
    segunda-feira terça-feira quarta-feira quinta-feira sexta-feira feira janeiro fevereiro março maio junho julho setembro
    outubro novembro dezembro""".split()
)
"""Days and months, and what is left of them when a plural's ending is taken off."""

_CALENDAR = "|".join(sorted((word for word in CALENDAR if word != "may"), key=len, reverse=True))
# A date, a time, an amount; what stands before it says how it is meant.
_WHEN = rf"(?:[^\s,;:()?!]{{1,14}}\s){{0,3}}?(?:\d|(?:{_CALENDAR}|may \d)(?!\w))(?:[^,;:()?!]|(?<=\d):(?=\d)){{0,30}}?"
_DAY = rf"(?:(?!on\s|at\s|the\s)[^\s,;:()?!]{{1,14}}\s){{0,2}}?(?:{_CALENDAR}|may \d)(?!\w)(?:[^,;:()?!]|(?<=\d):(?=\d)){{0,30}}?"
_NAME = r"(?-i:[A-ZÀ-ÖØ-Þ0-9\u3040-\u30ff\u3400-\u9fff])[^,;:()?!]{0,40}?"
_END = r"(?:\s(?:now|instead|as well|today|already|actually))?[.!\s]*"
_LEAD = r"(?:(?:no|nope|sorry|oops|wait|(?:quick\s|small\s|short\s)?(?:update|correction|news)|actually|ok|okay|well|oh|fyi|by the way|btw|also)[,.:;!–—-]*\s+){0,3}"
_OURS = r"(?:the|our|my|this)\s(?:[\w'&./-]+\s){1,4}?"
_BE = r"(?:(?:has|have|had|was|were|is|are|got|been|just|now|then|again|recently|finally)\s){0,4}"
_SHIFTED = (
    r"(?:moved|rescheduled|postponed|pushed|delayed|shifted|slipped|changed|brought|put|extended|deferred|bumped"
    r"|went|gone|goes|rose|risen|grew|dropped|fell|raised|increased|lowered|reduced|cut|set|switched)"
    r"(?:\s(?:forward|back|out|off|up|down|over|ahead))?"
)
_DE_WHAT = r"(?:der|die|das|unser[e]?|mein[e]?)\s(?:[\w.-]+\s){1,4}?"
_FR_WHAT = r"(?:(?:le|la|les|notre|mon|ma)\s|l')(?:[\w'.-]+\s){1,4}?"
_ES_WHAT = r"(?:el|la|los|las|nuestr[oa]|mi)\s(?:[\w.-]+\s){1,4}?"
_PT_WHAT = r"(?:(?:o|a|os|as)\s(?:(?:nosso|nossa|meu|minha)\s)?|nosso\s|nossa\s|meu\s|minha\s)(?:[\w.-]+\s){1,4}?"
_ZH_WHAT = r"(?:我们的|我们|我的|这个|本)?(?P<what>(?![这那他她它你我谁])[\u3400-\u9fffA-Za-z]{2,10}?)"
_JA_WHAT = (
    r"(?:私の|うちの|我々の)?(?P<what>(?![こそあど]れ|今|現在|彼|妹|弟)[\u3040-\u30ff\u3400-\u9fffA-Za-z]{2,12}?)"
)
_CJK_PLACE = r"(?P<value>[\u30a1-\u30ff\u3400-\u9fffA-Za-z]{1,12}?)"
# Of late: a move that long ago is where somebody lives now; what is longer ago may be over (bygone.py).
_LATE_DE = r"(?:(?:jetzt|inzwischen|gerade|kürzlich|neulich|endlich|nun|gestern|vor\s(?:kurzem|\w+\s(?:tagen|wochen|monaten))|letzte[nrs]?\s\w+|diese[nrs]?\s\w+|am\s\w+(?:tag|abend|ende))\s){0,2}"
_LATE_FR = r"(?:hier|récemment|cette\s(?:semaine|année)|ce\smois-ci|(?:ce|le)\sweek-end|la\ssemaine\sdernière|le\smois\sdernier|il\sy\sa\s(?:peu|\w+\s(?:jours|semaines|mois)))"
_LATE_ES = r"(?:ayer|hace\spoco|recientemente|esta\ssemana|este\s(?:mes|año|fin\sde\ssemana)|la\ssemana\spasada|el\s(?:mes\spasado|lunes|martes|miércoles|jueves|viernes|sábado|domingo)|hace\s\w+\s(?:días|semanas|meses))"
_LATE_PT = r"(?:ontem|recentemente|esta\ssemana|este\s(?:mês|ano|fim\sde\ssemana)|(?:na|a)\ssemana\spassada|no\smês\spassado|o\smês\spassado|há\s(?:pouco|\w+\s(?:dias|semanas|meses)))"
_LATE_ZH = r"(?:上个?月|上周|上星期|昨天|前天|今年|这个月|这周|前不久)"
_LATE_JA = r"(?:(?:先月|先週|昨日|最近|今月|今年|この前|先日|ついに)(?:に)?[、,\s]?)?"
_ONE_EN = r"(?:(?:mobile |cell |home )?(?:phone|telephone) number|(?:home |mailing )?address|e-?mail(?: address)?|username|job title|surname|last name|manager|boss)"
_ONE_DE = r"(?:telefonnummer|handynummer|adresse|anschrift|e-?mail-?adresse|nachname|chefin|chef)"
_ONE_FR = r"(?:numéro(?: de (?:téléphone|portable))?|adresse(?: e-?mail)?)"
_ONE_ES = r"(?:(?:número(?: de (?:teléfono|móvil))?)|teléfono|dirección|correo)"
_ONE_PT = r"(?:número(?: de (?:telefone|telemóvel|celular))?|telefone|endereço|e-?mail|morada)"

# What makes a sentence worth a look; the rest of the tables is not compiled for any other.
_HINT = lazy(
    r"\b(?:now|new|instead|these days|nowadays|as of|since|moved|relocated|rescheduled|postponed|pushed|delayed|shifted|slipped|changed"
    r"|brought|extended|deferred|bumped|went|rose|grew|dropped|fell|raised|increased|lowered|reduced|cut|set|switched"
    r"|renamed|migrated|jetzt|nun|inzwischen|mittlerweile|neuerdings|wurde|ist|gezogen|umgezogen"
    r"|installée?|maintenant|désormais|dorénavant|été|est|s'est|s'appelle|heißt|se llama|se chama|chama-se|déménagé|emménagé|à présent"
    r"|ahora|actualmente|hoy en día|es|ha|se|mudé|mudado|mudamos"
    r"|agora|atualmente|hoje em dia|é|foi|mudei|mudamos|moro|vivo"
    r"|correction|korrektur|corrección|correção|stattdessen|à la place|en su lugar|em vez disso)\b|[\u3040-\u30ff\u3400-\u9fff]|\(= ",
    re.I,
)
_MEANT = lazy(r"\(= ([^()]{3,300})\)\W*$")
_CJK = lazy(r"[\u3040-\u30ff\u3400-\u9fff]")
# All that may stand in front of what is told; behind anything else it may be of a case, a tale, or somebody's guess.
_LED = lazy(
    r"(?:(?:ok|okay|sure|yes|right|got it|noted|understood|thanks|thank you|as (?:you|i) (?:said|told me|mentioned)|you (?:said|told me)(?: that)?"
    r"|so|as|i (?:remember|know)(?: that)?|according to my (?:notes|memory)|alles klar|notiert|verstanden|gut|ja|laut meinen notizen"
    r"|d'accord|noté|compris|oui|bien|vale|entendido|anotado|claro|sí|certo|entendi|sim|anotei"
    r"|好的?|明白|知道了|记住了|是的|はい|了解(?:です|しました)?|承知しました)(?:\s*[,.:;!–—，、。：！-]+\s*|\s+))*",
    re.I,
)
# What stands behind `now` or `last month` when it is stored.
_MOMENT = lazy(r"\s?\((?:week of )?\d{4}(?:-\d\d(?:-\d\d(?: \d\d:\d\d)?)?)?\)")
# That it has been otherwise, said before the statement itself.
_CUE = lazy(r"(?:(?:correction|korrektur|corrección|correção)\s?(?::\s?|[–—-]\s)|(?:更正|訂正)\s?[:：]\s?)(?=\w)", re.I)
# It holds beside what held before: nothing is said anew.  `Also, …` only goes on talking.
_BESIDE = lazy(
    r"(?<!^)\balso\b|^also\b(?!,)|\b(?:too|as well|in addition)\b[.!]*$|\b(?:auch|zusätzlich|aussi|en plus|también|además|também)\b(?!,)|[也还](?=[用在有住喝吃喜])|も(?=使|住ん|好き)",
    re.I,
)

# Since when it holds, where that is all the words say.  (pattern, what stays)
_NOW: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy(pattern, re.I), rest)
    for pattern, rest in (
        (r"^(?P<lead>\W*(?:(?:so|and|but|actually|no|ok|well)[, ]\s?)?)(?:as of|since|from) (?:today|this (?:week|month|year)|last (?:week|month|year)|yesterday|\w+day),? (?=(?:i|we|my|our)\b)", r"\g<lead>"),
        (r"^(?P<lead>\W*)(?:now|these days|nowadays|at present),? (?=(?:i|we|my|our)\b)", r"\g<lead>"),
        (r"\b(?P<who>i|we|(?:my|our) [\w'-]+(?: [\w'-]+)?) now (?=[a-z])", r"\g<who> "),
        (r"\b(?P<verb>is|are|am|'m|'re) now (?=\S)", r"\g<verb> "),
        (r"(?<=\S) (?:now|these days|nowadays|instead|stattdessen|à la place|en su lugar|em vez disso)(?=[.!]*$)", ""),
        # Of these one has one; of dogs and colleagues there may be two.
        (rf"^(?P<who>(?:my|our) )new (?={_ONE_EN} is (?!not\b|in\b|on\b|at\b|from\b))", r"\g<who>"),
        (rf"^(?P<who>(?:mein|unser)e? )neue[rs]? (?={_ONE_DE} (?:ist|lautet) (?!nicht\b|in\b|bei\b|aus\b))", r"\g<who>"),
        (rf"^(?P<who>(?:mon|ma|notre) )(?:nouveau|nouvel|nouvelle) (?={_ONE_FR} est (?!dans\b|en\b|pas\b))", r"\g<who>"),
        (rf"^(?P<who>(?:mi|nuestr[oa]) )nuev[oa] (?={_ONE_ES} es )", r"\g<who>"),
        (rf"^(?P<who>(?:o |a )?(?:meu|minha|nosso|nossa) )nov[oa] (?={_ONE_PT} é )", r"\g<who>"),
        # German turns verb and person round behind the word.
        (r"^(?P<lead>\W*)(?:jetzt|inzwischen|mittlerweile|neuerdings|nun) (?P<verb>\w+e|bin|heiße|sind|\w+en) (?P<who>ich|wir) (?:jetzt )?", r"\g<lead>\g<who> \g<verb> "),
        (r"\b(?P<who>ich|wir|(?:mein|unser)e? [\w-]+) (?P<verb>\w+) (?:jetzt|inzwischen|mittlerweile|neuerdings|nun)\b(?! (?:gerade|mal|erst))", r"\g<who> \g<verb>"),
        (r"^(?P<lead>\W*)(?:maintenant|désormais|dorénavant|à présent),? (?=je |j'|nous |on |mon |ma |notre )", r"\g<lead>"),
        (r"(?P<verb>\b(?:j'|je |nous |on |est |sont |s'appelle )[\w-]*) ?(?:maintenant|désormais|dorénavant|à présent)\b", r"\g<verb>"),
        (r"(?P<rest>^(?:j'|je |nous |on |mon |ma |notre )[^,]{3,80}) (?:maintenant|désormais)(?=[.!]*$)", r"\g<rest>"),
        (r"^(?P<lead>\W*(?:yo )?)(?:ahora(?: mismo)?|actualmente|hoy en día),? (?=(?:vivo|trabajo|uso|usamos|utilizo|utilizamos|prefiero|me llamo|mi|nuestr[oa]|yo|soy)\b)", r"\g<lead>"),
        (r"(?P<verb>\b(?:vivo|trabajo|uso|usamos|utilizamos|prefiero|es|son|se llama)) (?:ahora|actualmente)\b", r"\g<verb>"),
        (r"^(?P<lead>\W*(?:eu )?)(?:agora|atualmente|hoje em dia),? (?=(?:eu|moro|vivo|trabalho|uso|usamos|prefiro|meu|minha|nosso|nossa|sou)\b)", r"\g<lead>"),
        (r"(?P<verb>\b(?:moro|vivo|trabalho|uso|usamos|prefiro|é|são|se chama|chama-se)) (?:agora|atualmente)\b", r"\g<verb>"),
        (r"^(?P<lead>(?:其实|不|不对)?[，, ]?)(?:现在|目前|如今)[，, ]?(?P<who>我们?)(?=[\u3400-\u9fff])", r"\g<lead>\g<who>"),
        (r"^(?P<who>我们?)(?:现在|目前|如今|已经)(?:改)?(?=[住在用叫喝吃])", r"\g<who>"),
        (r"^(?:今は|今では|現在は|今|現在)、?(?=[^はが]{1,20}(?:に住んで|で働い|を使っ))", ""),
    )
)  # fmt: skip

# A change, as what holds since.  (pattern, plain statement)
_CHANGED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy(pattern, re.I), plain)
    for pattern, plain in (
        (rf"{_LEAD}(?P<what>{_OURS}){_BE}{_SHIFTED}(?:\sfrom\s(?P<old>(?:port\s)?\d{{1,5}}))?\sto\sport\s(?P<value>\d{{1,5}}){_END}", "{what}is on port {value}"),
        (rf"{_LEAD}(?P<what>{_OURS}){_BE}{_SHIFTED}(?:\sfrom\s(?P<old>[^,;:()?!]{{1,40}}?))?\sto\s(?P<value>{_DAY}){_END}", "{what}is on {value}"),
        (rf"{_LEAD}(?P<what>{_OURS}){_BE}{_SHIFTED}(?:\sfrom\s(?P<old>[^,;:()?!]{{1,40}}?))?\sto\s(?P<value>{_WHEN}){_END}", "{what}is {value}"),
        (rf"{_LEAD}(?P<what>{_OURS}){_BE}(?:changed|switched)(?:\sfrom\s(?P<old>[^,;:()?!]{{1,40}}?))?\sto\s(?P<value>{_NAME}){_END}", "{what}is {value}"),
        (rf"{_LEAD}(?P<what>{_OURS}){_BE}renamed(?:\sfrom\s(?P<old>[^,;:()?!]{{1,40}}?))?(?:\s(?:to|as|into))?\s(?P<value>{_NAME}){_END}", "{what}is called {value}"),
        (rf"{_LEAD}(?:i|we)(?:'ve|\shave)?\s(?:just\s|now\s)?renamed\s(?P<what>(?:the|our|my)\s(?:[\w'&./-]+\s){{1,3}}?)(?:from\s(?P<old>[^,;:()?!]{{1,40}}?)\s)?(?:to|as|into)\s(?P<value>{_NAME}){_END}", "{what}is called {value}"),
        (rf"{_LEAD}(?P<who>i|we)(?:'ve|\shave)?\s(?:just\s|now\s|recently\s|finally\s)?(?:moved|switched|migrated|changed)\sover\sto\s(?P<value>{_NAME}){_END}", "{who} switched to {value}"),
        (rf"{_LEAD}(?P<who>i|we)(?:'ve|\shave)?\s(?:(?:just|now|recently|finally|already|then)\s){{0,2}}(?:moved|relocated)\s(?P<value>(?:back\s)?to\s{_NAME}){_END}", "{who} moved {value}"),
        (rf"{_LEAD}(?:i've|i\shave)\s(?:just\s|now\s|recently\s|finally\s)?switched\sto\s(?P<value>{_NAME}){_END}", "i switched to {value}"),
        # German
        (rf"(?P<what>{_DE_WHAT})(?:wurde|wird|ist)\s(?:jetzt\s|nun\s)?(?:auf|zum?|nach)\s(?:den\s|die\s|das\s)?(?P<value>{_WHEN})\s(?:verschoben|verlegt|geändert|vorgezogen|vertagt|erhöht|gesenkt|verlängert)[.!\s]*", "{what}ist {value}"),
        (rf"(?P<what>{_DE_WHAT})(?:wurde|ist)\s(?:jetzt\s|nun\s)?in\s(?P<value>{_NAME})\sumbenannt[.!\s]*", "{what}heißt {value}"),
        (rf"(?P<who>ich|wir)\s(?:bin|sind)\s{_LATE_DE}nach\s(?P<value>{_NAME})\s(?:um)?gezogen[.!\s]*", "{who} wohne in {value}"),
        # French
        (rf"(?P<what>{_FR_WHAT})(?:a\sété|est|s'est|sera)\s(?:maintenant\s)?(?:reporté|décalé|déplacé|avancé|repoussé|fixé|déplacé|changé|passé)e?s?\s(?:au|à|pour|le)\s(?:le\s|la\s)?(?P<value>{_WHEN})[.!\s]*", "{what} est le {value}"),
        (rf"(?:{_LATE_FR}[,\s]+)?(?:j'ai|je\sme\ssuis)\s(?:récemment\s)?(?:déménagé|emménagé|installée?)\s(?:à|en)\s(?P<value>{_NAME})(?:\s{_LATE_FR})?[.!\s]*", "j'habite à {value}"),
        # Spanish
        (rf"(?P<what>{_ES_WHAT})(?:se\s(?:ha\s)?|fue\s|ha\ssido\s)(?:movi(?:do|da|ó)|aplazó|aplazad[oa]|pospuso|pospuest[oa]|pasó|cambió|cambiad[oa]|movid[oa]|trasladó|trasladad[oa]|adelantó|adelantad[oa])\s(?:al?|para)\s(?:el\s|la\s)?(?P<value>{_WHEN})[.!\s]*", "{what} es el {value}"),
        (rf"(?:{_LATE_ES}[,\s]+)?(?:yo\s)?me\s(?:mudé|he\smudado)\sa\s(?P<value>{_NAME})(?:\s{_LATE_ES})?[.!\s]*", "vivo en {value}"),
        # Portuguese
        (rf"(?P<what>{_PT_WHAT})(?:foi\s|passou\s|mudou\s)(?:(?:adiad|transferid|mudad|movid|antecipad|remarcad|alterad)[oa]\s)?(?:para|pra)\s(?:o\s|a\s|às\s)?(?P<value>{_WHEN})[.!\s]*", "{what} é {value}"),
        (rf"(?:{_LATE_PT}[,\s]+)?(?:eu\s)?(?:me\smudei|mudei(?:-me)?)\s(?:para|pra)\s(?:o\s|a\s)?(?P<value>{_NAME})(?:\s{_LATE_PT})?[.!\s]*", "eu moro em {value}"),
        # Chinese
        (rf"我(?:已经|刚刚|刚|最近|们|{_LATE_ZH})*搬(?:到|去|家到)了?{_CJK_PLACE}了?[。.！!\s]*", "我住在{value}"),
        (r"(?P<who>我们?)(?:已经|刚刚|刚|最近)?(?:换成|换到|改用|切换到|换用|改成)了?(?P<value>[\w.+# -]{1,24}?)了?[。.！!\s]*", "{who}用{value}"),
        (rf"{_ZH_WHAT}(?:已经|现在)?(?:改到|改为|改成|改在|推迟到|推迟至|提前到|延期到|延到|变成|变为)了?(?P<value>[\u3400-\u9fff]{{0,2}}(?:\d|星期|周|礼拜)[^，。,]{{0,12}}?)了?[。.！!\s]*", "{what}是{value}"),
        # Japanese
        (rf"(?:私は|僕は)?{_LATE_JA}{_CJK_PLACE}に(?:引っ越しました|引っ越した|引越しました)[。.！!\s]*", "{value}に住んでいます"),
        (rf"{_JA_WHAT}は(?P<value>[\u3400-\u9fff]{{0,2}}(?:\d|[月火水木金土日]曜)[^はがを、。]{{0,12}}?)(?:に(?:延期|変更|前倒し|移動)(?:され|し|に|と|なり)[^、。]{{1,8}}|になりました)[。.！!\s]*", "{what}は{value}です"),
    )
)  # fmt: skip

# Plain statements in languages of which the forms know no copula, in the forms' own words.
_COPULAS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy(pattern, re.I), plain)
    for pattern, plain in (
        (rf"(?P<what>{_DE_WHAT})ist\s(?:jetzt\s)?(?:am\s|um\s|der\s|den\s)(?P<value>{_WHEN})[.!\s]*", "{what}ist {value}"),
        (rf"(?P<what>{_FR_WHAT})est\s(?:maintenant\s|désormais\s)?(?:prévue?\s)?(?:le|au|à)\s(?P<value>{_WHEN})[.!\s]*", "{what} is {value}"),
        (rf"(?P<what>{_ES_WHAT})es\s(?:ahora\s)?(?:el|la|a\slas)\s(?P<value>{_WHEN})[.!\s]*", "{what} is {value}"),
        (rf"(?P<what>{_PT_WHAT})é\s(?:agora\s)?(?:em\s|na\s|no\s|o\s|às\s|a\s)?(?:dia\s)?(?P<value>{_WHEN})[.!\s]*", "{what} is {value}"),
        (rf"(?:mon|ma)\s(?P<what>[\w-]+\s)s'appelle\s(?P<value>{_NAME})[.!\s]*", "mon {what} is called {value}"),
        (rf"(?P<what>(?:mein|unser)e?\s[\w-]+\s)heißt\s(?P<value>{_NAME})[.!\s]*", "{what} is called {value}"),
        (rf"(?P<what>(?:mi|nuestr[oa])\s[\w-]+\s)se\sllama\s(?P<value>{_NAME})[.!\s]*", "{what} is called {value}"),
        (rf"(?:[oa]\s)?(?P<what>(?:meu|minha|nosso|nossa)\s[\w-]+\s)(?:se\schama|chama-se)\s(?P<value>{_NAME})[.!\s]*", "{what} is called {value}"),
        (rf"(?:eu\s)?(?P<verb>moro|vivo)\s(?:no|na)\s(?P<value>{_NAME})[.!\s]*", "eu moro em {value}"),
        (rf"我在{_CJK_PLACE}(?:工作|上班)[。.！!\s]*", "i work at {value}"),
        (rf"{_ZH_WHAT}(?:是|在)(?P<value>[\u3400-\u9fff]{{0,2}}(?:\d|星期|周|礼拜)[^，。,]{{0,12}}?)了?[。.！!\s]*", "{what} is {value}"),
        (rf"(?:私は|僕は)?{_CJK_PLACE}に(?:住んでいます|住んでいる|住んでます)[。.！!\s]*", "i live in {value}"),
        (rf"(?:私は|僕は)?{_CJK_PLACE}で働いて(?:います|いる|ます)[。.！!\s]*", "i work at {value}"),
        (rf"{_JA_WHAT}は(?P<value>[\u3400-\u9fff]{{0,2}}(?:\d|[月火水木金土日]曜)[^はがを、。]{{0,12}}?)(?:です|だ)[。.！!\s]*", "{what} is {value}"),
    )
)  # fmt: skip


# What the assistant tells a person of themselves, as that person would say it.
_FIRST: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy(pattern, re.I), other)
    for pattern, other in (
        (r"\byou(?:'re| are)\b", "I'm"), (r"\byour\b", "my"), (r"\byou(?:'ve| have)\b", "I have"), (r"\byou\b", "I"),
        (r"\bdu (wohn|leb|arbeit)e?st\b", r"ich \1e"), (r"\bsie (wohn|leb|arbeit)en\b", r"ich \1e"),
        (r"\b(?:dein|ihr)(e?)\b", r"mein\1"), (r"\bdu heißt\b", "ich heiße"),
        (r"\b(?:tu habites|vous habitez)\b", "j'habite"), (r"\b(?:tu vis|vous vivez)\b", "je vis"),
        (r"\b(?:tu travailles|vous travaillez)\b", "je travaille"), (r"\bton\b|\bvotre\b", "mon"), (r"\bta\b", "ma"),
        (r"\b(?:usted )?vives?\b", "vivo"), (r"\b(?:usted )?trabajas?\b", "trabajo"), (r"\btu (?=\w)", "mi "),
        (r"\b(?:você mora|tu moras|moras)\b", "moro"), (r"\b(?:você trabalha|trabalhas)\b", "trabalho"),
        (r"\b(?:seu|teu)\b", "meu"), (r"\b(?:sua|tua)\b", "minha"),
        (r"[你您]", "我"), (r"^(?:あなたは|お客様は)", ""), (r"にお住まいです", "に住んでいます"),
    )
)  # fmt: skip
_OF_YOU = lazy(
    r"\b(?:you|your)\b|\b(?:du|sie|dein|ihr)e?\b|\b(?:tu|vous|ton|ta|votre)\b|\b(?:vives?|trabajas?)\b|\b(?:você|moras|seu|sua|teu|tua)\b|[你您]|住"
    r"|^(?:the|our|der|die|das|le|la|l'|el|o|a) ",
    re.I,
)

_TO_THEM = lazy(r"(?:あなたは|お客様は)?[^、。はがも]{1,12}に(?:お住まい|住んで)")  # Japanese leaves out who


def anew(text: str) -> str:
    """What holds since, when the text says by its wording that it has not always been so; else "".

    In the text's own language: `J'habite à Lyon` for `J'habite maintenant à Lyon`.
    """
    if _HINT.search(text) is None or beside(text) or passes(text):
        return ""
    said = before = _MOMENT.sub("", unicodedata.normalize("NFC", text).replace("’", "'")).strip()
    if (cue := _CUE.match(said)) is not None:
        said = said[cue.end() :]
    for pattern, rest in _NOW:
        found = pattern.search(said)
        if found is not None:
            said = f"{said[: found.start()]}{found.expand(rest)}{said[found.end() :]}".strip()
            break
    said = " ".join(said.split())
    return _filled(_CHANGED, said) or (said if said != before else "")


def spoken(text: str) -> str:
    """The words of an answer alone, without what they mean."""
    found = _MEANT.search(text)
    return text[: found.start()].rstrip() if found else text


def as_own(sentence: str) -> str:
    """What somebody is told of themselves, as they would say it: `I live in Bonn` for `as you live in Bonn`.

    "" for a sentence that is about nothing of theirs.
    """
    said = sentence.replace("’", "'").strip()
    led = _LED.match(said)
    own = said[led.end() :] if led is not None else said
    about = _OF_YOU.match(own) or _TO_THEM.match(own)
    if about is None:
        return ""
    for pattern, first in _FIRST:
        own = pattern.sub(first, own)
    return own[:1].upper() + own[1:]


def beside(text: str) -> bool:
    """It holds beside what held before: `I also use X now`."""
    return _BESIDE.search(text) is not None


def meaning(text: str) -> str:
    """What an answer means, where that stands behind it; else the text."""
    found = _MEANT.search(text)
    return found[1] if found else text


def plainly(text: str) -> str:
    """The statement in the words by which its slot is told; `text` itself where these are its own.

    "" for what does not hold now (bygone.py): it gives nothing a value.
    """
    if passes(text):
        return ""
    if _HINT.search(text) is None:
        return text
    said = meaning(text)
    said = anew(said) or said
    return _filled(_COPULAS, _MOMENT.sub("", said).strip()) or said


def _filled(table: tuple[tuple[re.Pattern[str], str], ...], said: str) -> str:
    for pattern, plain in table:
        found = pattern.fullmatch(said)
        if found is not None:
            return " ".join(plain.format(**{key: value or "" for key, value in found.groupdict().items()}).split())
    return ""


__all__ = ["CALENDAR", "MEANT", "anew", "as_own", "beside", "meaning", "plainly", "spoken"]
