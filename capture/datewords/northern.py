"""Common phrases of German, Dutch and Russian."""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
from .phrase import Table

# --- German ----------------------------------------------------------------------------------------------------------
_de = Table(
    "de",
    numbers={"ein": 1, "eine": 1, "einem": 1, "einer": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwölf": 12, "vierzehn": 14},
    weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag|sonnabend", "sonntag"),
)  # fmt: skip
_add = _de.add
_ZEIT = "(?: (?:morgen|früh|vormittag|mittag|nachmittag|abend|nacht))?"
_add("day", 0, "heute", f"heute{_ZEIT}")
_add("day", -1, "gestern", f"gestern{_ZEIT}")
_add("day", 1, "morgen", "morgen(?: (?:früh|vormittag|mittag|nachmittag|abend|nacht))?")
_add("day", -2, "vorgestern", f"vorgestern{_ZEIT}")
_add("day", 2, "übermorgen", f"übermorgen{_ZEIT}")
_add("day", 0, "diesen morgen", "diesen morgen")
_LAST, _THIS, _NEXT = "(?:letzt|vorig|vergangen)", "dies", "(?:nächst|kommend)"
for _shift, _stem in ((-1, _LAST), (0, _THIS), (1, _NEXT)):
    _gate = {-1: "letzt|vorig|vergangen", 0: "dies", 1: "nächst|kommend"}[_shift]
    _add("week", _shift, _gate, f"{_stem}er? woche")
    _add("month", _shift, _gate, f"{_stem}e[nm]s? monat|{_stem}es monats")
    _add("year", _shift, _gate, f"{_stem}e[sm] jahre?")
    _add("weekday", _shift, _gate, f"(?:am )?{{d}} {_stem}er woche")
    _add("weekday", _shift, _gate, f"{_stem}e woche(?: am)? {{d}}")
_add("lastday", 0, "letzt|vorig|vergangen", f"(?:am )?{_LAST}en {{d}}")
_add("weekday", 0, "diesen", "diesen {d}")
_add("weekday", 1, "nächste", "nächsten {d}")
_add("coming", 0, "kommenden", "(?:am )?kommenden {d}")
_add("week", -2, "vorletzte", "vorletzter? woche")
_add("week", 2, "übernächste", "übernächster? woche")
_EINHEIT = {
    "day": "tage?n?",
    "week": "wochen?",
    "month": "monate?n?",
    "year": "jahre?n?",
    "hour": "stunden?",
    "minute": "minuten?",
}
_add("count", -1, "vor ", "vor {n} {u}", units=_EINHEIT)
_add("count", 1, "in ", "in {n} {u}", units=_EINHEIT)
_add("now", 0, "gerade eben|soeben", "gerade eben|soeben")
_add(
    "leave",
    0,
    "morgen",
    "(?:guten|schönen|jeden|am|eines) morgen|von heute auf morgen|(?:heute|gestern) (?:oder|und|bis) morgen (?:früh )?abend",
)
_add(
    "leave",
    0,
    "vor |in ",
    "(?:vor|in) (?:über|mehr als|weniger als|fast|etwa|circa|ca\\.) {N} [a-zä]{3,9}|(?:vor|in) {N} (?:bis|oder) {N} [a-zä]{3,9}|vor {N} [a-zä]{3,9} und {N} [a-zä]{3,9}",
)

# --- Dutch -----------------------------------------------------------------------------------------------------------
_nl = Table(
    "nl",
    numbers={"een": 1, "één": 1, "twee": 2, "drie": 3, "vier": 4, "vijf": 5, "zes": 6, "zeven": 7, "acht": 8, "negen": 9, "tien": 10},
    weekdays=("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"),
)  # fmt: skip
_add = _nl.add
_add("day", 0, "vandaag", "vandaag")
_add("day", -1, "gisteren", "gisteren(?:ochtend|middag|avond)?|gister(?:ochtend|middag|avond)")
_add("day", 1, "morgen", "morgen(?:ochtend|middag|avond)")
_add("day", -2, "eergisteren", "eergisteren")
_add("day", 2, "overmorgen", "overmorgen")
_add("day", 0, "vanavond|vanochtend|vanmorgen|vanmiddag", "vanavond|vanochtend|vanmorgen|vanmiddag")
for _shift, _de_word, _het in (
    (-1, "(?:vorige|afgelopen)", "vorig|afgelopen"),
    (0, "deze", "dit"),
    (1, "volgende", "volgend"),
):
    _add("week", _shift, " week", f"{_de_word} week")
    _add("month", _shift, " maand", f"{_de_word} maand")
    _add("year", _shift, " jaar", f"(?:{_het}) jaar")
_add("lastday", 0, "afgelopen|vorige", "(?:afgelopen|vorige) {d}")
_add("weekday", 1, "volgende", "volgende {d}")
_add("weekday", 0, "deze", "deze {d}")
_EENHEID = {
    "day": "dagen|dag",
    "week": "weken|week",
    "month": "maanden|maand",
    "year": "jaar|jaren",
    "hour": "uur|uren",
    "minute": "minuten|minuut",
}
_add("count", -1, "geleden", "{n} {u} geleden", units=_EENHEID)
_add("count", 1, "over ", "over {n} {u}", units=_EENHEID)
_add("now", 0, "zojuist|zonet", "zojuist|zonet")
_add("leave", 0, "morgen", "(?:goede|goeie|elke|de|in de|op een) morgen|[’']s morgens")

# --- Russian ---------------------------------------------------------------------------------------------------------
_ru = Table(
    "ru",
    numbers={"один": 1, "одну": 1, "два": 2, "две": 2, "три": 3, "четыре": 4, "пять": 5, "шесть": 6, "семь": 7, "восемь": 8, "девять": 9, "десять": 10},
    weekdays=("понедельник", "вторник", "среду|среда", "четверг", "пятницу|пятница", "субботу|суббота", "воскресенье"),
)  # fmt: skip
_add = _ru.add
_VREMYA = "(?: (?:утром|днём|днем|вечером|ночью))?"
_add("day", 0, "сегодня", f"сегодня{_VREMYA}")
_add("day", -1, "вчера", f"вчера{_VREMYA}")
_add("day", 1, "завтра", f"завтра{_VREMYA}")
_add("day", -2, "позавчера", f"позавчера{_VREMYA}")
_add("day", 2, "послезавтра", f"послезавтра{_VREMYA}")
for _shift, _f, _m in ((-1, "прошлой", "прошлом"), (0, "этой", "этом"), (1, "следующей", "следующем")):
    _add("week", _shift, "неделе", f"(?:на )?{_f} неделе")
    _add("month", _shift, "месяце", f"(?:в )?{_m} месяце")
    _add("year", _shift, "году", f"(?:в )?{_m} году")
_add("lastday", 0, "прошл", "(?:во? )?прошл(?:ый|ую|ое) {d}")
_add("weekday", 1, "следующ", "(?:во? )?следующ(?:ий|ую|ее) {d}")
_add("weekday", 0, "эт", "(?:во? )?эт(?:от|у|о) {d}")
_EDINITSA = {
    "day": "дней|дня|день",
    "week": "недель|недели|неделю",
    "month": "месяцев|месяца|месяц",
    "year": "лет|года|год",
    "hour": "часов|часа|час",
    "minute": "минут|минуты|минуту",
}
_add("count", -1, "назад", "{n} {u} назад", units=_EDINITSA)
_add("count", 1, "через ", "через {n} {u}", units=_EDINITSA)
_add("now", 0, "только что", "только что")

PHRASES = tuple(_de.phrases + _nl.phrases + _ru.phrases)
