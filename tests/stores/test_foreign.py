"""Files that somebody else wrote: earlier forms, newer versions, hands (contract 2.3, D49.1, D49.16, CR14)."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from cognition.stores import journal
from cognition.stores.limits import Limits
from cognition.stores.local import LocalStore, StoreReadOnly

from .support import JOURNAL, contents, entry, put


def made(folder: Path, limits: Limits) -> LocalStore:
    return LocalStore(folder / "committed.json", limits=limits)


def test_values_that_are_no_entries_are_set_aside_not_fatal(tmp_path: Path) -> None:
    """CR14: one unreadable item never blocks the others."""
    path = tmp_path / "committed.json"
    path.write_text(json.dumps({"cog-s-1": entry("other name"), "odd": 7, "cog-s-2": {"content": "bare"}}))
    store = made(tmp_path, Limits())
    assert contents(store) == {"cog-s-1": "I prefer tabs.", "cog-s-2": "bare"}
    assert store.view()["cog-s-1"]["ref"] == "cog-s-1"
    assert any("'odd'" in line for line in store.health())
    before = path.read_bytes()
    put(store, entry("cog-s-3"))
    assert [p.read_bytes() for p in tmp_path.iterdir() if ".corrupt-" in p.name] == [before]
    assert contents(store).keys() == {"cog-s-1", "cog-s-2", "cog-s-3"}


def test_strange_numbers_and_surrogates_of_a_hand_edit_survive_as_json(tmp_path: Path) -> None:
    path = tmp_path / "committed.json"
    path.write_text(
        '\ufeff{"a": {"content": "x \\ud800 y", "salience": NaN, "n": 1e999, "provenance": {"created_at": 1%s}}}'
        % ("0" * 400)
    )
    store = made(tmp_path, Limits())
    assert store.view()["a"]["content"] == "x � y"
    assert list(store.view()) == ["a"]
    put(store, entry("b"))
    json.loads(path.read_text("utf-8"), parse_constant=lambda name: pytest.fail(name))
    assert store.view().keys() == {"a", "b"}


def test_a_large_file_of_an_earlier_form_is_adopted_once(tmp_path: Path) -> None:
    """An earlier home's file, larger than a commit may replace: the first commit rewrites it, later ones append."""
    limits = replace(JOURNAL, whole_max=200)
    path = tmp_path / "committed.json"
    path.write_text(json.dumps({f"cog-s-{n}": {**entry(f"cog-s-{n}"), "base": None} for n in range(5)}))
    store = made(tmp_path, limits)
    put(store, entry("cog-s-7"))
    rewritten = path.read_bytes()
    assert rewritten.startswith(b'{\n "cog-s-0": {\n  "base": null,\n')
    put(made(tmp_path, limits), entry("cog-s-8"))
    assert path.read_bytes() == rewritten
    assert len(made(tmp_path, limits).view()) == 7


def test_a_newer_version_makes_it_read_only(tmp_path: Path) -> None:
    """D49.16."""
    store = made(tmp_path, JOURNAL)
    put(store, entry("cog-s-1"))
    put(store, entry("cog-s-2"))
    name = tmp_path / "committed.json.journal.1"
    name.write_bytes(name.read_bytes().replace(b'"v":1', b'"v":2'))
    fresh = made(tmp_path, JOURNAL)
    assert contents(fresh).keys() == {"cog-s-1", "cog-s-2"}
    with pytest.raises(StoreReadOnly, match="newer version"):
        put(fresh, entry("cog-s-3"))


def test_journals_are_named_by_number_and_old_ones_go(tmp_path: Path) -> None:
    """D49.1: the newest and one older generation are kept; one that is younger than ten minutes as well."""
    store = made(tmp_path, replace(JOURNAL, keep_generation_s=600.0))
    for n in range(5):
        put(store, entry(f"cog-s-{n}"))
        store.fold()
    assert journal.generations(store.path) == [1, 2, 3, 4, 5]
    for gen in (1, 2, 3):
        os.utime(journal.name(store.path, gen), (1, 1))
    put(store, entry("cog-s-9"))
    store.fold()
    assert journal.generations(store.path) == [4, 5, 6]
