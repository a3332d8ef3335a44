"""A scripted loopback stand-in for an OpenAI-compatible chat-completions server (standard library only).

Every request is appended to the log as
    {"t", "n", "kind": "main"|"aux", "path", "headers", "body", "reply"}
"main" = the request carries tools (the agent loop); "aux" = it does not (titles, compaction, plugins).

The script is a list (main replies) or {"main": [...], "aux": [...], "main_default": R, "aux_default": R}.
A reply R is a string, or an object with any of
    text          assistant text
    tool_calls    [{"name": "...", "arguments": {...}}]
    match         regex on the JSON dump of the messages; the first unused reply whose match fits is taken
    delay         seconds before the first byte
    status        HTTP error instead of a completion
    repeat        true = the reply is never used up
When no reply is left, the default answers: "ok" (main), "aux-ok" (aux).
"""

import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = dict[str, Any]
Script = list[Any] | dict[str, Any] | None


class FakeOpenAI(ThreadingHTTPServer):
    """The server: .base_url for the host's configuration, .requests for what came in, start() it."""

    daemon_threads = True

    def __init__(self, script: Script = None, log: str | None = None, model: str = "fake-model") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        replies: dict[str, Any] = {"main": script} if isinstance(script, list) else dict(script or {})
        self.queues = {kind: [_reply(r) for r in replies.get(kind, [])] for kind in ("main", "aux")}
        self.defaults = {
            kind: _reply(replies.get(kind + "_default", text)) for kind, text in (("main", "ok"), ("aux", "aux-ok"))
        }
        self.log_path, self.model = log, model
        self.requests: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def start(self) -> "FakeOpenAI":
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a killed or interrupted host is part of the tests
            super().handle_error(request, client_address)

    def take(self, kind: str, body: dict[str, Any], path: str, headers: Any) -> tuple[int, Reply]:
        text = json.dumps(body.get("messages", []), ensure_ascii=False)
        with self._lock:
            reply = self.defaults[kind]
            for i, candidate in enumerate(self.queues[kind]):
                if "match" not in candidate or re.search(candidate["match"], text, re.DOTALL):
                    reply = candidate
                    if not candidate.get("repeat"):
                        del self.queues[kind][i]
                    break
            record = {
                "t": time.time(),
                "n": len(self.requests),
                "kind": kind,
                "path": path,
                "headers": {k.lower(): v for k, v in headers.items() if k.lower() != "authorization"},
                "body": body,
                "reply": reply,
            }
            self.requests.append(record)
            if self.log_path:
                with open(self.log_path, "a", encoding="utf-8") as file:
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")
        return len(self.requests) - 1, reply


def _reply(reply: str | Reply) -> Reply:
    return {"text": reply} if isinstance(reply, str) else dict(reply)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeOpenAI

    def log_message(self, *args: Any) -> None:
        pass

    def _json(self, answer: object, status: int = 200) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            entry = {"id": self.server.model, "object": "model", "context_length": 200000, "owned_by": "fake"}
            return self._json({"object": "list", "data": [entry]})
        return self._json({"error": {"message": "not found"}}, 404)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            return self._json({"error": {"message": "bad json"}}, 400)
        if not self.path.endswith("/chat/completions"):
            return self._json({"error": {"message": "not found"}}, 404)
        kind = "main" if body.get("tools") else "aux"
        n, reply = self.server.take(kind, body, self.path, self.headers)
        time.sleep(float(reply.get("delay", 0)))
        if reply.get("status"):
            return self._json({"error": {"message": reply.get("text", "scripted error")}}, reply["status"])
        prompt = len(raw) // 4
        usage = {"prompt_tokens": prompt, "completion_tokens": 8, "total_tokens": prompt + 8}
        base = {
            "id": f"chatcmpl-{n}",
            "created": int(time.time()),
            "model": body.get("model", self.server.model),
        }
        calls = [
            {
                "index": i,
                "id": f"call_{n}_{i}",
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call.get("arguments", {}))},
            }
            for i, call in enumerate(reply.get("tool_calls", []))
        ]
        answer = self._stream if body.get("stream") else self._whole
        return answer(base, usage, reply.get("text"), calls)

    def _whole(self, base: Reply, usage: Reply, text: str | None, calls: list[Reply]) -> None:
        message: Reply = {"role": "assistant", "content": text}
        if calls:
            message["tool_calls"] = [{k: v for k, v in call.items() if k != "index"} for call in calls]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        self._json({**base, "object": "chat.completion", "usage": usage, "choices": [choice]})

    def _stream(self, base: Reply, usage: Reply, text: str | None, calls: list[Reply]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        deltas: list[Reply] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": text[i : i + 24]} for i in range(0, len(text), 24)] if text else []
        deltas += [{"tool_calls": calls}] if calls else []
        chunk = {**base, "object": "chat.completion.chunk"}
        end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}
        try:
            for delta in deltas:
                self._event({**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            self._event({**chunk, "usage": usage, "choices": [end]})
            self.wfile.write(b"data: [DONE]\n\n")
            self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            pass  # the host was interrupted or killed
        self.close_connection = True

    def _event(self, data: object) -> None:
        self.wfile.write(b"data: " + json.dumps(data).encode() + b"\n\n")
        self.wfile.flush()
