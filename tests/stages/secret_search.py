"""Searches all that was written below a folder for a secret: in every form it may have, and inside what is packed."""

from __future__ import annotations

import base64
import json
import sqlite3
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq


def forms(secret: str) -> dict[str, bytes]:
    """The secret as it is, escaped, in hexadecimal, and in both base64 alphabets at each of the three alignments.

    Of base64 the characters are looked for that do not depend on what stands before or after the secret.
    """
    data = secret.encode()
    found = {"plain": data, "json": json.dumps(secret)[1:-1].encode(), "url": quote(secret, safe="").encode()}
    found |= {"hex": data.hex().encode(), "HEX": data.hex().upper().encode()}
    for ahead in range(3):
        first, last = -(-ahead * 8 // 6), (ahead + len(data)) * 8 // 6
        for name, encode in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            found[f"{name} {ahead}"] = encode(b"\0" * ahead + data)[first:last]
    return found


def places(folder: Path, *secrets: str) -> list[str]:
    """`path: form` for every occurrence of one of the secrets below the folder, also in a file's name."""
    found = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        parts = unpacked(path) if path.is_file() else iter([b""])
        seen = b"\n".join([name.encode(), *parts])
        found += [f"{name}: {form}" for secret in secrets for form, data in forms(secret).items() if data in seen]
    return found


def unpacked(path: Path) -> Iterator[bytes]:
    """The bytes of a file, and of what it holds in packed form."""
    data = path.read_bytes()
    yield data
    if data.startswith(b"SQLite format 3\0"):
        yield dumped(path)
    elif data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(BytesIO(data)) as packed:
            for name in packed.namelist():
                yield packed.read(name)
                if name.endswith(".parquet"):
                    yield shown(pq.read_table(BytesIO(packed.read(name))))
    elif data.startswith(b"PAR1"):
        yield shown(pq.read_table(BytesIO(data)))
    elif data.startswith(b"ARROW1"):
        yield shown(pa.ipc.open_file(data).read_all())


def shown(table: pa.Table) -> bytes:
    return f"{table.schema.metadata} {table.to_pylist()}".encode()


def dumped(path: Path) -> bytes:
    """A database as statements, so that no text is split over its pages."""
    connection = sqlite3.connect(path)
    try:
        return "\n".join(connection.iterdump()).encode()
    finally:
        connection.close()
