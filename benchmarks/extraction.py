"""Precision and recall of `capture.extract`: which sentences are taken as durable statements.

    python benchmarks/extraction.py [--verbose] [--own]

Reads `../shared/data/extraction/prefeval.jsonl` beside the repository when it is there, otherwise (or with --own) the
project's labelled set, tests/capture/statements.py.  A row counts as found when any fact comes of it after redaction,
the way a session does it.  Exit code 1 when precision is under 0.95 or recall under 0.90.
"""

import argparse
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT / "tests")

from capture.statements import KEEP, LEAVE  # type: ignore[import-not-found]  # noqa: E402
from cognition.capture.facts import extract  # noqa: E402
from cognition.capture.redact import redact  # noqa: E402

PRECISION, RECALL = 0.95, 0.90  # floors; the aim of cognition.md 5.3 is 0.9 for both


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--verbose", action="store_true", help="print what was missed or wrongly taken")
    options.add_argument("--own", action="store_true", help="the project's own set, whatever else is there")
    args = options.parse_args()
    path = ROOT.parent / "shared" / "data" / "extraction" / "prefeval.jsonl"
    if path.exists() and not args.own:
        with path.open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        durable = [str(row["utterance"]) for row in rows if row["is_durable_fact"]]
        passing = [str(row["utterance"]) for row in rows if not row["is_durable_fact"]]
    else:
        durable, passing = list(KEEP), list(LEAVE)
    extract("I prefer tea.")  # the tables are compiled at their first use
    started = time.perf_counter()
    missed = [text for text in durable if not extract(redact(text))]
    wrong = [text for text in passing if extract(redact(text))]
    spent = (time.perf_counter() - started) / (len(durable) + len(passing))
    found = len(durable) - len(missed)
    precision, recall = found / max(1, found + len(wrong)), found / len(durable)
    name = path.name if path.exists() and not args.own else "own set"
    print(f"set: {name}, {len(durable)} durable statements, {len(passing)} others")
    print(f"precision {precision:.3f} ({len(wrong)} wrongly taken), floor {PRECISION}")
    print(f"recall {recall:.3f} ({len(missed)} missed), floor {RECALL}")
    print(f"{spent * 1000:.2f} ms a sentence with redaction")
    if args.verbose:
        print(*(f"missed {text}" for text in missed), *(f"wrong  {text}" for text in wrong), sep="\n")
    return 1 if precision < PRECISION or recall < RECALL else 0


if __name__ == "__main__":
    raise SystemExit(main())
