"""The home a command works on: found, its settings read, its files opened only when they are asked for.

With the host everything is asked of it; without one (`python cli.py`) config.yaml is read by whatever YAML package this
Python has, and where there is none the command says so, and refuses when that could make it look at other files.
"""

import os
import re
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import config
from .answer import Refused

if TYPE_CHECKING:
    from ..outbox import Outbox
    from ..runtime import Runtime
    from ..stores.local import LocalStore
    from ..stores.view import View

_FILES = re.compile(r"^\s+[\"']?(commit_log_path|queue_?path|archive_?path|path)[\"']?\s*:", re.MULTILINE)
_OURS = re.compile(r"^\s+[\"']?cognition[\"']?\s*:\s*(?:#.*)?$|^\s+[\"']?cognition[\"']?\s*:\s*\{", re.MULTILINE)


class Home:
    """One home.

    path      the folder, as it was given or found        host   the door to the host, None without one
    settings  in force there                               config the host's configuration; None: cannot be read
    notes     what a reader should know about how the home was read
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path, self.clock = path, clock
        self.notes: list[str] = []
        self.host = _host()
        self.config, fault = self._configuration()
        ours = _group(self.config, "memory").get("cognition")
        self.settings = config.load(path, ours, host_fault=fault)
        if self.host is not None:
            config.check_remote(self.settings, self.host.secret)
        self._runtime: Runtime | None = None
        self.looks = False

    @classmethod
    def find(cls, given: str | None, *, clock: Callable[[], float] = time.time) -> "Home":
        """The home of `--home`, else the host's active one, else HERMES_HOME, else ~/.hermes.  Raises Refused."""
        if given:
            path = Path(given).expanduser()
        else:
            host = _host()
            path = host.current_home() if host else Path(os.environ.get("HERMES_HOME") or Path.home() / ".hermes")
        if not path.is_dir():
            raise Refused("no_home", f"there is no Hermes home at {path}", "name one: --home PATH")
        return cls(path, clock=clock)

    # -- files -----------------------------------------------------------------------------------------------------

    @property
    def runtime(self) -> "Runtime":
        """Store, outbox and index of this home.

        Its worker never runs: a command does what it was asked for, and ends.  What is due is the next session's, or
        that of a command that pushes.
        """
        if self._runtime is None:
            from ..runtime import Runtime

            self._runtime = Runtime(self.settings, clock=self.clock)
            self._runtime.worker.stop(0.0)
        return self._runtime

    def look_only(self) -> None:
        """The command only looks: it makes, migrates and mends nothing (D111, memoria-plugin.md 2.9)."""
        self.looks = True
        self.runtime.remote.look_only()

    @property
    def store(self) -> "LocalStore":
        return self.runtime.store

    @property
    def outbox(self) -> "Outbox":
        return self.runtime.outbox

    @property
    def has_store(self) -> bool:
        """False when nothing was ever committed here: then looking must not make files."""
        path = self.settings.path("commit_log_path")
        return any(path.parent.glob(path.name + "*")) if path.parent.is_dir() else False

    def view(self) -> "View | None":
        """The committed entries, None where nothing was ever committed.

        Raises Refused when there is nothing to see because the file cannot be read: that is not "nothing remembered".
        """
        if not self.has_store:
            return None
        view = self.store.view()
        if not len(view) and (ill := self.store_ills()):
            raise Refused("store", ill[0], "hermes cognition doctor")
        return view

    def store_ills(self) -> list[str]:
        """What is wrong with the store now; kept files of earlier damage are no illness."""
        if self._runtime is None or not self.has_store:
            return []
        return [line for line in self.store.health() if not line.startswith("Damaged bytes were kept")]

    @property
    def has_outbox(self) -> bool:
        return self.settings.path("queue.path").exists() or (self.settings.path("queue.path").parent / "spill").exists()

    @property
    def has_log(self) -> bool:
        """False when no conversation was ever logged here."""
        return (self.settings.folder / "chatlog.db").exists()

    def mask(self) -> Callable[[str], str]:
        """Our own redactor, and the host's where there is one."""
        from ..capture.redact import redact

        extra = self.host.redactor() if self.host is not None else None
        return lambda text: redact(text, extra)

    def close(self) -> None:
        if self._runtime is not None:
            self._runtime.close()

    # -- the host's configuration -----------------------------------------------------------------------------------

    @property
    def approval(self) -> bool:
        """Write approval; a configuration that cannot be read counts as on (P50)."""
        if self.config is None:
            return True
        value = _group(self.config, "memory").get("write_approval", False)
        return value is True or str(value).strip().lower() in ("1", "on", "true", "yes", "approve", "enabled")

    @property
    def provider(self) -> str:
        """`memory.provider`, "" when none is set or it cannot be read."""
        return str(_group(self.config, "memory").get("provider") or "")

    def _configuration(self) -> tuple[Any, str]:
        try:
            if self.host is not None:
                return self.host.configuration(self.path) or {}, ""
            return _read_yaml(self.path / "config.yaml"), ""
        except ImportError:
            text = (self.path / "config.yaml").read_text(encoding="utf-8", errors="replace")
            if _OURS.search(text) and _FILES.search(text):
                raise Refused(
                    "no_yaml",
                    "config.yaml may name other files for this memory, and this Python cannot read it",
                    "use: hermes cognition ..., or a Python that has PyYAML",
                ) from None
            self.notes.append(
                "config.yaml was not read (this Python has no YAML package): defaults and cognition/config.json hold."
            )
            return None, ""
        except Exception as error:
            why = " ".join(str(error).split())[:160]
            return None, (
                f"config.yaml cannot be read ({type(error).__name__}: {why}); defaults and cognition/config.json hold; "
                "mend: hermes config edit"
            )


def _host() -> ModuleType | None:
    """host.py, or None where no Hermes is installed."""
    try:
        from .. import host
    except ImportError:
        return None
    return host


def _read_yaml(path: Path) -> Any:
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8")
    try:
        from ruamel.yaml import YAML
    except ImportError:
        yaml = import_module("yaml")

        return yaml.safe_load(text) or {}
    return YAML(typ="safe").load(text) or {}


def _group(value: Any, name: str) -> Mapping[str, Any]:
    inner = value.get(name) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}
