"""The journal's lines: chain, torn end, damage (D49.2, D49.11)."""

from pathlib import Path

from cognition.stores import journal
from cognition.stores.journal import Op, Position
from hypothesis import given, settings
from hypothesis import strategies as st

from .support import entry

BASE = "b" * 64


def written(count: int) -> tuple[bytes, list[bytes], Position]:
    """A generation with `count` transactions: all bytes, the lines, the end position."""
    head = journal.header(3, BASE, 41)
    position = journal.parse_header(head)
    assert position is not None
    lines = []
    for n in range(count):
        ops = [Op(f"cog-s-{n}", entry(f"cog-s-{n}", f"naïve\n{n}"), "d" * 64, None), Op("gone", None, "", "w" * 64)]
        line, position = journal.encode(position, ops)
        lines.append(line)
    return head + b"".join(lines), lines, position


def read(data: bytes) -> journal.Reading:
    position = journal.parse_header(data)
    assert position is not None
    return journal.read(data[position.offset :], position)


def test_what_was_written_is_read() -> None:
    data, _, end = written(3)
    reading = read(data)
    assert reading.position == end
    assert (end.gen, end.base, end.seq, end.lines, end.offset) == (3, BASE, 44, 3, len(data))
    assert not reading.torn
    assert [op.ref for op in reading.transactions[1]] == ["cog-s-1", "gone"]
    assert reading.transactions[1][0].entry == entry("cog-s-1", "naïve\n1")
    assert reading.transactions[1][1] == Op("gone", None, "", "w" * 64)


def test_reading_goes_on_from_a_position() -> None:
    data, lines, end = written(4)
    start = read(data[: -len(lines[3]) - len(lines[2])]).position
    assert journal.read(data[start.offset :], start).position == end


@given(st.integers(0, 3), st.binary(max_size=40))
@settings(max_examples=60, deadline=None)
def test_a_cut_anywhere_keeps_the_whole_lines_before_it(whole: int, garbage: bytes) -> None:
    """Torn: short, wrong or NUL bytes after the last good line, nothing good after them."""
    data, lines, _ = written(4)
    kept = journal.header(3, BASE, 41) + b"".join(lines[:whole])
    for tail in (garbage, lines[whole][:-1], lines[whole][: len(garbage)], b"\0" * 20, b"\0" * 20 + b"\n"):
        reading = read(kept + tail)
        assert len(reading.transactions) == whole
        assert reading.position.offset == len(kept)
        assert reading.torn == bool(tail)
        assert not reading.damaged


@given(st.integers(0, 2), st.data())
@settings(max_examples=80, deadline=None)
def test_a_changed_byte_with_good_lines_after_it_is_damage(where: int, data: st.DataObject) -> None:
    _, lines, _ = written(4)
    line = lines[where]
    at = data.draw(st.integers(journal.HEX + 1, len(line) - 2))
    bad = line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]
    reading = read(journal.header(3, BASE, 41) + b"".join([*lines[:where], bad, *lines[where + 1 :]]))
    assert reading.damaged >= 1
    assert not reading.torn
    refs = [ops[0].ref for ops in reading.transactions]
    assert refs == [f"cog-s-{n}" for n in range(4) if n != where] or b"\n" in bad[:-1]
    assert reading.position.lines == where


def test_a_line_whose_hex_alone_is_wrong_is_not_lost() -> None:
    _, lines, _ = written(4)
    lines[1] = b"0" * journal.HEX + lines[1][journal.HEX :]
    reading = read(journal.header(3, BASE, 41) + b"".join(lines))
    assert [ops[0].ref for ops in reading.transactions] == [f"cog-s-{n}" for n in range(4)]
    assert reading.damaged


def test_lines_doubled_swapped_or_from_another_journal_do_not_fit() -> None:
    head = journal.header(3, BASE, 41)
    _, lines, _ = written(3)
    assert len(read(head + lines[0] + lines[0]).transactions) == 1
    assert read(journal.header(3, "c" * 64, 41) + lines[0]).transactions == []
    assert read(head + lines[1]).transactions == []


def test_a_lost_first_line_leaves_the_others_readable() -> None:
    _, lines, _ = written(3)
    transactions = journal.survey(b"garbage\n" + b"".join(lines))
    assert [ops[0].ref for ops in transactions] == ["cog-s-0", "cog-s-1", "cog-s-2"]


def test_the_net_operation_of_a_ref_goes_from_the_first_was_to_the_last_result() -> None:
    ops = [[Op("a", entry("a", "1"), "", "w0")], [Op("a", entry("a", "2"), "", "w1"), Op("b", None, "", "wb")]]
    net = journal.net(ops)
    assert (net["a"].was, net["a"].entry) == ("w0", entry("a", "2"))
    assert net["b"] == Op("b", None, "", "wb")


def test_generations_are_found_by_number(tmp_path: Path) -> None:
    for name in (
        "x.journal.2",
        "x.journal.10",
        "x.journal.10.corrupt-1",
        "x.journal.tmp",
        "y.journal.99",
        "x.journal.²",
    ):
        (tmp_path / name).write_text("")
    assert journal.generations(tmp_path / "x") == [2, 10]
    assert journal.generations(tmp_path / "none" / "x") == []
