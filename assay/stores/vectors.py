"""The recording of embeddings: one Arrow file per embedder and gold-set version, a row per text, sorted by the text's digest.

In: vectors by the digest of their text. Out: the file's bytes, the same for the same vectors, and back again, checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from assay.digest import canonical, sha256_hex
from assay.errors import InputError, Problem
from assay.model.base import Frozen
from assay.model.embedding import EmbedderIdentity, Vector, is_unit
from assay.reading import record

if TYPE_CHECKING:
    import pyarrow as pa

HEAD = b"assay.vectors"
REMEDY = "Make it anew with `assay record`."


class VectorFacts(Frozen):
    """What the file says of itself, in its schema's metadata, and what a manifest repeats."""

    format: Literal[1] = 1
    embedder: EmbedderIdentity
    rows: int = Field(ge=0)


def text_sha256(text: str) -> str:
    """The name of a text in a recording: SHA-256 of its UTF-8 bytes, exactly as they are."""
    return sha256_hex(text.encode("utf-8", "surrogatepass"))


def vectors_bytes(vectors: Mapping[str, Vector], embedder: EmbedderIdentity) -> bytes:
    """The Arrow IPC file: text_sha256 (string), vector (fixed_size_list<float32>[dimension]), sorted by text_sha256.

    Raises ValueError for a vector of another dimension, which is a programming error.
    """
    import pyarrow as pa

    names = sorted(vectors)
    if any(len(vectors[name]) != embedder.dimension for name in names):
        raise ValueError(f"every vector has {embedder.dimension} components")
    values = pa.array([value for name in names for value in vectors[name]], pa.float32())
    columns = [pa.array(names, pa.string()), pa.FixedSizeListArray.from_arrays(values, type=_vector_type(embedder.dimension))]
    facts = VectorFacts(embedder=embedder, rows=len(names))
    schema = _schema(embedder.dimension).with_metadata({HEAD: canonical(facts.model_dump(mode="json"))})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.record_batch(columns, schema=schema))
    data: bytes = sink.getvalue().to_pybytes()
    return data


def vector_facts(data: bytes, shown: str) -> VectorFacts:
    """Embedder and rows as the file states them. Raises InputError."""
    return _facts(_table(data, shown), shown)


def read_vectors(data: bytes, shown: str) -> dict[str, Vector]:
    """The vectors by the digest of their text, in the file's order. An empty recording gives {}.

    Raises InputError for a file that is damaged, of another format, or holds anything but unit vectors of the stated dimension.
    """
    table = _table(data, shown)
    facts = _facts(table, shown)
    dimension = facts.embedder.dimension
    if not table.schema.equals(_schema(dimension)):
        wanted = f"text_sha256: string, vector: fixed_size_list<float32>[{dimension}]"
        raise InputError(Problem(shown, "has other columns", ", ".join(table.schema.names), wanted, REMEDY))
    if table.num_rows != facts.rows or any(column.null_count for column in table.columns):
        raise InputError(Problem(shown, "has other rows than it says", table.num_rows, f"{facts.rows} without nulls", REMEDY))
    names: list[str] = table["text_sha256"].to_pylist()
    if names != sorted(set(names)):
        raise InputError(Problem(shown, "the digests are not sorted or not unique", remedy=REMEDY))
    vectors = dict(zip(names, map(tuple, table["vector"].to_pylist()), strict=True))
    wrong = [name for name, vector in vectors.items() if None in vector or not is_unit(vector)]
    if wrong:
        place = f"{shown}: text {wrong[0][:12]}…"
        raise InputError(Problem(place, "is not a vector of length 1", expected="finite numbers", remedy=REMEDY))
    return vectors


def _vector_type(dimension: int) -> pa.DataType:
    import pyarrow as pa

    return pa.list_(pa.field("item", pa.float32()), dimension)


def _schema(dimension: int) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([("text_sha256", pa.string()), ("vector", _vector_type(dimension))])


def _table(data: bytes, shown: str) -> pa.Table:
    """The file as a table without a buffer that leads astray. Raises InputError."""
    import pyarrow as pa

    try:
        table = pa.ipc.open_file(pa.BufferReader(data)).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).split("\n", 1)[0]
        raise InputError(Problem(shown, f"is not a whole Arrow file ({reason})", remedy=REMEDY)) from None
    return table


def _facts(table: pa.Table, shown: str) -> VectorFacts:
    head: bytes | None = (table.schema.metadata or {}).get(HEAD)
    if head is None:
        raise InputError(Problem(shown, "is no recording of embeddings", expected="an Arrow file of assay", remedy=REMEDY))
    return record(head, shown, VectorFacts)
