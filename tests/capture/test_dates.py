"""Relative dates: every row of the table, every language, and the calendar (H9, capture.md section 3; HA53-HA61, HI2)."""

# ruff: noqa: E501 - one case is one line
import calendar
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from cognition.capture.dates import resolve
from hypothesis import given, settings
from hypothesis import strategies as st

TOKYO = ZoneInfo("Asia/Tokyo")
BERLIN = ZoneInfo("Europe/Berlin")
KOLKATA = ZoneInfo("Asia/Kolkata")
NEW_YORK = ZoneInfo("America/New_York")

# Wednesday, in an ordinary week.
WEDNESDAY = datetime(2026, 2, 4, 15, 30, tzinfo=BERLIN)


def said(text: str, when: datetime = WEDNESDAY, zone: tzinfo | None = None) -> str:
    return resolve(text, when.timestamp(), zone or when.tzinfo)


ENGLISH = {
    "today": "2026-02-04",
    "yesterday": "2026-02-03",
    "tomorrow": "2026-02-05",
    "tonight": "2026-02-04",
    "last night": "2026-02-03",
    "this morning": "2026-02-04",
    "yesterday evening": "2026-02-03",
    "the day before yesterday": "2026-02-02",
    "the day after tomorrow": "2026-02-06",
    "last week": "week of 2026-01-26",
    "this week": "week of 2026-02-02",
    "next week": "week of 2026-02-09",
    "last month": "2026-01",
    "this month": "2026-02",
    "next month": "2026-03",
    "last year": "2025",
    "this year": "2026",
    "next year": "2027",
    "the week before last": "week of 2026-01-19",
    "the week after next": "week of 2026-02-16",
    "last Monday": "2026-02-02",
    "last Wednesday": "2026-01-28",
    "last Friday": "2026-01-30",
    "this Monday": "2026-02-02",
    "this Friday": "2026-02-06",
    "next Monday": "2026-02-09",
    "next Friday": "2026-02-13",
    "next Fri": "2026-02-13",
    "last tuesday": "2026-02-03",
    "this coming Friday": "2026-02-06",
    "Monday next week": "2026-02-09",
    "last week on Tuesday": "2026-01-27",
    "3 days ago": "2026-02-01",
    "two weeks ago": "2026-01-21",
    "a month ago": "2026-01-04",
    "one week ago": "2026-01-28",
    "12 months ago": "2025-02-04",
    "3 years ago": "2023",
    "in 3 days": "2026-02-07",
    "in two weeks": "2026-02-18",
    "in 1 month": "2026-03-04",
    "in two weeks' time": "2026-02-18",
    "10 days from now": "2026-02-14",
    "2 hours ago": "2026-02-04 13:30",
    "45 minutes ago": "2026-02-04 14:45",
    "in 10 minutes": "2026-02-04 15:40",
    "in 9 hours": "2026-02-05 00:30",
    "just now": "2026-02-04 15:30",
}
CHINESE = {
    "今天": "2026-02-04",
    "昨天": "2026-02-03",
    "明天": "2026-02-05",
    "前天": "2026-02-02",
    "后天": "2026-02-06",
    "大前天": "2026-02-01",
    "大后天": "2026-02-07",
    "今晚": "2026-02-04",
    "昨晚": "2026-02-03",
    "今早": "2026-02-04",
    "明早": "2026-02-05",
    "上周": "week of 2026-01-26",
    "本周": "week of 2026-02-02",
    "这周": "week of 2026-02-02",
    "下周": "week of 2026-02-09",
    "上个星期": "week of 2026-01-26",
    "这个星期": "week of 2026-02-02",
    "下星期": "week of 2026-02-09",
    "下个礼拜": "week of 2026-02-09",
    "上上周": "week of 2026-01-19",
    "上周一": "2026-01-26",
    "上周三": "2026-01-28",
    "上周六": "2026-01-31",
    "上周日": "2026-02-01",
    "上周天": "2026-02-01",
    "本周五": "2026-02-06",
    "这周二": "2026-02-03",
    "下周四": "2026-02-12",
    "下个星期天": "2026-02-15",
    "上个月": "2026-01",
    "本月": "2026-02",
    "这个月": "2026-02",
    "下个月": "2026-03",
    "去年": "2025",
    "今年": "2026",
    "明年": "2027",
    "3天前": "2026-02-01",
    "三天后": "2026-02-07",
    "3 天前": "2026-02-01",
    "两周前": "2026-01-21",
    "十周后": "2026-04-15",
    "2个月前": "2025-12-04",
    "一个月后": "2026-03-04",
    "3小时前": "2026-02-04 12:30",
    "两小时后": "2026-02-04 17:30",
    "5分钟前": "2026-02-04 15:25",
    "十分钟后": "2026-02-04 15:40",
    "刚才": "2026-02-04 15:30",
    "现在": "2026-02-04 15:30",
}
OTHERS = {
    "es": {"hoy": "2026-02-04", "ayer": "2026-02-03", "mañana": "2026-02-05", "anteayer": "2026-02-02", "pasado mañana": "2026-02-06", "la semana pasada": "week of 2026-01-26",
           "esta semana": "week of 2026-02-02", "la próxima semana": "week of 2026-02-09", "la semana que viene": "week of 2026-02-09", "el mes pasado": "2026-01", "el próximo mes": "2026-03",
           "este año": "2026", "el año pasado": "2025", "el lunes pasado": "2026-02-02", "el próximo lunes": "2026-02-09", "hace 3 días": "2026-02-01", "hace dos semanas": "2026-01-21",
           "dentro de un mes": "2026-03-04", "en 3 días": "2026-02-07", "hace 2 horas": "2026-02-04 13:30", "mañana por la mañana": "2026-02-05", "anoche": "2026-02-03"},
    "de": {"heute": "2026-02-04", "gestern": "2026-02-03", "morgen": "2026-02-05", "vorgestern": "2026-02-02", "übermorgen": "2026-02-06", "letzte Woche": "week of 2026-01-26",
           "diese Woche": "week of 2026-02-02", "nächste Woche": "week of 2026-02-09", "letzten Monat": "2026-01", "nächsten Monat": "2026-03", "letztes Jahr": "2025", "dieses Jahr": "2026",
           "letzten Freitag": "2026-01-30", "nächsten Freitag": "2026-02-13", "vor 3 Tagen": "2026-02-01", "vor zwei Wochen": "2026-01-21", "in einem Monat": "2026-03-04", "in 3 Tagen": "2026-02-07",
           "vor 2 Stunden": "2026-02-04 13:30", "heute Morgen": "2026-02-04", "morgen früh": "2026-02-05", "gestern Abend": "2026-02-03", "Freitag nächster Woche": "2026-02-13"},
    "fr": {"aujourd'hui": "2026-02-04", "aujourd’hui": "2026-02-04", "demain": "2026-02-05", "avant-hier": "2026-02-02", "après-demain": "2026-02-06", "la semaine dernière": "week of 2026-01-26",
           "cette semaine": "week of 2026-02-02", "la semaine prochaine": "week of 2026-02-09", "le mois dernier": "2026-01", "le mois prochain": "2026-03", "l'année dernière": "2025",
           "l'an dernier": "2025", "cette année": "2026", "lundi dernier": "2026-02-02", "lundi prochain": "2026-02-09", "il y a 3 jours": "2026-02-01", "il y a deux semaines": "2026-01-21",
           "dans 3 jours": "2026-02-07", "dans un mois": "2026-03-04", "ce matin": "2026-02-04", "il y a 2 heures": "2026-02-04 13:30"},
    "pt": {"hoje": "2026-02-04", "ontem": "2026-02-03", "amanhã": "2026-02-05", "anteontem": "2026-02-02", "depois de amanhã": "2026-02-06", "semana passada": "week of 2026-01-26",
           "esta semana": "week of 2026-02-02", "próxima semana": "week of 2026-02-09", "mês passado": "2026-01", "próximo mês": "2026-03", "mês que vem": "2026-03", "ano passado": "2025",
           "segunda-feira passada": "2026-02-02", "próxima sexta-feira": "2026-02-13", "há 3 dias": "2026-02-01", "duas semanas atrás": "2026-01-21", "daqui a 3 dias": "2026-02-07",
           "há 2 horas": "2026-02-04 13:30", "ontem à noite": "2026-02-03"},
    "ja": {"今日": "2026-02-04", "昨日": "2026-02-03", "明日": "2026-02-05", "一昨日": "2026-02-02", "明後日": "2026-02-06", "おととい": "2026-02-02", "今夜": "2026-02-04", "先週": "week of 2026-01-26",
           "今週": "week of 2026-02-02", "来週": "week of 2026-02-09", "先月": "2026-01", "今月": "2026-02", "来月": "2026-03", "去年": "2025", "昨年": "2025", "来年": "2027",
           "先週の月曜日": "2026-01-26", "来週の金曜日": "2026-02-13", "3日前": "2026-02-01", "2週間後": "2026-02-18", "1か月前": "2026-01-04", "2時間前": "2026-02-04 13:30", "さっき": "2026-02-04 15:30"},
    "ko": {"오늘": "2026-02-04", "어제": "2026-02-03", "내일": "2026-02-05", "그저께": "2026-02-02", "모레": "2026-02-06", "지난주": "week of 2026-01-26", "다음 주": "week of 2026-02-09", "지난달": "2026-01",
           "작년": "2025", "다음 주 월요일": "2026-02-09", "3일 전": "2026-02-01", "2주 후": "2026-02-18"},
    "it": {"oggi": "2026-02-04", "ieri": "2026-02-03", "domani": "2026-02-05", "l'altro ieri": "2026-02-02", "dopodomani": "2026-02-06", "la settimana scorsa": "week of 2026-01-26",
           "la prossima settimana": "week of 2026-02-09", "il mese scorso": "2026-01", "l'anno scorso": "2025", "lunedì scorso": "2026-02-02", "tre giorni fa": "2026-02-01", "tra due settimane": "2026-02-18"},
    "nl": {"vandaag": "2026-02-04", "gisteren": "2026-02-03", "eergisteren": "2026-02-02", "overmorgen": "2026-02-06", "vorige week": "week of 2026-01-26", "volgende week": "week of 2026-02-09",
           "vorige maand": "2026-01", "vorig jaar": "2025", "afgelopen maandag": "2026-02-02", "3 dagen geleden": "2026-02-01", "morgenavond": "2026-02-05"},
    "ru": {"сегодня": "2026-02-04", "вчера": "2026-02-03", "завтра": "2026-02-05", "позавчера": "2026-02-02", "послезавтра": "2026-02-06", "на прошлой неделе": "week of 2026-01-26",
           "на следующей неделе": "week of 2026-02-09", "в прошлом месяце": "2026-01", "в прошлом году": "2025", "в прошлый понедельник": "2026-02-02", "3 дня назад": "2026-02-01", "через 2 недели": "2026-02-18"},
}  # fmt: skip
FRAMES = {
    "en": "We met {} and talked.",
    "zh": "我们{}，见面了。",
    "es": "Nos vemos {}, creo.",
    "de": "Wir treffen uns {}, denke ich.",
    "fr": "On se voit {}, je pense.",
    "pt": "A gente se vê {}, acho.",
    "ja": "{}、会いましょう。",
    "ko": "{}, 만나요.",
    "it": "Ci vediamo {}, credo.",
    "nl": "We zien elkaar {}, denk ik.",
    "ru": "Мы встречаемся {}, думаю.",
}
TABLE = [
    (language, words, value)
    for language, rows in (("en", ENGLISH), ("zh", CHINESE), *OTHERS.items())
    for words, value in rows.items()
]


@pytest.mark.parametrize(("language", "words", "value"), TABLE)
def test_every_phrase_of_the_table(language: str, words: str, value: str) -> None:
    """HA53, HA57, HD7, HD8: the words stay, the value follows in parentheses."""
    frame = "We will meet {} and talk." if words.startswith("in ") and language == "en" else FRAMES[language]
    text = frame.format(words)
    assert said(text) == frame.format(f"{words} ({value})")


def test_hier_is_french_only_in_a_french_sentence() -> None:
    assert said("J'ai vu le dentiste hier.") == "J'ai vu le dentiste hier (2026-02-03)."
    assert said("Ich bin hier und warte.") == "Ich bin hier und warte."


def test_the_base_is_the_day_of_the_zone() -> None:
    """B067, HA54, HA55: not the day in UTC, and not the day of the write."""
    when = datetime.fromisoformat("2026-03-01T00:10+09:00")
    assert said("I saw the dentist yesterday", when) == "I saw the dentist yesterday (2026-02-28)"
    assert said("I saw the dentist yesterday", when, TOKYO) == "I saw the dentist yesterday (2026-02-28)"
    assert said("I saw the dentist yesterday", when, UTC) == "I saw the dentist yesterday (2026-02-27)"


@pytest.mark.parametrize(
    ("when", "text", "expected"),
    [
        # Clock changes: 29 March 2026 has 23 hours in Berlin, 25 October has 25 (HD5).
        (datetime(2026, 3, 29, 23, 30, tzinfo=BERLIN), "yesterday", "2026-03-28"),
        (datetime(2026, 3, 30, 0, 30, tzinfo=BERLIN), "yesterday", "2026-03-29"),
        (datetime(2026, 3, 28, 23, 59, tzinfo=BERLIN), "tomorrow", "2026-03-29"),
        (datetime(2026, 10, 25, 23, 30, tzinfo=BERLIN), "yesterday", "2026-10-24"),
        (datetime(2026, 10, 26, 0, 15, tzinfo=BERLIN), "1 day ago", "2026-10-25"),
        (datetime(2026, 3, 29, 4, 0, tzinfo=BERLIN), "3 hours ago", "2026-03-29 00:00"),
        (datetime(2026, 10, 25, 4, 0, tzinfo=BERLIN), "3 hours ago", "2026-10-25 02:00"),
        # Month ends, leap days, year ends.
        (datetime(2026, 3, 31, 12, tzinfo=BERLIN), "a month ago", "2026-02-28"),
        (datetime(2024, 3, 31, 12, tzinfo=BERLIN), "a month ago", "2024-02-29"),
        (datetime(2026, 10, 31, 12, tzinfo=BERLIN), "4 months from now", "2027-02-28"),
        (datetime(2024, 2, 29, 12, tzinfo=BERLIN), "12 months ago", "2023-02-28"),
        (datetime(2026, 1, 31, 12, tzinfo=BERLIN), "next month", "2026-02"),
        (datetime(2026, 1, 1, 0, 1, tzinfo=BERLIN), "yesterday", "2025-12-31"),
        (datetime(2025, 12, 31, 23, 59, tzinfo=BERLIN), "next year", "2026"),
        (datetime(2026, 1, 15, 12, tzinfo=BERLIN), "last month", "2025-12"),
        # ISO weeks run over the year's end; a Sunday belongs to the week before.
        (datetime(2027, 1, 1, 12, tzinfo=BERLIN), "this week", "week of 2026-12-28"),
        (datetime(2026, 2, 8, 12, tzinfo=BERLIN), "this week", "week of 2026-02-02"),
        (datetime(2026, 2, 8, 12, tzinfo=BERLIN), "next Monday", "2026-02-09"),
        (datetime(2026, 2, 8, 12, tzinfo=BERLIN), "上周日", "2026-02-01"),
        (datetime(2026, 2, 9, 12, tzinfo=BERLIN), "last Monday", "2026-02-02"),
    ],
)
def test_calendar_arithmetic(when: datetime, text: str, expected: str) -> None:
    """HA56, HD5."""
    assert said(text, when) == f"{text} ({expected})"


def months_from(day: date, number: int) -> date:
    """The oracle: step by step, month after month."""
    year, month = day.year, day.month
    for _ in range(abs(number)):
        month += 1 if number > 0 else -1
        year, month = (year + 1, 1) if month == 13 else (year - 1, 12) if month == 0 else (year, month)
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def week_of(day: date, shift: int) -> str:
    year, week, _ = (day + timedelta(days=7 * shift)).isocalendar()
    return f"week of {date.fromisocalendar(year, week, 1).isoformat()}"


@pytest.mark.parametrize("zone", [BERLIN, NEW_YORK, KOLKATA], ids=str)
def test_every_day_of_two_years(zone: ZoneInfo) -> None:
    """HI2: against an oracle that knows no arithmetic on seconds; at the first, a middle and the last minute of a day."""
    day = date(2027, 1, 1)
    while day < date(2029, 1, 1):
        hour, minute = ((0, 0), (12, 34), (23, 59))[day.toordinal() % 3]
        when = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
        friday = next(day - timedelta(days=back) for back in range(1, 8) if (day - timedelta(days=back)).weekday() == 4)
        values = {
            "yesterday": str(day - timedelta(days=1)),
            "3 days from now": str(day + timedelta(days=3)),
            "last week": week_of(day, -1),
            "下周": week_of(day, 1),
            "last Friday": str(friday),
            "next month": str(months_from(day.replace(day=1), 1))[:7],
            "5 months ago": str(months_from(day, -5)),
            "2个月后": str(months_from(day, 2)),
            "6 hours ago": f"{datetime.fromtimestamp(when.timestamp() - 6 * 3600, zone):%Y-%m-%d %H:%M}",
        }
        text = "; ".join(values)
        assert said(text, when) == "; ".join(f"{words} ({value})" for words, value in values.items())
        day += timedelta(days=1)


@pytest.mark.parametrize(
    "text",
    ["99999 months ago", "in 99999 weeks we will see", "99999 years ago", "in 99999 days we will see"],
)
def test_a_year_that_no_calendar_holds_leaves_the_words(text: str) -> None:
    near = datetime(9999, 12, 1, tzinfo=UTC) if text.startswith("in ") else datetime(2026, 1, 1, tzinfo=UTC)
    assert said(text, near) == text


@pytest.mark.parametrize("at", [float("nan"), float("inf"), -1e300, 1e18])
def test_a_time_that_is_none_leaves_the_words(at: float) -> None:
    assert resolve("yesterday", at, UTC) == "yesterday"


def test_without_a_zone_the_machine_decides() -> None:
    at = datetime(2026, 2, 4, 15, 30).timestamp()
    assert resolve("yesterday", at, None) == "yesterday (2026-02-03)"
    assert resolve("3 minutes ago", at, None) == "3 minutes ago (2026-02-04 15:27)"


def test_a_year_with_three_digits_keeps_four_places() -> None:
    when = datetime(999, 6, 1, tzinfo=timezone.utc)  # noqa: UP017 - plain offset
    assert said("last year", when) == "last year (0998)"


WORDS = st.sampled_from(
    [*ENGLISH, *CHINESE, "hier", "morgen", "hoy", "(2026-02-03)", " (2026)", "week of 2026-02-02", "`", '"', "'", "\n", "    ", "> ", "= ", ".", ", ", " ", "(", ")",
     "the ", "a ", "I did it ", "today()", "我", "天气", "*", "-", "[", "]", "```", "x", "3", "或", "Yesterday", "'s", " App", "https://a/", "_"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=12).map("".join), st.sampled_from([0.0, 1.7e9, 4.1e9]))
@settings(max_examples=400, deadline=None)
def test_twice_is_once(text: str, later: float) -> None:
    """HA60, D5: also when the second time is another day."""
    once = said(text)
    assert resolve(once, WEDNESDAY.timestamp(), BERLIN) == once
    assert resolve(once, later, KOLKATA) == once


@given(st.text(max_size=120))
@settings(max_examples=150, deadline=None)
def test_any_text_keeps_its_words(text: str) -> None:
    """HD7: nothing is taken away, whatever the text."""
    once = said(text)
    assert len(once) >= len(text)
    assert said(once) == once


def test_long_texts_are_worked_off() -> None:
    """Section 5: no pattern runs away on a megabyte."""
    for unit in (
        "a",
        " ",
        "\n",
        "'",
        '"',
        "`a",
        "(",
        "    a\n",
        "last ",
        "in 3 ",
        "3 ",
        "一",
        "周",
        "2-",
        "x=",
        "http://",
        "a@",
        "<",
    ):
        said(unit * (400_000 // len(unit)))
    assert said("w " * 100_000 + "yesterday").endswith("yesterday (2026-02-03)")
