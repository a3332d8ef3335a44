"""No text blows a pattern up (B029, D61): what is looked at is bounded in number and length, whatever the text.

The strict times are those of benchmarks/capture.py.
"""

import re
import time

from cognition.capture import facts
from cognition.capture.facts import RULES, extract
from cognition.capture.lang import LANGUAGES
from cognition.capture.sentences import CAP, sentences
from cognition.capture.wordclass import STATING
from hypothesis import given, settings
from hypothesis import strategies as st

FAR_TOO_LONG_S = 20.0  # processor seconds; what is meant takes a quarter of one

WORDS = sorted(
    {
        word
        for one in (*RULES.rules(), *(rule for language in LANGUAGES for rule in language.rules.rules()))
        for word in re.findall(r"[A-Za-zÀ-ÿ']{2,}|[\u3041-\u9fff]{1,6}", one.text)
    }
    | STATING
)
SIGNS = [
    " ",
    ", ",
    ". ",
    "; ",
    ": ",
    " - ",
    "\n",
    "'",
    '"',
    "`",
    "(",
    "? ",
    "。",
    "，",
    "",
    "-",
    "/",
    "<",
    "$ ",
    "> ",
    "*",
]
fragments = st.lists(st.sampled_from(WORDS + SIGNS), min_size=1, max_size=12)


@given(fragments, st.sampled_from(["", " ", ", "]))
@settings(max_examples=25, deadline=None)
def test_fragments_of_the_rules_repeated_to_a_megabyte(parts: list[str], glue: str) -> None:
    fragment = glue.join(parts) or "x"
    text = (fragment * (1_000_000 // len(fragment) + 1))[:1_000_000]
    started = time.process_time()
    found = extract(text)
    assert time.process_time() - started < FAR_TOO_LONG_S, fragment
    assert len(found) <= facts._HEAD + facts._LAST


@given(st.lists(st.sampled_from(WORDS + SIGNS), min_size=1, max_size=300))
@settings(max_examples=60, deadline=None)
def test_every_sentence_that_a_rule_sees_is_short(parts: list[str]) -> None:
    """The rules' patterns may look ahead: what bounds their work is the length of what they are given."""
    for sentence in sentences(" ".join(parts) * 3):
        assert len(sentence) <= CAP


@given(fragments, st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_one_sentence_of_the_longest_kind(parts: list[str], times: int) -> None:
    """A sentence of CAP characters is where a pattern has most to try."""
    fragment = " ".join(parts)
    started = time.process_time()
    extract((fragment * times)[:CAP])
    assert time.process_time() - started < FAR_TOO_LONG_S
