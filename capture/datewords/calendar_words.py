"""Names of months, seasons and weekdays for questions about a time (`dates.spans`), and its vague expressions."""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five; full-width signs are meant

# January to December: English, German, Spanish, Portuguese, French, Italian, Dutch, Russian (in the case of a date too).
MONTHS = (
    "january|jan|januar|jänner|enero|janeiro|janvier|gennaio|januari|январь|января|январе",
    "february|feb|februar|febrero|fevereiro|février|fevrier|febbraio|februari|февраль|февраля|феврале",
    "march|mar|märz|marzo|março|marco|mars|maart|март|марта|марте",
    "april|apr|abril|avril|aprile|апрель|апреля|апреле",
    "may|mai|mayo|maio|maggio|mei|май|мая|мае",
    "june|jun|juni|junio|junho|juin|giugno|июнь|июня|июне",
    "july|jul|juli|julio|julho|juillet|luglio|июль|июля|июле",
    "august|aug|agosto|août|aout|augustus|август|августа|августе",
    "september|sept|sep|septiembre|setembro|septembre|settembre|сентябрь|сентября|сентябре",
    "october|oct|oktober|okt|octubre|outubro|octobre|ottobre|октябрь|октября|октябре",
    "november|nov|noviembre|novembro|novembre|ноябрь|ноября|ноябре",
    "december|dec|dezember|dez|diciembre|dezembro|décembre|decembre|dicembre|декабрь|декабря|декабре",
)
# Words of other meaning too: a month only beside a number, or behind a word that asks for one.
DOUBTFUL = frozenset("may mar mai mei mae marco mars jan sep dec jun".split())

# First month of the season, northern hemisphere; three months each.
SEASONS = {
    3: "spring|frühling|frühjahr|primavera|printemps|lente|voorjaar|весна|весной|春天|春季|春",
    6: "summer|sommer|verano|verão|été|estate|zomer|лето|летом|夏天|夏季|夏",
    9: "autumn|herbst|otoño|outono|automne|autunno|herfst|осень|осенью|秋天|秋季|秋",
    12: "winter|invierno|inverno|hiver|зима|зимой|冬天|冬季|冬",
}
LAST = "last|letzte[nrs]?|vorige[nrs]?|vergangene[nrs]?|vorig[e]?|afgelopen|прошл(?:ый|ой|ым|ое)|le dernier"
PAST_BEHIND = "pasado|pasada|passado|passada|dernier|dernière|scorso|scorsa"
THIS = "this|diese[nrsm]?|este|esta|ce|cet|cette|questo|questa|deze|dit|этой|этим"

WEEKDAYS = (
    "monday|montag|lunes|segunda-feira|lundi|lunedì|maandag|понедельник",
    "tuesday|dienstag|martes|terça-feira|mardi|martedì|dinsdag|вторник",
    "wednesday|mittwoch|miércoles|quarta-feira|mercredi|mercoledì|woensdag|среду",
    "thursday|donnerstag|jueves|quinta-feira|jeudi|giovedì|donderdag|четверг",
    "friday|freitag|viernes|sexta-feira|vendredi|venerdì|vrijdag|пятницу",
    "saturday|samstag|sonnabend|sábado|samedi|sabato|zaterdag|субботу",
    "sunday|sonntag|domingo|dimanche|domenica|zondag|воскресенье",
)

# Vague expressions: pattern, days back to the first day, days back to the last one.
VAGUE = (
    (
        r"a (?:few|couple(?: of)?) days (?:ago|back|earlier)|vor (?:ein paar|einigen) tagen|hace (?:unos|algunos) días|il y a quelques jours|há alguns dias|alguns dias atrás|alcuni giorni fa|een paar dagen geleden|несколько дней назад|几天前|前几天|前些天|数日前|先日|며칠 전",
        10,
        1,
    ),
    (r"the other day|neulich|kürzlich|l'autre jour|el otro día|outro dia|l'altro giorno|onlangs|на днях", 21, 0),
    (
        r"a (?:few|couple(?: of)?) weeks (?:ago|back|earlier)|vor (?:ein paar|einigen) wochen|hace (?:unas|algunas) semanas|il y a quelques semaines|há algumas semanas|alcune settimane fa|een paar weken geleden|несколько недель назад|几(?:周|个星期)前|前几周|数週間前",
        63,
        7,
    ),
    (
        r"a (?:few|couple(?: of)?) months (?:ago|back|earlier)|vor (?:ein paar|einigen) monaten|hace (?:unos|algunos) meses|il y a quelques mois|há alguns meses|alcuni mesi fa|een paar maanden geleden|несколько месяцев назад|几个月前|前几个月|数[かヶ]月前",
        280,
        28,
    ),
    (
        r"a (?:few|couple(?: of)?) years (?:ago|back|earlier)|vor (?:ein paar|einigen) jahren|hace (?:unos|algunos) años|il y a quelques années|几年前|前几年|数年前",
        3300,
        600,
    ),
    (
        r"recently|lately|these days|in letzter zeit|últimamente|recientemente|recentemente|récemment|dernièrement|di recente|недавно|最近|近来|最近は",
        45,
        0,
    ),
    (
        r"(?:over |in |during )?the (?:last|past) (?:few|couple(?: of)?) days|the past days|in den letzten tagen|los últimos días|ces derniers jours|这几天|近几天|ここ数日",
        8,
        0,
    ),
    (
        r"(?:over |in |during )?the (?:last|past) (?:few|couple(?: of)?) weeks|in den letzten wochen|las últimas semanas|ces dernières semaines|这几周|近几周",
        42,
        0,
    ),
    (
        r"(?:over |in |during )?the (?:last|past) (?:few|couple(?: of)?) months|in den letzten monaten|los últimos meses|ces derniers mois|这几个月|近几个月",
        210,
        0,
    ),
)
# `the last 3 weeks`, `过去三天`: the unit by what the matched word begins with.
ROLLING = (
    r"(?:in |over |during |within |for )?(?:the |my |our )?(?:last|past|previous) (?P<n>\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|twelve) (?P<u>days?|weeks?|months?|years?)",
    r"(?:in |over |during )?the (?:last|past) (?P<u>week|month|year)|in the (?:last|past) (?P<w>24 hours|day)",
    r"(?:in )?(?:den )?letzten (?P<n>\d{1,4}|zwei|drei|vier) (?P<u>tagen?|wochen|monaten?|jahren?)|(?:les|ces) (?P<m>\d{1,4}) dernier(?:s|e|es) (?P<v>jours|semaines|mois)|los últimos (?P<k>\d{1,4}) (?P<j>días|meses|años)",
    r"(?:过去|最近|近|這|这)(?:的)?(?P<n>\d{1,4}|[一两二三四五六七八九十半])个?(?P<u>天|周|星期|月|年)",
)
UNIT_HEADS = (("d", "day"), ("tag", "day"), ("jour", "day"), ("día", "day"), ("天", "day"), ("24", "day"), ("w", "week"), ("sem", "week"), ("周", "week"), ("星期", "week"),
              ("mo", "month"), ("mes", "month"), ("月", "month"), ("y", "year"), ("jahr", "year"), ("año", "year"), ("年", "year"))  # fmt: skip
SINCE = r"(?:since|ever since|seit|seit dem|desde|depuis|dal|sinds|с)(?: the| el| le)?[ \t]{1,3}(?:early |late |the end of |beginning of )?\Z"
SINCE_BEHIND = r"\s?(?:以来|以來|之后|之後|から|起)"
