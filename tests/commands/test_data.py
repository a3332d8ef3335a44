"""Export and import: nothing lost, nothing twice."""

import io
import json
import stat
from pathlib import Path

import pytest

from .conftest import Cli


@pytest.fixture
def other(tmp_path: Path) -> Cli:
    """A second home."""
    home = tmp_path / "other"
    home.mkdir()
    return Cli(home)


def test_an_export_comes_in_whole_in_another_home_and_once(cli: Cli, other: Cli, tmp_path: Path) -> None:
    cli.commit(cli.entry("cog-s1-1", "I live in Oslo.", pinned=True, seen=4), cli.entry("cog-s1-2", "I prefer tabs."))
    cli.put(cli.entry("cog-s1-2-v1", "I prefer spaces.", superseded_by="cog-s1-2"))
    file = tmp_path / "out.json"
    assert cli.json("export", "--out", str(file))["entries"] == 3
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert other.json("import", str(file), "--dry-run")["entries"] == 3
    assert not other.folder.exists()
    assert other.json("import", str(file))["applied"] == 3
    assert other.json("import", str(file))["already"] == 3
    assert other.json("export")["entries"] == cli.json("export")["entries"]


def test_a_forgotten_entry_stays_out_with_its_history_and_it_is_said(cli: Cli, tmp_path: Path) -> None:
    """README: a forgotten fact comes back only if you state it again."""
    cli.commit(cli.entry("cog-s1-2", "My cat is called Nala."), cli.entry("cog-s1-3", "I prefer tabs."))
    cli.put(cli.entry("cog-s1-2-v1", "My cat is called Mia.", superseded_by="cog-s1-2"))
    file = tmp_path / "out.json"
    cli.json("export", "--out", str(file))
    cli.json("forget", "cog-s1-2")
    came = cli.json("import", str(file))
    assert (came["applied"], came["already"], came["stayed_out"]) == (0, 1, 2)
    assert [entry["ref"] for entry in cli.json("export")["entries"]] == ["cog-s1-3"]


def test_a_committed_file_and_json_lines_come_in_too(cli: Cli, other: Cli, tmp_path: Path) -> None:
    entries = [cli.entry("cog-s1-1", "I live in Oslo."), cli.entry("cog-s1-2", "I prefer tabs.")]
    lines = tmp_path / "lines.jsonl"
    lines.write_text("".join(json.dumps(one) + "\n" for one in entries) + "not json\n")
    assert cli.json("import", str(lines))["applied"] == 2
    cli("fold")
    assert other.json("import", str(cli.folder / "committed.json"))["applied"] == 2


def test_what_differs_is_kept_beside(cli: Cli, tmp_path: Path) -> None:
    """C11: nothing is overwritten."""
    cli.commit(cli.entry("cog-s1-1", "I live in Oslo."))
    file = tmp_path / "in.json"
    file.write_text(json.dumps({"cog-s1-1": cli.entry("cog-s1-1", "I live in Bergen.")}))
    assert cli.json("import", str(file))["conflict"] == 1
    assert cli.json("conflicts")["total"] == 1


def test_what_comes_in_is_redacted_and_needs_a_provenance(cli: Cli, tmp_path: Path) -> None:
    """C15, D105: no way leads past the redactor."""
    bad = cli.entry("cog-s1-2", "I prefer tabs.")
    del bad["provenance"]["author"]
    file = tmp_path / "in.json"
    file.write_text(json.dumps([cli.entry("cog-s1-1", "password: hunter22secret"), bad, 7]))
    answer = cli.json("import", str(file))
    assert (answer["applied"], answer["refused"]) == (1, 1)
    assert "author" in answer["problems"][1]["message"]
    assert not [name for name in cli.holders("hunter22secret") if name.startswith("cognition")]


@pytest.mark.parametrize("content", ["", "no json at all", "\x00\xff", '{"cognition_export": 9}', "[1, 2]"])
def test_a_file_that_is_no_export_is_refused(cli: Cli, tmp_path: Path, content: str) -> None:
    file = tmp_path / "in.json"
    file.write_text(content, encoding="latin-1")
    code = cli("import", str(file))
    assert code == (0 if not content else 2)
    assert not (cli.folder / "committed.json").exists()


def test_import_from_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps([cli.entry("cog-s1-1", "I live in Oslo.")])))
    assert cli.json("import", "-")["applied"] == 1


def test_export_never_replaces_a_file_unasked(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("mine")
    assert cli("export", "--out", str(file)) == 2
    assert file.read_text() == "mine"
    assert cli("export", "--out", str(file), "--replace") == 0
