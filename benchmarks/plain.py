"""Plain FTS5 over the same conversations, as a measure of how hard they are; for `recall.py --plain`.

One index a conversation, one row a message, porter stems, every word of the question joined by OR, bm25() order; taken
while there is room, eight tokens a message beside its text.  `neighbours`: the row holds the messages beside it too,
and all three are told.  Nothing of it was ever tuned, so that a gap between dev and held back is of the conversations.
"""

import re
import sqlite3
from collections import defaultdict

from chats import HELD_BACK, Chat

SIZES = (1000, 2000, 8000)
FRAME = 8


def told(chat: Chat, size: int, *, neighbours: bool) -> list[tuple[bool, bool]]:
    """(any, all) evidence told, for each question."""
    from cognition.budget import estimate_tokens

    lines = list(chat.lines())
    session = [sid for sid, some in chat.sessions for _ in some]
    cost = [estimate_tokens(line.text) + FRAME for line in lines]

    def beside(n: int) -> list[int]:
        around = range(max(0, n - 1), min(len(lines), n + 2)) if neighbours else (n,)
        return [one for one in around if session[one] == session[n]]

    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize = 'porter unicode61')")
    rows = ((n, " ".join(lines[one].text for one in beside(n))) for n in range(len(lines)))
    db.executemany("INSERT INTO said (rowid, text) VALUES (?, ?)", rows)
    found = []
    for probe in chat.probes:
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", probe.text.casefold())))
        taken: set[int] = set()
        used = 0
        for (n,) in db.execute("SELECT rowid FROM said WHERE said MATCH ? ORDER BY bm25(said)", (match,)):
            more = [one for one in beside(n) if one not in taken]
            used += sum(cost[one] for one in more)
            if used > size:
                break
            taken.update(more)
        ids = {lines[n].id for n in taken}
        hits = [one in ids for one in probe.evidence]
        found.append((any(hits), all(hits)))
    db.close()
    return found


def table(chats: list[Chat]) -> list[str]:
    """Any/all evidence of both forms at every size: all questions, dev, held back."""
    lines = []
    for neighbours in (False, True):
        for size in SIZES:
            some: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
            for chat in chats:
                hits = told(chat, size, neighbours=neighbours)
                some["all"] += hits
                some["held back" if chat.name in HELD_BACK else "dev"] += hits
            shown = "  ".join(
                f"{name} {sum(a for a, _ in hits) / len(hits):.3f}/{sum(b for _, b in hits) / len(hits):.3f}"
                for name, hits in some.items()
            )
            name = "FTS5 with neighbours" if neighbours else "plain FTS5"
            lines.append(f"{name} in {size:5} tokens  {shown}")
    return lines
