"""Several processes and threads on one log (H6, H10)."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cognition.chatlog import ChatLog

from .logs import Words, draft, found, place, turn

PROGRAM = Path(__file__).with_name("appender.py")


def test_processes_that_append_to_one_session_leave_no_gap_and_no_double(path):
    """H6: dense ordinals across processes."""
    running = [
        subprocess.Popen(
            [sys.executable, str(PROGRAM), str(path), name, "25"],
            stdout=subprocess.PIPE,
            text=True,
            stderr=subprocess.PIPE,
        )
        for name in ("ada", "ben", "cyd")
    ]
    lines = []
    for process in running:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        lines += out.split()
    log = ChatLog(path, index=Words())
    assert sorted(lines, key=lambda ref: int(ref[7:])) == [f"msg-s1-{n}" for n in range(150)]
    texts = [message.text for message in log.messages("s1")]
    assert len(texts) == len(set(texts)) == 150
    for asked, heard in zip(texts[::2], texts[1::2], strict=True):
        assert asked.replace("asks", "hears") == heard  # a turn stays together
    log.tidy()
    assert len(found(log, "ada")) == 50
    log.close()


def test_threads_append_and_search_at_the_same_time(log):
    log.append(place("s0"), turn("a", "b"))
    errors = []

    def write(name):
        for n in range(20):
            log.append(place("s1"), turn(f"{name} {n}", "x"), wait=30)

    def read():
        for _ in range(40):
            try:
                found(log, "x")
                log.messages("s1")
                log.marks("s1")
            except Exception as problem:
                errors.append(problem)

    threads = [threading.Thread(target=write, args=(name,)) for name in "pq"] + [threading.Thread(target=read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [mark.n for mark in log.marks("s1")] == list(range(80))
    assert not [problem for problem in errors if "lock" not in str(problem)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork, which this system lacks")
def test_a_child_starts_with_connections_of_its_own(log):
    log.append(place(), turn("a", "b"))
    with log.reading() as db:
        pid = os.fork()
        if pid == 0:
            try:
                log.append(place(), [draft("user", "of the child")])
                os._exit(0 if len(log.messages("s1")) == 3 else 1)
            except BaseException:
                os._exit(2)
        assert os.waitpid(pid, 0)[1] == 0
        assert db.execute("SELECT count(*) FROM messages").fetchone() == (3,)
    assert log.append(place(), turn("c", "d")) == ["msg-s1-3", "msg-s1-4"]
