"""The real messaging gateway with several users, against the scripted model (standard library only).

    with Gateway(venv, plugin) as gateway:
        gateway.say("ann", "I live in Oslo")              # -> the bot's replies, after the turn was synced
        gateway.say("bob", "Where does Ann live?", room=True)
        gateway.say("ann", "/new", turn=False)
        gateway.ask("Where do I live?", session="s-1")    # one request to the gateway's own HTTP server
        gateway.host.trace("initialize")                  # everything that Host records

(Not called gateway.py: that name would hide the host's own package when this folder is on its path.)
"""

import contextlib
import json
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

from .fake_irc import FakeIrc
from .harness import Host, wait

_KEY = "k" * 40


class Gateway:
    """`hermes gateway run`, its IRC adapter and HTTP server on loopback; the arguments are those of Host."""

    def __init__(self, venv: Path, plugin: Path, **host: Any) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.irc = FakeIrc()
        self.process: subprocess.Popen[bytes] | None = None
        env = self.irc.env()
        env.update(API_SERVER_ENABLED="true", API_SERVER_HOST="127.0.0.1", API_SERVER_KEY=_KEY)
        env["API_SERVER_PORT"] = str(self.port)
        self.host = Host(venv, plugin, env=env, **host)
        self.out = self.host.home / "gateway.out"

    def start(self, timeout: float = 90) -> "Gateway":
        with self.out.open("ab") as log:
            process = self.process = subprocess.Popen(
                [self.host.exe, "gateway", "run"],
                cwd=self.host.cwd,
                env=self.host.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        up = wait(lambda: self.irc.joined.is_set() or process.poll() is not None, timeout)
        if not (up and process.poll() is None and wait(self._healthy, 30, 0.3)):
            raise RuntimeError("the gateway did not come up:\n" + self.out.read_text()[-3000:])
        time.sleep(1)  # it joins before it listens
        return self

    def _healthy(self) -> bool:
        with contextlib.suppress(OSError):
            return bool(urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=1).status == 200)
        return False

    def say(self, user: str, text: str, room: bool = False, turn: bool = True, timeout: float = 60) -> list[str]:
        """Send a line as `user`; the bot's replies to that chat.  turn=True also waits for the sync_turn."""
        target = self.irc.room if room else user
        seen, syncs = len(self.irc.replies), len(self.host.trace("sync_turn"))

        def replies() -> list[str]:
            return [said for to, said in self.irc.replies[seen:] if to == target]

        self.irc.say(user, text, room)
        wait(replies, timeout)
        if turn:
            wait(lambda: len(self.host.trace("sync_turn")) > syncs, 15)
        count = -1
        while count != len(self.irc.replies):  # a long reply comes in several lines
            count = len(self.irc.replies)
            time.sleep(0.5)
        return replies()

    def new(self, user: str, room: bool = False) -> None:
        """`/new` in that chat, once its session end has been delivered to the provider."""
        ends = len(self.host.trace("on_session_end"))
        self.say(user, "/new", room, turn=False)
        wait(lambda: len(self.host.trace("on_session_end")) > ends, 30)

    def ask(self, text: str, session: str, timeout: float = 60) -> str:
        """One chat completion of the gateway's HTTP server; returns the answer's text."""
        body = {"model": "hermes-agent", "messages": [{"role": "user", "content": text}]}
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {_KEY}",
            "X-Hermes-Session-Id": session,
        }
        url = f"http://127.0.0.1:{self.port}/v1/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=timeout) as reply:
            return str(json.load(reply)["choices"][0]["message"]["content"])

    def stop(self, timeout: float = 60) -> None:
        """SIGTERM, then SIGKILL when that does not do."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def close(self) -> None:
        self.stop()
        self.irc.close()
        self.host.close()

    def __enter__(self) -> "Gateway":
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *exc: object) -> None:
        self.close()


def run_cron(host: Host, prompt: str, timeout: float = 40) -> list[dict[str, Any]]:
    """Create a cron job in the home of `host` and run it once by hand; the main requests that it made."""
    before = len(host.requests("main"))
    host.run("cron", "create", "every 1h", prompt, "--name", "job")
    jobs: Any = json.loads((host.home / "cron" / "jobs.json").read_text())
    host.run("cron", "run", (jobs["jobs"] if isinstance(jobs, dict) else jobs)[-1]["id"])
    host.run("cron", "tick")
    wait(lambda: len(host.requests("main")) > before, timeout, 0.5)
    time.sleep(1)
    return host.requests("main")[before:]
