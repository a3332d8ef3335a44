"""Chinese in full; the common phrases of Japanese and Korean.

These scripts write no spaces around words: `chinese_words` holds the dictionary words that decide whether an
expression stands there or only its characters.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five; full-width signs are meant
from .phrase import Table

_DIGITS = {"一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_TEENS = {f"十{char}": 10 + _DIGITS[char] for char in "一二三四五六七八九"}
_TENS = {
    f"{ten}十{one}": _DIGITS[ten] * 10 + (_DIGITS[one] if one else 0)
    for ten in "二三四五六七八九"
    for one in ("", *"一二三四五六七八九")
}

# --- Chinese ---------------------------------------------------------------------------------------------------------
_zh = Table(
    "zh",
    numbers=_DIGITS | _TEENS | _TENS,
    weekdays=("一", "二", "三", "四", "五", "六", "日|天"),
    spaced=False,
)
_add = _zh.add
for _shift, _words in (
    (0, "今天|今晚|今早|今日"), (-1, "昨天|昨晚|昨日"), (1, "明天|明早|明晚|明日"), (-2, "前天"), (2, "后天|後天"), (-3, "大前天"), (3, "大后天|大後天"),
):  # fmt: skip
    _add("day", _shift, _words, _words)
_WEEK = r"(?:个|個)?(?:周|週|星期|礼拜|禮拜)"
for _shift, _words in ((-1, "上"), (0, "本|这|這"), (1, "下"), (-2, "上上"), (2, "下下")):
    _add("week", _shift, "周|週|星期|礼拜|禮拜", f"(?:{_words}){_WEEK}")
    _add("weekday", _shift, "周|週|星期|礼拜|禮拜", f"(?:{_words}){_WEEK}{{d}}")
    _add("month", _shift, "月", f"(?:{_words})(?:个|個)月")
_add("month", 0, "本月", "本月")
_add("year", -1, "去年", "去年")
_add("year", 0, "今年", "今年")
_add("year", 1, "明年", "明年")
_add("year", -2, "前年", "前年")
_add("year", 2, "后年|後年", "后年|後年")
_N = r"{n}[ \u3000]{0,2}{u}[ \u3000]{0,2}(?:之|以)?"
_UNITS = {
    "day": "天|日(?=[以之]?[后後])",
    "week": "周|週|个星期|個星期|个礼拜|個禮拜|星期",
    "month": "个月|個月",
    "year": "年",
    "hour": "个小时|個小時|小时|小時|个钟头|個鐘頭",
    "minute": "分钟|分鐘",
}
_add("count", -1, "前", f"{_N}前", units=_UNITS)
_add("count", 1, "后|後", f"{_N}[后後]", units=_UNITS)
_add("now", 0, "刚才|剛才|现在|現在", "刚才|剛才|现在|現在")

# --- Japanese --------------------------------------------------------------------------------------------------------
_ja = Table(
    "ja",
    numbers=_DIGITS | _TEENS,
    weekdays=("月", "火", "水", "木", "金", "土", "日"),
    spaced=False,
)
_add = _ja.add
_KANA = r"(?=[\u3040-\u30ff]|[、。！？\s]|$|[\u4e00-\u9fff])"
_add("day", 0, "今日|今夜|今朝|今晩|きょう", f"(?:今日|今夜|今朝|今晩|きょう){_KANA}")
_add("day", -1, "昨日|昨夜|昨晩|きのう", "昨日|昨夜|昨晩|きのう")
_add("day", 1, "明日|あした|あす", "明日|あした|あすは")
_add("day", -2, "一昨日|おととい", "一昨日|おととい")
_add("day", 2, "明後日|あさって", "明後日|あさって")
for _shift, _words in ((-1, "先週"), (0, "今週"), (1, "来週"), (-2, "先々週"), (2, "再来週")):
    _add("week", _shift, "週", _words)
    _add("weekday", _shift, "週", f"{_words}の?{{d}}曜日?")
for _shift, _words in ((-1, "先月"), (0, "今月"), (1, "来月"), (-2, "先々月"), (2, "再来月")):
    _add("month", _shift, "月", _words)
for _shift, _words in ((-1, "昨年"), (1, "来年"), (2, "再来年"), (-2, "一昨年")):
    _add("year", _shift, "年", _words)
_NJ = r"(?:{n})[ \u3000]{0,2}{u}"
_UNITS_JA = {"day": "日", "week": "週間", "month": "[かヶカケ箇]月", "year": "年", "hour": "時間", "minute": "分"}
_add("count", -1, "前", f"{_NJ}前", units=_UNITS_JA)
_add("count", 1, "後", f"{_NJ}後", units=_UNITS_JA)
_add("now", 0, "さっき|たった今", "さっき|たった今")

# --- Korean ----------------------------------------------------------------------------------------------------------
_ko = Table(
    "ko",
    numbers={"하루": 1, "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5},
    weekdays=("월", "화", "수", "목", "금", "토", "일"),
    spaced=False,
)
_add = _ko.add
_L = r"(?<![\uac00-\ud7a3\w])"
_R = r"(?=(?:은|는|이|가|을|를|에|의|도|까지|부터|만|에는|에도|밤|저녁|아침|오후|오전|쯤|보다|이야|입니다|이다)?(?![\uac00-\ud7a3]))"
for _shift, _words in (
    (0, "오늘"),
    (-1, "어제"),
    (1, "내일"),
    (-2, "그저께|그제|엊그제"),
    (2, "모레|내일모레"),
    (-1, "어젯밤"),
):
    _add("day", _shift, _words, f"{_L}(?:{_words}){_R}")
for _shift, _words in ((-1, "지난 ?"), (0, "이번 ?"), (1, "다음 ?")):
    _add("week", _shift, "주", f"{_L}{_words}주{_R}")
    _add("weekday", _shift, "주", f"{_L}{_words}주 ?{{d}}요일{_R}")
    _add("month", _shift, "달", f"{_L}{_words}달{_R}")
for _shift, _words in ((-1, "작년"), (0, "올해"), (1, "내년")):
    _add("year", _shift, _words, f"{_L}{_words}{_R}")
_UNITS_KO = {"day": "일", "week": "주일?", "month": "개월|달", "year": "년", "hour": "시간", "minute": "분"}
_add("count", -1, "전", f"{_L}(?P<n>\\d{{1,5}}|한|두|세|네|다섯) ?{{u}} ?전{_R}", units=_UNITS_KO)
_add("count", 1, "후|뒤", f"{_L}(?P<n>\\d{{1,5}}|한|두|세|네|다섯) ?{{u}} ?[후뒤]{_R}", units=_UNITS_KO)
_add("now", 0, "방금", f"{_L}방금{_R}")

PHRASES = tuple(_zh.phrases + _ja.phrases + _ko.phrases)
