"""Consolidates a home as one process of several: `python worker.py HOME NAME [hang]`.  A line a call in HOME/calls.

hang: dies while its first call is under way, without a word, as after kill -9.
"""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cognition  # noqa: F401

from consolidate.desks import Home, Script, reply, unit


def main(path: Path, name: str, hang: bool) -> None:
    def by(purpose: str, text: str) -> str:
        with (path / "calls").open("a") as file:
            file.write(f"{name} {purpose}\n")
        if hang:
            os._exit(9)
        said = text[text.index("U: ") :][:24]
        return reply(f"- {said}", unit("Lesson", f"about {said}"), unit("Same", "always the same"))

    home = Home(path, Script(by=by), **{"cascade.enabled": False, "consolidation.adjudicate": False})
    home.clock.now = time.time()
    (path / f"ready-{name}").touch()
    while not (path / "go").exists():
        time.sleep(0.005)
    home.lane.free_the_dead()
    idle = 0
    while idle < 20:
        home.clock.now = time.time()
        idle = 0 if home.lane.step() else idle + 1
        time.sleep(0.01)
    home.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], "hang" in sys.argv[3:])
