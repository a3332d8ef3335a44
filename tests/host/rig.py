"""The cheap route: Hermes' real loader and MemoryManager without command line and model, half a second a run.

Runs under an interpreter that has Hermes, in a process of its own: the programs of `programs/` use it.

    with Rig(plugin) as rig:
        rig.turn("I live in Oslo", "Noted.")           # -> the fenced block that the model would see
        rig.new_session()
        rig.tool("cognition_search", query="Oslo")
        assert not rig.swallowed
"""

import inspect
import json
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .plugin_folder import copy_plugin, plugin_name

_HOST_LOGGERS = ("agent.memory_manager", "plugins", "hermes_cli.plugins")
Call = tuple[str, dict[str, Any], str]


class _Catch(logging.Handler):
    """Keeps what is logged about the provider: every exception that the host swallows passes through here.

    lines   ERROR records and logged exceptions of anyone, and the host's own "... failed" at any level
    notes   all other warnings, the host's and the plugin's: a plugin may warn on purpose
    """

    def __init__(self, plugin: str) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []
        self.notes: list[str] = []
        self._last: logging.LogRecord | None = None
        self._own = re.compile(rf"(plugins\.memory\.)?{re.escape(plugin)}(\.|$)|_hermes_user_memory\b")
        for logger in (*_HOST_LOGGERS, "_hermes_user_memory", plugin):
            logging.getLogger(logger).addHandler(self)
            logging.getLogger(logger).setLevel(logging.DEBUG)

    def emit(self, record: logging.LogRecord) -> None:
        if record is self._last:  # it reached two of the loggers
            return
        self._last, text = record, record.getMessage()
        hosts = not self._own.match(record.name)
        failed = record.levelno >= logging.ERROR or bool(record.exc_info and record.levelno >= logging.WARNING)
        failed = failed or (hosts and "failed" in text.lower())
        if failed or record.levelno >= logging.WARNING:
            (self.lines if failed else self.notes).append(f"{record.levelname} {record.name}: {text}")


def scratch_home(plugin: str | Path, config: str = "") -> Path:
    """A home of its own with a copy of the plugin, active; HERMES_HOME points at it from now on."""
    home, name = Path(tempfile.mkdtemp(prefix="rig-")), plugin_name(plugin)
    (home / "plugins").mkdir()
    copy_plugin(plugin, home / "plugins" / name)
    (home / "config.yaml").write_text(f"memory:\n  provider: {name}\n{config}", encoding="utf-8")
    os.environ["HERMES_HOME"] = str(home)
    return home


def load(name: str = "cognition") -> Any:
    """The provider from the host's own loader, not initialised; None when the host does not find it."""
    from plugins.memory import load_memory_provider

    return load_memory_provider(name)


class Rig:
    """A provider behind the host's own manager, in a scratch home that close() removes.

    config  YAML text for config.yaml; indented, it stands under `memory:`
    init    more keywords for initialize()
    """

    def __init__(self, plugin: str | Path, config: str = "", session_id: str = "s-1", **init: Any) -> None:
        from agent.memory_manager import MemoryManager

        self.home, self.name = scratch_home(plugin, config), plugin_name(plugin)
        self._catch = _Catch(self.name)
        self.provider = load(self.name)
        if self.provider is None:
            said = "; ".join([*self.swallowed, *self.noted][-5:]) or "nothing was logged"
            raise RuntimeError(f"the real loader returned no provider {self.name!r}: {said}")
        self.session_id, self.n = session_id, 0
        self.history: list[dict[str, Any]] = []
        self.manager = MemoryManager()
        self.manager.add_provider(self.provider)
        keywords = {
            "platform": "cli",
            "hermes_home": str(self.home),
            "agent_context": "primary",
            "agent_identity": "default",
            "agent_workspace": "hermes",
            **init,
        }
        self.manager.initialize_all(session_id=session_id, **keywords)

    @property
    def swallowed(self) -> list[str]:
        """Errors so far (see _Catch); `noted` has the warnings, which need not be faults."""
        return self._catch.lines

    @property
    def noted(self) -> list[str]:
        return self._catch.notes

    def _session(self) -> dict[str, str]:
        """0.19 does not pass the session id to prefetch, 0.22 does; the rig follows its host (P27)."""
        import agent.turn_context as context

        told = "prefetch_all(_query, session_id" in inspect.getsource(context)
        return {"session_id": self.session_id} if told else {}

    def turn(self, user: str, assistant: str, tools: Iterable[Call] = ()) -> str:
        """One turn as the agent loop does it; the block that would be appended to the user message.

        tools: (name, arguments, result) of the calls in this turn.
        """
        from agent.memory_manager import build_memory_context_block

        self.n += 1
        self.manager.on_turn_start(self.n, user)
        raw = self.manager.prefetch_all(user, **self._session())
        block = str(build_memory_context_block(raw)) if raw else ""
        message = {"role": "user", "content": user}
        if block:
            message["api_content"] = user + "\n\n" + block
        self.history.append(message)
        for i, (tool, args, result) in enumerate(tools):
            call = {
                "id": f"c{i}",
                "type": "function",
                "function": {"name": tool, "arguments": json.dumps(args)},
            }
            self.history.append({"role": "assistant", "content": "", "tool_calls": [call]})
            self.history.append({"role": "tool", "tool_call_id": f"c{i}", "name": tool, "content": result})
        self.history.append({"role": "assistant", "content": assistant, "finish_reason": "stop"})
        self.manager.sync_all(user, assistant, session_id=self.session_id, messages=self.history)
        self.manager.queue_prefetch_all(user, session_id=self.session_id)
        self.manager.flush_pending(timeout=10)
        return block

    def tool(self, tool_name: str, /, **args: Any) -> str:
        return str(self.manager.handle_tool_call(tool_name, args))

    def new_session(self, new_id: str = "") -> None:
        """/new in the CLI: on_session_end, then on_session_switch(reset=True), as one background job."""
        old, self.session_id = self.session_id, new_id or f"s-{time.time():.3f}"
        self.manager.commit_session_boundary_async(self.history, new_session_id=self.session_id, parent_session_id=old)
        self.manager.flush_pending(timeout=30)
        self.history, self.n = [], 0

    def settle(self, seconds: float = 15) -> None:
        """Wait until the plugin's worker has pushed what the last session end left Pending."""
        end = time.monotonic() + seconds
        while json.loads(self.tool("cognition_status"))["pending_unpushed"] and time.monotonic() < end:
            time.sleep(0.02)

    def compress(self, keep: int = 2) -> str:
        """Compaction in place: on_pre_compress, on_session_end, on_session_switch with the same id."""
        text = str(self.manager.on_pre_compress(self.history))
        self.manager.on_session_end(self.history)
        summary = {"role": "user", "content": "[CONTEXT COMPACTION] summary", "_compressed_summary": True}
        self.history = [summary, *self.history[-keep:]]
        same = self.session_id
        self.manager.on_session_switch(same, parent_session_id=same, reset=False, reason="compression")
        return text

    def memory_write(self, action: str = "add", content: str = "x", **extra: Any) -> None:
        """A committed write of the built-in memory tool, as it is passed on to the provider."""
        self.manager.notify_memory_tool_write(
            {"success": True},
            {"action": action, "target": "memory", "content": content, **extra},
            build_metadata=lambda: {"write_origin": "assistant_tool", "session_id": self.session_id},
        )

    def end(self) -> None:
        """End the session and shut the provider down; the home stays."""
        self.manager.flush_pending(timeout=10)
        self.manager.on_session_end(self.history)
        self.manager.shutdown_all()

    def close(self) -> None:
        self.end()
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self) -> "Rig":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
