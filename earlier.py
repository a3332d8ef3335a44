"""Names that the earlier test suite touches (contract cognition.md 2.5, D117)."""

from typing import TYPE_CHECKING, Any

from . import host

if TYPE_CHECKING:
    from .handle import Handle
    from .merge import CommitLog
    from .queue import DurablePushQueue


class Earlier:
    """Part of the provider; what it stands on is there."""

    _handle: "Handle | None"

    def extract_facts(self, messages: Any) -> list[str]:
        """The durable facts of a transcript, as they would be stored; nothing is written."""
        from .capture.reader import told_facts

        return [fact.content for fact in told_facts(messages, host.redactor())]

    def archive_and_evict(self, ref: str, reason: str) -> bool:
        """Archive one entry, then remove it, as one transaction (C16).  False for an unknown ref (CA19)."""
        try:
            handle = self._live()
            return handle.runtime.archive_and_evict(ref, reason) if handle else False
        except Exception as error:  # no exception leaves a hook (P51)
            self._note("archive_and_evict", error)
            return False

    def handle_tool_call(self, tool_name: str, args: Any = None, **_kw: Any) -> str:
        raise NotImplementedError

    def _live(self) -> "Handle | None":
        raise NotImplementedError

    def _note(self, kind: str, error: BaseException) -> None:
        raise NotImplementedError

    @property
    def _queue(self) -> "DurablePushQueue | None":
        return self._handle.runtime.queue_face() if self._handle else None

    @property
    def _log(self) -> "CommitLog | None":
        return self._handle.runtime.log_face() if self._handle else None

    def _drain_due(self) -> int:
        return self._handle.runtime.drain() if self._handle else 0

    def _tool_status(self, args: Any) -> str:
        return self.handle_tool_call("cognition_status", args)

    def _tool_dream(self, args: Any) -> str:
        return self.handle_tool_call("cognition_dream", args)
