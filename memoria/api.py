"""The routes that are used, each bound to a subject and a branch (M9, M17), with every reply checked (M18).

    Api        one client with a branch; says what the account and its server can do
    Scoped     the same for one subject: every request names it, every record that comes back must carry it

A record of another subject makes the whole reply worthless: `subject_scope_mismatch`.  Nothing here repeats a request.
Purge, correct by query, checkout and merge are not used: they cross subjects (memoria-api.md 3.8, 3.10, 3.16).
"""

import functools
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from .client import Answer, Client, encoded
from .errors import DEDUPLICATED, MemoriaError, NotFound, OutcomeUnknown, ReadFailed, Refused, RouteAbsent, broken
from .limits import GRACE_S, PAGE_MAX, SESSION_CHARS

if TYPE_CHECKING:
    from .models import Observed, Page, Record

T = TypeVar("T")
_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
QUERY = "/v1/memories/query"
ASPECTS = ("key", "branch", "lookup", "write", "turns")  # of what an account and its server can do
NOBODY = ("connection_failed", "network_failed")
_CURSOR = re.compile(r"[0-9a-f]{32}")


class Api:
    """One account on one server, on one branch.

    request_timeout  seconds of wall clock for one request (setting memoria.request_timeout)
    recall_timeout   the same for recall (memoria.recall_timeout)
    """

    def __init__(
        self, client: Client, branch: str = "main", *, request_timeout: float = 15.0, recall_timeout: float = 2.0
    ) -> None:
        self.client, self.branch = client, branch
        self.request_timeout, self.recall_timeout = request_timeout, recall_timeout

    def about(self, subject: str) -> "Scoped":
        """The routes for one subject."""
        return Scoped(self, subject)

    def observe(self, payload: Mapping[str, Any]) -> "Observed":
        """Upload one turn exactly as it was queued; the route is the payload's (M39).

        Raises OutcomeUnknown where it may have been taken: there is no way to find out.
        """
        path = DEDUPLICATED if payload.get("exclude_memory_ids") else "/v1/observe"
        answer = self.client.request("POST", path, budget=self.request_timeout, body=dict(payload))
        return read(lambda: models().Observed.model_validate(answer.value), "invalid_observe_response", write=True)

    def reach(self) -> None:
        """The smallest read that goes through key and database.  Raises MemoriaError."""
        self._get("/v1/memories", limit=1, branch=self.branch)

    def warm(self) -> None:
        """Open the connection that the first recall will use, in the background (MI2)."""
        self.client.submit("GET", "/health", budget=self.request_timeout)

    def check(self) -> dict[str, str]:
        """For doctor and setup: `key`, `branch`, `lookup`, `write`, `turns`, each "ok" or a code.  Writes nothing.

        `lookup` is the route by which records are found by our own ids.  Where nobody answers, nothing more is asked.

        The write scope and the route for turns are asked with requests that the server refuses before it does anything:
        an empty list of exclusions, and the deletion of a record that does not exist.
        """
        found = {"key": _code(lambda: self._get("/v1/memories", limit=1, branch=self.branch))}
        if found["key"] in NOBODY:
            return dict.fromkeys(ASPECTS, found["key"])
        if found["key"] == "http_500":  # list is a coarse route: an unknown branch reads like a fault there (1.3)
            found["key"] = _code(lambda: self._get("/v1/memories", limit=1, branch="main"))
        nothing = f"/v1/memories/{'0' * 32}"
        found["branch"] = _code(lambda: self._get(nothing, branch=self.branch))
        if found["branch"] == "not_found":
            found["branch"] = "branch_not_found"
        one = {"trust_tier": "T1", "limit": 1, "branch": "main"}
        found["lookup"] = _code(lambda: self.client.request("POST", QUERY, budget=self.request_timeout, body=one))
        query = {"branch": "main"}
        write = _code(lambda: self.client.request("DELETE", nothing, budget=self.request_timeout, query=query))
        found["write"] = "ok" if write == "not_found" else write
        empty = {"messages": [], "exclude_memory_ids": [], "branch": self.branch}
        try:
            self.client.request("POST", DEDUPLICATED, budget=self.request_timeout, body=empty)
            found["turns"] = "ok"
        except RouteAbsent as absent:
            found["turns"] = absent.code
        except MemoriaError as error:
            found["turns"] = "ok" if error.code in ("http_422", "not_found") else error.code
        return found

    def answers(self) -> bool:
        """Whether the database behind the account gives a non-empty answer: it always has the branch main (D83)."""
        try:
            value = self._get("/v1/branches").value
        except MemoriaError:
            return False
        return isinstance(value, dict) and bool(value.get("branches"))

    def _get(self, path: str, **query: str | int) -> Answer:
        return self.client.request("GET", path, budget=self.request_timeout, query=query)


class Scoped:
    """The routes for `subject`; the methods raise MemoriaError."""

    def __init__(self, api: Api, subject: str) -> None:
        self.api, self.subject, self._client = api, subject, api.client

    @property
    def branch(self) -> str:
        return self.api.branch

    # -- looking -----------------------------------------------------------------------------------------------------

    def find(self, metadata: Mapping[str, str | int | float | bool], *, limit: int = 50) -> "list[Record]":
        """Active records whose metadata hold exactly these values, newest first: the precise way to find our own (D82).

        A record that does not hold them is a lie of something in between, and the reply is refused.
        """
        body = {**self._scope(), "extra_metadata_filter": dict(metadata), "limit": limit}
        return self._found(self._client.request("POST", QUERY, budget=self.api.request_timeout, body=body), metadata)

    def get(self, memory_id: str, *, known: bool = False) -> "Record | None":
        """The active record with this id, None for everything else; also for one of another subject (M19).

        known: it was ours a moment ago, so an answer that calls it somebody else's is not to be believed.
        """
        if not _ID.fullmatch(memory_id):
            return None
        path = f"/v1/memories/{quote(memory_id, safe='')}"
        try:
            answer = self._client.request("GET", path, budget=self.api.request_timeout, query={"branch": self.branch})
        except NotFound:  # an earlier server; for us also an unknown branch, which the doctor tells apart
            return None
        if answer.value is None:
            return None
        record = read(lambda: models().Record.model_validate(answer.value), "invalid_response", write=False)
        if record.memory_id != memory_id:
            raise ReadFailed("invalid_response")
        if known and record.subject_id != self.subject:
            raise ReadFailed("subject_scope_mismatch")
        return record if record.subject_id == self.subject else None

    def page(self, *, memory_type: str = "", cursor: str = "", limit: int = 100) -> "Page":
        """One page of the subject's records, newest first; `cursor` is the last id of the page before (3.4)."""
        if cursor and not _CURSOR.fullmatch(cursor):
            raise Refused("invalid_cursor", "That cursor is not one of ours; begin without one.")
        query: dict[str, str | int] = {"subject_id": self.subject, "branch": self.branch, "limit": min(limit, PAGE_MAX)}
        query |= {"memory_type": memory_type} if memory_type else {}
        query |= {"cursor": cursor} if cursor else {}
        while True:
            try:
                answer = self._client.request("GET", "/v1/memories", budget=self.api.request_timeout, query=query)
                return self._page(answer)
            except ReadFailed as error:  # a page over 1 MiB: fewer records (MD6)
                if error.code != "response_too_large" or int(query["limit"]) <= 1:
                    raise
                query["limit"] = max(1, int(query["limit"]) // 4)

    def retrieve(self, query: str, *, top_k: int, session_id: str = "", budget: float | None = None) -> "list[Record]":
        """The best records for `query`, best first, at most `top_k`, answered within `budget` seconds (as `begin`)."""
        budget = self.api.recall_timeout if budget is None else budget
        future = self.begin(query, top_k=top_k, session_id=session_id, budget=budget)
        try:
            found: list[Record] = future.result(budget + GRACE_S)
            return found
        except NotInTime:  # the loop itself is stuck
            pass
        raise broken("lost", write=False)

    def begin(self, query: str, *, top_k: int, session_id: str = "", budget: float | None = None) -> "Future[Any]":
        """Begin a retrieval; the future gives the records.  budget: seconds, default the recall's."""
        body = {"query": query, "top_k": top_k, **self._scope(session_id)}
        limit = self.api.recall_timeout if budget is None else budget

        async def work() -> "list[Record]":
            answer = await self._client.send("POST", "/v1/memories/retrieve", {}, encoded(body), limit, write=False)
            return self._list(answer)[:top_k]

        return self._client.spawn(work())

    def begin_find(self, metadata: Mapping[str, str | int | float | bool], *, limit: int) -> "Future[Any]":
        """Begin a `find`, within the budget of a recall; the future gives the records."""
        body = {**self._scope(), "extra_metadata_filter": dict(metadata), "limit": limit}

        async def work() -> "list[Record]":
            budget = self.api.recall_timeout
            answer = await self._client.send("POST", QUERY, {}, encoded(body), budget, write=False)
            return self._found(answer, metadata)

        return self._client.spawn(work())

    # -- writing -----------------------------------------------------------------------------------------------------

    def put(
        self, content: str, memory_type: str, metadata: Mapping[str, str | int | float | bool], session_id: str = ""
    ) -> "Record":
        """Write one new record through the batch route, which touches no other record (D81).

        OutcomeUnknown: it may be there.  The batch route answers 500 for blocked text too, hence memoria/screen.py.
        """
        item = {
            "content": content,
            "memory_type": memory_type,
            "extra_metadata": dict(metadata),
            "subject_id": self.subject,
        }
        item |= {"session_id": fitting_session(session_id)} if session_id else {}
        body = {"memories": [item], "subject_id": self.subject, "branch": self.branch}
        answer = self._client.request("POST", "/v1/memories/batch", budget=self.api.request_timeout, body=body)
        reply = {"items": answer.value}
        records = read(lambda: models().Records.model_validate(reply).items, "invalid_mutation_response", write=True)
        if len(records) != 1 or records[0].subject_id != self.subject:
            raise OutcomeUnknown("invalid_mutation_response")
        if any(records[0].extra_metadata.get(key) != value for key, value in metadata.items()):
            raise OutcomeUnknown("invalid_mutation_response")
        return records[0]

    def correct(self, memory_id: str, content: str) -> "Record":
        """Replace the text of a record that carries no ref (D84); it gets a new id.  The caller has just read it."""
        path = f"/v1/memories/{quote(memory_id, safe='')}/correct"
        body = {"new_content": content, "branch": self.branch}
        answer = self._client.request("PUT", path, budget=self.api.request_timeout, body=body)
        record = read(lambda: models().Record.model_validate(answer.value), "invalid_mutation_response", write=True)
        if record.subject_id != self.subject:
            raise OutcomeUnknown("invalid_mutation_response")
        return record

    def delete(self, memory_id: str) -> bool:
        """Take a record out; False when it was gone already.  May be repeated.  The caller has just read it."""
        path = f"/v1/memories/{quote(memory_id, safe='')}"
        try:
            self._client.request("DELETE", path, budget=self.api.request_timeout, query={"branch": self.branch})
        except NotFound:
            return False
        return True

    def rate(self, memory_id: str, signal: str) -> None:
        """Count a rating; main only, each call counts (3.14).  The caller has just read the record."""
        if self.branch != "main":
            raise Refused("feedback_requires_main_branch")
        path = f"/v1/memories/{quote(memory_id, safe='')}/feedback"
        answer = self._client.request("POST", path, budget=self.api.request_timeout, body={"signal": signal})
        done = read(lambda: models().Rated.model_validate(answer.value), "invalid_mutation_response", write=True)
        if done.memory_id != memory_id or done.signal != signal:
            raise OutcomeUnknown("invalid_mutation_response")

    # -- parts -------------------------------------------------------------------------------------------------------

    def _scope(self, session_id: str = "") -> dict[str, Any]:
        scope = {"subject_id": self.subject, "branch": self.branch}
        return scope | ({"session_id": fitting_session(session_id)} if session_id else {})

    def _found(self, answer: Answer, metadata: Mapping[str, str | int | float | bool]) -> "list[Record]":
        records = self._page(answer).items
        if any(record.extra_metadata.get(key) != value for record in records for key, value in metadata.items()):
            raise ReadFailed("invalid_response")
        return records

    def _page(self, answer: Answer) -> "Page":
        page = read(lambda: models().Page.model_validate(answer.value), "invalid_response", write=False)
        self._all_ours(page.items)
        return page

    def _list(self, answer: Answer) -> "list[Record]":
        records = read(
            lambda: models().Records.model_validate({"items": answer.value}).items, "invalid_response", write=False
        )
        self._all_ours(records)
        return records

    def _all_ours(self, records: "Sequence[Record]") -> None:
        if any(record.subject_id != self.subject for record in records):
            raise ReadFailed("subject_scope_mismatch")


@functools.cache
def models() -> Any:
    """The module `models`, loaded with the first reply that is read (D97)."""
    from . import models as loaded

    return loaded


def read(check: Callable[[], T], code: str, *, write: bool) -> T:
    """What `check` makes of a reply; a wrong shape is an unknown outcome after a write (MD15)."""
    try:
        return check()
    except (ValueError, TypeError, RecursionError):  # pydantic's ValidationError is a ValueError
        pass
    raise OutcomeUnknown(code) if write else ReadFailed(code)


def fitting_session(session_id: str) -> str:
    """A session id as the server can hold it: a longer one keeps its head and gets a digest (MA22)."""
    if len(session_id) <= SESSION_CHARS:
        return session_id
    return f"{session_id[:47]}~{hashlib.sha256(session_id.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _code(ask: Callable[[], object]) -> str:
    try:
        ask()
    except RouteAbsent:
        return "route_absent"
    except MemoriaError as error:
        return error.code
    return "ok"
