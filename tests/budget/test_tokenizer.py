"""The estimate against counts of real tokenizers, frozen as data (B065, HI12): ten languages, code, logs, keys, emoji.

`python benchmarks/tokens.py --freeze` makes the counts; the file names the tokenizers, their package and its version.
"""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from cognition.budget import estimate_tokens, gate_tokens

ROOT = Path(__file__).resolve().parents[2]
FROZEN = json.loads((Path(__file__).parent / "token_counts.json").read_text(encoding="utf-8"))
LANGUAGES = {
    "english", "german", "spanish", "french", "russian", "chinese", "japanese", "korean", "arabic", "hindi", "thai"
}  # fmt: skip


def _benchmark() -> Any:
    spec = importlib.util.spec_from_file_location("token_benchmark", ROOT / "benchmarks" / "tokens.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


BENCHMARK = _benchmark()
TEXTS = BENCHMARK.texts()


def test_the_counts_are_of_these_texts() -> None:
    assert set(FROZEN["texts"]) == set(TEXTS)
    assert set(TEXTS) >= LANGUAGES | {"code", "json", "logs", "emoji", "base64"}
    for title, text in TEXTS.items():
        assert FROZEN["texts"][title]["sha256"] == BENCHMARK.digest(text), f"{title}: {FROZEN['command']}"
    for title in LANGUAGES | {"code", "json", "logs", "emoji", "base64"}:
        assert len(TEXTS[title].encode()) >= 2_000, title


@pytest.mark.parametrize("title", sorted(TEXTS))
@pytest.mark.parametrize("tokenizer", FROZEN["tokenizers"])
def test_never_more_than_a_tenth_under(title: str, tokenizer: str) -> None:
    """B065."""
    assert estimate_tokens(TEXTS[title]) >= 0.9 * FROZEN["texts"][title][tokenizer]


@pytest.mark.parametrize("title", sorted(TEXTS))
def test_nor_far_over_the_dearer_one(title: str) -> None:
    """What is over is room that nobody uses."""
    dearer = max(FROZEN["texts"][title][tokenizer] for tokenizer in FROZEN["tokenizers"])
    assert estimate_tokens(TEXTS[title]) <= 1.25 * dearer


@pytest.mark.parametrize("title", ["english", "chinese", "japanese", "russian", "code"])
@pytest.mark.parametrize("estimate", [estimate_tokens, gate_tokens])
def test_both_estimates_are_within_a_quarter(title: str, estimate: Any) -> None:
    """HI12; the reference is cl100k_base."""
    real = FROZEN["texts"][title]["cl100k_base"]
    assert abs(estimate(TEXTS[title]) - real) <= 0.25 * real
