"""calibrate: what each metric comes to when every conversation is given another's replies, over many seeded shuffles.

Cases and recorded replies come in; out go the mean and the 99.9 % quantile of each metric.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING

from assay.errors import InputError, Problem
from assay.metrics.proportions import DECIMALS
from assay.metrics.ratios import values
from assay.metrics.similarity import similarity_matrix
from assay.model.baseline import Chance
from assay.model.exchange import Outcome, Reply
from assay.model.gold import GoldCase
from assay.suites.extraction.scoring import MEASURES, score_case
from assay.suites.extraction.shuffling import donors, joined, parsed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Counts = Mapping[str, int | float]

SHUFFLES = 10_000
"""Enough that ten of them lie above the quantile."""
QUANTILE = 0.999
_LOWER = frozenset(name for name, measure in MEASURES.items() if measure.direction == "lower")


def chance(
    cases: Sequence[GoldCase],
    replies: Mapping[str, Sequence[Outcome]],
    threshold: float,
    seeds: Sequence[int] = range(SHUFFLES),
) -> dict[str, Chance]:
    """For each metric that is better when higher, its mean and its 99.9 % quantile over one shuffle per seed.

    The quantile is the smallest value that at least 99.9 % of the shuffles do not exceed; `how` gives its distribution-free
    95 % interval from the neighbouring order statistics, and the standard error of the mean. With fewer than 1000 shuffles
    it is the greatest value seen. A metric that is undefined in some shuffles averages over the others; one undefined in all
    is left out. Raises InputError for fewer than two answered cases and for no seed.

    Every pair of a case and another's reply is counted once: the similarity of all contents is one matrix, and only pairs
    that hold a similarity at or above `threshold` are matched, since without one they cannot have a match.
    """
    import numpy as np

    texts = {case.id: text for case in cases if (text := joined(replies.get(case.id, ()))) is not None}
    if len(texts) < 2 or not seeds:  # noqa: PLR2004  # one conversation has no other
        expected = "two answered conversations and one seed at least"
        raise InputError(Problem("chance", "nothing to shuffle", (len(texts), len(seeds)), expected))
    place = {case.id: i for i, case in enumerate(cases)}
    may_match = _may_match(cases, texts, threshold)
    columns, table = _table(cases, texts, threshold, may_match)
    totals = np.empty((len(seeds), len(columns)))
    for row, seed in enumerate(seeds):
        giver = donors(place, texts, seed)
        receivers, givers = [place[name] for name in giver], [place[name] for name in giver.values()]
        totals[row] = table[receivers, givers].sum(axis=0)
    measured = {name: values(measure, columns, totals) for name, measure in MEASURES.items() if name not in _LOWER}
    drawn = f"{len(may_match)} conversations with another's reply of {len(texts) * (len(cases) - 1)} can match at all"
    return {name: _estimate(found[~np.isnan(found)], drawn) for name, found in measured.items() if not np.isnan(found).all()}


def order_rank(shuffles: int) -> int:
    """The 1-based rank of the 99.9 % quantile among so many sorted values."""
    return max(ceil(round(QUANTILE * shuffles, 9)), 1)


def _estimate(found: NDArray[np.float64], drawn: str) -> Chance:
    """The mean and quantile of the values of one metric, float64, shape (shuffles,), at least one."""
    ordered = sorted(found.tolist())
    shuffles, rank = len(ordered), order_rank(len(ordered))
    reach = 1.96 * sqrt(shuffles * QUANTILE * (1 - QUANTILE))
    low, high = max(rank - ceil(reach), 1), rank + ceil(reach)
    upper = f"{ordered[high - 1]:.4f}" if high <= shuffles else "above all seen"
    error = float(found.std(ddof=1)) / sqrt(shuffles) if shuffles > 1 else None
    return Chance(
        mean=round(float(found.mean()), DECIMALS),
        quantile=round(ordered[rank - 1], DECIMALS),
        how=f"{shuffles} seeded shuffles of the replies among the conversations ({drawn}); standard error of the mean "
        f"{'unknown' if error is None else f'{error:.6f}'}; the quantile is value {rank} in order, its 95 % interval "
        f"{ordered[low - 1]:.4f} to {upper}",
    )


def _table(
    cases: Sequence[GoldCase], texts: Mapping[str, str], threshold: float, may_match: Collection[tuple[str, str]]
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """The names of the counts, and the counts of each case (first axis) with each case's reply (second axis).

    float64, shape (cases, cases, counts); zero where the second case has no reply.
    """
    import numpy as np

    blank = GoldCase(id="blank", input={}, expected={"memories": []})
    answers = {name: (_reply(text),) for name, text in texts.items()}
    unanswered = {case.id: score_case(case, (), threshold).counts for case in cases}
    alone = {name: score_case(blank, answer, threshold).counts for name, answer in answers.items()}
    columns = tuple(sorted({name for m in MEASURES.values() for r in m.ratios for name in (r.numerator, r.denominator)}))
    table = np.zeros((len(cases), len(cases), len(columns)))
    for i, case in enumerate(cases):
        for j, other in enumerate(cases):
            if other.id not in texts or i == j:
                continue
            if (case.id, other.id) in may_match:
                counts: Counts = score_case(case, answers[other.id], threshold).counts
            else:
                counts = _without_matches(unanswered[case.id], alone[other.id])
            table[i, j] = [counts.get(name, 0) for name in columns]
    return columns, table


def _without_matches(expected: Counts, predicted: Counts) -> Counts:
    """The counts of a case and a reply that share no memory: those of the case alone and those of the reply alone.

    A case that expects nothing counts as the reply does alone; elsewhere nothing was to be kept silent about.
    """
    if expected.get("silent_cases"):
        return predicted
    silence = {"silent_cases", "silent_right"}
    names = (expected.keys() | predicted.keys()) - silence
    return {name: expected.get(name, 0) + predicted.get(name, 0) for name in names}


def _may_match(cases: Sequence[GoldCase], texts: Mapping[str, str], threshold: float) -> set[tuple[str, str]]:
    """A case and another that gives its reply, by id, wherever any two contents are alike enough."""
    import numpy as np

    wanted = [(case.id, content) for case in cases for content in _expected(case)]
    got = [(name, content) for name, text in texts.items() for content in _predicted(text)]
    columns = list(dict.fromkeys(content for _, content in got))
    place = {content: j for j, content in enumerate(columns)}
    owners: dict[int, set[str]] = {}
    for name, content in got:
        owners.setdefault(place[content], set()).add(name)
    alike = np.argwhere(similarity_matrix([content for _, content in wanted], columns) >= threshold)
    return {(wanted[i][0], name) for i, j in alike.tolist() for name in owners[j] if name != wanted[i][0]}


def _expected(case: GoldCase) -> list[str]:
    rows = case.expected["memories"]
    return [str(row["content"]) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _predicted(text: str) -> list[str]:
    result = parsed(text)
    return [memory.content for memory in result.memories] if result else []


def _reply(text: str) -> Reply:
    return Reply(text=text, finish_reason=None, model_served=None, usage=None, latency_ms=None)
