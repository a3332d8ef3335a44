"""A session on a disk that takes no file larger than LIMIT bytes:  python full_disk.py HOME LIMIT

Prints one JSON object: what was recalled, whether the session end was acknowledged, what health says.  Every write of
every file beyond the limit fails as on a full disk (EFBIG).
"""

import json
import resource
import signal
import sys
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from cognition import CognitionMemoryProvider  # noqa: E402  # the tests folder has to be first on the path

sys.dont_write_bytecode = True  # a .pyc that is cut at the limit would stop every later process


def main(home: str, limit: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    provider: Any = CognitionMemoryProvider({"author": "Ada"})
    provider.initialize("s2", hermes_home=home, platform="cli")
    recalled = provider.prefetch("What is my cat called?")
    provider.on_session_end([{"role": "user", "content": "My desk is 4B."}])
    failures = provider._handle.runtime.failures
    provider._drain_due()
    provider.archive_and_evict("cog-none-1", "no such entry")
    status = json.loads(provider.handle_tool_call("cognition_status", {}))
    print(json.dumps({"recalled": recalled, "acked": "on_session_end" not in failures, "health": status["health"]}))
    provider.shutdown()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
