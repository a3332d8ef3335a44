"""What the plugin adds to a host that starts: milliseconds to load it, ask is_available and the tool schemas.

    .venv/host19/bin/python benchmarks/import_cost.py

Measured in fresh interpreters of each installed host, with the host's own loader and after the host's own modules;
the aim is under 30 ms in the median.  The first run of each host compiles the plugin and is not counted.
"""

import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests"))
from host.rig import scratch_home  # type: ignore[import-not-found]  # noqa: E402

PROGRAM = ROOT / "tests" / "host" / "programs" / "timed_load.py"
RUNS, AIM_MS = 15, 30.0


def main() -> int:
    home, slow = scratch_home(ROOT), []
    try:
        for host in ("host19", "host22"):
            python = ROOT / ".venv" / host / "bin" / "python"
            if not python.exists():
                print(f"{host}: not installed, run `make setup`")
                continue
            command = [str(python), "-I", str(PROGRAM), str(home)]
            runs = [json.loads(subprocess.check_output(command, text=True)) for _ in range(RUNS + 1)][1:]
            totals = [load + ask for load, ask, _, _ in runs]
            median, further, heavy = statistics.median(totals), runs[0][2], ", ".join(runs[0][3]) or "none"
            print(
                f"{host}: {median:5.1f} ms in the median, {min(totals):.1f} to {max(totals):.1f} "
                f"(aim: under {AIM_MS:.0f}); {further} further modules, of them heavy: {heavy}"
            )
            slow += [host] if median >= AIM_MS or runs[0][3] else []
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
