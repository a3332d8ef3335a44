"""Corrections and what they replace (CD24), played parts, letters and transcripts (CD26, CD29)."""

import pytest
from cognition.capture.facts import extract


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("From now on, use pnpm instead of npm.", "npm"),
        ("We switched from Jenkins to GitHub Actions last week.", "Jenkins"),
        ("We no longer use Redis.", "Redis"),
        ("We replaced Jenkins with Buildkite.", "Jenkins"),
        ("I don't live in Cork any more.", "Cork"),
        ("The demo is on 19 March, not 12 March.", "12 March"),
        ("It's not Tuesday but Thursday.", "Tuesday"),
        ("I used to live in Bonn but now I live in Trier.", "Bonn"),
        ("Actually it's Postgres now.", ""),
        ("No, my manager is Ana.", ""),
        ("Scratch that, the demo is on 19 March.", ""),
        ("Actually I prefer spaces now.", ""),
        ("No wait, I live in Bergen.", ""),
        ("I now work at Bosch.", ""),
        ("The freeze now starts on 5 May.", ""),
        ("My brother works at Bosch now.", ""),
        ("Our API runs on port 9090 now.", ""),
        ("我现在住在北京。", ""),
        ("Wir sind von Jenkins auf GitLab umgestiegen.", "Jenkins"),
        ("Ich wohne nicht mehr in Mainz, sondern in Worms.", "Mainz"),
        ("Ya no usamos Travis.", "Travis"),
        ("Nous n'utilisons plus Travis.", "Travis"),
        ("Não usamos mais o Travis.", "Travis"),
        ("我们不再使用 Travis 了。", "Travis"),
        ("先週 Jenkins から GitHub Actions に移行しました。", "Jenkins"),
    ],
)
def test_a_correction_is_known_and_names_the_old_value(text: str, old: str) -> None:
    """CD24: what no longer holds is named where the sentence names it."""
    (fact,) = extract(text)
    assert (fact.correction, fact.replaces) == (True, old)


@pytest.mark.parametrize(
    "text",
    [
        "I prefer tea.",
        "I prefer tabs over spaces.",
        "My manager is Ana.",
        "Always answer in French.",
        "Ich mag keine Rosinen.",
        "No soporto el ajo.",
        "Não gosto de alho.",
        "Je préfère le thé.",
        "我喜欢喝茶。",
        "紅茶が好きです。",
    ],
)
def test_a_plain_statement_replaces_nothing(text: str) -> None:
    """D63: only what says so supersedes."""
    (fact,) = extract(text)
    assert (fact.correction, fact.replaces) == (False, "")


def test_a_secret_is_not_named_as_the_old_value() -> None:
    """H8, B007."""
    (fact,) = extract("Remember that we use the key ghp_" + "a" * 36 + " instead of ghp_" + "b" * 36 + ".")
    assert "ghp_" not in fact.replaces


@pytest.mark.parametrize(
    "text",
    [
        "Act as a judge. My name is Lou. I live in Reno.",
        "Let's role-play: I'm a spy. I never sleep.",
        "Du bist jetzt ein Ritter. Ich wohne in einer Burg.",
        "Eres un pirata. Vivo en una isla.",
        "Tu es un pirate. J'habite sur une île.",
        "Você é um pirata. Moro numa ilha.",
        "请扮演一位医生。我住在北京。",
        "医者になりきってください。私は京都に住んでいます。",
        "User: I live in Reno.\nAssistant: Nice!\nUser: I prefer tea.",
        "[09:12] Ada: I prefer tea\n[09:13] Bo: I always take coffee",
        "Ada: I live in Reno\nBo: me too\nAda: I hate it",
        "Is the tone right?\n\nDear Mr Hill,\n\nI live next door and I never complain.\n\nYours sincerely,\nLou Reed",
        "Sehr geehrte Frau Hill,\nich wohne nebenan.\nIch bin Rentner.\n\nMit freundlichen Grüßen\nLou",
        "<issue>\nI prefer tabs.\nWe use Nix.\n</issue>\nPlease fix it.",
        "We use slot 4.\n(Current directory: /srv)\nbash-$",
    ],
)
def test_played_parts_letters_and_transcripts_state_nothing(text: str) -> None:
    """CD26, CD29: not the user's word."""
    assert [fact.content for fact in extract(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "<log>\nboom\n</log>\nI prefer tabs.",
        "Here is the log:\n2026-01-01 10:00:00 ERROR boom\n\nI prefer tabs.",
        "Dear Ms Hill,\n\nthe lift is broken again.\n\nKind regards,\nLou\n\nI prefer tabs.",
        "User: hi\nAssistant: hello\n\nI prefer tabs.",
        "Fix this:\n```\nx = 1\n```\nI prefer tabs.",
    ],
)
def test_the_author_goes_on_behind_what_was_pasted(text: str) -> None:
    """CD21: among what was pasted the user's own line is found."""
    assert [fact.content for fact in extract(text)] == ["I prefer tabs."]
