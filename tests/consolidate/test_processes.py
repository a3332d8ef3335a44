"""Several processes on one home, and a model that does not answer."""

import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from cognition.consolidate.triggers import Trigger, consider

from .desks import Home, Script, reply, unit

PROGRAM = Path(__file__).with_name("worker.py")
SESSIONS = [f"s{number}" for number in range(8)]


def owing(path: Path) -> None:
    home = Home(path, Script())
    for sid in SESSIONS:
        home.say(sid, f"{sid} how do we retry this?", "With a key.")
        assert consider(home.desk, sid, Trigger.BOUNDARY)
    home.close()


def start(path: Path, name: str, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), str(path), name, *more],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def run(path: Path, *names: str) -> None:
    """Workers that begin at the same moment, and end."""
    workers = [start(path, name) for name in names]
    while not all((path / f"ready-{name}").exists() for name in names):
        time.sleep(0.01)
    (path / "go").touch()
    for worker in workers:
        _, said = worker.communicate(timeout=60)
        assert worker.returncode == 0, said


def summaries(path: Path) -> list[str]:
    home = Home(path, Script())
    found = home.refs("summary")
    with home.outbox.database.reading() as db:
        assert db.execute("SELECT count(*) FROM tasks").fetchone()[0] == 0
    home.close()
    return found


def test_two_processes_summarise_no_span_twice(tmp_path: Path) -> None:
    """HA155, HI10, HD24, HD15: one call a range; a lesson that both learn is one, with each trace."""
    owing(tmp_path)
    run(tmp_path, "a", "b")
    calls = Counter(line.split()[1] for line in (tmp_path / "calls").read_text().splitlines())
    assert calls == {"extraction": len(SESSIONS)}
    assert summaries(tmp_path) == [f"sum-{sid}-0-2" for sid in SESSIONS]
    home = Home(tmp_path, Script())
    (same,) = [ref for ref in home.refs("work_unit") if ref.startswith("wu-same-")]
    sources = [tail for relation, tail in home.entry(same)["links"] if relation == "derivedFrom"]
    assert sorted(sources) == [f"sum-{sid}-0-2" for sid in SESSIONS]
    assert home.entry(same)["seen"] == len(SESSIONS)
    assert len(home.refs("work_unit")) == 1 + len(SESSIONS)
    home.close()


def test_a_killed_owner_is_taken_over(tmp_path: Path) -> None:
    """HA148, HA156: at once on this machine, since its process is gone; the call it died in is made again."""
    owing(tmp_path)
    (tmp_path / "go").touch()
    dead = start(tmp_path, "dead", "hang")
    dead.communicate(timeout=60)
    assert dead.returncode == 9
    run(tmp_path, "heir")
    assert summaries(tmp_path) == [f"sum-{sid}-0-2" for sid in SESSIONS]
    calls = Counter(line.split()[0] for line in (tmp_path / "calls").read_text().splitlines())
    assert calls == {"dead": 1, "heir": len(SESSIONS)}


def test_a_model_that_does_not_answer_holds_nothing_up(tmp_path: Path) -> None:
    """HA146, HD21, HI8: while a call is under way the store is written, the log is written, gates are looked at."""
    asked, answer = threading.Event(), threading.Event()

    def by(_purpose: str, _text: str) -> str:
        asked.set()
        assert answer.wait(60)
        return reply("- late", unit("Late"))

    home = Home(tmp_path, Script(by=by))
    home.say("s1", "how do we retry this?", "With a key.")
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.lane.wake()
    assert asked.wait(30)
    home.say("s2", "and something else", "Yes.")
    assert consider(home.desk, "s2", Trigger.BOUNDARY)
    with home.store.transaction(timeout=1.0) as txn:
        txn.put({"ref": "cog-x-1", "content": "written meanwhile", "kind": "fact", "audience": "owner"})
    assert home.refs() == ["cog-x-1"]
    answer.set()
    end = time.monotonic() + 30
    while len(home.refs("summary")) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    home.lane.stop(2.0)
    assert home.refs("summary") == ["sum-s1-0-2", "sum-s2-0-2"]
    home.close()


def test_a_stop_abandons_the_call_and_gives_the_task_back(tmp_path: Path) -> None:
    """HA151, HA154, H37: within its time; what the late answer brings is committed by nobody."""
    asked, answer = threading.Event(), threading.Event()

    def by(_purpose: str, _text: str) -> str:
        asked.set()
        assert answer.wait(60)
        return reply("- too late")

    home = Home(tmp_path, Script(by=by))
    home.say("s1", "how do we retry this?", "With a key.")
    consider(home.desk, "s1", Trigger.BOUNDARY)
    home.lane.wake()
    assert asked.wait(30)
    home.lane.stop(0.2)
    with home.outbox.database.reading() as db:
        assert db.execute("SELECT state, attempts FROM tasks").fetchall() == [("pending", 0)]
    answer.set()
    for thread in threading.enumerate():
        if thread.name == "cognition-models":
            thread.join(30)
    assert home.refs() == []
    again = home.again(Script())
    again.work()
    assert again.refs("summary") == ["sum-s1-0-2"]
    again.close()


def test_no_call_begins_in_a_process_that_is_about_to_end(tmp_path: Path) -> None:
    """P49: just after a session has ended, and just after a start, an answer would have nobody to take it."""
    home = Home(tmp_path, Script())
    home.say("s1", "how do we retry this?", "With a key.")
    consider(home.desk, "s1", Trigger.BOUNDARY)
    looked = threading.Event()
    home.lane.wake(looked.set, after=3600.0)
    assert looked.wait(30)
    home.lane.stop(2.0)
    assert home.script.asked == []
    home.close()
