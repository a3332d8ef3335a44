"""Settings: layers, spellings, wrong values (contract cognition.md 2.4 and 3.1; D24-D29)."""

import json
import tempfile
from pathlib import Path

import pytest
from cognition import config
from cognition.settings import table


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def saved(home: Path) -> Path:
    path = home / "cognition" / "config.json"
    path.parent.mkdir(exist_ok=True)
    return path


@pytest.mark.parametrize("value", [0, -5, 999999, "lots", True, 12.5, [], {}, float("nan")])
def test_a_budget_outside_its_range_is_refused_and_the_default_used(home, value):
    """CD1, CD2, D27: never clamped, the message names key, value and range."""
    settings = config.load(home, {"budget_tokens": value})
    assert settings["budget_tokens"] == 8000
    if value not in ([], {}):
        assert any("budget_tokens" in line and "1000 to 64000" in line for line in settings.problems)


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        *[("hypatia.shelf", value) for value in ("", "  ", "two words", "line\nbreak")],
        *[("housekeeping.backfill_per_scope", value) for value in (0, 65, float("nan"), float("inf"))],
        ("consolidation.enabled", "perhaps"),
        ("consolidation.min_new_tokens", 499),
        ("consolidation.check_every_turns", 0),
        ("consolidation.max_input_tokens", 999),
        ("consolidation.max_output_tokens", 199),
        ("consolidation.timeout_ms", 999),
        ("consolidation.max_work_units", 11),
        ("consolidation.max_calls_per_day", -1),
        ("consolidation.dedup_candidates", 21),
        ("cascade.batch_size", 1),
        ("consolidation.concurrency", 9),
        ("consolidation.max_attempts", 0),
        ("consolidation.retry_delay_ms", 99),
    ],
)
def test_what_the_background_may_do_has_bounds(home, key, wrong):
    """HA161 (no number), HA191, HA203: as D27 reads it, refused and named, not clamped; blank is unset."""
    settings = config.load(home, {key: wrong})
    assert settings[key] == table.BY_NAME[key].default
    assert any(key in line for line in settings.problems) is bool(str(wrong).strip()), settings.problems


@pytest.mark.parametrize("value", [4000, "4000", " 4000 ", 4000.0])
def test_numbers_are_taken_from_wizard_text_and_yaml_alike(home, value):
    """P17."""
    settings = config.load(home, {"budget_tokens": value})
    assert settings["budget_tokens"] == 4000
    assert type(settings["budget_tokens"]) is int


@pytest.mark.parametrize("layer", ["host", "saved", "given"])
@pytest.mark.parametrize(
    "spelling", [{"queue": {"max_entries": 50}}, {"queue_max_entries": 50}, {"queue.max_entries": 50}]
)
def test_nested_and_flat_spellings_work_in_every_layer(home, layer, spelling):
    """CD3, D25."""
    if layer == "saved":
        saved(home).write_text(json.dumps(spelling))
    settings = config.load(home, spelling if layer == "host" else None, spelling if layer == "given" else None)
    assert settings["queue.max_entries"] == 50
    assert settings.problems == []


def test_in_one_layer_the_grouped_spelling_wins(home):
    """D25."""
    settings = config.load(home, {"queue_max_entries": 20, "queue": {"max_entries": 30}})
    assert settings["queue.max_entries"] == 30


def test_layers_rank_defaults_host_saved_constructor(home):
    """Contract 2.4: precedence, low to high."""
    saved(home).write_text('{"budget_tokens": 3000}')
    assert config.load(home, {"budget_tokens": 2000})["budget_tokens"] == 3000
    assert config.load(home, {"budget_tokens": 2000}, {"budget_tokens": 5000})["budget_tokens"] == 5000


def test_none_and_empty_text_count_as_not_set_in_every_layer(home):
    """CD7."""
    settings = config.load(home, {"author": "Ada", "budget_tokens": 4000}, {"author": "", "budget_tokens": None})
    assert (settings["author"], settings["budget_tokens"]) == ("Ada", 4000)


@pytest.mark.parametrize("wrong", [{"queue": "big"}, {"archive": 7}])
def test_a_group_that_is_no_group_gets_a_message(home, wrong):
    """CD4."""
    assert len(config.load(home, wrong).problems) == 1


def test_an_unknown_key_names_the_nearest_known_one(home):
    """CD5, D29."""
    problems = config.load(home, {"budgettokens": 4000}).problems
    assert "budgettokens" in problems[0]
    assert "budget_tokens" in problems[0]


def test_a_damaged_saved_file_is_left_alone_and_named(home):
    """CD6: lower layers hold; a later setup keeps the bytes."""
    saved(home).write_text("{bad")
    settings = config.load(home, {"budget_tokens": 4000})
    assert settings["budget_tokens"] == 4000
    assert "config.json" in settings.problems[0]
    assert saved(home).read_text() == "{bad"


@pytest.mark.parametrize("path", ["../../x.jsonl", "/etc/x", "~/x", ".", ""])
def test_a_path_that_leaves_the_home_is_refused(home, path):
    """CD8."""
    settings = config.load(home, {"archive_path": path})
    assert settings["archive.path"] == "cognition/archive.jsonl"
    assert bool(settings.problems) == bool(path)


def test_an_absolute_path_inside_the_home_is_taken(home):
    settings = config.load(home, {"archive": {"path": str(home / "cognition" / "old.jsonl")}})
    assert settings.path("archive.path") == home / "cognition" / "old.jsonl"


@pytest.mark.parametrize(
    ("value", "labels"),
    [
        ("a, b ,", ["a", "b"]),
        (["a", "b"], ["a", "b"]),
        ("", ["default"]),
        ([], ["default"]),
        (" , ", ["default"]),
    ],
)
def test_labels_come_as_list_or_text(home, value, labels):
    """Contract 2.4, CD13."""
    assert config.load(home, {"repos": value})["repos"] == labels


@pytest.mark.parametrize(
    ("spelling", "name", "value"),
    [
        ({"queue_path": "cognition/o.db"}, "queue.path", "cognition/o.db"),
        ({"api_url": "https://m.example"}, "memoria.api_url", "https://m.example"),
        ({"branch": " dev "}, "memoria.branch", "dev"),
        ({"top_k": 7}, "memoria.top_k", 7),
        ({"context_chars": 900}, "memoria.context_chars", 900),
        ({"recall_timeout": 1}, "memoria.recall_timeout", 1.0),
        ({"request_timeout": 9}, "memoria.request_timeout", 9.0),
        ({"queue_capacity": 5}, "memoria.queue_capacity", 5),
        ({"max_capture_chars": 2000}, "capture.max_capture_chars", 2000),
        ({"auto_recall": False}, "recall.enabled", False),
        ({"auto_capture": True}, "memoria.upload", "turns"),
        ({"capture": {"upload_turns": True}}, "memoria.upload", "turns"),
        ({"collector": {"tool_ledger": False}}, "capture.tool_ledger", False),
        ({"collector": {"enabled": "off"}}, "capture.log", False),
        ({"collector.max_user_chars": 600}, "capture.max_user_chars", 600),
        ({"collector": {"max_assistant_chars": 700}}, "capture.max_assistant_chars", 700),
        ({"min_new_tokens": 500}, "consolidation.min_new_tokens", 500),
        ({"check_every_turns": 2}, "consolidation.check_every_turns", 2),
        ({"enabled": True}, "consolidation.enabled", True),
        ({"enabled": "auto"}, "consolidation.enabled", "auto"),
        ({"shelf": "work"}, "hypatia.shelf", "work"),
        ({"queue": {"concurrency": 2}}, "consolidation.concurrency", 2),
        ({"queue": {"max_attempts": 4}}, "consolidation.max_attempts", 4),
        ({"queue": {"retry_delay_ms": 100}}, "consolidation.retry_delay_ms", 100),
        ({"recall_target_tokens": 500}, "recall.target_tokens", 500),
    ],
)
@pytest.mark.parametrize("layer", ["host", "saved", "given"])
def test_every_earlier_spelling_is_accepted_in_every_layer(home, layer, spelling, name, value):
    """D25."""
    if layer == "saved":
        saved(home).write_text(json.dumps(spelling))
    settings = config.load(home, spelling if layer == "host" else None, spelling if layer == "given" else None)
    assert (settings[name], type(settings[name])) == (value, type(value))
    assert settings.problems == []


@pytest.mark.parametrize(
    ("spelling", "why"),
    [({"recall": {"max_items": 3}}, "D74"), ({"recall.max_chars": 9}, "D74"), ({"gateway_scope": "chat"}, "D44")],
)
def test_keys_without_effect_are_accepted_with_a_line(home, spelling, why):
    """D25."""
    settings = config.load(home, spelling)
    assert settings.problems == []
    assert why in settings.notes[0]


def test_the_own_name_wins_over_an_earlier_one_in_the_same_layer(home):
    """D25: and the group over the dotted spelling, that over the flat one."""
    both = {"capture": {"upload_turns": True}, "memoria": {"upload": "facts"}, "auto_capture": False}
    assert config.load(home, both)["memoria.upload"] == "facts"
    both = {"queue.max_entries": 20, "queue": {"max_entries": 30}, "queue_max_entries": 40}
    assert config.load(home, both)["queue.max_entries"] == 30


def test_an_earlier_queue_file_is_not_taken_for_the_outbox(home):
    """D25: an earlier queue.db named there is adopted, outbox.db used."""
    settings = config.load(home, {"queue_path": "cognition/queue.db"})
    assert settings["queue.path"] == "cognition/outbox.db"
    assert "queue.db" in settings.notes[0]
    assert settings.earlier_queues == [home / "cognition/queue.db"]


def test_a_key_in_both_files_is_named_with_both_places(home):
    """D26: config.json wins."""
    saved(home).write_text('{"queue_max_entries": 20}')
    settings = config.load(home, {"queue": {"max_entries": 30}})
    assert settings["queue.max_entries"] == 20
    assert settings.problems == []
    assert all(place in settings.notes[0] for place in ("memory.cognition", "cognition/config.json"))
    assert "hermes config unset memory.cognition.queue.max_entries" in settings.notes[0]


@pytest.mark.parametrize("wrong", [0.05, 99, "soon", True, float("inf")])
def test_a_wrong_value_comes_with_the_command_that_mends_it(home, wrong):
    """D27, P20."""
    (line,) = config.load(home, {"recall": {"deadline_s": wrong}}).problems
    assert "recall.deadline_s" in line
    assert "0.1 to 7" in line
    assert line.endswith("hermes config set memory.cognition.recall.deadline_s 2.0")


@pytest.mark.parametrize("layer", ["text", 7, ["a"]])
def test_a_layer_that_is_no_group_is_named(home, layer):
    """CD4, D28."""
    settings = config.load(home, layer)
    assert "memory.cognition" in settings.problems[0]
    assert settings.remote_off_reason


def test_every_earlier_name_leads_to_a_key():
    """D24."""
    assert set(table.ALIASES.values()) <= set(config.BY_NAME)
    assert not set(table.ALIASES) & set(config.BY_NAME)
    assert set(table.QUESTIONS) <= set(config.BY_NAME)


def test_design_md_has_these_defaults(home):
    """D24, D33: the values of design.md's sample."""
    settings = config.load(home)
    expected = {
        "backend": "local",
        "repos": ["default"],
        "author": "",
        "budget_tokens": 8000,
        "queue.max_entries": 1000,
        "archive.path": "cognition/archive.jsonl",
        "capture.facts": True,
        "capture.log": True,
        "capture.tool_ledger": True,
        "capture.max_capture_chars": 24000,
        "capture.long_replies": "skip",
        "capture.during_approval": "skip",
        "recall.enabled": True,
        "recall.target_tokens": 2000,
        "recall.deadline_s": 2.0,
        "memoria.upload": "none",
        "memoria.api_url": "https://api.thememoria.ai",
        "memoria.branch": "main",
        "memoria.subject": "auto",
        "memoria.gateways": False,
        "memoria.top_k": 5,
        "memoria.context_chars": 6000,
        "memoria.recall_timeout": 2.0,
        "memoria.request_timeout": 15.0,
        "memoria.queue_capacity": 1000,
        "consolidation.enabled": "auto",
        "consolidation.upload": False,
        "consolidation.models": [],
        "audiences.owner": [],
        "hypatia.enabled": False,
        "hypatia.shelf": "default",
        "skills.enabled": True,
        "skills.dir": "",
    }
    assert {name: settings[name] for name in expected} == expected
    assert settings.problems == settings.notes == []
    assert not settings.remote_off_reason


@pytest.mark.parametrize("value", ["config.yaml", ".env", "cognition/config.json", "cog\0x"])
def test_a_path_setting_cannot_name_a_file_of_something_else(home, value):
    """CD8, B104."""
    assert config.load(home, {"archive_path": value}).problems


@pytest.mark.parametrize("host", [None, {}, {"budget_tokens": 4000, "consolidation": {"enabled": True}}])
def test_the_pydantic_model_accepts_what_is_in_force(home, host):
    """D112: built from the table, on first use."""
    from cognition.settings.model import validated

    settings = config.load(home, host)
    assert validated(settings).recall.target_tokens == 2000
    with pytest.raises(ValueError, match="budget_tokens"):
        config.model()(budget_tokens=5)
    with pytest.raises(ValueError, match="mistyped"):
        config.model()(mistyped=5)


def test_every_key_checks_its_own_default():
    home = Path(tempfile.gettempdir())
    for key in config.KEYS:
        if key.default not in ("", []):
            assert config.check(key, key.default, home) == key.default
