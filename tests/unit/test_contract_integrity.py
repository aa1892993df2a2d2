"""Gold files, cassette and provenance: what was edited after a recording was made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from assay.digest import sha256_hex
from assay.model.exchange import Exchange
from tests.builders import ZERO, exchange, request
from tests.unit.contract_builders import CASES, MEND, PRESENT, broken, exchanges, file, live, proof_of, recorded

GOLD = "conversations.jsonl"
OTHER = sha256_hex(b"other")


def test_an_edited_gold_file_is_named_with_both_hashes_and_the_cases_that_differ() -> None:
    cases = {"c1": CASES["c1"], "c2": OTHER, "c4": OTHER, "c5": OTHER}
    present = replace(PRESENT, gold_files={GOLD: file("edited", 4)}, cases=cases)
    before, after = file("gold").sha256[:12], file("edited").sha256[:12]
    assert broken(proof_of(recorded(), present))[f"integrity.{GOLD}"] == (
        f"{GOLD} is not the file that was recorded for (3 -> 4 rows, sha256 {before}… -> {after}…); "
        f"2 added: c4, c5, 1 removed: c3, 1 edited: c2. {MEND}"
    )


def test_an_edit_that_changes_no_case_says_so() -> None:
    present = replace(PRESENT, gold_files={GOLD: file("edited")})
    before, after = file("gold").sha256[:12], file("edited").sha256[:12]
    assert broken(proof_of(recorded(), present)) == {
        f"integrity.{GOLD}": f"{GOLD} is not the file that was recorded for (3 rows, sha256 {before}… -> {after}…); "
        f"no case differs. {MEND}"
    }


def test_many_differing_cases_are_counted_and_the_first_five_named() -> None:
    cases = {**CASES, **{f"d{i}": OTHER for i in range(7)}}
    message = broken(proof_of(recorded(), replace(PRESENT, gold_files={GOLD: file("x")}, cases=cases)))[f"integrity.{GOLD}"]
    assert "; 7 added: d0, d1, d2, d3, d4 and 2 more. " in message


def test_a_gold_file_that_is_new_or_gone_is_broken() -> None:
    proof = proof_of(recorded(), replace(PRESENT, gold_files={"new.jsonl": file("new")}))
    found = broken(proof)
    assert "not the file that was recorded for (new)" in found["integrity.new.jsonl"]
    assert "not the file that was recorded for (gone)" in found[f"integrity.{GOLD}"]


def test_the_same_bytes_under_another_row_count_are_broken() -> None:
    manifest_lies = recorded(gold_files={GOLD: file("gold", 4)})
    assert f"integrity.{GOLD}" in broken(proof_of(manifest_lies))


def test_the_cases_of_the_recording_must_be_the_cases_of_the_gold_set() -> None:
    fewer = {name: digest for name, digest in CASES.items() if name != "c2"}
    for cases in (fewer, {**CASES, "c2": OTHER}):
        assert not proof_of(recorded(cases=cases)).usable


@pytest.mark.parametrize("change", [{"c4": OTHER}, {"c1": OTHER}])
def test_gold_cases_that_were_not_there_when_recording_are_broken(change: dict[str, str]) -> None:
    assert not proof_of(recorded(), replace(PRESENT, cases={**CASES, **change})).usable


def test_a_cassette_edited_after_recording_is_named_with_both_hashes() -> None:
    before, after = file("cassette").sha256[:12], file("edited").sha256[:12]
    assert broken(proof_of(recorded(cassette=file("edited", 2)))) == {
        "integrity.cassette": f"the cassette was edited after recording (3 -> 2 rows, sha256 {before}… -> {after}…). {MEND}"
    }


def without_one(said: list[Exchange]) -> list[Exchange]:
    return [e for e in said if e.case_id != "c2"]


def with_a_stranger(said: list[Exchange]) -> list[Exchange]:
    return [*said, exchange(request("c9"), "c9")]


def with_one_twice(said: list[Exchange]) -> list[Exchange]:
    return [*said, said[0]]


def with_a_wrong_name(said: list[Exchange]) -> list[Exchange]:
    return [said[0].model_copy(update={"request_sha256": ZERO}), *said[1:]]


@pytest.mark.parametrize(
    ("edited", "told"),
    [
        (without_one, "no exchange for c2"),
        (with_a_stranger, "exchanges for unknown cases c9"),
        (with_one_twice, "1 requests stand twice"),
        (with_a_wrong_name, "request digests that do not fit their requests: c1"),
    ],
)
def test_each_fault_of_a_cassette_has_its_words(edited: Callable[[list[Exchange]], list[Exchange]], told: str) -> None:
    assert broken(proof_of(recorded(edited(exchanges())))) == {"integrity.cassette": f"{told}. {MEND}"}


def test_all_faults_of_a_cassette_are_told_at_once() -> None:
    said = with_a_stranger(without_one(exchanges()))
    message = broken(proof_of(recorded(said)))["integrity.cassette"]
    assert message == f"no exchange for c2; exchanges for unknown cases c9. {MEND}"


def test_an_empty_cassette_is_broken() -> None:
    assert "no exchange for c1, c2, c3" in broken(proof_of(recorded([])))["integrity.cassette"]


def test_an_oracle_passed_off_as_live_is_broken() -> None:
    assert broken(proof_of(recorded(cassette_kind="live_p_recorded"))) == {
        "provenance": "kind live_p_recorded, but 0 of 3 replies name a model that served them. "
        "Record it again; a recording's kind is never edited by hand."
    }


def test_a_live_recording_with_one_reply_that_no_model_served_is_broken() -> None:
    mixed = [*exchanges("m-2026")[:2], exchanges(None)[2]]
    found = broken(proof_of(recorded(mixed, cassette_kind="live_p_recorded")))
    assert found["provenance"].startswith("kind live_p_recorded, but 2 of 3 replies name a model")


def test_a_live_recording_passed_off_as_oracle_is_broken() -> None:
    assert "provenance" in broken(proof_of(recorded(exchanges("m-2026"))))


def test_a_live_recording_of_another_provider_is_broken() -> None:
    assert not proof_of(live(cassette_kind="live_q_recorded")).usable
