"""The commands of consolidation, and of the rules that stand in the system prompt (D106, D118)."""

from .line import Command, Parser, named, number_of, verb


def _summarise(parser: Parser) -> None:
    parser.add_argument("named_session", nargs="?", metavar="SESSION", help="which session; none is ever guessed")
    parser.add_argument("--session", metavar="SID", help="the same")
    parser.add_argument("--dry-run", action="store_true", help="show what would be read and what it would cost")
    parser.add_argument("--setup", action="store_true", help="choose the model, and what Hermes has to permit for it")
    parser.add_argument("--model", metavar="PROVIDER:MODEL", help="with --setup: this one, instead of being asked")
    parser.add_argument("--yes", action="store_true", help="with --setup: do not ask")


def _replay(parser: Parser) -> None:
    parser.add_argument("--session", metavar="SID", help="summarise this session anew")
    parser.add_argument("--from", dest="first", type=int, metavar="N", help="from this message on (default: 0)")


def _backfill(parser: Parser) -> None:
    parser.add_argument("--history", action="store_true", help="sessions from before this memory was set up as well")


def _rule(parser: Parser) -> None:
    verbs = parser.add_subparsers(dest="rule_verb", metavar="WHAT", title="what", parser_class=Parser)
    add = verb(verbs, "add", "a rule in your words, or the ref of an entry that becomes one")
    add.add_argument("text", nargs="+", metavar="TEXT", help="the rule, or a ref; `-` reads it from standard input")
    add.add_argument("--taboo", action="store_true", help="something that must never be done")
    add.add_argument("--project", default="", metavar="NAME", help="in this project only; `.` is the one you are in")
    add.add_argument("--audience", default="owner", metavar="NAME", help="whose rule (default: owner)")
    listed = verb(verbs, "list", "all of them, as a session shows them")
    listed.add_argument("--audience", default="owner", metavar="NAME", help="whose; `all` for everybody's")
    listed.add_argument("--limit", type=number_of, default=200, metavar="N", help="rules shown (default: 200)")
    named(verb(verbs, "drop", "take one away; its text goes into the archive"), "ref of a rule or taboo")


_SUMMARISE = (
    "What is new in the session is read by the model that you have chosen, in the foreground; without a session, what "
    "is owed already is worked off.  `--dry-run` calls nothing."
)

COMMANDS: tuple[Command, ...] = (
    Command(
        "summarise",
        "consolidation.summarise",
        "summaries and lessons of a session, by the model that you have chosen",
        _summarise,
        more=_SUMMARISE,
        examples=("summarise --setup", "summarise --dry-run", "summarise 20260302_101500_ab12cd"),
    ),
    Command("consolidate", "consolidation.summarise", "the same as summarise", _summarise, more=_SUMMARISE),
    Command(
        "replay",
        "consolidation.replay",
        "put into the store what was summarised and is not in it; or summarise a session anew",
        _replay,
        more="With --session the summaries from that message on are made again: that costs calls.",
        examples=("replay", "replay --session 20260302_101500_ab12cd --from 40"),
    ),
    Command(
        "backfill",
        "consolidation.backfill",
        "owe the summaries of sessions that have none yet, the largest first",
        _backfill,
        more="A start does this by itself, for a few sessions of each project.",
        examples=("backfill", "backfill --history"),
    ),
    Command(
        "rule",
        "rules.rule",
        "rules and taboos: they stand in the system prompt of every session",
        _rule,
        more="`rule` alone lists them.  Only you make rules: what pages, tools and models say never becomes one.",
        examples=("rule add Answer in French", "rule add --taboo Never push to main --project shop", "rule list"),
    ),
)
