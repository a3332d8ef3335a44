"""The atomic file and append primitives (contract 2.3, D49.6, D49.7, D49.17, B049)."""

import errno
import os
from pathlib import Path
from unittest import mock

import pytest
from cognition.stores import files
from cognition.stores.errors import CutFailed


def test_replacing_keeps_the_file_before_and_is_one_step_for_readers(tmp_path: Path) -> None:
    target, prev = tmp_path / "x", tmp_path / "x.prev"
    files.replace_file(target, b"one", prev=prev)
    assert not prev.exists()
    known = files.identity(target)
    seen: list[bytes] = []

    def look(name: str) -> None:
        seen.append(target.read_bytes())

    with mock.patch.object(files, "fault_point", look):
        files.replace_file(target, [b"t", b"wo"], known=known, prev=prev)
    assert set(seen) == {b"one", b"two"}
    assert (target.read_bytes(), prev.read_bytes()) == (b"two", b"one")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x", "x.prev"]


def test_the_new_file_never_looks_like_the_one_it_replaced(tmp_path: Path) -> None:
    """Inode numbers are reused and clocks are coarse: size and mtime alone must tell them apart."""
    target = tmp_path / "x"
    future = 4_000_000_000 * 10**9
    known = files.replace_file(target, b"one")
    os.utime(target, ns=(future, future))
    known = files.identity(target)
    fresh = files.replace_file(target, b"two", known=known)
    assert fresh[3] > future
    assert files.identity(target) == fresh


def test_without_hard_links_the_file_before_is_a_copy(tmp_path: Path) -> None:
    target, prev = tmp_path / "x", tmp_path / "x.prev"
    files.replace_file(target, b"one")
    with mock.patch.object(files.os, "link", side_effect=OSError(errno.EOPNOTSUPP, "no links")):
        files.replace_file(target, b"two", known=files.identity(target), prev=prev)
    assert (target.read_bytes(), prev.read_bytes()) == (b"two", b"one")
    assert len(list(tmp_path.iterdir())) == 2


def _denied() -> PermissionError:
    error = PermissionError(13, "denied")
    error.winerror = 5  # type: ignore[attr-defined]
    return error


def test_a_replace_that_windows_denies_is_tried_again(tmp_path: Path) -> None:
    """B049: twice denied, then it works."""
    real, calls = os.replace, []

    def sometimes(source: Path, target: Path) -> None:
        calls.append(1)
        if len(calls) <= 2:
            raise _denied()
        real(source, target)

    with mock.patch.object(files.os, "replace", sometimes), mock.patch.object(files, "REPLACE_WAIT_S", (0, 0)):
        files.replace_file(tmp_path / "x", b"one")
    assert (tmp_path / "x").read_bytes() == b"one"
    assert len(calls) == 3


def test_a_replace_that_is_always_denied_leaves_the_old_file_and_no_scratch(tmp_path: Path) -> None:
    """B049: then the old file stands and scratch files are gone."""
    files.replace_file(tmp_path / "x", b"one")
    with (
        mock.patch.object(files.os, "replace", side_effect=_denied()) as replace,
        mock.patch.object(files, "REPLACE_WAIT_S", (0, 0)),
        pytest.raises(PermissionError),
    ):
        files.replace_file(tmp_path / "x", b"two")
    assert replace.call_count == files.REPLACE_TRIES
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert (tmp_path / "x").read_bytes() == b"one"


def test_appending_after_a_torn_line_starts_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    files.append(path, b"one\n", "lines")
    with path.open("ab") as handle:
        handle.write(b"torn")
    assert files.append(path, b"two\n", "lines") == 8
    assert path.read_bytes() == b"one\ntorn\ntwo\n"


@pytest.mark.parametrize("function", ["write", "fsync"])
def test_a_failed_append_leaves_no_trace(tmp_path: Path, function: str) -> None:
    path = tmp_path / "lines"
    files.append(path, b"one\n", "lines")
    real, calls = getattr(os, function), []

    def once(*args: object) -> object:
        calls.append(1)
        if len(calls) == 1:
            if function == "write":
                real(args[0], b"par")
            raise OSError(28, "full")
        return real(*args)

    with mock.patch.object(files.os, function, once), pytest.raises(OSError, match="full"):
        files.append(path, b"two\n", "lines")
    assert path.read_bytes() == b"one\n"


def test_half_a_line_that_cannot_be_cut_is_reported(tmp_path: Path) -> None:
    """D49.8: the store then writes no more in this process."""
    path = tmp_path / "lines"
    path.write_bytes(b"one\n")
    failing = OSError(5, "I/O error")
    with (
        mock.patch.object(files.os, "fsync", side_effect=failing),
        mock.patch.object(files.os, "ftruncate", side_effect=failing),
        pytest.raises(CutFailed),
    ):
        files.extend(path, b"two\n", 4, "lines")


def test_extending_a_file_of_another_length_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\nforeign\n")
    with pytest.raises(OSError, match="another program"):
        files.extend(path, b"two\n", 4, "lines")
    assert path.read_bytes() == b"one\nforeign\n"


def test_every_step_has_a_place_before_and_after_it(tmp_path: Path) -> None:
    """D50: a kill driver can enumerate them."""
    names: list[str] = []
    with mock.patch.object(files, "fault_point", names.append):
        files.replace_file(tmp_path / "x", b"one", name="checkpoint")
    assert names == [
        f"{when} {what}"
        for what in (
            "create checkpoint",
            "write checkpoint",
            "sync checkpoint",
            "replace checkpoint",
            "sync folder checkpoint",
        )
        for when in (("before", "amid", "after") if what.startswith("write") else ("before", "after"))
    ]


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    real = files.identity
    changes = iter([b"newer"])

    def racing(at: Path) -> files.Identity | None:
        for change in changes:
            path.write_bytes(change)
            return real(at)
        return real(at)

    with mock.patch.object(files, "identity", racing):
        assert files.read_stable(path) == (b"newer", real(path))
    assert files.read_stable(tmp_path / "none") is None
