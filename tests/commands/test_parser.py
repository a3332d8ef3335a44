"""The command line itself: its page, what it costs, and that it runs alone."""

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cognition.commands import parser

from .conftest import Cli

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "docs" / "generate_commands.py"


def test_the_page_is_what_the_parser_says() -> None:
    spec = importlib.util.spec_from_file_location("generate_commands", PROGRAM)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert page == program.page(), "stale; run: python docs/generate_commands.py"
    assert "None" not in page


def test_the_page_is_made_without_host_and_packages() -> None:
    command = [sys.executable, "-I", "-S", str(PROGRAM), "--check"]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_the_commands_of_the_one_list_are_there() -> None:
    """D106, D118, as far as the embedded store goes."""
    wanted = "status doctor key queue search list show store pin unpin forget conflicts resolve evict dream export"
    wanted += " import fold purge tombstones bench summarise consolidate replay backfill rule identity shelf"
    assert set(parser.BY_NAME) == set(wanted.split())


@pytest.mark.parametrize("line", ["nonsense", "show", "forget", "list --limit 0", "store", "resolve x --keep both"])
def test_wrong_usage_ends_with_2(line: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        parser.build().parse_args(line.split())
    assert stopped.value.code == 2


def test_options_count_before_and_after_the_command() -> None:
    built = parser.build()
    for line in ("--home H --json list", "list --home H --json", "--home H list --json"):
        args = built.parse_args(line.split())
        assert (args.home, args.json) == ("H", True)
    assert not hasattr(built.parse_args(["list"]), "json")


def test_the_hosts_subparser_is_filled_without_clashes() -> None:
    """P52, host.md 14: the names the host itself looks at in the parsed arguments stay its own."""
    top = argparse.ArgumentParser()
    top.add_argument("--resume", default="theirs")
    commands = top.add_subparsers(dest="command")
    sub = commands.add_parser("cognition")
    parser.fill(sub)
    sub.set_defaults(func="theirs")
    theirs = {
        "func",
        "command",
        "resume",
        "continue_last",
        "oneshot",
        "version",
        "model",
        "provider",
        "toolsets",
        "yolo",
    }
    for line in ("status", "search a", "queue retry --all-safe", "tombstones requeue x"):
        args = top.parse_args(["cognition", *line.split()])
        assert (args.func, args.command, args.resume) == ("theirs", "cognition", "theirs")
        assert not theirs & {*vars(args)} - {"func", "command", "resume"}


_ALONE = """
import json, sys
before = set(sys.modules)
import importlib.util, types
package = types.ModuleType("cognition"); package.__path__ = [sys.argv[1]]; sys.modules["cognition"] = package
spec = importlib.util.spec_from_file_location("cognition.cli", sys.argv[1] + "/cli.py")
cli = importlib.util.module_from_spec(spec); sys.modules["cognition.cli"] = cli; spec.loader.exec_module(cli)
top = set(sys.modules)
import argparse
cli.register_cli(argparse.ArgumentParser())
print(json.dumps([sorted(n for n in top if n.startswith("cognition")),
                  sorted(n for n in sys.modules if n.startswith("cognition")),
                  sorted(n for n in set(sys.modules) - before if n.partition(".")[0] not in sys.stdlib_module_names)]))
"""


def test_cli_is_imported_alone_and_costs_nothing_but_the_parser() -> None:
    """P52: standard library at top level; no room of the plugin is loaded while the host parses its arguments."""
    command = [sys.executable, "-I", "-S", "-c", _ALONE, str(ROOT)]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    top, filled, loaded = json.loads(result.stdout)
    assert top == ["cognition", "cognition.cli"]
    parsers = ("line", "parser", "parser_consolidation", "parser_memoria", "parser_shelf")
    table = [f"cognition.commands.{name}" for name in parsers]
    assert filled == ["cognition", "cognition.cli", "cognition.commands", *table]
    assert all(name.startswith("cognition") for name in loaded)


def _bare(home: Path, *arguments: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """`python cli.py` with the standard library alone: no host, no rich, no YAML."""
    command = [sys.executable, "-S", str(ROOT / "cli.py"), "--home", str(home), *arguments]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=cwd, env={"TZ": "UTC"}, stdin=subprocess.DEVNULL
    )


def test_it_runs_without_host_and_packages_from_anywhere(tmp_path: Path) -> None:
    """START.md layout 6: also from the root, whose queue.py must not hide the standard one (P8)."""
    for cwd in (tmp_path, ROOT):
        stored = _bare(tmp_path, "store", "I live in Oslo.", "--json", cwd=cwd)
        assert stored.returncode == 0, stored.stderr
        assert json.loads(stored.stdout)["state"] in ("stored", "existing")
    assert "I live in Oslo." in _bare(tmp_path, "search", "oslo").stdout
    state = json.loads(_bare(tmp_path, "status", "--json").stdout)
    assert state["committed"] == 1
    doctor = _bare(tmp_path, "doctor")
    assert "Hermes is not installed" in doctor.stdout
    assert not doctor.stderr
    assert _bare(tmp_path, "key", "--stdin").returncode == 2
    assert _bare(tmp_path / "nowhere", "list").returncode == 2


def test_without_yaml_it_never_looks_at_other_files_than_hermes(tmp_path: Path) -> None:
    """A configuration that may name another store cannot be guessed at."""
    (tmp_path / "config.yaml").write_text("memory:\n  cognition:\n    author: Ada\n")
    assert "config.yaml was not read" in _bare(tmp_path, "status").stdout
    (tmp_path / "config.yaml").write_text("memory:\n  cognition:\n    commit_log_path: cognition/mine.json\n")
    refused = _bare(tmp_path, "store", "I live in Oslo.")
    assert refused.returncode == 2
    assert "[no_yaml]" in refused.stderr


def test_every_command_that_is_named_anywhere_exists() -> None:
    """A remedy that does not exist is none."""
    places = [path for path in ROOT.rglob("*.py") if not any(part.startswith(".") for part in path.parts)]
    places += [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("skills/**/*.md")]
    named = {
        (verb, path.name)
        for path in places
        for verb in re.findall(r"hermes cognition ([a-z][a-z-]*)", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 20
    assert [one for one in sorted(named) if one[0] not in parser.BY_NAME] == []


@pytest.mark.parametrize("kind", ["rule", "taboo"])
def test_the_owner_stores_a_rule(cli: Cli, kind: str) -> None:
    """D70: the owner's own words."""
    assert cli("store", "--kind", kind, "Never push to main.") == 0
    cli("list", "--kind", kind)
    assert "Never push to main." in cli.out


def test_every_fault_names_a_command() -> None:
    from cognition.commands import checks

    def fails(_home: object) -> object:
        raise OSError("it is ill")

    def bare(_home: object) -> object:
        yield checks.Finding("settings", "wrong", "bad")
        yield checks.Finding("store", "wrong", "bad")
        yield checks.Finding("kept", "note", "fine")

    found = checks.run(None, (("odd", fails), ("bare", bare)))
    assert [one.mend for one in found] == [checks.FALLBACK, "hermes config edit", checks.FALLBACK, ""]


def test_every_extra_that_doctor_offers_is_one_of_pyproject() -> None:
    """START.md "Packages": what an extra would add, and the command."""
    from cognition.commands import checks_host

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = declared.get("optional-dependencies", {})
    assert {name: [requirement] for name, (requirement, _, _) in checks_host.EXTRAS.items()} == wanted
