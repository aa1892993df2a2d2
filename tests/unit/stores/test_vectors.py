"""Recorded vectors: the same bytes for the same vectors, and no file but a right one is read."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import inf, nan

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.digest import canonical, sha256_hex
from assay.errors import InputError
from assay.model.embedding import EmbedderIdentity, Vector, is_unit
from assay.providers.retrieval.embedder import normalised
from assay.stores.vectors import HEAD, VectorFacts, read_vectors, text_sha256, vector_facts, vectors_bytes

SHOWN = "cassettes/retrieval/v1/semantic.arrow"
TWO = EmbedderIdentity(model="m", model_sha256="1" * 64, tokenizer_sha256="2" * 64, dimension=2)
VECTORS: dict[str, Vector] = {text_sha256("north"): (0.0, 1.0), text_sha256("east"): (1.0, 0.0)}
UNITS = (
    st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).filter(lambda v: any(abs(x) > 1e-3 for x in v)).map(normalised)
)


def arrow(
    names: list[str | None],
    vectors: Sequence[object],
    *,
    dimension: int = 2,
    head: object = None,
    rows: int | None = None,
    value_type: object = None,
    columns: tuple[str, str] = ("text_sha256", "vector"),
) -> bytes:
    """A file as somebody else might write it; `head` in place of the facts."""
    facts = VectorFacts(embedder=TWO, rows=len(names) if rows is None else rows).model_dump(mode="json")
    vector_type = pa.list_(value_type or pa.float32(), dimension)
    schema = pa.schema(
        [(columns[0], pa.string()), (columns[1], vector_type)], {HEAD: canonical(facts if head is None else head)}
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.record_batch([pa.array(names, pa.string()), pa.array(vectors, vector_type)], schema=schema))
    data: bytes = sink.getvalue().to_pybytes()
    return data


def refusal(data: bytes) -> str:
    with pytest.raises(InputError) as found:
        read_vectors(data, SHOWN)
    return str(found.value)


def test_what_was_written_is_read_in_the_order_of_the_digests() -> None:
    data = vectors_bytes(VECTORS, TWO)
    found = read_vectors(data, SHOWN)
    assert found == VECTORS
    assert list(found) == sorted(VECTORS)
    assert vector_facts(data, SHOWN) == VectorFacts(embedder=TWO, rows=2)


def test_the_bytes_do_not_depend_on_the_order() -> None:
    assert vectors_bytes(VECTORS, TWO) == vectors_bytes(dict(reversed(VECTORS.items())), TWO)


def test_the_bytes_are_pinned() -> None:
    """A change here makes every committed recording another file."""
    assert sha256_hex(vectors_bytes(VECTORS, TWO)) == "a71be8a6f2562899fa13357fa8ed1231b617eef87126c6f0af51d63a5137c50e"


def test_the_columns_are_those_that_are_declared() -> None:
    table = pa.ipc.open_file(pa.BufferReader(vectors_bytes(VECTORS, TWO))).read_all()
    assert str(table.schema.field("text_sha256").type) == "string"
    assert table.schema.field("vector").type == pa.list_(pa.float32(), 2)
    assert table["text_sha256"].to_pylist() == sorted(VECTORS)


def test_an_empty_recording_is_a_recording() -> None:
    assert read_vectors(vectors_bytes({}, TWO), SHOWN) == {}


def test_a_vector_of_another_dimension_is_never_written() -> None:
    with pytest.raises(ValueError, match="every vector has 2 components"):
        vectors_bytes({"a": (1.0, 0.0, 0.0)}, TWO)


def test_a_text_is_named_by_its_bytes() -> None:
    assert text_sha256("é") == sha256_hex("é".encode())
    assert len({text_sha256(text) for text in ("é", "e\u0301", " é", "\ud800")}) == 4


@given(st.dictionaries(st.text(max_size=4).map(text_sha256), UNITS, max_size=8), st.randoms(use_true_random=False))
def test_every_recording_comes_back_bit_by_bit(vectors: dict[str, Vector], source: random.Random) -> None:
    identity = EmbedderIdentity(model="m", dimension=3)
    data = vectors_bytes(vectors, identity)
    mixed = list(vectors.items())
    source.shuffle(mixed)
    assert vectors_bytes(dict(mixed), identity) == data
    assert read_vectors(data, SHOWN) == vectors


A, B = sorted(VECTORS)
RIGHT = [[1.0, 0.0], [0.0, 1.0]]
ODD = {
    "NaN": (arrow([A], [[nan, 1.0]]), f"text {A[:12]}…: is not a vector of length 1; expected finite numbers."),
    "infinite": (arrow([A, B], [[0, 1], [inf, 1.0]]), f"text {B[:12]}…: is not a vector of length 1; expected finite numbers."),
    "zero": (arrow([A], [[0.0, 0.0]]), f"text {A[:12]}…: is not a vector of length 1"),
    "too long": (arrow([A], [[1.0, 0.1]]), f"text {A[:12]}…: is not a vector of length 1"),
    "null in a vector": (arrow([A], [[None, 1.0]]), f"text {A[:12]}…: is not a vector of length 1"),
    "null vector": (arrow([A, B], [RIGHT[0], None]), "has other rows than it says, got 2; expected 2 without nulls."),
    "null digest": (arrow([A, None], RIGHT), "has other rows than it says, got 2; expected 2 without nulls."),
    "another count": (arrow([A, B], RIGHT, rows=3), "has other rows than it says, got 2; expected 3 without nulls."),
    "unsorted": (arrow([B, A], RIGHT), "the digests are not sorted or not unique."),
    "twice": (arrow([A, A], RIGHT), "the digests are not sorted or not unique."),
    "another dimension": (
        arrow([A], [[1.0, 0.0, 0.0]], dimension=3),
        "has other columns, got 'text_sha256, vector'; expected text_sha256: string, vector: fixed_size_list<float32>[2].",
    ),
    "float64": (arrow([A], [RIGHT[0]], value_type=pa.float64()), "has other columns"),
    "other names": (arrow([A], [RIGHT[0]], columns=("id", "vector")), "has other columns, got 'id, vector'"),
    "another format": (arrow([A], [RIGHT[0]], head={"format": 2}), "unknown format version, got 2; expected format 1."),
    "no facts": (arrow([A], [RIGHT[0]], head={}), "embedder: is missing."),
}


@pytest.mark.parametrize("odd", ODD)
def test_what_is_not_right_is_refused_with_its_reason(odd: str) -> None:
    data, told = ODD[odd]
    assert told in refusal(data)
    assert refusal(data).startswith(SHOWN)


def test_the_builder_of_odd_files_builds_right_ones_too() -> None:
    """The positive control of the test above."""
    assert read_vectors(arrow([A, B], RIGHT), SHOWN) == {A: (1.0, 0.0), B: (0.0, 1.0)}


def test_another_arrow_file_is_no_recording() -> None:
    sink = pa.BufferOutputStream()
    table = pa.table({"a": [1]})
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    assert "is no recording of embeddings; expected an Arrow file of assay." in refusal(sink.getvalue().to_pybytes())


@pytest.mark.parametrize("data", [b"", b"ARROW1", b"PAR1", b"\x00" * 100, b'{"text": 1}\n'])
def test_what_is_no_arrow_file_is_refused_with_the_remedy(data: bytes) -> None:
    told = refusal(data)
    assert told.startswith(f"{SHOWN}: is not a whole Arrow file (")
    assert told.endswith("Make it anew with `assay record`.")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_torn_file_is_refused(share: float) -> None:
    data = vectors_bytes(VECTORS, TWO)
    assert "Arrow file" in refusal(data[: int(len(data) * share)])


@given(st.integers(0, 2000), st.integers(1, 255))
@settings(deadline=None, max_examples=300)
def test_a_flipped_byte_is_refused_or_changes_what_the_digest_of_the_file_would_tell(place: int, change: int) -> None:
    """No crash and no error but InputError; that the content is the recorded one is the manifest's business."""
    data = bytearray(vectors_bytes(VECTORS, TWO))
    data[place % len(data)] ^= change
    try:
        found = read_vectors(bytes(data), SHOWN)
    except InputError:
        return
    assert all(len(vector) == 2 and is_unit(vector) for vector in found.values())
