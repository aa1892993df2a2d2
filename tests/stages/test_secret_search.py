"""The positive control of the canary tests: their search finds what is planted."""

from __future__ import annotations

import base64
import json
import sqlite3
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.stages.canaries import ALL, QUERY
from tests.stages.recordings import KEY
from tests.stages.secret_search import forms, places


def planted(folder: Path) -> dict[str, str]:
    """The key in a file of every kind that a run writes; returns the form in which it is found, by file name."""
    (folder / "log.txt").write_text(f"Authorization: Bearer {KEY}\n", encoding="utf-8")
    encoded = base64.b64encode(b"?" + KEY.encode() + b"?").decode()
    (folder / "body.json").write_text(json.dumps({"text": encoded}), encoding="utf-8")
    with zipfile.ZipFile(folder / "report.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("report.md", f"key {KEY} " * 50)
    table = pa.table({"text": [KEY] * 50})
    pq.write_table(table, folder / "scores.parquet")
    with pa.OSFile(str(folder / "scores.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    connection = sqlite3.connect(folder / "engine.db")
    with connection:
        connection.execute("CREATE TABLE log (data BLOB)")
        connection.execute("INSERT INTO log VALUES (?)", (b"x" * 4_090 + KEY.encode(),))
    connection.close()
    (folder / KEY).mkdir()
    kinds = dict.fromkeys(("log.txt", "report.zip", "scores.parquet", "scores.arrow", KEY), "plain")
    return {**kinds, "body.json": "base64 1", "engine.db": "HEX"}


def test_a_secret_planted_in_a_file_of_any_kind_is_found(tmp_path: Path) -> None:
    expected = planted(tmp_path)
    found = places(tmp_path, *ALL)
    assert {f"{name}: {form}" for name, form in expected.items()} <= set(found)
    assert {line.split(": ")[0] for line in found} == set(expected)


def test_a_packed_secret_is_not_there_in_plain_bytes(tmp_path: Path) -> None:
    planted(tmp_path)
    assert KEY.encode() not in (tmp_path / "report.zip").read_bytes()


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    planted(tmp_path)
    assert places(tmp_path, QUERY) == []


@pytest.mark.parametrize("ahead", range(5))
@pytest.mark.parametrize("behind", range(3))
def test_base64_is_found_at_each_alignment(ahead: int, behind: int) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(b"?" * ahead + KEY.encode() + b"~" * behind)
        assert any(form in text for name, form in forms(KEY).items() if name.startswith("base64"))
