"""Merging blocks gives the same bytes as writing everything anew (D49.9)."""

import hashlib
from pathlib import Path
from unittest import mock

import pytest
from cognition.stores import codec, fold
from cognition.stores.errors import Damaged
from hypothesis import given, settings
from hypothesis import strategies as st

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
