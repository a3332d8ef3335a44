"""Recall and false positives of `capture.redact`.

    python benchmarks/redaction.py [--verbose] [--host]

Exit code 1 when recall is under 0.95 or any look-alike was changed.

Reads `../shared/data/secrets.jsonl.gz` beside the repository when it is there, otherwise a small synthetic set made
here.  A secret counts as masked when its text is gone; a look-alike is a false positive when anything in it changed.
`--host` adds the host's own redactor as the second pass where Hermes Agent is importable.
"""

import argparse
import gzip
import json
import random
import string
import sys
import time
from collections.abc import Callable
from pathlib import Path

RECALL = 0.95  # floor; no look-alike at all may be changed
ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT / "tests")

from cognition.capture.redact import redact  # noqa: E402


def synthetic() -> list[dict[str, object]]:
    """A set of its own: forms with random values, and look-alikes."""
    rng = random.Random(20)

    def run(chars: str, size: int) -> str:
        return "".join(rng.choice(chars) for _ in range(size))

    alnum, hexa = string.ascii_letters + string.digits, "0123456789abcdef"
    rows: list[dict[str, object]] = []
    for before, value, after in (
        ("export SERVICE_TOKEN=", run(alnum, 32), ""),
        ("the key is ", "ghp_" + run(alnum, 36), " ok"),
        ('{"clientSecret": "', run(alnum, 24), '"}'),
        ("postgres://app:", run(alnum, 12), "@db/app"),
        ("Authorization: Bearer ", run(alnum, 40), ""),
        ("my password is ", run(alnum, 10), "."),
        ("--api-key ", run(hexa, 32), " --verbose"),
        ("aws ", "AKIA" + run(string.ascii_uppercase, 16), ""),
    ):
        rows.append({"id": f"t{len(rows)}", "text": before + value + after, "secret": value, "is_secret": True})
    for text in (
        "commit " + run(hexa, 40),
        "sha256:" + run(hexa, 64),
        "token: expired",
        'password = os.environ["DB_PASSWORD"]',
        "PWD=/home/ada/work",
        "max_tokens: 4096",
        "see /var/lib/" + run(hexa, 64) + "/merged",
        "How should I store an API key?",
    ):
        rows.append({"id": f"f{len(rows)}", "text": text, "secret": None, "is_secret": False})
    return rows


def main() -> int:
    """Print the figures; exit code 1 when recall is under RECALL or a look-alike was changed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--verbose", action="store_true", help="name what was missed or wrongly masked, by id")
    options.add_argument("--host", action="store_true", help="run the host's redactor as the second pass")
    args = options.parse_args()
    extra: Callable[[str], str] | None = None
    if args.host:
        from cognition.host import redactor

        extra = redactor()

    path = ROOT.parent / "shared" / "data" / "secrets.jsonl.gz"
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
    else:
        rows = synthetic()
    secrets = [row for row in rows if row["is_secret"]]
    innocent = [row for row in rows if not row["is_secret"]]
    missed = [row for row in secrets if str(row["secret"]) in redact(str(row["text"]), extra)]
    wrong = [row for row in innocent if redact(str(row["text"]), extra) != row["text"]]
    kilobytes = sum(len(str(row["text"])) for row in innocent) / 1000
    started = time.perf_counter()
    redact("a" * 1_000_000)
    print(f"set: {path.name if path.exists() else 'synthetic'}, {len(secrets)} secrets, {len(innocent)} look-alikes")
    print(f"recall {1 - len(missed) / len(secrets):.3f} ({len(missed)} missed)")
    print(f"false positives {len(wrong)} ({len(wrong) / kilobytes:.3f} per kB)")
    print(f"1 MB of one character: {(time.perf_counter() - started) * 1000:.0f} ms")
    if args.verbose:
        for row in missed:
            print("missed", row["id"], row.get("kind", ""))
        for row in wrong:
            print("wrong ", row["id"], row.get("kind", ""))
    return 1 if 1 - len(missed) / len(secrets) < RECALL or wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
