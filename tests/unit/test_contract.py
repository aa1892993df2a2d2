"""Each way in which a recording can stop belonging to its suite, and what is said about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.contract import DriftPolicy, Recorded, record_command
from assay.model.report import Proof
from assay.model.suite import Enforcement
from assay.model.verdict import Check
from tests.builders import recording
from tests.unit.contract_builders import MEND, MEND_LIVE, PRESENT, broken, check, contract, file, live, proof_of, recorded


@pytest.mark.parametrize("found", [recorded(), live()])
def test_a_recording_that_fits_is_usable_and_every_check_is_kept(found: Recorded) -> None:
    proof = proof_of(found)
    assert broken(proof) == {}
    assert proof.usable
    names = {"recording", "contract.prompt_sha256", "contract.schema_sha256", "contract.model", "integrity.conversations.jsonl"}
    assert names | {"integrity.cassette", "provenance"} <= {check.name for check in proof.checks}


def test_a_proof_carries_the_facts_of_its_recording() -> None:
    assert proof_of(recorded()).recording == recording(
        prompt_sha256=contract().prompt_sha256, schema_sha256=contract().schema_sha256
    )


def test_an_oracle_recording_says_that_it_proves_plumbing() -> None:
    assert check(proof_of(recorded()), "provenance").message == "made from the expectations: proves plumbing, not the model"


def test_a_drifted_prompt_is_named_with_both_hashes_the_diff_and_the_command() -> None:
    new = contract("Be brief.\nBe kind.\n")
    assert broken(proof_of(recorded(), replace(PRESENT, contract=new))) == {
        "contract.prompt_sha256": f"prompt_sha256 differs: recorded {contract().prompt_sha256}, present {new.prompt_sha256}.\n"
        f"--- recorded\n+++ present\n@@ -2 +2 @@\n-Be right.\n+Be kind.\n{MEND}"
    }


def test_a_drifted_schema_is_named_with_both_hashes_the_diff_and_the_command() -> None:
    new = contract(schema="[]\n")
    assert broken(proof_of(live(), replace(PRESENT, contract=new))) == {
        "contract.schema_sha256": f"schema_sha256 differs: recorded {contract().schema_sha256}, present {new.schema_sha256}.\n"
        f"--- recorded\n+++ present\n@@ -1 +1 @@\n-{{}}\n+[]\n{MEND_LIVE}"
    }


def test_a_long_difference_is_cut_and_says_how_much_is_left_out() -> None:
    new = contract("".join(f"line {i}\n" for i in range(20)))
    message = broken(proof_of(recorded(), replace(PRESENT, contract=new)))["contract.prompt_sha256"]
    # 2 header lines + 1 hunk line + 2 removed + 20 added = 25, of which 12 are shown
    assert message.splitlines()[12:] == ["+line 6", "… 13 more lines of difference", MEND]


def test_another_model_is_a_broken_contract() -> None:
    assert broken(proof_of(recorded(), model="m2")) == {"contract.model": f"recorded from m, the suite asks m2. {MEND}"}


@pytest.mark.parametrize(("field", "other"), [("suite", "retrieval"), ("gold_version", "v2"), ("provider", "q")])
def test_a_recording_of_something_else_is_broken(field: str, other: str) -> None:
    changes: dict[str, Any] = {field: other}
    proof = proof_of(recorded(**changes))
    assert not proof.usable
    assert "not to extraction v1 p; put the right recording in place." in broken(proof)["recording"]
    assert other in broken(proof)["recording"]


@pytest.mark.parametrize("part", ["prompt", "schema"])
def test_an_allowed_drift_goes_on_marked_and_is_never_kept(part: str) -> None:
    proof = proof_of(recorded(), replace(PRESENT, contract=contract(**{part: "new"})), "allow")
    assert proof.usable
    drifted = check(proof, f"contract.{part}_sha256")
    assert drifted.status == "could-not-run"
    assert drifted.message.startswith(
        "CONTRACT DRIFT allowed by ASSAY_ALLOW_CONTRACT_DRIFT=1: recordings are taken by case, so no verdict. "
        f"{part}_sha256 differs: recorded "
    )
    assert drifted.message.endswith(MEND)


def test_the_override_is_refused_in_ci_and_says_so() -> None:
    proof = proof_of(recorded(), replace(PRESENT, contract=contract("new")), "refused in CI")
    assert not proof.usable
    assert check(proof, "contract.prompt_sha256").status == "broken"
    assert check(proof, "contract.prompt_sha256").message.endswith(
        f"{MEND} ASSAY_ALLOW_CONTRACT_DRIFT is set and refused, since CI is set too."
    )


@pytest.mark.parametrize("drift", ["refuse", "allow", "refused in CI"])
def test_the_override_does_nothing_where_nothing_drifted(drift: DriftPolicy) -> None:
    assert proof_of(recorded(), drift=drift) == proof_of(recorded())


def test_the_override_covers_the_contract_alone() -> None:
    edited = replace(PRESENT, gold_files={"conversations.jsonl": file("edited")})
    for found, present in ((recorded(), edited), (live(None), PRESENT), (recorded(provider="q"), PRESENT)):
        assert not proof_of(found, present, "allow").usable


@pytest.mark.parametrize(("enforcement", "status"), [("ci", "broken"), ("manual", "could-not-run")])
def test_no_recording_breaks_a_gated_provider_and_not_a_manual_one(enforcement: Enforcement, status: Any) -> None:
    told = "provider p has no recording for extraction v1. Make one with `assay record extraction --provider p`."
    assert proof_of(None, enforcement=enforcement) == Proof(
        checks=(Check(name="recording", status=status, message=told),), usable=False, recording=None
    )


@pytest.mark.parametrize(("oracle", "option"), [(True, " --oracle"), (False, "")])
def test_the_command_that_mends_records_the_same_kind(oracle: bool, option: str) -> None:
    assert record_command("s", "p", oracle=oracle) == f"assay record s --provider p{option}"
