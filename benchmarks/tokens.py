"""How far the token estimate is from two real tokenizers, text by text (B065, HI12).

    .venv/measure/bin/pip install bpe-openai        # carries its ranks: no network when it counts
    .venv/measure/bin/python benchmarks/tokens.py [--freeze] [--unseen] [--json FILE]

The texts are those of benchmarks/texts.jsonl (written for this, at least 2,000 bytes each) and six that are made here:
keys, hashes, short messages, shell, recall lines, single characters.  `--freeze` writes the counts with the
tokenizer's name and version to tests/budget/token_counts.json, which tests/budget/test_tokenizer.py holds the estimate
against.  `--unseen` adds texts that the costs were not chosen on: files of this repository and, where it lies beside
the project, the evaluation data.  Promised: for no text more than 10 % under either tokenizer.  Exit code 1 when that
is missed.
"""

import argparse
import base64
import hashlib
import json
import random
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TEXTS = Path(__file__).resolve().parent / "texts.jsonl"
FROZEN = ROOT / "tests" / "budget" / "token_counts.json"
TOKENIZERS = ("cl100k_base", "o200k_base")
CHARS = 6_000
DATA = ROOT.parent / "shared" / "data"
PACKAGE = "bpe-openai"
MOST_UNDER = 0.10  # share of the real count


def texts() -> dict[str, str]:
    """Name -> text; the same on every machine."""
    lines = TEXTS.read_text(encoding="utf-8").splitlines()
    found = {str(one["name"]): str(one["text"]) for one in map(json.loads, lines)}
    rng = random.Random(65)
    raw = base64.b64encode(rng.randbytes(1_600)).decode()
    found["base64"] = "\n".join(raw[at : at + 76] for at in range(0, len(raw), 76))
    found["hashes"] = "\n".join(hashlib.sha256(str(n).encode()).hexdigest() for n in range(32))
    lines = found["english"].splitlines()
    words = " ".join(lines).split()
    short = [" ".join(words[at : at + rng.randint(1, 4)]).strip(",.;:").lower() for at in range(0, 330, 3)]
    nods = ["ok", "yes", "no", "thx", "k", "lol", "hm?"]
    found["short messages"] = "\n".join(rng.choice(nods) if n % 3 == 0 else said for n, said in enumerate(short))
    found["shell"] = "\n".join(
        f"$ kubectl -n stg{n} get pods -l app=proxy,tier=edge -o jsonpath='{{.items[*].metadata.name}}' | xargs -n1 "
        f"-I{{}} kubectl logs {{}} --since={n * 5}m --tail=200 >/tmp/px-{n:03d}.log 2>&1 && "
        f"grep -c 'E[0-9]\\{{4\\}}' /tmp/px-{n:03d}.log"
        for n in range(1, 11)
    )
    recalled = []
    for n, sentence in enumerate(" ".join(lines).split(". ")):
        day = f"2026-{1 + n % 9:02d}-{1 + n * 3 % 28:02d}"
        if n % 2:
            recalled.append(
                f"- [cog-20260302_10150{n % 10}_a{n}f3c2-{n}] {json.dumps(sentence)} (default · {day} · Ada)"
            )
        else:
            recalled.append(f"- [msg-s{n}-{n * 7}..{n * 7 + 2}] {json.dumps('Ada: ' + sentence)} … ({day})")
    found["recall lines"] = "\n".join(recalled)
    found["a character repeated"] = "a " * 500 + "no! " * 100 + "x" * 600
    return found


def unseen() -> dict[str, str]:
    """Name -> 6,000 characters: files of this repository, chats and transcripts of the evaluation data."""
    files = "README.md Makefile docs/decisions.md stores/lock.py commands/screen.py capture/patterns.py".split()
    found = {name: (ROOT / name).read_text(encoding="utf-8")[:CHARS] for name in files}
    for folder in ("locomo", "memorybank", "histories"):
        paths = [path for path in sorted((DATA / folder).glob("*.json*")) if "questions" not in path.name]
        for path in paths[::2]:
            raw = path.read_text(encoding="utf-8")
            data = json.loads(raw) if path.suffix == ".json" else [json.loads(line) for line in raw.splitlines()]
            text = "\n".join(_strings(data))[:CHARS]
            if len(text) == CHARS:
                found[f"{folder}/{path.name.split('.')[0]}"] = text
    return found


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, str) and len(data) > 5:
        yield data
    elif isinstance(data, dict | list):
        for value in data.values() if isinstance(data, dict) else data:
            yield from _strings(value)


def counts(chosen: dict[str, str]) -> dict[str, dict[str, int]]:
    """Tokenizer -> text -> tokens."""
    try:
        import bpe_openai  # type: ignore[import-not-found]
    except ImportError:
        print(f"{PACKAGE} is not installed: the frozen counts are shown")
        frozen = json.loads(FROZEN.read_text(encoding="utf-8"))["texts"]
        return {name: {title: known[name] for title, known in frozen.items()} for name in TOKENIZERS}
    return {
        name: {title: len(bpe_openai.get_encoding(name).encode_ordinary(text)) for title, text in chosen.items()}
        for name in TOKENIZERS
    }


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--freeze", action="store_true", help="write tests/budget/token_counts.json")
    parser.add_argument("--unseen", action="store_true", help="and texts that the costs were not chosen on")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests" / "torture"))
    import bare  # type: ignore[import-not-found]

    bare.load()
    from cognition.budget import estimate_tokens

    all_texts = texts()
    if options.unseen:
        all_texts |= unseen()
    real = counts(all_texts)
    rows: list[dict[str, Any]] = []
    print(f"{'text':34} {'bytes':>6} {'estimate':>8}" + "".join(f" {name:>12} {'error':>7}" for name in TOKENIZERS))
    for title, text in all_texts.items():
        if title not in real[TOKENIZERS[0]]:
            continue
        estimate = estimate_tokens(text)
        row: dict[str, Any] = {"text": title, "bytes": len(text.encode()), "estimate": estimate}
        line = f"{title[:34]:34} {row['bytes']:>6} {estimate:>8}"
        for name in TOKENIZERS:
            row[name] = real[name][title]
            row[f"{name} error"] = round(estimate / row[name] - 1, 4)
            line += f" {row[name]:>12} {row[f'{name} error']:>+7.1%}"
        rows.append(row)
        print(line)
    if options.freeze:
        frozen = {
            "tokenizers": TOKENIZERS,
            "package": PACKAGE,
            "version": version(PACKAGE),
            "command": "python benchmarks/tokens.py --freeze",
            "texts": {t: {"sha256": digest(all_texts[t]), **{n: real[n][t] for n in TOKENIZERS}} for t in texts()},
        }
        FROZEN.write_text(json.dumps(frozen, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    worst = min(row[f"{name} error"] for row in rows for name in TOKENIZERS)
    print(f"worst: {worst:+.1%}; promised: not under {-MOST_UNDER:.0%}")
    return int(worst < -MOST_UNDER)


if __name__ == "__main__":
    sys.exit(main())
