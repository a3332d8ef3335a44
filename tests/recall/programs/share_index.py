"""One of several processes on a home: commits entries of its own and searches while the others do the same.

python share_index.py TESTS_DIR HOME NAME COUNT
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from cognition.recall.engine import RecallEngine
from cognition.stores.local import LocalStore

home, name, count = Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
store = LocalStore(home / "committed.json")
engine = RecallEngine(store, home / "recall.db")
for number in range(count):
    record = {
        "source_session": name,
        "author": "Ada",
        "created_at": time.time(),
        "origin_repo": "default",
        "trace_id": f"{name}-{number}",
    }
    ref = f"cog-{name}-{number}"
    with store.transaction(timeout=30.0) as txn:
        txn.put({"ref": ref, "content": f"harbour note {name} {number}", "audience": "owner", "provenance": record})
        if number % 5 == 4:
            txn.remove(f"cog-{name}-{number - 1}")
    engine.refresh()
    hits, _ = engine.search(f"harbour note {name}", audience="owner")
    own = [hit.entry["ref"] for hit in hits if hit.entry["ref"].startswith(f"cog-{name}-")]
    assert all(ref in store.view() for ref in own)
assert not engine.health(), engine.health()
