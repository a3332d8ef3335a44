"""benchmarks/capture.py takes any file of the form (issue 5, 8)."""

# ruff: noqa: E501 - one row is one line

import gzip
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "ghp_" + "a1B2" * 9
FILES = {
    "stated.jsonl": (
        [
            {"utterance": "I prefer tabs.", "is_durable_fact": True, "fact": "tabs", "id": "1", "topic": "editors"},
            {"utterance": "Who prefers tabs?", "is_durable_fact": False, "fact": None, "id": "2", "topic": "editors"},
        ],
        "1 stated  precision 1.000  recall 1.000",
    ),
    "kinds.jsonl": (
        [
            {"utterance": "我喜欢喝茶。", "is_durable_fact": True, "kind": "preference", "language": "zh"},
            {"utterance": "Perhaps so.", "is_durable_fact": True, "kind": "identity", "language": "en"},
        ],
        "language zh          1 stated  precision 1.000  recall 1.000",
    ),
    "observed.jsonl": (
        [{"sample": "c", "speaker": "A", "fact": "A lives in Oslo", "evidence_ids": ["1"], "evidence_texts": ["I live in Oslo."]}],
        "1 stated  precision 1.000  recall 1.000",
    ),
    "secrets.jsonl.gz": (
        [
            {"text": f"key {TOKEN}", "is_secret": True, "secret_span": [4, 4 + len(TOKEN)], "secret": None, "kind": "github"},
            {"text": "token: expired", "is_secret": False, "secret_span": None, "secret": None, "kind": "state"},
        ],
        "recall 1.000 (0 missed), look-alikes changed 0",
    ),
}  # fmt: skip


def measured(*files: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "benchmarks" / "capture.py"), *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)


def test_files_of_the_form_are_measured(tmp_path: Path) -> None:
    """By kind and language, with the worst misses; rows without an id, a kind or a language; plain and gzipped."""
    for name, (rows, _) in FILES.items():
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows) + "\n"
        data = text.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    done = measured(*(tmp_path / name for name in FILES))
    assert done.returncode == 0, done.stderr
    for name, (_, line) in FILES.items():
        assert line in done.stdout.split(f"\n{name}: ")[1], name
    assert "missed line 2: Perhaps so." in done.stdout
    assert "kind identity" in done.stdout


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"question": "Who?", "answer": "Ada", "evidence_texts": ["I am Ada."]}\n', encoding="utf-8")
    done = measured(path)
    assert done.returncode == 2
    assert "no row has" in done.stderr
