"""The first question of a process: what it does not do, and what does not get in its way (issue 6, D97)."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cognition import CognitionMemoryProvider
from cognition.chatlog import ChatLog, Draft, LogPlace
from cognition.recall.episodes import EpisodeIndex
from cognition.running.recalling import Recalling

NOW = 1_770_000_000.0
FIRST = """
import json, sys
sys.path.insert(0, sys.argv[1])
import cognition
from cognition.recall.engine import RecallEngine
RecallEngine.prepare = lambda self, audience, project: None
made = cognition.CognitionMemoryProvider({"author": "Ada"})
made.initialize("s1", hermes_home=sys.argv[2], platform="cli")
text = made.prefetch(sys.argv[3], session_id="s1")
from cognition.capture import dates
from cognition.recall import kin, slots
compiled = lambda pattern: any(not name.startswith("_") for name in vars(pattern))
print(json.dumps({
    "text": text,
    "dates": sum(compiled(phrase.pattern) for phrase in dates._phrases()),
    "slots": sum(compiled(pattern) for pair in slots._patterns() for pattern in pair),
    "kin": kin.kin_of.cache_info().currsize,
    "heads": len(kin._heads()),
}))
made.shutdown()
"""


def logged(home: Path, text: str) -> None:
    log = ChatLog(home / "cognition" / "chatlog.db", index=EpisodeIndex())
    log.append(
        LogPlace("s0", "s0", "owner", ""),
        [Draft("user", text, "0" * 64, NOW), Draft("assistant", "Fine.", "1" * 64, NOW)],
    )
    log.close()


def asked(home: Path, question: str) -> dict[str, object]:
    program = [sys.executable, "-c", FIRST, str(Path(__file__).resolve().parents[1]), str(home), question]
    return dict(json.loads(subprocess.check_output(program, text=True).splitlines()[-1]))


def test_a_first_question_prepares_the_tables_that_it_asks_only(tmp_path: Path) -> None:
    """Of three hundred patterns of dates and dozens of slots, none for a question that names neither."""
    logged(tmp_path, "The harbour crane lifts heavy boxes.")
    found = asked(tmp_path, "Which boxes does the harbour crane lift?")
    assert "harbour crane" in str(found["text"])
    assert (found["dates"], found["slots"]) == (0, 0)
    assert 0 < int(str(found["kin"])) < int(str(found["heads"])) / 5
    timed = asked(tmp_path, "What did my crane lift yesterday?")
    assert 0 < int(str(timed["dates"])) < 20


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Recalling]:
    made = CognitionMemoryProvider({"author": "Ada"})
    made.initialize("s1", hermes_home=str(tmp_path), platform="cli")
    assert made._handle is not None
    yield made._handle.runtime.reader
    made.shutdown()


def test_what_is_prepared_waits_for_the_question_that_is_being_answered(reader: Recalling) -> None:
    begun = threading.Event()
    worker = threading.Thread(target=reader.behind_recalls(begun.set))
    with reader._answering(2.0):
        worker.start()
        worker.join(0.1)
        assert not begun.is_set()
    worker.join(10)
    assert begun.is_set()


def test_a_question_waits_for_the_step_at_hand_and_for_no_other(reader: Recalling) -> None:
    """A step that hangs is waited for by one question only, for less than half of its time."""
    at_hand, go_on, answered = threading.Event(), threading.Event(), threading.Event()

    def step() -> None:
        at_hand.set()
        go_on.wait(10)

    def question(seconds: float) -> None:
        with reader._answering(seconds):
            answered.set()

    preparing = threading.Thread(target=reader._prepare, args=(step,))
    preparing.start()
    assert at_hand.wait(10)
    asking = threading.Thread(target=question, args=(600.0,))
    asking.start()
    assert not answered.wait(0.05)
    asking.join(10)
    assert answered.is_set()  # though the step still hangs
    with reader._answering(600.0):
        assert not go_on.is_set()
    go_on.set()
    preparing.join(10)


def test_a_step_that_fails_costs_nothing(reader: Recalling) -> None:
    def fails() -> None:
        raise OSError("no disk")

    reader._prepare(fails)
    assert reader._at_rest.is_set()
