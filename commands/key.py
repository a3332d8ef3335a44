"""`key`: the Memoria API key, from standard input or a file into the host's secret store (D38, P19).

It is never shown, never in a file of ours, and never an argument, which every program of the machine can read.
"""

import sys
from argparse import Namespace
from pathlib import Path

from ..config import SECRET
from .answer import Answer, Line, Part, Refused
from .home import Home

LONGEST = 4096  # characters


def key(home: Home, args: Namespace) -> Answer:
    """Save the key.  Raises Refused, with nothing saved."""
    use = "hermes cognition key --stdin, or --file PATH"
    if args.given:
        raise Refused(
            "key_on_command_line",
            "nothing was saved: what stands on a command line can be read by other programs and stays in the shell's "
            "history; if that was the key, make a new one",
            use,
        )
    if not (args.stdin or args.file):
        raise Refused("usage", "say where the key is", use)
    if home.host is None:
        raise Refused("needs_host", "the key belongs into the secret store of Hermes, which is not here", use)
    if home.path.resolve() != home.host.current_home().resolve():
        raise Refused("other_home", "a key can be saved in the active home only", "hermes -p PROFILE cognition key")
    value = _read(args)
    if not value or len(value) > LONGEST or not value.isprintable() or any(char.isspace() for char in value):
        raise Refused("no_key", "that is no key: one word on one line is wanted", use)
    if why := home.host.save_secret(SECRET, value):
        raise Refused("not_saved", f"the key was not saved: {why}")
    parts: list[Part] = [Line(f"Saved as {SECRET} in the secret store of this home.", "good")]
    note = ""
    if args.file and Path(args.file).stat().st_mode & 0o077:
        note = f"other users can read {args.file}: delete it, or chmod 600"
        parts.append(Line(note, "bad"))
    return Answer({"saved": SECRET, **({"note": note} if note else {})}, parts)


def _read(args: Namespace) -> str:
    try:
        text = sys.stdin.read(LONGEST * 2) if args.stdin else Path(args.file).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise Refused("no_key", "that is no key: it is no text") from None
    return text.strip()
