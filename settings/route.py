"""Which model makes summaries: what may be answered, what it costs, what the host has to permit (D31, D89)."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

AUTO, OFF = "auto", "off"
NO_MODEL = (OFF, "none", "")  # as names of a model
COST = (
    "What it costs: about one call for each 16,000 tokens of conversation and one short call for each lesson in it, "
    "never more than consolidation.max_calls_per_day (300) and max_tokens_per_day (2,000,000) a day. What is sent is "
    "the conversation log, secrets taken out, to the provider of that model and to nobody else."
)
_NAMES = ("consolidation.models", "consolidation.allow_auto_route", "consolidation.enabled")


class WrongRoute(ValueError):
    """What was typed names no model."""


class Values(Protocol):
    """The settings in force."""

    def __getitem__(self, name: str) -> Any: ...


def is_off(settings: Values) -> bool:
    """Whether summaries are switched off, whatever model is chosen."""
    return settings["consolidation.enabled"] is False


def chosen(settings: Values, *, pinned: bool = False) -> str:
    """What is chosen now, as it is typed."""
    if is_off(settings):
        return OFF
    models = [one for one in settings["consolidation.models"] if one.casefold() not in NO_MODEL]
    return ", ".join(models) if models else AUTO if settings["consolidation.allow_auto_route"] or pinned else OFF


def answers_of(typed: str) -> dict[str, Any]:
    """The settings that an answer stands for.  Raises WrongRoute."""
    word = typed.strip().casefold()
    if word in (*NO_MODEL, "no"):
        return dict(zip(_NAMES, ([], False, "auto"), strict=True))
    if word == AUTO:
        return dict(zip(_NAMES, ([], True, "auto"), strict=True))
    models = [part.strip() for part in typed.split(",") if part.strip()]
    for one in models:
        if one.casefold() == AUTO:
            continue
        provider, _, model = one.partition(":")
        if not provider.strip() or not model.strip() or any(char.isspace() for char in one):
            raise WrongRoute(f"{one!r:.80} is not provider:model, as in openrouter:openai/gpt-4o-mini")
    return dict(zip(_NAMES, (models, False, "auto"), strict=True))


def routes_of(models: Iterable[str]) -> list[tuple[str, str]]:
    """(provider, model) of what was named, in order, each once; two empty texts: what the host takes itself."""
    found: dict[tuple[str, str], None] = {}
    for one in models:
        word = one.strip().casefold()
        provider, _, model = ("", "", "") if word == AUTO else one.partition(":")
        if word not in NO_MODEL:
            found[provider.strip(), model.strip()] = None
    return list(found)


def trust_lines(keys: Iterable[tuple[Sequence[str], Any]]) -> list[tuple[str, str]]:
    """The keys that the host needs, as a person reads them."""
    return [
        (".".join(place), ", ".join(value) if isinstance(value, list) else str(value).lower()) for place, value in keys
    ]
