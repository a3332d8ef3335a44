"""Write the table of codes in docs/memoria.md from the table of the client (memoria/errors.py); no host is needed.

python docs/generate_memoria.py           writes the table into the page
python docs/generate_memoria.py --check   exit 1 when the page is not what the code says
"""

import sys
import types
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PAGE = HERE / "memoria.md"
BEGIN, END = "<!-- codes: docs/generate_memoria.py -->", "<!-- /codes -->"

_BROKEN = {
    "closed": "this program is ending",
    "unsent": "no connection was made",
    "lost": "the connection broke, or no whole answer came in time",
    "oversized": "an answer over 1 MiB",
    "unreadable": "an answer that is no JSON",
}
_NUMBERS = {(500, 599): "5NN", (300, 499): "4NN", (0, 999): "NNN"}
_SAID = {(500, 599): "another 5xx", (300, 499): "another 3xx or 4xx", (0, 999): "any other status"}
_SHAPES = (  # raised where a reply is read (memoria/api.py), not by the table of answers
    ("invalid_mutation_response", "an answer that does not name what was written, or names somebody else's", True),
    ("invalid_observe_response", "an answer without the list of memories", True),
    ("subject_scope_mismatch", "an answer with a record of another subject", False),
)


def page() -> str:
    """The whole page, with the table as the code has it."""
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


def table() -> str:
    """Each code: where it comes from, what becomes of a turn, of a store or change, of a question, and the message."""
    errors = _errors()
    rows: dict[str, tuple[list[str], dict[bool, Any]]] = {}

    def add(code: str, source: str, write: bool, error: Any) -> None:
        sources, ends = rows.setdefault(code, ([], {}))
        if source not in sources:
            sources.append(source)
        ends.setdefault(write, error)

    for how, pair in errors.BROKEN.items():
        for write in (False, True):
            add(pair[write][0], _BROKEN[how], write, pair[write][1])
    for rule in errors.ANSWERS:
        for write in (False, True) if rule.write is None else (rule.write,):
            add(rule.code or f"http_{_NUMBERS.get(rule.status, rule.status[0])}", _status(rule), write, rule.error)
    add("content_blocked", "403 that says what was blocked", True, errors.ContentBlocked)
    for write in (False, True):
        add("requests_refused", "401 on a key that worked before, for its first 150 seconds", write, errors.RateLimited)
    for code, source, write in _SHAPES:
        add(code, source, write, errors.OutcomeUnknown if write else errors.ReadFailed)
    lines = ["| code | comes from | a turn | a store or change | a question | message |", "|---|---|---|---|---|---|"]
    for code, (sources, ends) in rows.items():
        hint = errors.HINTS.get(code, "Memoria answered NNN; nothing more is known.")
        turn = _turn(errors, code, ends.get(True))
        store, question = _write(errors, code, ends.get(True)), "fails" if False in ends else ""
        lines.append(f"| `{code}` | {'; '.join(sources)} | {turn} | {store} | {question} | {hint} |")
    return "\n".join(lines)


def _status(rule: Any) -> str:
    said = _SAID.get(rule.status, str(rule.status[0]))
    if rule.marker is not None:
        said += ", marked twice, for a turn with saved ids" if rule.marker else ", unmarked, for a turn with saved ids"
    return said


def _turn(errors: Any, code: str, error: Any) -> str:
    if error is None or code in ("invalid_mutation_response", "content_blocked"):
        return ""
    if error is errors.ClientClosed or issubclass(error, errors.NotSent):
        return "pending"
    return "uncertain" if issubclass(error, errors.OutcomeUnknown) else "failed"


def _write(errors: Any, code: str, error: Any) -> str:
    if error is None or "observe" in code or "dedup" in code:
        return ""
    if issubclass(error, errors.NotSent):
        return "queued"
    return "looked for, then done or unknown" if issubclass(error, errors.OutcomeUnknown) else "refused"


def _errors() -> Any:
    sys.dont_write_bytecode = True
    root = HERE.parent
    for name, path in (("cognition", root), ("cognition.memoria", root / "memoria")):
        if name not in sys.modules:
            package = types.ModuleType(name)
            package.__path__ = [str(path)]
            sys.modules[name] = package
    from importlib import import_module

    return import_module("cognition.memoria.errors")


if __name__ == "__main__":
    made = page()
    if "--check" in sys.argv:
        raise SystemExit(PAGE.read_text(encoding="utf-8") != made)
    PAGE.write_text(made, encoding="utf-8")
