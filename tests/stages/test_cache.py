"""What makes a stage run again and what does not, on copies of the project."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.stages.copies import (
    COLD,
    FAIL,
    GOLD,
    NO_VERDICT,
    PASS,
    WHOLE,
    baseline,
    command,
    label,
    ran,
    temporary_files,
    write_baseline,
)

Assay = Callable[..., subprocess.CompletedProcess[str]]
NOTHING_ELSE = "\n\n_UNUSED_BY_ANYONE = 1\n"
"""Changes what a module is, and nothing that any stage returns."""
LOSES_A_PAIR = """

_whole = align


def align(similarities, threshold):
    return _whole(similarities, threshold)[1:]
"""
COUNTS_NOTHING_AS_FULL = """

_true_scorer = scorer


def scorer(files, options):
    score = _true_scorer(files, options)

    def scored(case, outcomes):
        row = score(case, outcomes)
        return type(row)(**{**vars(row), "counts": {**row.counts, "full": 0}})

    return scored
"""
"""Changes what the stage makes of cases, and nothing that the metrics' own trial looks at."""
SUMS_NOTHING_AS_FULL = """

_true_metrics_of = metrics_of


def metrics_of(rows, measures):
    return _true_metrics_of([type(row)(**{**vars(row), "counts": {**row.counts, "full": 0}}) for row in rows], measures)
"""
SCORE = ["score openai", "score controls"]
TRIED_AND_SCORED = ["score self-test", *SCORE]
CONTROLS = ["replay controls", "score controls"]
"""Where the subject may not be replayed, those that are not made from its replies still answer."""


def append(project: Path, name: str, text: str) -> None:
    path = project / name
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_an_unchanged_second_run_computes_nothing_and_says_the_same(project: Path, assay: Assay) -> None:
    first = json.loads(assay("run", "extraction", "--offline", "--json").stdout)
    second = assay("run", "extraction", "--offline", "--json")
    again = json.loads(second.stdout)
    assert second.returncode == PASS
    assert [label(stage) for stage in first["timing"]["stages"] if not stage["cached"]] == WHOLE
    assert [label(stage) for stage in again["timing"]["stages"]] == WHOLE
    assert all(stage["cached"] for stage in again["timing"]["stages"])
    assert {**again, "timing": first["timing"]} == first
    assert temporary_files(project / ".assay") == []


def test_the_console_tells_each_stage_as_computed_or_cached_with_seconds_and_rows(small: Path) -> None:
    lines = [command(small, "run", "extraction", "--offline").stdout.splitlines()[: len(COLD)] for _ in range(2)]
    for found, word in zip(lines, ("computed", "cached"), strict=True):
        words = [line.split() for line in found]
        assert [" ".join(w[: w.index(word)]) for w in words] == COLD
        assert [w[-3] + w[-1] for w in words] == ["srows"] * len(COLD)
        assert all(float(w[-4]) >= 0 and int(w[-2]) > 0 for w in words)


@pytest.mark.parametrize(
    ("edited", "computed"),
    [
        ("assay/sampling.py", ["load"]),
        ("assay/contract.py", ["verify"]),
        ("assay/replay.py", ["replay openai"]),
        ("assay/suites/extraction/requests.py", ["replay openai"]),
        ("assay/suites/extraction/controls.py", ["replay controls"]),
        ("assay/suites/extraction/patterns.py", ["replay controls"]),
        ("assay/metrics/alignment.py", TRIED_AND_SCORED),
        ("assay/suites/extraction/scoring.py", TRIED_AND_SCORED),
        ("tasks/score.py", TRIED_AND_SCORED),
        ("assay/scoring.py", TRIED_AND_SCORED),
        ("assay/suites/extraction/selftest.py", ["score self-test"]),
        ("assay/gate.py", ["gate"]),
        ("assay/controls.py", ["gate"]),
        ("assay/drops.py", ["gate", "publish"]),
        ("assay/reporting/markdown.py", ["publish"]),
        ("assay/suites/extraction/limits.py", ["publish"]),
        ("assay/reporting/console.py", []),
        ("assay/cli/run.py", []),
        ("assay/publication.py", []),
        ("flows/suite_run.py", []),
    ],
)
def test_an_edit_that_changes_no_result_runs_again_its_own_stage_only(warm: Path, edited: str, computed: list[str]) -> None:
    append(warm, edited, NOTHING_ELSE)
    found = ran(warm)
    assert (found.code, found.computed) == (PASS, computed)


@pytest.mark.parametrize(
    ("edited", "text"),
    [("assay/scoring.py", SUMS_NOTHING_AS_FULL), ("assay/suites/extraction/scoring.py", COUNTS_NOTHING_AS_FULL)],
)
def test_a_scoring_helper_that_changes_the_result_runs_score_gate_and_publish(warm: Path, edited: str, text: str) -> None:
    append(warm, edited, text)
    found = ran(warm)
    assert (found.code, found.computed) == (FAIL, [*TRIED_AND_SCORED, "gate", "publish"])
    assert found.checks("broken") == ["max_drop.full_match_rate"]


def test_a_helper_that_is_wrong_by_its_own_trial_is_not_scored_with(warm: Path) -> None:
    append(warm, "assay/metrics/alignment.py", LOSES_A_PAIR)
    found = ran(warm)
    assert (found.code, found.computed) == (FAIL, ["score self-test", "gate", "publish"])
    assert found.checks("broken")[0] == "self_test"
    assert {name: provider["metrics"] for name, provider in found.summary["providers"].items() if provider["metrics"]} == {}


def test_an_undone_edit_finds_its_old_results(warm: Path) -> None:
    path = warm / "assay/metrics/alignment.py"
    before = path.read_bytes()
    append(warm, str(path), LOSES_A_PAIR)
    assert ran(warm).code == FAIL
    path.write_bytes(before)
    assert (found := ran(warm)).computed == []
    assert found.code == PASS


def test_another_kinds_scoring_runs_nothing_of_this_kind(warm: Path) -> None:
    other = warm / "assay/suites/other"
    other.mkdir()
    (other / "__init__.py").write_text('"""Another kind."""\n', encoding="utf-8")
    (other / "scoring.py").write_text(
        "from assay.metrics.alignment import align\n\nSCORE = align([[1.0]], 0.5)\n", encoding="utf-8"
    )
    assert ran(warm).computed == []
    for edited in ("assay/suites/other/scoring.py", "assay/suites/retrieval/scoring.py", "assay/metrics/ranking.py"):
        append(warm, edited, NOTHING_ELSE)
    assert ran(warm).computed == []


def test_comments_docstrings_and_layout_anywhere_run_nothing(warm: Path) -> None:
    for folder in ("assay", "flows", "tasks"):
        for path in (warm / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8").replace('"""', '"""Reworded. ', 1)
            path.write_text(f"# A comment.\n{text}\n\n\n# The end.\n", encoding="utf-8")
    assert ran(warm).computed == []


def test_an_edited_matcher_needs_a_new_calibration(warm: Path) -> None:
    append(warm, "assay/metrics/similarity.py", NOTHING_ELSE)
    found = ran(warm)
    assert found.code == NO_VERDICT
    assert found.computed == ["verify", *TRIED_AND_SCORED, "gate", "publish"]
    assert found.checks("could-not-run") == ["calibration"]


def test_another_baseline_runs_gate_and_publish_only(warm: Path) -> None:
    value = baseline(warm)
    value["providers"]["openai"]["cases"].popitem()
    write_baseline(warm, value)
    found = ran(warm)
    assert (found.code, found.computed) == (PASS, ["gate", "publish"])


def test_another_tolerance_in_the_suite_runs_gate_and_publish_only(warm: Path) -> None:
    path = warm / GOLD / "suite.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("max_drop_pp: 3.0", "max_drop_pp: 2.0"), encoding="utf-8")
    found = ran(warm)
    assert (found.code, found.computed) == (PASS, ["gate", "publish"])


def test_another_prompt_does_not_load_again(warm: Path) -> None:
    append(warm, f"{GOLD}/prompt.md", "\nBe brief.\n")
    found = ran(warm)
    assert (found.code, found.computed) == (FAIL, ["verify", *CONTROLS, "gate", "publish"])


def test_edited_conversations_run_everything_that_hangs_on_them(small: Path) -> None:
    ran(small)
    path = small / GOLD / "conversations.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("Lyon", "Brest"), encoding="utf-8")
    refused = ran(small)
    assert (refused.code, refused.computed) == (FAIL, ["load", "verify", *CONTROLS, "gate", "publish"])
    command(small, "record", "extraction", "--provider", "openai", "--oracle")
    recorded = ran(small)
    assert recorded.code == NO_VERDICT
    assert recorded.computed == ["verify", "replay openai", "score openai", *CONTROLS, "gate", "publish"]


def test_an_allowed_drift_with_the_same_replies_scores_nothing_again(warm: Path) -> None:
    append(warm, f"{GOLD}/prompt.md", "\nBe brief.\n")
    found = ran(warm, ASSAY_ALLOW_CONTRACT_DRIFT="1")
    assert (found.code, found.computed) == (NO_VERDICT, ["verify", "replay openai", "gate", "publish"])


def test_a_sample_of_another_seed_is_another_load(small: Path) -> None:
    ran(small)
    one, other = (ran(small, "--sample", "1", "--seed", seed) for seed in "01")
    assert [one.computed[0], other.computed[0]] == ["load", "load"]
    assert "verify" not in [*one.computed, *other.computed]
    assert ran(small, "--sample", "1", "--seed", "0").computed == []


def test_a_moved_cache_still_answers(warm: Path, tmp_path: Path) -> None:
    before = ran(warm)
    moved = tmp_path / "elsewhere" / "cache"
    moved.parent.mkdir()
    (warm / ".assay").rename(moved)
    found = ran(warm, ASSAY_HOME=str(moved))
    assert found.computed == []
    assert found.files == before.files
    assert not (warm / ".assay").exists()


def test_a_moved_project_still_finds_its_cache(warm: Path, tmp_path: Path) -> None:
    before = ran(warm)
    moved = Path(shutil.move(warm, tmp_path / "another name"))
    found = ran(moved)
    assert found.computed == []
    assert found.files == before.files


def test_without_its_cache_a_run_says_the_same(warm: Path) -> None:
    before = ran(warm)
    shutil.rmtree(warm / ".assay")
    found = ran(warm)
    assert found.computed == COLD
    assert found.files == before.files
