"""Content-addressed bodies under `$ASSAY_HOME/artifacts`: written once, atomically, and verified on every read."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from assay.digest import canonical, sha256_hex
from assay.model.base import Frozen
from assay.model.exchange import Sha256
from assay.stores.files import write_atomically

if TYPE_CHECKING:
    import pyarrow as pa

BodyKind = Literal["bytes", "json", "jsonl", "arrow", "zip"]
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)


class Ref(Frozen):
    """What stages pass to each other: the name of a body, never the body."""

    digest: Sha256
    kind: BodyKind
    rows: int
    """How many items the body holds; for people."""


@dataclass(frozen=True)
class Body:
    """What a stage returns: a value, how it is kept, and how many items it holds."""

    kind: BodyKind
    value: Any
    rows: int


class MissingArtifact(LookupError):
    """The body is not there, or what is there is not it."""


class Artifacts:
    """The store. Safe for any number of processes: a body's name is its content."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "artifacts"

    def put(self, body: Body) -> Ref:
        """Keep a body and return its name. A damaged copy under the same name is replaced."""
        data = _ENCODERS[body.kind](body.value)
        ref = Ref(digest=sha256_hex(data), kind=body.kind, rows=body.rows)
        if self.holds(ref):
            self._used(ref)
        else:
            self._keep(ref, data)
        return ref

    def put_bytes(self, data: bytes) -> Ref:
        """Keep the bytes of a file; rows is its number of lines."""
        return self.put(Body("bytes", data, data.count(b"\n")))

    def get(self, ref: Ref) -> Any:  # noqa: ANN401  # the kind of body decides; stages know what they get
        """The body, decoded. Raises MissingArtifact."""
        return _DECODERS[ref.kind](self.raw(ref))

    def raw(self, ref: Ref) -> bytes:
        """The body's bytes, checked against the name. Raises MissingArtifact; the next put replaces what does not match."""
        try:
            data = self.path(ref).read_bytes()
        except OSError:
            raise MissingArtifact(ref.digest) from None
        if sha256_hex(data) != ref.digest:
            raise MissingArtifact(f"{ref.digest}: the content does not match the name")
        return data

    def holds(self, ref: Ref) -> bool:
        """Whether the whole, undamaged body is there."""
        try:
            self.raw(ref)
        except MissingArtifact:
            return False
        return True

    def _used(self, ref: Ref) -> None:
        """Make the body young again, so that a sweep leaves it to the run that is about to name it."""
        with suppress(OSError):
            os.utime(self.path(ref))

    def _keep(self, ref: Ref, data: bytes) -> None:
        """Where a store of another make hooks in."""
        write_atomically(self.path(ref), data)

    def path(self, ref: Ref) -> Path:
        """Where the body is kept."""
        return self._folder / ref.digest[:2] / f"{ref.digest}.{ref.kind}"


def _arrow_bytes(table: pa.Table) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return cast(bytes, sink.getvalue().to_pybytes())


def _arrow_table(data: bytes) -> pa.Table:
    import pyarrow as pa

    return pa.ipc.open_file(pa.BufferReader(data)).read_all()


def _jsonl_bytes(rows: list[Any]) -> bytes:
    return b"".join(canonical(row) + b"\n" for row in rows)


def _jsonl_rows(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines()]


def _zip_bytes(files: dict[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, ZIP_EPOCH), files[name])
    return sink.getvalue()


def _zip_files(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


_ENCODERS: dict[BodyKind, Callable[[Any], bytes]] = {
    "bytes": bytes,
    "json": canonical,
    "jsonl": _jsonl_bytes,
    "arrow": _arrow_bytes,
    "zip": _zip_bytes,
}
_DECODERS: dict[BodyKind, Callable[[bytes], Any]] = {
    "bytes": bytes,
    "json": json.loads,
    "jsonl": _jsonl_rows,
    "arrow": _arrow_table,
    "zip": _zip_files,
}
