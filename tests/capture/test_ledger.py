"""The tool ledger: names and outcomes, never arguments or outputs (H11, auto-memory.md 2.5, D68)."""

import json

import pytest
from cognition.capture.ledger import called, calls_of, collapse, duration, error_of, lines_of, name_of, one_line
from cognition.chatlog import Call
from hypothesis import given
from hypothesis import strategies as st


def step(*calls, text=""):
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": [{"id": id_, "function": {"name": name, "arguments": '{"secret": 1}'}} for id_, name in calls],
    }


def result(id_, content):
    return {"role": "tool", "tool_call_id": id_, "content": content}


def results(*rows):
    return {row["tool_call_id"]: row for row in rows}


def test_consecutive_calls_that_are_alike_collapse_and_their_durations_add():
    """HA38: collapsing, totals, unknown durations."""
    steps = [step(("1", "read_file"), ("2", "read_file")), step(("3", "terminal"), ("4", "read_file"))]
    rows = results(*(result(id_, "fine") for id_ in "1234"))
    seconds = {"1": 0.5, "2": 0.7, "3": 0.34, "4": 2.0}
    assert calls_of(steps, rows, seconds=seconds) == (
        Call("read_file", True, 1.2, "", 2),
        Call("terminal", True, 0.34),
        Call("read_file", True, 2.0),
    )
    assert calls_of(steps, rows, seconds={"1": 0.5})[0] == Call("read_file", True, None, "", 2)


def test_lines_are_those_of_the_contract():
    """2.4, HA38, HA40."""
    calls = (
        Call("read_file", True, 1.2, "", 5),
        Call("terminal", False, 0.34, "ExitError (127): command not found"),
        Call("search", True),
    )
    assert lines_of(calls) == [
        "1. `read_file` ×5 — ✅ 1.2s total",
        "2. `terminal` — ❌ 340ms — ExitError (127): command not found",
        "3. `search` — ✅",
    ]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.34, "340ms"),
        (0, "0ms"),
        (0.9996, "1.0s"),
        (2.4, "2.4s"),
        (59.94, "59.9s"),
        (59.96, "1m0s"),
        (192.2, "3m12s"),
        (None, ""),
        (-1, ""),
        (float("nan"), ""),
    ],
)
def test_durations(seconds, shown):
    """HA39; a negative or missing time gives none."""
    assert duration(seconds) == shown


def test_a_failed_call_has_one_line_of_error_without_the_trace():
    """HA40: stack lines gone, first and last joined, cut at 200."""
    trace = 'Traceback (most recent call last):\n  File "/a/b.py", line 3, in f\n    g()\nValueError: no such key'
    assert one_line(trace) == "ValueError: no such key"
    assert one_line("cannot build\n    at foo (bar.js:1:2)\n======\nexit 2") == "cannot build → exit 2"
    assert one_line("thread panicked\nstack backtrace:\nnote: run with RUST_BACKTRACE\n....") == "thread panicked"
    assert one_line("same\nmiddle\nsame") == "same"
    assert one_line("Traceback (most recent call last):\n") == ""
    error = error_of(json.dumps({"error": "word " * 100}))
    assert len(error) <= 200
    assert error.endswith("…")


def test_error_name_and_code():
    """2.5: error name, code in parentheses if any, colon, one line of detail."""
    assert error_of('{"error": "command not found", "error_type": "ExitError", "exit_code": 127}') == (
        "ExitError (127): command not found"
    )
    assert error_of('{"error": {"type": "NotFound", "code": 404, "message": "no page"}}') == "NotFound (404): no page"
    assert error_of('{"error": "boom", "exit_code": 2}') == "Error (2): boom"
    assert error_of('{"error": "boom", "exit_code": 0}') == "boom"
    assert error_of('{"error": true}') == "failed"


@pytest.mark.parametrize(
    "content", ["fine", '{"error": null, "output": "x"}', '{"error": ""}', '["error"]', '{"error"', None, [], 7]
)
def test_everything_else_is_success(content):
    """HA43: without the hook ❌ only for a JSON object with a truthy `error`."""
    assert error_of(content) is None


def test_calls_and_results_pair_by_id():
    """HA42: result without call, call without result."""
    found = calls_of([step(("1", "a"), ("2", "b"))], results(result("2", '{"error": "bad"}')))
    assert found == (Call("a", False, None, "no result"), Call("b", False, None, "bad"))


def test_no_output_and_no_argument_anywhere():
    """HA41."""
    rows = results(result("1", json.dumps({"error": "denied", "output": "OUTPUT"})), result("2", "OUTPUT"))
    text = repr(calls_of([step(("1", "a"), ("2", "b"))], rows))
    assert "OUTPUT" not in text
    assert "secret" not in text


def test_errors_are_redacted():
    """HA44."""
    error = error_of(json.dumps({"error": "login failed: password=hunter2hunter2"}))
    assert "hunter2" not in error
    error = error_of(
        '{"error": "the host masks ada-7781-lovelace"}', lambda text: text.replace("ada-7781-lovelace", "***")
    )
    assert error.startswith("the host masks")
    assert "7781" not in error


def test_calls_as_the_database_stores_them():
    assert called({"tool_calls": json.dumps([{"id": "1", "function": {"name": "x"}}])}) == [("1", "x")]
    assert called({"tool_calls": "no json"}) == called({"tool_calls": 3}) == called({}) == []


def test_names_hold_no_secret():
    """H8, HA50: a model may put anything where a name belongs."""
    key = "ghp_" + "Z9y8x7W6v5" * 3 + "Q1w2e3"
    for name in (key, f"terminal {key}", "x" * 60 + " " + key, f"run --token {key}", f"a`{key}"):
        assert key[4:14] not in name_of(name)
    assert name_of("get_api_key") == "get_api_key"


def test_names_are_one_line_without_backticks():
    assert name_of("a`b\n# x") == "ab x"
    assert name_of("") == name_of(None) == "tool"
    assert len(name_of("x" * 500)) == 80


@given(
    st.lists(
        st.builds(Call, st.sampled_from("ab"), st.booleans(), st.none() | st.floats(0, 9), st.sampled_from(["", "e"]))
    )
)
def test_collapsing_loses_no_call_and_settles_at_once(calls):
    done = collapse(calls)
    assert sum(call.count for call in done) == len(calls)
    assert collapse(done) == done


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_odd_rows_never_raise(value):
    assert isinstance(calls_of([{"tool_calls": value}], {}), tuple)
    error_of(value)
    error_of(json.dumps(value))
