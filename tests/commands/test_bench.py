"""`hermes cognition bench`: a recall check on one's own memory (D118)."""

import random

import pytest
from cognition.chatlog import ChatLog, Draft, LogPlace
from cognition.commands import bench, questions
from cognition.commands.questions import Item
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import NOW, Cli

FACTS = (
    ("The staging proxy listens on port 7443.", "fact"),
    ("I prefer oolong tea over coffee.", "preference"),
    ("We decided to move the warehouse database to Bergen.", "decision"),
    ("Never deploy the billing service on Fridays.", "instruction"),
    ("My sister Mia plays the cello in Galway.", "identity"),
    ("数据库服务器在法兰克福机房。", "fact"),
)


@pytest.fixture
def full(cli: Cli) -> Cli:
    cli.commit(*(cli.entry(f"cog-s1-{n}", text, kind=kind) for n, (text, kind) in enumerate(FACTS, 1)))
    return cli


def say(cli: Cli, *texts: str, index: bool = True) -> None:
    from cognition.recall.episodes import EpisodeIndex

    log = ChatLog(cli.folder / "chatlog.db", clock=lambda: cli.now, index=EpisodeIndex() if index else None)
    log.append(LogPlace("s7", "s7", "owner", ""), [Draft("user", t, f"{n:064x}", NOW) for n, t in enumerate(texts)])
    log.close()


def kept(cli: Cli) -> dict[str, bytes]:
    """Every file of the memory but the derived index."""
    found = cli.bytes_of_files().items()
    return {name: data for name, data in found if name.startswith("cognition/") and "recall.db" not in name}


def timeless(data: dict) -> dict:
    return {
        key: timeless(value) if isinstance(value, dict) else value for key, value in data.items() if "_ms" not in key
    }


def test_an_empty_home_is_told_plainly_and_stays_empty(cli: Cli) -> None:
    assert cli("bench") == 0
    assert cli.out.strip() == bench.NOTHING
    assert cli.json("bench")["questions"] == 0
    assert not cli.folder.exists()


def test_what_is_there_is_found(full: Cli) -> None:
    answer = full.json("bench")
    assert (answer["questions"], answer["entries"], answer["messages"]) == (18, 6, 0)
    assert answer["search"]["hit@5"] == 1.0
    assert answer["recall"]["told"] >= 0.9
    assert set(answer["search"]["by"]) == {"words", "part", "question", "entries"}
    assert 0 < answer["search"]["p50_ms"] <= answer["search"]["p95_ms"]
    assert 0 < answer["recall"]["mean_tokens"] < 2_000


def test_it_changes_nothing(full: Cli) -> None:
    say(full, "The kiosk in Oslo opens at nine on weekdays.")
    before = kept(full)
    assert full("bench", "--limit", "10") == 0
    assert kept(full) == before


def test_the_same_seed_asks_the_same(full: Cli) -> None:
    first = full.json("bench", "--limit", "3", "--seed", "7")
    assert timeless(full.json("bench", "--limit", "3", "--seed", "7")) == timeless(first)
    assert first["questions"] == 9
    assert full.json("bench", "--limit", "3", "--seed", "8")["seed"] == 8


def test_no_text_is_shown_unless_it_is_asked_for(full: Cli) -> None:
    """Misses by ref; texts and questions only with --show."""
    say(full, "The kiosk in Oslo opens at nine on weekdays.", index=False)  # cannot be found
    answer = full.json("bench", "--limit", "4")
    assert [miss["ref"] for miss in answer["misses"] if miss["kind"] == "message"] == ["msg-s7-0"] * 3
    assert full("bench", "--limit", "4") == 0
    for word in ("kiosk", "Oslo", "weekdays", "oolong"):
        assert word not in full.out
    assert full("bench", "--limit", "4", "--show") == 0
    assert "kiosk in Oslo" in full.out


def test_messages_are_asked_about_as_well(full: Cli) -> None:
    say(full, "The kiosk in Oslo opens at nine on weekdays.", "ok", "The blue kayak is stored behind the boathouse.")
    answer = full.json("bench", "--limit", "6")
    assert (answer["entries"], answer["messages"]) == (4, 2)
    assert answer["search"]["by"]["messages"]["hit@5"] == 1.0
    assert answer["recall"]["by"]["messages"]["told"] >= 0.5


def test_only_the_audience_that_is_asked_for(full: Cli) -> None:
    full.commit(full.entry("cog-s9-1", "Somebody else collects stamps from Malta.", audience="person/telegram/7"))
    answer = full.json("bench", "--audience", "person/telegram/7", "--show")
    assert (answer["entries"], answer["questions"]) == (1, 3)
    for nobody in ("all", "person/telegram/9"):
        assert full("bench", "--audience", nobody) == 0
        assert full.out.strip().endswith("--audience takes one of owner, person/telegram/7.")


# -- the questions -----------------------------------------------------------------------------------------------------


def test_the_forms_of_a_question() -> None:
    item = Item("r", "We decided to move the warehouse database to Bergen.", "decision")
    made = {asked.form: asked.text for asked in questions.questions([item], random.Random(1))}
    assert set(made) == set(questions.FORMS)
    assert made["question"].startswith("What have we decided about ")
    assert len(made["words"].split()) == 3
    assert "the" not in made["part"].split()


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Die Datenbank der Buchhaltung steht in Frankfurt.", "Was weißt du über"),
        ("La base de datos de contabilidad está en Sevilla.", "¿Qué sabes de"),
        ("数据库服务器在法兰克福机房。", "关于"),
        ("データベースはフランクフルトにあります。", "について何を知っていますか"),
        ("데이터베이스 서버는 프랑크푸르트에 있습니다.", "무엇을 알고 있나요"),
    ],
)
def test_a_question_is_in_the_language_of_its_text(text: str, asks: str) -> None:
    made = questions.questions([Item("r", text, "fact")], random.Random(1), ["question"])
    assert asks in made[0].text


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=200), max_size=6), st.integers(0, 9))
def test_any_text_gives_questions_or_none_and_the_same_ones_again(texts: list[str], seed: int) -> None:
    items = [Item(f"r{n}", text, "fact") for n, text in enumerate(texts)]
    made = questions.questions(items, random.Random(seed))
    assert made == questions.questions(items, random.Random(seed))
    assert all(asked.text.strip() for asked in made)
    assert len(made) == 3 * sum(questions.can_ask(item.text) for item in items)
