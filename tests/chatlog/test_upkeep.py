"""Retention, the text index's life, the idle pass (D101-D103, Decision 13)."""

import pytest
from cognition.chatlog import ChatLog
from cognition.logdb import index, upkeep

from .logs import NOW, Words, draft, found, place, turn

DAY = 86_400.0


def test_old_messages_lose_their_text_and_stay_known(log):
    """D101: `pruned_to` per session, the marks stay for alignment."""
    log.append(place("s1"), turn("ancient", "reply", NOW - 40 * DAY))
    log.append(place("s1"), turn("fresh", "reply", NOW))
    log.append(place("s2"), turn("ancient", "reply", NOW - 35 * DAY))
    assert log.prune(max_days=30, max_bytes=0) == 4
    assert [one.text for one in log.messages("s1")] == ["fresh", "reply"]
    assert (log.pruned("s1").to, log.pruned("s2").to) == (2, 2)
    assert [mark.state for mark in log.marks("s1")] == ["pruned", "pruned", "live", "live"]
    assert log.message("msg-s1-0") is None
    assert found(log, "ancient") == []
    assert log.prune(max_days=30, max_bytes=0) == 0
    assert log.append(place("s2"), turn("x", "y")) == ["msg-s2-2", "msg-s2-3"]


def test_too_much_loses_the_oldest_first(log):
    for n in range(60):
        log.append(place(f"s{n % 3}"), turn(f"question {n} " + "word " * 400, "answer " * 400, NOW + n))
    size = log.stats()["bytes"]
    assert log.prune(max_days=0, max_bytes=size * 2) == 0
    gone = log.prune(max_days=0, max_bytes=size // 2)
    assert 50 <= gone <= 90
    left = [one.id for one in log.walk()]
    assert left == list(range(gone + 1, 121))
    log.tidy()
    assert log.stats()["bytes"] < size * 0.8


def test_marks_of_what_was_pruned_go_in_the_end_and_ordinals_stay(log, path):
    """Decision 13: nothing grows for ever; H6: ordinals are never used again."""
    log.append(place(), turn("a", "b", NOW - 500 * DAY))
    log.prune(max_days=30, max_bytes=0)
    assert log.marks("s1") == []
    assert log.highest("s1") == 2
    assert log.append(place(), turn("c", "d")) == ["msg-s1-2", "msg-s1-3"]


def test_the_index_is_built_for_a_log_that_was_kept_without_one(path):
    bare = ChatLog(path)
    for n in range(450):
        bare.append(place(), [draft("user", f"word{n}")])
    bare.close()
    log = ChatLog(path, index=Words())
    assert log.stats()["unindexed"] == 450
    log.append(place(), [draft("user", "word999")])
    assert found(log, "word999") == []  # it keeps its place behind the others
    assert log.tidy(seconds=0) is False
    assert log.tidy()
    assert log.stats()["unindexed"] == 0
    assert (found(log, "word0"), found(log, "word449"), found(log, "word999")) == ([1], [450], [451])
    log.append(place(), [draft("user", "word1000")])
    assert found(log, "word1000") == [452]
    log.close()


def test_another_version_of_the_index_is_built_anew(log, path):
    log.append(place(), turn("apple", "pear"))
    log.close()
    newer = ChatLog(path, index=Words("2"))
    newer.append(place(), turn("plum", "cherry"))
    assert newer.stats()["unindexed"] == 4
    assert newer.tidy()
    assert (found(newer, "apple"), found(newer, "cherry")) == ([1], [4])
    newer.close()


def test_an_index_that_fails_never_stops_the_log(log):
    log.append(place(), turn("apple", "pear"))
    log.index.ill = True
    assert log.append(place(), turn("plum", "cherry")) == ["msg-s1-2", "msg-s1-3"]
    assert len(log.messages("s1")) == 4
    log.index.ill = False
    assert log.tidy()
    assert found(log, "plum") == [3]


def test_undoing_takes_a_message_out_of_the_index(log):
    log.append(place(), turn("apple", "pear"))
    log.append(place(), turn("plum", "x"), withdraw=[0, 1])
    assert (found(log, "apple"), found(log, "plum")) == ([], [3])


def test_a_rebuild_goes_in_short_transactions(path, monkeypatch):
    """D59."""
    bare = ChatLog(path)
    bare.append(place(), [draft("user", f"w{n}") for n in range(950)])
    bare.close()
    log = ChatLog(path, index=Words())
    sizes = []
    real = Words.add
    monkeypatch.setattr(
        Words, "add", lambda self, db, messages: (sizes.append(len(messages)), real(self, db, messages))
    )
    log.tidy()
    assert sizes == [200, 200, 200, 200, 150]
    log.close()


def pieces(log):
    with log.file.reading() as db:
        return db.execute("SELECT count(DISTINCT segid) FROM episode_text_idx").fetchone()[0]


def many(path, number):
    bare = ChatLog(path)
    drafts = [draft("user", " ".join(f"w{n}x{k}" for k in range(200))) for n in range(number)]
    bare.append(place(), drafts)
    bare.close()


@pytest.mark.parametrize("wal", [False, True])
def test_a_rebuild_leaves_nothing_for_a_later_turn_to_pay(path, wal):
    """Issue 6: a turn within 10 ms; what stands in many pieces would be joined by whoever adds the next one."""
    many(path, 950)
    log = ChatLog(path, index=Words(), wal=wal)
    assert log.tidy()
    assert pieces(log) == 1
    assert found(log, "w949x0") == [950]
    side = path.with_name(f"{path.name}-wal")
    assert not side.exists() or side.stat().st_size == 0
    for n in range(5):
        log.append(place(), [draft("user", f"later{n}")])
    assert pieces(log) > 1  # an ordinary turn joins nothing
    assert log.tidy()
    assert pieces(log) > 1  # nor does the idle pass, when nothing was rebuilt
    log.close()


def test_joining_goes_in_short_steps_and_is_gone_on_with(path, monkeypatch):
    """D59: nobody waits for megabytes; a pass whose time is up leaves the rest to the next one."""
    many(path, 950)
    log = ChatLog(path, index=Words())
    monkeypatch.setattr("cognition.logdb.index.MERGE_PAGES", 5)
    monkeypatch.setattr("cognition.logdb.index._join_pieces", lambda file, index, end: False)
    assert log.tidy() is False
    assert pieces(log) > 1
    assert log.stats()["unindexed"] == 0
    monkeypatch.undo()
    monkeypatch.setattr("cognition.logdb.index.MERGE_PAGES", 5)
    steps = []
    real = index.text_tables
    monkeypatch.setattr("cognition.logdb.index.text_tables", lambda tx: (steps.append(tx.in_transaction), real(tx))[1])
    assert log.tidy()
    assert len(steps) > 10
    assert pieces(log) == 1
    assert found(log, "w0x199") == [1]
    log.close()


def test_a_search_stops_at_its_deadline(log):
    """D79."""
    log.append(place(), turn("a", "b"))
    with pytest.raises(Exception, match="interrupted"), log.reading(deadline=0.0) as db:
        db.execute(
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 9000000) SELECT sum(x) FROM n"
        ).fetchone()
    with log.reading() as db:
        assert db.execute("SELECT count(*) FROM messages").fetchone() == (2,)


def test_a_search_cannot_write(log):
    log.append(place(), turn("a", "b"))
    with pytest.raises(Exception, match="readonly"), log.reading() as db:
        db.execute("DELETE FROM messages")


def test_import_keeps_names_and_takes_nothing_twice(log, tmp_path):
    log.append(place("s1"), turn("a", "b"))
    log.append(place("s2"), turn("c", "d"))
    log.forget(["msg-s2-0"])
    other = ChatLog(tmp_path / "other" / "chatlog.db", index=Words())
    other.append(place("s1"), turn("taken", "too"))
    assert other.take_in(log.walk()) == 1  # the ordinals of s1 are taken there
    assert other.take_in(log.walk()) == 0
    assert [one.ref for one in other.walk()] == ["msg-s1-0", "msg-s1-1", "msg-s2-1"]
    assert other.highest("s2") == 2
    assert found(other, "d") == [3]
    assert [one.turn for one in other.messages("s2")] == [1]
    other.close()


def test_limits_of_marks_are_looked_at(log, monkeypatch):
    monkeypatch.setattr(upkeep, "KEEP_FORGOTTEN", 3)
    monkeypatch.setattr(upkeep, "KEEP_MAPPING", (1e9, 2))
    for n in range(6):
        log.map_session(f"h{n}", f"s{n}")
        log.forget_statement("owner", f"statement number {n}")
    log.prune(max_days=1, max_bytes=0)
    with log.reading() as db:
        assert db.execute("SELECT (SELECT count(*) FROM forgotten), (SELECT count(*) FROM mapping)").fetchone() == (
            3,
            2,
        )
