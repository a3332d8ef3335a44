"""Common phrases of Spanish, Portuguese, French and Italian."""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
from .phrase import Table

# --- Spanish ---------------------------------------------------------------------------------------------------------
_es = Table(
    "es",
    numbers={"un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10},
    weekdays=("lunes", "martes", "miércoles|miercoles", "jueves", "viernes", "sábado|sabado", "domingo"),
)  # fmt: skip
_add = _es.add
_PARTE = "(?: (?:por|en|a|de) la (?:mañana|tarde|noche)| al mediodía| temprano)?"
_add("day", 0, "hoy", "hoy(?: mismo)?")
_add("day", -1, "ayer", f"ayer{_PARTE}")
_add("day", 1, "mañana", f"mañana{_PARTE}")
_add("day", -2, "anteayer|antier|antes de ayer", "anteayer|antier|antes de ayer")
_add("day", 2, "pasado mañana", "pasado mañana")
_add("day", 0, "esta ", "esta (?:mañana|tarde|noche)")
_add("day", -1, "anoche", "anoche")
for _unit, _word, _last, _this, _next in (
    ("week", "semana", "pasada|anterior", "esta", "próxima|proxima"),
    ("month", "mes", "pasado|anterior", "este", "próximo|proximo"),
    ("year", "año", "pasado|anterior", "este", "próximo|proximo"),
):
    _add(_unit, -1, _word, f"(?:(?:la|el) )?{_word} (?:{_last})")
    _add(_unit, 0, _word, f"{_this} {_word}")
    _add(_unit, 1, _word, f"(?:(?:la|el) )?(?:(?:{_next}) {_word}|{_word} (?:que viene|{_next}|entrante))")
_add("lastday", 0, "pasad", "(?:el )?(?:{d} pasado|pasado {d})")
_add("weekday", 0, "este", "este {d}")
_add("weekday", 1, "próximo|proximo", "(?:el )?(?:(?:próximo|proximo) {d}|{d} (?:próximo|proximo))")
_add("coming", 0, "que viene", "(?:el )?{d} que viene")
_add("weekday", -1, "semana", "(?:el )?{d} de la semana pasada")
_add("weekday", 1, "semana", "(?:el )?{d} de la (?:próxima semana|semana que viene)")
_UNIDAD = {
    "day": "días?|dias?",
    "week": "semanas?",
    "month": "meses|mes",
    "year": "años?",
    "hour": "horas?",
    "minute": "minutos?",
}
_add("count", -1, "hace ", "hace {n} {u}", units=_UNIDAD)
_add("count", 1, "dentro de", "dentro de {n} {u}", units=_UNIDAD)
_add("count", 1, "en ", "en {n} {u}", units=_UNIDAD)
_add("now", 0, "ahora mismo", "ahora mismo")
_add("leave", 0, "hoy", "hoy (?:en|por) (?:día|dia|hoy)")
_add(
    "leave",
    0,
    "mañana",
    "(?:(?:por|en|de|toda|cada|una|la|las|media|buena|otra|primera hora de) ){1,2}mañana|mañana (?:siguiente|anterior)",
)
_add(
    "leave",
    0,
    "hace ",
    "hace (?:unos|unas|más de|menos de|casi) {N} [a-zñí]{3,8}|hace {N} [a-zñí]{3,8} y (?:medi[oa]|{N} [a-zñí]{3,8})",
)
_add("leave", 0, "pasad", "(?:el )?{d} (?:pasado )?(?:pasado mañana)")

# --- Portuguese ------------------------------------------------------------------------------------------------------
_pt = Table(
    "pt",
    numbers={"um": 1, "uma": 1, "dois": 2, "duas": 2, "três": 3, "tres": 3, "quatro": 4, "cinco": 5, "seis": 6, "sete": 7, "oito": 8, "nove": 9, "dez": 10},
    weekdays=("segunda-feira|segunda", "terça-feira|terça|terca-feira", "quarta-feira|quarta", "quinta-feira|quinta", "sexta-feira|sexta", "sábado|sabado", "domingo"),
)  # fmt: skip
_add = _pt.add
_PARTE = "(?: (?:de manhã|à noite|à tarde|de tarde|de noite|cedo))?"
_add("day", 0, "hoje", f"hoje{_PARTE}")
_add("day", -1, "ontem", f"ontem{_PARTE}")
_add("day", 1, "amanhã", f"amanhã{_PARTE}")
_add("day", -2, "anteontem|antes de ontem", "anteontem|antes de ontem")
_add("day", 2, "depois de amanhã", "depois de amanhã")
for _unit, _word, _a, _this, _next in (
    ("week", "semana", "passada", "n?(?:esta|essa)", "próxima|proxima"),
    ("month", "mês", "passado", "n?(?:este|esse)", "próximo|proximo"),
    ("year", "ano", "passado", "n?(?:este|esse)", "próximo|proximo"),
):
    _add(_unit, -1, _word, f"{_word} {_a}")
    _add(_unit, 0, _word, f"{_this} {_word}")
    _add(_unit, 1, _word, f"(?:{_next}) {_word}|{_word} que vem")
_add("lastday", 0, "passad|últim|ultim", "(?:n[ao] )?(?:{d} passad[ao])")
_add("lastday", 0, "últim", "(?:n[ao] )?últim[ao] {d}")
_add("weekday", 0, "est", "n?est[ae] {d}")
_add("weekday", 1, "próxim", "(?:n[ao] )?próxim[ao] {d}")
_add("coming", 0, "que vem", "(?:n[ao] )?{d} que vem")
_UNIDADE = {
    "day": "dias?",
    "week": "semanas?",
    "month": "meses|mês",
    "year": "anos?",
    "hour": "horas?",
    "minute": "minutos?",
}
_add("count", -1, "há ", "há {n} {u}(?: atrás)?", units=_UNIDADE)
_add("count", -1, "atrás", "{n} {u} atrás", units=_UNIDADE)
_add("count", 1, "daqui ", "(?:daqui a|dentro de) {n} {u}", units=_UNIDADE)
_add("now", 0, "agora mesmo", "agora mesmo")
_add("leave", 0, "hoje", "hoje em dia")
_add(
    "leave",
    0,
    "há |atrás",
    "(?:há )?(?:mais de|menos de|cerca de) {N} [a-zêç]{3,8}(?: atrás)?|há {N} [a-zêç]{3,8} e (?:mei[oa]|{N} [a-zêç]{3,8})",
)

# --- French ----------------------------------------------------------------------------------------------------------
# `hier` is German for "here": it needs a French sentence around it.
_FRENCH = frozenset(
    "je j tu il elle on nous vous ils elles le la les l un une des du de d et est ai a avons c ce cette qu que qui mon ma mes notre pour dans avec sur au aux en pas ne n été soir matin était".split()
)
_GERMAN = frozenset(
    "ich du er sie es wir ihr der die das den dem ein eine einen ist sind war hat habe haben und nicht mit für auf im von zu wie was wo mir mich kein bitte bin in an noch auch steht gibt".split()
)
_fr = Table(
    "fr",
    numbers={"un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9, "dix": 10},
    weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
)  # fmt: skip
_add = _fr.add
_PARTIE = "(?: (?:matin|soir|après-midi|midi))?"
_add("day", 0, "aujourd", "aujourd[’']hui")
_add("day", -1, "hier", f"hier{_PARTIE}", needs=(_FRENCH, _GERMAN))
_add("day", 1, "demain", f"demain{_PARTIE}")
_add("day", -2, "avant-hier|avant hier", "avant(?:-| )hier")
_add("day", 2, "après-demain|après demain", "après(?:-| )demain")
_add("day", 0, "ce |cet", "(?:ce (?:matin|soir)|cet après-midi|cette nuit)(?!-là)")
for _unit, _word, _this, _e in (
    ("week", "semaine", "cette", "e"), ("month", "mois", "ce", ""), ("year", "année|an", "cette|cet", "e?")
):  # fmt: skip
    _gate = _word.split("|")[0][:4] if _unit == "year" else _word
    _gates = "année|an " if _unit == "year" else _gate
    _add(_unit, -1, _gates, f"(?:la |le |l[’'])?(?:{_word}) (?:derni[eè]re?|passée?)")
    _add(_unit, 0, _gates, f"(?:{_this}) (?:{_word})(?:-ci)?")
    _add(_unit, 1, _gates, f"(?:la |le |l[’'])?(?:{_word}) prochain{_e}")
_add("lastday", 0, "dernier|passé", "{d} (?:dernier|passé)")
_add("weekday", 1, "prochain", "{d} prochain")
_add("weekday", 0, "ce ", "ce {d}")
_UNITE = {
    "day": "jours?",
    "week": "semaines?",
    "month": "mois",
    "year": "ans?|années?",
    "hour": "heures?",
    "minute": "minutes?",
}
_add("count", -1, "il y a|y a ", "(?:il )?y a {n} {u}", units=_UNITE)
_add("count", 1, "dans ", "dans {n} {u}", units=_UNITE)
_add("now", 0, "à l'instant|à l’instant", "à l[’']instant(?! où)")
_add(
    "leave",
    0,
    "y a ",
    "(?:il )?y a (?:plus de|moins de|environ|presque) {N} [a-zé]{2,8}|(?:il )?y a {N} [a-zé]{2,8} et (?:demie?|{N} [a-zé]{2,8})",
)
_add("leave", 0, "aujourd|demain", "le monde d[’'](?:aujourd[’']hui|hier)|à demain la")

# --- Italian ---------------------------------------------------------------------------------------------------------
_it = Table(
    "it",
    numbers={"un": 1, "uno": 1, "una": 1, "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "sette": 7, "otto": 8, "nove": 9, "dieci": 10},
    weekdays=("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"),
)  # fmt: skip
_add = _it.add
_PARTE = "(?: (?:mattina|sera|pomeriggio|notte))?"
_add("day", 0, "oggi", "oggi(?: pomeriggio)?")
_add("day", -1, "ieri", f"ieri{_PARTE}")
_add("day", 1, "domani", f"domani{_PARTE}")
_add("day", -2, "altro ieri|altroieri", "(?:l[’'])?altro ?ieri|avantieri")
_add("day", 2, "dopodomani", "dopodomani")
_add("day", 0, "stamattina|stasera|stanotte", "stamattina|stasera|stanotte")
for _unit, _word, _a, _this in (
    ("week", "settimana", "a", "questa"),
    ("month", "mese", "o", "questo"),
    ("year", "anno", "o", "quest[’']"),
):
    _gap = "" if _unit == "year" else " "
    _add(_unit, -1, _word, f"(?:(?:la|il) |l[’'])?(?:{_word} scors{_a}|scors{_a} {_word})")
    _add(_unit, 0, _word, f"{_this}{_gap}{_word}")
    _add(_unit, 1, _word, f"(?:(?:la|il) |l[’'])?(?:{_word} prossim{_a}|prossim{_a} {_word})")
_add("lastday", 0, "scors", "(?:{d} scors[oa])")
_add("weekday", 1, "prossim", "{d} prossim[oa]")
_UNITA = {
    "day": "giorni|giorno",
    "week": "settimane|settimana",
    "month": "mesi|mese",
    "year": "anni|anno",
    "hour": "ore|ora",
    "minute": "minuti|minuto",
}
_add("count", -1, " fa", "{n} {u} fa", units=_UNITA)
_add("count", 1, "tra |fra ", "(?:tra|fra) {n} {u}", units=_UNITA)
_add("leave", 0, "oggi", "al giorno d[’']oggi|oggigiorno")

PHRASES = tuple(_es.phrases + _pt.phrases + _fr.phrases + _it.phrases)
