"""The query language: the operators the project uses and their near relatives, over rows in memory.

Array form `["$knowledge", condition, …]`; object form `{"$knowledge": [condition, …], "limit": 50, "offset": 0}`.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .finding import TRIPLE, Item, shown

LIMIT = 100
CATALOGS = {"$knowledge": "knowledge", "$statement": "statement"}
FIELDS = {
    *("name", "data", "format", "tags", "synonyms", "figures", "scopes", "content", "created_at"),
    *TRIPLE,
}
ALIASES = {"subject": "head", "predicate": "relation", "object": "tail"}
LISTS = ("tags", "scopes", "figures")
Condition = Callable[[Item], bool]


class Invalid(Exception):
    """The query cannot be answered as it stands."""


def answer(question: Any, items: list[Item]) -> tuple[list[dict[str, Any]], int]:
    """The page of rows, and how many there are in all."""
    operator, operands, limit, offset = _opened(question)
    if operator == "$not-summaried":
        found = _not_summaried(operands, items)
    else:
        if operator == "$triple":
            catalog, conditions = "statement", [_triple(operands)]
        elif operator in CATALOGS:
            catalog, conditions = CATALOGS[operator], [condition(operand) for operand in operands]
        else:
            raise Invalid(f"unknown query operator '{operator}'")
        found = [item for item in items if item["catalog"] == catalog and all(holds(item) for holds in conditions)]
        found.reverse()  # newest first
    return [shown(item) for item in found[offset : offset + limit]], len(found)


def _opened(question: Any) -> tuple[str, list[Any], int, int]:
    if isinstance(question, list) and question and isinstance(question[0], str):
        return question[0], question[1:], LIMIT, 0
    if not isinstance(question, dict):
        raise Invalid("a query is an array that begins with an operator, or an object")
    operators = [key for key in question if key.startswith("$")]
    extra = set(question) - set(operators) - {"limit", "offset"}
    if len(operators) != 1 or extra:
        raise Invalid(f"a query object has one operator, limit and offset, got {', '.join(sorted(question))}")
    operands = question[operators[0]]
    if not isinstance(operands, list):
        raise Invalid(f"{operators[0]} takes an array")
    return operators[0], operands, _number(question, "limit", LIMIT, 1), _number(question, "offset", 0, 0)


def _number(question: dict[str, Any], key: str, default: int, least: int) -> int:
    number = question.get(key, default)
    if type(number) is not int or number < least:
        raise Invalid(f"{key} must be a number of at least {least}, got {number}")
    return number


def _not_summaried(operands: list[Any], items: list[Item]) -> list[Item]:
    """Oldest first: entries with the tag whose name is the tail of no `summary` statement."""
    if not operands or not isinstance(operands[0], str):
        raise Invalid("$not-summaried takes a tag, then conditions")
    tag, conditions = operands[0], [condition(operand) for operand in operands[1:]]
    covered = {item["tail"] for item in items if item["catalog"] == "statement" and item["relation"] == "summary"}
    return [
        item
        for item in items
        if item["catalog"] == "knowledge"
        and tag in (item["tags"] or ())
        and item["name"] not in covered
        and all(holds(item) for holds in conditions)
    ]


def condition(node: Any) -> Condition:
    """One condition as a function of a row."""
    if not isinstance(node, list) or not node or not isinstance(node[0], str):
        raise Invalid("unexpected node in condition context")
    operator, operands = node[0], node[1:]
    if operator in ("$and", "$or"):
        parts = [condition(operand) for operand in operands]
        join = all if operator == "$and" else any
        return lambda item: join(part(item) for part in parts)
    if operator == "$not":
        if len(operands) != 1:
            raise Invalid("$not takes one condition")
        part = condition(operands[0])
        return lambda item: not part(item)
    if operator == "$triple":
        return _triple(operands)
    if operator == "$has" and len(operands) == 1:
        name = _field(operands[0])
        return lambda item: item.get(name) not in (None, "", [], {})
    if operator not in COMPARISONS:
        raise Invalid(f"unknown operator '{operator}'")
    if len(operands) != 2:
        raise Invalid(f"{operator} takes a field and a value")
    name, wanted = _field(operands[0]), _value(operands[1])
    compare = COMPARISONS[operator]
    return lambda item: compare(name, _held(item, name), wanted)


def _triple(positions: list[Any]) -> Condition:
    if len(positions) != 3 or not all(isinstance(position, str) for position in positions):
        raise Invalid("$triple takes head, relation and tail")
    if all(position == "$*" for position in positions):
        raise Invalid("$triple needs at least one position that is not $*")
    wanted = [(name, value) for name, value in zip(TRIPLE, positions, strict=True) if value != "$*"]
    return lambda item: all(item.get(name) == value for name, value in wanted)


def _field(name: Any) -> str:
    name = ALIASES.get(name, name) if isinstance(name, str) else name
    if name not in FIELDS:
        raise Invalid(f"unknown field '{name}'")
    return str(name)


def _value(node: Any) -> Any:
    if isinstance(node, list) and len(node) == 2 and node[0] == "$quote":
        return node[1]
    if isinstance(node, (list, dict)):
        raise Invalid("a value is a string, a number, true, false, null or $quote")
    return node


def _held(item: Item, name: str) -> Any:
    return item["content_text"] if name == "content" else item.get(name)


def _contains(name: str, held: Any, wanted: Any) -> bool:
    if name in LISTS:
        return wanted in (held or ())
    if isinstance(held, list):
        return any(str(wanted) in str(one) for one in held)
    return held is not None and str(wanted) in str(held)


def _has(_name: str, held: Any, wanted: Any) -> bool:
    return wanted in held if isinstance(held, (list, dict)) else held is not None and held == wanted


@lru_cache(maxsize=256)
def _pattern(like: str) -> re.Pattern[str]:
    parts = {"%": ".*", "_": "."}
    text = "".join(parts.get(letter) or re.escape(letter) for letter in like)
    return re.compile(text, re.DOTALL | re.IGNORECASE | re.ASCII)  # as SQLite: only ASCII letters have a case


def _like(_name: str, held: Any, wanted: Any) -> bool:
    return isinstance(held, str) and isinstance(wanted, str) and bool(_pattern(wanted).fullmatch(held))


def _ordered(holds: Callable[[Any, Any], bool]) -> Callable[[str, Any, Any], bool]:
    return lambda _name, held, wanted: isinstance(held, str) and isinstance(wanted, str) and holds(held, wanted)


COMPARISONS: dict[str, Callable[[str, Any, Any], bool]] = {
    "$eq": lambda _name, held, wanted: bool(held == wanted),
    "$ne": lambda _name, held, wanted: bool(held != wanted),
    "$gt": _ordered(lambda a, b: a > b),
    "$lt": _ordered(lambda a, b: a < b),
    "$gte": _ordered(lambda a, b: a >= b),
    "$lte": _ordered(lambda a, b: a <= b),
    "$like": _like,
    "$contains": _contains,
    "$has": _has,
}
