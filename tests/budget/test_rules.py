"""Rules and taboos in the prompt: one small budget, in which neither crowds out the other (H24, HD31)."""

from typing import Any

import pytest
from cognition.telling import rules
from hypothesis import given
from hypothesis import strategies as st


def made(kind: str, number: int, text: str = "Never push to main") -> list[dict[str, Any]]:
    return [{"ref": f"{kind}-{one}", "kind": kind, "content": f"{text} {one}"} for one in range(number)]


def test_many_rules_leave_the_taboos_in_the_prompt() -> None:
    """H24: 200 rules; a taboo is what must not be missing."""
    block = rules.section([*made("rule", 200), *made("taboo", 3)])
    assert block.count("- **taboo-") == 3
    assert block.count("- **rule-") == 37
    assert "[163 more rules: hermes cognition rule list]" in block


def test_many_taboos_leave_the_rules_in_the_prompt() -> None:
    """H24: half of the budget is each kind's own."""
    block = rules.section([*made("rule", 30), *made("taboo", 200)])
    assert (block.count("- **rule-"), block.count("- **taboo-")) == (20, 20)


def test_long_rules_leave_the_taboos_in_the_prompt() -> None:
    """H24: the same by characters."""
    block = rules.section([*made("rule", 30, "x" * 3000), *made("taboo", 2)])
    assert block.count("- **taboo-") == 2
    assert len(block) <= rules.MOST_CHARS


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 500), st.integers(1, 500))
def test_the_budget_is_kept_and_used(rule: int, taboo: int, long: int, longer: int) -> None:
    """H24: at most 40 and 8,000 characters; nothing is left out while all of it would fit."""
    given_rules = [*made("rule", rule, "a" * long), *made("taboo", taboo, "<" * longer)]
    block = rules.section(given_rules)
    shown = block.count("- **")
    assert shown <= rules.MOST
    assert len(block) <= rules.MOST_CHARS
    if rule + taboo <= rules.MOST and sum(len(rules.line(one)) + 1 for one in given_rules) <= rules.MOST_CHARS - 200:
        assert shown == rule + taboo
    assert all(f"- **{kind}-0**" in block for kind, number in (("rule", rule), ("taboo", taboo)) if number)


@pytest.mark.parametrize("kind", [["rule"], {"rule": 1}, 5, None])
def test_a_kind_that_is_no_word_hides_no_rule(kind: Any) -> None:
    """CD82: one damaged entry used to take every rule out of the prompt."""
    entries = [{"ref": "odd", "kind": kind, "content": "x"}, *made("rule", 1)]
    assert [one["ref"] for one in rules.standing(entries, "owner", "")] == ["rule-0"]


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 500))
def test_what_has_changed_is_told_within_a_bound(gone: int, new: int, long: int) -> None:
    """D74, D75: many changes at once do not outgrow the recall beside which they stand; how many are left is said."""
    told = rules.news(made("taboo", gone), made("rule", new, "a" * long))
    shown = told.count("- **")
    assert len(told) <= rules.NEWS_CHARS + 200
    assert bool(told) == bool(gone or new)
    if (left := gone + new - shown) > 0:
        assert f"[{left} more change{'s' if left > 1 else ''}: hermes cognition rule list]" in told
    if gone + sum(len(rules.line(one)) for one in made("rule", new, "a" * long)) < rules.NEWS_CHARS // 2 and gone < 20:
        assert shown == gone + new
