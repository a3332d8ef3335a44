"""What was acked survives a power cut at any place: every sync the protocol needs is there, in order (CR11, D49)."""

import shutil
import sys
from pathlib import Path
from unittest import mock

import pytest
from cognition.stores import files
from torture.kill_store import check, states_of
from torture.power_cut import KINDS, Disk
from torture.store_work import open_store, steps

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="reads files by inode")


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_what_was_acked_survives_a_power_cut_anywhere(tmp_path: Path, seed: int) -> None:
    work = steps(seed, count=14)
    states = states_of(work, tmp_path / "calm")
    home, after = tmp_path / "home", tmp_path / "after"
    home.mkdir()
    disk = Disk(home)
    done = 0
    cuts = 0

    def cut(name: str) -> None:
        nonlocal cuts
        disk.seen()
        cuts += 1
        if "index" in name or (cuts + seed) % 3:
            return
        for kind in KINDS:
            disk.lay_out(after, kind)
            with mock.patch.object(files, "fault_point", files._no_fault):
                check(after, states, done, torn=True)
            shutil.rmtree(after)

    with disk.watched():
        store = open_store(home)
        for number, step in enumerate(work):
            done = number
            with mock.patch.object(files, "fault_point", cut):
                step(store, home)
        done = len(work)
        cut("after the last step")
    assert cuts > 100


def test_the_driver_would_notice_a_missing_sync(tmp_path: Path) -> None:
    """The watcher itself: without the sync of a file or of the folder, an acked step is not there after the cut."""
    for missing in ("sync", "sync_folder", "make_durable"):
        folder = tmp_path / missing
        folder.mkdir()
        disk = Disk(folder)
        with disk.watched(), mock.patch.object(files, missing, return_value=None):
            open_store(folder).purge([])
            store = open_store(folder)
            with store.transaction() as txn:
                txn.put({"ref": "a", "content": "x"})
            disk.lay_out(tmp_path / f"{missing}-after", "strict")
        survived = "a" in open_store(tmp_path / f"{missing}-after").view()
        assert survived == (missing == "make_durable")
