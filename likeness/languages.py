"""Other languages for `form`: markers that give the language away, and words brought into the form's English ones.

"" drops a word.  Where person is in the verb ("prefiero", "prefiro") the pronoun is dropped and the verb brings it.
"""

# ruff: noqa: E501 - tables are easier to extend in long lines

MARKERS: dict[str, str] = {}
"""Word to language.  No word here is an English one."""

WORDS: dict[str, dict[str, str]] = {
    "de": {
        "ich": "i", "wir": "we", "mein": "my", "meine": "my", "meinen": "my", "meinem": "my", "unser": "our",
        "unsere": "our", "ist": "is", "bin": "is", "sind": "is", "nicht": "not", "kein": "not", "keine": "not",
        "keinen": "not", "nie": "not", "niemals": "not", "bevorzuge": "prefer", "bevorzugen": "prefer", "mag": "like",
        "mögen": "like", "liebe": "like", "hasse": "not like", "benutze": "use", "benutzen": "use", "nutze": "use",
        "nutzen": "use", "verwende": "use", "verwenden": "use", "wohne": "live", "lebe": "live", "arbeite": "work",
        "arbeiten": "work", "bei": "at", "heiße": "name is", "heisse": "name is", "heißt": "name is", "statt": "over",
        "anstatt": "over", "anstelle": "over", "der": "", "die": "", "das": "", "den": "", "dem": "", "ein": "",
        "eine": "", "einen": "", "einer": "", "einem": "", "sehr": "", "wirklich": "", "echt": "", "bitte": "",
        "übrigens": "", "eigentlich": "", "auch": "", "jetzt": "", "ja": "", "immer": "always", "gerne": "", "gern": "",
        "aktuell": "", "derzeit": "", "und": "and", "für": "for", "mit": "with", "in": "in", "lieblingseditor":
        "favorite editor", "chef": "boss", "chefin": "boss", "habe": "have", "allergisch": "allergic", "gegen": "to",
        "esse": "eat", "trinke": "drink", "antworte": "answer", "antworten": "answer", "auf": "in", "also": "",
        "ganz": "", "total": "", "doch": "", "halt": "", "eben": "", "nun": "", "deutsch": "german",
    },
    "es": {
        "yo": "", "nosotros": "", "mi": "my", "mis": "my", "nuestro": "our", "nuestra": "our", "es": "is", "soy":
        "i is", "somos": "we is", "no": "not", "nunca": "not", "prefiero": "i prefer", "preferimos": "we prefer",
        "uso": "i use", "utilizo": "i use", "usamos": "we use", "utilizamos": "we use", "vivo": "i live",
        "trabajo": "i work", "llamo": "my name is", "gusta": "i like", "gustan": "i like", "encanta": "i like",
        "encantan": "i like", "odio": "i not like", "en": "in", "en lugar de": "over", "vez": "", "el": "", "la": "",
        "los": "", "las": "", "un": "", "una": "", "unos": "", "unas": "", "muy": "", "realmente": "", "mucho": "",
        "también": "", "ahora": "", "siempre": "always", "y": "and", "para": "for", "con": "with", "como": "as",
        "sí": "", "actualmente": "", "tengo": "i have", "alérgico": "allergic", "alérgica": "allergic", "me": "",
        "de": "of", "a": "to", "jefe": "boss", "jefa": "boss", "responde": "answer", "favorito": "favorite",
        "favorita": "favorite", "español": "spanish", "sobre": "over", "bastante": "", "pues": "", "bueno": "",
    },
    "fr": {
        "je": "i", "j": "i", "nous": "we", "mon": "my", "ma": "my", "mes": "my", "notre": "our", "est": "is",
        "suis": "is", "sommes": "is", "ne": "", "n": "", "pas": "not", "jamais": "not", "préfère": "prefer",
        "préférons": "prefer", "aime": "like", "aimons": "like", "adore": "like", "déteste": "not like",
        "utilise": "use", "utilisons": "use", "habite": "live", "vis": "live", "travaille": "work", "chez": "at",
        "appelle": "name is", "m": "", "à": "in", "dans": "in", "le": "", "la": "", "les": "", "l": "", "un": "",
        "une": "", "des": "", "du": "", "de": "", "d": "", "très": "", "vraiment": "", "beaucoup": "", "aussi": "",
        "maintenant": "", "toujours": "always", "et": "and", "pour": "for", "avec": "with", "oui": "", "allergique":
        "allergic", "aux": "to", "au": "to", "mange": "eat", "bois": "drink", "réponds": "answer", "répondez": "answer",
        "en": "in", "français": "french", "chef": "boss", "actuellement": "", "préféré": "favorite",
        "préférée": "favorite", "tout": "", "bien": "", "trop": "", "plutôt": "",
    },
    "pt": {
        "eu": "", "nós": "", "meu": "my", "minha": "my", "meus": "my", "minhas": "my", "nosso": "our", "nossa": "our",
        "é": "is", "sou": "i is", "somos": "we is", "não": "not", "nunca": "not", "prefiro": "i prefer",
        "preferimos": "we prefer", "uso": "i use", "utilizo": "i use", "usamos": "we use", "utilizamos": "we use",
        "moro": "i live", "vivo": "i live", "trabalho": "i work", "chamo": "my name is", "gosto": "i like",
        "adoro": "i like", "odeio": "i not like", "em": "in", "na": "at", "no": "at", "o": "", "a": "to", "os": "",
        "as": "", "um": "", "uma": "", "muito": "", "realmente": "", "também": "", "agora": "", "sempre": "always",
        "e": "and", "para": "for", "com": "with", "sim": "", "me": "", "de": "", "do": "", "da": "", "tenho": "i have",
        "alérgico": "allergic", "alérgica": "allergic", "chefe": "boss", "responda": "answer", "responde": "answer",
        "favorito": "favorite", "favorita": "favorite", "português": "portuguese", "bastante": "", "vez": "",
    },
    "it": {
        "io": "", "mio": "my", "mia": "my", "è": "is", "sono": "i is", "non": "not", "mai": "not", "preferisco":
        "i prefer", "uso": "i use", "usiamo": "we use", "vivo": "i live", "abito": "i live", "lavoro": "i work",
        "chiamo": "my name is", "piace": "i like", "piacciono": "i like", "adoro": "i like", "odio": "i not like",
        "il": "", "lo": "", "la": "", "i": "", "gli": "", "le": "", "un": "", "una": "", "molto": "", "davvero": "",
        "anche": "", "adesso": "", "ora": "", "sempre": "always", "e": "and", "per": "for", "con": "with", "mi": "",
        "a": "in",
    },
}  # fmt: skip

for _language, _words in {
    "de": "ich wir mein meine meinen unser unsere bevorzuge nicht ist bitte antworte benutze verwende kein keine",
    "es": "yo prefiero mi mis nosotros uso usamos utilizamos vivo soy gusta gustan encanta trabajo llamo nuestro nuestra",
    "fr": "je j nous mon préfère utilisons suis préférons réponds répondez notre utilise",
    "pt": "eu prefiro meu minha não nós moro trabalho gosto chamo sou nosso nossa adoro tenho",
    "it": "preferisco mio mia sono usiamo piace piacciono abito chiamo",
}.items():
    for _word in _words.split():
        MARKERS.setdefault(_word, _language)

DROPPED_PHRASES: dict[str, str] = {
    "por favor": "", "por cierto": "", "en realidad": "", "en lugar de": "over", "en vez de": "over", "a mí": "",
    "s il te plaît": "", "s il vous plaît": "", "au fait": "", "en fait": "", "au lieu de": "over", "plutôt que": "over",
    "na verdade": "", "em vez de": "over", "ao invés de": "over", "como ya dije": "", "como ya sabes": "",
    "como te dije": "", "wie gesagt": "", "wie du weißt": "", "comme je l ai dit": "", "comme tu sais": "",
    "como eu disse": "", "como você sabe": "", "por sinal": "", "a propósito": "", "ab jetzt": "", "von nun an": "",
    "a partir de ahora": "", "à partir de maintenant": "", "a partir de agora": "", "ne plus": "not", "im moment": "",
    "nicht mehr": "not", "ya no": "not", "já não": "not", "de verdad": "", "invece di": "over", "per favore": "",
}  # fmt: skip

KOREAN_ENDINGS = (
    "입니다",
    "습니다",
    "합니다",
    "해요",
    "에요",
    "예요",
    "이에요",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "요",
)

CJK_DROPPED: tuple[str, ...] = (
    "顺便说一下", "顺便提一下", "顺便", "如前所述", "正如我所说", "正如你所知", "我说过", "你知道", "如你所知", "请记住", "记住", "其实", "实际上",
    "事实上", "另外", "还有", "对了", "真的", "非常", "特别", "十分", "确实", "现在", "目前", "从现在起", "以后", "今后", "请",
    "麻烦", "一下", "了", "的", "吧", "啊", "呢", "哦", "呀", "嘛", "很", "挺", "蛮", "也", "就",
    "ところで", "ちなみに", "実は", "実際", "前にも言ったように", "言った通り", "ご存知の通り", "今は", "現在", "とても", "すごく",
    "本当に", "かなり", "非常に", "これから", "今後", "ください", "下さい", "お願いします", "です", "でした", "ます", "だよ", "だ", "よ", "ね",
    "けど", "私は", "僕は", "俺は", "わたしは", "には", "では", "は", "が", "を",
)  # fmt: skip
"""Particles, intensifiers, politeness and openings of Chinese and Japanese, longest first when matched.
Nothing that negates, and not the Japanese "masen" and "nai"."""

CJK_WORDS: tuple[tuple[str, str], ...] = (
    ("我更喜欢", "i prefer "), ("我比较喜欢", "i prefer "), ("我偏好", "i prefer "), ("我更倾向于", "i prefer "),
    ("我不喜欢", "i not like "), ("我讨厌", "i not like "), ("我喜欢", "i like "), ("我爱", "i like "),
    ("我住在", "i live in "), ("我叫", "my name is "), ("我名字是", "my name is "), ("我名字叫", "my name is "),
    ("我在", "i at "), ("我们使用", "we use "), ("我们用", "we use "), ("我们在用", "we use "), ("我使用", "i use "),
    ("我用", "i use "), ("而不是", " over "), ("使用", " use "), ("总是", "always"),
)  # fmt: skip
