"""The checks that concern Hermes around the plugin, and the packages that could be added (P1, P25, B014)."""

import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from .checks import Finding
from .home import Home

ROOT = Path(__file__).resolve().parents[1]
NAME = "cognition"

# Extra of pyproject.toml -> what to install, what to import, what it adds.
EXTRAS: dict[str, tuple[str, str, str]] = {}


def host(home: Home) -> Iterator[Finding]:
    """Whether this home's Hermes uses the plugin, and what in its configuration is in the way."""
    if home.host is None:
        yield Finding("host", "note", "Hermes is not installed beside this Python: what concerns it was not checked")
    if home.config is None:
        if home.host is not None:
            said = "config.yaml cannot be read, so write approval counts as on"
            yield Finding("host", "wrong", said, "hermes config edit")
        return
    if home.provider == NAME:
        yield Finding("host", "well", f"memory.provider is {NAME}")
    else:
        said = f"memory.provider is {home.provider!r}" if home.provider else "no memory provider is set"
        yield Finding("host", "wrong", f"{said}: nothing is captured or recalled", f"hermes memory setup {NAME}")
    if ROOT.parent.name == "plugins" and ROOT.name != NAME:
        said = f"the plugin's folder is called {ROOT.name}; Hermes finds it as {NAME} only"
        yield Finding("host", "wrong", said, f"mv {ROOT} {ROOT.with_name(NAME)}")
    if _group(home.config, "compression").get("checkpoint_required") is True:
        said = "compression.checkpoint_required is on: Hermes 0.22 then refuses to compact with this provider"
        yield Finding("host", "wrong", said, "hermes config set compression.checkpoint_required false")
    if home.host is not None and home.host.hides_memory_tools(home.config):
        said = "the toolset `memory` is off in the terminal: the model cannot search or store; recall goes on"
        yield Finding("host", "wrong", said, "hermes tools enable memory")
    if home.approval:
        said = "write approval is on: what a session states is held, and the model's own writes are refused"
        yield Finding("approval", "note", said, "hermes cognition queue list --state held")
    else:
        yield Finding("approval", "well", "write approval is off")


def extras(home: Home) -> Iterator[Finding]:
    """What each extra would add to the Python that Hermes runs in; everything works without them."""
    if home.host is None:
        return
    for extra, (wanted, module, adds) in EXTRAS.items():
        if find_spec(module) is not None:
            yield Finding("extras", "well", f"{extra}: {module} is there ({adds})")
        else:
            yield Finding(
                "extras", "note", f"{extra}: not installed; {adds}", f"{sys.executable} -m pip install '{wanted}'"
            )


def _group(value: object, name: str) -> Mapping[str, object]:
    inner = value.get(name) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}
