"""Numbers that open something or stand for a person, when the sentence says that this is what they are.

- A code of a door, alarm, safe, lock, key pad, phone or sign-in, and every PIN, becomes `[REDACTED credential]`.
- A national number (social security, passport, identity card, driving licence, tax number and their like in other
  countries) becomes `[REDACTED id]`, but only where the sentence names it: bare digits say nothing, and dates, ticket
  and flight numbers must stay.  Account numbers for being paid (IBAN) are meant to be given out and stay.

The words around a number decide, never its form alone.  Every pattern begins at a literal or at a left boundary and
has bounded parts (capture.md section 5).
"""

# ruff: noqa: E501 - a pattern is easier to check in one line than in five
import re

from .lazy import lazy
from .secret_rules import masked

_DIGIT_WORD = (
    r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun)"
)
_VALUE = (
    rf"(?P<v>[#*]?(?:[A-Z]{{1,3}}-?)?\d[\dA-Z]{{0,15}}(?:[ .-]{{1,3}}\d[\dA-Z]{{0,7}}){{0,5}}[#*]?|(?:{_DIGIT_WORD}[ ,-]{{1,2}}){{2,11}}{_DIGIT_WORD})"
    # A measure, a decimal or the rest of a name is not what somebody types into a lock.
    r"(?![\w/]|[.,:]\d|\s{0,2}%|[ -]{1,2}(?:lines?|loc|bytes?|[kmg]b|ms|seconds?|minutes?|hours?|days?|weeks?|months?|years?|characters?|chars?|digits?|times|errors?|files?|words|pages?|zeilen|stellig|stellen|people|users|points?|px)\b)"
)
_IS = (
    r"(?P<is>\s{0,3}[(:=]\s{0,3}|\s{1,3}(?:is|was|are|will be|has been|be|ist|lautet|war|es|era|est|é|è|to|blijft|becomes|remains|changed to|(?:is )?set to|got changed to)"
    r"(?:\s{1,3}(?:now|still|currently|again|always|simply|just|set to|changed to|jetzt|immer|ahora|maintenant|agora))?\s{0,2}:?\s{1,3}|\s{1,3})[\"'`]?"
)
_CODE = (
    r"(?:(?:pin|pass|key)?[ -]?(?:code|kode)s?|pins?|combination|combo|kombination|zahlenkombination|geheimzahl|c[oó]digo|combinaci[oó]n|combina[cç][aã]o|combinaison|codice|kod|код)"
    r"(?:\s(?:number|nummer))?"
)
# What a code may open.  `house`, `building`, `area`, `phone` are missing on purpose: their codes are no secrets.
_PLACE = (
    r"(?:alarm(?:anlage|system)?|alarma|alarme|allarme|doors?|haustür|tür|türe|deur|puerta|porte|porta|portail|portón|port[aã]o|cancello|gates?|tor|poort|garage|garagem|garaje|safe|vault|tresor|kluis|coffre(?:-fort)?|caja fuerte|cofre|cassaforte|"
    r"strong ?box|lock ?box|key ?(?:safe|box|pad)|pad ?lock|lock|locker|schloss|schließfach|cadenas|candado|cadeado|lucchetto|entry|entry ?phone|entrance|eingang|intercom|interphone|shed|cellar|keller|access|zugang|acceso|acc[eè]s|acesso|"
    r"security|unlock(?:ing)?|disarm(?:ing)?|arming|panic|duress|screen ?lock|suitcase|koffer|luggage|mailbox|parcel (?:box|locker)|voicemail|wi-?fi|wlan|verification|2fa|mfa|two-factor|one-time|otp|authenticat(?:ion|or)|log-?in|sign-?in|recovery|"
    r"bramy|drzwi|двери|домофона|сейфа|сигнализации)"
)
_MINE = r"(?:my|mein\w{0,2}|mi|mon|meu|mio)\s(?:i?phone|mobile|tablet|ipad|laptop|handy|card|bank card|m[oó]vil|téléphone|t[eé]l[eé]fono|telefone|sim)"
_OF = r"(?:for|to|of|on|at|into|für|von|vom|zum|zur|de|del|du|des|da|do|para|pour|della|dell'|del|per|van|voor|от|к|do)"
_STRONG_PLACE = r"(?:alarm|doors?|gates?|garage|safe|vault|strong ?box|lock ?box|key ?(?:safe|box|pad)|pad ?lock|locker|intercom|tür|haustür|tor|tresor|schloss|alarmanlage|puerta|porte|coffre|porta|portão)"

_CODES = (
    # `alarm code is 4821`, `door-code: 4821#`, `Haustürcode ist 4821`
    lazy(
        rf"(?<![A-Za-z]){_PLACE}(?:'s)?[ -]{{0,2}}(?:(?:system|panel|door|gate|key ?pad|lock|unlock|entry|access|pin)[ -])?{_CODE}{_IS}{_VALUE}",
        re.IGNORECASE,
    ),
    lazy(
        rf"(?:tür|tor|alarm|tresor|safe|schloss|fach|garagen|zugangs|entsperr|sperr|sicherheits|eingangs|deur|toegangs|digi|vigi)[ -]?(?:codes?|kombination|zahl){_IS}{_VALUE}",
        re.IGNORECASE,
    ),
    # `the code for the alarm is 4821`, `el código de la puerta es 4821`, `the door's code is`
    lazy(
        rf"(?<![A-Za-z]){_CODE}\s{{1,3}}{_OF}\s?(?:(?!error|status|bug|is\b)[^\s.,;:!?]{{1,24}}\s){{0,4}}?(?:{_PLACE}|{_MINE})(?:\s(?!is\b)[^\s.,;:!?]{{1,24}}){{0,3}}?{_IS}{_VALUE}",
        re.IGNORECASE,
    ),
    lazy(rf"(?<![A-Za-z])(?:puk|otp|cvv2?|cvc2?|digicode|key ?pad){_IS}{_VALUE}", re.IGNORECASE),
    lazy(
        r"(?:门禁|大门|开门|门锁|保险柜|保险箱|报警器?|解锁|锁屏|验证|取件|开锁|安全|车库|ドア|玄関|金庫|警報|ロック|暗証|セキュリティ|현관|금고|도어락|보안)\s?(?:的|の)?\s?(?:号码|密码|代码|码|コード|番号|비밀번호|코드|번호)"
        r"\s{0,2}(?:是|为|為|は|が|은|는|：|:|=)?\s{0,2}(?P<v>\d{3,10}[#*]?)(?!\d)"
    ),
    # `4821 is the alarm code`, `4821 opens the safe`
    lazy(
        rf"(?<![\w.,#/-])(?P<v>[#*]?\d{{3,10}}[#*]?)\s{{1,2}}(?:(?:is|ist|es|est|é|è)\s(?:[^\s.,;]{{1,20}}\s){{0,3}}?(?:pin\b|{_STRONG_PLACE}[ -]?{_CODE}|{_CODE}\s{_OF}\s(?:[^\s.,;]{{1,20}}\s){{0,3}}?{_STRONG_PLACE})"
        rf"|(?:opens|unlocks|disarms|öffnet|abre|ouvre|apre)\s(?:[^\s.,;]{{1,20}}\s){{0,3}}?(?:{_STRONG_PLACE}|phone|laptop))(?![\w.])",
        re.IGNORECASE,
    ),
    # `enter 4821 at the gate`, `use 4821 as the PIN`, `the safe opens with 4821`
    lazy(
        rf"(?<![A-Za-z])(?:use|enter|type(?: in)?|punch in|dial|press|key in|put in|tippe?|drück\w{{0,2}})\s(?:the code\s)?(?P<v>[#*]?\d{{3,10}}[#*]?)\s(?:as|at|on|for|into|in|to (?:open|unlock|disarm)|am|an|beim?)\s(?:[^\s.,;]{{1,20}}\s){{0,3}}?(?:{_STRONG_PLACE}|pin)(?![\w.])",
        re.IGNORECASE,
    ),
    lazy(
        rf"(?<![A-Za-z])(?:{_STRONG_PLACE}|phone|laptop)(?:\s[^\s.,;]{{1,20}}){{0,3}}?\s(?:opens?|unlocks?|disarms?|is (?:opened|unlocked|disarmed)|turns off|can be (?:opened|unlocked|disarmed))\s(?:with|using|by (?:entering|typing|pressing))\s(?:the\s)?(?:code\s)?{_VALUE}",
        re.IGNORECASE,
    ),
)
_PIN = lazy(
    rf"(?<![A-Za-z])(?P<pin>pin|пин)(?:[ -]?(?:code|number|nummer|код))?(?:\s{{1,3}}{_OF}(?:\s{{1,3}}[^\s.,;:!?=]{{1,40}}){{1,5}}?)?{_IS}(?P<v>\d(?:[ -]?\d){{3,7}})(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
_PIN_TALK = lazy(
    r"\b(?:my|our|the|your|his|her|with|use|enter|card|sim|mein\w{0,2}|mi|mon|meu)\s{1,2}\Z", re.IGNORECASE
)

_NO = r"(?:\s?(?:number|numbers|num|no\.?|nr\.?|nummer|n[úu]mero|numéro|n°|#|id))"
_NATIONAL = (
    rf"(?:ssn|social[ -]security(?:{_NO})?|social insurance{_NO}|national insurance{_NO}|ni{_NO}|nino|passport{_NO}|(?:national )?(?:id|identity)[ -]?card{_NO}|national id(?:entity|entification)?(?:{_NO})?|personal id(?:entification|entity)?{_NO}|"
    rf"driv(?:er|ers|er's|ing)[ -]?licen[cs]e{_NO}|tax(?:payer)?[ -](?:id(?:entification)?|file|reference)(?:{_NO})?|t\.?i\.?n\.? number|tfn|nhs{_NO}|medicare{_NO}|health (?:insurance|card){_NO}|green card{_NO}|alien (?:registration )?{_NO}|sin number|aadhaa?r(?:{_NO})?|pan (?:card )?{_NO}|"
    r"sozialversicherungs-?(?:nummer|nr\.?)|rentenversicherungs-?nummer|steuer-?(?:id|nummer|identifikationsnummer|nr\.?)|(?:reise)?passnummer|(?:personal)?ausweis-?(?:nummer|nr\.?)|führerschein-?nummer|krankenversicherten-?nummer|ahv-?nummer|svnr|"
    r"num[eé]ro de (?:s[eé]curit[eé] sociale|passeport|carte d'identit[eé])|n[uú]mero de (?:la )?(?:seguridad social|pasaporte|seguro social|passaporte)|dni|nie|nif|nss|curp|cpf|cnpf|rg número|codice fiscale|numero (?:di|del) passaporto|bsn|burgerservicenummer|paspoortnummer|pesel|personnummer|cpr[- ]?(?:nummer|number)|снилс|инн|номер паспорта)"
)
_ID_VALUE = r"(?P<v>(?:(?-i:[A-Z]{1,6})[ -]?|[a-z]{1,3})?\d[\dA-Z]{0,20}(?:[ ./-]{1,2}\d[\dA-Z]{0,20}){0,7}(?:[ -](?-i:[A-Z])(?![\w']))?)(?![\w])"
_IDS = (
    lazy(
        rf"(?<![A-Za-z]){_NATIONAL}(?:\s{{1,3}}(?:for|of|on|in|from|von|für|de|del|da|do|pour)(?:\s{{1,3}}[^\s.,;:!?=]{{1,24}}){{1,4}}?)?{_IS}{_ID_VALUE}",
        re.IGNORECASE,
    ),
    lazy(
        rf"(?<![\w.,/-]){_ID_VALUE}\s{{1,2}}(?:is|=|ist|es|est|é|è)\s(?:(?:my|the|our|his|her|your|mein\w{{0,2}}|mi|mon|meu|il mio)\s)?(?:[^\s.,;]{{1,20}}\s){{0,2}}?{_NATIONAL}(?![A-Za-z])",
        re.IGNORECASE,
    ),
    lazy(
        r"(?:身份证|护照|社保|社会保障|驾驶证|驾照|纳税人识别|マイナンバー|個人番号|パスポート|旅券|免許証|주민등록|여권)\s?(?:的)?\s?(?:号码|号|番号|번호)?\s{0,2}(?:是|为|為|は|은|는|：|:)?\s{0,2}(?P<v>[A-Za-z]{0,3}\d[\dA-Za-z-]{4,20})"
    ),
)
_CODE_GATES = (
    "code", "kode", "pin", "puk", "otp", "keypad", "key pad", "cvv", "cvc", "comb", "kombi", "geheimzahl", "zahl", "código", "codigo", "codice", "kod", "код", "пин",
    "open", "unlock", "disarm", "öffnet", "abre", "ouvre", "apre", "enter", "press", "dial", "punch", "type", "tipp", "码", "コード", "番号", "번호", "코드", "turns off",
)  # fmt: skip
_ID_GATES = (
    "ssn", "social", "national", "ni n", "nino", "passport", "identity", "id ", "licen", "tax", "t.i.n", "tin number", "tfn", "nhs", "medicare", "health", "card", "alien", "sin number",
    "aadha", "pan ", "nummer", "nr", "svnr", "steuer", "num", "núm", "dni", "nie", "nif", "nss", "curp", "cpf", "cnpf", "rg ", "fiscale", "bsn", "pesel", "снилс", "инн", "номер",
    "证", "护照", "社", "驾", "纳税", "ナンバー", "番号", "パスポート", "旅券", "주민", "여권",
)  # fmt: skip
_DIGIT = lazy(r"\d")
_HAS_NUMBER = lazy(
    rf"\d{{3}}|\d[ .-]{{1,3}}\d|\d[A-Za-z]{{1,3}}\d|\b{_DIGIT_WORD}[ ,-]{{1,2}}{_DIGIT_WORD}\b", re.IGNORECASE
)


# What stands right before and makes another kind of number of it.
_OTHER_CODE = lazy(
    r"\b(?:errors?|fault|failure|status|http|exit|return|response|event|reason|result|area|postal|post|zip|country|dialling|dial|colou?r|product|item|part|order|discount|promo|voucher|"
    r"pid|process|port|line|issue|ticket|job|room|rule|fehler|ereignis|erreur|dtc|obd)[ -]{0,2}\Z",
    re.IGNORECASE,
)


def mask_numbers(text: str, low: str) -> str:
    """`text` with codes, PINs and national numbers masked; `low` is the text in lower case."""
    if not (_DIGIT.search(low) or "code" in low or "combin" in low):
        return text
    opening = any(gate in low for gate in _CODE_GATES)
    naming = any(gate in low for gate in _ID_GATES)
    if not (opening or naming) or not _HAS_NUMBER.search(low):
        return text
    if naming:
        for rule in _IDS:
            text = rule.sub(_national, text)
    if opening:
        for rule in _CODES:
            text = rule.sub(_code, text)
        text = _PIN.sub(_pin, text)
    return text


def _digits(value: str) -> int:
    return sum(char.isdigit() for char in value)


def _code(match: re.Match[str]) -> str:
    """Three digits at least; four where nothing but a blank stands between the word and the number."""
    value = match.group("v")
    if _OTHER_CODE.search(match.string[max(0, match.start() - 24) : match.start()]):
        return match.group(0)
    if value[:1].isalpha() and not _digits(value):  # spelled out
        return masked(match, "credential")
    beside = "is" in match.re.groupindex and not match.group("is").strip()
    return masked(match, "credential") if _digits(value) >= (4 if beside else 3) else match.group(0)


def _pin(match: re.Match[str]) -> str:
    """A PIN has four to eight digits; `pin 8080` without a copula must be called a PIN or be somebody's."""
    before = match.string[max(0, match.start() - 12) : match.start()]
    named = match.group("is").strip() or match.group("pin").isupper() or _PIN_TALK.search(before)
    return masked(match, "credential") if named else match.group(0)


def _national(match: re.Match[str]) -> str:
    return masked(match, "id") if _digits(match.group("v")) >= 5 else match.group(0)
