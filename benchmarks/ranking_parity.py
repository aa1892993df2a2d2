"""Our ranking measures beside what trec_eval printed for its own test files: `python benchmarks/ranking_parity.py [--queries]`.

Reads `../shared/data/trec_eval/test` beside the project, or the folder given with `--data`. Shows the means, with `--queries`
every query too. A difference is ours, rounded to four decimals, minus theirs; one that is not 0 has its reason below.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

from assay.metrics.ranking import ranked_by_score
from assay.metrics.ranking_batch import evaluate
from assay.metrics.ranking_means import Mean
from assay.metrics.ranking_measures import UNJUDGED, RankingMeasure
from assay.stores.trec import read_qrels, read_run

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "trec_eval" / "test"
MEAN = "all"


@dataclass(frozen=True)
class Printed:
    """What trec_eval printed, what it was given, and with which options."""

    output: str
    qrels: str
    run: str
    options: str = ""
    rel: int = 1
    longest: int | None = None


FILES = (
    Printed("out.test", "qrels.test", "results.test"),
    Printed("out.test.a", "qrels.test", "results.test", "-m all_trec"),
    Printed("out.test.aq", "qrels.test", "results.test", "-m all_trec -q"),
    Printed("out.test.aqc", "qrels.test", "results.trunc", "-m all_trec -q -c"),
    Printed("out.test.aqcM", "qrels.test", "results.trunc", "-m all_trec -q -c -M100", longest=100),
    Printed("out.test.aql", "qrels.rel_level", "results.test", "-m all_trec -q -l2", rel=2),
    Printed("out.test.meas_params", "qrels.test", "results.test", "-q, other cutoffs"),
    Printed("out.comment.test", "qrels.comment.test", "results.comment.test"),
)


@dataclass(frozen=True)
class Row:
    """One value, ours and theirs."""

    measure: RankingMeasure
    query: str
    ours: float
    theirs: float
    note: str

    @property
    def difference(self) -> float:
        """Ours in four decimals minus theirs."""
        return round(round(self.ours, 4) - self.theirs, 4)


def main() -> int:
    """Print the table; 1 where a value differs without a reason or there is nothing to compare."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--data", type=Path, default=DATA, help="trec_eval's folder `test`")
    options.add_argument("--queries", action="store_true", help="show every query, not only the means")
    chosen = options.parse_args()
    if not chosen.data.is_dir():
        print(f"{chosen.data}: no such folder; it holds the files of trec_eval's folder `test`")
        return 1
    found = {printed: list(_rows(printed, chosen.data)) for printed in FILES}
    for printed, rows in found.items():
        _show(printed, [row for row in rows if chosen.queries or row.query == MEAN])
    every = [row for rows in found.values() for row in rows]
    differing = [row for row in every if row.difference]
    for note in dict.fromkeys(row.note for row in differing if row.note):
        print(f"* {note}")
    print(f"{len(every)} values compared, {len(every) - len(differing)} equal to four decimals, {len(differing)} not")
    return 0 if every and all(row.note for row in differing) else 1


def _rows(printed: Printed, data: Path) -> Iterator[Row]:
    qrels = read_qrels(data / printed.qrels, printed.qrels)
    run = read_run(data / printed.run, printed.run, ignores_rest=True)
    if printed.longest:
        kept = {query: ranked_by_score(scores, "trec_eval")[: printed.longest] for query, scores in run.items()}
        run = {query: {document: run[query][document] for document in ranked} for query, ranked in kept.items()}
    lines = [line.split(maxsplit=2) for line in (data / printed.output).read_text().splitlines()]
    theirs = [(RankingMeasure.from_trec_eval(name, printed.rel), query, value) for name, query, value in lines]
    found = evaluate([measure for measure, _, _ in theirs if measure], qrels, run, ties="trec_eval")
    for measure, query, value in theirs:
        if measure is not None:
            mean = found.mean(measure)
            ours = mean.value if query == MEAN else found.values[measure][found.queries.index(query)].item()
            yield Row(measure, query, float("nan") if ours is None else ours, float(value), _reason(mean, float(value)))


def _reason(mean: Mean, theirs: float) -> str:
    """Why a mean differs: trec_eval counts 0 where nothing is relevant. Empty where that does not explain it."""
    empty = [query for query, reason in mean.left_out.items() if reason != UNJUDGED]
    if not empty or mean.value is None or round(mean.value * mean.n / (mean.n + len(empty)), 4) != theirs:
        return ""
    return f"{', '.join(empty)}: nothing is relevant; trec_eval counts 0, we leave it out. Counted as 0, the values are equal"


def _show(printed: Printed, rows: list[Row]) -> None:
    print(f"{printed.output}: trec_eval {printed.options} {printed.qrels} {printed.run}".replace("  ", " "))
    print(f"  {'measure':16}{'query':>8}{'ours':>10}{'trec_eval':>11}{'difference':>12}")
    for row in rows:
        star = " *" if row.difference and row.note else ""
        print(f"  {row.measure!s:16}{row.query:>8}{row.ours:10.4f}{row.theirs:11.4f}{row.difference:12.4f}{star}")


if __name__ == "__main__":
    sys.exit(main())
