"""The operations on a shelf over `hypatia mcp` (contract hypatia.md, section 5).  Values come made ready (values)."""

from collections.abc import Callable
from typing import Any

from .errors import ShelfError
from .mcp import QUOTED, Said, Server
from .values import Features, Knowledge, Row, Statement, row, rows

COLLISIONS = ("UNIQUE constraint failed:", "duplicate key")  # of the two backends, when two create the same at once
_WRONG = "invalid arguments:"


def collided(text: str) -> bool:
    """True for the text with which a backend refuses a second row of one key."""
    return any(words in text for words in COLLISIONS)


class Tools:
    """The tools of one shelf; every call names it."""

    def __init__(self, server: Server, shelf: str, redact: Callable[[str], str]) -> None:
        self._server, self._shelf, self._redact = server, shelf, redact

    def features(self) -> Features:
        """What the process in use offers; starts one."""
        tools = self._server.tools()
        return Features(
            update="knowledge_update" in tools,
            embed=all("embed" in tools[name] for name in ("knowledge_create", "statement_create")),
            exclude_tags="exclude_tags" in tools["similar"],
        )

    def get(self, name: str) -> Knowledge | None:
        """The entry; None when it is absent."""
        answer = self._call("knowledge_get", name=name)
        if isinstance(answer, Said):
            if answer.text.strip().startswith(f"not found: knowledge '{name}'"):
                return None
            raise self._refused(answer)
        return named(answer, name)

    def create(self, entry: Knowledge, *, embed: bool) -> bool:
        """True when it was made, False when there was one of the name."""
        fields: dict[str, Any] = {key: value for key, value in _lists(entry).items() if value}
        answer = self._call("knowledge_create", _unless(embed), name=entry.name, data=entry.data, **fields)
        if isinstance(answer, Said):
            exists = answer.text.startswith(f"knowledge '{entry.name}' already exists;")
            if exists or (collided(answer.text) and not answer.text.startswith(_WRONG)):
                return False
            raise self._refused(answer)
        return answer.get("created") is not False

    def update(self, entry: Knowledge) -> bool:
        """True when that changed it.  Synonyms and figures stay as they are, unless the entry has some."""
        if not self.features().update:
            raise ShelfError("TOOL_ERROR", "this hypatia cannot update an entry")
        fields: dict[str, Any] = {
            key: value for key, value in _lists(entry).items() if value or key in ("tags", "scopes")
        }
        answer = self._done(self._call("knowledge_update", name=entry.name, data=entry.data, **fields))
        return answer.get("changed") is not False

    def delete(self, name: str) -> None:
        """Raises ShelfError when it was not there, too."""
        self._done(self._call("knowledge_delete", name=name))

    def relate(self, edge: Statement, *, embed: bool) -> bool:
        """True when it was made, False when it was there."""
        fields: dict[str, Any] = {"data": edge.data} if edge.data else {}
        fields |= {"scopes": list(edge.scopes)} if edge.scopes else {}
        triple = {"head": edge.head, "relation": edge.relation, "tail": edge.tail}
        answer = self._call("statement_create", _unless(embed), **triple, **fields)
        if isinstance(answer, Said):
            if collided(answer.text) and not answer.text.startswith(_WRONG):
                return False
            raise self._refused(answer)
        return answer.get("created") is not False

    def unrelate(self, head: str, relation: str, tail: str) -> None:
        """Raises ShelfError when it was not there, too."""
        self._done(self._call("statement_delete", head=head, relation=relation, tail=tail))

    def query(self, jse: dict[str, Any]) -> list[Row]:
        """Rows of a query in the object form."""
        return rows(self._done(self._call("query", jse=jse)).get("rows"))

    def search(self, text: str, *, catalog: str, limit: int, offset: int) -> list[Row]:
        """Rows by full text."""
        answer = self._call("search", query=text, catalog=catalog, limit=limit, offset=offset)
        return rows(self._done(answer).get("rows"))

    def similar(self, text: str, *, target: str, limit: int, exclude_tags: tuple[str, ...]) -> list[Row]:
        """Rows by nearness; raises TOOL_ERROR where there is no model."""
        optional = {"exclude_tags": list(exclude_tags)} if exclude_tags else {}
        answer = self._call("similar", optional, query=text, target=target, limit=limit)
        return rows(self._done(answer).get("rows"))

    def _call(self, tool: str, optional: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any] | Said:
        return self._server.call(tool, {**arguments, "shelf": self._shelf}, optional or {})

    def _done(self, answer: dict[str, Any] | Said) -> dict[str, Any]:
        if isinstance(answer, Said):
            raise self._refused(answer)
        return answer

    def _refused(self, said: Said) -> ShelfError:
        return ShelfError("TOOL_ERROR", self._redact(said.text)[:QUOTED])


def named(value: Any, name: str) -> Knowledge:
    """The entry in the answer of a get; an answer about another one is none.  Raises BAD_JSON."""
    found = row(value)
    if found is None or found.knowledge is None or found.knowledge.name != name:
        raise ShelfError("BAD_JSON", "the answer is no entry of that name")
    return found.knowledge


def _lists(entry: Knowledge) -> dict[str, list[str]]:
    return {name: list(getattr(entry, name)) for name in ("tags", "synonyms", "figures", "scopes")}


def _unless(embed: bool) -> dict[str, Any]:
    return {} if embed else {"embed": False}
