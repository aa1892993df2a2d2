"""`python benchmarks/evaluators.py`: the levenshtein and rouge evaluators beside a pure-Python distance and rouge-score.

Each evaluator is called whole: options, score and metric. The pure-Python distance is measured on a sample and scaled.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

sys.path.append(str(Path(__file__).resolve().parent.parent))

from generated import Sentences
from table import _aligned as aligned
from table import load_line

from assay.evaluators.registry import get_evaluator

Pair = tuple[str, str]
Scores = list[float]
LENGTH = 75
SAMPLE = 1_000
LIMITS = {"levenshtein": 200.0, "rouge": 5.0}
PEERS = {"levenshtein": "pure-Python Levenshtein", "rouge": "rouge-score rouge1"}


@dataclass(frozen=True)
class Measured:
    """CPU time of one contender over its pairs, the best of all passes, and the scores it gave."""

    name: str
    pairs: int
    cpu_s: float
    scores: Scores

    @property
    def per_pair_us(self) -> float:
        """CPU microseconds of one pair."""
        return 1e6 * self.cpu_s / self.pairs


def main() -> int:
    """Measure and print. Scores that differ are an error; a missed limit is told, and only a quiet machine can judge it."""
    options = _options()
    before = os.getloadavg()
    pairs = sentence_pairs(options.pairs, seed=7)
    rows: list[tuple[str, ...]] = [
        ("evaluator", "pairs measured", "CPU us/pair", f"CPU s for {len(pairs):,}", "times faster", "limit")
    ]
    is_equal = True
    for name, peer in PEERS.items():
        ours = measured(name, evaluated(name), pairs, options.passes)
        rows.append(_row(ours, len(pairs), "", ""))
        other = _peer(name)
        if other is None:
            rows.append((f"{peer}: not installed", "-", "-", "-", "-", f">= {LIMITS[name]:.0f}, not measured"))
            continue
        sample = pairs[:SAMPLE] if name == "levenshtein" else pairs
        theirs = measured(peer, other, sample, options.passes)
        ratio = theirs.per_pair_us / ours.per_pair_us
        outcome = "met" if ratio >= LIMITS[name] else "missed"
        rows.append(_row(theirs, len(pairs), f"{ratio:.1f}", f">= {LIMITS[name]:.0f}, {outcome}"))
        is_equal &= theirs.scores == ours.scores[: len(sample)]
    print(aligned(rows, texts=1))
    print(load_line(before, os.getloadavg(), os.cpu_count() or 1))
    if not is_equal:
        print("error: the scores differ", file=sys.stderr)
    return 0 if is_equal else 1


def sentence_pairs(count: int, seed: int) -> list[Pair]:
    """Pairs of made-up English-like texts of 75 characters; every third pair is one text and a damaged copy of it."""
    texts = Sentences(seed)

    def text() -> str:
        found = texts.sentence()
        while len(found) < LENGTH:
            found += f" {texts.sentence()}"
        return found[:LENGTH]

    pairs = []
    for number in range(count):
        first, second = text(), text()
        cut = texts.random.randrange(LENGTH)
        pairs.append((first, first[:cut] + second[cut:] if number % 3 == 0 else second))
    return pairs


def evaluated(name: str) -> Callable[[Sequence[Pair]], Scores]:
    """The evaluator of that name over all pairs."""
    evaluator = get_evaluator(name)
    return lambda pairs: [evaluator(actual, expected, None).score for actual, expected in pairs]


def pure_distance(a: str, b: str) -> int:
    """Two rows of the textbook table, without a call in the inner loop."""
    above = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        left, corner = i, above[0]
        row = [i]
        for j, y in enumerate(b, start=1):
            up = above[j]
            best = corner if x == y else 1 + (corner if corner <= up and corner <= left else min(up, left))
            row.append(best)
            left, corner = best, up
        above = row
    return above[-1]


def pure_similarities(pairs: Sequence[Pair]) -> Scores:
    return [(max(len(a), len(b)) - pure_distance(a, b)) / max(len(a), len(b)) for a, b in pairs]


def measured(name: str, work: Callable[[Sequence[Pair]], Scores], pairs: Sequence[Pair], passes: int) -> Measured:
    scores: Scores = []
    best = float("inf")
    for _ in range(passes):
        start = process_time()
        scores = work(pairs)
        best = min(best, process_time() - start)
    return Measured(name, len(pairs), best, scores)


def _peer(name: str) -> Callable[[Sequence[Pair]], Scores] | None:
    if name == "levenshtein":
        return pure_similarities
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError:
        return None
    scorer = RougeScorer(["rouge1"])
    return lambda pairs: [scorer.score(expected, actual)["rouge1"].fmeasure for actual, expected in pairs]


def _row(found: Measured, total: int, ratio: str, limit: str) -> tuple[str, ...]:
    scaled = f"{found.per_pair_us * total / 1e6:,.2f}{'' if found.pairs == total else ' scaled'}"
    return (found.name, f"{found.pairs:,}", f"{found.per_pair_us:,.2f}", scaled, ratio, limit)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100_000, metavar="N", help="how many pairs (default: 100,000)")
    parser.add_argument("--passes", type=int, default=3, metavar="N", help="the best of N passes counts (default: 3)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
