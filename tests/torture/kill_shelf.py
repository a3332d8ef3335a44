"""Kill -9 of either side of an export at every step: the shelf holds each entry and edge once, and nothing twice.

    python tests/torture/kill_shelf.py [EVERY]

Our process is killed just before and just after every commit, the program before and after every write of its own and
when its answer is out; then a healthy pair goes on.  Two scenes: everything is new; and something was forgotten,
corrected and added since.  EVERY: only each n-th step.  Exit code 1 and one line for each fault.
"""

import shutil
import sys
import tempfile
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

import cognition  # noqa: E402, F401

from shelf import kills  # noqa: E402


def main() -> int:
    every = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    folder = Path(tempfile.mkdtemp(prefix="cognition-kill-shelf-"))
    faults: list[str] = []
    runs = 0
    for scene in sorted(kills.SCENES):
        start, expected, commits, writes = kills.moments(scene, folder)
        for kill_at in range(1, commits + 1, every):
            faults += kills.ours(start, folder / f"{scene}-o{kill_at}", expected, kill_at)
            runs += 1
        for moment in ("before", "after", "answered"):
            for write in range(1, writes + 1, every):
                faults += kills.theirs(start, folder / f"{scene}-{moment}{write}", expected, moment, write)
                runs += 1
        print(f"{scene}: {commits} moments of ours, {writes} writes of the program")
    print(f"{runs} kills, {len(faults)} faults")
    for fault in faults:
        print(fault)
    if not faults:
        shutil.rmtree(folder)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
