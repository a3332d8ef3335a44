"""A first export of many entries in one run: how long, how much memory; and a second run that changes nothing.

    python tests/torture/fill_shelf.py [ENTRIES]

Four fifths are messages, one fifth entries of the store.  Exit code 1 when the memory of this process grew by more than
32 MiB, when an operation was done twice, or when the second run did anything.
"""

import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

import cognition  # noqa: E402, F401
import psutil  # noqa: E402
from shelf.rooms import Room  # noqa: E402

MOST_GROWN = 32 << 20


def main() -> int:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    folder = Path(tempfile.mkdtemp(prefix="cognition-fill-shelf-"))
    room = Room(folder)
    for session in range(wanted // 100):
        room.say(f"s{session}", *[f"Message {session} {n} " + "words of some length " * 20 for n in range(80)])
    with room.store.transaction(timeout=60.0) as txn:
        for number in range(wanted // 5):
            ref, origin = f"note-n-{number:08x}", {"created_at": room.clock.now}
            more = {"kind": "note", "audience": "owner", "project": "shop", "provenance": origin}
            txn.put({"ref": ref, "content": f"Fact {number}.", **more})
    room.store.sync_index()
    me, peak = psutil.Process(), [0]
    before = me.memory_info().rss

    def look(_what: str, done: int, _total: int) -> None:
        if done % 100 == 0:
            peak[0] = max(peak[0], me.memory_info().rss)

    room.desk.progress = look
    begun, busy = time.monotonic(), time.process_time()
    room.sync()
    seconds, spent = time.monotonic() - begun, time.process_time() - busy
    held, sent = room.counts().entries, room.program.journal()
    room.lane.owe()
    room.sync()
    again = len(room.program.journal()) - len(sent)
    grown = peak[0] - before
    print(
        f"{held:,} entries in {seconds:.0f} s, {spent:.1f} s of processor time here; {before >> 20} MiB before, "
        f"{peak[0] >> 20} at most; most ever {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10}; "
        f"a second run: {again} operations"
    )
    faults = [
        line
        for line, wrong in (
            (f"only {held} entries are held", held < wanted // 100 * 100),
            (f"memory grew by {grown >> 20} MiB", grown > MOST_GROWN),
            (f"done twice: {room.program.twice()[:3]}", bool(room.program.twice())),
            (f"a second run did {again} operations", again > 0),
        )
        if wrong
    ]
    room.close()
    for fault in faults:
        print(fault)
    if not faults:
        shutil.rmtree(folder)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
