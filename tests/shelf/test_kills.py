"""Kill -9 of either side: after a restart the shelf holds each entry and edge once (HA227).

The long form, at every step, is tests/torture/kill_shelf.py.
"""

from pathlib import Path

import pytest

from . import kills


@pytest.mark.parametrize("scene", sorted(kills.SCENES))
def test_killed_at_some_steps_it_ends_as_if_it_had_not_been(tmp_path: Path, scene: str) -> None:
    """HA227, issue 9."""
    start, expected, commits, writes = kills.moments(scene, tmp_path)
    assert commits > 40
    assert writes > 5
    found = []
    for kill_at in range(1, commits + 1, max(1, commits // 4)):
        found += kills.ours(start, tmp_path / f"o{kill_at}", expected, kill_at)
    for number, moment in enumerate(("before", "after", "answered")):
        write = 1 + number * (writes - 1) // 2
        found += kills.theirs(start, tmp_path / f"t{number}", expected, moment, write)
    assert found == []
