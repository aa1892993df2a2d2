"""A body's name is its content: what is served is what was put, or nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.digest import sha256_hex
from assay.stores.artifacts import Artifacts, Body, MissingArtifact, Ref

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))
BODIES = (
    st.builds(Body, st.just("bytes"), st.binary(), st.integers(0, 9))
    | st.builds(Body, st.just("json"), JSON, st.integers(0, 9))
    | st.builds(Body, st.just("jsonl"), st.lists(JSON, max_size=3), st.integers(0, 9))
    | st.builds(Body, st.just("zip"), st.dictionaries(st.from_regex(r"\A[a-z]{1,8}\Z"), st.binary(), max_size=3), st.just(1))
)
BODY = Body("json", {"cases": [1, 2, 3]}, 3)


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def one_bit_off(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[0] ^= 1
    path.write_bytes(data)


def replaced(path: Path) -> None:
    path.write_bytes(b'{"cases":[1,2,4]}')


DAMAGES = [truncated, emptied, one_bit_off, replaced]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Artifacts:
    """One store for all examples: names are contents, so they cannot meet."""
    return Artifacts(tmp_path_factory.mktemp("home"))


@given(body=BODIES)
@settings(deadline=None)
def test_what_is_put_is_what_is_got(shared: Artifacts, body: Body) -> None:
    ref = shared.put(body)
    assert shared.get(ref) == body.value
    assert (ref.kind, ref.rows) == (body.kind, body.rows)
    assert ref.digest == sha256_hex(shared.raw(ref))


def test_a_table_keeps_columns_types_and_metadata(tmp_path: Path) -> None:
    table = pa.table({"case": ["a", "b"], "score": [0.5, None]}).replace_schema_metadata({b"k": b"v"})
    store = Artifacts(tmp_path)
    assert store.get(store.put(Body("arrow", table, 2))).equals(table, check_metadata=True)


def test_a_table_has_one_name_however_it_is_chunked(tmp_path: Path) -> None:
    store, whole = Artifacts(tmp_path), pa.table({"x": [1, 2, 3]})
    pieces = pa.concat_tables([whole.slice(0, 1), whole.slice(1)])
    assert store.put(Body("arrow", pieces, 3)) == store.put(Body("arrow", whole, 3))


def test_the_order_of_keys_and_files_changes_no_name(tmp_path: Path) -> None:
    store = Artifacts(tmp_path)
    assert store.put(Body("json", {"a": 1, "b": 2}, 1)) == store.put(Body("json", {"b": 2, "a": 1}, 1))
    assert store.put(Body("zip", {"a": b"1", "b": b"2"}, 1)) == store.put(Body("zip", {"b": b"2", "a": b"1"}, 1))


def test_one_content_as_two_kinds_is_two_bodies(tmp_path: Path) -> None:
    store = Artifacts(tmp_path)
    as_json, as_bytes = store.put(Body("json", [], 0)), store.put_bytes(b"[]")
    assert as_json.digest == as_bytes.digest
    assert (store.get(as_json), store.get(as_bytes)) == ([], b"[]")


def test_the_rows_of_a_file_are_its_lines(tmp_path: Path) -> None:
    assert Artifacts(tmp_path).put_bytes(b"a\nb\nc\n").rows == 3


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_body_is_missing(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    store = Artifacts(tmp_path)
    ref = store.put(BODY)
    damage(store.path(ref))
    with pytest.raises(MissingArtifact, match=ref.digest):
        store.get(ref)
    assert not store.holds(ref)


@pytest.mark.parametrize("damage", DAMAGES)
def test_putting_a_body_over_a_damaged_copy_mends_it(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    store = Artifacts(tmp_path)
    damage(store.path(store.put(BODY)))
    assert store.get(store.put(BODY)) == BODY.value


def test_a_deleted_body_is_missing_until_it_is_put_again(tmp_path: Path) -> None:
    store = Artifacts(tmp_path)
    ref = store.put(BODY)
    store.path(ref).unlink()
    with pytest.raises(MissingArtifact, match=ref.digest):
        store.raw(ref)
    assert not store.holds(ref)
    assert store.put(BODY) == ref
    assert store.holds(ref)


def test_a_body_that_is_there_is_not_written_again_but_young_again(tmp_path: Path) -> None:
    store = Artifacts(tmp_path)
    path = store.path(store.put(BODY))
    os.utime(path, (1, 1))
    before = path.stat()
    store.put(BODY)
    assert path.stat().st_ino == before.st_ino
    assert path.stat().st_mtime > before.st_mtime


def test_nothing_but_whole_bodies_is_left_in_the_store(tmp_path: Path) -> None:
    store = Artifacts(tmp_path)
    refs: list[Ref] = [store.put(BODY), store.put_bytes(b"x")]
    found = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {store.path(ref) for ref in refs}


def test_a_value_that_cannot_be_kept_leaves_nothing(tmp_path: Path) -> None:
    value: Any = {"score": float("nan")}
    with pytest.raises(ValueError, match="Out of range"):
        Artifacts(tmp_path).put(Body("json", value, 1))
    assert list(tmp_path.iterdir()) == []
