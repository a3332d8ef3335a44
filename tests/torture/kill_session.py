"""Kill -9 between session end and receipt, at random points: nothing acknowledged is lost, nothing is doubled.

    python tests/torture/kill_session.py [KILLS] [SEED]

Each round starts a talker (talker.py) on the same home, kills it after a random moment, and reads committed.json.  At
the end a healthy process takes up what is left, and the store is held against what was acknowledged.  Exit code 1 and
one line for each fault.
"""

import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parent.parent)
_HERE = Path(__file__).resolve().parent
_SPACING = 100_000  # numbers kept apart for each round, so that every acknowledged fact is told once or twice, not more


def run(kills: int, seed: int, home: Path) -> list[str]:
    """Faults found in `kills` rounds, [] when there are none.  The home is left for inspection."""
    rng = random.Random(seed)
    acknowledged: set[int] = set()
    faults: list[str] = []
    store = home / "cognition" / "committed.json"
    for kill in range(kills):
        acknowledged |= _one_life(home, kill * _SPACING, rng.uniform(0.0, 0.1))
        if store.exists():
            try:
                json.loads(store.read_bytes())
            except ValueError as error:
                faults.append(f"after kill {kill}: committed.json does not parse: {error}")
    _heal(home)
    told = _told(json.loads(store.read_bytes()) if store.exists() else {})
    if len(acknowledged) < kills:
        faults.append(f"only {len(acknowledged)} facts were acknowledged in {kills} lives: the run proves nothing")
    faults += [f"fact {n} was acknowledged and is lost" for n in sorted(acknowledged - set(told))]
    faults += [f"fact {n} is stored {count} times" for n, count in sorted(told.items()) if count > 1]
    print(f"{kills} kills (seed {seed}): {len(acknowledged)} acknowledged, {len(told)} stored, {len(faults)} faults")
    return faults


def _one_life(home: Path, start: int, seconds: float) -> set[int]:
    """The facts that one talker acknowledged before it was killed, `seconds` after its first acknowledgement."""
    talker = subprocess.Popen(
        [sys.executable, str(_HERE / "talker.py"), str(home), str(start)], stdout=subprocess.PIPE, text=True
    )
    assert talker.stdout is not None
    said = talker.stdout.readline() + talker.stdout.readline()  # READY, and the first ACK: a session end has returned
    try:
        talker.wait(seconds)
    except subprocess.TimeoutExpired:
        talker.kill()
    said += talker.stdout.read()
    talker.wait()
    whole = said[: said.rfind("\n") + 1]
    return {int(n) for line in whole.splitlines() if line.startswith("ACK") for n in line.split()[1:]}


def _heal(home: Path) -> None:
    """A healthy process takes up what the killed ones left: at once, since their rows are nobody's any more."""
    from cognition import CognitionMemoryProvider

    provider: Any = CognitionMemoryProvider({"author": "Ada"})
    provider.initialize("s-end", hermes_home=str(home), platform="cli")
    for _ in range(20):
        provider._drain_due()
        if not provider._queue.pending_count():
            break
    provider.shutdown()


def _told(store: dict[str, Any]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for entry in store.values():
        found = re.fullmatch(r"My locker number (\d+) is \d+\.?", entry["content"])
        if found:
            counts[int(found[1])] = counts.get(int(found[1]), 0) + 1
    return counts


def main() -> int:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    home = Path(tempfile.mkdtemp(prefix="cognition-kill-"))
    faults = run(kills, seed, home)
    for fault in faults:
        print(fault)
    if faults:
        print("kept for inspection:", home)
        return 1
    shutil.rmtree(home)
    return 0


if __name__ == "__main__":
    sys.exit(main())
