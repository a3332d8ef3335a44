"""A process that tells its memory facts, session after session, until it is killed.

    python talker.py HOME START

Each session states a few facts, one of them stated in the session before, and ends.  `ACK <n> <n> ...` is printed
once `on_session_end` has returned: from then on those facts may not be lost.
"""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from cognition import CognitionMemoryProvider  # noqa: E402  # the tests folder has to be first on the path

FACTS = 3  # new facts of one session


def sentence(n: int) -> str:
    return f"My locker number {n} is {n * 7 + 1}."


def main(home: str, start: int) -> None:
    print("READY", flush=True)
    n = start
    while True:
        provider = CognitionMemoryProvider({"author": "Ada"})
        session = f"s-{n}"
        provider.initialize(session, hermes_home=home, platform="cli")
        told = [number for number in (n - 1, *range(n, n + FACTS)) if number >= start]
        messages = []
        for number in told:
            messages += [{"role": "user", "content": sentence(number)}, {"role": "assistant", "content": "ok"}]
            provider.sync_turn(sentence(number), "ok", messages=messages)
        provider.on_session_end(messages)
        print("ACK", *told, flush=True)
        provider.on_session_end(messages)  # hosts repeat it
        provider.shutdown()
        n += FACTS


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
