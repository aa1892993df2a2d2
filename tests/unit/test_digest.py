"""Content has one name: canonical JSON and SHA-256."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.digest import canonical, digest_of, sha256_base64, sha256_hex

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4))


@pytest.mark.parametrize(
    ("data", "digest"),
    [  # FIPS 180-2, appendix B, and the well-known digest of nothing
        (b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ],
)
def test_sha256_is_the_standard_one(data: bytes, digest: str) -> None:
    assert sha256_hex(data) == digest


@pytest.mark.parametrize(
    ("data", "digest"),
    [
        (b"", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),  # the well-known digest of nothing
        (b"alert('Hello, world.');", "qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="),  # CSP Level 3, section on hashes
    ],
)
def test_sha256_in_base64_is_what_a_content_policy_names(data: bytes, digest: str) -> None:
    assert sha256_base64(data) == digest


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, 1.5]}, '{"a":[true,null,1.5],"b":1}'),
        ({"é": "日"}, '{"é":"日"}'),
        ([], "[]"),
        ("\u2028\n", '"\u2028\\n"'),
    ],
)
def test_the_canonical_form_is_sorted_compact_utf8(value: object, text: str) -> None:
    assert canonical(value) == text.encode()


def test_a_digest_is_that_of_the_canonical_form() -> None:
    assert digest_of({"b": 1, "a": 2}) == sha256_hex(b'{"a":2,"b":1}')


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), {"deep": [float("nan")]}])
def test_what_is_not_a_number_has_no_name(value: object) -> None:
    with pytest.raises(ValueError, match="Out of range float values"):
        canonical(value)


def test_what_is_not_json_has_no_name() -> None:
    with pytest.raises(TypeError):
        digest_of({"body": b"bytes"})


@given(VALUES)
def test_the_canonical_form_reads_back_as_the_value(value: Any) -> None:
    assert json.loads(canonical(value)) == value


@given(st.dictionaries(st.text(), SCALARS, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_keys_never_changes_a_digest(value: dict[str, Any], random: Any) -> None:
    keys = list(value)
    random.shuffle(keys)
    assert digest_of({key: value[key] for key in keys}) == digest_of(value)


@given(VALUES, VALUES)
def test_different_values_have_different_digests(a: Any, b: Any) -> None:
    assert (digest_of(a) == digest_of(b)) == (json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True))


@pytest.mark.parametrize("pair", [(1, 1.0), (1, True), (0.0, -0.0), ("1", 1), (None, "null"), ([], {})])
def test_values_that_only_look_alike_have_different_digests(pair: tuple[object, object]) -> None:
    assert digest_of(pair[0]) != digest_of(pair[1])


def test_half_a_surrogate_pair_has_a_name() -> None:
    assert digest_of("\ud800") != digest_of("\ud801")
