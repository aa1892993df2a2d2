"""Another name, shards and a second worker change nothing of a sound pipeline, and tell one that depends on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from assay.model.report import Report
from assay.model.score import CaseScore
from assay.sabotage.defect import NotApplicable
from assay.sabotage.parts import Parts
from assay.stores.goldsets import Source, open_suite
from flows.sabotage.memory import Shared
from flows.sabotage.trial import Bench, bench_of, true_parts
from flows.sabotage.ways import WAYS, by_two_workers, in_one_process, in_shards, scored_in_shards
from flows.scaffold import scaffold


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """A retrieval suite of five cases with a subject and five controls."""
    root = tmp_path_factory.mktemp("ways")
    scaffold("retrieval", "almanac", root, datetime(2026, 11, 30, tzinfo=UTC))
    return open_suite(root, "almanac")


@pytest.fixture
def bench(source: Source, tmp_path: Path) -> Callable[..., Bench]:
    """The suite with these parts and a memory of its own."""
    return lambda parts=None: bench_of(source, Shared(tmp_path), parts)


def without_the_first_case(parts: Parts, is_hit: Callable[[], bool]) -> Parts:
    """A scorer whose first case finds nothing, where it is hit at all."""

    def scorer(files: Any, options: Any) -> Any:
        score, seen, hit = parts.scorer(files, options), list[str](), is_hit()

        def scored(case: Any, outcomes: Any) -> CaseScore:
            seen.append(case.id)
            row = score(case, outcomes)
            lost = hit and len(seen) == 1
            return replace(row, counts={name: 0 * found for name, found in row.counts.items()}) if lost else row

        return scored

    return replace(parts, scorer=scorer)


def numbering(parts: Parts) -> Parts:
    """A report that is another one each time that it is made."""
    numbers = count()

    def build(*arguments: Any) -> Report:
        report = parts.build(*arguments)
        return report.model_copy(update={"limits": (*report.limits, f"run {next(numbers)}")})

    return replace(parts, build=build)


@pytest.mark.parametrize("name", WAYS)
def test_a_sound_pipeline_says_the_same_either_way(name: str, bench: Callable[..., Bench]) -> None:
    one, other = WAYS[name]
    sound = bench()
    said = one(sound)
    assert said == other(sound)
    assert len(said) >= 4


def test_what_a_run_says_is_verdict_checks_metrics_and_cases_of_every_provider(bench: Callable[..., Bench]) -> None:
    said = in_one_process(bench())
    assert said["verdict"] == "PASS"
    assert "replay kept" in said["checks of mine"]
    assert said["mrr of mine"]["value"] == pytest.approx(1.0)
    assert said["mrr of newest"]["value"] < 1
    assert len([key for key in said if key.startswith("case ") and key.endswith(" of longest")]) == 5


def test_a_report_that_numbers_itself_is_told_by_the_name(bench: Callable[..., Bench]) -> None:
    one, other = WAYS["run name"]
    numbered = bench(numbering(true_parts("retrieval")))
    before, after = one(numbered), other(numbered)
    changed = {name for name in before if before[name] != after[name]}
    assert changed >= {"report.json", "report.md"}
    assert changed.isdisjoint({"junit.xml", "scores.parquet"})


def test_a_scorer_that_loses_its_first_case_is_told_by_shards(bench: Callable[..., Bench]) -> None:
    losing = bench(without_the_first_case(true_parts("retrieval"), lambda: True))
    before, after = in_one_process(losing), in_shards(losing)
    assert before["mrr of mine"] != after["mrr of mine"]


def test_a_scorer_that_favours_every_second_group_is_told_by_the_second_worker(
    bench: Callable[..., Bench], source: Source, tmp_path: Path
) -> None:
    made = count()
    uneven = without_the_first_case(true_parts("retrieval"), lambda: next(made) % 2 == 0)
    before = in_one_process(bench(uneven))
    assert before == in_one_process(bench_of(source, Shared(tmp_path), uneven))
    after = by_two_workers(bench(uneven))
    assert "mrr of abstain" in {key for key in before if before[key] != after[key]}


def test_one_case_makes_no_shards(source: Source) -> None:
    parts = true_parts("retrieval")
    with pytest.raises(NotApplicable, match="1 case makes no 2 shards"):
        scored_in_shards(
            "retrieval",
            {"cases": [{"id": "a"}], "replies": {"providers": {}}},
            {"providers": []},
            scorer=parts.scorer,
            metrics=parts.metrics,
        )


def test_without_controls_a_second_worker_has_nothing_to_do(bench: Callable[..., Bench], source: Source) -> None:
    alone = source.suite.model_copy(update={"providers": dict(source.suite.subjects)})
    with pytest.raises(NotApplicable, match="has no controls"):
        by_two_workers(replace(bench(), source=replace(source, suite=alone)))
