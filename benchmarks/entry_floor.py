"""Which entries a question brings: the share of small questions that are answered, and of requests that bring nothing.

    python benchmarks/entry_floor.py [--others 0 1000] [--show]

Through the engine; what the weights are worth, one by one, and what another floor brings: tune_entries.py.
The pairs of entry_questions.jsonl (a fact and a question in other words) stand among `others` made-up facts; the
requests of requests.jsonl have nothing to do with any of them.  `told` counts pairs whose fact is in the block.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import load  # noqa: F401
from cognition.recall.engine import RecallEngine
from recall_latency import SIZES, Store
from synthetic import facts

HERE = Path(__file__).resolve().parent


def read(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def store_of(pairs: list[dict[str, str]], others: int) -> Store:
    found: list[dict[str, Any]] = []
    for number, fact in enumerate(dict.fromkeys(pair["fact"] for pair in pairs)):
        provenance = {"source_session": "s", "author": "Ada", "created_at": 1.76e9 + number, "trace_id": "t"}
        known = {"kind": "fact", "salience": 0.5, "audience": "owner", "project": "", "repo": "default"}
        found.append({"ref": f"cog-p-{number}", "content": fact, "provenance": provenance, **known})
    return Store([*found, *(fact.entry for fact in facts(others))])


def measure(others: int) -> dict[str, Any]:
    """`told`, `quiet` and what was missed or brought for nothing."""
    pairs, requests = read("entry_questions.jsonl"), [one["text"] for one in read("requests.jsonl")]
    store = store_of(pairs, others)
    with tempfile.TemporaryDirectory() as folder:
        engine = RecallEngine(store, Path(folder) / "recall.db")
        engine.refresh()
        missed, told = [], []
        for pair in pairs:
            refs = engine.recall(pair["question"], **SIZES).refs
            if not any(store.view()[ref]["content"] == pair["fact"] for ref in refs):
                missed.append(pair["question"])
        for text in requests:
            refs = engine.recall(text, **SIZES).refs
            if refs:
                told.append((text, store.view()[refs[0]]["content"]))
        engine.close()
    return {
        "told": 1 - len(missed) / len(pairs),
        "quiet": 1 - len(told) / len(requests),
        "missed": missed,
        "brought": told,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--others", type=int, nargs="+", default=[0, 1000])
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    for others in given.others:
        got = measure(others)
        print(f"{others:6} others: told {got['told']:.3f}, quiet {got['quiet']:.3f}", flush=True)
        if given.show:
            print("  missed:", *got["missed"], sep="\n    ")
            print("  brought:", *(f"{text} -> {entry}" for text, entry in got["brought"]), sep="\n    ")


if __name__ == "__main__":
    main()
