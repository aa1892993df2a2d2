"""What stands behind the answers of code: its own computation, or a recording that is whole and of the same model."""

from __future__ import annotations

from typing import Any

import pytest

from assay.model.exchange import IN_PROCESS, FileFacts, TargetManifest
from assay.model.report import Proof
from assay.model.suite import Provider
from assay.model.verdict import Check
from assay.target_contract import RecordedBody, TargetOf, verify_target
from tests.builders import control, provider

PLACE = TargetOf("retrieval", "v1", "semantic", "a" * 64)
BODY = FileFacts(sha256="b" * 64, rows=51)
MEND = "Mend it with `assay record retrieval --provider semantic`."
IN_CODE = provider(target="shop.search:make", model="BM25")
ON_A_MODEL = provider(target="shop.search:make", model="minilm", recorded_as="arrow")


def recorded(present: FileFacts = BODY, **changes: Any) -> RecordedBody:
    """A recording that fits, but for the changes to its manifest."""
    fields: dict[str, Any] = {
        "format": 1,
        "suite": "retrieval",
        "gold_version": "v1",
        "provider": "semantic",
        "cassette_kind": "live_semantic_recorded",
        "model_asked": "minilm",
        "model_served": "minilm-2026",
        "recorded_at": "2026-11-30T12:00:00+00:00",
        "recorded_by": "test",
        "body": BODY,
        "identity": {"dimension": 384},
        **changes,
    }
    return RecordedBody(TargetManifest.model_validate(fields), present)


def proof_of(found: RecordedBody | None, declared: Provider = ON_A_MODEL) -> Proof:
    return verify_target(PLACE, declared, found)


def broken(proof: Proof) -> dict[str, str]:
    assert proof.usable == all(check.status == "kept" for check in proof.checks)
    return {check.name: check.message for check in proof.checks if check.status == "broken"}


@pytest.mark.parametrize("declared", [IN_CODE, control("positive_control")])
def test_code_alone_is_usable_without_a_recording_and_says_so(declared: Provider) -> None:
    proof = proof_of(None, declared)
    told = f"{declared.target} answers in process; no model is asked"
    assert proof.checks == (Check(name="target", status="kept", message=told),)
    assert proof.usable


def test_the_recording_of_code_names_no_model_no_prompt_and_no_time() -> None:
    found = proof_of(None, IN_CODE).recording
    assert found is not None
    assert (found.cassette_kind, found.model_asked, found.gold_sha256) == (IN_PROCESS, "BM25", "a" * 64)
    assert {found.model_served, found.recorded_at, found.prompt_sha256, found.schema_sha256} == {None}


def test_another_target_is_another_recording() -> None:
    one, other = (proof_of(None, IN_CODE.model_copy(update={"target": f"shop.search:{name}"})).recording for name in "ab")
    assert one is not None
    assert other is not None
    assert one.cassette_sha256 != other.cassette_sha256


@pytest.mark.parametrize(("enforcement", "status"), [("ci", "broken"), ("manual", "could-not-run")])
def test_what_rests_on_a_model_needs_its_recording(enforcement: str, status: Any) -> None:
    proof = proof_of(None, ON_A_MODEL.model_copy(update={"enforcement": enforcement}))
    told = "provider semantic has no recording for retrieval v1. Make one with `assay record retrieval --provider semantic`."
    assert proof == Proof(checks=(Check(name="recording", status=status, message=told),), usable=False, recording=None)


def test_a_recording_that_fits_is_usable_and_every_check_is_kept() -> None:
    proof = proof_of(recorded())
    assert [(check.name, check.status) for check in proof.checks] == [
        ("recording", "kept"),
        ("contract.model", "kept"),
        ("integrity.recording", "kept"),
    ]
    assert proof.usable


def test_a_proof_carries_the_facts_of_its_recording() -> None:
    found = proof_of(recorded()).recording
    assert found is not None
    assert (found.cassette_kind, found.cassette_sha256) == ("live_semantic_recorded", "b" * 64)
    assert (found.model_asked, found.model_served) == ("minilm", "minilm-2026")
    assert (found.recorded_at, found.gold_sha256) == ("2026-11-30T12:00:00+00:00", "a" * 64)


@pytest.mark.parametrize(
    "changes",
    [
        {"suite": "other"},
        {"gold_version": "v2"},
        {"provider": "bm25"},
        {"cassette_kind": IN_PROCESS},
        {"cassette_kind": "oracle_aligned_expected_json"},
        {"cassette_kind": "live_bm25_recorded"},
    ],
)
def test_the_recording_of_another_provider_suite_or_kind_breaks(changes: dict[str, str]) -> None:
    found = recorded(**changes)
    manifest = found.manifest
    was = f"{manifest.suite} {manifest.gold_version} {manifest.provider} {manifest.cassette_kind}"
    wanted = "retrieval v1 semantic live_semantic_recorded"
    assert broken(proof_of(found)) == {"recording": f"recorded for {was}, not {wanted}"}


def test_another_model_breaks_with_both_names_and_the_command() -> None:
    assert broken(proof_of(recorded(model_asked="mpnet"))) == {
        "contract.model": f"recorded from mpnet, the suite asks minilm. {MEND}"
    }


def test_an_edited_body_breaks_with_both_digests_and_the_command() -> None:
    assert broken(proof_of(recorded(FileFacts(sha256="c" * 64, rows=51)))) == {
        "integrity.recording": "the recording was edited after it was made: sha256 bbbbbbbbbbbb… -> cccccccccccc…. " + MEND
    }


def stated(model: str, recorded_as: str | None = None, **packages: str | None) -> Proof:
    """The proof for a target of `shop` whose model states a version, with these installed."""
    declared = provider(target="shop.search:make", model=model, recorded_as=recorded_as)
    found = recorded(model_asked=model) if recorded_as else None
    return verify_target(PLACE, declared, found, packages)


@pytest.mark.parametrize("model", ["shop 1.2.0", "shop==1.2.0, hashing", "the Shop v1.2.0.", "BM25 (k1 1.5) of shop 1.2.0"])
@pytest.mark.parametrize("recorded_as", [None, "arrow"])
def test_a_stated_version_is_the_installed_one(model: str, recorded_as: str | None) -> None:
    kept = stated(model, recorded_as, shop="1.2.0", till="7")
    assert kept.checks[-1] == Check(name="contract.version.shop", status="kept", message="shop 1.2.0 as installed")
    assert kept.usable
    other = stated(model, recorded_as, shop="1.2.1", till="7")
    assert broken(other) == {
        "contract.version.shop": "the suite declares shop 1.2.0, installed is 1.2.1. Install what is declared with "
        "`pip install shop==1.2.0`, or declare 1.2.1 in `model` of suite.yaml once its numbers were read."
    }


def test_a_stated_version_that_is_not_installed_could_not_be_checked() -> None:
    proof = stated("shop 1.2.0", shop=None)
    told = "the suite declares shop 1.2.0, which is not installed. Install it with `pip install shop==1.2.0`."
    assert proof.checks[-1] == Check(name="contract.version.shop", status="could-not-run", message=told)
    assert not proof.usable


@pytest.mark.parametrize("model", ["shop", "workshop 1.2.0", "minilm 6", "shop, late 1.2.0"])
def test_where_no_version_of_a_package_is_stated_none_is_checked(model: str) -> None:
    assert [check.name for check in stated(model, shop="1.2.1").checks] == ["target"]


def test_a_recording_of_another_gold_set_is_usable_since_it_only_holds_what_the_model_said() -> None:
    # Vectors belong to texts, and each is found by the digest of its text: a new text has none, and the replay says so.
    proof = verify_target(TargetOf("retrieval", "v1", "semantic", "d" * 64), ON_A_MODEL, recorded())
    assert proof.usable
