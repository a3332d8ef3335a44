"""`hermes memory status`: settings with their origin, every problem with its command (P20, B001, B104)."""

from pathlib import Path
from typing import Any

import pytest
from cognition import config, host
from cognition.provider import CognitionMemoryProvider
from cognition.status import lines


def shown(home: Path, ours: Any = None, given: Any = None) -> dict[str, Any]:
    return lines(config.load(home, ours, given))


def test_defaults_are_four_lines_without_origin(tmp_path):
    said = shown(tmp_path)
    assert [said[name] for name in ("backend", "repos", "budget_tokens", "author", "health")] == [
        "local",
        "default",
        "8000",
        "(git user.name)",
        "ok",
    ]
    assert not [name for name in said if "." in name or name.startswith(("note", "problem"))]
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_default_has_its_origin(tmp_path):
    """P20, B104."""
    (tmp_path / "cognition").mkdir()
    (tmp_path / "cognition" / "config.json").write_text('{"author": "Ada", "capture": {"log": false}}')
    said = shown(tmp_path, {"recall": {"target_tokens": 500}, "budget_tokens": 8000}, {"repos": "work"})
    assert said["author"] == "Ada (cognition/config.json)"
    assert said["recall.target_tokens"] == "500 (memory.cognition)"
    assert said["repos"] == "work (constructor)"
    assert said["budget_tokens"] == "8000"
    assert said["capture.log"] == "false (cognition/config.json, not used by this version yet)"


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
    assert said["memoria"] == "https://api.thememoria.ai, subject a%2Fb"


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(host, "current_home", lambda: tmp_path)
    return tmp_path


def test_a_missing_key_is_named_with_the_command(home, monkeypatch):
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
    """MA15."""
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
