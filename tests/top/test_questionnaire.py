"""`hermes memory setup` without a host: what is asked, kept, refused and said (P15, P16, CD11-CD14, B076)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cognition import config
from cognition.settings import questionnaire, route

KEY = "mem_9d1f7c"


class Door:
    """A host that answers from a list; prompts and what was said are kept."""

    def __init__(self, home: Path, *answers: Any, terminal: bool = True, ours: Any = None, key: str = "") -> None:
        self.home, self.answers, self.terminal = home, list(answers), terminal
        self.config: dict[str, Any] = {"memory": {"provider": "", "cognition": ours}, "model": "kept"}
        self.key, self.refusal, self.fault, self.secret_refusal = key, "", "", ""
        self.prompts: list[str] = []
        self.said: list[str] = []

    def is_terminal(self) -> bool:
        return self.terminal

    def ask(self, prompt: str) -> str:
        assert self.terminal
        self.prompts.append(prompt)
        answer = self.answers.pop(0) if self.answers else ""
        if isinstance(answer, BaseException):
            raise answer
        return answer

    ask_secret = ask

    def secret(self, _name: str) -> tuple[str, str]:
        return self.key, ""

    def save_secret(self, name: str, value: str) -> str:
        assert name == "MEMORIA_API_KEY"
        self.key = self.key if self.secret_refusal else value
        return self.secret_refusal

    def memory_config(self, _home: Path) -> tuple[Any, str]:
        return self.config["memory"]["cognition"], self.fault

    def write_setting(self, _home: Path, key: tuple[str, ...], value: Any) -> str:
        if self.refusal:
            return self.refusal
        group = self.config
        for part in key[:-1]:
            group = group.setdefault(part, {})
        group[key[-1]] = value
        return ""

    def setting_writer(self, home: Path) -> Callable[[tuple[str, ...], Any], str]:
        return lambda place, value: self.write_setting(home, ("memory", "cognition", *place), value)

    def run(self) -> bool:
        return questionnaire.run(self.home, "cognition", self, self.said.append)

    @property
    def screen(self) -> str:
        return "\n".join(self.said)

    def settings(self) -> config.Settings:
        return config.load(self.home, self.config["memory"]["cognition"])


def saved(home: Path) -> Any:
    path = home / "cognition" / "config.json"
    return json.loads(path.read_text()) if path.exists() else {}


def test_enter_throughout_gives_a_working_local_store(tmp_path):
    """D31, CD11: nothing of Memoria is asked, nothing is saved but the activation; the author is last (C28)."""
    door = Door(tmp_path)
    assert door.run()
    starts = [prompt.strip().partition(" ")[0] for prompt in door.prompts]
    assert starts == ["Where", "Label", "Hard", "Facts", "File", "Model", "Your"]
    assert "[8000]" in door.prompts[2]
    assert "[cognition/archive.jsonl]" in door.prompts[4]
    assert "emoria" not in door.screen
    assert saved(tmp_path) == {}
    assert door.config == {"memory": {"provider": "cognition", "cognition": None}, "model": "kept"}
    assert str(tmp_path / "cognition" / "config.json") in door.screen
    assert "new session" in door.screen


@pytest.mark.parametrize(
    ("ours", "offered", "typed", "models"),
    [
        (None, "off", "", []),
        ({"consolidation": {"allow_auto_route": True}}, "auto", "", []),
        ({"consolidation": {"allow_auto_route": True}}, "auto", "off", []),
        ({"consolidation": {"models": ["a:b", "c:d"]}}, "a:b, c:d", "", ["a:b", "c:d"]),
    ],
)
def test_the_model_that_is_chosen_stands_in_the_brackets(tmp_path, ours, offered, typed, models):
    """D31: `off` and `auto` are answers too, and hold when they are typed."""
    door = ByPrompt(tmp_path, Model=[typed])
    door.config["memory"]["cognition"] = ours
    assert door.run()
    (prompt,) = [prompt for prompt in door.prompts if prompt.strip().startswith("Model")]
    assert f"[{offered}]" in prompt
    settings = door.settings()
    assert settings["consolidation.models"] == models
    assert route.chosen(settings) == (typed or offered)


def test_all_answers_are_in_effect(tmp_path):
    """B076."""
    door = Door(tmp_path, "", "work, home", "4000", "50", "cognition/old.jsonl", "off", "Ada")
    assert door.run()
    settings = door.settings()
    assert [settings[name] for name in ("repos", "budget_tokens", "queue.max_entries", "archive.path", "author")] == [
        ["work", "home"],
        4000,
        50,
        "cognition/old.jsonl",
        "Ada",
    ]


def test_enter_keeps_what_an_earlier_run_saved(tmp_path):
    """CD12, CD13, MD19, B076: shown, kept, not frozen."""
    door = Door(tmp_path, "", "", "4000", ours={"repos": ["a", "b"]})
    door.run()
    again = Door(tmp_path, "", "", "", "", "", "", "Ada", ours={"repos": ["a", "b"]})
    assert again.run()
    assert "[a, b]" in again.prompts[1]
    assert "[4000]" in again.prompts[2]
    assert saved(tmp_path) == {"author": "Ada", "budget_tokens": 4000}
    assert again.settings()["repos"] == ["a", "b"]


def test_memoria_is_asked_for_only_when_it_is_chosen(memoria, tmp_path):
    """D31, D38, M4, MD19: key, origin, upload; the key goes to the secret store and nowhere else."""
    door = Door(tmp_path, "memoria", KEY, "https://memory.example/", "facts")
    assert door.run()
    assert [word in prompt for word, prompt in zip(("API key", "Origin", "uploaded"), door.prompts[1:4], strict=True)]
    assert "author" not in door.prompts[3]
    assert "Your name" in door.prompts[-1]
    assert door.key == KEY
    assert saved(tmp_path) == {
        "backend": "memoria",
        "api_url": "https://memory.example",
        "memoria": {"upload": "facts"},
    }
    assert KEY not in door.screen + "".join(door.prompts) + json.dumps(saved(tmp_path))
    assert "login token" in door.screen
    assert "memoria.subject" in door.screen


def test_a_stored_key_is_kept_and_not_shown(memoria, tmp_path):
    """D38, B076."""
    door = Door(tmp_path, "memoria", key=KEY)
    door.run()
    assert door.key == KEY
    assert "Enter keeps it" in door.prompts[1]
    assert KEY not in door.screen + "".join(door.prompts)


def test_without_a_key_the_command_is_named(memoria, tmp_path):
    """D38, B001."""
    door = Door(tmp_path, "memoria")
    assert door.run()
    assert "hermes cognition key --stdin" in door.screen


def test_a_key_that_the_host_does_not_take_is_said(memoria, tmp_path):
    """P16, P19."""
    door = Door(tmp_path, "memoria", KEY)
    door.secret_refusal = "managed installation"
    door.run()
    assert "API key was not saved: managed installation" in door.screen
    assert KEY not in door.screen


def test_an_invalid_answer_is_refused_with_the_range_and_asked_again(tmp_path):
    """CD1, CD2, D27."""
    door = Door(tmp_path, "", "", "lots", "5", "4000")
    assert door.run()
    assert door.screen.count("1000 to 64000") == 2
    assert saved(tmp_path) == {"budget_tokens": 4000}


def test_after_three_wrong_answers_the_present_value_is_kept(tmp_path):
    """An endless question would hang a script that types into the terminal."""
    door = Door(tmp_path, "", "", "1", "2", "3", "50")
    assert door.run()
    assert "keeping 8000" in door.screen
    assert saved(tmp_path) == {"queue_max_entries": 50}


@pytest.mark.parametrize("answer", [KeyboardInterrupt(), EOFError()])
@pytest.mark.parametrize("at", [0, 3, 5])
def test_stopping_in_the_middle_saves_nothing_and_says_so(memoria, tmp_path, answer, at):
    """P15: no setting, no key, no activation."""
    door = Door(tmp_path, *["memoria", KEY, "", "facts", "work", answer][5 - at :])
    (tmp_path / "cognition.json").write_text('{"author": "Ada"}')
    assert not door.run()
    assert "nothing was saved" in door.screen
    assert door.key == ""
    assert door.config["memory"]["provider"] == ""
    assert [path.name for path in tmp_path.iterdir()] == ["cognition.json"]


def test_a_dash_takes_the_default(tmp_path):
    """B076: an empty answer keeps, so clearing needs a sign of its own."""
    Door(tmp_path, "", "work", "4000", "", "", "", "Ada").run()
    door = Door(tmp_path, "", "-", "-", "", "", "", "-")
    assert door.run()
    assert saved(tmp_path) == {}
    assert "not as" not in door.screen


def test_a_setting_of_the_host_is_changed_in_place(tmp_path):
    """D26, P16."""
    door = Door(tmp_path, "", "", "5000", "60", ours={"budget_tokens": 4000, "queue": {"max_entries": 50}})
    assert door.run()
    assert door.config["memory"]["cognition"] == {"budget_tokens": 5000, "queue": {"max_entries": 60}}
    assert saved(tmp_path) == {}


def test_a_host_that_refuses_is_named(tmp_path):
    """P16: managed installation, pinned key, unreadable file."""
    door = Door(tmp_path, "", "", "5000", ours={"budget_tokens": 4000})
    door.refusal = "this installation is managed"
    door.run()
    assert "memory.provider was not set to cognition: this installation is managed" in door.screen
    assert "budget_tokens is 4000, not 5000" in door.screen
    assert "Memory provider: cognition" not in door.screen


def test_a_disk_that_refuses_is_named(tmp_path):
    (tmp_path / "cognition").write_text("in the way")
    door = Door(tmp_path, "", "work")
    assert not door.run()
    assert "Nothing was saved" in door.screen
    assert door.config["memory"]["provider"] == ""


def test_a_faulty_origin_is_not_replaced_by_enter(memoria, tmp_path):
    """D28, MD13: never an origin that was not typed or accepted."""
    ours = {"backend": "memoria", "api_url": "http://far.example"}
    door = Door(tmp_path, "", KEY, "", "", "", ours=ours)
    assert not door.run()
    assert "nothing was saved" in door.screen.lower()
    door = Door(tmp_path, "", KEY, "", "https://far.example", ours=ours)
    assert door.run()
    assert door.config["memory"]["cognition"]["api_url"] == "https://far.example"
    assert door.settings().remote


def test_a_damaged_file_offers_what_can_be_read_of_it(memoria, tmp_path):
    """CD6, MD13."""
    Door(tmp_path, "memoria", KEY, "https://memory.example", "", "work").run()
    path = tmp_path / "cognition" / "config.json"
    path.write_text(path.read_text() + "}}")
    door = Door(tmp_path, key=KEY)
    assert door.run()
    assert "[https://memory.example]" in door.prompts[2]
    assert saved(tmp_path)["api_url"] == "https://memory.example"
    (aside,) = path.parent.glob("config.json.invalid-*")
    assert aside.name in door.screen


# -- without a terminal ------------------------------------------------------------------------------------------------


def test_without_a_terminal_it_asks_nothing_and_says_so_in_one_line(tmp_path):
    """P15, CD14."""
    door = Door(tmp_path, terminal=False)
    assert door.run()
    assert door.prompts == []
    assert len(door.said) == 1
    assert "\n" not in door.said[0]
    assert f"defaults taken (memory.cognition in {tmp_path / 'config.yaml'})" in door.said[0]
    assert door.config["memory"]["provider"] == "cognition"
    assert list(tmp_path.iterdir()) == []


def test_without_a_terminal_it_keeps_what_is_set_and_names_what_is_wrong(tmp_path):
    """P15, P20."""
    Door(tmp_path, "", "work", "4000").run()
    door = Door(tmp_path, terminal=False, ours={"recall": {"deadline_s": 99}})
    door.run()
    assert "settings kept" in door.screen
    assert str(tmp_path / "cognition" / "config.json") in door.screen
    assert "recall.deadline_s = 99" in door.screen
    assert saved(tmp_path) == {"repos": ["work"], "budget_tokens": 4000}


def test_without_a_terminal_a_damaged_file_is_put_aside_and_what_is_readable_holds(tmp_path):
    """CD6, MA14, P20: what status names as the mend does mend; the bytes are kept and said where."""
    (tmp_path / "cognition").mkdir()
    damaged = '{\n  "budget_tokens": 4000,\n  "author": "A'
    (tmp_path / "cognition" / "config.json").write_text(damaged)
    (before,) = Door(tmp_path).settings().problems
    assert "mend: hermes memory setup cognition" in before
    door = Door(tmp_path, terminal=False)
    assert door.run()
    (aside,) = (tmp_path / "cognition").glob("config.json.invalid-*")
    assert aside.read_text() == damaged
    assert str(aside) in door.screen
    assert door.screen.count("cannot be read") == 1
    assert saved(tmp_path) == {"budget_tokens": 4000}
    assert door.settings().problems == []


def test_without_a_terminal_a_damaged_file_never_leads_to_another_address(memoria, tmp_path):
    """D28, MD13: the address it held cannot be confirmed, so nothing is sent until someone chooses again."""
    (tmp_path / "cognition").mkdir()
    (tmp_path / "cognition" / "config.json").write_text('{\n  "top_k": 7,\n  "api_url": "https://mem')
    door = Door(tmp_path, terminal=False, ours={"backend": "memoria"}, key=KEY)
    door.run()
    settings = door.settings()
    assert not settings.remote
    assert settings["backend"] == "local"
    assert "local until you choose again" in door.screen


def test_without_a_terminal_a_file_that_may_not_be_read_is_named_with_the_command(tmp_path, monkeypatch):
    """P16: setup cannot mend that, and does not say it can."""
    path = tmp_path / "cognition" / "config.json"
    path.parent.mkdir()
    path.write_text("{}")

    def refuse(*_: Any, **__: Any) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    door = Door(tmp_path, terminal=False)
    door.run()
    assert f"mend: chmod u+rw {path}" in door.screen


def test_without_a_terminal_a_refusing_host_is_named(tmp_path):
    """P16."""
    door = Door(tmp_path, terminal=False)
    door.refusal = "this installation is managed"
    assert not door.run()
    assert "NOT active" in door.screen


def test_earlier_files_are_taken_over_by_setup(tmp_path):
    """Decision 1, B076: also keys an older version wrote."""
    (tmp_path / "cognition.json").write_text('{"author": "Ada", "queue_max_entries": "50"}')
    door = Door(tmp_path)
    assert door.run()
    assert "[50]" in door.prompts[3]
    assert "[Ada]" in door.prompts[-1]
    assert saved(tmp_path) == {"author": "Ada", "queue_max_entries": 50}
    assert (tmp_path / "cognition.json.imported").exists()


# -- what is not built yet, and where the plugin lies ------------------------------------------------------------------


@pytest.mark.parametrize("terminal", [True, False])
def test_a_backend_that_is_not_built_is_answered_with_one_line(unbuilt, tmp_path, terminal):
    """D28: set by hand, it is not asked about and not changed; no key would help, so none is asked for."""
    door = Door(tmp_path, terminal=terminal, ours={"backend": "memoria", "author": "Ada"})
    assert door.run()
    assert not [prompt for prompt in door.prompts if "emoria" in prompt]
    assert door.screen.count("does not speak to Memoria yet") == 1
    assert "mend: hermes config unset memory.cognition.backend" in door.screen
    assert "API key" not in door.screen
    assert door.config["memory"]["cognition"]["backend"] == "memoria"


class TestTheFolder:
    """P1: hosts find a provider by the name of its folder; activating another one would lead nowhere."""

    def run(self, home: Path, package: Path) -> Door:
        door = Door(home, terminal=False)
        self.done = questionnaire.run(home, "cognition", door, door.said.append, package=package)
        return door

    def test_another_name_is_refused_with_the_command(self, tmp_path):
        folder = tmp_path / "plugins" / "hermes cognition-main"
        folder.mkdir(parents=True)
        door = self.run(tmp_path, folder)
        assert not self.done
        assert door.config["memory"]["provider"] == ""
        assert f"mv '{folder}' {tmp_path / 'plugins' / 'cognition'}" in door.screen
        assert len(door.said) == 1

    def test_the_right_name_and_a_place_elsewhere_are_well(self, tmp_path):
        folder = tmp_path / "plugins" / "cognition"
        folder.mkdir(parents=True)
        self.run(tmp_path, folder)
        assert self.done
        self.run(tmp_path, tmp_path)
        assert self.done

    @pytest.mark.parametrize(("link", "well"), [("cognition", True), ("memory", False)])
    def test_a_link_counts_by_its_own_name(self, tmp_path, link, well):
        (tmp_path / "src").mkdir()
        (tmp_path / "plugins").mkdir()
        (tmp_path / "plugins" / link).symlink_to(tmp_path / "src")
        door = self.run(tmp_path, tmp_path / "src")
        assert self.done is well
        assert well or f"mv {tmp_path / 'plugins' / 'memory'} " in door.screen

    def test_a_second_copy_is_not_moved_into_the_first(self, tmp_path):
        for name in ("cognition", "cognition-main"):
            (tmp_path / "plugins" / name).mkdir(parents=True)
        door = self.run(tmp_path, tmp_path / "plugins" / "cognition-main")
        assert not self.done
        assert "hermes plugins remove cognition-main" in door.screen
        assert "mv " not in door.screen


class ByPrompt(Door):
    """Answers by what the prompt begins with, Enter to everything else."""

    def __init__(self, home: Path, **answers: list[str]) -> None:
        super().__init__(home)
        self.by = answers

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        told = self.by.get(prompt.split()[0])
        return told.pop(0) if told else ""


def trusting(door: Door) -> Any:
    """What setup has the host permit for the model that was chosen."""

    def trust(_home: Path, routes: Any) -> list[Any]:
        key = ("plugins", "entries", "cognition", "llm", "allow_model_override")
        return [(key, True)] if any(map(any, routes)) else []

    assert questionnaire.run(door.home, "cognition", door, door.said.append, trust=trust)
    return door.config.get("plugins")


def test_a_model_is_asked_for_with_its_cost_and_what_the_host_has_to_permit(tmp_path):
    """D31, D89: shown first, written with consent only; a word that names no model is asked for again."""
    door = ByPrompt(tmp_path, Model=["gpt", "main:gpt"], Write=["y"])
    assert trusting(door) == {"entries": {"cognition": {"llm": {"allow_model_override": True}}}}
    assert "What it costs" in door.screen
    assert "plugins.entries.cognition.llm.allow_model_override: true" in door.screen
    assert "is not provider:model" in door.screen
    assert door.settings()["consolidation.models"] == ["main:gpt"]
    assert [prompt.split()[0] for prompt in door.prompts][-3:] == ["Model", "Your", "Write"]


def test_without_consent_nothing_is_permitted(tmp_path):
    """D89: the model stays chosen, and setup says that it cannot be asked yet."""
    door = ByPrompt(tmp_path, Model=["main:gpt"], Write=["n"])
    assert trusting(door) is None
    assert "Not written" in door.screen


def test_off_and_auto_need_no_permission(tmp_path):
    """D31: the default is off; auto is what the conversations use."""
    assert trusting(ByPrompt(tmp_path, Model=["auto"])) is None
    door = ByPrompt(tmp_path, Model=["off"])
    assert trusting(door) is None
    assert door.settings()["consolidation.models"] == []
