"""The one bundled skill: offered to hosts that take skills, and copied to a folder of the user's choice (D91, P14).

A convenience: what it explains is in the tools' descriptions as well.  Nothing here may cost the provider.
"""

import contextlib
import logging
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

NAME = "cognition"
FILE = Path(__file__).with_name("skills") / NAME / "SKILL.md"
DESCRIPTION = "How to search, store, correct and forget with the Cognition memory tools."
_VERSION = re.compile(r"^version:\s*(\S+)", re.MULTILINE)


def offer(ctx: Any, wanted: Callable[[], bool]) -> None:
    """Register the skill where this host's `ctx` takes one; asked by getattr, as some hosts raise for it (P13)."""
    try:
        take = getattr(ctx, "register_skill", None)
        if callable(take) and FILE.is_file() and wanted():
            take(NAME, FILE, DESCRIPTION)
    except Exception as error:
        log.debug("cognition: the host did not take the skill (%s: %s)", type(error).__name__, error)


def copy_to(folder: str, home: Path) -> None:
    """Keep a copy in `folder`/cognition (relative to the home); "" does nothing.

    A copy of this version is left as it is, so that what the user changed in it stays.
    """
    if not folder:
        return
    target = home / Path(folder).expanduser() / NAME / FILE.name
    try:
        text = FILE.read_text(encoding="utf-8")
        with contextlib.suppress(FileNotFoundError):
            there = _VERSION.search(target.read_text(encoding="utf-8", errors="replace"))
            if there and there[1] == (_VERSION.search(text) or there)[1]:
                return
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(f".{FILE.name}.{os.getpid()}")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(target)
    except OSError as error:
        log.warning("cognition: the skill was not copied to %s (%s)", target.parent, error.strerror or error)
