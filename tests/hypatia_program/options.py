"""The command line as the program reads it: options anywhere, `--name=value` or `--name value`, `--` ends them.

A value that begins with a dash needs the equals form, as with most parsers of its kind (HA207).
"""

from typing import NamedTuple


class Usage(Exception):
    """Wrong use: exit 2."""


class Command(NamedTuple):
    """Names of the positional arguments, and options: spelling -> whether it takes a value."""

    positions: tuple[str, ...] = ()
    options: dict[str, bool] = {}
    short: dict[str, str] = {}

    def help(self, name: str) -> str:
        lines = [f"Usage: hypatia {name} [OPTIONS]{''.join(f' <{position}>' for position in self.positions)}", ""]
        letters = {long: letter for letter, long in self.short.items()}
        lines += ["Options:"]
        for option, valued in self.options.items():
            letter = f"{letters[option]}, " if option in letters else "    "
            lines.append(f"  {letter}{option}{' <VALUE>' if valued else ''}")
        return "\n".join([*lines, "  -h, --help  Print help"])


def parse(command: Command, arguments: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Positional arguments and options by name; raises Usage."""
    positions: list[str] = []
    options: dict[str, str] = {}
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "--":
            positions.extend(waiting)
        elif not argument.startswith("-") or argument == "-":
            positions.append(argument)
        else:
            spelled, equals, value = argument.partition("=")
            name = command.short.get(spelled, spelled)
            if name not in command.options:
                raise Usage(f"unexpected argument '{spelled}' found")
            if name in options:
                raise Usage(f"the argument '{name}' cannot be used multiple times")
            if command.options[name]:
                if not equals:
                    value = next(waiting, "-")
                    if value.startswith("-"):
                        raise Usage(f"a value is required for '{name} <VALUE>' but none was supplied")
            elif equals:
                raise Usage(f"unexpected value for '{name}'")
            options[name] = value
    if len(positions) != len(command.positions):
        raise Usage(f"expected {len(command.positions)} arguments, got {len(positions)}")
    return dict(zip(command.positions, positions, strict=True)), options
