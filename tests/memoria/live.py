"""A check by hand against a real Memoria account; CI never runs it (M61, MA80, D100).

    python tests/memoria/live.py --key-file FILE [--origin URL] [--report FILE]

FILE holds `MEMORIA_API_KEY=...` or one bare key; the key is neither printed nor kept.  Everything happens under a
subject made for this run; what it stored is deleted in the end, also after a failure, and nothing else is touched.
Exit code: 0 all steps well, 1 a step failed, 2 wrong usage.
"""

import argparse
import contextlib
import json
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cognition import CognitionMemoryProvider
from cognition.memoria.api import Api
from cognition.memoria.client import Client
from cognition.memoria.errors import MemoriaError

WAIT_S = 60.0  # for what the server does in its own time: extraction of a turn
CLOUD = "https://api.thememoria.ai"


class Failed(Exception):
    """A step did not end as it should; the text names no key and no memory of anybody else."""


class Check:
    """The steps of MA80, in order, on throw-away subjects."""

    def __init__(self, origin: str, key: str) -> None:
        self.origin, self.key = origin, key
        self.subject = f"cognition-live-{secrets.token_hex(8)}"
        self.homes = [Path(tempfile.mkdtemp(prefix="cognition-live-")) for _ in range(2)]
        self.steps: list[dict[str, Any]] = []
        self.made: list[Any] = []

    def provider(self, session: str, *, home: int = 0, subject: str = "", **more: Any) -> Any:
        given = {"author": "live check", "backend": "memoria", "api_url": self.origin}
        made = CognitionMemoryProvider({**given, "memoria.subject": subject or self.subject, **more})
        made.initialize(session, hermes_home=str(self.homes[home]), platform="cli", agent_context="primary")
        self.made.append(made)
        return made

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        begun = time.monotonic()
        problem = ""
        try:
            yield
        except Failed as failed:
            problem = str(failed)
        except Exception as error:
            problem = type(error).__name__
        self.steps.append({"step": name, "ok": not problem, "seconds": round(time.monotonic() - begun, 2)})
        if problem:
            self.steps[-1]["problem"] = problem
            raise Failed(problem)

    def run(self) -> bool:
        try:
            self._run()
        except Failed:
            return False
        finally:
            with contextlib.suppress(Failed), self.step("nothing is left"):
                self._clean()
        return all(step["ok"] for step in self.steps)

    def _run(self) -> None:
        word = secrets.token_hex(4)
        text, corrected = f"My test lamp {word} is green.", f"My test lamp {word} is violet."
        with self.step("profile is empty"):
            first = self.provider("live-1")
            self.want(tool(first, "memoria_profile")["result"]["items"] == [], "somebody else's records are shown")
        with self.step("store"):
            receipt = tool(first, "memoria_store", content=text, memory_type="profile")["result"]
            self.want(receipt["subject"] == self.subject, "another subject")
            memory_id = receipt["memory_id"]
            first.shutdown()
        with self.step("recall in a new session, explicit and automatic"):
            second = self.provider("live-2")
            found = until(lambda: tool(second, "memoria_search", query=f"test lamp {word}")["result"])
            self.want(bool(found) and found[0]["content"] == text, "not found")
            second.on_turn_start(1, f"What colour is my test lamp {word}?")
            self.want(text[:-1] in second.prefetch(f"What colour is my test lamp {word}?"), "not recalled")
        with self.step("profile"):
            items = tool(second, "memoria_profile")["result"]["items"]
            self.want([item["content"] for item in items] == [text], "not in the profile")
        with self.step("a second profile sees nothing"):
            other = self.provider("live-3", home=1, subject=f"{self.subject}-b")
            self.want(tool(other, "memoria_search", query=f"test lamp {word}")["result"] == [], "it does")
        with self.step("feedback"):
            self.want(tool(second, "memoria_feedback", memory_id=memory_id, signal="useful")["success"], "refused")
        with self.step("update, verified by reading"):
            changed = tool(second, "memoria_update", memory_id=memory_id, new_content=corrected)["result"]
            again = until(lambda: tool(second, "memoria_search", query=f"test lamp {word}")["result"])
            self.want([row["content"] for row in again][:1] == [corrected], "the old text is still there")
        with self.step("forget"):
            done = tool(second, "memoria_forget", memory_id=changed["memory_id"])["result"]["state"]
            self.want(done == "forgotten", done)
            self.want(tool(second, "memoria_search", query=f"test lamp {word}")["result"] == [], "still found")
            second.shutdown()
        with self.step("a captured turn is taken, once"):
            third = self.provider("live-4", **{"memoria.upload": "turns"})
            said = f"My test umbrella {word} is yellow, please keep that in mind."
            for _ in range(2):
                third.sync_turn(said, "I will.", messages=None)
            until(lambda: tool(third, "cognition_status")["memoria"]["turns"].get("done"))
            counts = tool(third, "cognition_status")["memoria"]["turns"]
            self.want(counts == {"done": 1}, f"{counts}")
        with self.step("and recalled"):
            found = until(lambda: tool(third, "memoria_search", query=f"test umbrella {word}")["result"])
            self.want(bool(found), "nothing was extracted; is the server's model configured?")

    def want(self, true: bool, why: str) -> None:
        if not true:
            raise Failed(why)

    def _clean(self) -> None:
        """Delete every record of the run's own subjects, then look whether one is left."""
        for provider in self.made:
            with contextlib.suppress(Exception):
                provider.shutdown()
        client = Client(self.origin, self.key)
        try:
            for subject in (self.subject, f"{self.subject}-b"):
                scope = Api(client).about(subject)
                for _ in range(20):
                    records = scope.page(limit=100).items
                    if not records:
                        break
                    for record in records:
                        scope.delete(record.memory_id)
                self.want(not scope.page(limit=1).items, f"records of {subject} are left")
        except MemoriaError as error:
            raise Failed(f"{error.code}; delete the records of {self.subject} by hand") from None
        finally:
            client.close()
            for home in self.homes:
                shutil.rmtree(home, ignore_errors=True)


def tool(provider: Any, name: str, **given: Any) -> Any:
    answer = json.loads(provider.handle_tool_call(name, given))
    if answer.get("success") is False:
        raise Failed(str(answer.get("error")))
    return answer


def until(true: Callable[[], Any]) -> Any:
    """What `true` gives, as soon as it is something, or after a minute."""
    end = time.monotonic() + WAIT_S
    while not (found := true()) and time.monotonic() < end:
        time.sleep(1.0)
    return found


def key_in(path: Path) -> str:
    """The key of a file: `MEMORIA_API_KEY=...` or one bare word."""
    for line in path.read_text(encoding="utf-8").splitlines():
        name, equals, value = line.partition("=")
        if equals and name.strip().removeprefix("export ").strip() == "MEMORIA_API_KEY":
            return value.strip().strip("'\"")
        if line.strip().startswith("sk-"):
            return line.strip()
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--key-file", type=Path, required=True, help="MEMORIA_API_KEY=... or one bare key")
    parser.add_argument("--origin", default=CLOUD, help=f"the service (default {CLOUD})")
    parser.add_argument("--report", type=Path, help="write the outcome as JSON")
    given = parser.parse_args()
    try:
        key = key_in(given.key_file)
    except (OSError, UnicodeDecodeError) as problem:
        parser.error(f"{given.key_file}: {type(problem).__name__}")
    if not key:
        parser.error(f"no key in {given.key_file}")
    os.environ["MEMORIA_API_KEY"] = key  # of this process alone
    check = Check(given.origin, key)
    well = check.run()
    report = {"origin": given.origin, "subject": check.subject, "ok": well, "steps": check.steps}
    if given.report:
        given.report.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    for step in check.steps:
        print(f"{'ok   ' if step['ok'] else 'WRONG'} {step['seconds']:6.2f} s  {step['step']}{_why(step)}")
    return 0 if well else 1


def _why(step: dict[str, Any]) -> str:
    return f": {step['problem']}" if "problem" in step else ""


if __name__ == "__main__":
    sys.exit(main())
