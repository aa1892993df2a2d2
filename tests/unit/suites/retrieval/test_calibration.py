"""Whether floors are used at the inputs that they were measured at, and what is said when they are not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from assay.errors import InputError
from assay.model.ports import Setting
from assay.model.verdict import Check
from assay.suites.retrieval.calibration import MOVES, chance, check, inputs_of
from tests.builders import calibration, provider
from tests.unit.suites.retrieval.small import AT_TWO, TEXTS, document, files, query, setting

SWEEP = ({"k": 2, "told": "recall of semantic 0.75"}, {"k": 5, "told": "recall of semantic 1.0"})
REMEDY = "Measure anew together, with `assay calibrate retrieval`: floor recall@2 0.6."


def judged(now: Setting, made_at: Setting | None = None, **changes: Any) -> Check:
    """The check of `now` against a calibration that was made elsewhere."""
    before = made_at or setting()
    fields = {"calibrated_at": inputs_of(before), "constants": dict(before.constants), "sweep": SWEEP, **changes}
    data = calibration(**fields).model_dump_json().encode()
    (found,) = check(replace(now, files={**now.files, "calibration": ("calibration.json", data)}))
    assert found.name == "calibration"
    return found


def message(found: Check) -> str:
    assert found.status == "could-not-run"
    return found.message


def test_at_the_inputs_of_the_calibration_its_summary_is_told() -> None:
    assert judged(setting()) == Check(name="calibration", status="kept", message="Measured.")


def test_a_larger_cutoff_is_told_with_how_recall_moves_and_with_both_rows_of_the_sweep() -> None:
    assert message(judged(setting({"top_k": 5}))) == (
        "outside the calibration: top_k 2 -> 5 (recall grows and precision falls with it). "
        f"Measured at k=2: recall of semantic 0.75; at k=5: recall of semantic 1.0. {REMEDY}"
    )


def test_a_smaller_corpus_is_told_with_the_answers_that_it_lost() -> None:
    # a, c and d are left: b (of q1 and q5), e (of q2) and f (of q3) are gone, so four relevant ids lead nowhere.
    now = setting(files=files([document(name) for name in "acd"]))
    assert message(judged(now)) == (
        "outside the calibration: documents 6 -> 3 (fewer documents make every ranking easier, more make it harder). "
        f"4 relevant documents are not in the corpus. Measured at k=2: recall of semantic 0.75. {REMEDY}"
    )


def test_a_larger_corpus_is_told_and_has_lost_nothing() -> None:
    told = message(judged(setting(files=files([document(name) for name in [*TEXTS, "g"]]))))
    assert "documents 6 -> 7" in told
    assert "not in the corpus" not in told


def test_one_more_query_is_told() -> None:
    queries = [query(name) for name in ("q1", "q2", "q3", "q4", "q5", "q6")]
    assert "queries 5 -> 6 (each mean runs over other queries)" in message(judged(setting(files=files(queries=queries))))


def test_another_embedder_is_told_by_the_gated_subjects_alone() -> None:
    other = {"semantic": provider(model="mpnet", target="m:f")}
    told = "embedder minilm -> mpnet (scores of another model lie on another scale)"
    assert told in message(judged(setting(subjects=other)))
    manual = {"semantic": provider(model="minilm"), "bm25": provider("manual", model="BM25")}
    assert judged(setting(subjects=manual)).status == "kept"


def test_another_version_is_told() -> None:
    assert "gold_version v1 -> v2 (it is another set of questions)" in message(judged(setting(version="v2")))


@pytest.mark.parametrize(
    "edited",
    [
        {"documents": [document("a", text="Other words."), *map(document, "bcdef")]},
        {"queries": [query("q1", query="Where do we live?"), *map(query, ("q2", "q3", "q4", "q5"))]},
        {"queries": [query("q1", relevant=["c"]), *map(query, ("q2", "q3", "q4", "q5"))]},
    ],
)
def test_an_edited_text_or_judgement_is_told_with_both_digests(edited: dict[str, Any]) -> None:
    now, before = setting(files=files(**edited)), setting()
    told = message(judged(now, before))
    was, became = (str(inputs_of(at)["gold_sha256"])[:12] for at in (before, now))
    assert f"gold_sha256 {was}… -> {became}… (texts or judgements were edited)" in told


def test_the_digest_of_the_texts_is_not_told_where_something_else_moved_it() -> None:
    assert "gold_sha256" not in message(judged(setting(files=files([document(name) for name in [*TEXTS, "g"]]))))


def test_everything_that_moved_is_told_at_once() -> None:
    now = setting({"top_k": 5}, version="v2", files=files([document(name) for name in [*TEXTS, "g"]]))
    told = message(judged(now))
    assert [word in told for word in ("top_k 2 -> 5", "documents 6 -> 7", "gold_version v1 -> v2")] == [True] * 3


def test_every_input_says_how_the_measures_move_with_it() -> None:
    assert set(inputs_of(setting())) == set(MOVES)


@pytest.mark.parametrize("name", MOVES)
def test_an_input_that_the_calibration_does_not_state_has_moved(name: str) -> None:
    lacking = {key: now for key, now in inputs_of(setting()).items() if key != name}
    assert f"{name} None" in message(judged(setting(), calibrated_at=lacking))


def test_a_floor_that_was_not_justified_gives_no_verdict() -> None:
    assert message(judged(setting(constants={"floor recall@2": 0.1}))) == (
        "the constants of suite.yaml are not those that were justified (floor recall@2 0.6). "
        "Measure anew together, with `assay calibrate retrieval`: floor recall@2 0.1."
    )


@pytest.mark.parametrize("constants", [{}, {"floor recall@2": 0.6, "ceiling no_answer_top_score": 0.5}])
def test_a_floor_taken_away_or_added_was_not_justified_either(constants: Mapping[str, float]) -> None:
    assert "not those that were justified" in message(judged(setting(constants=constants)))


def test_a_relevant_id_that_the_whole_corpus_lacks_is_a_mistake_in_its_row() -> None:
    now = setting(files=files(queries=[query("q1", relevant=["bb"]), *map(query, ("q2", "q3", "q4", "q5"))]))
    with pytest.raises(InputError) as caught:
        judged(now)
    assert str(caught.value) == (
        "queries.jsonl: q1: unknown document id, got 'bb'; expected one of the 6 ids in documents.jsonl. Did you mean 'b'?"
    )


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"constants": NaN}'])
def test_a_faulty_calibration_file_is_refused_with_its_name(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^calibration\.json"):
        check(setting(files=files(calibration=data)))


@pytest.mark.parametrize("sweep", [({},), ({"k": []},), ({"k": 2},), ({"told": "x"},), ({"k": {"a": 1}, "told": 3},)])
def test_a_sweep_without_its_keys_is_passed_over_and_no_crash(sweep: tuple[dict[str, Any], ...]) -> None:
    assert "outside the calibration: top_k 2 -> 5" in message(judged(setting({"top_k": 5}), sweep=sweep))


def test_what_luck_gives_is_exact_over_the_live_queries() -> None:
    # Six documents, a cutoff of 2. q1 has one answer, q2 two: mean recall 2/6. Precision: (1/6 + 2/6) / 2 = 1/4.
    recall, precision = chance("recall@2", setting()), chance("precision@2", setting())
    assert recall is not None
    assert precision is not None
    assert (recall.mean, precision.mean) == pytest.approx((1 / 3, 1 / 4))
    # Both at once (q1 found, q2 with both): 1/3 x 1/15 = 1/45 > 0.1 %, so the quantile is 1.
    assert (recall.quantile, recall.how) == (1.0, "worked out over all rankings of this corpus")


@pytest.mark.parametrize("metric", ["mrr", "separation", "ndcg@2", "map", "no_answer_top_score", "retired_recall@2"])
def test_luck_that_is_not_worked_out_is_unknown(metric: str) -> None:
    assert chance(metric, setting()) is None


def test_luck_of_a_corpus_without_the_answers_or_of_no_live_query_is_unknown() -> None:
    assert chance("recall@2", setting(files=files([document("a")]))) is None
    assert chance("recall@2", setting(files=files(queries=[query("q4")]))) is None


def test_the_embedder_is_named_by_the_model_of_the_gated_subject() -> None:
    assert inputs_of(setting(AT_TWO))["embedder"] == "minilm"
