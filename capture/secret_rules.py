"""The rules that must look at a value before they mask it: assignments, sentences, random runs, cards.

Each takes a match and gives back the text to stand in its place.
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import base64
import binascii
import math
import re
from collections import Counter
from collections.abc import Callable

from .lazy import lazy
from .secret_forms import KEY_GATES, KEY_WORDS, LOGIN_GATES, PAIR_NAMES, PASSWORD_WORDS, STATE_WORDS, Form

# Of three quotes, of two (a table's cell), of one; in the last a doubled one is meant as a sign (SQL, shell).
_TRIPLE = r"\"{3}[^\"]{1,4096}+\"{3}|'{3}[^']{1,4096}+'{3}|\"\"[^\s\",;)\]}][^\"\n]{0,4096}+\"\""
_QUOTED = rf"{_TRIPLE}|\"(?:[^\"\\\n]|\\.){{0,4096}}+\"|'(?:[^'\\\n]|\\.|''){{0,4096}}'|`[^`\n]{{0,4096}}+`"
_ESCAPED = r"\\\"[^\"\\\n]{0,4096}\\\""  # JSON inside of a string
# The closing quote was cut off, or stands lines below.
_OPEN = r"(?:\"[^\s,;)\]}\"'][^\"\n]{0,4096}|'[^\s,;)\]}\"'][^'\n]{0,4096})(?![^\n])"
_PREFIX = r"(?:[rbfu@$]{1,2}(?=[\"']))?"  # of a string in a program
_TYPED = r"\s{0,2}:\s{0,2}(?:str|string|String|Text|bytes|Optional\[str\]|str \| None)\s{0,2}=\s{0,2}"
# The first letters of all key words: one class in front fails faster than the alternatives behind it.
_HEAD = r"(?=[pkcsmwatedlbhv\u0080-\uffff])"
_ASSIGNED = lazy(
    rf"{_HEAD}(?:(?P<pw>{PASSWORD_WORDS})|{KEY_WORDS})(?:[_-]?\d{{1,2}})?\\?[\"'`\])]{{0,2}}"
    rf"(?P<sep>{_TYPED}|[ \t]{{0,4}}(?::=|=>|==|[=:：＝])\s{{0,4}}){_PREFIX}(?P<v>{_QUOTED}|{_ESCAPED}|{_OPEN}|[^\s\"'`,;&]{{1,4096}}&?[^\s\"'`,;&]{{0,64}})",
    re.IGNORECASE,
)
_FLAG = lazy(
    rf"(?<![\w-])--[a-z0-9-]{{0,40}}(?:(?P<pw>{PASSWORD_WORDS})|{KEY_WORDS})(?P<sep>[ \t]{{1,4}})(?P<v>{_QUOTED}|[^\s\"'`;&-][^\s\"'`;&]{{0,4096}})",
    re.IGNORECASE,
)
_LISTED = lazy(  # the two-line form of container manifests: `name: X_TOKEN`, `value: ...`
    rf"name:[ \t]{{0,4}}[\"']?[A-Z0-9_.-]{{0,60}}(?:(?P<pw>{PASSWORD_WORDS})|KEY|{KEY_WORDS})[\"']?[ \t]{{0,4}}\n"
    rf"[ \t]{{0,40}}(?P<sep>value:[ \t]{{0,4}})(?P<v>{_QUOTED}|[^\s\"'`,;&]{{1,4096}})",
    re.IGNORECASE,
)
_IS = (
    r"(?:is|was|are|will be|has been|remains|stays|ist|lautet|bleibt|es|est|é|è|jest|blijft|это)"
    r"(?:\s{1,3}(?:now|still|currently|jetzt|ahora|nun|maintenant|agora|ora|nu))?(?:\s{1,3}(?:set|changed|reset|updated) to)?"
)
# Weaker than a copula: what follows must look like a password.
_LINK = r"\s{0,3}(?:[:=：—–|]|->)\s{1,3}|['’]s\s{1,3}"
_MARKED_UP = lazy(  # `<password>...</password>`, `key="Password" value="..."`
    rf"<[\w:.-]{{0,40}}(?:(?P<pw>{PASSWORD_WORDS})|{KEY_WORDS})>\s{{0,3}}(?P<v>[^<>\s][^<>\n]{{0,256}})(?=</)"
    rf"|(?:key|name)=[\"'][\w:. -]{{0,40}}(?:{PASSWORD_WORDS}|{KEY_WORDS})[\"']\s{{1,3}}value=(?P<w>\"[^\"\n]{{1,512}}\"|'[^'\n]{{1,512}}')",
    re.IGNORECASE,
)
_SET = lazy(  # `I changed my password to ...`
    rf"{_HEAD}(?P<pw>{PASSWORD_WORDS})\s{{1,3}}(?:to|into|auf|en|in|a|à|para|na|op)\s{{1,3}}(?P<v>{_QUOTED}|[^\s,;\"'`]{{4,512}})",
    re.IGNORECASE,
)
_SAID = lazy(
    rf"{_HEAD}(?:(?P<pw>{PASSWORD_WORDS})|{KEY_WORDS}|(?<![A-Za-z])key)(?P<many>s|es|n)?"
    rf"(?:\s{{1,3}}(?:for|of|to|on|at|von|vom|für|zum|zu|de|del|du|da|do|para|pour|di|della|per|van|voor|от|для|do|dla)(?:\s{{1,3}}(?:[^\s.,;:!?]|[.:](?=\w)){{1,40}}){{1,5}}?|\s{{1,3}}(?:nueva|actual|nova|atual|nouveau|nuova|attuale))?"
    rf"(?P<sep>\s{{1,3}}{_IS}\s{{0,3}}:?\s{{1,3}}|(?P<link>{_LINK}))(?P<v>{_QUOTED}|[^\s,;\"'`。，；、]{{1,512}})",
    re.IGNORECASE,
)
_SAID_CJK = lazy(
    rf"{_HEAD}(?:{PASSWORD_WORDS}|{KEY_WORDS}|key)[^\s!-~，。；]{{0,6}}?(?P<sep>\s{{0,3}}(?:是|为|為|は|が|：|:|=|는|은)?\s{{0,3}})(?P<v>[!-~]{{4,512}})",
    re.IGNORECASE,
)
_BESIDE = lazy(
    rf"{_HEAD}(?:(?P<pw>{PASSWORD_WORDS})|{KEY_WORDS}|(?<![A-Za-z])key)(?P<sep>\s{{1,3}}[`\"'(]?)(?P<v>[^\s,;\"'`()\[\]。，；]{{4,512}})",
    re.IGNORECASE,
)
_LOGIN = lazy(
    r"(?:(?P<sure>credentials?|creds|zugangsdaten|anmeldedaten|login-?daten|identifiants?|credenciales|credenciais|credenziali|inloggegevens)|log-?ins?|sign-?in)"
    r"(?:\s{1,3}(?:for|of|to|on|at|für|von|zu|de|del|do|da|para|pour|per|voor)(?:\s{1,3}[^\s:=,;]{1,40}){1,5}?)?"
    r"(?:\s{1,3}(?:is|are|sind|lauten|ist|lautet|son|es|sont|est|são|sono|zijn)(?:\s{1,3}(?:now|still|currently|jetzt|ahora))?\s{0,2}:?|\s{0,3}[:=])\s{1,3}[\"'`]?"
    r"(?P<user>[\w.@+-]{1,64})(?P<by>\s{0,2}[:/|,]\s{0,2}|\s{1,3}(?:and|und|with|mit|y|et|e)\s{1,3})(?P<v>[^\s,;\"'`\[]{3,128})",
    re.IGNORECASE,
)
_LOGIN_AS = lazy(
    r"(?:log(?:ged|ging)?[ -]?(?:in|on)|sign(?:ed)?[ -]?in|authenticate|connect)(?:\s{1,3}(?:to|into)(?:\s{1,3}[^\s:=,;]{1,40}){1,3}?)?\s{1,3}(?:as|with|using)\s{1,3}(?P<user>[\w.@+-]{1,64})"
    r"(?P<by>\s{0,2}[:/|]\s{0,2}|\s{1,3}(?:and|with|using)\s{1,3})(?P<v>[^\s,;\"'`\[]{5,128})",
    re.IGNORECASE,
)
_PASS = lazy(r"(?<![A-Za-z-])pass(?:\s{0,2}[:=]|\s{1,3}(?:is|are))\s{0,3}(?P<v>[^\s,;\"'`\[&]{5,128})", re.IGNORECASE)
_PHRASE = lazy(
    r"(?:(?:seed|recovery|mnemonic|wallet|backup|secret)[ -](?:phrase|words)|pass[ -]?phrase|mnemonic)"
    r"(?:\s{1,3}(?:is|are|ist|es|est))?\s{0,3}[:=]?\s{1,3}[\"'`]?(?P<v>(?:[a-z]{3,10}[ \n]){3,23}[a-z]{3,10})\b",
    re.IGNORECASE,
)
_CARD = lazy(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
_DIGITS = lazy(r"\d[\d -]{11}")
_BRAND = lazy(
    r"(?:4(?:\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}|35\d{14}|62\d{14,17})\Z"
)
_RUN = lazy(r"[:=]\s{0,3}[\"']?(?P<v>[A-Za-z0-9+/_-]{32,}+={0,2})(?![\w@.])")
_NAME = lazy(r"([A-Za-z0-9_.-]{1,64})[\"'\]]{0,2}\s{0,3}\Z")
_DIGEST_NAME = lazy(
    r"(?:sha\d*|md5|h1|hash|digest|commit|rev|revision|integrity|checksum|etag|fingerprint|uuid|guid|id|tree|blob|parent|"
    r"address|owner|tx|txid|signature|version|path|file|url|uri|href|src|class|color|data|image|trace|span|ref|base64)\Z",
    re.IGNORECASE,
)
_DIGEST_NEAR = lazy(r"\b(?:checksums?|digest|md5|sha-?\d{0,3}|hash|commit|fingerprint)\b[^\n]{0,16}\Z", re.IGNORECASE)
_UUID = lazy(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
# No values at all, quoted or not: empty words, masks, references (capture.md section 2), and what we have put there.
_NOTHING = (
    r"true|false|yes|no|on|off|null|none|nil|nan|undefined|n/?a|\*{1,99}|x{3,99}|•{1,99}|\.{2,99}|…|-{1,99}|_{1,99}|\[REDACTED [a-z]{2,16}\]"
    r"|<[^<>]{0,200}>|\$\{.{0,200}\}|\$\(.{0,400}\)|\$[A-Za-z_]\w{0,80}|\{\{.{0,200}\}\}|\{[\w.]{0,80}\}|%[\w.]{1,80}%"
)
_QUOTED_NOTHING = lazy(rf"(?:{_NOTHING})\Z", re.IGNORECASE | re.DOTALL)
# Without quotes these may be cut short by white space, and a word may speak about the thing.
_HARMLESS = lazy(
    rf"(?:{_NOTHING}|tbd|todo|changeit|<.{{0,200}}|\$\{{.{{0,200}}|\$\(.{{0,400}}|\{{\{{.{{0,200}}|\{{[\w.]{{0,80}}|\[.{{0,400}}|\\[nrt]|[{{(|>]"
    r"|(?:your|insert|enter|replace|some|put|my)[-_ .](?:[\w-]{0,20}[-_ .])?(?:key|token|secret|password|pass|value|here|api)[\w .-]{0,40}"
    r"|placeholder|redacted|masked|hidden|example|dummy)\Z",
    re.IGNORECASE | re.DOTALL,
)
_BLANKED = lazy(r"(?:[xX]{8,4096}|\*{3,4096})\Z")
_EXPRESSION = lazy(
    r"[A-Za-z_]\w{0,60}(?:(?:\.|::|->)[A-Za-z_]\w{0,60}){0,8}(?:[\[(].{0,4096}|(?<=[a-z])\.[a-z].{0,80})?\Z",
    re.DOTALL,
)
# A name that says itself what it holds: `refresh_token`, `accessToken` behind a key is a reference, not a value.
_REFERENCE = lazy(
    r"(?=[A-Za-z]{0,40}(?:_|(?-i:[a-z][A-Z])))[a-z_]{0,60}(?:token|key|secret|credentials?|password|passwd|pwd|auth)s?\Z",
    re.IGNORECASE,
)
_PATH = lazy(r"(?:~?/|\.{1,2}/|[A-Za-z]:\\)\S{0,4096}\Z")
_SLASHED = lazy(r"/[^/]*\Z")  # one segment: as likely a pass word as a directory
# Dotted words behind a pass word's key: a reference where one of them is a usual holder of values, else the value.
_DOTTED = lazy(r"[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,8}\Z")
_HOLDER = lazy(
    r"(?:\A|\.)(?:self|this|cls|os|sys|process|env|environ|config|cfg|conf|settings?|options?|opts|args|params?|props|req|request|res|response|data|form|body|user|account|creds?|credentials?"
    r"|ctx|context|secrets?|vault|app|st|state|values?|input|event|payload|session|client|obj|item|row|record|info|kwargs|db|var|local|module|std|types?|str|json|auth|login|fields?|models?)(?=\.|\Z)"
    r"|(?:pass(?:word|wd|phrase)?|pwd|token|secret|key|value|text|env)s?\Z",
    re.IGNORECASE,
)
CLOSERS = ".!?)]}>:。！？）"


def apply(text: str, low: str) -> str:
    """`text` with every value masked that a rule of this module finds; `low` is the text in lower case."""
    if any(gate in low for gate in LOGIN_GATES):
        # Before the sentences: of `maria:secret` only the second half is one.
        text = _LOGIN_AS.sub(_login, _LOGIN.sub(_login, text))
    if any(gate in low for gate in KEY_GATES):
        text = _PHRASE.sub(_whole("credential"), text)
        text = _MARKED_UP.sub(_marked_up, text) if "</" in low or "value=" in low else text
        for rule in (_LISTED, _ASSIGNED, _FLAG):
            text = rule.sub(_assigned, text)
        text = _SAID.sub(_said, _SET.sub(_set, text))
        text = _SAID_CJK.sub(_said_cjk, text)
        text = _BESIDE.sub(_beside, text)
    elif "phrase" in low or "mnemonic" in low or " words" in low:
        text = _PHRASE.sub(_whole("credential"), text)
    if "pass" in low:
        text = _PASS.sub(_login, text)
    if ":" in low or "=" in low:
        text = _RUN.sub(_random_value, text)
    return _CARD.sub(_card, text) if _DIGITS.search(text) else text


def masked(match: re.Match[str], label: str, start: int | None = None, end: int | None = None) -> str:
    """The whole match with the part from `start` to `end` (by default group `v`, else everything) masked."""
    whole, offset = match.group(0), match.start()
    group = "v" if "v" in match.re.groupindex else 0
    start = match.start(group) if start is None else start
    end = match.end(group) if end is None else end
    return f"{whole[: start - offset]}[REDACTED {label}]{whole[end - offset :]}"


def _whole(label: str) -> Callable[[re.Match[str]], str]:
    return lambda match: masked(match, label)


def masker(form: Form) -> Callable[[re.Match[str]], str]:
    def mask(match: re.Match[str]) -> str:
        value = match.group("v") if "v" in match.re.groupindex else match.group(0)
        stays = (
            _HARMLESS.match(value)
            or _BLANKED.search(value)
            or (form.label == "authorization" and value.lower() in STATE_WORDS)
        )
        return match.group(0) if stays else masked(match, form.label)

    return mask


def _bare(match: re.Match[str]) -> tuple[str, int, int, bool]:
    """Group `v` without its quotes or closing punctuation: text, start, end, whether it was quoted."""
    value, start, end = match.group("v"), match.start("v"), match.end("v")
    for quote in ('"""', "'''", '""', '\\"', '"', "'", "`"):
        if value.startswith(quote):
            size = len(quote)
            close = size if len(value) >= 2 * size and value.endswith(quote) else 0  # 0: it was left open
            return value[size : len(value) - close], start + size, end - close, True
    if not value.startswith("[REDACTED"):
        kept = value.rstrip(CLOSERS)
        end -= len(value) - len(kept)
        value = kept
    return value, start, end, False


def exempt(value: str, *, password: bool, quoted: bool) -> bool:
    """The exemptions of capture.md section 2: what stands after a key without being a secret."""
    if not value.strip():
        return True
    if quoted:  # whatever it says
        return _QUOTED_NOTHING.match(value.strip()) is not None
    if "[REDACTED" in value or _HARMLESS.match(value.strip()) or _BLANKED.search(value):
        return True
    if value.lower() in STATE_WORDS or (_PATH.match(value) and not (password and _SLASHED.match(value))):
        return True
    if "://" in value:
        return True  # the rules for links have looked at it
    if _EXPRESSION.match(value) and any(sign in value for sign in ".([:>"):
        return not password or _DOTTED.match(value) is None or _HOLDER.search(value) is not None
    if _REFERENCE.match(value):
        return True
    return not password and (len(value) < 4 or value.replace(".", "").replace("_", "").isdigit())


def _assigned(match: re.Match[str]) -> str:
    value, start, end, quoted = _bare(match)
    password = match.group("pw") is not None
    if not quoted and "=" in match.group("sep") and "&" in value:
        cut = value.index("&")  # an unquoted value of a query string ends there (HR15)
        value, end = value[:cut], start + cut
    shell = password and match.group("pw").lower() == "pwd" and _PATH.match(value)
    if shell or exempt(value, password=password, quoted=quoted):
        return match.group(0)
    return masked(match, "credential", start, end)


def _looks_random(value: str, least: int = 16) -> bool:
    """A run that nobody would type as a word: long enough, letters and digits, and no digest in disguise."""
    letters = sum(char.isalpha() for char in value)
    digits = sum(char.isdigit() for char in value)
    return len(value) >= least and letters > 0 and digits > 0 and not _UUID.match(value) and not _wordy(value)


def _wordy(value: str) -> bool:
    """True for paths, slugs and identifiers: three or more word-like segments."""
    return len(re.findall(r"(?<![A-Za-z0-9])[A-Za-z]?[a-z]{2,}(?![A-Za-z0-9])", value)) >= 3


def _said(match: re.Match[str]) -> str:
    value, start, end, quoted = _bare(match)
    password = match.group("pw") is not None
    if exempt(value, password=password, quoted=quoted):
        return match.group(0)
    if match.group("link") and not (_mixed(value) or (quoted and password)):
        return match.group(0)
    if password and match.group("many"):
        if not (_mixed(value) or quoted):
            return match.group(0)
    elif password:
        if not quoted and re.fullmatch(r"[a-z]{2,}(?:ed|ly)", value):
            return match.group(0)
    elif (not quoted and not re.search(r"\d", value) and len(value) < 20) or not _looks_random(value, 6):
        return match.group(0)
    return masked(match, "credential", start, end)


def _marked_up(match: re.Match[str]) -> str:
    group, cut = ("v", 0) if match.group("v") else ("w", 1)
    value = match.group(group)[cut : len(match.group(group)) - cut]
    if exempt(value, password=True, quoted=bool(cut)):
        return match.group(0)
    return masked(match, "credential", match.start(group) + cut, match.end(group) - cut)


def _set(match: re.Match[str]) -> str:
    value, start, end, quoted = _bare(match)
    if exempt(value, password=True, quoted=quoted) or not _mixed(value):
        return match.group(0)
    return masked(match, "credential", start, end)


def _mixed(value: str) -> bool:
    """Letters with digits, or with a sign or a capital inside: no word of a language."""
    return bool(
        re.search(r"[^\W\d_]", value)
        and (re.search(r"\d|[^\w.,/:-]", value[:-1]) or re.search(r"[a-z][A-Z]", value) or value[-1:].isdigit())
    )


def _login(match: re.Match[str]) -> str:
    """The second half of a pair, where it looks like a pass word or the pair is said to be credentials."""
    value, start, end, quoted = _bare(match)
    names = match.re.groupindex
    joined = "by" in names and match.group("by").strip()
    user = match.group("user").lower() if "user" in names else ""
    sure = "sure" in names and match.group("sure") and joined in ("/", ":", "|") and user not in PAIR_NAMES
    if exempt(value, password=True, quoted=quoted) or value.lower() in PAIR_NAMES or value.startswith("/"):
        return match.group(0)
    return masked(match, "credential", start, end) if sure or _mixed(value) else match.group(0)


def _said_cjk(match: re.Match[str]) -> str:
    value, start, end, _ = _bare(match)
    copula = match.group("sep").strip()
    wide = any(ord(char) > 0x2E7F for char in match.group(0))
    if not wide or exempt(value, password=True, quoted=False):
        return match.group(0)
    plain = value.isalpha() and value.islower()
    if len(value) < 4 or (plain and not copula) or (not copula and not re.search(r"\d", value)):
        return match.group(0)
    return masked(match, "credential", start, end)


def _beside(match: re.Match[str]) -> str:
    value, start, end, quoted = _bare(match)
    before = match.string[max(0, match.start() - 12) : match.start()].lower().rstrip(" _-")
    if before.endswith(("cache", "primary", "foreign", "public", "partition", "sort", "object", "host", "cryptokey")):
        return match.group(0)
    if exempt(value, password=True, quoted=False) or "[" in value:
        return match.group(0)
    password = match.group("pw") is not None
    strong = _looks_random(value, 16)
    if password and not strong:
        strong = bool(re.search(r"\d", value) and re.search(r"[A-Za-z]", value)) and not re.match(
            r"[\d.]+[a-z]{0,3}\Z", value
        )
        strong = strong and "=" not in value and "/" not in value and "_" not in value
    return masked(match, "credential", start, end) if strong else match.group(0)


def _entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def _random_value(match: re.Match[str]) -> str:
    """HR16, a long random run that is the value of an assignment or header; labelled digests are exempt."""
    value = match.group("v")
    before = _NAME.search(match.string[max(0, match.start() - 72) : match.start()])
    name = before.group(1) if before else ""
    if _DIGEST_NEAR.search(match.string[max(0, match.start() - 40) : match.start()]):
        return match.group(0)
    last = re.split(r"[_.-]|(?<=[a-z])(?=[A-Z])", name)[-1]
    if not name or _DIGEST_NAME.match(last) or value.startswith(("0x", "/", "sha256-", "sha384-", "sha512-")):
        return match.group(0)
    sample = value[:512]
    is_hex = re.fullmatch(r"[0-9a-fA-F]+", sample) is not None
    if _entropy(sample) < (3.0 if is_hex else 4.0) or not _looks_random(sample) or (is_hex and len(value) > 128):
        return match.group(0)
    return match.group(0) if _readable(value) else masked(match, "entropy")


def _readable(value: str) -> bool:
    """True when the run is base64 of plain text or of a picture: encoded, not secret."""
    sample = value[:400].rstrip("=").replace("-", "+").replace("_", "/")
    sample = sample[: len(sample) // 4 * 4]
    try:
        raw = base64.b64decode(sample)
    except (binascii.Error, ValueError):
        return False
    if raw.startswith((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"PK\x03\x04", b"\x1f\x8b")):
        return True
    return bool(raw) and sum(32 <= byte < 127 or byte in (9, 10, 13) for byte in raw) >= 0.95 * len(raw)


def _card(match: re.Match[str]) -> str:
    digits = re.sub(r"[ -]", "", match.group(0))
    before = match.string[max(0, match.start() - 16) : match.start()].lower()
    if not _BRAND.match(digits) or re.search(r"(?:#|order|ticket|tracking|invoice|trace|id)\W{0,3}\Z", before):
        return match.group(0)
    total = 0
    for place, digit in enumerate(reversed(digits)):
        double = int(digit) * (1 + place % 2)
        total += double - 9 if double > 9 else double
    return masked(match, "card") if total % 10 == 0 else match.group(0)
