"""Merging blocks gives the same bytes as writing everything anew (D49.9)."""

import dataclasses
import hashlib
from pathlib import Path
from unittest import mock

import pytest
from cognition.stores import codec, fold
from cognition.stores.errors import Damaged
from cognition.stores.limits import Limits
from cognition.stores.local import LocalStore
from hypothesis import given, settings
from hypothesis import strategies as st

from .support import JOURNAL, entry, put

REFS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)
STORES = st.dictionaries(REFS, st.dictionaries(st.text(max_size=4), VALUES, max_size=3), max_size=12)


def whole(store: dict[str, dict[str, object]]) -> bytes:
    return codec.join(codec.block(ref, {**store[ref], "ref": ref}) for ref in sorted(store))


@given(
    STORES,
    st.dictionaries(REFS, st.none() | st.dictionaries(st.text(max_size=4), VALUES, max_size=3)),
    st.integers(4, 90),
)
@settings(max_examples=150, deadline=None)
def test_merged_bytes_are_the_bytes_of_the_merged_store(
    tmp_path_factory: pytest.TempPathFactory,
    store: dict[str, dict[str, object]],
    changes: dict[str, dict[str, object] | None],
    chunk: int,
) -> None:
    path = tmp_path_factory.getbasetemp() / "fold.json"
    data = whole(store)
    path.write_bytes(data)
    assert {ref: {**entry, "ref": ref} for ref, entry in store.items()} == codec.parse(data)[0]
    blocks = {ref: None if entry is None else codec.block(ref, {**entry, "ref": ref}) for ref, entry in changes.items()}
    after = {**store, **changes}
    with mock.patch.object(fold, "CHUNK", chunk):
        merged = b"".join(fold.merged(path, hashlib.sha256(data).hexdigest(), blocks))
    assert merged == whole({ref: entry for ref, entry in after.items() if entry is not None})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"a": {"ref": "a"}}\n',
        whole({"a": {}})[:-2],
        whole({"b": {}, "c": {}}).replace(b'"c": {', b'"a": {'),
    ],
)
def test_bytes_of_another_form_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(Damaged):
        list(fold.merged(tmp_path / "x", hashlib.sha256(data).hexdigest(), {}))


def test_bytes_that_are_not_the_base_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(whole({"a": {}}))
    with pytest.raises(Damaged, match="journal continues"):
        list(fold.merged(tmp_path / "x", "0" * 64, {}))


@pytest.mark.parametrize(("estimate_s", "folded"), [(0.31, False), (0.29, True)])
def test_shutdown_never_waits_for_a_fold_longer_than_300_ms(tmp_path: Path, estimate_s: float, folded: bool) -> None:
    """Issue 3: a fold that is estimated to take longer is left to the next process."""
    assert Limits().fold_at_close_s == 0.3
    store = LocalStore(tmp_path / "committed.json", limits=JOURNAL)
    put(store, entry("cog-s-1"))
    put(store, entry("cog-s-2"))
    size = sum(file.stat().st_size for file in (store.path, *tmp_path.glob("*.journal*")))
    store._limits = dataclasses.replace(JOURNAL, fold_rate=size / estimate_s)
    store.close()
    assert len(codec.parse(store.path.read_bytes())[0]) == (2 if folded else 1)
