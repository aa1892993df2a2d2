"""score: the measures that a suite names. Apart from `options`, so that no retriever hangs on how rankings are measured."""

from __future__ import annotations

from assay.errors import InputError, Problem
from assay.metrics.ranking_measures import RankingMeasure
from assay.suites.retrieval.options import Options


def named(options: Options) -> dict[str, RankingMeasure]:
    """Each measure by its name in reports, with `@k` spelled out. Raises InputError with every name that is unknown."""
    found: dict[str, RankingMeasure] = {}
    wrong: list[Problem] = []
    for name in options.measures:
        spelled = name.replace("@k", f"@{options.top_k}")
        try:
            found[spelled] = RankingMeasure.parse(spelled)
        except ValueError as error:
            wrong.append(Problem("suite.yaml: options.measures", f"is not valid ({error})", name))
    if wrong:
        raise InputError(wrong)
    return found
