"""What decides where memory goes fails closed (D28, Decision 14, M6-M8; B104)."""

import json
from pathlib import Path

import pytest
from cognition import config
from cognition.settings.layers import edits

REMOTE = {"backend": "memoria", "api_url": "https://memory.example"}


def load(home: Path, *layers: dict) -> config.Settings:
    """memory.cognition, then the constructor."""
    return config.load(home, *layers)


def test_a_sound_remote_is_on(tmp_path):
    """D30, MA11."""
    settings = load(tmp_path, REMOTE)
    assert settings.remote
    assert settings.write_refusal == ""


@pytest.mark.parametrize(
    "url",
    [
        "https://api.thememoria.ai",
        "https://memory.example/",
        "https://memory.example:8443",
        "http://localhost:8100",
        "http://127.0.0.1",
        "http://[::1]:9",
        "HTTPS://Memory.Example",
    ],
)
def test_origins_that_are_accepted(tmp_path, url):
    """M7, MA11: without the slash at the end."""
    settings = load(tmp_path, {"backend": "memoria", "memoria": {"api_url": url}})
    assert settings.problems == []
    assert settings["memoria.api_url"] == url.rstrip("/")


@pytest.mark.parametrize(
    "url",
    [
        "https://user:pa55word@memory.example",
        "http://memory.example",
        "http://localhost.example",
        "http://[::2]",
        "https://memory.example/v1",
        "https://memory.example?key=pa55word",
        "https://memory.example#pa55word",
        "https://memory.example:99999",
        "https://memory.example:",
        "https://memory .example",
        "https://memory.example\n.evil",
        "https://a\\@b",
        "https://",
        "memory.example",
        "ftp://memory.example",
        7,
        True,
        ["https://memory.example"],
    ],
)
def test_origins_that_are_refused(tmp_path, url):
    """M7, MA12: the remote is off and says why; a password is not repeated."""
    settings = load(tmp_path, {"backend": "memoria", "memoria": {"api_url": url}})
    assert not settings.remote
    assert settings["backend"] == "memoria"
    assert "api_url" in settings.write_refusal
    assert settings.write_refusal in settings.problems
    assert "pa55word" not in " ".join(settings.problems)


@pytest.mark.parametrize(
    "wrong",
    [
        {"gateways": "true"},
        {"gateways": 1},
        {"top_k": True},
        {"top_k": "5"},
        {"top_k": 5.0},
        {"top_k": 0},
        {"top_k": 21},
        {"context_chars": 511},
        {"recall_timeout": 0},
        {"request_timeout": 60.1},
        {"request_timeout": "15"},
        {"queue_capacity": 0},
        {"branch": 7},
        {"upload": "everything"},
        {"upload": True},
        {"subject": 7},
        {"api_key": "sk-0123456789"},
        {"uplaod": "none"},
        {"anything": 1},
    ],
)
@pytest.mark.parametrize("layer", ["host", "saved", "given"])
def test_a_fault_in_the_memoria_group_switches_the_remote_off(tmp_path, layer, wrong):
    """D28, M6, MA12: types are strict in every file, unknown keys refused, a key never in a file."""
    group = {"memoria": wrong}
    if layer == "saved":
        (tmp_path / "cognition").mkdir()
        (tmp_path / "cognition" / "config.json").write_text(json.dumps(group))
    settings = config.load(tmp_path, REMOTE | (group if layer == "host" else {}), group if layer == "given" else None)
    assert not settings.remote
    assert settings.write_refusal
    assert settings["recall.enabled"] is True, "local work goes on"
    assert "sk-0123456789" not in " ".join(settings.problems)


@pytest.mark.parametrize("value", ["yes", 1, "true"])
def test_the_earlier_upload_switch_is_as_strict(tmp_path, value):
    """M6, MA12: a string for a boolean."""
    settings = load(tmp_path, {**REMOTE, "auto_capture": value})
    assert settings["memoria.upload"] == "none"
    assert "auto_capture" in settings.remote_off_reason


@pytest.mark.parametrize("name", ["api_ulr", "apiurl", "api_uri", "API_URL", "brnach", "subjekt", "subject_"])
def test_an_unknown_key_that_may_have_meant_a_destination_switches_the_remote_off(tmp_path, name):
    """D28: a mistyped api_url must not send anything to the public service."""
    settings = load(tmp_path, {"backend": "memoria", name: "https://memory.example"})
    assert not settings.remote
    assert name in settings.write_refusal


@pytest.mark.parametrize("host", [{"memria": {"api_url": "https://memory.example"}}, {"memoria": "https://x.example"}])
def test_a_mistyped_group_switches_the_remote_off(tmp_path, host):
    """D28."""
    assert not load(tmp_path, {"backend": "memoria", **host}).remote


@pytest.mark.parametrize(
    "host", [{"backend": "memoira"}, {"backed": "memoria"}, {"backend": True}, {"Backend": "memoria"}]
)
def test_where_the_backend_itself_is_unsure_explicit_writes_are_refused(tmp_path, host):
    """D28."""
    settings = load(tmp_path, host)
    assert settings["backend"] == "local"
    assert settings.write_refusal


def test_other_unknown_keys_only_warn(tmp_path):
    """D29."""
    settings = load(tmp_path, {**REMOTE, "budgettokens": 4000})
    assert settings.remote
    assert "did you mean budget_tokens" in settings.problems[0]


def test_a_local_user_is_not_bothered_by_a_fault_of_the_remote(tmp_path):
    """D28: explicit writes meant for it are refused, and none is."""
    settings = load(tmp_path, {"memoria": {"top_k": 99}})
    assert settings.remote_off_reason
    assert settings.write_refusal == ""


def test_a_newer_file_may_carry_unknown_keys(tmp_path):
    """Contract memoria-plugin.md 2.1: only there they are ignored, with a warning."""
    settings = load(tmp_path, {**REMOTE, "config_version": 2, "memoria": {"novelty": 1}})
    assert settings.remote
    assert "novelty" in settings.problems[0]


@pytest.mark.parametrize(
    ("content", "refused"),
    [('{\n  "backend": "memoria",\n  "api_url": "htt', True), ("{bad", False), ("", False), ("[1]", False)],
)
def test_a_file_that_cannot_be_read_switches_the_remote_off(tmp_path, content, refused):
    """D28: it may have held a destination; explicit writes are refused when it did."""
    (tmp_path / "cognition").mkdir()
    (tmp_path / "cognition" / "config.json").write_text(content)
    assert not load(tmp_path, REMOTE).remote
    settings = load(tmp_path)
    assert settings.remote_off_reason
    assert bool(settings.write_refusal) is refused


def test_a_host_configuration_that_cannot_be_read_switches_the_remote_off(tmp_path):
    """D28, CD19."""
    settings = config.load(tmp_path, None, REMOTE, host_fault="config.yaml cannot be read")
    assert not settings.remote
    assert settings.problems == ["config.yaml cannot be read"]


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("", "auto"),
        (None, "auto"),
        ("AUTO", "auto"),
        ("portable", "portable"),
        ("default", "default"),
        (" Default ", "Default"),
        ("__default__", "__default__"),
        ("{identity}", "%7Bidentity%7D"),
        ("a/b", "a%2Fb"),
        ("../x", "..%2Fx"),
        ("ünï", "%C3%BCn%C3%AF"),
        ("a~b", "a%7Eb"),
    ],
)
def test_a_shared_name_is_mapped_the_same_way_every_time(tmp_path, given, sent):
    """B104, D43, D46: unsafe characters can be read back, `~` divides subject and audience."""
    settings = load(tmp_path, {**REMOTE, "memoria": {"subject": given}})
    assert settings.subject == sent
    assert settings.problems == []


@pytest.mark.parametrize("name", ["x" * 200, "ü" * 20, "a\ud800"])
def test_a_name_that_would_not_fit_is_refused_not_cut(tmp_path, name):
    """B104, D46: 128 bytes with the audience."""
    assert not load(tmp_path, {**REMOTE, "memoria": {"subject": name}}).remote


@pytest.mark.parametrize(
    ("label", "kept"),
    [(" Default ", "Default"), ("__default__", "__default__"), ("../x", "../x"), ("ünï", "ünï"), ("a\nb", "a b")],
)
def test_labels_stay_what_was_typed(tmp_path, label, kept):
    """B104: they name no file."""
    assert load(tmp_path, {"repos": [label]}).repo == kept


def test_edit_distance():
    assert [edits("api_url", other) for other in ("api_url", "api_ulr", "url", "")] == [0, 2, 4, 7]
