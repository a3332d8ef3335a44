"""`hypatia mcp`: JSON-RPC over the standard streams, one message a line, strictly in order (section 3 and 4)."""

import json
import os
import signal
import sys
from typing import Any

from . import resources, switches
from .shelf import Refused, Shelves
from .storage import Storage
from .tools import offered

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
PROGRAM_VERSION = "0.9.0"
PARSE, REQUEST, METHOD, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
INSTRUCTIONS = "Shelves of entries and statements. Name the shelf in each call."


class Failed(Exception):
    """A JSON-RPC error."""

    def __init__(self, code: int, message: str, identity: int | str | None = None) -> None:
        super().__init__(message)
        self.reply = {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": message}}


def shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def parsed(line: bytes) -> Any:
    """The message of a line.  A lone surrogate is not Unicode and no text of ours."""
    try:
        message = json.loads(line.decode("utf-8"))
        json.dumps(message, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise Failed(PARSE, f"parse error: {error}") from None
    return message


class Server:
    def __init__(self, storage: Storage) -> None:
        known = set(Shelves(storage).connected())
        known -= {
            item.partition("*")[0]
            for item in switches.items("LATE")
            if switches.struck("LATE", item.partition("*")[0]) is not None
        }
        self.storage = storage
        self.shelves = Shelves(storage, known)
        self.calls = 0

    def serve(self) -> int:
        for line in sys.stdin.buffer:
            if line.strip():
                self.handle(line)
        if switches.value("STUBBORN"):
            switches.hang()
        return 0

    def handle(self, line: bytes) -> None:
        try:
            try:
                message = parsed(line)
            except Failed:
                switches.log("mcp", message=line.decode("utf-8", "replace"))
                raise
            switches.log("mcp", message=message)
            identity, method = self.opened(message)
            if method is None or identity is None:
                return
        except Failed as failed:
            self.answer(failed.reply, "")
            return
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": identity}
        params = message.get("params")
        call = method == "tools/call"
        place = str(params.get("name")) if call and isinstance(params, dict) else str(method)
        self.calls += call
        try:
            reply["result"] = self.result(method, params, place)
        except Failed as failed:
            reply = failed.reply | {"id": identity}
        if call:
            switches.crash(self.calls, answered=False)
        if switches.struck("NULL_ID", place) is not None:
            reply = {"jsonrpc": "2.0", "id": None, "error": {"code": INTERNAL, "message": "internal error"}}
        self.answer(reply, place)
        self.storage.answered()
        if call:
            switches.crash(self.calls, answered=True)

    def opened(self, message: Any) -> tuple[int | str | None, Any]:
        """Identity and method; no method or no identity: nothing is to be answered."""
        if isinstance(message, list):
            raise Failed(REQUEST, "batched requests are not supported")
        if not isinstance(message, dict):
            raise Failed(REQUEST, "a message must be a JSON object")
        if "id" not in message:
            return None, None
        identity, method = message["id"], message.get("method")
        if type(identity) not in (int, str):
            raise Failed(REQUEST, "a request id must be a string or an integer")
        if not isinstance(method, str):
            if "result" in message or "error" in message:
                return identity, None
            raise Failed(REQUEST, "missing method", identity)
        return identity, method

    def result(self, method: str, params: Any, place: str) -> dict[str, Any]:
        switches.enter(place)
        if method in switches.items("HANDSHAKE"):
            raise Failed(INTERNAL, f"{method} failed")
        if params is None:
            params = {}
        if not isinstance(params, dict):
            raise Failed(PARAMS, "params must be an object")
        if method == "initialize":
            return self.initialize(params)
        if method == "ping":
            return {}
        if method == "tools/list":
            return {"tools": [tool.described() for tool in offered().values()]}
        if method == "tools/call":
            return self.call(params)
        if method.startswith("resources/"):
            try:
                return resources.result(self.shelves, method, params)
            except resources.Unknown as unknown:
                raise Failed(unknown.code, str(unknown)) from None
        raise Failed(METHOD, f"method not found: {method}")

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        wanted = params.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {
                "tools": {"listChanged": False},
                "resources": {"subscribe": False, "listChanged": False},
            },
            "serverInfo": {"name": "hypatia", "title": "Hypatia", "version": PROGRAM_VERSION},
            "instructions": INSTRUCTIONS,
        }

    def call(self, params: dict[str, Any]) -> dict[str, Any]:
        name = params.get("name")
        if not isinstance(name, str):
            raise Failed(PARAMS, "missing tool name")
        tool = offered().get(name)
        if tool is None:
            raise Failed(PARAMS, f"unknown tool: {name}")
        switches.slow(name)
        try:
            if (text := switches.struck("FAIL", name)) is not None:
                raise Refused(text)
            structured = tool.run(self.shelves, tool.checked(params.get("arguments")))
        except (Refused, RecursionError) as refused:
            return {"content": [{"type": "text", "text": str(refused)}], "isError": True}
        return {
            "content": [{"type": "text", "text": shown(structured)}],
            "structuredContent": structured,
            "isError": False,
        }

    def answer(self, reply: dict[str, Any], place: str) -> None:
        spoilt = switches.struck("GARBAGE", place)
        line = json.dumps(reply, ensure_ascii=False).encode("utf-8")
        if spoilt == "flood":
            switches.flood(1)
        elif spoilt == "half":
            _out(line[: len(line) // 2])
            os._exit(1)
        elif spoilt == "bytes":
            _out(b'{"jsonrpc":"2.0","id":\xff\xfe}\n')
        elif spoilt == "other":
            _out(b'{"jsonrpc":"2.0","id":987654,"result":{"content":[],"isError":false}}\n')
            _out(b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n')
        elif spoilt == "shape":
            _out(json.dumps({"jsonrpc": "2.0", "id": reply["id"]}).encode() + b"\n")
            return
        elif spoilt is not None:
            _out(b"thread 'main' is talking: {not json\n")
        if spoilt != "only":
            _out(line + b"\n")


def _out(whole: bytes) -> None:
    while whole:
        whole = whole[os.write(1, whole) :]


def main(storage: Storage) -> int:
    if switches.value("STUBBORN"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        return Server(storage).serve()
    except BrokenPipeError:
        return 0
