"""How well past conversations are recalled: through the MemoryProvider interface, one process stores, another recalls.

    .venv/host19/bin/python benchmarks/recall.py [--data FOLDER | --synthetic] [--inside 100000] [--plain] [--peer NAME]
    .venv/host19/bin/python benchmarks/recall.py --gap
    .venv/host19/bin/python benchmarks/recall.py --scale 1000 10000 100000

Each conversation has a home of its own; with `--inside N` all of them share one home with N other messages.  A figure
"in N tokens" is measured with recall.target_tokens = N and budget_tokens = max(N, 1000).  A message of evidence counts
as told when at least four fifths of its word triples stand in the injected text; dates that were added to it do not
count against it.  Speaker names stand in the text (`Name: …`).  `quiet` is the share of the requests of requests.jsonl
that bring no passage, `silent` of those that bring nothing at all.  A peer is any memory provider that the host can
load by this name (or `module:Class`); what it injects is cut at N tokens of four characters.
"""

import argparse
import importlib
import json
import os
import platform
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent / "tests")
sys.path.append(str(HERE))

from chats import HELD_BACK, LOCOMO, Chat, Line, distractors, locomo  # noqa: E402

SIZES = (600, 1000, 2000, 8000)
USUAL = 2000
OURS = "cognition"
REQUESTS = HERE / "requests.jsonl"
NAMED_REQUESTS = HERE / "named_requests.jsonl"  # that mention someone in passing, `{name}`: a speaker of the log
_ADDED_DATE = re.compile(r"\s*[(（]\d{4}-\d\d(?:-\d\d)?(?:[^()（）]{0,30})[)）]")
_WORD = re.compile(r"[^\W_]+")
_SPACELESS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]")


# ── what is in a text ─────────────────────────────────────────────────────────────────────────────────────────────


def triples(text: str) -> set[tuple[str, ...]]:
    """The runs of three words of a text, of three characters where words are not separated."""
    words = _WORD.findall(_SPACELESS.sub(r" \g<0> ", _ADDED_DATE.sub("", text).casefold()))
    return set(zip(words, words[1:], words[2:], strict=False)) or {tuple(words)}


def spoken(block: str) -> list[str]:
    """The texts of a block, one a message, in order: the literal of each line taken apart, or the line itself."""
    found: list[str] = []
    for line in block.split("\n"):
        match = re.search(r'"(?:[^"\\]|\\.)*"', line)
        try:
            text = json.loads(match[0]) if match else line
        except ValueError:
            text = line
        found += str(text).split("\n")
    return found


def holds(evidence: set[tuple[str, ...]], told: set[tuple[str, ...]]) -> bool:
    return len(evidence & told) >= 0.8 * len(evidence)


# ── the provider ──────────────────────────────────────────────────────────────────────────────────────────────────


def provider(name: str, home: Path, size: int = USUAL) -> Any:
    """A provider object, not yet initialised."""
    if name == OURS:
        from cognition import CognitionMemoryProvider

        return CognitionMemoryProvider({"recall.target_tokens": size, "budget_tokens": max(size, 1000)})
    os.environ["HERMES_HOME"] = os.environ["HOME"] = str(home)  # some keep their data below ~, whatever the host's home
    if ":" in name:
        module, _, kind = name.partition(":")
        return getattr(importlib.import_module(module), kind)()
    from plugins.memory import load_memory_provider  # type: ignore[import-not-found]

    found = load_memory_provider(name)
    if found is None:
        sys.exit(f"the host knows no memory provider named {name}")
    return found


def store(name: str, home: Path, chats: list[Chat], inside: int) -> None:
    """Every session through sync_turn and on_session_end; other messages go before and behind, straight to our log."""
    if inside:
        if name != OURS:
            for sid, lines in distractors(inside):
                _say(name, home, sid, lines)
        else:
            _fill(home, inside)
    for chat in chats:
        for sid, lines in chat.sessions:
            _say(name, home, sid, lines)


def _set_clock(at: float) -> None:
    """It is `at` from now on: a turn that lacks its user or its answer is dated by the clock."""
    began = time.monotonic()
    time.time = lambda: at + time.monotonic() - began


def _say(name: str, home: Path, sid: str, lines: list[Line]) -> None:
    _set_clock(lines[0].at)
    made = provider(name, home)
    made.initialize(sid, hermes_home=str(home), platform="cli", agent_context="primary")
    messages: list[dict[str, Any]] = []
    at = 0
    while at < len(lines):
        user = lines[at] if lines[at].role == "user" else None
        at += user is not None
        answer = lines[at] if at < len(lines) and lines[at].role == "assistant" else None
        at += answer is not None
        turn = [{"role": line.role, "content": line.text, "timestamp": line.at} for line in (user, answer) if line]
        messages += turn
        _set_clock(turn[-1]["timestamp"])
        said = (user.text if user else "", answer.text if answer else "")
        made.sync_turn(*said, session_id=sid, messages=list(messages))
    made.on_session_end(messages)
    made.shutdown()


def _fill(home: Path, count: int) -> None:
    from cognition.chatlog import ChatLog, Draft, LogPlace
    from cognition.recall.episodes import EpisodeIndex

    log = ChatLog(home / "cognition" / "chatlog.db", index=EpisodeIndex())
    for sid, lines in distractors(count):
        drafts = [Draft(line.role, line.text, f"{n:064x}", line.at) for n, line in enumerate(lines)]  # type: ignore[arg-type]
        log.append(LogPlace(sid, sid, "owner", ""), drafts)
    log.close()


def ask(name: str, home: Path, chats: list[Chat], every: int) -> dict[str, Any]:
    """The figures of one home, asked by a process that has stored nothing."""
    rows: list[dict[str, Any]] = []
    spent: list[float] = []
    names = sorted({line.text.partition(": ")[0] for chat in chats for line in chat.lines() if ": " in line.text[:40]})
    texts = {line.id: triples(line.text) for chat in chats for line in chat.lines()} if len(chats) == 1 else {}
    cold = 0.0
    started = time.perf_counter()
    for size in SIZES if name == OURS else (max(SIZES),):
        made = provider(name, home, size)
        made.initialize(f"ask-{size}", hermes_home=str(home), platform="cli", agent_context="primary")
        for chat in chats:
            known = texts or {line.id: triples(line.text) for line in chat.lines()}
            for number, probe in enumerate(chat.probes[::every]):
                session = f"ask-{size}-{chat.name}-{number}"
                if hasattr(made, "on_session_switch"):
                    made.on_session_switch(session, parent_session_id="", reset=True, reason="new_session")
                before = time.perf_counter()
                block = made.prefetch(probe.text, session_id=session) or ""
                took = time.perf_counter() - before
                if not cold:
                    cold = took
                elif size == USUAL or name != OURS:
                    spent.append(took)
                limits = (size,) if name == OURS else SIZES
                new = [_row(block if name == OURS else block[: limit * 4], known, probe, limit) for limit in limits]
                for row in new:
                    row.update(chat=chat.name, question=f"{chat.name}/{number}", pieces=len(probe.evidence))
                if name == OURS and size == max(SIZES):
                    new[-1].update(_searched(made, probe, known))
                rows += new
        quiet = _requests(made, size, names) if size == USUAL or name != OURS else None
        if quiet:
            calm = quiet
        made.shutdown()
    return {
        "rows": rows,
        "seconds": spent,
        "cold": cold,
        "requests": calm,
        "asked_in": time.perf_counter() - started,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _row(block: str, known: dict[str, set[tuple[str, ...]]], probe: Any, size: int) -> dict[str, Any]:
    from cognition.budget import estimate_tokens

    pieces = [triples(piece) for piece in spoken(block)]
    told = set().union(*pieces)
    hits = [holds(known[one], told) for one in probe.evidence]
    row = {
        "size": size,
        "category": probe.category,
        "any": any(hits),
        "all": all(hits),
        "hits": sum(hits),
        "tokens": estimate_tokens(block) if block else 0,
        "quarters": len(block) / 4,
    }
    if size == max(SIZES):
        row.update(_ranks([piece for piece in pieces if piece], known, probe))
    return row


def _ranks(pieces: list[set[tuple[str, ...]]], known: dict[str, set[tuple[str, ...]]], probe: Any) -> dict[str, float]:
    """The share of the evidence among the first 5, 10, 20 of `pieces`."""
    found = [next((n for n, one in enumerate(pieces) if holds(known[mark], one)), 10**6) for mark in probe.evidence]
    return {f"r{k}": sum(rank < k for rank in found) / len(found) for k in (5, 10, 20)}


def _searched(made: Any, probe: Any, known: dict[str, set[tuple[str, ...]]]) -> dict[str, float]:
    """The same among what the search tool gives: the order of single messages, which a block joins to passages."""
    answer = json.loads(made.handle_tool_call("cognition_search", {"query": probe.text, "top_k": 20}))
    return _ranks([triples(hit["content"]) for hit in answer.get("results", [])], known, probe)


def _requests(made: Any, size: int, names: list[str]) -> dict[str, Any]:
    asked = [json.loads(line)["text"] for line in REQUESTS.read_text(encoding="utf-8").splitlines()]
    named = (
        [json.loads(line)["text"] for line in NAMED_REQUESTS.read_text(encoding="utf-8").splitlines()] if names else []
    )
    named = [text.replace("{name}", names[number % len(names)]) for number, text in enumerate(named)]
    blocks = []
    for number, text in enumerate(asked + named):
        session = f"work-{size}-{number}"
        if hasattr(made, "on_session_switch"):
            made.on_session_switch(session, parent_session_id="", reset=True, reason="new_session")
        blocks.append(made.prefetch(text, session_id=session) or "")
    plain, others = blocks[: len(asked)], blocks[len(asked) :]
    told = [text for text, block in zip(asked + named, blocks, strict=True) if "[msg-" in block]
    return {
        "quiet": sum("[msg-" not in block for block in plain) / len(plain),
        "silent": sum(not block for block in plain) / len(plain),
        "named": sum("[msg-" not in block for block in others) / len(others) if others else None,
        "told": told[:20],
    }


# ── in processes of their own ─────────────────────────────────────────────────────────────────────────────────────


def _chats(given: argparse.Namespace) -> list[Chat]:
    from made_chats import made

    names = tuple(given.chat) if given.chat else None
    if given.synthetic or not (given.data / "").is_dir():
        return [chat for chat in made() if names is None or chat.name in names]
    return locomo(given.data, names)


def _child(given: argparse.Namespace, role: str, home: Path, chats: list[str], name: str) -> dict[str, Any]:
    command = [sys.executable, str(Path(__file__).resolve()), "--role", role, "--home", str(home), "--name", name]
    command += ["--data", str(given.data), "--inside", str(given.inside), "--every", str(given.every)]
    command += ["--synthetic"] if given.synthetic else []
    command += ["--chat", *chats]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{role} failed:\n{run.stderr[-3000:]}")
    return json.loads(run.stdout.splitlines()[-1]) if role == "ask" else {}


def measure(given: argparse.Namespace, name: str) -> dict[str, Any]:
    """All figures of one provider."""
    chats = [chat.name for chat in _chats(given)]
    groups = [chats] if given.inside else [[chat] for chat in chats]
    whole: dict[str, Any] = {"rows": [], "seconds": [], "cold": [], "quiet": [], "silent": [], "told": [], "store": 0.0}
    whole["named"] = []
    whole["megabytes"], whole["bytes"] = 0.0, 0
    for group in groups:
        home = Path(tempfile.mkdtemp(prefix="cognition-recall-"))
        try:
            started = time.perf_counter()
            _child(given, "store", home, group, name)
            whole["store"] += time.perf_counter() - started
            got = _child(given, "ask", home, group, name)
            whole["bytes"] += sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
        finally:
            shutil.rmtree(home, ignore_errors=True)
        for row in got["rows"]:
            row["held"] = len(group) == 1 and group[0] in HELD_BACK
        whole["rows"] += got["rows"]
        whole["seconds"] += got["seconds"]
        whole["cold"].append(got["cold"])
        whole["megabytes"] = max(whole["megabytes"], got["megabytes"])
        for key in ("quiet", "silent", "named"):
            whole[key] += [got["requests"][key]] if got["requests"][key] is not None else []
        whole["told"] += got["requests"]["told"]
    return whole


def _mean(rows: list[dict[str, Any]], key: str) -> float:
    return sum(row[key] for row in rows) / max(1, len(rows))


def table(name: str, whole: dict[str, Any]) -> list[str]:
    """The figures as lines."""
    by_size: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in whole["rows"]:
        by_size[row["size"]].append(row)
    lines = [f"## {name}: {len(by_size[USUAL])} questions"]
    for size, rows in sorted(by_size.items()):
        per = 1000 * sum(row["hits"] for row in rows) / max(1.0, sum(row["tokens"] for row in rows))
        lines.append(
            f"in {size:5} tokens  any {_mean(rows, 'any'):.3f}  all {_mean(rows, 'all'):.3f}  mean tokens "
            f"{_mean(rows, 'tokens'):6.0f} (characters/4 {_mean(rows, 'quarters'):6.0f})  hits per 1,000 {per:.2f}"
        )
    ranked = by_size[max(SIZES)]
    lines.append("evidence recall  " + "  ".join(f"@{k} {_mean(ranked, f'r{k}'):.3f}" for k in (5, 10, 20)))
    for category in sorted({row["category"] for row in by_size[USUAL]}):
        some = [row for row in by_size[USUAL] if row["category"] == category]
        lines.append(f"  {category:12} n {len(some):4}  any {_mean(some, 'any'):.3f}  all {_mean(some, 'all'):.3f}")
    for held in (False, True):
        some = [row for row in by_size[USUAL] if row["held"] == held]
        if some:
            said = "held back" if held else "dev"
            lines.append(f"  {said:12} n {len(some):4}  any {_mean(some, 'any'):.3f}  all {_mean(some, 'all'):.3f}")
    spent = sorted(whole["seconds"])
    at = [1000 * spent[min(len(spent) - 1, int(len(spent) * q))] for q in (0.5, 0.95, 0.99)]
    quiet, silent = (sum(whole[key]) / len(whole[key]) for key in ("quiet", "silent"))
    if name == OURS:  # a peer's block does not say which of its lines are passages
        named = whole["named"]  # of chats in which the name of a speaker can be told from the text
        mention = f"; that mention a speaker: quiet {sum(named) / len(named):.3f}" if named else ""
        lines.append(f"requests: quiet {quiet:.3f}, silent {silent:.3f}{mention}")
    else:
        lines.append(f"requests: silent {silent:.3f}")
    lines.append(
        f"prefetch p50 {at[0]:.1f}  p95 {at[1]:.1f}  p99 {at[2]:.1f} ms, first {1000 * max(whole['cold']):.0f} ms; "
        f"stored in {whole['store']:.0f} s, {whole['bytes'] / 1e6:.1f} MB on disk, {whole['megabytes']:.0f} MB used"
    )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=LOCOMO)
    parser.add_argument("--synthetic", action="store_true")
    parser.add_argument("--inside", type=int, default=0)
    parser.add_argument("--peer", action="append", default=[])
    parser.add_argument("--plain", action="store_true", help="plain FTS5 over the same questions, then ours")
    parser.add_argument("--gap", action="store_true", help="the gap between dev and held back, like with like")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--chat", nargs="*")
    parser.add_argument("--scale", type=int, nargs="+")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--role", choices=("store", "ask"), help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--name", default=OURS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.role == "store":
        store(given.name, given.home, _chats(given), given.inside)
        return
    if given.role == "ask":
        print(json.dumps(ask(given.name, given.home, _chats(given), given.every)))
        return
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} cores")
    if given.scale:
        from recall_scale import measure as scale

        for count in given.scale:
            print(scale(count), flush=True)
        return
    if given.gap:
        from gap import report, scored

        halves = []
        for given.synthetic in (False, True):
            rows = measure(given, OURS)["rows"]
            halves.append(scored(_chats(given), rows, OURS, given.every))
        print("\n".join(report(*halves, OURS)))
        return
    if given.plain:
        from plain import table as plain_table

        print("\n".join(plain_table(_chats(given))), flush=True)
    results = {}
    for name in (OURS, *given.peer):
        results[name] = measure(given, name)
        print("\n".join(table(name, results[name])), flush=True)
    if given.json:
        given.json.write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()
