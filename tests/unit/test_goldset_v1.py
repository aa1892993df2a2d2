"""The numbers that the committed gold set of extraction v1 must keep."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest

from assay.digest import canonical, sha256_hex
from assay.metrics.calibration import LabelledPair
from assay.model.exchange import Exchange, Manifest
from assay.model.ports import Setting
from assay.reading import record, records
from assay.stores.cassettes import Place, file_facts, read_recording
from assay.stores.code import code_digest
from assay.stores.goldsets import Source, open_suite
from assay.suites.extraction import calibration
from assay.suites.extraction.audit import audit
from assay.suites.extraction.cases import Conversation, ExpectedMemory, load, parse
from assay.suites.extraction.requests import oracle_reply, requests_for
from assay.suites.extraction.schema import CATEGORIES, schema_text
from assay.suites.extraction.scoring import score_case
from assay.suites.extraction.thresholds import calibrate
from tests.builders import reply

ROOT = Path(__file__).resolve().parents[2]
HARD = ("negation", "number", "name", "role_swap", "containment")


@cache
def source() -> Source:
    return open_suite(ROOT, "extraction", "v1")


@cache
def gold() -> tuple[list[Conversation], list[ExpectedMemory]]:
    return parse(source().files)


@cache
def recording() -> tuple[Manifest, bytes, list[Exchange]]:
    found = read_recording(Place(ROOT, "extraction", "v1", "openai"))
    assert found is not None
    return record(found[0], "manifest", Manifest), found[1], records(found[1], "cassette", Exchange)


@cache
def pairs() -> list[LabelledPair]:
    return records(source().files["pairs"][1], "pairs", LabelledPair)


def test_there_are_150_conversations_and_230_memories() -> None:
    conversations, memories = gold()
    assert len(conversations) >= 150
    assert len(memories) >= 230


@pytest.mark.parametrize("category", CATEGORIES)
def test_each_category_has_35_memories(category: str) -> None:
    assert sum(category in memory.categories for memory in gold()[1]) >= 35


def test_20_memories_have_several_labels_and_20_replace_an_earlier_one() -> None:
    memories = gold()[1]
    assert sum(len(memory.categories) > 1 for memory in memories) >= 20
    assert sum(memory.temporal_kind == "supersession" for memory in memories) >= 20


def test_every_temporal_kind_occurs() -> None:
    assert set(Counter(memory.temporal_kind for memory in gold()[1])) == {"indefinite", "bounded", "point", "supersession"}


def test_25_conversations_expect_nothing() -> None:
    conversations, memories = gold()
    silent = {case.id for case in conversations if case.expects_nothing}
    assert len(silent) >= 25
    assert silent.isdisjoint(memory.conversation_id for memory in memories)


def test_15_hostile_and_15_with_relative_dates_10_not_english_and_5_long() -> None:
    conversations = gold()[0]
    assert sum("hostile" in case.tags for case in conversations) >= 15
    assert sum("relative_dates" in case.tags for case in conversations) >= 15
    assert sum(case.languages != ("en",) for case in conversations) >= 10
    assert sum(len(case.turns) >= 20 for case in conversations) >= 5


def test_conversation_with_relative_dates_expects_a_date() -> None:
    conversations, memories = gold()
    dated = {memory.conversation_id for memory in memories if memory.valid_from or memory.valid_until}
    assert [case.id for case in conversations if "relative_dates" in case.tags and case.id not in dated] == []


def test_replacing_never_goes_in_a_circle() -> None:
    earlier = {memory.id: memory.supersedes for memory in gold()[1]}
    for name in earlier:
        chain = [name]
        while (before := earlier[chain[-1]]) is not None:
            assert before not in chain
            chain.append(before)


def test_no_case_expects_one_content_twice() -> None:
    stated = Counter((memory.conversation_id, memory.content.casefold()) for memory in gold()[1])
    assert [content for content, count in stated.items() if count > 1] == []


def test_reference_times_are_given_with_an_offset() -> None:
    assert all(datetime.fromisoformat(case.reference_time).tzinfo for case in gold()[0])


def test_audit_finds_no_fault_and_every_case_counts_as_its_own() -> None:
    found = audit(source().files, source().suite.options)
    assert found.faults == ()
    assert found.near_duplicates == ()
    assert found.effective_cases >= 0.95 * found.cases


def test_audit_limits_are_not_loosened() -> None:
    assert source().suite.options["audit"] == {"near_duplicate_limit": 0.8, "review_band": 0.65}


def test_250_labelled_pairs_with_paraphrases_and_every_kind_of_hard_negative() -> None:
    kinds = Counter((pair.kind, pair.same) for pair in pairs())
    assert len({pair.id for pair in pairs()}) == len(pairs()) >= 250
    assert kinds["paraphrase", True] >= 100
    assert kinds["paraphrase", False] == kinds["form", False] == 0
    assert all(kinds[kind, False] >= 20 and kinds[kind, True] == 0 for kind in HARD)


def test_no_labelled_pair_is_written_twice() -> None:
    assert len({frozenset((pair.a, pair.b)) for pair in pairs()}) == len(pairs())


def setting() -> Setting:
    found = source()
    return Setting(
        suite="extraction",
        version="v1",
        cases=load(found.files),
        files=found.files,
        options=found.suite.options,
        subjects=found.suite.subjects,
        constants=found.suite.constants,
        code_sha256=code_digest(*calibration.CODE),
    )


def test_threshold_is_calibrated_with_this_matcher_and_reaches_the_floor() -> None:
    (found,) = calibration.check(setting())
    assert found.status == "kept", found.message


def test_committed_calibration_is_what_calibrating_gives() -> None:
    assert source().files["calibration"][1] == calibrate(setting())


def test_what_luck_gives_is_known_for_every_metric_of_a_negative_control() -> None:
    controls = source().suite.controls.values()
    metrics = [control.control.metric for control in controls if control.control and control.role == "negative_control"]
    assert metrics
    assert all(calibration.chance(metric, setting()) is not None for metric in metrics)


def test_schema_file_is_in_step_with_the_model() -> None:
    assert (source().folder / "schema.json").read_text(encoding="utf-8") == schema_text()
    assert source().response_schema == canonical(json.loads(schema_text())).decode()


def test_oracle_cassette_answers_every_case_with_its_expectation() -> None:
    provider, schema = source().suite.providers["openai"], sha256_hex(source().response_schema.encode())
    expected = [
        (case.id, request.fields.digest, oracle_reply(case, portion))
        for case in load(source().files)
        for portion, request in enumerate(requests_for(case, source().prompt, schema, provider))
    ]
    assert [(e.case_id, e.request_sha256, e.reply and e.reply.text) for e in recording()[2]] == expected


def test_oracle_cassette_claims_no_measurement() -> None:
    manifest, _, exchanges = recording()
    assert manifest.cassette_kind == "oracle_aligned_expected_json"
    replies = [e.reply for e in exchanges if e.reply is not None]
    assert len(replies) == len(exchanges)
    assert {(r.usage, r.latency_ms, r.model_served) for r in replies} == {(None, None, None)}
    assert manifest.model_served is None


def test_manifest_fits_prompt_schema_gold_files_and_cassette() -> None:
    manifest, cassette, _ = recording()
    files = {name: file_facts(data) for role, (name, data) in source().files.items() if role in ("conversations", "expected")}
    assert manifest.contract.prompt_sha256 == sha256_hex(source().prompt.encode())
    assert manifest.contract.schema_sha256 == sha256_hex(source().response_schema.encode())
    assert manifest.gold_files == files
    assert manifest.cassette == file_facts(cassette)
    assert manifest.cases == {case.id: case.digest for case in load(source().files)}


def test_oracle_reply_is_right_in_every_case() -> None:
    cases = load(source().files)
    wrong = [case.id for case in cases if not score_case(case, [reply(text=oracle_reply(case))], 0.6).passed]
    assert wrong == []
