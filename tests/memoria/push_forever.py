"""A program that pushes until it is killed: `push_forever.py DATABASE URL KEY COUNT`, one line for each outcome."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cognition  # noqa: F401
from cognition.memoria.api import Api
from cognition.memoria.client import Client
from cognition.outboxdb.outbox_file import OutboxFile
from cognition.outboxdb.steps import StepsInOutbox
from cognition.stores.memoria import RemoteStore
from cognition.stores.memoria_records import identity

from memoria.rig import delivered, entry

database, url, key, count = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
offset = float(sys.argv[5])  # seconds that have passed since the last run, as far as this one is told
store = RemoteStore(
    Api(Client(url, key), request_timeout=5.0),
    lambda audience: "s",
    StepsInOutbox(OutboxFile(database)),
    clock=lambda: time.time() + offset,
)
puts = [delivered(f"r{n}", f"Fact number {n}.") for n in range(count)]
puts += [
    delivered(f"r{n}", f"Fact number {n}, corrected.", base=identity(entry(f"r{n}", f"Fact number {n}.")), key=f"u{n}")
    for n in range(count)
]
print("ready", flush=True)
for put in puts:
    print(store.push([put])[0].status, flush=True)
