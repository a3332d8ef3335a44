"""Where settings are written, and what becomes of earlier and damaged files (D26, P16, P18, Decision 1)."""

import json
import stat
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from cognition import config


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def saved(home: Path) -> Path:
    path = home / "cognition" / "config.json"
    path.parent.mkdir(exist_ok=True)
    return path


def content(home: Path) -> Any:
    return json.loads(saved(home).read_text(encoding="utf-8"))


class Host:
    """memory.cognition as a host keeps it."""

    def __init__(self, values: dict[str, Any], refusal: str = "") -> None:
        self.values, self.refusal = values, refusal

    def write(self, place: tuple[str, ...], value: Any) -> str:
        if not self.refusal:
            group = self.values if len(place) == 1 else self.values[place[0]]
            group[place[-1]] = value
        return self.refusal


def form(home: Path, host: Any = None) -> dict[str, str]:
    """What a form sends when nothing is changed: pre-filled as hosts do it, later places winning."""
    files = {**(content(home) if saved(home).exists() else {}), **(host or {})}
    sent = {}
    for field in config.schema(config.load(home, host), host):
        value = files.get(field["key"])
        value = field["default"] if value in (None, "") else str(value)
        if not field.get("when") and not field["secret"]:
            sent[field["key"]] = value
    return sent


def test_a_form_offers_nothing_that_is_not_built(unbuilt):
    """C28, D31: no field for a key, since the host would then call the provider "API key / local"."""
    fields = config.schema()
    assert [field["key"] for field in fields] == [
        "repos",
        "budget_tokens",
        "queue_max_entries",
        "archive_path",
        "models",
        "author",
    ]
    assert not any(field["secret"] or "env_var" in field or "when" in field for field in fields)


def test_the_form_asks_in_order_and_ends_with_the_author(memoria):
    """C28, D31: nothing is required; the secret and the other questions of Memoria come only with it."""
    fields = config.schema()
    assert [field["key"] for field in fields] == [
        "backend",
        "api_key",
        "api_url",
        "memoria_upload",
        "repos",
        "budget_tokens",
        "queue_max_entries",
        "archive_path",
        "models",
        "author",
    ]
    assert not any(field["required"] for field in fields)
    remote = {field["key"] for field in fields if field.get("when") == {"backend": "memoria"}}
    assert remote == {"api_key", "api_url", "memoria_upload"}
    assert [(field["key"], field["env_var"]) for field in fields if field["secret"]] == [("api_key", "MEMORIA_API_KEY")]
    assert all(isinstance(field["default"], str) for field in fields)


def test_enter_throughout_saves_nothing_and_a_later_edit_works(home):
    """CD11, MA16."""
    config.save(form(home), home)
    assert not saved(home).exists() or content(home) == {}
    assert config.load(home, {"budget_tokens": 4000})["budget_tokens"] == 4000


@pytest.mark.parametrize("host", [{"repos": ["a", "b"]}, {"repos": "a, b"}])
def test_running_setup_again_offers_and_keeps_the_current_values(home, host):
    """CD12, CD13."""
    config.save({"budget_tokens": "4000"}, home, host)
    assert form(home, host)["budget_tokens"] == "4000"
    config.save(form(home, host), home, host)
    settings = config.load(home, host)
    assert (settings["budget_tokens"], settings["repos"]) == (4000, ["a", "b"])
    assert content(home) == {"budget_tokens": 4000}


def test_a_form_that_is_pre_filled_in_another_order_changes_nothing(memoria, home):
    """D26: hosts let memory.cognition win over config.json; we do not."""
    saved(home).write_text('{"budget_tokens": 3000, "backend": "memoria", "author": "Ada"}')
    host = Host({"budget_tokens": 2000, "backend": "local", "author": "Bob"})
    before = config.load(home, host.values).values
    sent = form(home, host.values)
    config.save(sent, home, host.values, write=host.write)
    assert config.load(home, host.values).values == before
    conditions = [
        field["when"] for field in config.schema(config.load(home, host.values), host.values) if "when" in field
    ]
    assert conditions
    assert all(condition == {"effective_backend": "memoria"} for condition in conditions)


def test_a_wrong_value_in_a_file_is_not_offered_again(home):
    """D27: the form shows what is in force."""
    assert form(home, {"budget_tokens": "lots"})["effective_budget_tokens"] == "8000"


@pytest.mark.parametrize(
    ("stands", "place"),
    [
        ({"queue": {"max_entries": 50}}, ("queue", "max_entries")),
        ({"queue_max_entries": 50}, ("queue_max_entries",)),
    ],
)
def test_a_setting_is_written_where_it_stands(home, stands, place):
    """D26."""
    host = Host(stands)
    config.save({"queue_max_entries": "60"}, home, host.values, write=host.write)
    assert config.load(home, host.values)["queue.max_entries"] == 60
    assert (host.values[place[0]][place[1]] if len(place) == 2 else host.values[place[0]]) == 60
    assert not saved(home).exists()


@pytest.mark.parametrize(
    "stands", [{"queue": {"max_entries": 50}}, {"queue_max_entries": 50}, {"queue.max_entries": 50}]
)
def test_in_the_saved_file_the_spelling_is_kept(home, stands):
    """D26."""
    saved(home).write_text(json.dumps({**stands, "later": {"kept": 1}}))
    config.save({"queue_max_entries": "60"}, home)
    assert config.load(home)["queue.max_entries"] == 60
    assert json.dumps(stands).replace("50", "60")[1:-1] in json.dumps(content(home))
    assert content(home)["later"] == {"kept": 1}


def test_a_setting_in_both_files_is_written_where_it_holds(home):
    """D26: config.json wins; answering with the other's value ends the conflict."""
    saved(home).write_text('{"budget_tokens": 3000}')
    host = Host({"budget_tokens": 2000})
    config.save({"budget_tokens": 5000}, home, host.values, write=host.write)
    assert (content(home), host.values) == ({"budget_tokens": 5000}, {"budget_tokens": 2000})
    config.save({"budget_tokens": 2000}, home, host.values, write=host.write)
    assert content(home) == {}
    assert config.load(home, host.values).notes == []


def test_what_the_host_does_not_take_is_said(home):
    """P16."""
    host = Host({"budget_tokens": 2000}, refusal="an administrator has pinned it")
    (line,) = config.save({"budget_tokens": 5000}, home, host.values, write=host.write)
    assert "memory.cognition.budget_tokens" in line
    assert "pinned" in line


@pytest.mark.parametrize(
    "wrong", [{"budget_tokens": "lots"}, {"api_url": "http://far.example"}, {"auto_capture": "maybe"}]
)
def test_when_an_answer_is_refused_the_file_is_unchanged(home, wrong):
    """MA13, D27: all or nothing, with the key named."""
    saved(home).write_text('{"author": "Ada"}')
    with pytest.raises(config.WrongValue, match="Nothing was saved"):
        config.save({"author": "Bob", **wrong}, home)
    assert saved(home).read_text() == '{"author": "Ada"}'


def test_text_of_a_form_becomes_the_type_that_files_must_have(home):
    """MA13, MD18, M6: strict in files, lenient in setup; the key is never written."""
    config.save(
        {
            "backend": "Memoria",
            "auto_capture": "YES",
            "memoria_top_k": "7",
            "memoria_gateways": "off",
            "api_key": "s3cret",
        },
        home,
    )
    assert content(home) == {"backend": "memoria", "memoria": {"upload": "turns"}, "top_k": 7}
    assert config.load(home).remote
    assert "s3cret" not in saved(home).read_text()


def test_an_empty_answer_keeps_what_is_there_and_reset_clears_it(home):
    """B076."""
    config.save({"author": "Ada", "repos": "work"}, home)
    config.save({"author": "", "repos": None}, home)
    assert content(home) == {"author": "Ada", "repos": ["work"]}
    config.save({}, home, reset=["author"])
    assert content(home) == {"repos": ["work"]}


def test_saving_is_private_atomic_and_leaves_nothing_behind_on_failure(home):
    """CD10: unique temporary file, 0600 from creation, replaced."""
    config.save({"author": "Ada"}, home)
    assert stat.S_IMODE(saved(home).stat().st_mode) == 0o600
    with mock.patch("os.replace", side_effect=OSError("disk full")), pytest.raises(OSError, match="disk full"):
        config.save({"author": "Bob"}, home)
    assert [p.name for p in saved(home).parent.iterdir()] == ["config.json"]
    assert content(home) == {"author": "Ada"}


def test_the_saved_file_is_readable_text_with_sorted_keys(home):
    """Contract 2.4: indented, sorted keys, final newline."""
    config.save({"repos": "ä", "author": "Ada"}, home)
    assert saved(home).read_text() == '{\n  "author": "Ada",\n  "repos": [\n    "ä"\n  ]\n}\n'


def test_a_damaged_file_is_copied_aside_once_and_what_is_readable_survives(home):
    """CD6, MA14, MD13: one 0600 copy with the bytes; the destination does not change by itself."""
    config.save({"backend": "memoria", "api_url": "https://memory.example", "memoria_upload": "facts"}, home)
    damaged = saved(home).read_bytes() + b'  "budget_tok'
    saved(home).write_bytes(damaged)
    assert not config.load(home).remote
    config.save({"author": "Ada"}, home)
    (copy,) = saved(home).parent.glob("config.json.invalid-*")
    assert len(copy.name.rpartition("-")[2]) == 32
    assert (copy.read_bytes(), stat.S_IMODE(copy.stat().st_mode)) == (damaged, 0o600)
    settings = config.load(home)
    assert settings.remote
    assert [settings[name] for name in ("memoria.api_url", "memoria.upload", "author")] == [
        "https://memory.example",
        "facts",
        "Ada",
    ]


def test_setup_takes_unusable_values_out_but_never_a_destination(home):
    """P20: that is the command that status names; MD13."""
    saved(home).write_text('{"recall": {"deadline_s": 99, "target_tokens": 500}, "api_url": "http://far.example"}')
    (line,) = config.save({}, home, mend=True)
    assert "recall.deadline_s" in line
    assert content(home) == {"recall": {"target_tokens": 500}, "api_url": "http://far.example"}


# -- files of earlier versions -----------------------------------------------------------------------------------------


def test_earlier_files_count_before_they_are_taken_over(home):
    """Decision 1: status of a home that was never started says the same as after the start."""
    (home / "cognition.json").write_text('{"author": "Ada", "budget_tokens": "8000"}')
    (home / "memoria.json").write_text('{"api_url": "https://memory.example", "auto_recall": false}')
    before = config.load(home, {"budget_tokens": 4000})
    assert [before[name] for name in ("author", "budget_tokens", "memoria.api_url", "recall.enabled")] == [
        "Ada",
        4000,
        "https://memory.example",
        False,
    ]
    config.adopt(home, {"budget_tokens": 4000})
    assert config.load(home, {"budget_tokens": 4000}).values == before.values


def test_earlier_files_are_taken_over_once_and_kept(home):
    """Decision 1, D105: into config.json, whose own keys win; then `.imported`."""
    saved(home).write_text('{"author": "Ada"}')
    (home / "cognition.json").write_text('{"author": "Bob", "queue_max_entries": 50}')
    (home / "memoria.json").write_text('{"auto_capture": true, "top_k": 7}')
    assert len(config.adopt(home)) == 2
    assert content(home) == {"author": "Ada", "queue_max_entries": 50, "top_k": 7, "memoria": {"upload": "turns"}}
    assert sorted(path.name for path in home.glob("*.imported")) == ["cognition.json.imported", "memoria.json.imported"]
    assert not (home / "cognition.json").exists()
    assert config.adopt(home) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cognition.json", "{bad"),
        ("memoria.json", "[]"),
        ("memoria.json", '{"api_key": "s3cret"}'),
        ("memoria.json", '{"auto_capture": "yes"}'),
        ("memoria.json", '{"novelty": 1}'),
    ],
)
def test_an_earlier_file_that_is_not_sound_is_kept_and_named(home, name, text):
    """Decision 1, M8, D28."""
    (home / name).write_text(text)
    assert config.adopt(home) == []
    assert (home / name).read_text() == text
    settings = config.load(home)
    assert name in settings.problems[0]
    assert settings.remote_off_reason
    assert "s3cret" not in settings.problems[0]


def test_nothing_is_written_where_nothing_is_to_be_taken_over(home):
    assert config.adopt(home) == []
    assert list(home.iterdir()) == []


def test_a_second_earlier_file_does_not_replace_the_first_copy(home):
    for author in ("Ada", "Bob"):
        (home / "cognition.json").write_text(json.dumps({"author": author}))
        config.adopt(home)
    assert len(list(home.glob("cognition.json*.imported"))) == 2
    assert content(home) == {"author": "Ada"}
