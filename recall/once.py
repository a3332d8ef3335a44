"""Nothing said twice (D78): an entry of a block that a passage says word for word leaves its line to the passage.

Capture takes a clause out of a message, so that an entry and the message it was taken from often stand in one block.
A passage says more: it tells the clause with what it was said to and by whom.  An entry gives way only where nothing
is lost by it: it is not pinned, in conflict or a note to what was told before, and the passage is what the user said on
the entry's own day.
"""

from collections.abc import Collection, Sequence

from .. import budget
from ..logdb.model import Message
from ..stores.entry import Entry
from .index import text_of
from .outdated import Editor, plain

LEAST_CHARS = 8  # a shorter statement stands in too many texts


class Once:
    """The entries of a block that may give way, and the editor that keeps passages from repeating the others.

    entries, lines  what the block tells so far       keep  refs that stay in any case
    """

    def __init__(
        self, editor: Editor, entries: Sequence[Entry], lines: Sequence[str], keep: Collection[str] = ()
    ) -> None:
        self.edit = editor
        self.given_up: dict[str, str] = {}  # ref -> what it says, as `plain` leaves it
        self._open: dict[str, tuple[str, str, int]] = {}
        for entry, line in zip(entries, lines, strict=False):
            ref, said = text_of(entry, "ref"), plain(text_of(entry, "content"))
            firm = ref in keep or entry.get("pinned") is True or entry.get("conflict_with") or entry.get("supersedes")
            if len(said) >= LEAST_CHARS and not firm:
                self._open[ref] = (said, budget.entry_date(entry), budget.measure(line + "\n"))

    def covered(self, text: str, message: Message) -> list[str]:
        """Refs of the entries that `text`, a part of this message, says wholly."""
        if not self._open or message.role != "user":
            return []
        bare, day = plain(text), budget.day_of(message.sent_at)
        found = [ref for ref, (said, when, _) in self._open.items() if when == day and _says(bare, said)]
        return found if found and self.edit.current(text, message.sent_at) else []

    def give_up(self, refs: Collection[str]) -> int:
        """These entries are told by a passage: what their lines cost, in hundredths of a token."""
        self.edit.without(refs)
        gone = {ref: self._open.pop(ref) for ref in refs}
        self.given_up.update({ref: said for ref, (said, _, _) in gone.items()})
        return sum(cost for *_, cost in gone.values())

    def told_by(self, passages: Sequence[budget.Passage]) -> frozenset[str]:
        """Refs of the entries that these passages tell, of those that were given up."""
        texts = [plain(said) for one in passages for _, said in one.pieces] if self.given_up else []
        return frozenset(ref for ref, said in self.given_up.items() if any(_says(text, said) for text in texts))


def _says(text: str, statement: str) -> bool:
    """Whether a text holds a statement, both as `plain` leaves them, from the beginning of a word to the end of one."""
    at = text.find(statement)
    while at >= 0:
        end = at + len(statement)
        if not (at and _joined(text[at - 1 : at + 1])) and not _joined(text[end - 1 : end + 1]):
            return True
        at = text.find(statement, at + 1)
    return False


def _joined(two: str) -> bool:
    return len(two) == 2 and two.isalnum() and two.isascii()


__all__ = ["Once"]
