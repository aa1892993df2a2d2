"""The oracle policy: what a changed contract asks of recordings, and how paths are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.digest import sha256_hex
from assay.errors import InputError
from assay.model.exchange import ORACLE, Contract, FileFacts, Manifest
from assay.model.verdict import Check
from assay.oracle_policy import changed_paths, exemption_of, oracle_policy

PROMPT, SCHEMA = "goldsets/extraction/v1/prompt.md", "goldsets/extraction/v1/schema.json"
CASSETTE, MANIFEST = "cassettes/extraction/v1/p.jsonl", "cassettes/extraction/v1/p.manifest.json"
EXEMPT = "EXTRACTION_EVAL_ORACLE_OK=1"
LIVE = "live_p_recorded"


def manifest(kind: str, provider: str = "p") -> Manifest:
    digest = sha256_hex(b"any")
    return Manifest(
        format=1,
        suite="extraction",
        gold_version="v1",
        provider=provider,
        cassette_kind=kind,
        model_asked="m",
        model_served=None,
        recorded_at="2026-11-30T12:00:00+00:00",
        recorded_by="test",
        contract=Contract(prompt_sha256=digest, schema_sha256=digest, prompt="", response_schema=""),
        gold_files={},
        cassette=FileFacts(sha256=digest, rows=0),
        cases={},
    )


def judged(kind: str, *changed: str, body: str = "") -> Check:
    return oracle_policy("extraction", (PROMPT, SCHEMA), {"p": (CASSETTE, manifest(kind))}, set(changed), body)["p"]


@pytest.mark.parametrize("kind", [ORACLE, LIVE])
def test_nothing_is_asked_when_no_contract_file_is_touched(kind: str) -> None:
    check = judged(kind, "README.md", CASSETTE, MANIFEST, "goldsets/extraction/v2/prompt.md")
    assert check == Check(name="oracle_policy.p", status="kept", message="no contract file is touched")


@pytest.mark.parametrize("file", [PROMPT, SCHEMA])
def test_a_touched_contract_over_an_oracle_recording_breaks(file: str) -> None:
    assert judged(ORACLE, file) == Check(
        name="oracle_policy.p",
        status="broken",
        message=f"{file} changed, and its recording is oracle-aligned, so nobody has seen a model answer the new contract. "
        "Record it live with `assay record extraction --provider p`, or write EXTRACTION_EVAL_ORACLE_OK=1 in the pull request.",
    )


def test_every_touched_contract_file_is_named() -> None:
    assert judged(ORACLE, SCHEMA, PROMPT).message.startswith(f"{PROMPT}, {SCHEMA} changed, and ")


def test_the_exemption_excuses_an_oracle_recording_and_is_shown_as_an_exception() -> None:
    assert judged(ORACLE, PROMPT, body=f"Wording only.\r\n{EXEMPT}\r\n") == Check(
        name="oracle_policy.p",
        status="kept",
        message=f"EXCEPTION: {PROMPT} changed over an oracle-aligned recording, excused by {EXEMPT}",
    )


@pytest.mark.parametrize(
    "body",
    [
        "",
        "EXTRACTION_EVAL_ORACLE_OK",
        "EXTRACTION_EVAL_ORACLE_OK=0",
        "EXTRACTION_EVAL_ORACLE_OK=10",
        "extraction_eval_oracle_ok=1",
        "MY_EXTRACTION_EVAL_ORACLE_OK=1",
        "RETRIEVAL_EVAL_ORACLE_OK=1",
    ],
)
def test_nothing_but_the_exact_exemption_of_this_suite_excuses(body: str) -> None:
    assert judged(ORACLE, PROMPT, body=body).status == "broken"


@pytest.mark.parametrize("body", [EXEMPT, f"`{EXEMPT}`", f"- {EXEMPT}.", f"({EXEMPT})", f"because\n{EXEMPT}"])
def test_the_exemption_may_stand_anywhere_in_the_body(body: str) -> None:
    assert judged(ORACLE, PROMPT, body=body).status == "kept"


def test_recording_live_in_the_same_change_keeps_it() -> None:
    check = judged(LIVE, PROMPT, CASSETTE, MANIFEST)
    assert (check.status, check.message) == ("kept", f"{PROMPT} changed and p was recorded live in the same change")


@pytest.mark.parametrize("kind", [ORACLE, LIVE])
def test_a_bumped_hash_in_the_manifest_alone_breaks(kind: str) -> None:
    assert judged(kind, PROMPT, MANIFEST).status == "broken"


def test_recording_the_oracle_anew_breaks() -> None:
    assert judged(ORACLE, PROMPT, CASSETTE, MANIFEST).status == "broken"


def test_a_stale_live_recording_breaks_and_says_how_to_mend_it() -> None:
    assert judged(LIVE, PROMPT).message == (
        f"{PROMPT} changed, and its recording was not made anew; a changed hash in the manifest alone proves nothing. "
        "Record it with `assay record extraction --provider p`."
    )


def test_the_exemption_does_not_excuse_a_stale_live_recording() -> None:
    assert judged(LIVE, PROMPT, body=EXEMPT).status == "broken"


def test_a_live_recording_of_one_provider_does_not_excuse_another() -> None:
    other = "cassettes/extraction/v1/q.jsonl"
    cassettes = {"q": (other, manifest("live_q_recorded", "q")), "p": (CASSETTE, manifest(ORACLE))}
    checks = oracle_policy("extraction", (PROMPT, SCHEMA), cassettes, {PROMPT, other}, "")
    assert {name: check.status for name, check in checks.items()} == {"p": "broken", "q": "kept"}
    assert [check.name for check in checks.values()] == ["oracle_policy.p", "oracle_policy.q"]


@pytest.mark.parametrize(
    ("suite", "exemption"),
    [("extraction", EXEMPT), ("my-suite_2", "MY_SUITE_2_EVAL_ORACLE_OK=1")],
)
def test_the_exemption_is_named_after_the_suite(suite: str, exemption: str) -> None:
    assert exemption_of(suite) == exemption


def test_changed_paths_are_read_a_line_each_without_blanks_and_in_one_form() -> None:
    assert changed_paths("a/b.md\r\n\n  ./c//d.json \na/b.md\n", "changed.txt") == {"a/b.md", "c/d.json"}


def test_no_changed_path_at_all_is_an_empty_set() -> None:
    assert changed_paths("", "changed.txt") == frozenset()


def test_paths_that_leave_the_repository_are_refused_all_at_once() -> None:
    with pytest.raises(InputError) as raised:
        changed_paths("fine.md\n/etc/passwd\na/../../b\n..\n", "changed.txt")
    assert str(raised.value) == (
        "changed.txt:2: path leaves the repository, got '/etc/passwd'; expected a path relative to its top folder.\n"
        "changed.txt:3: path leaves the repository, got 'a/../../b'; expected a path relative to its top folder.\n"
        "changed.txt:4: path leaves the repository, got '..'; expected a path relative to its top folder."
    )


@pytest.mark.parametrize("line", ["$(touch x)", "`id`", "; rm -rf .", "--help", "~/.ssh", "a b\tc", "%2e%2e/x"])
def test_a_path_is_data_whatever_it_looks_like(line: str) -> None:
    assert changed_paths(line, "changed.txt") == {line}


@given(st.text(alphabet="./~a b\n\r\u2028\x00é", max_size=30))
def test_any_list_is_read_or_refused_with_our_own_error(text: str) -> None:
    try:
        paths = changed_paths(text, "changed.txt")
    except InputError:
        return
    assert all(".." not in path.split("/") and not path.startswith("/") for path in paths)
