"""CognitionMemoryProvider: the host's hooks, mapped to calls of the runtime.  A face, no logic."""

import functools
import json
import logging
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from . import audience, checkup, config, configured, durations, earlier, host, host_models, skill, slash, toolset
from .audience import Speaker, place_of, project_of
from .configured import PROVIDER_NAME, Configured
from .earlier import Earlier
from .host_sessions import HostSessions
from .toolset import schemas

if TYPE_CHECKING:
    from .handle import Handle

log = logging.getLogger(__name__)
_DEFAULTS = {key.flat: key.default for key in config.KEYS}
_F = TypeVar("_F", bound=Callable[..., Any])
_warned: set[str] = set()


def _hook(default: Any) -> Callable[[_F], _F]:
    """The outer edge of a hook: no exception leaves it, each is counted and shown in status (P51, P23)."""

    def wrap(method: _F) -> _F:
        @functools.wraps(method)  # the host asks inspect.signature what it may pass (P26)
        def edge(self: "CognitionMemoryProvider", *args: Any, **kwargs: Any) -> Any:
            try:
                return method(self, *args, **kwargs)
            except Exception as error:
                self._note(method.__name__, error)
                return default() if callable(default) else default

        return edge  # type: ignore[return-value]

    return wrap


class CognitionMemoryProvider(Earlier, Configured):
    """The provider named `cognition`.  Built without arguments it touches nothing (P6, P7).

    config  settings that rank above every file, flat or grouped (contract cognition.md 2.4)
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__(config)
        self._lock = threading.RLock()
        self._handle: Handle | None = None  # once initialised
        self._failed = ""
        self._authors: deque[tuple[str, Speaker]] = deque(maxlen=8)

    @property
    def name(self) -> str:
        return PROVIDER_NAME

    # -- before initialize -----------------------------------------------------------------------------------------

    def is_available(self) -> bool:
        """True whenever the local store can start, that is when our own parts load (P21)."""
        reason = self.unavailable_reason()
        if reason and reason not in _warned:  # 0.19 says nothing by itself
            _warned.add(reason)
            log.warning("cognition is not available: %s", reason)
        return not reason

    def unavailable_reason(self) -> str:
        """Why this provider cannot run and what to do, or the empty text."""
        try:
            _handle_class()
        except Exception as error:
            return f"a part of the plugin does not load ({checkup.why(error)}); mend: {checkup.reinstall()}"
        return ""

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return schemas.schemas()

    # -- life ------------------------------------------------------------------------------------------------------

    def initialize(self, session_id: str = "", **kw: Any) -> None:
        """Bind this object to a session in a home; a second call binds it anew (D47).  Never raises (P23)."""
        before: Handle | None = None
        try:
            with self._lock:
                # Should the new session fail to start, nothing may go on in the old one (P23).
                before, self._handle = self._handle, None
                self._authors.clear()
                home = Path(kw.get("hermes_home") or host.current_home())
                self._settings = self._take_up(home)
                project = project_of(host.working_directory(kw.get("cwd")))
                place = place_of(kw, self._settings["audiences.owner"], project)
                kind = _handle_class()
                kept, asked = HostSessions(home), functools.partial(host.write_approval, home)
                named, warn = str(session_id or ""), kw.get("warning_callback")
                self._handle = kind(self._settings, named, place, host.redactor(), kept, asked, host.time_zone, warn)
                self._handle.background.may_ask(host_models.complete(), functools.partial(host_models.pinned, home))
                self._failed = ""
                weakref.finalize(self, kind.dropped, self._handle).atexit = False
        except Exception as error:
            self._failed = f"cognition could not start ({type(error).__name__}: {error}); nothing is recalled or kept."
            self._note("initialize", error)
        if before is not None:
            before.close(drain=False)  # after the new one is open, so that a shared runtime stays
        notices = [self._failed] if self._failed else (self._settings.problems if self._settings else [])
        if self._settings and (refused := self._settings.write_refusal) and refused not in _warned:
            _warned.add(refused)
            log.warning("cognition: %s", refused)
        callback = kw.get("warning_callback")
        if notices and callable(callback):
            callback(f"cognition: {notices[0]}")

    @_hook(None)
    def shutdown(self) -> None:
        with self._lock:
            if self._handle is not None:
                self._handle.close()

    @_hook("")
    def system_prompt_block(self) -> str:
        from .prompt import block

        handle = self._live()
        return block(self._settings or self._here(), handle.background.prompt() if handle else "")

    @_hook(None)
    def on_turn_start(self, turn_number: int = 0, message: str = "", **kw: Any) -> None:
        author = _author(kw, "author_")
        if author:
            self._authors.append((str(message), author))
        if self._handle is not None:
            self._handle.turn(str(message), author)

    @_hook("")
    def prefetch(self, query: str, *, session_id: str = "", **_kw: Any) -> str:
        handle = self._live()
        return handle.recall(str(query or ""), session_id, self._turn_author(query)) if handle else ""

    def queue_prefetch(self, query: str, *, session_id: str = "", **_kw: Any) -> None:
        """Nothing is prepared ahead: local recall takes milliseconds."""

    @_hook(None)
    def recall_status(self) -> Any:
        return host.recall_status(self._handle.last_count) if self._handle else None

    @_hook(None)
    def sync_turn(
        self,
        user_content: Any = "",
        assistant_content: Any = "",
        *,
        session_id: str = "",
        messages: Any = None,
        **kw: Any,
    ) -> None:
        handle = self._live()
        if handle:
            turn = kw.get("turn_author")
            author = _author(turn, "") if isinstance(turn, Mapping) else self._turn_author(user_content)
            bot = isinstance(turn, Mapping) and bool(turn.get("is_bot"))
            handle.hear(user_content, session_id, author, bot=bot, messages=messages, assistant=assistant_content)

    @_hook(None)
    def on_session_end(self, messages: Any = None, **_kw: Any) -> None:
        handle = self._live()
        if handle:
            handle.settle(messages)

    @_hook("")
    def on_pre_compress(self, messages: Any = None, **_kw: Any) -> str:
        handle = self._live()
        if handle:
            handle.settle(messages)
        return ""

    @_hook(None)
    def on_session_switch(
        self, new_session_id: str = "", *, parent_session_id: str = "", reset: bool = False, **kw: Any
    ) -> None:
        handle = self._live()
        if handle:
            reason, rewound = str(kw.get("reason") or ""), bool(kw.get("rewound"))
            handle.switch(str(new_session_id or ""), parent_session_id, reset=reset, reason=reason, rewound=rewound)

    @_hook(None)
    def on_delegation(self, task: Any = "", result: Any = "", *, child_session_id: str = "", **_kw: Any) -> None:
        """Findings of other agents are not the user's words (P37): kept once, as an agent's (H15, B094)."""
        if handle := self._live():
            handle.background.delegated(task, result, str(child_session_id or ""))

    @_hook(None)
    def on_memory_write(
        self, action: str = "", target: str = "", content: str = "", metadata: Any = None, **_kw: Any
    ) -> None:
        """Built-in memory is the host's and is not mirrored (C24); what it corrects leaves our recall (D110)."""
        if handle := self._live():
            handle.background.builtin_wrote(action, content, metadata)

    def handle_tool_call(self, tool_name: str, args: Any = None, **_kw: Any) -> str:
        """Answer a tool call with JSON text; every fault becomes one plain message (P35, CD87)."""
        name, code = str(tool_name), "not_ready"
        text = self._failed or "cognition is not initialized: start a session first."
        try:
            handle = self._live()
            if handle is not None:
                from .toolset.handlers import call

                return call(handle.tools, name, args)
        except Exception as error:
            self._note(f"tool {name}", error)
            code, text = (
                "memoria_internal_error",
                f"{name} could not be answered; hermes memory status says what is wrong.",
            )
        wrong = {"success": False, "error": code, "hint": text} if name.startswith("memoria_") else {"error": text}
        return json.dumps(wrong)

    # -- own -------------------------------------------------------------------------------------------------------

    def _live(self) -> "Handle | None":
        """The handle, opened again when a hook comes after shutdown (CD91)."""
        handle = self._handle
        if handle is not None:
            handle.reopen()
        return handle

    def _turn_author(self, text: Any) -> Speaker | None:
        known = list(self._authors)
        return next((who for said, who in reversed(known) if said == text), known[-1][1] if known else None)

    def _note(self, kind: str, error: BaseException) -> None:
        if self._handle is not None:
            self._handle.runtime.note(kind, error)
        elif kind not in _warned:
            _warned.add(kind)
            log.warning("cognition: %s failed (%s: %s)", kind, type(error).__name__, error)


def _handle_class() -> "type[Handle]":
    """Import the rooms below on first use; raises the true reason when one does not load.

    Hosts up to 0.20 execute every root file beforehand and leave a failed one half-built in sys.modules, where it
    hides its reason and breaks every later import: those are dropped and loaded again, once.
    """
    try:
        from .handle import Handle
    except Exception:
        package = __name__.rpartition(".")[0]
        kept = {
            __name__,
            *(
                m.__name__
                for m in (
                    config,
                    configured,
                    durations,
                    checkup,
                    earlier,
                    host,
                    host_models,
                    skill,
                    slash,
                    audience,
                    toolset,
                    schemas,
                )
            ),
        }
        for name in [name for name in sys.modules if name.startswith(f"{package}.") and name not in kept]:
            if not name.startswith(f"{package}.settings"):  # config.py, which is kept, holds its classes
                del sys.modules[name]
        from .handle import Handle
    return Handle


def _author(facts: Mapping[str, Any], prefix: str) -> Speaker | None:
    who = facts.get(f"{prefix}id")
    return Speaker(str(who), str(facts.get(f"{prefix}name") or "")) if who else None


def register(ctx: Any) -> None:
    """Register exactly one provider, before anything else (C1, P13); then what this host can take besides."""
    made = CognitionMemoryProvider()
    ctx.register_memory_provider(made)
    skill.offer(ctx, made.offers_skill)
    host_models.register(ctx)
    durations.offer(ctx)
    slash.offer(ctx, made._live)


__all__ = ["PROVIDER_NAME", "CognitionMemoryProvider", "register"]
