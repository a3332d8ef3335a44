"""The same walk on either backend: update, forget, rate, pin, conflict, resolve, with the same expectations (issue 7).

What is walked is what people and models use: the tools of a provider and the commands, on a home whose memory is on
this machine, and on one whose memory is on the contract server over a real loopback socket.
"""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cognition import CognitionMemoryProvider
from cognition.commands import main, parser
from cognition.stores.local import LocalStore
from cognition.stores.memoria_records import identity, metadata_of

from .rig import START, Server, entry, server


class Home:
    """A home with a provider of a session on it.  `far`: the server that its memory is on, None for this machine."""

    def __init__(self, home: Path, far: Server | None) -> None:
        self.home, self.far = home, far
        given = {"backend": "local"} if far is None else {"backend": "memoria", "api_url": far.origin}
        (home / "cognition").mkdir(mode=0o700)
        (home / "cognition" / "config.json").write_text(json.dumps(given))
        self.provider = CognitionMemoryProvider({"author": "Ada"})
        self.provider.initialize("s1", hermes_home=str(home), platform="cli", agent_context="primary")
        remote = self.provider._handle.runtime.remote
        self.subject = remote.link.who.subject if far is not None else ""

    def tool(self, name: str, **given: Any) -> dict[str, Any]:
        return dict(json.loads(self.provider.handle_tool_call(name, given)))

    def stored(self, content: str) -> str:
        answer = self.tool("memoria_store", content=content)
        assert answer["success"], answer
        return str(answer["result"]["memory_id"])

    def command(self, *words: str) -> tuple[int, dict[str, Any]]:
        out = io.StringIO()
        args = parser.build().parse_args(["--home", str(self.home), *words, "--json"])
        return main.run(args, out=out, err=io.StringIO()), dict(json.loads(out.getvalue()))

    def texts(self) -> list[str]:
        """What is current, as the store itself has it, copies in conflict included."""
        if self.far is not None:
            return sorted(self.far.texts(self.subject))
        view = LocalStore(self.home / "cognition" / "committed.json").view()
        return sorted(one["content"] for one in view.current())

    def found(self, query: str) -> list[str]:
        return [row["content"] for row in self.command("search", query)[1]["results"]]

    def elsewhere(self, *entries: dict[str, Any]) -> None:
        """Entries as another machine, or another process, left them."""
        if self.far is None:
            store = LocalStore(self.home / "cognition" / "committed.json")
            with store.transaction(timeout=5.0) as txn:
                for one in entries:
                    txn.put(one)
            store.close()
        else:
            for one in entries:
                given = metadata_of(one, delivery=identity(one))
                self.far.scope(self.subject).put(one["content"], "semantic", given)


@pytest.fixture(params=["local", "memoria"])
def both(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    (tmp_path / "config.yaml").write_text("memory:\n  provider: cognition\n  cognition:\n    author: Ada\n")
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    if request.param == "local":
        made = Home(tmp_path, None)
        yield made
        made.provider.shutdown()
        return
    with server("socket") as far:
        monkeypatch.setenv("MEMORIA_API_KEY", far.key)
        made = Home(tmp_path, far)
        yield made
        made.provider.shutdown()


def test_an_update_replaces_the_text_and_names_both_versions(both):
    """C10, M29: the old words are found no more; the new id is as good as the old one was."""
    first = both.stored("My locker is number 12.")
    answer = both.tool("memoria_update", memory_id=first, new_content="My locker is number 14.")
    assert (answer["success"], answer["result"]["state"]) == (True, "updated")
    previous = answer["result"]["previous_memory_id"]  # here the ref stays and its version is named, there the id
    assert previous.startswith(first)
    assert both.texts() == ["My locker is number 14."]
    assert both.found("locker number") == ["My locker is number 14."]
    second = answer["result"]["memory_id"]
    again = both.tool("memoria_update", memory_id=second, new_content="My locker is number 15.")
    assert again["success"]
    assert both.texts() == ["My locker is number 15."]


def test_what_is_not_there_is_not_changed_by_any_verb(both):
    """M18, M31: one code, whatever the verb."""
    both.stored("My locker is number 12.")
    unknown = "f" * 32
    for name, given in (
        ("memoria_update", {"new_content": "x"}),
        ("memoria_feedback", {"signal": "useful"}),
    ):
        answer = both.tool(name, memory_id=unknown, **given)
        assert answer["success"] is False, name
        assert answer["error"] == "memory_not_found_in_current_subject", name
    assert both.command("pin", unknown)[0] == both.command("resolve", unknown, "--keep", "copy")[0] == 2
    assert both.texts() == ["My locker is number 12."]


def test_forgetting_takes_it_out_and_may_be_repeated(both):
    """C16, MD26."""
    first = both.stored("My locker is number 12.")
    both.stored("I like tea.")
    assert both.tool("memoria_forget", memory_id=first)["success"]
    assert both.texts() == ["I like tea."]
    assert "My locker is number 12." not in both.found("locker number")
    again = both.tool("memoria_forget", memory_id=first)
    assert again["success"], again
    assert both.texts() == ["I like tea."]
    assert [one["content"] for one in both.command("list")[1]["entries"]] == ["I like tea."]


def test_the_same_text_twice_is_one_entry(both):
    """D69, M33."""
    first = both.stored("My locker is number 12.")
    assert both.stored("my locker is number 12") == first
    assert both.texts() == ["My locker is number 12."]


@pytest.mark.parametrize("signal", ["useful", "wrong"])
def test_a_rating_is_taken_and_changes_no_text(both, signal):
    """M32, D86."""
    first = both.stored("My locker is number 12.")
    answer = both.tool("memoria_feedback", memory_id=first, signal=signal)
    assert (answer["success"], answer["result"]["state"]) == (True, "rated")
    assert both.texts() == ["My locker is number 12."]


def test_a_rating_of_another_word_is_refused(both):
    first = both.stored("My locker is number 12.")
    assert both.tool("memoria_feedback", memory_id=first, signal="nice")["success"] is False


def test_a_pin_is_told_without_being_asked_for_and_can_be_taken_back(both):
    """D68, D86: `list --pinned`, and recall."""
    code, answer = both.command("store", "My locker is number 12.")
    assert code == 0
    ref = answer["ref"]
    both.command("store", "I like tea.")
    assert both.command("pin", ref)[0] == 0
    assert [one["content"] for one in both.command("list", "--pinned")[1]["entries"]] == ["My locker is number 12."]
    assert both.command("show", ref)[1]["pinned"] is True
    assert both.texts() == ["I like tea.", "My locker is number 12."]
    assert both.command("pin", ref)[0] == 0  # said twice
    assert both.command("unpin", ref)[0] == 0
    assert both.command("list", "--pinned")[1]["entries"] == []
    assert both.command("show", ref)[1]["pinned"] is False
    assert both.texts() == ["I like tea.", "My locker is number 12."]


@pytest.mark.parametrize("keep", ["copy", "other"])
def test_a_conflict_is_listed_with_both_sides_and_settled_for_one(both, keep):
    """C11, CD55, CD88."""
    one = entry("cog-s9-1", "The lamp is red.", repo="default", project="", salience=0.5, seen=1)
    copy = {
        **one,
        "ref": f"cog-s9-1-conflict-{int(START)}",
        "content": "The lamp is blue.",
        "conflict_with": "cog-s9-1",
    }
    copy["provenance"] = {**one["provenance"], "trace_id": "another"}
    both.elsewhere(one, copy)
    [pair] = both.command("conflicts")[1]["conflicts"]
    assert (pair["copy"]["content"], pair["other"]["content"]) == ("The lamp is blue.", "The lamp is red.")
    assert both.texts() == ["The lamp is blue.", "The lamp is red."]
    code, answer = both.command("resolve", pair["copy"]["ref"], "--keep", keep)
    assert (code, answer["ref"]) == (0, "cog-s9-1")
    assert both.texts() == ["The lamp is blue." if keep == "copy" else "The lamp is red."]
    assert both.command("conflicts")[1]["conflicts"] == []
    assert both.command("resolve", pair["copy"]["ref"], "--keep", keep)[0] == 2
