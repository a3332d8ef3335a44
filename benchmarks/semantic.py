"""Questions in other words than what is remembered: what is found without the extra `semantic`, and with it.

    python benchmarks/semantic.py [--others 1000] [--json FILE]

The pairs of benchmarks/paraphrases.jsonl were written for this: a fact, and a question about it that shares few words
with it.  The facts are stored among `--others` made-up ones; each question is asked of search and, at 600 and at 2,000
tokens, of recall.  And the requests of benchmarks/requests.jsonl, which have nothing to do with any of them, are asked
of recall: what is told then is noise.  With the extra installed both ways are shown side by side.
"""

import argparse
import itertools
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "torture"))

import bare  # type: ignore[import-not-found]

bare.load()
sys.path.insert(0, str(Path(__file__).resolve().parent))

from cognition.budget import estimate_tokens  # noqa: E402
from cognition.merge import Delivery, push_batch  # noqa: E402
from cognition.recall.engine import RecallEngine  # noqa: E402
from cognition.stores.local import LocalStore  # noqa: E402
from synthetic import facts  # type: ignore[import-not-found]  # noqa: E402

HERE = Path(__file__).resolve().parent
TOP = (1, 5, 10)
SIZES = (600, 2_000)
NOW = 1_780_000_000.0


def pairs() -> list[dict[str, str]]:
    return [json.loads(line) for line in (HERE / "paraphrases.jsonl").read_text(encoding="utf-8").splitlines()]


def requests() -> list[str]:
    """Working requests that nothing stored has to do with; [] while there are none."""
    path = HERE / "requests.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = [json.loads(line) for line in lines]
    return [one if isinstance(one, str) else str(one.get("text") or one.get("request") or "") for one in found]


def stored(others: int) -> list[dict[str, Any]]:
    """The facts of the pairs, spread among made-up ones."""
    mine = [
        {
            "ref": f"cog-pair-{number}",
            "content": pair["fact"],
            "kind": pair["kind"],
            "salience": 0.5,
            "audience": "owner",
            "project": "",
            "provenance": {
                "source_session": f"p{number // 4}",
                "author": "Ada",
                "created_at": NOW - 86_400.0 * number,
                "origin_repo": "default",
                "trace_id": "t",
            },
        }
        for number, pair in enumerate(pairs())
    ]
    return [fact.entry for fact in itertools.islice(facts(others), others)] + mine


def measure(engine: RecallEngine, asked: list[dict[str, str]]) -> dict[str, float]:
    ranks: list[int | None] = []
    told: dict[int, int] = dict.fromkeys(SIZES, 0)
    tokens: dict[int, int] = dict.fromkeys(SIZES, 0)
    times: list[float] = []
    for number, pair in enumerate(asked):
        ref = f"cog-pair-{number}"
        hits, _ = engine.search(pair["question"], audience="owner", top_k=max(TOP))
        ranks.append(next((rank for rank, hit in enumerate(hits, 1) if hit.entry["ref"] == ref), None))
        for size in SIZES:
            started = time.perf_counter()
            found = engine.recall(
                pair["question"], audience="owner", project="", target_tokens=size, budget_tokens=max(size, 1_000)
            )
            times.append((time.perf_counter() - started) * 1000)
            told[size] += ref in found.refs
            tokens[size] += estimate_tokens(found.text)
    figures = {f"search hit@{top}": sum(rank is not None and rank <= top for rank in ranks) / len(ranks) for top in TOP}
    figures |= {f"recalled in {size}": count / len(asked) for size, count in told.items()}
    figures |= {f"mean tokens in {size}": tokens[size] / len(asked) for size in SIZES}
    noise = requests()
    loud = [
        engine.recall(text, audience="owner", project="", target_tokens=2_000, budget_tokens=8_000) for text in noise
    ]
    figures["requests that are told something"] = sum(bool(one.refs) for one in loud) / max(1, len(loud))
    figures["recall p95 ms"] = sorted(times)[int(len(times) * 0.95)]
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--others", type=int, default=1_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    asked = pairs()
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        store = LocalStore(Path(folder) / "committed.json")
        entries = stored(options.others)
        push_batch(store, [Delivery(entry["ref"], entry) for entry in entries], now=NOW, timeout=30.0)
        for name, more in ways():
            engine = RecallEngine(store, Path(folder) / f"{name}.db", **more)
            engine.refresh()
            for line in engine.health():
                print(line)
            engine.recall("warm up the kettle", audience="owner", project="", target_tokens=600, budget_tokens=1_000)
            results[name] = measure(engine, asked)
            engine.close()
        store.close()
    print(f"{len(asked)} questions, {len(asked) + options.others:,} facts")
    for figure in next(iter(results.values())):
        print(f"{figure:34}" + "".join(f"{name}: {result[figure]:9.3f}   " for name, result in results.items()))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


def ways() -> list[tuple[str, dict[str, Any]]]:
    """Name -> further arguments of the engine."""
    from cognition.recall.nearness import Nearness
    from cognition.recall.semantic import package

    found: list[tuple[str, dict[str, Any]]] = [("words", {})]
    return [*found, ("semantic", {"nearness": Nearness("wordllama")})] if package() else found


if __name__ == "__main__":
    sys.exit(main())
