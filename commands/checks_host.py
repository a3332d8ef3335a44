"""The checks that concern Hermes around the plugin, and the packages that could be added (P1, P25, B014)."""

import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from .finding import Finding
from .home import Home

ROOT = Path(__file__).resolve().parents[1]
NAME = "cognition"

# Extra of pyproject.toml -> what to install, what to import, what it adds.
EXTRAS: dict[str, tuple[str, str, str]] = {
    "semantic": (
        "wordllama>=0.4,<0.5",
        "wordllama",
        "with recall.semantic set to wordllama, entries are found that a question asks for in other words",
    ),
}


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


def model(home: Home) -> Iterator[Finding]:
    """Whether the model that makes summaries may be asked, and what it could not do (D89, 5.7)."""
    from ..settings.route import routes_of
    from .consolidation import consolidating
    from .summaries import summaries

    part = consolidating(home)
    if home.host is None or not part.chosen:
        yield Finding(
            "model", "note", "no summaries are made: no model is chosen", "hermes cognition consolidate --setup"
        )
        return
    from .. import host_models

    if not host_models.available():
        yield Finding("model", "wrong", "this Hermes lets no plugin ask a model: no summaries are made")
        return
    if missing := host_models.missing_trust(home.path, routes_of(home.settings["consolidation.models"])):
        keys = ", ".join(".".join(place) for place, _ in missing)
        yield Finding(
            "model", "wrong", f"Hermes does not permit the chosen model: {keys}", "hermes cognition consolidate --setup"
        )
        return
    said, data = summaries(home)
    if data.get("failed"):
        why = data["failed"][0]
        yield Finding("model", "note", f"{said}; last: {why}", "hermes cognition summarise SESSION tries it now")
    else:
        yield Finding("model", "well", f"summaries {said}")


def answer(home: Home) -> Iterator[Finding]:
    """One real call of the chosen model (D89)."""
    from ..consolidate.model import ModelError
    from .consolidation import consolidating

    if home.host is None or not home.settings.folder.is_dir():
        yield Finding("answer", "note", "nothing was asked: there is no Hermes here, or no memory yet")
        return
    try:
        question = 'Answer with exactly this: {"summary": "well"}'
        _, said = consolidating(home).desk.models.ask("check", "Answer with JSON only.", question, max_tokens=64)
    except ModelError as problem:
        yield Finding(
            "answer", "wrong", f"the model was not reached: {problem.label}", "hermes cognition consolidate --setup"
        )
        return
    model = ":".join(part for part in (said.provider, said.model) if part)
    if said.text.strip():
        yield Finding("answer", "well", f"{model} answered, {said.tokens_in + said.tokens_out} tokens")
    else:
        yield Finding("answer", "wrong", f"{model} gave an empty answer", "hermes cognition consolidate --setup")


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
