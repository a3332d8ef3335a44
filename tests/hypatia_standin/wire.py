"""The raw wire: lines in, lines out, of a real process.  Nothing here knows the protocol beyond JSON lines."""

import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

PATIENCE = 60  # seconds until a test that waits for a line is given up; nothing here is meant to take long


class Wire:
    """One `<binary> mcp` process."""

    def __init__(self, binary: Path | str, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [str(binary), "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=None if env is None else {**os.environ, **env},
        )
        self.last = 0
        self.watch = threading.Timer(PATIENCE, self.process.kill)
        self.watch.daemon = True
        self.watch.start()

    def raw(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        self.raw(json.dumps(message).encode("utf-8"))

    def line(self) -> bytes:
        """The next line; empty at the end of output."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def reply(self) -> Any:
        return json.loads(self.line())

    def ask(self, method: str, params: Any = None) -> Any:
        """Send a request and read the next line."""
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return self.reply()

    def call(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool call."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def value(self, tool: str, **arguments: Any) -> Any:
        """The structured value of a call that works."""
        result = self.call(tool, **arguments)
        assert result["isError"] is False, result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def error(self, tool: str, **arguments: Any) -> str:
        """The text of a call that is refused."""
        result = self.call(tool, **arguments)
        assert result["isError"] is True, result
        assert "structuredContent" not in result
        assert [part["type"] for part in result["content"]] == ["text"]
        return str(result["content"][0]["text"])

    def end(self) -> int:
        """Close its input and wait: the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        self.watch.cancel()
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:
                pass  # what was still to be written to a dead process
        self.process.wait()


class Wires:
    """Opens wires and closes them all at the end."""

    def __init__(self) -> None:
        self.opened: list[Wire] = []

    def open(self, binary: Path | str, env: dict[str, str] | None = None) -> Wire:
        self.opened.append(Wire(binary, env))
        return self.opened[-1]

    def __enter__(self) -> "Wires":
        return self

    def __exit__(self, *_: object) -> None:
        for wire in self.opened:
            wire.close()
