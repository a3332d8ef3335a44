"""Where date words are not dates: code, quotations, links, identifiers, titles, longer words (HA58, HA59, HD6, HI2)."""

# ruff: noqa: E501 - one case is one line; full-width signs are meant
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import cognition
import pytest
from cognition.capture.dates import resolve

BERLIN = ZoneInfo("Europe/Berlin")
AT = datetime(2026, 2, 4, 15, 30, tzinfo=BERLIN).timestamp()


def said(text: str) -> str:
    return resolve(text, AT, BERLIN)


CODE = [
    "```\nrun it today\n```",
    "```python\n# yesterday\nx = 1",
    "~~~\ntomorrow\n~~~",
    "Look:\n\n    see you tomorrow\n",
    "\tlast week",
    "Use `yesterday` there.",
    "Use ``last week`` there.",
    "today = date.today()",
    "last_week = now - 7",
    "const tomorrow = addDays(new Date(), 1);",
    "let today = 5",
    "if today > deadline:\n    fail()",
    "if (yesterday == other) { return; }",
    "x = yesterday + 1",
    "def yesterday():",
    "return tomorrow",
    "f(today, tomorrow)",
    "rows[yesterday]",
    "date.today",
    "today.isoformat()",
    "self.tomorrow",
    "yesterday-report",
    "the yesterday_report table",
    "pre-today",
    "git log --since yesterday",
    "git log --since=yesterday",
    'git log --since="2 weeks ago"',
    "$ date -d tomorrow",
    "{today}",
    "${tomorrow}",
    "%yesterday%",
    "@today",
    "#today",
    "today: str",
    "SELECT * FROM days WHERE day = yesterday;",
    '{"when": "tomorrow"}',
    "when: 'tomorrow'",
    "today != tomorrow",
    "a->yesterday",
    "Days::yesterday",
    "<today>",
    "today => tomorrow",
    "import today",
    "from yesterday import tomorrow",
]
QUOTED = [
    'He said "see you tomorrow".',
    "He said 'see you tomorrow'.",
    "Sie sagte „bis morgen“.",
    "Sie sagte «à demain».",
    "他说“明天见”。",
    "他说「明天见」。",
    "我在看《昨天》。",
    "> I saw it yesterday",
    "> 昨天我去了",
    "“I saw it yesterday”, he wrote.",
]
PLACES = [
    "https://example.com/yesterday",
    "see http://x.org/?d=last%20week&yesterday",
    "www.today.com",
    "mail today@example.org",
    "/var/log/yesterday/app.log",
    "reports/yesterday",
    "C:\\today\\x",
    "today.md",
    "~/notes/tomorrow.txt",
    "[today](https://x.example)",
    "today/tomorrow",
]
TITLES = [
    "Yesterday's Enterprise is the best episode.",
    "I like Yesterday's Enterprise.",
    "I use the Tomorrow app.",
    "I read USA Today.",
    "I read USA TODAY often.",
    "This Week in Rust is out.",
    "I read This Week in Rust.",
    "We watched Last Night in Soho.",
    "Last Night in Soho was great.",
    "Last Week Tonight is on.",
    "Tomorrow Never Dies is a film.",
    "We watched the Today show.",
    "today's standup",
    "yesterday’s news",
    "last week's numbers",
    "the yesterday build",
    "my yesterday self",
    "the today button is broken",
    "press the tomorrow tab",
    "a better tomorrow",
    "born yesterday",
]
WORDS = [
    "yesterdays",
    "todayish",
    "nexter week",
    "last weekend",
    "Samstage",
    "heutzutage",
    "завтрак готов",
    "오늘날 사람들은",
    "demainement",
]
LONGER = [
    "a week from tomorrow",
    "3 days before yesterday",
    "2-3 days ago",
    "two or three weeks ago",
    "2 weeks and 3 days ago",
    "more than 2 weeks ago",
    "the last week of March",
    "last Monday of the month",
    "1.5 hours ago",
    "the week after next Monday",
    "over the last week",
    "I built it in 3 days.",
    "We doubled revenue in 2 weeks.",
    "for the first time in 3 months",
    "It will last weeks.",
    "It should last months.",
    "we last sat there",
    "hoy en día todo cambia",
    "por la mañana trabajo",
    "hoje em dia tudo muda",
    "guten morgen",
    "Guten Morgen zusammen",
    "jeden Morgen",
    "goede morgen",
]
CHINESE = [
    "今后天气会好",
    "目前天气不错",
    "说明天气不好",
    "以前天天下雨",
    "如今天气热",
    "发明天才",
    "后天性疾病",
    "前天线坏了",
    "表现在三方面",
    "体现在哪里",
    "出现在门口",
    "发现在这里",
    "实现在线支付",
    "现在场的人",
    "基本周期",
    "成本月报",
    "日本月球",
    "马上周围都亮了",
    "以下周边商品",
    "上周末",
    "上个月底",
    "去年底",
    "明年初",
    "今年轻人少",
    "失去年轻",
    "声明年度报告",
    "第3天后",
    "每3天前",
    "3天前后",
    "3天前端",
    "刚才能",
    "刚刚才到",
    "今日头条",
    "明日香",
    "説明日程",
    "几十天前",
    "三百天前",
    "3.5小时前",
    "十多天前",
]


@pytest.mark.parametrize("text", [*CODE, *QUOTED, *PLACES, *TITLES, *WORDS, *LONGER, *CHINESE])
def test_left_alone(text: str) -> None:
    """HA58, HA59, HD6."""
    assert said(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Beside what is left alone, prose is resolved.
        ("I ran `yesterday.sh` yesterday.", "I ran `yesterday.sh` yesterday (2026-02-03)."),
        ("The yesterday-report ran yesterday.", "The yesterday-report ran yesterday (2026-02-03)."),
        ("```\ntoday\n```\nSee you today", "```\ntoday\n```\nSee you today (2026-02-04)"),
        ("> old: yesterday\n\nI went today", "> old: yesterday\n\nI went today (2026-02-04)"),
        ('"yesterday" was yesterday', '"yesterday" was yesterday (2026-02-03)'),
        ("I don't know, it's due tomorrow, isn't it", "I don't know, it's due tomorrow (2026-02-05), isn't it"),
        ('My 5" disk died yesterday, his 3" one too', 'My 5" disk died yesterday (2026-02-03), his 3" one too'),
        # Capitals at the beginning, emphasis, lists, headings.
        ("Yesterday Alice called.", "Yesterday (2026-02-03) Alice called."),
        ("Hi. Tomorrow I leave.", "Hi. Tomorrow (2026-02-05) I leave."),
        ("Next Monday I start.", "Next Monday (2026-02-09) I start."),
        ("I need it **today**!", "I need it **today (2026-02-04)**!"),
        ("- today: buy milk", "- today: buy milk"),
        ("- Today: buy milk", "- Today (2026-02-04): buy milk"),
        ("- buy milk today", "- buy milk today (2026-02-04)"),
        ("* tomorrow I rest", "* tomorrow (2026-02-05) I rest"),
        ("1. call\n    - and write tomorrow", "1. call\n    - and write tomorrow (2026-02-05)"),
        ("## Plan for tomorrow", "## Plan for tomorrow (2026-02-05)"),
        ("(yesterday)", "(yesterday (2026-02-03))"),
        ("I called last week.", "I called last week (week of 2026-01-26)."),
        ("I fixed the function yesterday.", "I fixed the function yesterday (2026-02-03)."),
        ("See you tomorrow!", "See you tomorrow (2026-02-05)!"),
        ("The exam is in 3 days.", "The exam is in 3 days (2026-02-07)."),
        ("compared to last month", "compared to last month (2026-01)"),
        ("It broke yesterday;", "It broke yesterday (2026-02-03);"),
        # Longest first, and both halves of a pair.
        ("the day before yesterday", "the day before yesterday (2026-02-02)"),
        ("yesterday or today", "yesterday (2026-02-03) or today (2026-02-04)"),
        # A value that stands there already stays, whatever the day.
        ("yesterday (2020-01-01)", "yesterday (2020-01-01)"),
        ("last week (week of 2020-01-06) and today", "last week (week of 2020-01-06) and today (2026-02-04)"),
        # Chinese beside its dictionary words.
        ("明天才来", "明天 (2026-02-05)才来"),
        ("今天真好", "今天 (2026-02-04)真好"),
        ("明天下午开会", "明天 (2026-02-05)下午开会"),
        ("今天气温很低", "今天 (2026-02-04)气温很低"),
        ("他说明天来", "他说明天 (2026-02-05)来"),
        ("下周一下午见", "下周一 (2026-02-09)下午见"),
        ("下周一起吃饭", "下周 (week of 2026-02-09)一起吃饭"),
        ("下周日本队比赛", "下周 (week of 2026-02-09)日本队比赛"),
        ("明天 deploy 到 staging", "明天 (2026-02-05) deploy 到 staging"),
        ("明天deploy", "明天 (2026-02-05)deploy"),
        ("我昨天3天前说的", "我昨天 (2026-02-03)3天前 (2026-02-01)说的"),
    ],
)
def test_prose_beside_it_is_resolved(text: str, expected: str) -> None:
    assert said(text) == expected
    assert said(expected) == expected


def test_a_word_that_is_an_identifier_is_one_in_its_whole_sentence() -> None:
    """Section 3: `declared, assigned, called, dotted, compared` in the sentence."""
    text = "Set today = date.today() and pass today on."
    assert said(text) == text
    assert said("`today` holds the day and today is a bad name.") == "`today` holds the day and today is a bad name."
    assert said(text + " We ship today.") == text + " We ship today (2026-02-04)."


def test_a_code_corpus_passes_unchanged() -> None:
    """HI2: this project's own sources, unfenced, as somebody would paste them."""
    root = Path(cognition.__file__).parent
    own = (path for path in sorted(root.rglob("*.py")) if path.relative_to(root).parts[0] not in ("tests", ".venv"))
    corpus = [path for path in own if "datewords" not in path.parts]
    assert len(corpus) > 100
    for path in corpus:
        text = path.read_text(encoding="utf-8")
        assert said(text) == text, path.name


SNIPPETS = {
    "javascript": "function due(today) {\n  const tomorrow = new Date(today);\n  // tomorrow at midnight\n  tomorrow.setDate(today.getDate() + 1);\n  return tomorrow;\n}",
    "sql": "-- orders of yesterday\nSELECT id, total\nFROM orders\nWHERE day >= yesterday AND day < today;",
    "shell": "#!/bin/sh\n# rotate what came in last week\nfind /var/log -newermt 'last week' -print\nexport TODAY=$(date +%F)",
    "yaml": "schedule:\n  start: tomorrow\n  retry: true\nname: 'next week'",
    "go": "func next(today time.Time) time.Time {\n\t// tomorrow, same hour\n\ttomorrow := today.AddDate(0, 0, 1)\n\treturn tomorrow\n}",
    "python": "def age(day):\n    # days since yesterday\n    yesterday = today - timedelta(days=1)\n    return (day - yesterday).days",
    "rust": "let today = Utc::now();\nlet tomorrow = today + Duration::days(1); // tomorrow\nprintln!(\"{}\", tomorrow);",
    "html": "<div class=\"today\">\n<span>tomorrow</span>\n</div>",
    "toml": "[schedule]\nwhen = \"tomorrow\"\nuntil = 'next week'",
    "traceback": "Traceback (most recent call last):\n  File \"x.py\", line 3, in today\n    yesterday()\nNameError: name 'yesterday' is not defined",
}  # fmt: skip


@pytest.mark.parametrize("name", SNIPPETS)
def test_pasted_code_without_a_fence(name: str) -> None:
    assert said(SNIPPETS[name]) == SNIPPETS[name]
