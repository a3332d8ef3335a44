"""A program that speaks badly on purpose, as `hypatia mcp` and as `hypatia knowledge-get` (H40).

    python rude.py FOLDER MODE mcp | knowledge-get NAME …

MODE is what goes wrong in the handshake; what goes wrong in a call is the name of the entry that is asked for.  Every
start, and every name asked for, is noted in FOLDER/notes.  An entry that goes well has the process's id as its data.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

FOLDER, MODE = Path(sys.argv[1]), sys.argv[2]
NEEDED = "knowledge_get knowledge_create statement_create search similar query".split()


def note(what: str) -> None:
    with (FOLDER / "notes").open("a") as notes:
        notes.write(f"{os.getpid()} {what}\n")


def out(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def say(message: object) -> None:
    out(json.dumps(message).encode() + b"\n")


def grandchild() -> None:
    """One that holds the pipes, in a session of its own, where no group of ours reaches it."""
    code = "import time; time.sleep(8)"
    child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    note(f"grandchild {child.pid}")


def misbehave(name: str) -> None:
    """What both ways of speaking have in common; returns when the call is to go well."""
    if name == "hang":
        time.sleep(600)
    elif name == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        note("is deaf")
        time.sleep(600)
    elif name == "die":
        os.write(2, b"on its way out: token=hush\n")
        os._exit(3)
    elif name == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif name == "flood":
        while True:
            out(b"x" * 65536)
    elif name == "complain":
        while True:
            os.write(2, b"x" * 65536)
    elif name == "grandchild":
        grandchild()
        os._exit(4)
    elif name == "latin":
        out(b'{"jsonrpc": "2.0", "id": 3, "result": "caf\xe9"}\n')
    elif name == "garbage":
        out(b"thread 'main' panicked\n")
    elif name == "group":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        note(f"grandchild {child.pid}")
        time.sleep(600)


def entry(name: str) -> dict[str, object]:
    return {"name": name, "content": {"data": str(os.getpid())}, "created_at": "2026-02-03 04:05:06.789"}


def call(number: int, name: str) -> None:
    reply: dict[str, object] = {"jsonrpc": "2.0", "id": number}
    result = {"content": [], "structuredContent": entry(name), "isError": False}
    misbehave(name)
    if name == "null":
        say({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "parse error: token=hush"}})
        return
    if name == "half":
        out(json.dumps(reply).encode()[:20])
        os._exit(5)
    if name == "shut":
        os.close(1)
        time.sleep(600)
    if name == "neither":
        say(reply)
        return
    if name == "chatter":
        while True:
            out(b'{"jsonrpc":"2.0","method":"notifications/message"}\n' * 1000)
    if name == "strangers":  # nothing of it is the reply
        lies = result | {"structuredContent": entry(name) | {"content": {"data": "a lie"}}}
        for line in (
            {"jsonrpc": "2.0", "id": number - 1, "result": lies},
            {"jsonrpc": "2.0", "id": number + 1, "result": lies},
            {"jsonrpc": "2.0", "id": str(number), "result": lies},
            {"jsonrpc": "2.0", "id": float(number), "result": lies},
            {"jsonrpc": "2.0", "id": number == 3, "result": lies},
            {"jsonrpc": "2.0", "id": number, "method": "ping"},
            [{"jsonrpc": "2.0", "id": number, "result": lies}],
            7,
            None,
            "text",
        ):
            say(line)
        out(b"\n  \r\n")
    if name == "then floods":
        say(reply | {"result": result})
        while True:
            out(b"x" * 65536)
    if name == "begun":  # the beginning of a line that ends during the next call
        say(reply | {"result": result})
        out(b'{"jsonrpc": "2.0", "id": 4, "result": {"structuredContent": ')
        return
    if name == "after begun":
        out(b"broken}\n")
    if name == "said":
        os.write(2, b"a warning: token=hush\n")
        say({"jsonrpc": "2.0", "id": number, "error": {"code": -32603, "message": "said"}})
        return
    if name == "whisper":  # on standard error, during the call and after it
        os.write(2, b"of an earlier call\n")
        say(reply | {"result": result})
        time.sleep(0.3)
        os.write(2, b"between two calls\n")
        note("whispered")
        return
    if name == "refused":
        say({"jsonrpc": "2.0", "id": number, "error": {"code": -32602, "message": "no"}})
        return
    if name == "huge":
        result["structuredContent"] = entry(name) | {"content": {"data": "ä" * 3_000_000}}
    say(reply | {"result": result})


def mcp() -> None:
    if MODE == "old":
        os.write(2, b"error: unrecognized subcommand 'mcp'\n")
        sys.exit(2)
    if MODE == "exit 2":
        os.write(2, b"error: no home\n")
        sys.exit(2)
    if MODE == "crash":
        sys.exit(101)
    if MODE == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        message = json.loads(line)
        method, number = message["method"], message.get("id")
        if method == MODE.removesuffix(" hangs"):
            note(method)
            time.sleep(600)
        if method == MODE.removesuffix(" fails"):
            say({"jsonrpc": "2.0", "id": number, "error": {"code": -32603, "message": f"{method} failed"}})
        elif method == MODE.removesuffix(" breaks"):
            say({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "parse error"}})
        elif method == "initialize":
            say({"jsonrpc": "2.0", "id": number, "result": {"protocolVersion": "2025-06-18"}})
        elif method == "tools/list":
            names = NEEDED[1:] if MODE == "lacks" else NEEDED
            say({"jsonrpc": "2.0", "id": number, "result": {"tools": [{"name": name} for name in names]}})
        elif method == "tools/call":
            name = message["params"]["arguments"]["name"]
            note(f"asked {number} {name}")
            call(number, name)
    if MODE == "stubborn":
        note("stays")
        time.sleep(600)


def command() -> None:
    name = sys.argv[4]
    note(f"asked {name}")
    misbehave(name)
    if name == "much":
        out(b'{"name": "much", "content": "' + b"x" * 600_000 + b'"}')
    elif name == "environment":
        say(entry(name) | {"content": {"data": json.dumps([dict(os.environ), str(Path.cwd())])}})
    else:
        say(entry(name))


note(f"start {' '.join(sys.argv[3:4])}")
mcp() if sys.argv[3] == "mcp" else command()
