"""YAML is read strictly: a mapping, no alias, no key twice, and no object."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.reading_yaml import SIZE_LIMIT, yaml_mapping


def test_a_mapping_is_read() -> None:
    assert yaml_mapping("a: 1\nb: [x, 'ü']\n".encode(), "f.yaml") == {"a": 1, "b": ["x", "ü"]}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"- 1", "f.yaml: is not a mapping, got 'list'; expected key: value lines."),
        (b"", "f.yaml: is not a mapping, got 'NoneType'; expected key: value lines."),
        (b"a: 1\na: 2", "f.yaml:2: the key 'a' stands twice."),
        (b"b:\n  - {a: 1, a: 2}", "f.yaml:2: the key 'a' stands twice."),
        (b"a: &x 1\nb: *x", "f.yaml:2: holds an alias; expected plain values."),
        (b"a: [1", "f.yaml:1: is not YAML (expected ',' or ']', but got '<stream end>')."),
        (b"a: \xff", "f.yaml:1: is not UTF-8 text, got b'\\xff'; expected UTF-8."),
    ],
)
def test_anything_else_is_told(data: bytes, told: str) -> None:
    with pytest.raises(InputError) as found:
        yaml_mapping(data, "f.yaml")
    assert str(found.value) == told


@pytest.mark.parametrize("data", [b"a: !!python/object/apply:os.getcwd []", b"a: !!int ''", b"a: !x 1", b"? [a]\n: 1"])
def test_tags_and_odd_keys_are_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        yaml_mapping(data, "f.yaml")


def test_a_huge_file_is_refused() -> None:
    with pytest.raises(InputError, match="1,048,580 characters"):
        yaml_mapping(b"a: " + b"x" * (SIZE_LIMIT + 1), "f.yaml")


@given(st.binary(max_size=60))
def test_any_bytes_give_a_mapping_or_an_input_error(data: bytes) -> None:
    with suppress(InputError):
        assert isinstance(yaml_mapping(data, "f.yaml"), dict)
