"""What one provider object does with Memoria: its sessions, its turns, what it is to be told (M11, D113)."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from ..audience import Place
from ..delivery.notice import Notices
from .recalling import Far

if TYPE_CHECKING:
    from ..runtime import Runtime


class Owner(Protocol):
    """What is needed of the provider's handle."""

    runtime: "Runtime"
    session_id: str
    place: Place
    mask: Callable[[str], str] | None
    warn: Callable[[str], object] | None

    @property
    def now(self) -> Place: ...


class FarSide:
    """Every method may be called from any thread; each returns at once where Memoria is not the backend."""

    def __init__(self, owner: Owner) -> None:
        self._owner, self._notices = owner, Notices()
        owner.runtime.remote.begin(owner.session_id, owner.place)

    def turn(self, message: str) -> None:
        """A turn begins: what it will want to know is asked for now (MI1)."""
        owner = self._owner
        owner.runtime.remote.warm(message, owner.session_id, owner.now)

    def guests(self, query: str, session: str, place: Place) -> Far | None:
        """What Memoria has to say to a question, asked within some seconds."""
        remote = self._owner.runtime.remote
        return functools.partial(remote.recall, query, session, place) if remote.on else None

    def heard(self, session: str, place: Place, user: object, assistant: object, messages: object) -> None:
        """A finished turn of the user's own (M13)."""
        remote = self._owner.runtime.remote
        if (uploading := remote.uploading) is not None:
            uploading.hear(session, place, user, assistant, messages, self._owner.mask)
            self._owner.runtime.worker.submit(uploading.take_in)

    def switched(self, session: str, *, rewound: bool, standing: Callable[[], Any]) -> None:
        """The host goes on with another session, or with less of this one (2.8)."""
        remote = self._owner.runtime.remote
        remote.switched()
        if remote.on and self._owner.place.local:
            remote.here(session)
        if rewound and (uploading := remote.uploading) is not None:
            self._owner.runtime.worker.submit(lambda: uploading.taken_back(session, standing))

    def tell(self, grace: float) -> None:
        """Tell the person what is due: once per session when facts are stuck and once when they go through again (P53),
        once a problem with Memoria (M58).  Never raises.

        grace  seconds that a fact has waited when it counts as stuck
        """
        owner = self._owner
        self._notices.tell(owner.session_id, owner.runtime, grace, owner.warn)
        remote = owner.runtime.remote
        try:
            remote.say(owner.warn)
        except Exception as error:
            owner.runtime.note("notice", error)
        if remote.on and (uploading := remote.uploading) is not None:
            self._owner.runtime.worker.submit(uploading.release)
