"""Secrets in what is about to be written: found in every form they travel in, told by kind, never quoted."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import Refused
from assay.redaction import SHAPES, SHORTEST_VALUE, refuse_secrets, secret_values
from tests.stages.copies import ran_here

ROOT = Path(__file__).resolve().parents[2]
FILLER = "Aa1Bb2Cc3Dd4Ee5Ff6Gg7Hh8Ii9Jj0Kk1Ll2Mm3"
SAMPLES = {
    "an API key": [f"sk-{FILLER}", f"sk-proj-{FILLER}", f"sk-ant-api03-{FILLER}", f"pk-{FILLER[:16]}", f"rk-live-{FILLER}"],
    "a bearer token": [
        f"Bearer {FILLER}",
        f"authorization: bearer  {FILLER}",
        f"BEARER {FILLER[:16]}",
        "Bearer a1.b2-c3_d4~e5+f6=",
    ],
    "a cloud access key": ["AKIAABCDEFGHIJKLMNOP", "ASIA0123456789ABCDEF"],
    "a repository token": [f"ghp_{FILLER}", f"gho_{FILLER[:30]}", f"glpat-{FILLER[:20]}", f"github_pat_{FILLER}"],
    "a messenger token": [f"xoxb-{FILLER[:10]}", f"xoxp-1234-{FILLER}"],
    "a Google key": [f"AIza{FILLER[:30]}", f"AIza_-{FILLER}"],
    "a private key": [
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
    ],
    "a signed web token": [f"eyJ{FILLER}.eyJ{FILLER}.{FILLER}"],
}
ORDINARY = [
    "The user's task-list and risk-management notes; a disk-0123456789abcdef label.",
    "He is the ring bearer and the bearer of bad news.",
    "Bearer responsibilities were discussed.",
    "The service wants bearer token-authentication.",
    "sk-12 is a road, pk-short too; sk- alone is nothing.",
    "A sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08, uuid 0b7e1a1e-5d0f-4b7e-9a53-0c4f0c1f7f00.",
    "-----BEGIN CERTIFICATE----- -----BEGIN PUBLIC KEY-----",
    "eyJhbGciOiJIUzI1NiJ9 alone says only which algorithm is used.",
    "request id req_0123456789abcdef0123456789abcdef, model gpt-4o-mini-2024-07-18",
]
VALUES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=SHORTEST_VALUE, max_size=40)


def refusal(text: str, **values: str) -> str:
    with pytest.raises(Refused) as caught:
        refuse_secrets("p: reply to case c1", text, values)
    assert caught.value.exit_code == 1
    return str(caught.value)


def said(told: str) -> str:
    return (
        f"p: reply to case c1: holds {told}, so nothing was written. "
        "Find out why the endpoint sends it, change the key, and record again."
    )


def passes(text: str, **values: str) -> bool:
    refuse_secrets("here", text, values)
    return True


def test_every_shape_has_samples() -> None:
    assert set(SAMPLES) == set(SHAPES)


@pytest.mark.parametrize(("told", "secret"), [(told, secret) for told, found in SAMPLES.items() for secret in found])
@pytest.mark.parametrize("around", ["{}", "The key is {}.", '{{"text":"{}"}}', "a\n{}\nb", "url?key={}&x=1", "'{}'", "({})"])
def test_each_shape_is_found_in_any_surroundings_and_told_by_kind_alone(told: str, secret: str, around: str) -> None:
    message = refusal(around.format(secret))
    assert message == said(told)
    assert secret not in message


@pytest.mark.parametrize("told", SAMPLES)
def test_each_shape_is_found_as_json_escapes_it(told: str) -> None:
    assert all(refusal(json.dumps({"text": f'"{secret}"'})) == said(told) for secret in SAMPLES[told])


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_passes(text: str) -> None:
    assert passes(text, KEY="correct-horse-battery")


def test_what_is_committed_passes() -> None:
    files = [path for folder in ("cassettes", "goldsets", "evidence") for path in (ROOT / folder).rglob("*") if path.is_file()]
    assert {path.suffix for path in files} >= {".jsonl", ".json", ".md", ".yaml"}
    assert all(passes(path.read_text(encoding="utf-8", errors="replace")) for path in files)


def test_the_report_of_a_run_passes(tmp_path: Path) -> None:
    files = ran_here(ROOT, tmp_path).files
    texts = [data.decode() for name, data in files.items() if name.endswith((".json", ".md", ".xml"))]
    assert len(texts) >= 3
    assert all(map(passes, texts))


@given(VALUES, st.text(max_size=10), st.text(max_size=10))
@settings(max_examples=150, deadline=None)
def test_a_value_is_found_anywhere_in_a_text(value: str, before: str, after: str) -> None:
    assert refusal(f"{before}{value}{after}", KEY=value) == said("the value of KEY")


@given(st.text(min_size=SHORTEST_VALUE, max_size=20).filter(lambda text: len(text.strip()) >= SHORTEST_VALUE), st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_value_is_found_as_json_escapes_it(value: str, ascii_only: bool) -> None:
    """Also a value of several lines, such as a key in PEM form, and one that is not ASCII."""
    (held,) = secret_values(["KEY"], {"KEY": value}).values()
    assert refusal(json.dumps({"text": held}, ensure_ascii=ascii_only), KEY=held) == said("the value of KEY")


@given(VALUES)
@settings(max_examples=100, deadline=None)
def test_a_value_is_found_in_a_reply_that_is_json_within_json(value: str) -> None:
    """What a model that answers in JSON echoes is escaped twice in a cassette's line."""
    assert refusal(json.dumps({"text": json.dumps({"content": value})}), KEY=value) == said("the value of KEY")


@pytest.mark.parametrize("ahead", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("behind", [0, 1, 2])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@given(value=VALUES)
@settings(max_examples=25, deadline=None)
def test_a_value_is_found_in_base64_at_each_alignment(ahead: int, behind: int, encode: object, value: str) -> None:
    assert callable(encode)
    text = encode(b"?" * ahead + value.encode() + b">" * behind).decode()
    assert refusal(f"data: {text}", KEY=value) == said("the value of KEY")
    assert refusal(f"data: {text.rstrip('=')}", KEY=value) == said("the value of KEY")


def test_the_two_alphabets_of_base64_are_both_looked_for() -> None:
    """The bytes fb ff bf and their like become + and /, or - and _."""
    value = "~~~???>>>~~~???"
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(value.encode()).decode()
        assert set(text) & set("+/-_")
        assert refusal(text, KEY=value) == said("the value of KEY")


def test_the_first_variable_whose_value_is_there_is_named() -> None:
    assert refusal("x correct-horse y", OTHER="not-in-there", KEY="correct-horse") == said("the value of KEY")


@given(VALUES)
@settings(max_examples=100, deadline=None)
def test_the_message_holds_no_value(value: str) -> None:
    secret = f"{value}-canary"
    assert secret not in refusal(f"x {secret} y", KEY=secret)
    assert value in secret


def test_other_text_does_not_hold_the_value() -> None:
    assert passes("correct-hors", KEY="correct-horse")
    assert passes("CORRECT-HORSE", KEY="correct-horse")


def test_only_values_of_the_named_variables_are_secrets() -> None:
    environ = {"KEY": "correct-horse", "OTHER": "battery-staple"}
    assert secret_values(["KEY", "UNSET"], environ) == {"KEY": "correct-horse"}


@pytest.mark.parametrize(("value", "found"), [("", {}), ("12345", {}), (" 12345 ", {}), ("123456", {"KEY": "123456"})])
def test_values_shorter_than_six_characters_are_not_looked_for(value: str, found: dict[str, str]) -> None:
    assert secret_values(["KEY"], {"KEY": value}) == found


def test_a_value_is_looked_for_without_the_space_around_it() -> None:
    assert secret_values(["KEY"], {"KEY": " correct-horse\n"}) == {"KEY": "correct-horse"}
