"""The command line (section 8): one process per command, domain failures exit 1, wrong use exits 2."""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from . import fields, server, switches
from .options import Command, Usage, parse
from .shelf import Exists, Missing, Refused, Shelves
from .storage import Storage
from .tools import entry

NOTHING = "No results found."
Positions = dict[str, str]
Options = dict[str, str]
LISTS: dict[str, Callable[[str], list[str]]] = {
    "tags": fields.split_tags,
    "synonyms": fields.split_list,
    "figures": fields.split_list,
    "scopes": fields.split_scopes,
}


def _content(options: Options) -> dict[str, Any]:
    found: dict[str, Any] = {"data": options["--data"]} if "--data" in options else {}
    return found | {name: split(options[f"--{name}"]) for name, split in LISTS.items() if f"--{name}" in options}


def _shelf(shelves: Shelves, options: Options) -> str:
    return shelves.shelf(options.get("--shelf"))


def _collided(error: Refused) -> str:
    return error.collision if isinstance(error, Exists) else str(error)


def knowledge_get(shelves: Shelves, given: Positions, options: Options) -> str:
    try:
        return server.shown(entry(shelves, _shelf(shelves, options), given["name"]))
    except Missing:
        return f"Knowledge '{given['name']}' not found."


def knowledge_create(shelves: Shelves, given: Positions, options: Options) -> str:
    shelf = _shelf(shelves, options)
    shelves.create(shelf, given["name"], _content(options), embed="--no-embed" not in options)
    return f"Created knowledge: {given['name']}"


def knowledge_update(shelves: Shelves, given: Positions, options: Options) -> str:
    changed = shelves.update(_shelf(shelves, options), given["name"], _content(options))
    return f"Updated knowledge: {given['name']}" if changed else f"Knowledge unchanged: {given['name']}"


def knowledge_delete(shelves: Shelves, given: Positions, options: Options) -> str:
    shelves.delete(_shelf(shelves, options), given["name"])
    return f"Deleted knowledge: {given['name']}"


def _triple(given: Positions) -> tuple[str, str, str]:
    return given["head"], given["relation"], given["tail"]


def _spelled(given: Positions) -> str:
    return f"({', '.join(_triple(given))})"


def statement_create(shelves: Shelves, given: Positions, options: Options) -> str:
    shelf = _shelf(shelves, options)
    synonyms = _json(options["--synonyms"], "synonyms") if options.get("--synonyms") else None
    if not isinstance(synonyms, (dict, type(None))):
        raise Refused("invalid synonyms JSON: expected an object")
    content = _content({name: value for name, value in options.items() if name != "--synonyms"})
    triple, embed = _triple(given), "--no-embed" not in options
    if shelves.relate(shelf, triple, content | {"synonyms": synonyms}, embed=embed):
        return f"Created statement: {_spelled(given)}"
    if switches.value("COLLISION"):
        raise Exists("statement", _spelled(given))
    return f"Statement already exists: {_spelled(given)}"


def statement_delete(shelves: Shelves, given: Positions, options: Options) -> str:
    shelves.unrelate(_shelf(shelves, options), _triple(given))
    return f"Deleted statement: {_spelled(given)}"


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(f"invalid {what} JSON: {error}") from None


def _number(options: Options, name: str, default: int) -> int:
    text = options.get(name, str(default))
    if not text.lstrip("-").isdecimal():
        raise Usage(f"invalid value '{text}' for '{name} <VALUE>': invalid digit found in string")
    return int(text)


def _choice(options: Options, name: str, choices: tuple[str, ...]) -> str | None:
    if (chosen := options.get(name)) not in (None, *choices):
        raise Usage(f"invalid value '{chosen}' for '{name} <VALUE>' [possible values: {', '.join(choices)}]")
    return chosen


def _rows(rows: list[dict[str, Any]]) -> str:
    return server.shown(rows) if rows else NOTHING


def search(shelves: Shelves, given: Positions, options: Options) -> str:
    catalog = _choice(options, "--catalog", ("knowledge", "statement"))
    page = _number(options, "--limit", 100), _number(options, "--offset", 0)
    return _rows(shelves.search(_shelf(shelves, options), given["query"], catalog, *page)[0])


def similar(shelves: Shelves, given: Positions, options: Options) -> str:
    shelf = _shelf(shelves, options)
    where = _json(options["--where"], "where") if "--where" in options else None
    target = _choice(options, "--target", ("knowledge", "statement", "both")) or "both"
    debt = shelves.debt(shelf)
    rows, _ = shelves.similar(
        *(shelf, given["query"], target, _number(options, "--limit", 100)),
        tags=fields.split_list(options.get("--tags", "")),
        without=fields.split_list(options.get("--exclude-tags", "")),
        where=where,
    )
    if waiting := debt["pending_knowledge"] + debt["pending_statement"]:
        print(f"note: {waiting} vectors were missing", file=sys.stderr)
    return _rows(rows)


def query(shelves: Shelves, given: Positions, options: Options) -> str:
    return _rows(shelves.query(_shelf(shelves, options), _json(given["jse"], "JSE"))[0])


def session_current(shelves: Shelves, given: Positions, options: Options) -> str:
    rows = shelves.session_current(_shelf(shelves, options), options.get("--scope", ""))
    lines = [f"{row['created_at']}  {row['name']}" for row in rows]
    return "\n".join(lines) or "No unsummarized messages."


def listing(shelves: Shelves, given: Positions, options: Options) -> str:
    states = {True: "[connected]", False: "[disconnected]"}
    lines = [f"  {shelf['name']}  {shelf['path']}  {states[shelf['connected']]}" for shelf in shelves.registry()]
    return "\n".join(lines) or "No shelves registered."


def connect(shelves: Shelves, given: Positions, options: Options) -> str:
    name, path = shelves.connect(given["dir"], options.get("--name"))
    return f"Connected shelf '{name}' at {path}"


def disconnect(shelves: Shelves, given: Positions, options: Options) -> str:
    shelves.disconnect(given["name"])
    return f"Disconnected shelf '{given['name']}'"


def backfill(shelves: Shelves, given: Positions, options: Options) -> str:
    shelf = _shelf(shelves, options)
    if "--status" not in options:
        return f"Installed {shelves.backfill(shelf, 512)} vectors."
    return server.shown(shelves.debt(shelf))


def _options(*names: str, flags: tuple[str, ...] = ()) -> dict[str, bool]:
    return {f"--{name}": True for name in (*names, "shelf")} | {f"--{flag}": False for flag in flags}


TRIPLE = ("head", "relation", "tail")
CONTENT = ("data", "tags", "synonyms", "figures", "scopes")
Run = Callable[[Shelves, Positions, Options], str]
COMMANDS: dict[str, tuple[Command, Run]] = {
    "knowledge-get": (Command(("name",), _options()), knowledge_get),
    "knowledge-create": (Command(("name",), _options(*CONTENT, flags=("no-embed",))), knowledge_create),
    "knowledge-update": (Command(("name",), _options(*CONTENT)), knowledge_update),
    "knowledge-delete": (Command(("name",), _options()), knowledge_delete),
    "statement-create": (
        Command(TRIPLE, _options("data", "scopes", "synonyms", flags=("no-embed",))),
        statement_create,
    ),
    "statement-delete": (Command(TRIPLE, _options()), statement_delete),
    "search": (Command(("query",), _options("catalog", "limit", "offset"), {"-c": "--catalog"}), search),
    "similar": (
        Command(("query",), _options("target", "limit", "tags", "exclude-tags", "where"), {"-t": "--target"}),
        similar,
    ),
    "query": (Command(("jse",), _options()), query),
    "session-current": (Command((), _options("scope")), session_current),
    "list": (Command(), listing),
    "connect": (Command(("dir",), {"--name": True}, {"-n": "--name"}), connect),
    "disconnect": (Command(("name",)), disconnect),
    "backfill": (Command((), _options(flags=("status",))), backfill),
}
# What a build may lack, and how the option is spelled.
OPTIONAL = {"embed": "--no-embed", "exclude_tags": "--exclude-tags", "tags": "--tags", "where": "--where"}


def built(name: str) -> Command:
    """The command as this build has it."""
    command, place = COMMANDS[name][0], name.replace("-", "_")
    missing = {spelled for feature, spelled in OPTIONAL.items() if switches.lacks(feature, place)}
    options = {option: valued for option, valued in command.options.items() if option not in missing}
    return Command(command.positions, options, command.short)


def main(arguments: list[str]) -> int:
    """The exit code."""
    switches.log("start", arguments=arguments)
    switches.enter("start")
    names = [name for name in COMMANDS if f"command:{name}" not in switches.items("WITHOUT")]
    names += [] if switches.lacks("mcp") else ["mcp"]
    if arguments[:1] in ([], ["--help"], ["-h"]):
        text = "\n".join(["Usage: hypatia <COMMAND>", "", "Commands:", *(f"  {name}" for name in names)])
        return _say(text) if arguments else _wrong(text)
    name, rest = arguments[0], arguments[1:]
    if name not in names:
        return _wrong(f"error: unrecognized subcommand '{name}'\n\nUsage: hypatia <COMMAND>")
    place = name.replace("-", "_")
    if name == "mcp":
        return server.main(Storage(switches.database(), "mcp"))
    command = built(name)
    if "--help" in rest or "-h" in rest:
        if switches.struck("HELP", place) is not None:
            return _fail("help is not available")
        return _say(command.help(name))
    try:
        for argument in rest:
            argument.encode("utf-8")
        given, options = parse(command, rest)
        switches.enter(place)
        switches.slow(place)
        if (failure := switches.struck("FAIL", place)) is not None:
            return _fail(failure)
        storage = Storage(switches.database(), "cli")
        said = COMMANDS[name][1](Shelves(storage), given, options)
    except UnicodeEncodeError:
        return _wrong("error: invalid UTF-8 was detected in one or more arguments")
    except Usage as wrong:
        return _wrong(f"error: {wrong}\n\nUsage: hypatia {name} --help")
    except Refused as refused:
        return _fail(_collided(refused))
    code = _say(said, switches.struck("GARBAGE", place))
    storage.answered()
    return code


def _say(text: str, spoilt: str | None = None) -> int:
    whole = text.encode("utf-8") + b"\n"
    if spoilt == "flood":
        switches.flood(1)
    if spoilt == "half":
        os.write(1, whole[: len(whole) // 2])
        return 1
    if spoilt == "bytes":
        os.write(1, b"\xff\xfe not text\n")
    elif spoilt is not None:
        os.write(1, b"thread 'main' is talking: {not json\n")
    sys.stdout.buffer.write(b"" if spoilt == "only" else whole)
    sys.stdout.buffer.flush()
    return 0


def _fail(text: str) -> int:
    os.write(2, f"Error: {text}\n".encode("utf-8", "replace"))
    return 1


def _wrong(text: str) -> int:
    os.write(2, f"{text}\n".encode("utf-8", "replace"))
    return 2
