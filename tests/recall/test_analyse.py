"""Text to terms (B015, CD84)."""

import pytest
from cognition.recall.analyse import index_terms, question, term_weight
from hypothesis import given, settings
from hypothesis import strategies as st


def terms(text: str) -> set[str]:
    return set(index_terms(text))


def asked(text: str) -> list[str]:
    return [term.text for term in question(text).terms]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("databases", "database"),
        ("living", "lives"),
        ("chose", "chosen"),
        ("favourite", "favorite"),
        ("Café", "cafe"),
        ("STRASSE", "Straße"),
        ("ＡＢＣ", "abc"),
        ("ﾃｽﾄ", "テスト"),
        ("Ёлка", "елка"),
        ("don't", "do not"),
        ("cache_proxy", "cacheProxy"),
        ("cache-proxy", "CacheProxy"),
    ],
)
def test_forms_of_one_word_give_the_same_terms(one: str, other: str) -> None:
    assert set(index_terms(one)) == set(index_terms(other))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHttpRequest", {"parsehttprequest", "pars", "http", "request"}),
        ("HTTPServer", {"httpserver", "http", "server"}),
        ("snake_case_name", {"snakecasename", "snake", "case", "name"}),
        ("src/app/main.py", {"srcappmainpy", "src", "app", "main", "py"}),
        ("v3.11.7", {"3.11.7", "3.11", "3"}),
        ("2026-03-02", {"2026-03-02", "2026-03", "2026"}),
        ("node20", {"node20", "node", "20"}),
        ("C++ and C#", {"c++", "c#", "and"}),
        ("PDFs", {"pdf"}),
        ("हिन्दी", {"हिन्दी"}),
    ],
)
def test_identifiers_are_found_whole_and_in_parts(text: str, expected: set[str]) -> None:
    assert terms(text) == expected


def test_unspaced_scripts_become_pairs() -> None:
    """B015: two-character queries find their text."""
    assert {"账户", "权限", "管理"} <= terms("账户权限：管理员")
    assert {"テス", "スト", "手順"} <= terms("結合テスト手順")
    assert {"설정", "끔"} <= terms("알림설정을 끔")
    assert {"过期", "cacheproxy"} <= terms("重启cache-proxy后清理了12条过期记录")


def test_questions_lose_their_function_words() -> None:
    assert asked("What is my cat called?") == ["cat", "call"]
    assert asked("Wo wohne ich?") == ["wohn"]
    assert asked("¿Dónde está el servidor?") == ["servidor"]
    assert asked("我的猫叫什么名字？") == ["猫叫", "名字"]
    assert asked("the of and") == []


def test_generic_words_weigh_little_and_names_much() -> None:
    weights = {term.text: term.weight for term in question("please test the server of Marta").terms}
    assert weights["test"] < weights["server"] < weights["marta"]
    assert term_weight("the") == 0.0


def test_a_pasted_page_is_no_question_of_a_thousand_terms() -> None:
    assert len(question("word%d " * 5000 % tuple(range(5000))).terms) <= 32


@pytest.mark.parametrize("piece", ["a", "a-", "好", "a.b/c:", "A1b2", "1.2.", "é\u0301"])
def test_a_monstrous_word_is_bounded(piece: str) -> None:
    found = index_terms(piece * 300_000)
    assert len(found) <= 20_000
    assert max(map(len, found)) <= 64


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=120))
def test_any_text_gives_terms_without_white_space(text: str) -> None:
    """B052: lone surrogates, controls and noncharacters included."""
    for term in index_terms(text):
        assert term
        assert not any(char.isspace() for char in term)
        term.encode("utf-8")
    for term in question(text, prefixes=True).terms:
        assert 0 <= term.weight <= 1.25


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=80))
def test_a_text_matches_itself(text: str) -> None:
    own = frozenset(index_terms(text))
    assert all(term.found(own) for term in question(text, keep_stop_words=True).terms)
