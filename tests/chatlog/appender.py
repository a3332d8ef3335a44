"""A process of its own that logs: appender.py FILE NAME TURNS. Started by test_processes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cognition.chatlog import ChatLog

from chatlog.logs import Words, place, turn


def main(file: str, name: str, turns: int) -> None:
    log = ChatLog(Path(file), index=Words())
    for n in range(turns):
        refs = log.append(place("s1"), turn(f"{name} asks {n}", f"{name} hears {n}"), wait=30)
        print(" ".join(refs), flush=True)
    log.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
