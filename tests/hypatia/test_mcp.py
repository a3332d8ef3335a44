"""The private process, against one that speaks badly (HA215, HA220-HA223; contract hypatia.md 3, 4, 6, 7)."""

import logging
import os
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from cognition.hypatia import mcp, process
from cognition.hypatia.errors import ShelfError
from cognition.hypatia.mcp import Lines
from hypothesis import given
from hypothesis import strategies as st

from .rig import Calling, Rude, alive, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows starts no script, and has no fork")
Make = Callable[..., Rude]


def test_one_process_answers_call_after_call(rude: Make) -> None:
    """HA215."""
    shelf = rude()
    first = shelf.get("a")
    assert [shelf.get("b"), shelf.get("c")] == [first, first]
    assert shelf.said("start mcp") == [first]
    assert [noted for _, noted in shelf.notes()][1:] == ["asked 3 a", "asked 4 b", "asked 5 c"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("die", "MCP_EXITED"),
        ("killed", "MCP_EXITED"),
        ("half", "MCP_EXITED"),
        ("shut", "MCP_EXITED"),
        ("grandchild", "MCP_EXITED"),
        ("garbage", "BAD_JSON"),
        ("latin", "BAD_JSON"),
        ("neither", "BAD_JSON"),
        ("flood", "PROCESS_FAILED"),
        ("complain", "PROCESS_FAILED"),
        ("chatter", "PROCESS_FAILED"),
    ],
)
def test_a_bad_process_fails_its_call_and_is_replaced(rude: Make, name: str, code: str) -> None:
    """HA220 "death fails one call and is replaced", HA221 "broken output contained"."""
    shelf = rude()
    first = shelf.get("a")
    with pytest.raises(ShelfError) as failed:
        shelf.client.get(name)
    assert failed.value.code == code
    assert failed.value.passing
    assert not alive(first)  # neither left running, nor a zombie
    second = shelf.get("b")
    assert second != first
    assert shelf.notes()[-1] == (second, "asked 3 b")  # other pipes, and numbers from the start
    assert shelf.said("start mcp") == [first, second]


def test_a_call_over_its_limit_kills_the_process_with_its_group(rude: Make) -> None:
    """HA220 "overrun kills": 30 s by the clock; a child of it that hangs as well goes with it."""
    shelf = rude()
    first = shelf.get("a")
    calling = Calling(lambda: shelf.client.get("group"))
    until(shelf.grandchildren)
    shelf.clock.ahead += mcp.CALL_S - 5
    time.sleep(0.2)
    assert not calling.done
    shelf.clock.ahead += 6
    assert calling.join().error is not None
    assert getattr(calling.error, "code", "") == "TIMEOUT"
    assert not alive(first)
    until(lambda: _gone(shelf.grandchildren()[0]))
    assert shelf.get("b") != first


def _gone(pid: int) -> bool:
    """Ended; an orphan that nobody reaps in a container counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return not alive(pid)


def test_a_process_deaf_to_sigterm_is_ended_too(rude: Make) -> None:
    """HA220."""
    shelf = rude()
    calling = Calling(lambda: shelf.client.get("deaf"))
    until(lambda: shelf.said("is deaf"))
    shelf.clock.ahead += mcp.CALL_S + 1
    assert getattr(calling.join().error, "code", "") == "TIMEOUT"
    assert not alive(shelf.said("is deaf")[0])


def test_only_the_reply_of_this_very_number_is_taken(rude: Make) -> None:
    """HA221; contract 6: replies to others, requests, arrays are ignored, and 3 is neither "3" nor 3.0 nor True."""
    shelf = rude()
    assert shelf.get("strangers") == shelf.said("start mcp")[0]


def test_an_error_without_a_number_fails_the_call_at_once_and_the_process_lives(rude: Make) -> None:
    """HA221 "id-null error fails fast"; what the program says is redacted (contract 6)."""
    shelf = rude()
    first = shelf.get("a")
    with pytest.raises(ShelfError) as failed:
        shelf.client.get("null")
    assert failed.value.code == "MCP_ERROR"
    assert failed.value.message == "parse error: token=[REDACTED word] (-32700)"
    assert shelf.get("b") == first


def test_a_line_begun_before_the_call_is_no_answer_to_it(rude: Make) -> None:
    """HA221: half a line that an earlier call left behind is not this call's, however it ends."""
    shelf = rude()
    first = shelf.get("begun")
    time.sleep(0.3)
    assert shelf.get("after begun") == first


def test_standard_error_is_quoted_only_from_the_same_call(rude: Make) -> None:
    """HA221 "own standard error only"; the last 500 characters, redacted."""
    shelf = rude()
    shelf.get("whisper")
    until(lambda: shelf.said("whispered"))
    with pytest.raises(ShelfError) as failed:
        shelf.client.get("refused")
    assert failed.value.stderr == ""
    with pytest.raises(ShelfError) as failed:
        shelf.client.get("said")
    assert failed.value.stderr == "a warning: token=[REDACTED word]"
    with pytest.raises(ShelfError) as failed:
        shelf.client.get("complain")
    assert failed.value.stderr == "x" * 500


@pytest.mark.parametrize("name", ["flood", "chatter", "complain", "then floods"])
def test_a_flood_is_not_kept(rude: Make, name: str) -> None:
    """Whatever it writes, in a call or between two, memory stays below what one call may bring and its parsing."""
    shelf = rude()
    shelf.get("a")
    tracemalloc.start()
    try:
        if name == "then floods":
            shelf.get(name)
            time.sleep(0.5)
            name = "b"
        with pytest.raises(ShelfError, match="PROCESS_FAILED"):
            shelf.client.get(name)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * process.FLOOD_BYTES
    assert shelf.get("c") != shelf.said("start mcp")[0]


def test_a_long_line_comes_whole(rude: Make) -> None:
    """A page of large entries is far below the limit of what one call may bring."""
    found = rude().client.get("huge")
    assert found is not None
    assert found.data == "ä" * 3_000_000


def test_calls_of_several_threads_queue(rude: Make) -> None:
    """HA220 "serialised"."""
    shelf = rude()
    calls = [Calling(lambda name=f"n{number}": shelf.get(name)) for number in range(8)]  # type: ignore[misc]
    assert len({call.join().result for call in calls}) == 1
    asked = [noted.split()[1] for _, noted in shelf.notes() if noted.startswith("asked")]
    assert asked == [str(number) for number in range(3, 11)]


def test_idle_for_a_minute_the_process_is_let_go(rude: Make) -> None:
    """HA220 "idle closes": the end of its input is all it takes; no thread and no descriptor stays."""
    before, threads = _descriptors(), set(threading.enumerate())
    shelf = rude()
    first = shelf.get("a")
    shelf.clock.ahead += mcp.IDLE_S - 5
    time.sleep(3 * mcp.WATCH_S)
    assert alive(first)
    shelf.clock.ahead += 6
    until(lambda: not alive(first))
    until(lambda: set(threading.enumerate()) <= threads)
    assert _descriptors() == before
    assert shelf.get("b") != first


def test_one_that_does_not_leave_is_terminated_and_then_killed(rude: Make) -> None:
    """HA220; contract 6: "terminate after 3 s more".  A call in the meantime has another process."""
    shelf = rude("stubborn")
    first = shelf.get("a")
    shelf.clock.ahead += mcp.IDLE_S
    until(lambda: shelf.said("stays"))
    second = shelf.get("b")
    assert second != first
    assert alive(first)
    shelf.clock.ahead += mcp.LEAVE_S + mcp.GENTLE_S
    shelf.get("c")
    until(lambda: not alive(first))


def test_one_that_died_between_calls_is_replaced_without_a_failure(rude: Make) -> None:
    shelf = rude()
    first = shelf.get("a")
    os.kill(first, 9)
    until(lambda: not alive(first))  # the watcher reaps it: no zombie is left for the next call
    assert shelf.get("b") != first


@pytest.mark.parametrize("name", ["hang", "deaf", "flood", "chatter"])
def test_closing_ends_the_call_under_way(rude: Make, name: str) -> None:
    """HA220 "stop refuses": within 2 s, whatever the process is at."""
    shelf = rude()
    first = shelf.get("a")
    calling = Calling(lambda: shelf.client.get(name))
    until(lambda: f"asked 4 {name}" in [noted for _, noted in shelf.notes()])
    shelf.client.close()
    assert getattr(calling.join().error, "code", "") in ("MCP_CLOSED", "PROCESS_FAILED")
    assert not alive(first)
    for refused in (lambda: shelf.client.get("b"), shelf.client.shelves, shelf.client.features):
        with pytest.raises(ShelfError, match="MCP_CLOSED"):
            refused()
    assert shelf.said("start mcp") == [first]


@pytest.mark.parametrize("method", ["initialize", "tools/list"])
def test_closing_ends_the_handshake(rude: Make, method: str) -> None:
    """HA220; contract 6: "Stopping during the handshake ends it"."""
    shelf = rude(f"{method} hangs")
    calling = Calling(lambda: shelf.client.get("a"))
    until(lambda: shelf.said(method))
    shelf.client.close()
    assert getattr(calling.join().error, "code", "") == "MCP_CLOSED"
    assert not alive(shelf.said(method)[0])


def test_closing_leaves_nothing_behind(rude: Make) -> None:
    before, threads = _descriptors(), set(threading.enumerate())
    shelf = rude("stubborn")
    first = shelf.get("a")
    shelf.client.close()
    assert not alive(first)
    assert set(threading.enumerate()) <= threads
    assert _descriptors() == before
    shelf.client.close()


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0


@pytest.mark.parametrize(
    "end",
    [
        "",
        "sys.exit(3)",
        "raise KeyError",
        "threading.Thread(target=client.get, args=('hang',), daemon=True).start(); time.sleep(0.5)",
    ],
)
def test_an_interpreter_ends_with_its_child(tmp_path: Path, end: str) -> None:
    """H39: never hangs, and what would outlive it does not: here a process that ignores its input's end and SIGTERM."""
    shelf = Rude(tmp_path, "stubborn")
    code = (
        "import sys, threading, time\nfrom cognition.hypatia.client import Client\n"
        f"client = Client([{str(shelf.binary)!r}], 's', transport=lambda: 'mcp')\nclient.get('a')\n{end}\n"
    )
    subprocess.run([sys.executable, "-c", code], timeout=60, check=False, capture_output=True, env=_with_package())
    assert not alive(shelf.said("start mcp")[0])


def _with_package() -> dict[str, str]:
    import cognition

    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([p for p in sys.path if p] + [str(Path(cognition.__path__[0]).parent)]),
    }


def test_a_forked_process_leaves_its_parents_alone(rude: Make) -> None:
    """What was forked off talks to a process of its own, and its end does not end the parent's."""
    shelf = rude()
    first = shelf.get("a")
    pid = os.fork()
    if not pid:
        code = 1
        try:
            code = 0 if shelf.get("b") != first else 2
            shelf.client.close()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert shelf.get("c") == first


# -- giving up ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mode",
    ["old", "initialize fails", "tools/list fails", "initialize breaks", "lacks"],
)
def test_without_a_usable_mcp_the_command_line_is_used(rude: Make, mode: str, caplog: pytest.LogCaptureFixture) -> None:
    """HA223: once, with one warning, for queued calls too, until the next start."""
    shelf = rude(mode)
    with caplog.at_level(logging.WARNING, logger="cognition.hypatia"):
        calls = [Calling(lambda: shelf.get("a")) for _ in range(4)]
        pids = {call.join().result for call in calls}
    assert len(pids) == 4  # a process each
    assert len(shelf.said("start mcp")) == 1
    assert set(shelf.said("start knowledge-get")) == pids
    assert len(caplog.records) == 1
    assert shelf.client.state()["transport"] == "cli"
    assert shelf.client.state()["fallback"] in caplog.text
    assert not alive(shelf.said("start mcp")[0])


@pytest.mark.parametrize(
    ("mode", "code"), [("crash", "MCP_EXITED"), ("exit 2", "MCP_EXITED"), ("initialize hangs", "TIMEOUT")]
)
def test_what_may_pass_does_not_give_mcp_up(rude: Make, mode: str, code: str) -> None:
    """HA223 "crash, timeout and spawn failure do not": just that call fails, and MCP is tried again."""
    shelf = rude(mode)
    calling = Calling(lambda: shelf.client.get("a"))
    until(lambda: shelf.said("initialize") or calling.done)
    shelf.clock.ahead += mcp.HANDSHAKE_S + 0.5
    assert getattr(calling.join().error, "code", "") == code
    assert not alive(shelf.said("start mcp")[0])
    shelf.mode("well")
    assert shelf.get("b") == shelf.said("start mcp")[1]
    assert shelf.client.state()["fallback"] == ""


def test_a_program_that_cannot_be_started_does_not_give_mcp_up(rude: Make) -> None:
    """HA223; and where there is none at all: NO_BINARY."""
    shelf = rude()
    shelf.binary.write_text("#!/does/not/exist\n")
    shelf.binary.chmod(0o755)
    with pytest.raises(ShelfError, match="SPAWN_FAILED"):
        shelf.client.get("a")
    shelf.binary.unlink()
    with pytest.raises(ShelfError, match="NO_BINARY"):
        shelf.client.get("a")
    assert shelf.client.state()["binary"] == ""
    shelf.mode("well")
    assert shelf.get("b") == shelf.said("start mcp")[0]


# -- lines -------------------------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=6)), st.data())
def test_lines_are_the_same_however_they_arrive(parts: list[bytes], data: st.DataObject) -> None:
    whole = b"\n".join(parts)
    lines, found = Lines(), []
    at = 0
    while at < len(whole):
        size = data.draw(st.integers(1, 8))
        found += lines.add(whole[at : at + size])
        at += size
    assert found == whole.split(b"\n")[:-1]
    assert lines.begun == bool(whole.split(b"\n")[-1])
