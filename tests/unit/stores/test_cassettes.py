"""Recordings on disk: both files or none, in canonical lines, the cassette before its manifest."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.digest import canonical, sha256_hex
from assay.errors import InputError
from assay.model.exchange import ORACLE, Contract, Exchange, Manifest
from assay.reading import record, records
from assay.stores.cassettes import Place, exchange_lines, file_facts, read_recording, write_recording
from tests.builders import ZERO, exchange, request


def manifest(cassette: bytes) -> Manifest:
    """The provenance of a cassette."""
    return Manifest(
        format=1,
        suite="extraction",
        gold_version="v1",
        provider="openai",
        cassette_kind=ORACLE,
        model_asked="m",
        model_served=None,
        recorded_at="2026-11-30T12:00:00+00:00",
        recorded_by="assay record extraction --provider openai --oracle",
        contract=Contract(prompt_sha256=ZERO, schema_sha256=ZERO, prompt="é", response_schema="{}"),
        gold_files={},
        cassette=file_facts(cassette),
        cases={"c1": ZERO},
    )


def place(root: Path) -> Place:
    return Place(root, "extraction", "v1", "openai")


def refusal(root: Path) -> str:
    """What is said about half a recording."""
    with pytest.raises(InputError) as caught:
        read_recording(place(root))
    return str(caught.value)


def test_a_recording_lies_by_suite_version_and_provider(tmp_path: Path) -> None:
    found = place(tmp_path)
    assert found.shown == "cassettes/extraction/v1/openai.jsonl"
    assert found.cassette == tmp_path / "cassettes" / "extraction" / "v1" / "openai.jsonl"
    assert found.manifest == tmp_path / "cassettes" / "extraction" / "v1" / "openai.manifest.json"


def test_a_provider_that_was_never_recorded_has_none(tmp_path: Path) -> None:
    assert read_recording(place(tmp_path)) is None


def test_a_recording_reads_back_as_it_was_written(tmp_path: Path) -> None:
    exchanges = [exchange(request("b"), "c2", '{"memories": []} \u2028 é'), exchange(request("a"))]
    cassette = exchange_lines(exchanges)
    write_recording(place(tmp_path), manifest(cassette), cassette)
    found = read_recording(place(tmp_path))
    assert found is not None
    assert record(found[0], "m", Manifest) == manifest(cassette)
    assert records(found[1], "c", Exchange) == exchanges


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ("openai.jsonl", "cassettes/extraction/v1/openai.jsonl: no such file."),
        ("openai.manifest.json", "cassettes/extraction/v1/openai.manifest.json: no such file."),
    ],
)
def test_half_a_recording_is_refused_with_the_command_that_makes_it(tmp_path: Path, lost: str, said: str) -> None:
    write_recording(place(tmp_path), manifest(b""), b"")
    (tmp_path / "cassettes" / "extraction" / "v1" / lost).unlink()
    assert refusal(tmp_path) == f"{said} Record it with `assay record extraction --provider openai`."


def test_a_crash_between_the_two_files_leaves_a_manifest_that_does_not_fit(tmp_path: Path) -> None:
    where = place(tmp_path)
    write_recording(where, manifest(b"old\n"), b"old\n")
    before = where.manifest.read_bytes()
    with pytest.raises(AttributeError):
        write_recording(where, None, b"new\n")  # type: ignore[arg-type]  # the crash: there is no manifest to write
    assert (where.cassette.read_bytes(), where.manifest.read_bytes()) == (b"new\n", before)
    assert record(before, "m", Manifest).cassette != file_facts(where.cassette.read_bytes())


def test_lines_are_canonical_and_in_the_given_order() -> None:
    exchanges = [exchange(request("b"), "c2"), exchange(request("a"), "c1")]
    lines = exchange_lines(exchanges).split(b"\n")
    assert lines == [*(canonical(item.model_dump(mode="json")) for item in exchanges), b""]


@given(st.lists(st.text(max_size=20), max_size=4))
@settings(max_examples=50, deadline=None)
def test_any_raw_reply_survives_word_for_word(texts: list[str]) -> None:
    exchanges = [exchange(request(str(i)), f"c{i}", text) for i, text in enumerate(texts)]
    assert records(exchange_lines(exchanges), "c", Exchange) == exchanges


@pytest.mark.parametrize(
    ("data", "rows"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\n\n \nb", 2), (b"a\rb\n", 1), ("a\u2028b\n".encode(), 1)]
)
def test_rows_are_lines_that_are_not_blank(data: bytes, rows: int) -> None:
    facts = file_facts(data)
    assert (facts.rows, facts.sha256) == (rows, sha256_hex(data))


@given(st.lists(st.text(max_size=5), max_size=4))
@settings(max_examples=50, deadline=None)
def test_the_rows_of_a_cassette_are_its_exchanges(texts: list[str]) -> None:
    assert file_facts(exchange_lines([exchange(request(text)) for text in texts])).rows == len(texts)


@pytest.mark.parametrize(
    "change",
    [
        {"recorded_at": "yesterday"},
        {"recorded_at": ""},
        {"cassette_kind": "live"},
        {"cassette_kind": f"{ORACLE}\n"},
        {"cases": {"c1": "0"}},
        {"format": 0},
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(change: dict[str, object]) -> None:
    body = canonical({**manifest(b"").model_dump(mode="json"), **change})
    with pytest.raises(InputError):
        record(body, "openai.manifest.json", Manifest)


def test_a_manifest_of_another_format_is_told_by_its_format_alone() -> None:
    body = canonical({**manifest(b"").model_dump(mode="json"), "format": 2, "shards": 4})
    with pytest.raises(InputError) as caught:
        record(body, "openai.manifest.json", Manifest)
    assert str(caught.value) == (
        "openai.manifest.json: unknown format version, got 2; expected format 1. It was written by another release of assay."
    )
