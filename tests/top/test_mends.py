"""What status says after `mend:` does mend it, where the value stands that holds (P20, D26)."""

import json
from pathlib import Path
from typing import Any

import pytest
from cognition import config


def saved(home: Path, values: Any) -> Path:
    path = home / "cognition" / "config.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(values))
    return path


def mend(line: str) -> str:
    return line.partition("; mend: ")[2]


@pytest.mark.parametrize(
    ("host", "command"),
    [
        ({"budget_tokens": "lots"}, "hermes config set memory.cognition.budget_tokens 8000"),
        ({"queue_max_entries": 1}, "hermes config set memory.cognition.queue_max_entries 1000"),
        ({"recall": {"enabled": "maybe"}}, "hermes config set memory.cognition.recall.enabled true"),
        ({"recall.enabled": "maybe"}, 'delete "recall.enabled" in {home}/config.yaml'),
        ({"audiences": {"owner": "telegram"}}, "hermes config unset memory.cognition.audiences.owner"),
        ({"backend": "memoira"}, "hermes config set memory.cognition.backend local"),
        ({"auto_capture": "yes"}, "hermes config unset memory.cognition.auto_capture"),
        ({"api_url": "http://far.example"}, "hermes config set memory.cognition.api_url https://HOST"),
        ({"budgettokens": 1}, "hermes config unset memory.cognition.budgettokens"),
        ({"queue": "big"}, "hermes config unset memory.cognition.queue"),
        (5, "hermes config unset memory.cognition"),
    ],
)
def test_in_the_hosts_file_it_is_a_command_of_the_host(tmp_path, host, command):
    (line,) = config.load(tmp_path, host).problems
    assert mend(line) == command.format(home=tmp_path)


def test_in_the_saved_file_setup_takes_a_wrong_value_out(tmp_path):
    """`hermes config set` would have no effect there."""
    saved(tmp_path, {"budget_tokens": "lots", "author": "Ada"})
    (line,) = config.load(tmp_path, {"budget_tokens": 6000}).problems
    assert mend(line) == "hermes memory setup cognition"
    config.save({}, tmp_path, {"budget_tokens": 6000}, mend=True)
    settings = config.load(tmp_path, {"budget_tokens": 6000})
    assert (settings.problems, settings["budget_tokens"], settings["author"]) == ([], 6000, "Ada")


def test_in_the_saved_file_what_setup_does_not_ask_is_deleted(unbuilt, tmp_path):
    """Setup takes no destination out (MD13) and asks about none that is not built."""
    path = saved(tmp_path, {"api_url": "http://far.example", "memoria": {"top_k": 0}})
    first, second = config.load(tmp_path).problems
    assert mend(first) == f'delete "api_url" in {path}'
    assert mend(second) == f'delete "memoria.top_k" in {path}'


def test_where_memoria_is_built_setup_asks_for_the_address_again(memoria, tmp_path):
    saved(tmp_path, {"api_url": "http://far.example"})
    (line,) = config.load(tmp_path).problems
    assert mend(line).startswith("hermes memory setup cognition on a terminal, or ")


def test_a_file_of_an_earlier_version_is_moved_away(tmp_path):
    """Setup does not touch one that cannot be read."""
    (tmp_path / "memoria.json").write_text("{bad")
    (line,) = config.load(tmp_path).problems
    assert mend(line) == f"mv {tmp_path / 'memoria.json'} {tmp_path / 'memoria.json.invalid'}"


def test_what_the_constructor_was_given_is_no_command(tmp_path):
    (line,) = config.load(tmp_path, None, {"budget_tokens": 1}).problems
    assert "constructor" in mend(line)


def test_a_wrong_value_says_what_is_used_in_the_end(tmp_path):
    """A higher place may hold another one than the default."""
    saved(tmp_path, {"budget_tokens": 4000})
    (line,) = config.load(tmp_path, {"budget_tokens": "lots"}).problems
    assert "; using 4000; " in line


class TestASettingInBothFiles:
    """D26: after `hermes config set` the note says why nothing changed, and what to do for either."""

    def test_alone_in_its_file_it_is_cleared_by_a_command(self, tmp_path):
        path = saved(tmp_path, {"budget_tokens": 4000})
        (note,) = config.load(tmp_path, {"budget_tokens": 6000}).notes
        assert note == (
            "budget_tokens is 4000 in cognition/config.json, which wins over 6000 in memory.cognition; "
            f"to keep that: hermes config unset memory.cognition.budget_tokens; to use 6000: rm {path}"
        )

    def test_an_asked_one_is_cleared_by_setup(self, tmp_path):
        path = saved(tmp_path, {"budget_tokens": 4000, "author": "Ada"})
        (note,) = config.load(tmp_path, {"budget_tokens": 6000}).notes
        assert note.endswith(
            f'to use 6000: hermes memory setup cognition and type it there, or delete "budget_tokens" in {path}'
        )
        config.save({"budget_tokens": "6000"}, tmp_path, {"budget_tokens": 6000})
        settings = config.load(tmp_path, {"budget_tokens": 6000})
        assert (settings["budget_tokens"], settings.notes) == (6000, [])

    def test_another_one_is_deleted_where_it_stands(self, tmp_path):
        path = saved(tmp_path, {"recall": {"target_tokens": 500}, "author": "Ada"})
        (note,) = config.load(tmp_path, {"recall_target_tokens": 900}).notes
        assert "hermes config unset memory.cognition.recall_target_tokens" in note
        assert note.endswith(f'to use 900: delete "recall.target_tokens" in {path}')

    def test_a_refused_one_is_only_a_problem(self, tmp_path):
        saved(tmp_path, {"budget_tokens": 1})
        settings = config.load(tmp_path, {"budget_tokens": 6000})
        assert (settings["budget_tokens"], settings.notes, len(settings.problems)) == (6000, [], 1)


@pytest.mark.parametrize("owner", ["telegram", ["telegram:1", "slack"], "telegram:", ":1", [{"telegram": 1}]])
def test_an_owner_without_platform_and_user_is_refused(tmp_path, owner):
    """D27, D44: it would match nobody, silently."""
    settings = config.load(tmp_path, {"audiences": {"owner": owner}})
    assert settings["audiences.owner"] == []
    assert "audiences.owner" in settings.problems[0]
    assert "platform:user" in settings.problems[0]


def test_an_owner_is_a_platform_and_a_user(tmp_path):
    settings = config.load(tmp_path, {"audiences": {"owner": "Telegram: 111, matrix:@ada:example.org"}})
    assert settings["audiences.owner"] == ["telegram:111", "matrix:@ada:example.org"]


@pytest.mark.parametrize("wrong", ["que", "qeue", "recal"])
def test_a_mistyped_group_names_the_group(tmp_path, wrong):
    """D29."""
    (line,) = config.load(tmp_path, {wrong: {"max_entries": 50}}).problems
    assert f"did you mean {'recall' if wrong == 'recal' else 'queue'}?" in line


@pytest.mark.parametrize("wrong", [{"budget_tokens": True}, {"queue": True}, True])
def test_a_switch_is_shown_as_it_is_written(tmp_path, wrong):
    (line,) = config.load(tmp_path, wrong).problems
    assert "true" in line
    assert "True" not in line
