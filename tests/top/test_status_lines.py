"""`hermes memory status`: settings with their origin, every problem with its command (P20, B001, B104)."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from cognition import checkup, config, host, provenance
from cognition.outbox import Outbox
from cognition.provider import CognitionMemoryProvider
from cognition.status import lines
from cognition.stores.local import LocalStore


def shown(home: Path, ours: Any = None, given: Any = None) -> dict[str, Any]:
    return lines(config.load(home, ours, given))


def test_defaults_are_four_lines_without_origin(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "git_author", lambda timeout: "Ada Example")
    said = shown(tmp_path)
    assert [said[name] for name in ("backend", "repos", "budget_tokens", "author", "health")] == [
        "local",
        "default",
        "8000",
        "Ada Example (git user.name)",
        "ok",
    ]
    assert not [name for name in said if "." in name or name.startswith(("note", "problem"))]
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_default_has_its_origin(tmp_path):
    """P20, B104."""
    (tmp_path / "cognition").mkdir()
    given = '{"author": "Ada", "capture": {"log": false, "long_replies": "excerpt"}}'
    (tmp_path / "cognition" / "config.json").write_text(given)
    said = shown(tmp_path, {"recall": {"target_tokens": 500}, "budget_tokens": 8000}, {"repos": "work"})
    assert said["author"] == "Ada (cognition/config.json)"
    assert said["recall.target_tokens"] == "500 (memory.cognition)"
    assert said["repos"] == "work (constructor)"
    assert said["budget_tokens"] == "8000"
    assert said["capture.log"] == "false (cognition/config.json)"
    assert said["capture.long_replies"] == "excerpt (cognition/config.json)"


def test_every_problem_and_note_has_its_line(tmp_path):
    said = shown(
        tmp_path, {"budget_tokens": "lots", "budgettokens": 1, "gateway_scope": "chat", "memoria": {"top_k": 0}}
    )
    problems = [said["health"], said["problem 2"], said["problem 3"]]
    assert all("; mend: hermes " in problem or "mend: hermes " in problem for problem in problems)
    assert "D44" in said["note 1"]


def test_a_remote_that_is_off_says_why(tmp_path):
    """B001, D28."""
    said = shown(tmp_path, {"backend": "memoria", "api_url": "http://far.example"})
    assert "api_url" in said["memoria"]
    said = shown(tmp_path, {"backend": "memoria", "memoria": {"subject": "a/b"}})
    told = ("https://api.thememoria.ai", "branch main", "subject a%2Fb", "uploads none", "off in gateway chats")
    assert said["memoria"] == ", ".join(told)


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(host, "current_home", lambda: tmp_path)
    return tmp_path


def test_a_missing_key_is_named_with_the_command(memoria, home, monkeypatch):
    """B001, P19: a store that refuses is the same as no key."""
    provider = CognitionMemoryProvider()
    said = provider.get_status_config({"backend": "memoria"})
    assert "hermes cognition key --stdin" in " ".join(map(str, said.values()))

    def refuse(*_: Any) -> str:
        raise RuntimeError("no scope")

    real = host._symbol
    monkeypatch.setattr(host, "_symbol", lambda module, name: refuse if name == "get_secret" else real(module, name))
    assert "RuntimeError" in " ".join(map(str, provider.get_status_config({"backend": "memoria"}).values()))
    assert provider.is_available(), "local memory goes on (D28, P21)"


def test_what_the_form_saves_is_in_force(home):
    """MA15, HA205."""
    provider = CognitionMemoryProvider()
    sent = {field["key"]: field["default"] for field in provider.get_config_schema() if not field["secret"]}
    provider.save_config({**sent, "budget_tokens": "4000", "author": "Ada"}, str(home))
    said = CognitionMemoryProvider().get_status_config({})
    assert said["budget_tokens"] == "4000 (cognition/config.json)"
    assert said["author"] == "Ada (cognition/config.json)"


def test_a_form_with_a_wrong_value_is_refused(home):
    """P18: the host shows a ValueError to the person."""
    with pytest.raises(ValueError, match="1000 to 64000"):
        CognitionMemoryProvider().save_config({"budget_tokens": "5"}, str(home))
    assert not (home / "cognition").exists()


def test_a_backend_that_is_not_built_has_one_honest_line(unbuilt, home):
    """D28: a missing key is no problem of its own then; nothing is sent and local memory goes on."""
    provider = CognitionMemoryProvider()
    (home / "cognition").mkdir()
    (home / "cognition" / "config.json").write_text('{"backend": "memoria", "api_url": "http://far.example"}')
    said = provider.get_status_config({})
    assert said["backend"] == "memoria (cognition/config.json, not used by this version yet)"
    assert "does not speak to Memoria yet" in said["memoria"]
    assert "API key" not in " ".join(map(str, said.values()))
    assert f'delete "backend" in {home / "cognition" / "config.json"}' in " ".join(map(str, said.values()))


def test_nobody_known_to_git_is_said_with_the_command(tmp_path, monkeypatch):
    """C30: what would be recorded is shown."""
    monkeypatch.setattr(provenance, "git_author", lambda timeout: "")
    assert shown(tmp_path)["author"] == "unknown - set it with: hermes config set memory.cognition.author NAME"


def test_git_is_asked_for_a_moment_only(tmp_path, monkeypatch):
    """P20: status must not wait for it."""
    waits: list[float] = []
    monkeypatch.setattr(provenance, "git_author", lambda timeout: waits.append(timeout) or "Ada")
    shown(tmp_path)
    assert waits == [0.3]
    shown(tmp_path, {"author": "Bob"})
    assert len(waits) == 1


@pytest.mark.parametrize("fault", ["missing", "failing"])
def test_a_status_that_does_not_work_is_one_line_with_what_to_do(home, monkeypatch, fault):
    """P5, P20: not the host's bare status_config_error."""
    if fault == "missing":
        monkeypatch.setitem(sys.modules, "cognition.status", None)
    else:
        monkeypatch.setattr("cognition.status.lines", lambda settings: 1 / 0)
    said = CognitionMemoryProvider().get_status_config({})
    assert list(said) == ["problem"]
    assert "mend: " in said["problem"]
    assert "hermes plugins update cognition" in said["problem"]
    assert "\n" not in said["problem"]


def test_one_is_not_several(tmp_path):
    entry = {"kind": "fact", "content": "I live in Oslo.", "audience": "owner"}
    with LocalStore(tmp_path / "cognition" / "committed.json").transaction() as txn:
        txn.put({**entry, "ref": "cog-s-1"})
    assert shown(tmp_path)["remembered"] == "1 entry, 0 conflicts"
    assert shown(tmp_path)["pending"] == "0 (unpushed), 0 tombstones"
    with LocalStore(tmp_path / "cognition" / "committed.json").transaction() as txn:
        txn.put({**entry, "content": "I live in Bergen.", "ref": "cog-s-1-conflict-1", "conflict_with": "cog-s-1"})
    assert shown(tmp_path)["remembered"] == "1 entry, 1 conflict"


@pytest.mark.parametrize("what", ["cognition", "outbox.db", "committed.json.lock"])
@pytest.mark.parametrize("mine", [True, False])
def test_a_place_that_cannot_be_written_is_said_with_the_command(home, monkeypatch, what, mine):
    """P20: nothing else would say that memory has stopped growing."""
    Outbox(home / "cognition" / "outbox.db").counts()
    with LocalStore(home / "cognition" / "committed.json").transaction() as txn:
        txn.put({"ref": "cog-s-1", "content": "I live in Oslo.", "audience": "owner"})
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != what and real(path, mode))
    if not mine:
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
    path = home / "cognition" if what == "cognition" else home / "cognition" / what
    if what == "committed.json.lock":
        path.touch()
    said = CognitionMemoryProvider().get_status_config({})
    assert f"{what} cannot be written" in said["health"]
    assert said["health"].endswith(f"chmod u+rwX {path}" if mine else f"chown -R $(id -un) {path}  # as root")


def test_a_copy_that_was_set_aside_may_be_locked(home):
    """Nobody writes those again."""
    (home / "cognition").mkdir()
    (home / "cognition" / "outbox.db.corrupt-1").touch(mode=0o400)
    assert checkup.unwritable([home / "cognition" / "outbox.db", home / "nowhere" / "x"]) == []


class TestWhyAFileDoesNotLoad:
    """B001: in words, and with the command."""

    def test_a_missing_file_is_called_missing(self):
        for statement in ("import cognition.frobnicate", "from cognition import frobnicate"):
            with pytest.raises(ImportError) as caught:
                exec(statement)
            assert checkup.why(caught.value) == "frobnicate.py is missing"

    def test_another_fault_keeps_its_own_words(self):
        with pytest.raises(ImportError) as caught:
            exec("from cognition.config import frobnicate")
        assert "cannot import name" in checkup.why(caught.value)
        assert checkup.why(ModuleNotFoundError("No module named 'x'", name="x")).endswith("No module named 'x'")
        assert checkup.why(SyntaxError("a\nb")) == "SyntaxError: a b"

    def test_a_clone_is_put_right_by_git_first(self, tmp_path, monkeypatch):
        """`hermes plugins update` pulls, which does not bring back a file that was deleted."""
        monkeypatch.setattr(checkup, "ROOT", tmp_path)
        assert checkup.reinstall().startswith("hermes plugins update cognition")
        (tmp_path / ".git").mkdir()
        assert checkup.reinstall() == f"git -C {tmp_path} checkout . && hermes plugins update cognition"

    def test_a_part_that_is_loaded_late_is_named_with_what_it_costs(self, monkeypatch):
        monkeypatch.setattr(checkup, "_PARTS", (("recall.frobnicate", "nothing is recalled"),))
        (line,) = checkup.broken_parts()
        assert line.startswith("recall/frobnicate.py is missing: nothing is recalled, what is stored is safe; mend: ")
