"""What every command line is made of: a command, its parser, and arguments that several of them have.

Imported while the host parses its own command line: standard library only (P52).
"""

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

Parser = argparse.ArgumentParser


class LateParser(Parser):
    """A parser whose arguments are added when it is used: the host builds all commands at each start (P52)."""

    late: Callable[[Parser], None] | None = None

    def complete(self) -> "LateParser":
        late, self.late = self.late, None
        if late is not None:
            late(self)
        return self

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        self.complete()
        return super().parse_known_args(*args, **kwargs)

    def format_help(self) -> str:
        self.complete()
        return super().format_help()


class Command(NamedTuple):
    """`run` names module and function in this folder; `examples` are command lines without the program's name."""

    name: str
    run: str
    does: str
    arguments: Callable[[Parser], None] | None = None
    more: str = ""
    examples: tuple[str, ...] = ()


def whose(parser: Parser, default: str = "owner") -> None:
    parser.add_argument(
        "--audience", default=default, metavar="NAME", help=f"whose entries; `all` for everybody's (default: {default})"
    )


def labels(parser: Parser) -> None:
    parser.add_argument("--project", metavar="NAME", help="of this project only")
    parser.add_argument("--repo", metavar="LABEL", help="with this label only")


def limit(parser: Parser, default: int, what: str) -> None:
    parser.add_argument("--limit", type=number_of, default=default, metavar="N", help=f"{what} (default: {default})")


def number_of(text: str) -> int:
    number = int(text)
    if not 0 < number <= 100_000:
        raise argparse.ArgumentTypeError("must be 1 to 100000")
    return number


def age(text: str) -> float:
    """Seconds from `30d`, `12h`, `90m`; a plain number is days."""
    unit = {"d": 86_400.0, "h": 3_600.0, "m": 60.0}.get(text[-1:].lower())
    try:
        number = float(text[:-1] if unit else text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e9:
        raise argparse.ArgumentTypeError("must be a time like 30d, 12h or 90m")
    return number * (unit or 86_400.0)


def named(parser: Parser, what: str = "ref of an entry") -> None:
    parser.add_argument("ref", metavar="REF", help=what)


def yes(parser: Parser) -> None:
    parser.add_argument("--yes", action="store_true", help="do not ask")


def verb(parent: Any, name: str, does: str) -> Parser:
    """One verb below a command."""
    sub: Parser = parent.add_parser(name, help=does, description=f"{does[0].upper()}{does[1:]}.")
    common(sub)
    return sub


def common(parser: Parser) -> None:
    """Accepted before and after the command; not set at all when not given, so that neither place hides the other."""
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object")
    parser.add_argument(
        "--home", metavar="PATH", default=argparse.SUPPRESS, help="Hermes home (default: the active one)"
    )
