"""What recall costs in a working session: 30 turns, three of which touch something remembered, 5,000 entries.

    python benchmarks/session.py [--entries 5000] [--sessions 10] [--json]

`turns` makes the session: requests of a day at work, many of which use words of the store (backup, port, deploy)
without being about anything in it, and three turns that are.  A session is run on a real store, index and outbox, with
the transcript that the host would hand over after each turn (host.md 6.2), so that what is counted is what goes into
the context.  `tokens` is the estimate of all recalls of a session together; `said twice` counts entry lines whose entry
had been told before in the same session; `answered` is the share of the three turns whose entry was told in time.
"""

import argparse
import json
import os
import platform
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import load  # noqa: F401
from cognition import config
from cognition.budget import estimate_tokens
from cognition.recall.block import told_in
from cognition.runtime import Runtime
from synthetic import Fact, facts

TURNS, TOUCHING = 30, 3
LIMIT_TOKENS = 6000  # of all recalls of one session
_BATCH = 500  # entries committed at once

_REQUESTS = """
please fix the failing test in the parser
write a function that reads a file line by line and returns the longest line
why is this loop so slow
rename the variable in the handler and run everything again
explain what this error means: KeyError 'retries' in worker.py line 88
add a button to the settings page that clears the cache
summarise the report in three points
thanks, that works
the backup script exits with code 2, can you look at it
write a commit message for the staged changes
open a port in the test container and try again
can you restart the service and show me the log
now deploy it to staging
what does this regular expression match
split the long function in billing.py in two
write unit tests for the invoice module
the build is red again, find out why
ok, go on
add type hints to the public functions
which of the two approaches would you take
format the table so that the columns line up
the firewall rule does not apply on the second host, any idea
check whether the tests pass on python 3.12
replace the deprecated call in the release script
make the error message more helpful
I think the cache is stale after a deploy
draft a short answer to the customer about the delay
undo that last change, it was better before
what is left to do before we can merge
show me the diff once more
sort the imports and remove what is not used
translate the readme into German
is there a race in this code
add a flag to skip the slow tests
document the new endpoint
great, commit it
bump the version and write the changelog
why does the service need so much memory
the page does not load in the browser, have a look at the console output
run the linter and fix what it finds
""".strip().splitlines()
_BESIDES = (
    "{question}",
    "Before we go on: {question}",
    "{question} I need it for the ticket.",
    "I am in a meeting and somebody asks this: {question} Please be brief.",
    "ok, that works. One more thing. {question}",
)


@dataclass(frozen=True)
class Turn:
    """What the user says, and the ref that it touches, "" for none."""

    text: str
    ref: str


def turns(known: list[Fact], *, count: int = TURNS, touching: int = TOUCHING, seed: int = 3) -> list[Turn]:
    """One session: `touching` of its turns ask about an entry of `known`, in words that need not be the entry's."""
    draw = random.Random(seed)
    places = sorted(draw.sample(range(count), touching))
    requests = draw.sample(_REQUESTS, min(count - touching, len(_REQUESTS)))
    while len(requests) < count - touching:
        requests.append(draw.choice(_REQUESTS))
    made = []
    for number in range(count):
        if number in places:
            fact = draw.choice(known)
            made.append(Turn(draw.choice(_BESIDES).format(question=fact.question), str(fact.entry["ref"])))
        else:
            made.append(Turn(requests.pop(), ""))
    return made


def home(folder: Path, known: list[Fact]) -> Runtime:
    """A runtime on a new home that holds `known`, its index up to date."""
    runtime = Runtime(config.load(folder, {}, {"author": "Ada"}))
    entries = [fact.entry for fact in known]
    for at in range(0, len(entries), _BATCH):
        with runtime.store.transaction(timeout=30) as txn:
            for entry in entries[at : at + _BATCH]:
                txn.put(entry)
    runtime.refresh()
    return runtime


def run(runtime: Runtime, session: str, said: list[Turn]) -> dict[str, Any]:
    """The figures of one session on `runtime`."""
    messages: list[dict[str, Any]] = []
    before: set[str] = set()
    tokens, twice, answered, spoken, spent = 0, 0, [], 0, []
    for turn in said:
        started = time.perf_counter()
        text = runtime.reader.recall(turn.text, session=session, audience="owner", project="").text
        spent.append(time.perf_counter() - started)
        told = told_in(text)
        tokens += estimate_tokens(text) if text else 0
        spoken += bool(text)
        twice += sum(ref in before for ref in told)
        before |= told.keys()
        if turn.ref:
            answered.append(turn.ref in before)
        row = {"role": "user", "content": turn.text}
        if text:
            note = "[System note: The following is recalled memory context, NOT new user input.]"
            row["api_content"] = f"{turn.text}\n\n<memory-context>\n{note}\n\n{text}\n</memory-context>"
        messages += [row, {"role": "assistant", "content": "Done."}]
        runtime.contexts.heard(session, turn.text, messages)
    return {
        "tokens": tokens,
        "said_twice": twice,
        "entries_told": len(before),
        "turns_with_recall": spoken,
        "answered": sum(answered) / max(1, len(answered)),
        "recall_ms": round(statistics.median(spent) * 1000, 2),
    }


def measure(entries: int, sessions: int) -> dict[str, Any]:
    """The figures of `sessions` sessions over one store."""
    known = list(facts(entries))
    with tempfile.TemporaryDirectory() as folder:
        runtime = home(Path(folder), known)
        results = [run(runtime, f"bench-{n}", turns(known, seed=n)) for n in range(sessions)]
        runtime.worker.stop(1)
        runtime.close()
    tokens = [result["tokens"] for result in results]
    return {
        "entries": entries,
        "sessions": sessions,
        "tokens_mean": round(statistics.mean(tokens)),
        "tokens_most": max(tokens),
        "limit_tokens": LIMIT_TOKENS,
        "said_twice": sum(result["said_twice"] for result in results),
        "entries_told_mean": round(statistics.mean(result["entries_told"] for result in results), 1),
        "turns_with_recall_mean": round(statistics.mean(result["turns_with_recall"] for result in results), 1),
        "answered": round(statistics.mean(result["answered"] for result in results), 3),
        "recall_ms_median": statistics.median(result["recall_ms"] for result in results),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=5000)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result = measure(given.entries, given.sessions)
    if given.json:
        print(json.dumps(result, indent=2))
    else:
        print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} cores")
        for name, value in result.items():
            print(f"{name.replace('_', ' '):24} {value}")
    return int(result["tokens_most"] >= LIMIT_TOKENS or result["said_twice"] > 0)


if __name__ == "__main__":
    sys.exit(main())
