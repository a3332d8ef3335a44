"""Commands that only a home on Memoria needs."""

from .line import Command, Parser, verb


def _identity(parser: Parser) -> None:
    verbs = parser.add_subparsers(dest="identity_verb", metavar="WHAT", title="what", parser_class=Parser)
    verb(verbs, "show", "whose records this home reads and writes")
    confirm = verb(verbs, "confirm", "say what became of a home with a portable id")
    which = confirm.add_mutually_exclusive_group(required=True)
    which.add_argument("--moved", action="store_true", help="it was moved: it keeps its id and its memories")
    which.add_argument("--copied", action="store_true", help="it is a copy: it gets an id of its own")


COMMANDS: tuple[Command, ...] = (
    Command(
        "identity",
        "memoria.identity",
        "under which subject this home's records stand on Memoria",
        _identity,
        more="`identity` alone shows it.  A subject is a filter inside your account, not a wall: every key of the "
        "account can read all of it.",
        examples=("identity", "identity confirm --moved"),
    ),
)
