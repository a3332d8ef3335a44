"""A program that uploads turns until it is killed: `crash.py DATABASE URL KEY COUNT`.

It queues COUNT turns (the same ones each time it is started) and sends what is due.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cognition  # noqa: F401
from cognition.delivery.liveness import is_dead, owner_name
from cognition.delivery.turns import TurnSender
from cognition.memoria.api import Api
from cognition.memoria.client import Client
from cognition.memoria.observed import turn_of
from cognition.outbox import Outbox
from cognition.outboxdb.turns import NewTurn, Turns

database, url, key, count = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
turns = Turns(Outbox(database).database, is_dead=is_dead, capacity=10_000)
for n in range(count):
    turn = turn_of(f"I like number {n}.", "Noted.", binding="b", subject="s", session_id="s1", branch="main")
    turns.accept(NewTurn(turn.fingerprint, "b", turn.payload, "s1", turn.pair))
api = Api(Client(url, key), request_timeout=5.0)
sender = TurnSender(turns, api.observe, binding="b", owner=owner_name(), reach=api.reach)
print("ready", flush=True)
while turns.spilled() or any(counts.get("pending") or counts.get("inflight") for counts in turns.counts().values()):
    print(sender.drain(), flush=True)
