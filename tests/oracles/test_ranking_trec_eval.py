"""trec_eval's own test files: its judgements, its runs, and what it printed for them, to the four decimals that it prints.

Of 780 values, 769 are equal. The deviations, each with its reason:

- All 11 of `out.comment.test`: query 2024-36302 has no relevant document. trec_eval counts it as 0 (n = 31); for us it has no
  value and leaves the mean (n = 30). Counted as 0, all 11 are equal too; the test holds both.

Where the rules differ and an option of ours takes trec_eval's side here:

- Ties: we order equal scores by id upwards, trec_eval downwards (`ties="trec_eval"`). Without it 9 values differ, by 0.0001.
- Text after the tag: we refuse a line of more than six fields, trec_eval skips the rest (`ignores_rest`), which one file needs.

Where the rules differ and these files do not show it: a judged query that is not in the run counts 0 for us, for trec_eval only
under `-c`, which it was given where that happens (`out.test.aqc`, `out.test.aqcM`); scores have 64 bits here and 32 in older
versions of trec_eval, where close ones become ties.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from assay.metrics.ranking import Ties, ranked_by_score
from assay.metrics.ranking_batch import Evaluation, evaluate
from assay.metrics.ranking_measures import RankingMeasure, rows_of
from assay.stores.trec import read_qrels, read_run

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "trec_eval" / "test"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="trec_eval's test files are not beside the project (../shared/data)")


@dataclass(frozen=True)
class Printed:
    """What trec_eval printed, and what it was given."""

    output: str
    qrels: str
    run: str
    values: int
    """How many of the values are of measures that we have."""
    rel: int = 1
    """Its option -l: from which judgement on a document is relevant."""
    longest: int | None = None
    """Its option -M: how many documents of a query it looks at."""


FILES = (
    Printed("out.test", "qrels.test", "results.test", 11),
    Printed("out.test.a", "qrels.test", "results.test", 42),
    Printed("out.test.aq", "qrels.test", "results.test", 168),
    Printed("out.test.aqc", "qrels.test", "results.trunc", 168),
    Printed("out.test.aqcM", "qrels.test", "results.trunc", 168, longest=100),
    Printed("out.test.aql", "qrels.rel_level", "results.test", 168, rel=2),
    Printed("out.test.meas_params", "qrels.test", "results.test", 44),
)
WITHOUT_RELEVANT = Printed("out.comment.test", "qrels.comment.test", "results.comment.test", 11)
Value = tuple[RankingMeasure, str]


@cache
def expected(printed: Printed) -> dict[Value, str]:
    """The values as trec_eval printed them, by measure and query; the mean's query is `all`."""
    return dict(values_in((DATA / printed.output).read_text(), printed.rel))


def values_in(text: str, rel: int) -> Iterator[tuple[Value, str]]:
    for line in text.splitlines():
        name, query, value = line.split(maxsplit=2)
        measure = RankingMeasure.from_trec_eval(name, rel)
        if measure is not None:
            yield (measure, query), value


@cache
def inputs(printed: Printed) -> tuple[Mapping[str, Mapping[str, int]], Mapping[str, Mapping[str, float]]]:
    qrels = read_qrels(DATA / printed.qrels, printed.qrels)
    run = read_run(DATA / printed.run, printed.run, ignores_rest=printed.run == "results.trunc")
    if printed.longest is None:
        return qrels, run
    kept = {query: ranked_by_score(scores, "trec_eval")[: printed.longest] for query, scores in run.items()}
    return qrels, {query: {document: run[query][document] for document in ranked} for query, ranked in kept.items()}


@cache
def evaluated(printed: Printed, ties: Ties = "trec_eval") -> Evaluation:
    qrels, run = inputs(printed)
    return evaluate({measure for measure, _ in expected(printed)}, qrels, run, ties=ties)


def shown(found: Evaluation) -> dict[Value, str]:
    """Every value that we have, in trec_eval's form."""
    values = {(measure, row.query): row.value for measure in found.values for row in found.rows(measure)}
    values |= {(measure, "all"): found.mean(measure).value for measure in found.values}
    return {place: f"{value:.4f}" for place, value in values.items() if value is not None}


@pytest.mark.parametrize("printed", FILES, ids=lambda printed: printed.output)
def test_every_value_is_the_one_that_trec_eval_printed(printed: Printed) -> None:
    found = shown(evaluated(printed))
    assert {place: found.get(place) for place in expected(printed)} == expected(printed)
    assert len(expected(printed)) == printed.values


@pytest.mark.parametrize("printed", FILES, ids=lambda printed: printed.output)
def test_functions_without_numpy_come_to_the_same(printed: Printed) -> None:
    qrels, run = inputs(printed)
    found = evaluated(printed)
    rows = rows_of(found.values, qrels, run, ties="trec_eval")
    assert rows == {measure: found.rows(measure) for measure in found.values}


def test_query_without_relevant_documents_is_zero_for_trec_eval_and_leaves_our_mean() -> None:
    found = evaluated(WITHOUT_RELEVANT)
    for (measure, query), value in expected(WITHOUT_RELEVANT).items():
        mean = found.mean(measure)
        unjudged = {name for name, reason in mean.left_out.items() if reason == "not judged"}
        assert (query, mean.n, mean.left_out.keys() - unjudged) == ("all", 30, {"2024-36302"})
        assert mean.left_out["2024-36302"] == "no relevant document"
        assert mean.value is not None
        assert f"{mean.value:.4f}" != value
        assert f"{mean.value * 30 / 31:.4f}" == value
    assert len(expected(WITHOUT_RELEVANT)) == WITHOUT_RELEVANT.values


def test_order_of_equal_scores_changes_nine_values_in_the_last_place() -> None:
    differing = [
        abs(float(value) - float(theirs[place]))
        for printed in (*FILES, WITHOUT_RELEVANT)
        for theirs in [shown(evaluated(printed))]
        for place, value in shown(evaluated(printed, "id-ascending")).items()
        if value != theirs[place]
    ]
    assert differing == pytest.approx([0.0001] * 9)
