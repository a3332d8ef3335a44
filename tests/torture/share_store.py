"""Writers and readers of one home, each a process of its own.

    python tests/torture/share_store.py [--writers 4] [--entries 250] [--readers 2] [--whole-max BYTES] [--folder DIR]

Every writer pushes its entries two by two, each pair in one transaction, and redelivers some; readers look without
pause.  At the end there are exactly writers x entries, and no reader ever saw one of a pair without the other, a state
older than one it had seen, or an error.  Exit code 1 and the reason otherwise.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import bare

bare.load()

from cognition.merge import Delivery, push_batch  # noqa: E402
from cognition.stores.local import LocalStore, StoreBusy  # noqa: E402

from torture.store_work import LIMITS, NOW, entry  # noqa: E402


def opened(home: Path) -> LocalStore:
    """The store of the shared home; small limits, so that folds and journals happen among the others' work."""
    limits = replace(LIMITS, whole_max=int((home / "whole_max").read_text()))
    return LocalStore(home / "committed.json", home / "recall.db", limits=limits)


def write(home: Path, who: int, count: int) -> int:
    """Push `count` entries in pairs."""
    store = opened(home)
    for n in range(0, count, 2):
        refs = [f"cog-w{who}-{n}", f"cog-w{who}-{n + 1}"]
        pair = [Delivery(ref, entry(ref, f"writer {who} says {ref}")) for ref in refs]
        for again in range(1 + (n % 10 == 0)):
            while True:
                try:
                    outcomes = push_batch(store, pair, now=NOW, timeout=2.0)
                    break
                except StoreBusy:
                    continue
            expected = "already" if again else "applied"
            if [outcome.status for outcome in outcomes] != [expected] * 2:
                print(f"writer {who}: {outcomes}")
                return 1
        if n % 50 == 0:
            store.maintain()
    store.close()
    return 0


def read(home: Path) -> int:
    """Look until the file `done` is there."""
    store = opened(home)
    most = looks = 0
    while not (home / "done").exists():
        if looks % 20 == 0:
            store = opened(home)
        refs = set(store.view())
        looks += 1
        for ref in refs:
            head, _, number = ref.rpartition("-")
            if f"{head}-{int(number) ^ 1}" not in refs:
                print(f"reader: {ref} without its pair, among {len(refs)}")
                return 1
        if len(refs) < most:
            print(f"reader: {len(refs)} entries after {most}")
            return 1
        most = len(refs)
        if ill := store.health():
            print(f"reader: {ill}")
            return 1
    return 0


def run(home: Path, writers: int, count: int, readers: int) -> str:
    """All processes; gives what went wrong, "" when nothing did."""

    def start(*words: object) -> "subprocess.Popen[str]":
        command = [sys.executable, __file__, "--home", str(home), *map(str, words)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    looking = [start("--role", "read") for _ in range(readers)]
    writing = [start("--role", "write", "--who", who, "--entries", count) for who in range(writers)]
    said = [process.communicate()[0] for process in writing]
    (home / "done").touch()
    said += [process.communicate()[0] for process in looking]
    if any(process.returncode for process in writing + looking):
        return " ".join(said) or "a process failed"
    final = opened(home).view()
    wanted = {f"cog-w{who}-{n}" for who in range(writers) for n in range(count)}
    return "" if set(final) == wanted else f"{len(final)} entries instead of {len(wanted)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--entries", type=int, default=250)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--whole-max", type=int, default=LIMITS.whole_max, help="larger checkpoints get journal lines")
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--role", help=argparse.SUPPRESS)
    parser.add_argument("--who", type=int, default=0, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.role == "write":
        return write(chosen.home, chosen.who, chosen.entries)
    if chosen.role == "read":
        return read(chosen.home)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cognition-share-", dir=chosen.folder) as folder:
        (Path(folder) / "whole_max").write_text(str(chosen.whole_max))
        wrong = run(Path(folder), chosen.writers, chosen.entries, chosen.readers)
    if wrong:
        print(f"FAILED: {wrong}")
        return 1
    total = chosen.writers * chosen.entries
    print(
        f"{total} entries by {chosen.writers} processes in {time.monotonic() - started:.1f} s, read by {chosen.readers}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
