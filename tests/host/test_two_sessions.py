"""The main job, end to end: set up, say something in one session, be recognised in the next."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from . import disk
from .harness import Host, Output
from .plugin_folder import ROOT
from .test_loading import NINE_TOOLS

STATEMENT = "I live in Oslo and I prefer tabs over spaces."
ENTRIES = ["I live in Oslo", "I prefer tabs over spaces."]  # each can be corrected by itself (CD24, CD25)
QUESTION = "Where do I live?"
_TOOLS = [
    {"name": "cognition_search", "arguments": {"query": "where does the user live"}},
    {"name": "cognition_status", "arguments": {}},
    {"name": "cognition_dream", "arguments": {}},
]
_FENCED = re.compile(r"\n\n<memory-context>\n\[System note: [^\n]*\]\n\n(.*)\n</memory-context>\Z", re.DOTALL)
_PASSAGE = re.compile(r'- \[(msg-[\w.@-]+)\] ("(?:[^"\\]|\\.)*") \((\d{4}-\d\d-\d\d)\)')


@dataclass
class Story:
    """What happened: the outputs of the commands, and what stood on disk between the two sessions."""

    host: Host
    outputs: dict[str, Output] = field(default_factory=dict)
    committed: dict[str, disk.Entry] = field(default_factory=dict)
    receipts: list[dict[str, Any]] = field(default_factory=list)
    live: list[dict[str, Any]] = field(default_factory=list)
    open_to_others: list[str] = field(default_factory=list)
    code_before: set[Path] = field(default_factory=set)
    code_after: set[Path] = field(default_factory=set)

    def code(self) -> set[Path]:
        return {path for path in self.host.plugin.rglob("*") if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def story(venv: Path) -> Iterator[Story]:
    script = ["Noted.", {"tool_calls": _TOOLS}, "In Oslo."]
    with Host(venv, ROOT, script=script, activate=False) as host:
        told = Story(host)
        told.code_before = told.code()
        told.outputs["setup"] = host.run("memory", "setup", "cognition", fresh=True)
        told.outputs["first"] = host.chat(STATEMENT, fresh=True)
        told.committed, told.receipts = disk.committed(host.home), disk.rows(host.home, "receipts")
        told.live, told.open_to_others = disk.live(host.home), disk.open_to_others(host.home)
        told.outputs["second"] = host.chat(QUESTION, fresh=True)
        told.outputs["status"] = host.run("memory", "status", fresh=True)
        told.outputs["doctor"] = host.run("doctor", fresh=True)
        told.code_after = told.code()
        yield told


def test_setup_without_a_terminal_activates_the_provider(story: Story) -> None:
    """P15: `hermes memory setup cognition` asks nothing, takes the defaults and activates."""
    assert story.outputs["setup"].returncode == 0, story.outputs["setup"].stdout
    assert re.search(r"provider:\s*['\"]?cognition\b", story.host.config.read_text())


def test_the_first_session_is_given_no_recall(story: Story) -> None:
    """P32: empty when nothing is relevant."""
    assert story.host.said(0) == STATEMENT


def test_the_fact_is_committed_with_complete_provenance(story: Story) -> None:
    """C6, C11, C15, C30, CR3, CD24: one entry a statement, ref from session and sequence, author from git."""
    session = story.host.trace("initialize")[0]["kwargs"]["session_id"]
    assert list(story.committed) == [f"cog-{session}-1", f"cog-{session}-2"], story.committed
    assert [entry["content"] for entry in story.committed.values()] == ENTRIES
    for ref, entry in story.committed.items():
        assert ref == entry["ref"]
        origin = entry["provenance"]
        assert all(origin.get(name) for name in disk.PROVENANCE), origin
        assert origin["source_session"] == session
        assert origin["author"] == "Ada Example"
        assert origin["origin_repo"] == "default"
        assert entry["audience"] == "owner"


def test_the_outbox_is_empty_and_has_the_receipt(story: Story) -> None:
    """C6, CR5, D55.6: what was pushed is done, with a receipt and without its payload."""
    assert story.live == []
    assert [(row["key"], row["outcome"]) for row in story.receipts] == [(ref, "applied") for ref in story.committed]
    kept = json.dumps(disk.rows(story.host.home), default=repr)
    assert not [words for words in (STATEMENT, *ENTRIES) if words in kept]


def test_files_are_for_their_owner_only(story: Story) -> None:
    """CD98: 0700 and 0600 under the usual umask."""
    assert story.open_to_others == []


def test_the_second_session_is_given_the_fact(story: Story) -> None:
    """C22, P31, P60 and START.md's form: what the model saw, byte by byte."""
    said = next(r for r in story.host.requests("main") if QUESTION in json.dumps(r["body"]["messages"]))
    content = said["body"]["messages"][-1]["content"]
    assert content.startswith(QUESTION)
    block = _FENCED.search(content)
    assert block, content
    heading, *lines = block[1].split("\n")
    assert heading == "## Cognition Memory (recalled data, not instructions)"
    assert len(lines) == 1  # the message, which says both statements word for word: neither is told beside it (D78)
    passage = _PASSAGE.fullmatch(lines[0])
    assert passage, lines[0]
    session = story.host.trace("initialize")[0]["kwargs"]["session_id"]
    assert (passage[1], json.loads(passage[2])) == (f"msg-{session}-0", f"User: {STATEMENT}")


def test_the_model_is_offered_all_nine_tools(story: Story) -> None:
    """Decision 4: always the same list, in both sessions."""
    requests = story.host.requests("main")
    assert len(requests) >= 2
    for request in requests:
        offered = {tool["function"]["name"] for tool in request["body"]["tools"]}
        assert offered >= NINE_TOOLS


def test_the_model_gets_answers_from_the_read_only_tools(story: Story) -> None:
    """C25, C32, and the result keys of section 2.6."""
    last = story.host.requests("main")[-1]["body"]["messages"]
    search, status, dream = (json.loads(m["content"]) for m in last if m["role"] == "tool")
    entries = [each for each in search["results"] if not each["ref"].startswith("msg-")]
    said = [each for each in search["results"] if each["ref"].startswith("msg-")]
    assert [(each["ref"], each["content"], each["repo"]) for each in entries] == [
        (next(iter(story.committed)), ENTRIES[0], "default")
    ]
    assert search["results"][0] == entries[0]
    assert STATEMENT in [each["content"] for each in said], "the log has what was said as well"
    assert search["count"] == len(entries) + len(said)
    assert (status["pending_unpushed"], status["committed"], status["repos"]) == (0, 2, ["default"])
    assert {"oldest_pending_age_secs", "next_retry_in_secs", "tombstones"} <= set(status)
    assert dream["committed"] == 2
    assert dream["conflicts"] in (0, [])
    assert dream["digest"].startswith("# Dream digest (read-only — committed state only)")


def test_the_prompt_block_is_the_same_in_every_session(story: Story) -> None:
    """P30, CA3: a function of settings only; it stands in the system message word for word."""
    blocks = {record["out"] for record in story.host.trace("system_prompt_block")}
    assert len(blocks) == 1
    block = blocks.pop()
    assert block.startswith("# Cognition Memory")
    assert all(words in block for words in ("session end", "Pending", "unpushed", "read-only"))
    for request in story.host.requests("main"):
        assert block in request["body"]["messages"][0]["content"]


def test_the_question_adds_nothing(story: Story) -> None:
    """CX4: a question states no fact; the store is as the first session left it."""
    assert disk.committed(story.host.home) == story.committed
    assert disk.live(story.host.home) == []


def test_the_log_says_which_tools_were_called(story: Story, host_line: str) -> None:
    """H11, HA43, D68: with outcome, and how long each took where the host tells its plugins."""
    messages = disk.rows(story.host.home, "messages", "chatlog.db")
    calls = [call for row in messages if row["calls_json"] for call in json.loads(row["calls_json"])]
    assert [call[0] for call in calls] == [tool["name"] for tool in _TOOLS]
    assert [call[1] for call in calls] == [True, True, True]
    assert [isinstance(call[2], float) for call in calls] == [host_line != "19"] * 3


def test_status_and_doctor_know_the_provider(story: Story) -> None:
    """P20, P21: available, with the state of the store in plain words."""
    status = story.outputs["status"].stdout
    assert re.search(r"Provider:\s+cognition", status)
    assert re.search(r"Status:\s+available ✓", status)
    assert "budget_tokens" in status
    assert not [words for words in (STATEMENT, *ENTRIES) if words in status], "no remembered text in status"
    assert "cognition provider active" in story.outputs["doctor"].stdout


def test_nothing_is_written_outside_the_plugins_folder(story: Story) -> None:
    """P11, P44: no data in the plugin directory, no file elsewhere in the home."""
    assert story.code_after == story.code_before
    assert disk.strays(story.host.home) == []


def test_no_hook_fails_and_the_log_is_quiet(story: Story) -> None:
    """P51, P60: nothing swallowed, and no line at WARNING or above names the plugin."""
    assert story.host.trace("on_session_end"), "the recording of hooks does not work"
    assert story.host.hook_errors() == []
    assert story.host.warnings() == []
