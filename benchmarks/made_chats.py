"""Conversations of the same form as LoCoMo's, made up: they ship with the project and are never tuned on.

Two people talk through `SESSIONS` sessions.  Into small talk about this and that, facts are strewn: some asked for and
answered in the next message without a word of the question, some in several sessions (multi-hop), some with a time.
Questions use other words than the facts where the language allows.  `zh` is the same in Chinese, without spaces.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from chats import Chat, Line, Probe, distractors, session_name

SESSIONS, LINES = 20, 22
_DAY = 86400.0


@dataclass(frozen=True)
class Form:
    """A fact: messages as (is by the one it is about, text), of which those marked * are evidence; its question.

    several  the fact is told so many times, each with another value, and asked for at once
    """

    lines: tuple[tuple[bool, str], ...]
    question: str
    kind: str
    several: int = 1


_EN_VALUES = {
    "town": "Bergen Cadiz Galway Ghent Krakow Leiden Malmo Naples Porto Riga Tartu Turin Vienna Zadar".split(),
    "animal": ["dog", "cat", "parrot", "rabbit", "turtle", "horse"],
    "pet": "Biscuit Pepper Olive Ziggy Mango Clover Juno Basil".split(),
    "instrument": ["cello", "banjo", "accordion", "clarinet", "harp", "trumpet"],
    "dish": ["lentil curry", "plum cake", "fish stew", "onion pie", "pumpkin risotto", "rye bread"],
    "job": ["beekeeper", "surveyor", "baker", "translator", "welder", "midwife", "archivist"],
    "illness": ["migraine", "hay fever", "a torn ligament", "bronchitis", "a bad back"],
    "book": ["The Salt Road", "Nine Lanterns", "A House of Reeds", "Winter Ledger", "The Glass Orchard"],
    "craft": ["weaving", "wood carving", "bookbinding", "glass blowing", "basket making"],
    "sport": ["fencing", "rowing", "climbing", "badminton", "curling", "archery"],
    "thing": ["sailboat", "greenhouse", "telescope", "motorbike", "piano", "loom"],
    "number": [str(n) for n in range(12, 98, 7)],
    "when": ["yesterday", "last week", "two days ago", "last Friday"],
}
_EN = (
    Form(
        ((False, "Where did you end up living?"), (True, "*Settled in {town} at last, the flat is tiny but bright.")),
        "In which town does {who} live?",
        "single-hop",
    ),
    Form(
        ((True, "*We adopted a {animal} from the shelter, she is called {pet}."),),
        "What is {who}'s pet called?",
        "single-hop",
    ),
    Form(
        ((True, "*I started lessons on the {instrument} {when}, my fingers hurt."),),
        "When did {who} start playing the {instrument}?",
        "temporal",
    ),
    Form(
        ((False, "What did you bring to the potluck?"), (True, "*Just {dish}, everyone had seconds!")),
        "Which food did {who} take to the potluck?",
        "single-hop",
    ),
    Form(((True, "*Guess what, they hired me as a {job} {when}!"),), "When did {who} get the new job?", "temporal"),
    Form(
        ((True, "*The doctor says it is {illness}, so no sport for a month."),),
        "What health problem does {who} have?",
        "single-hop",
    ),
    Form(((True, "*Finished {book} {when} and cried at the end."),), "Which books has {who} read?", "multi-hop", 3),
    Form(((True, "*Tried {craft} with my niece, we laughed a lot."),), "What crafts has {who} tried?", "multi-hop", 3),
    Form(((True, "*Signed up for {sport} at the club."),), "Which sports does {who} do?", "multi-hop", 2),
    Form(
        ((True, "*The {thing} cost me {number} thousand, but it was worth it."),),
        "How much did {who} pay for the {thing}?",
        "single-hop",
    ),
    Form(
        (
            (True, "*I sold the {thing} {when}."),
            (False, "Oh no, why?"),
            (True, "*We needed the room, and nobody used it."),
        ),
        "Why did {who} sell the {thing}?",
        "single-hop",
    ),
    Form(
        ((True, "*My grandmother used to take me to {town} every summer."),),
        "Where did {who} spend childhood summers?",
        "single-hop",
    ),
)
_ZH_VALUES = {
    "town": "杭州 成都 厦门 青岛 昆明 西安 苏州 大连 桂林 珠海".split(),
    "animal": "小狗 猫咪 鹦鹉 兔子 乌龟 仓鼠".split(),
    "pet": "豆豆 花花 毛球 奶茶 小黑 团子".split(),
    "instrument": "古筝 二胡 吉他 钢琴 笛子 大提琴".split(),
    "dish": "红烧排骨 麻婆豆腐 酸菜鱼 葱油饼 番茄牛腩 桂花糕".split(),
    "job": "护士 律师 摄影师 会计 厨师 翻译 编辑".split(),
    "illness": "偏头痛 鼻炎 腰椎间盘突出 支气管炎 胃溃疡".split(),
    "book": "《活着》 《围城》 《边城》 《骆驼祥子》 《呐喊》".split(),
    "craft": "陶艺 剪纸 刺绣 木雕 编织".split(),
    "sport": "羽毛球 攀岩 游泳 乒乓球 滑雪 射箭".split(),
    "thing": "帆船 望远镜 摩托车 相机 钢琴 电动车".split(),
    "number": [str(n) for n in range(12, 98, 7)],
    "when": "昨天 上周 前天 上个月".split(),
}
_ZH = (
    Form(
        ((False, "你后来搬到哪里去了？"), (True, "*最后在{town}安顿下来了，房子小但是很亮。")),
        "{who}现在住在哪个城市？",
        "single-hop",
    ),
    Form(((True, "*我们从收容所领养了一只{animal}，取名叫{pet}。"),), "{who}领养的{animal}叫什么名字？", "single-hop"),
    Form(((True, "*{when}我开始学{instrument}了，手指好疼。"),), "{who}什么时候开始学{instrument}的？", "temporal"),
    Form(
        ((False, "聚餐你带了什么菜？"), (True, "*就做了{dish}，大家都添了第二碗。")),
        "{who}聚餐的时候带了什么？",
        "single-hop",
    ),
    Form(((True, "*告诉你，{when}我被录用了，当{job}！"),), "{who}找到了什么工作？", "single-hop"),
    Form(((True, "*医生说是{illness}，一个月不能运动。"),), "{who}得了什么病？", "single-hop"),
    Form(((True, "*{when}把{book}读完了，结尾哭得不行。"),), "{who}读过哪些书？", "multi-hop", 3),
    Form(((True, "*和侄女一起试了{craft}，笑个不停。"),), "{who}尝试过哪些手工？", "multi-hop", 3),
    Form(((True, "*在俱乐部报名学{sport}了。"),), "{who}在俱乐部报名了哪些运动？", "multi-hop", 2),
    Form(((True, "*那台{thing}花了我{number}千块，不过值得。"),), "{who}买{thing}花了多少钱？", "single-hop"),
    Form(((True, "*小时候奶奶每年夏天都带我去{town}。"),), "{who}小时候夏天去哪里？", "single-hop"),
)
_ZH_TALK = (
    "今天天气真不错，想出去走走。",
    "最近忙得不可开交，周末终于能休息一下。",
    "你说得对，我也这么觉得。",
    "昨晚看了一部电影，挺有意思的。",
    "公司楼下新开了一家咖啡馆，要不要去试试？",
    "哈哈，真是太好笑了。",
    "孩子们最近放假，家里热闹得很。",
    "我正打算买一双新鞋，你有什么建议吗？",
    "路上堵车堵了一个小时，累死了。",
    "谢谢你一直听我唠叨。",
    "听说下个月要降温，记得多穿点。",
    "我妈寄了一箱水果过来，分你一些。",
    "地铁里遇到一个老同学，聊了好久。",
    "邻居家的装修声音太吵了。",
    "这个周末打算在家收拾屋子。",
    "你最近睡得好吗？",
)


def _talk_en(draw: random.Random) -> Callable[[], str]:
    lines = [line.text.partition(": ")[2] for _, some in distractors(600, seed=draw.randrange(10**6)) for line in some]
    return lambda: draw.choice(lines)


def _talk_zh(draw: random.Random) -> Callable[[], str]:
    return lambda: "".join(draw.sample(_ZH_TALK, draw.randint(1, 2)))


def chat(name: str, seed: int, who: tuple[str, str], chinese: bool, start: float = 1_672_560_000.0) -> Chat:
    """One conversation between two people with the questions that it answers."""
    draw = random.Random(seed)
    forms, values = (_ZH, _ZH_VALUES) if chinese else (_EN, _EN_VALUES)
    talk = (_talk_zh if chinese else _talk_en)(draw)
    colon = "：" if chinese else ": "
    slots = [(session, place) for session in range(SESSIONS) for place in range(3, LINES - 4, 5)]
    draw.shuffle(slots)
    put: dict[tuple[int, int], tuple[str, list[tuple[bool, str]]]] = {}
    asked: list[tuple[Form, str, str, list[tuple[int, int]]]] = []
    for person in who:
        for form in forms:
            pools = {key: draw.sample(some, min(len(some), form.several)) for key, some in values.items()}
            first = {key: some[0] for key, some in pools.items()}
            places = [slots.pop() for _ in range(form.several)]
            for number, place in enumerate(places):
                filled = {key: some[number % len(some)] for key, some in pools.items()}
                put[place] = (person, [(own, text.format(**filled)) for own, text in form.lines])
            asked.append((form, form.question.format(who=person, **first), person, places))
    made = Chat(name)
    ids: dict[tuple[int, int], list[str]] = {}
    for session in range(SESSIONS):
        at = start + session * 9 * _DAY + draw.uniform(0, 2) * _DAY
        said: list[tuple[str, str, tuple[int, int] | None]] = []
        place = 0
        while len(said) < LINES:
            if (session, place) in put:
                person, lines = put[session, place]
                other = who[1 - who.index(person)]
                for own, text in lines:
                    said.append((person if own else other, text, (session, place)))
            else:
                said.append((who[len(said) % 2], talk(), None))
            place += 1
        rows = []
        for number, (person, text, key) in enumerate(said):
            mark = f"{name}:{session}:{number}"
            if key is not None and text.startswith("*"):
                ids.setdefault(key, []).append(mark)
            role = "user" if person == who[0] else "assistant"
            rows.append(Line(mark, role, f"{person}{colon}{text.lstrip('*')}", at + 40 * number))
        made.sessions.append((session_name(at, seed * 100 + session), rows))
    for form, question, _, places in asked:
        evidence = tuple(one for place in places for one in ids.get(place, []))
        if evidence:
            made.probes.append(Probe(question, evidence, form.kind))
    return made


_PEOPLE = (("Marisol", "Henrik"), ("Odette", "Tobin"), ("Ravi", "Celeste"), ("Imke", "Dario"), ("Yara", "Anton"))
_PEOPLE_ZH = (("小敏", "阿强"), ("王芳", "李明"), ("晓雨", "志远"), ("文静", "子豪"), ("丽华", "建国"))


def made(*, chinese: bool | None = None) -> list[Chat]:
    """Five conversations in English and five in Chinese; `chinese` takes one kind."""
    english = [] if chinese else [chat(f"made-en-{n}", 40 + n, who, False) for n, who in enumerate(_PEOPLE)]
    others = [] if chinese is False else [chat(f"made-zh-{n}", 70 + n, who, True) for n, who in enumerate(_PEOPLE_ZH)]
    return [*english, *others]
