"""What is taken from a person's words and what is masked in them: extraction, redaction, and how long it takes.

    python benchmarks/capture.py [--verbose] [--misses N] [--no-times] [FILE ...]

A FILE is JSONL, plain or .gz: rows with `is_durable_fact` measure extraction, rows with `is_secret` redaction, rows
with `fact` and `evidence_texts` extraction as well, as statements (recall alone).  Without one: the labelled sets of
tests/capture/labelled, and, where ../shared/data is there, its preference set, its secrets and its agent histories.
Rows may also carry `kind`, `language`, `fact` (the statement itself), `also` (other statements in the text that count
as right).

A statement counts as found when what was captured is in it or holds it; in a row without a `fact` anything counts.  In
a text of several sentences every other capture counts as wrong.  A third of each own set (half of
the later ones), by a hash of the id, was not looked at when the rules were written: `held`.  Exit code 1 when a figure
is below its floor.
"""

import argparse
import gzip
import hashlib
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from load import ROOT  # isort: skip - makes the package importable

from cognition.capture import reader, redact, turn
from cognition.capture.facts import Fact, extract
from cognition.capture.patterns import RULES as ENGLISH
from cognition.capture.session import Context, SessionCapture

SHARED = ROOT.parent / "shared" / "data"
LABELLED = ROOT / "tests" / "capture" / "labelled"
HISTORIES = ("swe-agent-*", "openhands-*", "glaive-*", "functionchat-*")

# Floors.
F1, F1_LANGUAGE, F1_PREFEVAL, F1_LATER = 0.85, 0.75, 0.88, 0.7
LONG_RECALL = 0.85
SECRET_RECALL, SECRET_WRONG = 1.0, 1
PER_MESSAGES = 20  # user messages of an agent's history for which less than one capture is allowed
SEEN_MS, COLD_MS, HOSTILE_S = 50.0, 500.0, 1.0

# What lines made to hurt patterns like ours are repeated from.
FRAGMENTS = (
    *(
        "I ",
        "I am a ",
        "my ",
        "always ",
        "never use ",
        "we use ",
        "a",
        "a ",
        "=",
        '"',
        "'",
        "the client for ",
        "I prefer ",
    ),
    *("not a but ", "from now on, ", "please always, ", "When you ", "instead of ", "User: a ", "我们", "我的名字是"),
    *("ich ", "私は", "の", ", ", "- ", ". ", "if I were ", "in all my ", "(", "[", "<a ", "Dear ", "`", "“", "1."),
    *("12 March ", "x@y", "/", "é", "'a ", "no longer ", "key is "),
)

Row = dict[str, Any]


def rows_of(path: Path) -> list[Row]:
    """The rows of a JSONL file, plain or gzipped; what they leave out is filled in."""
    opener: Callable[..., Any] = gzip.open if path.suffix == ".gz" else open
    rows: list[Row] = []
    with opener(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            row = {"id": f"line {number}", **json.loads(line)}
            if row.get("is_secret") and not row.get("secret"):
                start, stop = row["secret_span"]
                row["secret"] = str(row["text"])[start:stop]
            if {"fact", "evidence_texts"} <= row.keys() and "is_durable_fact" not in row:
                row |= {"is_durable_fact": True, "utterance": "\n".join(map(str, row["evidence_texts"]))}
            rows.append(row)
    return rows


def held(row: Row) -> bool:
    """Whether a row belongs to the part that was not looked at; the variants of one long text stay together.

    That is a third of the sets that the rules were written beside, half of those that were written after them.
    """
    late = str(row["id"]).startswith(("chat", "fresh"))
    return hashlib.sha256(str(row["id"]).split(".")[0].encode()).digest()[0] % (2 if late else 3) == 0


def plain(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


def captured(text: str) -> list[Fact]:
    """What a session makes of one user message."""
    row = reader.row_of(text, None)
    return reader.facts_of(row) if row is not None else []


class Score:
    """Found, missed and wrong statements of a group of rows."""

    def __init__(self) -> None:
        self.found = self.missed = self.wrong = 0

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.wrong) if self.found + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.found / (self.found + self.missed) if self.found + self.missed else 1.0

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def line(self, name: str) -> str:
        return (
            f"  {name:<16} {self.found + self.missed:>5} stated  precision {self.precision:.3f}"
            f"  recall {self.recall:.3f}  F1 {self.f1:.3f}  ({self.missed} missed, {self.wrong} wrong)"
        )


def judge(row: Row) -> tuple[list[Fact], list[Fact], bool]:
    """(what was rightly captured, what wrongly, whether the statement of the row was missed)."""
    facts = captured(str(row.get("utterance") or row.get("text") or ""))
    also = [plain(str(one)) for one in row.get("also") or ()]
    if not row["is_durable_fact"]:
        return [], [fact for fact in facts if plain(fact.content) not in also], False
    if not row.get("fact") or row.get("topic") != "long":
        return facts, [], not facts
    right = [plain(str(row["fact"])), *also]
    good = [fact for fact in facts if any(plain(fact.content) in one or one in plain(fact.content) for one in right)]
    hit = any(plain(fact.content) in right[0] or right[0] in plain(fact.content) for fact in good)
    return good, [fact for fact in facts if fact not in good], not hit


def extraction(
    name: str, rows: Sequence[Row], misses: int, held_too: bool = False, *, ours: bool = True
) -> dict[str, Score]:
    """Print and return the scores of a set: "" for all of it, each language and each kind.

    ours  a set of our own: also "held" and "dev", and "held" by language
    """
    scores: dict[str, Score] = defaultdict(Score)
    lost: list[str] = []
    taken: list[str] = []
    flagged = kinds = kinds_right = 0
    corrections = 0
    for row in rows:
        good, wrong, missed = judge(row)
        own = "kind" in row
        part = ("held" if held(row) else "dev") if own and ours else ""
        groups = ["", *([part] if part else [])]
        groups += [f"language {row['language']}"] if row.get("language") else []
        groups += [f"held {row['language']}"] if part == "held" and row.get("language") else []
        groups += [f"kind {row['kind']}"] if own and row["is_durable_fact"] else []
        for group in groups:
            score = scores[group]
            score.found += bool(row["is_durable_fact"] and not missed)
            score.missed += missed
            score.wrong += len(wrong) if row.get("topic") == "long" else bool(wrong)
        if own and good:
            if row["kind"] == "correction":
                corrections += 1
                flagged += any(fact.correction for fact in good)
            elif row["kind"] != "remember":
                kinds += 1
                kinds_right += good[0].kind == row["kind"]
        if part == "held" and not held_too:
            continue
        if missed:
            lost.append(f"    missed {row['id']}: {str(row.get('fact') or row.get('utterance'))[:150]}")
        taken += [f"    wrong  {row['id']} ({fact.kind} {fact.salience}): {fact.content[:150]}" for fact in wrong]
    print(f"\n{name}: {len(rows)} rows")
    for group in sorted(scores, key=lambda one: (one.split(" ")[0] not in ("", "dev", "held"), one)):
        print(scores[group].line(group or "all"))
    if kinds:
        print(f"  kind as labelled {kinds_right / kinds:.3f} of {kinds}", end="")
        print(f"; corrections known as such {flagged} of {corrections}")
    for line in [*taken[:misses], *lost[:misses]]:
        print(line)
    return scores


def own_secrets() -> list[Row]:
    """The corpus of the tests: every kind of secret in every quoting form, and look-alikes."""
    sys.path.append(str(ROOT / "tests"))
    from secret_corpus import LOOK_ALIKES, SECRETS

    rows: list[Row] = [
        {"id": name, "text": text, "secret": secret, "is_secret": True, "kind": name.partition("/")[0]}
        for name, text, secret in SECRETS
    ]
    for number, text in enumerate(LOOK_ALIKES):
        rows.append({"id": f"look-alike {number}", "text": text, "secret": None, "is_secret": False})
    return rows


def redaction(name: str, rows: Sequence[Row], misses: int) -> tuple[float, int]:
    """Print and return the recall of secrets and the number of look-alikes that were changed."""
    secrets = [row for row in rows if row["is_secret"]]
    innocent = [row for row in rows if not row["is_secret"]]
    missed = [row for row in secrets if str(row["secret"]) in reader.redact(str(row["text"]))]
    wrong = [row for row in innocent if reader.redact(str(row["text"])) != row["text"]]
    by_kind = Counter(str(row.get("kind", "")) for row in secrets)
    recall = 1 - len(missed) / len(secrets) if secrets else 1.0
    print(f"\n{name}: {len(secrets)} secrets of {len(by_kind)} kinds, {len(innocent)} look-alikes")
    print(f"  recall {recall:.3f} ({len(missed)} missed), look-alikes changed {len(wrong)}")
    for kind, number in Counter(str(row.get("kind", "")) for row in missed).most_common():
        print(f"    kind {kind or '(none)':<24} recall {1 - number / by_kind[kind]:.3f} of {by_kind[kind]}")
    for row in [*missed[:misses], *wrong[:misses]]:
        print(f"    {'missed' if row['is_secret'] else 'wrong '} {row['id']} {row.get('kind', '')}")
    return recall, len(wrong)


def histories() -> tuple[int, int]:
    """(user messages, captures) of the promised agent histories, in which nobody states anything durable.

    Printed: every file, by name and kind; the other ones are talks of people with assistants, or name their own rules.
    """
    counts: dict[str, tuple[int, Counter[str]]] = {}
    for path in sorted((SHARED / "histories").glob("*.json")):
        rows = json.loads(path.read_text(encoding="utf-8"))["messages"]
        name = next((one for one in HISTORIES if path.match(one)), path.stem.partition("-")[0])
        messages, kinds = counts.setdefault(name, (0, Counter()))
        kinds.update(fact.kind for fact in reader.told_facts(rows))
        counts[name] = messages + sum(row.get("role") == "user" for row in rows), kinds
    print("\nagent histories, user messages and captures; those with a star are promised")
    for name, (messages, kinds) in counts.items():
        print(f"  {name:<16} {messages:>4} messages  {sum(kinds.values())} captures {dict(kinds) if kinds else ''}")
    promised = [counts[name] for name in HISTORIES if name in counts]
    return sum(messages for messages, _ in promised), sum(sum(kinds.values()) for _, kinds in promised)


def talk(turns: int, size: int) -> list[Row]:
    """A transcript of `turns` turns whose user texts and answers have `size` characters in sum, in ordinary prose."""
    prose = (
        "I looked at the importer again, and the second half of the file is read twice when the first line is empty. ",
        "The customer sent a new export this morning, with about four thousand rows and no header. ",
        "Could you check whether the parser treats the empty line as a record? ",
        "I prefer small commits, so please split the change in two if that is possible. ",
        "Yesterday's version did not have the problem, as far as I can see from the logs. ",
        "We deploy on Thursdays, and the fix should be in before that. ",
        "There is a test for the empty file, but none for an empty first line. ",
        "If it takes longer than an hour, leave it and write down what you found. ",
    )
    rows: list[Row] = []
    for number in range(turns):
        text = f"Turn {number}. "
        while len(text) < size * 2 // 3:
            text += prose[(number + len(text)) % len(prose)]
        rows.append({"role": "user", "content": text})
        rows.append({"role": "assistant", "content": "Done. " + "I changed the reader as you asked. " * (size // 105)})
    return rows


def hostile() -> Iterator[tuple[str, str]]:
    """Lines of one million characters made to hurt patterns like ours."""
    for fragment in FRAGMENTS:
        yield fragment, (fragment * (1_000_000 // len(fragment) + 1))[:1_000_000]
    yield "I prefer + 1 MB", "I prefer " + "very" * 250_000
    words = sorted({word for one in ENGLISH for word in re.findall(r"[a-z']{2,}", one.text)})
    chance = random.Random(5)
    for _ in range(20):  # the words that the rules are made of, in any order
        fragment = " ".join(chance.choices(words, k=chance.randint(2, 9))) + chance.choice((" ", ", ", ". ", ""))
        yield fragment, (fragment * (1_000_000 // len(fragment) + 1))[:1_000_000]


def times() -> list[str]:
    """Print how long a session's end and a hostile line take; returns what missed its promise."""
    failed = []
    rows = talk(200, 2_000)

    def end(known: bool) -> float:
        """Processor time of the end of a session whose turns were all heard before, or none of them."""
        turn._READ = turn._Read(2_000_000)
        redact._PLAIN.clear()
        session = SessionCapture(Context("s1", "s1", "owner", "", "default"))
        if known:
            for row in rows:
                if row["role"] == "user":
                    session.hear(row["content"])
            session.work()
        marks: list[Any] = []
        started = time.process_time()
        session.settle(rows, known=lambda _: [], enqueue=lambda _, seen: marks.extend(seen), author="Ada")
        spent = (time.process_time() - started) * 1000
        assert len(marks) == 200, len(marks)
        return spent

    end(known=False)  # the tables are compiled at their first use
    seen, cold = min(end(known=True) for _ in range(3)), min(end(known=False) for _ in range(3))
    print(f"\nsession end, 200 turns of 2 kB: heard before {seen:.0f} ms (at most {SEEN_MS:.0f})", end="")
    print(f", cold {cold:.0f} ms (at most {COLD_MS:.0f}); processor time, the best of three")
    failed += ["session end, heard"] * (seen > SEEN_MS) + ["session end, cold"] * (cold > COLD_MS)
    worst = ("", 0.0)
    for name, text in hostile():
        spent = 9.9
        for _ in range(2):
            started = time.process_time()
            extract(text)
            spent = min(spent, time.process_time() - started)
            if spent < HOSTILE_S / 2:
                break
        worst = max(worst, (name, spent), key=lambda one: one[1])
        failed += [f"1 MB of {name!r}: {spent:.2f} s"] if spent > HOSTILE_S else []
    print(f"1 MB in one line, the worst: {worst[1]:.2f} s ({worst[0]!r}; at most {HOSTILE_S:.0f})")
    return failed


def main() -> int:
    """Measure and print; exit code 1 when a figure is below its floor."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("files", nargs="*", type=Path, metavar="FILE")
    options.add_argument("--verbose", action="store_true", help="every miss and every wrong capture")
    options.add_argument("--held", action="store_true", help="also print what is wrong in the held-back third")
    options.add_argument("--misses", type=int, default=5, help="how many of each are printed (default 5)")
    options.add_argument("--no-times", action="store_true", help="only what does not depend on the machine")
    args = options.parse_args()
    misses = 10_000 if args.verbose else args.misses
    failed: list[str] = []
    if args.files:
        for path in args.files:
            rows = rows_of(path)
            stated = [row for row in rows if "is_durable_fact" in row]
            secret = [row for row in rows if "is_secret" in row]
            if stated:
                extraction(path.name, stated, misses, ours=False)
            if secret:
                redaction(path.name, secret, misses)
            if not stated and not secret:
                print(f"{path}: no row has is_durable_fact, is_secret, or fact and evidence_texts", file=sys.stderr)
                return 2
        return 0
    sentences = [row for path in sorted(LABELLED.glob("??.jsonl")) for row in rows_of(path)]
    scores = extraction("sentences of our own", sentences, misses, args.held)
    failed += [f"F1 {name or 'all'}" for name in ("", "dev", "held") if scores[name].f1 < F1]
    failed += [f"F1 {name}" for name, one in scores.items() if name.startswith("language") and one.f1 < F1_LANGUAGE]
    scores = extraction("long messages of our own", rows_of(LABELLED / "long.jsonl"), misses, args.held)
    failed += [f"long messages, {name or 'all'}" for name in ("", "dev", "held") if scores[name].recall < LONG_RECALL]
    # Typed as to an assistant, and written after the rules: `held` is the honest figure of what a new user gets.
    for name in ("chat", "fresh", "chat_long"):
        scores = extraction(f"written later: {name}", rows_of(LABELLED / f"{name}.jsonl"), misses, args.held)
        failed += [f"F1 {name}, held"] * (scores["held"].f1 < F1_LATER)
    if (SHARED / "extraction" / "prefeval.jsonl").exists():
        # Other people's sentences: counted, never printed.
        rows = rows_of(SHARED / "extraction" / "prefeval.jsonl")
        scores = extraction("prefeval", rows, misses if args.verbose else 0)
        failed += ["F1 prefeval"] * (scores[""].f1 < F1_PREFEVAL)
        messages, captures = histories()
        failed += ["agent histories"] * (captures * PER_MESSAGES >= messages)
    secrets = {"the corpus of the tests": own_secrets()}
    if (path := SHARED / "secrets.jsonl.gz").exists():
        secrets[path.name] = rows_of(path)
    for name, rows in secrets.items():
        recall, wrong = redaction(name, rows, misses)
        failed += [f"redaction, {name}"] * (recall < SECRET_RECALL or wrong > SECRET_WRONG)
    if not args.no_times:
        failed += times()
    for one in failed:
        print(f"MISSED: {one}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
