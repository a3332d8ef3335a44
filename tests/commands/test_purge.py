"""purge: afterwards no byte below cognition/ holds the text (D102, D104, CD100)."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from cognition.outbox import NewFact
from cognition.outboxdb import spill
from cognition.stores.entry import entry_fact_key
from cognition.stores.local import LocalStore

from .conftest import NOW, Cli

TEXT = "I live at Elm Street 14."


def _ours(cli: Cli, text: str = TEXT) -> list[str]:
    return [name for name in cli.holders(text) if name.startswith("cognition")]


def _everywhere(cli: Cli) -> None:
    """The text in the store, a version, a conflict copy, journal, X.prev, archive, outbox, tombstone and index."""
    cli.commit(cli.entry("cog-s1-1", "I live in Oslo."), cli.entry("cog-s1-2", "I prefer tabs."))
    cli.put(
        cli.entry("cog-s1-1", TEXT),
        cli.entry("cog-s1-1-v1", "I live in Oslo.", superseded_by="cog-s1-1"),
        cli.entry("cog-s1-1-conflict-7", TEXT + " Or 15.", conflict_with="cog-s1-1"),
    )
    cli("fold")
    cli.put(cli.entry("cog-s1-1", TEXT, pinned=True))
    cli.json("search", "Elm")
    cli.commit(cli.entry("cog-s4-1", TEXT, project="atlas"))
    assert cli("evict", "cog-s4-1") == 0
    cli.enqueue(TEXT)
    cli.enqueue(TEXT + " Second floor.", held=True)


def test_an_entry_is_gone_from_every_file(cli: Cli) -> None:
    _everywhere(cli)
    assert len(_ours(cli)) >= 3
    answer = cli.json("purge", "cog-s1-1", "--yes")
    assert answer["left_in"] == []
    assert set(answer["entries"]) == {"cog-s1-1", "cog-s1-1-v1", "cog-s1-1-conflict-7"}
    assert not _ours(cli, 'Elm Street 14."')
    assert not _ours(cli, "I live in Oslo.")
    assert cli.json("list")["total"] == 1
    assert cli("doctor") == 0, cli.out


def test_a_text_is_gone_from_every_file(cli: Cli) -> None:
    _everywhere(cli)
    answer = cli.json("purge", "--text", "elm street", "--yes")
    assert answer["left_in"] == []
    assert not _ours(cli, "Elm Street")
    assert cli.json("search", "Elm")["total"] == 0
    assert [one["content"] for one in cli.json("list")["entries"]] == ["I prefer tabs."]


def test_archive_lines_become_digests_and_the_others_stay(cli: Cli) -> None:
    """D104."""
    cli.commit(cli.entry("cog-s1-1", TEXT), cli.entry("cog-s1-2", "I prefer tabs."))
    cli("forget", "cog-s1-1")
    cli("forget", "cog-s1-2")
    archive = cli.folder / "archive.jsonl"
    with archive.open("a") as file:
        file.write('{"torn": "cog-s1-1 ' + TEXT + "\n")
    before = [json.loads(line) for line in archive.read_text().splitlines()[:2]]
    assert cli.json("purge", "cog-s1-1", "--yes")["archived"] == 2
    lines = [json.loads(line) for line in archive.read_text().splitlines()]
    assert len(lines) == 3
    assert lines[1] == before[1]
    assert "entry" not in lines[0]
    assert lines[0]["ref"] == "cog-s1-1"
    assert len(lines[0]["digest"]) == 64
    assert not _ours(cli)


def test_a_tombstone_and_a_spill_file_are_emptied(cli: Cli) -> None:
    """CD100: queue and tombstones included; D104: spills."""
    [ref] = cli.enqueue(TEXT)
    box = cli.outbox()
    with box.database.transaction(wait=2.0) as tx:
        from cognition.outboxdb.rows import bury

        bury(tx, 1, "expired-max-24h", NOW)
    payload = {key: value for key, value in cli.entry("", TEXT).items() if key != "ref"}
    spill.write(box.spill_folder, spill.Spilled([NewFact("s5", payload, entry_fact_key(payload))], [], "pending", NOW))
    box.close()
    assert cli.json("purge", ref, "--yes")["left_in"] == []
    assert not _ours(cli)
    assert cli.json("tombstones")["total"] == 0
    assert cli.json("queue")["count"] == 0


def test_what_was_purged_does_not_come_back_with_a_late_row(cli: Cli) -> None:
    """D63: a mark remains, as a digest."""
    cli.commit(cli.entry("cog-s1-1", TEXT))
    assert cli("purge", "cog-s1-1", "--yes") == 0
    store = LocalStore(cli.folder / "committed.json")
    assert "cog-s1-1" not in store.view()
    store.close()


def test_nothing_goes_without_a_yes(cli: Cli, answers: list[str]) -> None:
    cli.commit(cli.entry("cog-s1-1", TEXT))
    for said in ("", "no", "n", "yep"):
        answers[:] = [said]
        assert cli("purge", "cog-s1-1") == 2
    assert cli.json("show", "cog-s1-1")["state"] == "committed"
    answers[:] = ["yes"]
    assert cli("purge", "cog-s1-1") == 0
    assert not _ours(cli)
    cli.commit(cli.entry("cog-s1-2", TEXT))
    answers[:] = ["y"]
    assert cli("purge", "cog-s1-2") == 0
    assert not _ours(cli)


def test_kept_files_go_only_when_asked_for(cli: Cli) -> None:
    """D104: `.imported` and `.corrupt-*` are listed, and removed on consent."""
    cli.commit(cli.entry("cog-s1-1", TEXT))
    kept = [cli.folder / "committed.json.corrupt-20260101T000000Z", cli.folder / "queue.db.imported"]
    for path in kept:
        path.write_text(f'"{TEXT}"')
    answer = cli.json("purge", "cog-s1-1", "--yes", code=1)
    assert set(answer["left_in"]) == {path.name for path in kept}
    assert all(path.exists() for path in kept)
    assert cli.json("purge", "--kept", "--yes")["kept_files_removed"] == sorted(path.name for path in kept)
    assert not _ours(cli)


@pytest.mark.parametrize("line", [(), ("--text", "ab"), ("--text", "  "), ("cog-none-1",)])
def test_a_purge_of_nothing_or_nearly_everything_is_refused(cli: Cli, line: tuple[str, ...]) -> None:
    cli.commit(cli.entry("cog-s1-1", TEXT))
    assert cli("purge", *line, "--yes") == 2
    assert cli.json("list")["total"] == 1


@pytest.mark.parametrize("how", ["kept", "queued", "forgotten before"])
def test_a_name_made_of_the_text_goes_with_it(cli: Cli, how: str) -> None:
    """D102, D104, HI15: the ref of a rule holds its words; what stays as proof is a digest."""
    if how == "queued":
        other = LocalStore(cli.folder / "committed.json")
        with other.transaction(timeout=1.0), ThreadPoolExecutor(1) as pool:
            made = pool.submit(cli.json, "rule", "add", "Never mention Zanzibar").result()
        other.close()
        assert made["state"] == "queued"
        ref = made["ref"]
        cli.json("queue", "retry", ref)
    else:
        ref = cli.json("rule", "add", "Never mention Zanzibar")["ref"]
    assert ref.startswith("rule-never-mention-zanzibar-")
    cli.json("search", "Zanzibar")
    if how == "forgotten before":
        cli.json("rule", "drop", ref)
        cli.now += 1
        assert cli.json("forget", ref)["state"] == "gone"
        assert cli.json("rule", "add", "Never mention Zanzibar")["ref"] != ref
    assert cli.json("purge", "--text", "mention zanzibar", "--yes")["left_in"] == []
    left = [path.name for path in cli.folder.rglob("*") if path.is_file() and b"zanzibar" in path.read_bytes().lower()]
    assert left == []
