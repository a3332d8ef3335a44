"""The command line as one table of commands.  The parser and docs/commands.md are made from it.

Imported while the host parses its own command line: standard library only (P52).
"""

import argparse
from collections.abc import Callable

from .line import Command, LateParser, Parser, age, common, labels, limit, named, verb, whose, yes
from .parser_consolidation import COMMANDS as CONSOLIDATION
from .parser_memoria import COMMANDS as MEMORIA
from .parser_shelf import COMMANDS as SHELF

KINDS = ("note", "fact", "preference", "instruction", "decision", "identity", "rule", "taboo")
STATES = ("pending", "held", "inflight", "failed", "uncertain", "dead", "done", "discarded")


def _search(parser: Parser) -> None:
    parser.add_argument("words", nargs="+", metavar="QUERY", help="words to look for, or a ref")
    whose(parser)
    labels(parser)
    limit(parser, 10, "hits shown, at most 50")


def _doctor(parser: Parser) -> None:
    parser.add_argument(
        "--ask-model", action="store_true", help="ask the chosen model one short question: it costs a call"
    )


def _dream(parser: Parser) -> None:
    whose(parser)
    parser.add_argument("--repo", metavar="LABEL", help="entries with this label only")


def _bench(parser: Parser) -> None:
    limit(parser, 50, "entries and messages asked about, three questions each")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which of them, and which words (default: 1)")
    parser.add_argument("--show", action="store_true", help="show the texts and questions of what was missed")
    parser.add_argument("--audience", default="owner", metavar="NAME", help="whose memory is asked (default: owner)")


def _list(parser: Parser) -> None:
    whose(parser)
    labels(parser)
    parser.add_argument("--kind", metavar="KIND", help="of this kind only")
    parser.add_argument("--pinned", action="store_true", help="pinned entries only")
    parser.add_argument("--replaced", action="store_true", help="replaced versions as well")
    limit(parser, 50, "entries shown, newest first")


def _store(parser: Parser) -> None:
    parser.add_argument("text", nargs="+", metavar="TEXT", help="what to remember; `-` reads it from standard input")
    parser.add_argument("--kind", choices=KINDS, default="note", help="what it is (default: note)")
    parser.add_argument(
        "--project", default="", metavar="NAME", help="recall it in this project only; `.` is the one you are in"
    )
    parser.add_argument("--audience", default="owner", metavar="NAME", help="whose memory (default: owner)")


def _forget(parser: Parser) -> None:
    named(parser)
    parser.add_argument("--cascade", action="store_true", help="and everything that was derived from it")


def _evict(parser: Parser) -> None:
    named(parser)
    parser.add_argument("--reason", default="evicted by hand", metavar="TEXT", help="written into the archive")


def _resolve(parser: Parser) -> None:
    named(parser, "ref of a conflict copy, or of the entry it conflicts with")
    parser.add_argument("--keep", choices=("copy", "other"), help="which version stays; asked for when not given")


def _conflicts(parser: Parser) -> None:
    whose(parser, "all")
    limit(parser, 20, "conflicts shown")


def _queue(parser: Parser) -> None:
    # The spellings of the earlier diagnostics program (D106).
    parser.add_argument("--retry", metavar="REF", help=argparse.SUPPRESS)
    parser.add_argument("--discard", metavar="REF", help=argparse.SUPPRESS)
    parser.add_argument("--acknowledge-duplicate-risk", action="store_true", help=argparse.SUPPRESS)
    verbs = parser.add_subparsers(dest="queue_verb", metavar="WHAT", title="what", parser_class=Parser)
    listed = verb(verbs, "list", "what waits, oldest first; no texts")
    listed.add_argument("--state", choices=STATES, help="rows in this state only")
    listed.add_argument("--after", type=int, default=0, metavar="SEQ", help="from the row after this number on")
    listed.add_argument("--after-turn", default="", metavar="ID", help="from the turn after this one on")
    limit(listed, 50, "rows shown, and turns")
    named(verb(verbs, "show", "one row with its text, redacted"), "ref of a row")
    retry = verb(verbs, "retry", "try again now, and push what is due")
    retry.add_argument("refs", nargs="*", metavar="REF", help="refs of pending or failed rows")
    retry.add_argument(
        "--all-safe", action="store_true", help="every pending or failed row that cannot be doubled by it"
    )
    retry.add_argument(
        "--acknowledge-duplicate-risk", action="store_true", help="also rows whose delivery has an unknown outcome"
    )
    discard = verb(verbs, "discard", "erase the text of rows; a receipt stays")
    discard.add_argument("refs", nargs="*", metavar="REF", help="refs of held, pending, failed or dropped rows")
    discard.add_argument("--older-than", type=age, metavar="TIME", help="failed and dropped rows older than 30d, 12h")
    requeue = verb(verbs, "requeue", "bring rows back, with a new clock, and push them")
    requeue.add_argument("refs", nargs="+", metavar="REF", help="refs of pending, failed or dropped rows")
    requeue.add_argument(
        "--acknowledge-duplicate-risk", action="store_true", help="also turns that Memoria may have already"
    )
    purge = verb(verbs, "purge", "erase the texts of all that failed, is uncertain, was dropped or belongs elsewhere")
    yes(purge)
    approve = verb(verbs, "approve", "let held rows go")
    approve.add_argument("refs", nargs="*", metavar="REF", help="refs of held rows")
    approve.add_argument("--all", action="store_true", help="all held rows")


def _tombstones(parser: Parser) -> None:
    verbs = parser.add_subparsers(dest="stone_verb", metavar="WHAT", title="what", parser_class=Parser)
    listed = verb(verbs, "list", "dropped entries with reason and text")
    limit(listed, 50, "tombstones shown, newest first")
    requeue = verb(verbs, "requeue", "bring dropped entries back, and push them")
    requeue.add_argument("refs", nargs="+", metavar="REF", help="refs of dropped entries")


def _key(parser: Parser) -> None:
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--stdin", action="store_true", help="read the key from standard input")
    source.add_argument("--file", metavar="PATH", help="read the key from a file")
    parser.add_argument("given", nargs="*", help=argparse.SUPPRESS)  # to say why not, instead of repeating it


def _export(parser: Parser) -> None:
    parser.add_argument("--out", metavar="FILE", help="write to this file, for you alone (default: the screen)")
    parser.add_argument("--replace", action="store_true", help="replace FILE when it exists")
    parser.add_argument("--messages", action="store_true", help="the conversation log as well")
    whose(parser, "all")


def _import(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE", help="an export, a committed.json, or JSON lines; `-`: standard input")
    parser.add_argument("--dry-run", action="store_true", help="say what would come in; change nothing")


def _purge(parser: Parser) -> None:
    parser.add_argument("refs", nargs="*", metavar="REF", help="refs of entries: committed, waiting, dropped, archived")
    parser.add_argument("--text", metavar="TEXT", help="everything that contains this text, in any case")
    parser.add_argument("--kept", action="store_true", help="also delete damaged and imported files that were kept")
    yes(parser)


COMMANDS: tuple[Command, ...] = (
    Command(
        "status",
        "state.status",
        "what is remembered, what waits and why, and what is wrong",
        more="Without a command this is what you get.  It changes nothing and always ends with 0.",
        examples=("status", "status --json"),
    ),
    Command(
        "doctor",
        "doctor.doctor",
        "check everything; for each fault what was kept and the one command that helps",
        _doctor,
        more="Ends with 1 when something is wrong, with 0 when all is well or there are only notes.",
        examples=("doctor",),
    ),
    Command(
        "search", "entries.search", "find entries by words, best first", _search, examples=("search staging port",)
    ),
    Command(
        "list", "entries.listing", "entries, newest first", _list, examples=("list --pinned", "list --audience all")
    ),
    Command(
        "show",
        "entries.show",
        "one entry with its origin, history and whereabouts",
        named,
        more="Finds what is committed, waiting, dropped or archived, what is on Memoria, by ref or id, and messages of "
        "the conversation log.",
        examples=("show cog-20260302_101500-4", "show msg-20260302_101500-12"),
    ),
    Command(
        "dream",
        "entries.dream",
        "a read-only digest: themes, changes, conflicts, what may be stale",
        _dream,
        examples=("dream", "dream --repo default"),
    ),
    Command(
        "bench",
        "bench.bench",
        "check on your own memory whether search and recall find what is there",
        _bench,
        more="Questions are made from your own entries and messages; the same seed asks the same ones.  Nothing is "
        "changed; what was missed is named by its ref.",
        examples=("bench", "bench --limit 200 --seed 2", "bench --show"),
    ),
    Command(
        "store",
        "changes.store",
        "remember a text",
        _store,
        more="Secrets in it are replaced before anything is written.",
        examples=('store "The staging proxy listens on port 7443."', "store --kind preference I like short answers"),
    ),
    Command(
        "forget",
        "changes.forget",
        "take an entry out of memory; its text goes into the archive",
        _forget,
        more="`purge` removes a text everywhere, the archive included.  A message of the log is gone at once.",
        examples=("forget cog-20260302_101500-4",),
    ),
    Command("pin", "changes.pin", "recall this entry always", named),
    Command("unpin", "changes.pin", "recall this entry when it is relevant", named),
    Command("conflicts", "changes.conflicts", "pairs of versions that contradict each other", _conflicts),
    Command(
        "resolve",
        "changes.resolve",
        "keep one version of a conflict; the other is archived",
        _resolve,
        examples=("resolve cog-20260302_101500-4 --keep copy",),
    ),
    Command("evict", "changes.evict", "archive an entry, then remove it, with a reason of yours", _evict),
    Command(
        "queue",
        "waiting.queue",
        "the outbox: what is accepted and not yet committed",
        _queue,
        more="`queue` alone lists what waits.",
        examples=("queue", "queue retry --all-safe", "queue discard --older-than 30d"),
    ),
    Command(
        "tombstones",
        "waiting.tombstones",
        "what was dropped, with its text; bring it back",
        _tombstones,
        examples=("tombstones", "tombstones requeue cog-20260302_101500-4"),
    ),
    Command(
        "key",
        "key.key",
        "put the Memoria API key into the host's secret store",
        _key,
        more="The key never stands on the command line, where other programs can read it.  Needs Hermes.",
        examples=("key --stdin < key.txt", "key --file key.txt"),
    ),
    *MEMORIA,
    *CONSOLIDATION,
    *SHELF,
    Command("fold", "data.fold", "make committed.json alone complete", more="Before you copy that file by hand."),
    Command(
        "export", "data.export", "all entries as one JSON document", _export, examples=("export --out memory.json",)
    ),
    Command(
        "import",
        "data.bring_in",
        "take entries in; what is there already stays as it is",
        _import,
        more="It may be repeated: nothing comes in twice.  What differs under the same ref is kept as a conflict copy.",
        examples=("import memory.json --dry-run",),
    ),
    Command(
        "purge",
        "purge.purge",
        "remove entries or a text from every file of this memory",
        _purge,
        more="Store, journals, previous checkpoint, archive, outbox, tombstones, spill files, log and index; what "
        "cannot be undone is listed first.  Transcripts of Hermes itself are not touched.",
        examples=("purge cog-20260302_101500-4", 'purge --text "old address" --kept'),
    ),
)
BY_NAME = {command.name: command for command in COMMANDS}

_EPILOG = (
    "Exit codes: 0 done, 1 doctor found something wrong or purge left something, "
    "2 refused or wrong usage and nothing was changed."
)


def fill(parser: Parser) -> None:
    """Hang all commands below `parser`."""
    parser.epilog = _EPILOG
    common(parser)
    commands = parser.add_subparsers(
        dest="cognition_verb", metavar="COMMAND", title="commands", parser_class=LateParser
    )
    for command in COMMANDS:
        text = command.does[0].upper() + command.does[1:] + "."
        sub = commands.add_parser(command.name, help=command.does, description=f"{text}  {command.more}".rstrip())
        sub.late = _filler(command)


def _filler(command: Command) -> Callable[[Parser], None]:
    def late(parser: Parser) -> None:
        common(parser)
        if command.arguments is not None:
            command.arguments(parser)

    return late


def build(program: str = "hermes cognition") -> Parser:
    """The parser of its own, for use without a host."""
    parser = Parser(prog=program, description="Look after what Hermes remembers.")
    fill(parser)
    return parser
