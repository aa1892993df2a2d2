"""A gold file in named parts: what of it changed can be said, and its layout does not count."""

from __future__ import annotations

import pytest

from assay.digest import sha256_hex
from assay.tampering.parts import parts_of


def test_rows_go_by_their_id_or_name_in_any_order() -> None:
    one, two = b'{"id": "a", "x": 1}', b'{"x": 2, "name": "b"}'
    found = parts_of("docs.jsonl", one + b"\n\n" + two + b"\n")
    assert list(found) == ["a", "b"]
    assert parts_of("docs.jsonl", b'{"name":"b","x":2}\n{"x":1,"id":"a"}') == found


def test_a_row_without_a_name_goes_by_its_content() -> None:
    rows = parts_of("pairs.jsonl", b'{"a": 1}\n[2]\n{"a": 1}\n')
    assert len(rows) == 2
    assert parts_of("pairs.jsonl", b'{"a": 1}\n[2]\n').keys() == rows.keys()
    assert parts_of("pairs.jsonl", b'{"a": 1}\n[2]\n') != rows


def test_entries_of_a_list_in_a_mapping_go_by_their_names() -> None:
    found = parts_of(
        "rules.yaml", b"format: 1\nrules:\n  - {name: one, at_most: 1}\n  - {name: two, at_most: 2}\nlist: [1, 2]\n"
    )
    assert list(found) == ["format", "rules/one", "rules/two", "list"]


def test_comments_layout_and_the_order_of_keys_do_not_count() -> None:
    assert parts_of("a.yaml", b"x: 1 # said\ny: {b: 1, a: 2}\n") == parts_of("a.yml", b"y:\n  a: 2\n  b: 1\nx: 1\n")
    assert parts_of("a.json", b'{"x": 1, "y": {"b": 1, "a": 2}}') == parts_of("a.yaml", b"x: 1\ny: {b: 1, a: 2}\n")


def test_the_order_of_a_plain_list_counts() -> None:
    assert parts_of("a.yaml", b"x: [1, 2]\n") != parts_of("a.yaml", b"x: [2, 1]\n")


def test_cases_are_passed_over() -> None:
    assert list(parts_of("a.yaml", b"tasks: [{id: t}]\nrecords: [{id: r}]\n", ["tasks"])) == ["records/r"]


@pytest.mark.parametrize(
    ("shown", "data"),
    [
        ("a.txt", b"anything"),
        ("a", b"anything"),
        ("a.arrow", b"\xff\x00"),
        ("a.jsonl", b"{not json}"),
        ("a.jsonl", b"\xff"),
        ("a.yaml", b"a: &x 1\nb: *x\n"),
        ("a.yaml", b"d: 2026-01-01\n"),
        ("a.yaml", b"- a\n- b\n"),
    ],
)
def test_a_file_of_another_form_or_that_cannot_be_read_is_one_part(shown: str, data: bytes) -> None:
    assert list(parts_of(shown, data)) == ["content"]
    assert parts_of(shown, data) != parts_of(shown, data + b" ")


def test_one_part_is_named_by_its_bytes() -> None:
    assert parts_of("a.jsonl", b"{not json}") == {"content": sha256_hex(b"{not json}")}
