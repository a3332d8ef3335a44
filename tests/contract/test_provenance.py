"""Contract cognition.md: provenance and archive (C15-C17, CD67-CD70, CA15-CA19), author (C29-C30, CD15-CD17)."""

import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from cognition.merge import CommitLog, fetch_first_push
from cognition.provenance import (
    REQUIRED_FIELDS,
    ProvenanceError,
    archive_and_evict,
    archive_entry,
    git_author,
    load_archive,
    make_provenance,
    read_archive,
    resolve_author,
    validate_provenance,
)
from cognition.stores import files


def record(**changed: Any) -> dict[str, Any]:
    return {
        "source_session": "s1",
        "author": "Ada",
        "created_at": 1700000000.0,
        "origin_repo": "default",
        "trace_id": "t1",
        **changed,
    }


class FolderCase(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cognition-provenance-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)


class TestC15Record(unittest.TestCase):
    """C15, CA15-CA17: the five fields, each of them, always."""

    def test_a_complete_record_is_returned(self) -> None:
        self.assertEqual(validate_provenance({"provenance": record()}), record())

    def test_each_field_missing_or_empty_raises(self) -> None:
        self.assertEqual(len(REQUIRED_FIELDS), 5)
        for field in REQUIRED_FIELDS:
            for bad in (
                record(**{field: None}),
                record(**{field: ""}),
                {k: v for k, v in record().items() if k != field},
            ):
                with self.assertRaises(ProvenanceError) as raised:
                    validate_provenance({"provenance": bad})
                self.assertIn(field, str(raised.exception))

    def test_all_missing_fields_are_named_in_one_error(self) -> None:
        with self.assertRaises(ProvenanceError) as raised:
            validate_provenance({"provenance": {"author": "Ada"}})
        for field in set(REQUIRED_FIELDS) - {"author"}:
            self.assertIn(field, str(raised.exception))

    def test_no_record_has_a_message_of_its_own(self) -> None:
        messages = set()
        for bad in ({}, {"provenance": {"author": "Ada"}}):
            with self.assertRaises(ProvenanceError) as raised:
                validate_provenance(bad)
            messages.add(str(raised.exception))
        self.assertEqual(len(messages), 2)

    def test_an_entry_without_it_cannot_be_committed(self) -> None:
        """CA17."""
        with tempfile.TemporaryDirectory() as folder:
            log = CommitLog(Path(folder) / "committed.json")
            with self.assertRaises(ProvenanceError):
                fetch_first_push(log, {"ref": "cog-s-1", "content": "x"}, None)
            self.assertEqual((log.refs(), os.listdir(folder)), ([], []))

    def test_cd67_wrong_types_and_values(self) -> None:
        for field, bad in (
            ("author", "  "),
            ("trace_id", 7),
            ("source_session", ["s"]),
            ("created_at", "yesterday"),
            ("created_at", float("nan")),
            ("created_at", float("inf")),
            ("created_at", True),
            ("created_at", 0),
            ("created_at", -5.0),
            ("created_at", 10**400),
        ):
            with self.assertRaises(ProvenanceError, msg=f"{field}={str(bad)[:20]}") as raised:
                validate_provenance({"provenance": record(**{field: bad})})
            self.assertIn(field, str(raised.exception))

    def test_cd67_the_error_lists_every_bad_field(self) -> None:
        with self.assertRaises(ProvenanceError) as raised:
            validate_provenance({"provenance": record(author=" ", created_at="x", trace_id=None)})
        for field in ("author", "created_at", "trace_id"):
            self.assertIn(field, str(raised.exception))

    def test_make_provenance_gives_now_and_checks(self) -> None:
        made = make_provenance(source_session="s", author="Ada", origin_repo="default", trace_id="t")
        self.assertGreater(made["created_at"], 1.6e9)
        with self.assertRaises(ProvenanceError):
            make_provenance(source_session="", author="Ada", origin_repo="default", trace_id="t")


class TestC16Archive(FolderCase):
    """C16, CR15, CA18, CA19, CD68-CD70."""

    def setUp(self) -> None:
        super().setUp()
        self.log = CommitLog(self.folder / "committed.json")
        self.archive = self.folder / "old" / "archive.jsonl"
        for n in (1, 2):
            fetch_first_push(self.log, {"ref": f"cog-s-{n}", "content": f"fact {n} é", "provenance": record()}, None)

    def test_evicting_leaves_one_record_and_removes(self) -> None:
        self.assertTrue(archive_and_evict(self.log.store, self.archive, "cog-s-1", "asked", 5.0))
        (kept,) = load_archive(self.archive)
        self.assertEqual((kept["ref"], kept["reason"], kept["archived_at"]), ("cog-s-1", "asked", 5.0))
        self.assertEqual(kept["entry"]["provenance"]["author"], "Ada")
        self.assertEqual(self.log.refs(), ["cog-s-2"])
        self.assertIn("é", self.archive.read_text("utf-8"))
        self.assertEqual(self.archive.stat().st_mode & 0o777, 0o600)

    def test_an_unknown_ref_gives_false(self) -> None:
        """CA19."""
        self.assertFalse(archive_and_evict(self.log.store, self.archive, "cog-s-9", "asked"))
        self.assertFalse(self.archive.exists())

    def test_a_bad_line_is_kept_and_the_others_load(self) -> None:
        """CD68; a torn last line does not swallow the next record."""
        archive_entry(self.archive, {"ref": "a"}, reason="r", now=1.0)
        with self.archive.open("ab") as handle:
            handle.write(b'not json\n\n[1]\n{"torn": ')
        archive_entry(self.archive, {"ref": "b"}, reason="r", now=2.0)
        with self.assertLogs("cognition.provenance", "WARNING") as logged:
            self.assertEqual([r["ref"] for r in load_archive(self.archive)], ["a", "b"])
        self.assertIn("line 2", logged.output[0])
        self.assertEqual(read_archive(self.archive)[1], [2, 4, 5])
        self.assertIn(b"not json\n", self.archive.read_bytes())

    def test_a_missing_file_is_an_empty_list(self) -> None:
        self.assertEqual(load_archive(self.archive), [])

    def test_archiving_appends(self) -> None:
        """CD69: what is there is neither read nor written again."""
        archive_entry(self.archive, {"ref": "a"}, reason="r")
        before = self.archive.stat().st_ino
        with mock.patch.object(Path, "read_bytes", side_effect=AssertionError("archive was read")):
            archive_and_evict(self.log.store, self.archive, "cog-s-1", "asked")
        self.assertEqual(self.archive.stat().st_ino, before)
        self.assertEqual(len(load_archive(self.archive)), 2)

    def test_death_between_archiving_and_removal_gives_one_record(self) -> None:
        """CD70: at every step of the eviction."""

        class Died(BaseException):
            pass

        steps: list[str] = []
        with mock.patch.object(files, "fault_point", steps.append):
            archive_and_evict(self.log.store, self.archive, "cog-s-2", "asked")
        for number in range(len(steps)):
            folder = self.folder / f"kill{number}"
            log, archive = CommitLog(folder / "committed.json"), folder / "archive.jsonl"
            fetch_first_push(log, {"ref": "cog-s-1", "content": "fact", "provenance": record()}, None)
            left = iter(range(number))

            def die(name: str, left: Any = left) -> None:
                if next(left, None) is None:
                    raise Died(name)

            with mock.patch.object(files, "fault_point", die), self.assertRaises(Died):
                archive_and_evict(log.store, archive, "cog-s-1", "asked")
            again = CommitLog(folder / "committed.json")
            archive_and_evict(again.store, archive, "cog-s-1", "asked")
            self.assertEqual(again.refs(), [], steps[number])
            self.assertEqual([r["ref"] for r in read_archive(archive)[0]], ["cog-s-1"], steps[number])


class TestC30Author(FolderCase):
    """C29, C30, CD15-CD17: configured, else git's, else `unknown`; with git and without."""

    def setUp(self) -> None:
        super().setUp()
        self.home = self.folder / "home"
        self.home.mkdir()
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "XDG_"))}
        clean |= {"HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"}
        patch = mock.patch.dict(os.environ, clean, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def both_ways(self) -> set[str]:
        """The name with git, and with no git on the path."""
        with_git = git_author()
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            return {with_git, git_author()}

    def test_configured_wins_and_unknown_is_last(self) -> None:
        self.assertEqual(resolve_author("  Grace "), "Grace")
        self.assertEqual(resolve_author(""), "unknown")
        (self.home / ".gitconfig").write_text("[user]\n\tname = Ana\n")
        self.assertEqual(resolve_author(None), "Ana")

    def test_cd15_repeated_keys_sections_valueless_keys_percent(self) -> None:
        (self.home / ".gitconfig").write_text(
            "[user]\n\tname = First\n\tname = 100% Ana\n[core]\n\tbare\n[core]\n\teditor = vi\n[user]\n\temail = a@b\n"
        )
        self.assertEqual(self.both_ways(), {"100% Ana"})

    def test_cd16_capitals_quotes_comments(self) -> None:
        (self.home / ".gitconfig").write_text('[User]\n\tNAME = "Ana B"  # work\n')
        self.assertEqual(self.both_ways(), {"Ana B"})

    def test_cd16_escapes_and_continued_lines(self) -> None:
        (self.home / ".gitconfig").write_text('[user]\n\tname = Ana \\"the\\" \\\n  B ; x\n')
        self.assertEqual(self.both_ways(), {'Ana "the"   B'})

    def test_cd17_xdg_file_and_includes(self) -> None:
        (self.home / ".config" / "git").mkdir(parents=True)
        (self.home / ".config" / "git" / "config").write_text("[include]\n\tpath = more/names\n")
        (self.home / ".config" / "git" / "more").mkdir()
        (self.home / ".config" / "git" / "more" / "names").write_text("[user]\nname=Ana Incluída\n", "utf-8")
        self.assertEqual(self.both_ways(), {"Ana Incluída"})
        (self.home / ".gitconfig").write_text("[user]\n\tname = Higher\n")
        self.assertEqual(self.both_ways(), {"Higher"})

    def test_a_subsection_is_not_the_section(self) -> None:
        (self.home / ".gitconfig").write_text('[user]\nname = Ana\n[user "other"]\nname = Bob\n[credential]\nname=C\n')
        self.assertEqual(self.both_ways(), {"Ana"})

    def test_no_repository_answers(self) -> None:
        """CD17: asked outside any repository, wherever the process stands and whatever GIT_DIR says."""
        repo = self.folder / "repo"
        (repo / ".git" / "objects").mkdir(parents=True)
        (repo / ".git" / "refs").mkdir()
        (repo / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (repo / ".git" / "config").write_text("[user]\n\tname = Repo Only\n")
        (self.home / ".gitconfig").write_text("[user]\n\tname = Ana\n")
        before = Path.cwd()
        self.addCleanup(os.chdir, before)
        os.chdir(repo)
        with mock.patch.dict(os.environ, {"GIT_DIR": str(repo / ".git")}):
            self.assertEqual(git_author(), "Ana")

    def test_a_git_that_hangs_is_not_waited_for(self) -> None:
        (self.home / ".gitconfig").write_text("[user]\n\tname = Ana\n")
        fake = self.folder / "git"
        fake.write_text("#!/bin/sh\nsleep 60\n")
        fake.chmod(0o700)
        with mock.patch.dict(os.environ, {"PATH": f"{self.folder}:/usr/bin:/bin"}):
            self.assertEqual(git_author(timeout=0.1), "Ana")

    def test_a_broken_configuration_is_no_error(self) -> None:
        (self.home / ".gitconfig").write_text("[user\nname = \x00\n]]\n[user]\nname = Ana\n")
        self.assertEqual(git_author(), "Ana")


class TestArchiveForm(FolderCase):
    """Contract 2.3: one JSON object a line with these keys."""

    def test_keys_of_a_record(self) -> None:
        archive_entry(self.folder / "a.jsonl", {"ref": "r", "content": "日本"}, reason="why", now=3)
        (line,) = (self.folder / "a.jsonl").read_text("utf-8").splitlines()
        self.assertEqual(
            json.loads(line),
            {"ref": "r", "reason": "why", "archived_at": 3.0, "entry": {"ref": "r", "content": "日本"}},
        )
