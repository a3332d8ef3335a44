"""The commands of a Hypatia shelf (D118)."""

from .line import Command, Parser, verb, yes


def _shelf(parser: Parser) -> None:
    verbs = parser.add_subparsers(dest="shelf_verb", metavar="WHAT", title="what", parser_class=Parser)
    verb(verbs, "status", "what the shelf holds, what waits and why, and which shelves the program lists")
    connect = verb(verbs, "connect", "have the program register the shelf in a folder, under the name that is set")
    connect.add_argument("folder", metavar="DIR", help="the folder of a shelf")
    sync = verb(verbs, "sync", "send what is owed now, and take out what was forgotten here")
    sync.add_argument("--dry-run", action="store_true", help="say what would be sent and taken out; change nothing")
    sync.add_argument(
        "--prune", action="store_true", help="take out as well what is gone here without having been forgotten"
    )
    bring = verb(verbs, "import", "take in what the shelf has and this memory lacks")
    bring.add_argument("--dry-run", action="store_true", help="say what would come in; change nothing")
    bring.add_argument(
        "--project", metavar="NAME", help="entries without a scope come into this project (without it they stay out)"
    )
    yes(bring)


COMMANDS: tuple[Command, ...] = (
    Command(
        "shelf",
        "shelf.shelf",
        "the copy of this memory on a Hypatia shelf",
        _shelf,
        more="`shelf` alone is `shelf status`.  A running session sends by itself what is new.  Only the owner's "
        "memory goes out, with secrets taken out; see docs/hypatia.md.",
        examples=("shelf", "shelf connect ~/shelf", "shelf sync --dry-run", "shelf import --dry-run"),
    ),
)
