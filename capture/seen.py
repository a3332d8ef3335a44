"""Which rows of a transcript are new: the alignment of Decision D62.

`known` holds the fingerprints of every user row of a chain that was looked at, in the order of looking.  The host's
transcript carries no reliable ids or times (P47); against `known` it is one of these:

- the whole history, repeated: nothing is new;
- a tail after a compaction, then new rows: the tail stands late in `known`, what follows is new;
- a history from which rows are missing by undo;
- a history with a row that was never delivered (an interrupted turn) between known ones: that row alone is new, and
  stands at the end of `known` from then on.

So the transcript is anchored: its first row is laid on each place where `known` holds that text, and from there on
every text of `known` accounts for one equal row.  The place that leaves the fewest rows over is taken, the latest of
equals; the rows left over are new.  A transcript whose first row is not known is new as a whole.

What follows from it: taking up the same transcript twice gives nothing the second time, whatever it holds, because
the place of the first time then accounts for every row.  A text said again behind a compaction is new.  What texts
alone cannot decide counts as known, because an old statement must never become new again (D63).
"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `turn` compiles tables that only a reader needs
    from .turn import UserRow


def new_rows(known: Sequence[str], rows: "Sequence[UserRow]") -> "list[tuple[int, UserRow]]":
    """The rows not in `known`, each with its number in the chain: len(known), len(known) + 1, ..."""
    marks = [row.fingerprint for row in rows]
    left = Counter(known[_anchor(known, marks) :])
    fresh: list[tuple[int, UserRow]] = []
    for row in rows:
        if left[row.fingerprint]:
            left[row.fingerprint] -= 1
        else:
            fresh.append((len(known) + len(fresh), row))
    return fresh


def _anchor(known: Sequence[str], marks: Sequence[str]) -> int:
    """The place of the transcript's first row in `known`; len(known) when it has none."""
    need = Counter(marks)
    have: Counter[str] = Counter()
    missing = fewest = len(marks)
    place = len(known)
    for index in range(len(known) - 1, -1, -1):
        fingerprint = known[index]
        if have[fingerprint] < need[fingerprint]:
            missing -= 1
        have[fingerprint] += 1
        if missing < fewest and fingerprint == marks[0]:
            fewest, place = missing, index
    return place
