"""Secrets are replaced before any text is written (H8, P41, D61, D107).

A placeholder is `[REDACTED <label>]`: the label names the rule and never holds a word or sign on which the Memoria
server blocks a text.  The functions are pure.  Known limits: a secret split over two lines, one that is itself encoded
in base64, and a pass word made of ordinary words behind a sentence that is not among the forms are not recognised.
"""

from collections.abc import Callable

from .lazy import lazy
from .secret_answers import MASK, Around, behind_masks, masked_after
from .secret_forms import COMMANDS, HEADERS, LINKS, TOKENS
from .secret_numbers import mask_numbers
from .secret_rules import CLOSERS, apply, exempt, masker

PIECE = 65_536  # characters worked off at a time, so that other threads get the interpreter in between (D61)
_SHORT, _MANY = 500, 2_000  # length and number of the texts that are known to hold no secret
_PLAIN: set[str] = set()
_FORMS = (*LINKS, *HEADERS, *TOKENS, *COMMANDS)
_ROUNDS = 5  # until nothing changes: masking one secret can lay bare the context of the next one
_PLACEHOLDER = lazy(r"\[REDACTED [a-z]{2,16}\]")

_PEM_BEGIN = lazy(r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = lazy(r"-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----")


def redact(text: str, extra: Callable[[str], str] | None = None) -> str:
    """`text` with every recognised secret replaced; idempotent, linear in the length.

    `extra` is the host's redactor.  It sees only what stands between our placeholders, and its result is used as a hint
    where to mask more, never as text: what it changed becomes `[REDACTED host]`.  If it raises or returns no text,
    our own result stands.
    """
    if text not in _PLAIN:
        said, text = text, _private_keys(text)
        text = "".join(_settle(piece) for piece in _pieces(text))
        if text == said and len(said) <= _SHORT:
            # Only what holds no secret is remembered: a statement is looked at again on its way to the outbox.
            if len(_PLAIN) >= _MANY:
                _PLAIN.clear()
            _PLAIN.add(said)
    return masked_by(text, extra)


def masked_by(text: str, extra: Callable[[str], str] | None) -> str:
    """What the host's redactor hides beyond our own rules, for a text that these have been through."""
    return text if extra is None else _second_pass(text, extra)


def answering(text: str, around: Around) -> str:
    """A redacted message without the secret that it gives alone, known by what stands before it (secret_answers.py)."""
    return masked_after(text, around, _once)


def holds_secret(text: str) -> bool:
    """True when `redact` would mask something in `text`."""
    return redact(text) != text


def _pieces(text: str) -> list[str]:
    """`text` in parts of at most PIECE characters, cut behind white space where there is any."""
    parts = []
    start = 0
    while len(text) - start > PIECE:
        end = max(text.rfind("\n", start, start + PIECE), start)
        end = end if end > start + PIECE // 2 else max(text.rfind(" ", start, start + PIECE), end)
        # One long run has no place to cut: it is taken whole, for a cut could halve a secret.
        end = end if end > start else text.find(" ", start + PIECE)
        if end < 0:
            break
        parts.append(text[start : end + 1])
        start = end + 1
    parts.append(text[start:])
    return parts


def _settle(text: str) -> str:
    for _ in range(_ROUNDS):
        masked = _once(text)
        if masked == text:
            break
        text = masked
    return behind_masks(text, _once) if MASK in text else text


def _once(text: str) -> str:
    low = text.lower()
    for form in _FORMS:
        for gate in form.gates:  # a loop, not any(): most of what a cold session end costs is spent here
            if gate in low:
                text = form.pattern.sub(masker(form), text)
                break
    return mask_numbers(apply(text, low), low)


def _private_keys(text: str) -> str:
    """HR1: whole key blocks; one without an end is masked to the end of the text."""
    if "PRIVATE KEY" not in text:
        return text
    out = []
    at = 0
    while begin := _PEM_BEGIN.search(text, at):
        end = _PEM_END.search(text, begin.end())
        out += [text[at : begin.start()], "[REDACTED pem]"]
        at = end.end() if end else len(text)
    return "".join((*out, text[at:]))


def _second_pass(text: str, extra: Callable[[str], str]) -> str:
    pieces = []
    at = 0
    for found in _PLACEHOLDER.finditer(text):
        pieces += [_hinted(text[at : found.start()], extra), found.group(0)]
        at = found.end()
    return "".join((*pieces, _hinted(text[at:], extra)))


def _hinted(text: str, extra: Callable[[str], str]) -> str:
    """`text` with whatever `extra` changes in it masked; exempt values stay (capture.md section 2)."""
    if not text.strip():
        return text
    try:
        hint = extra(text)
    except Exception:  # the host's function may be of any version; our own pass has already run
        return text
    if not isinstance(hint, str) or hint == text:
        return text
    ours, theirs = text.split("\n"), hint.split("\n")
    if len(ours) == len(theirs):
        return "\n".join(_line(own, other) if own != other else own for own, other in zip(ours, theirs, strict=True))
    head = 0
    while head < min(len(ours), len(theirs)) and ours[head] == theirs[head]:
        head += 1
    tail = 0
    while tail < min(len(ours), len(theirs)) - head and ours[-1 - tail] == theirs[-1 - tail]:
        tail += 1
    return "\n".join((*ours[:head], "[REDACTED host]", *ours[len(ours) - tail :]))


_PART = lazy(r"[\s\"'`,;&=<>]+")


def _line(own: str, other: str) -> str:
    """One line that `other` masks differently: the parts of `own` that do not come back in `other`, in order, go."""
    out = []
    at = 0
    seen = 0
    for part, gap in _parts(own):
        found = other.find(part, seen) if part else seen
        kept = (
            not part
            or (found >= 0 and found - seen <= 200)
            or exempt(part.rstrip(CLOSERS), password=False, quoted=False)
        )
        if part and found >= 0 and found - seen <= 200:
            seen = found + len(part)
        out += [part if kept else "[REDACTED host]", gap]
        at += len(part) + len(gap)
    return "".join((*out, own[at:]))


def _parts(line: str) -> list[tuple[str, str]]:
    """The line as (part, separator) pairs that join to it again."""
    pairs = []
    at = 0
    for gap in _PART.finditer(line):
        pairs.append((line[at : gap.start()], gap.group(0)))
        at = gap.end()
    pairs.append((line[at:], ""))
    return pairs
