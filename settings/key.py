"""What one setting is."""

from typing import Any

from ..plain import dataclass


@dataclass(frozen=True)
class Key:
    """One setting.

    name     dotted: group and name, as design.md has them
    kind     int, float, bool, switch (auto, true or false), text, choice, word, labels, list, models, people, path,
             url, subject
    bounds   lowest and highest value, both allowed; a highest of None: no upper bound
    aliases  earlier spellings, accepted in every layer (D25)
    """

    name: str
    default: Any
    kind: str
    reason: str
    bounds: tuple[float, float | None] | None = None
    unit: str = ""
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def low(self) -> float | None:
        return self.bounds[0] if self.bounds else None

    @property
    def high(self) -> float | None:
        return self.bounds[1] if self.bounds else None

    @property
    def later(self) -> bool:
        """Accepted and checked, but nothing in this version uses it yet."""
        return self.destination and not MEMORIA_BUILT

    @property
    def destination(self) -> bool:
        """Whether a fault here could send data to the wrong place: strict, and fails closed (D28, Decision 14)."""
        return self.name == "backend" or self.name.startswith("memoria.")

    @property
    def flat(self) -> str:
        """The spelling without a group, as setup, form and `cognition/config.json` have it (contract 2.4)."""
        plain = [alias for alias in self.aliases if "." not in alias]
        return plain[0] if plain else self.name.replace(".", "_")

    @property
    def range(self) -> str:
        """What a value has to be, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.bounds:
            return f"{self.low:.12g} to {self.high:.12g}" if self.high is not None else f"at least {self.low:.12g}"
        return _RANGES.get(self.kind, "text")


_RANGES = {
    "bool": "true or false",
    "switch": "auto, true or false",
    "path": "a path inside the home",
    "word": "one word",
    "labels": "a list of labels",
    "list": "a list of names",
    "models": "a list of provider:model",
    "people": "a list of platform:user",
    "url": "an origin: https://HOST[:PORT], or http on this machine, without path, user, query or fragment",
    "subject": "auto, portable, or a name of at most 111 bytes",
}

# Whether this version has a room that speaks to Memoria.  Without one nobody is asked about it, no form offers it
# (a field for its key would make the host show "API key / local"), and whoever chooses it by hand is told so.
MEMORIA_BUILT = True
