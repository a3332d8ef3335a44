"""A program that uploads turns until it is killed: `crash.py WAY FOLDER URL KEY COUNT ACKED`.

WAY  queue: the queue and its sender alone    provider: the provider's own `sync_turn`, in the home FOLDER

It takes up where the file ACKED ends: COUNT turns in all, each written there once it has been accepted, so that no turn
that was accepted is ever handed in a second time.  Then it sends until nothing waits.  Pauses last 1/200 of their time.
"""

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cognition
from cognition.delivery import turns as sending
from cognition.delivery.liveness import is_dead, owner_name
from cognition.memoria.api import Api
from cognition.memoria.client import Client
from cognition.memoria.observed import turn_of
from cognition.outbox import Outbox
from cognition.outboxdb.turns import NewTurn, Turns

way, folder, url, key, count, acked = *sys.argv[1:5], int(sys.argv[5]), Path(sys.argv[6])
REPLY, EXCLUDED = "Noted.", ["0" * 31 + "1"]
delay = sending.turn_delay
sending.turn_delay = lambda *given: delay(*given) / 200


def accepted_so_far() -> int:
    return len(acked.read_text().splitlines()) if acked.exists() else 0


def accepted(number: int, fingerprint: str) -> None:
    """One line a turn, on the disk before the next is begun."""
    with acked.open("a") as file:
        file.write(f"{number} {fingerprint}\n")
        file.flush()
        os.fsync(file.fileno())


def waits(turns: Turns) -> bool:
    counts = turns.counts().values()
    return bool(turns.spilled()) or any(one.get("pending") or one.get("inflight") for one in counts)


def by_queue() -> None:
    turns = Turns(Outbox(Path(folder) / "cognition" / "outbox.db").database, is_dead=is_dead, capacity=10_000)
    for n in range(accepted_so_far(), count):
        given = {"exclude": EXCLUDED} if n % 4 == 3 else {}
        turn = turn_of(f"I like number {n}.", REPLY, binding="b", subject="s", session_id="s1", branch="main", **given)
        turns.accept(NewTurn(turn.fingerprint, "b", turn.payload, "s1", turn.pair))
        accepted(n, turn.fingerprint)
    noted = lambda: threading.Thread(target=turns.accepted, args=("b",)).start()  # noqa: E731
    api = Api(Client(url, key, proven=turns.was_accepted("b"), accepted=noted), request_timeout=5.0)
    sender = sending.TurnSender(turns, api.observe, binding="b", owner=owner_name(), reach=api.reach)
    print("ready", flush=True)
    while waits(turns):
        sender.drain()
        time.sleep(0.002)


def by_provider() -> None:
    os.environ["MEMORIA_API_KEY"] = key
    given = {"memoria.upload": "turns", "memoria.request_timeout": 5.0, "memoria.queue_capacity": 10_000}
    provider = cognition.CognitionMemoryProvider({"author": "Ada", "backend": "memoria", "api_url": url, **given})
    provider.initialize("s1", hermes_home=folder, platform="cli", agent_context="primary")
    link = provider._handle.runtime.remote.link
    names: list[str] = []
    accept = link.turns.accept

    def watched(turn: NewTurn, **more: Any) -> Any:
        names.append(turn.fingerprint)
        return accept(turn, **more)

    link.turns.accept = watched
    for n in range(accepted_so_far(), count):
        provider.sync_turn(f"I like number {n}.", REPLY)
        accepted(n, names[-1])
    print("ready", flush=True)
    while waits(link.turns):
        time.sleep(0.02)
    provider.shutdown()


{"queue": by_queue, "provider": by_provider}[way]()
