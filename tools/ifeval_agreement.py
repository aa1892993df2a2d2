"""How often our IFEval rules and the verdicts that were published with the answers say the same, rule by rule.

    python tools/ifeval_suite.py FOLDER --data ../shared/data
    python tools/ifeval_agreement.py FOLDER --data ../shared/data

What is compared is what `assay run ifeval --goldset FOLDER` runs: the folder's checks, options and outputs. The strict verdict
is on the answer as it is; the loose one is true when any of eight readings of it follows the rule (without asterisks, without
its first line, without its last). The published verdicts are those of a modified copy of the benchmark's checker.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.errors import UserError
from assay.evaluators.metric import EvalMetric
from assay.evaluators.plan import Planned
from assay.model.gold import GoldCase
from assay.stores.goldsets import open_suite
from assay.stores.targets import imported
from assay.suites.checks.cases import load
from assay.suites.checks.options import options_of
from assay.suites.checks.planning import Plans
from tools.ifeval_suite import check_names, evaluator_of, json_lines

Reading = Literal["strict", "loose"]
Found = Literal["agrees", "cannot tell", "differs"]
LIKELY = {
    "english_capital": "the published checker asks a statistical language detector, which errs on a few words",
    "english_lowercase": "the published checker asks a statistical language detector, which errs on a few words",
    "response_language": "the published checker asks a statistical language detector; ours knows only the commonest words",
    "letter_frequency": "the published checker counts a letter drawn at random where the rule is about a sign that is none",
    "nth_paragraph_first_word": "to the published checker a colon belongs to the word; to ours it does not",
}
"""Why the two sides differ, by kind, where the cases show it."""


@dataclass(frozen=True)
class Verdict:
    """One rule on one answer, by both sides."""

    case: str
    check: str
    published: bool
    ours: EvalMetric

    @property
    def kind(self) -> str:
        """The kind of rule, without the number of a second one."""
        return evaluator_of(self.check).partition(":")[2]

    @property
    def found(self) -> Found:
        """Whether the sides agree; a check that could not run has no verdict."""
        if self.ours.error is not None:
            return "cannot tell"
        return "agrees" if self.ours.passed == self.published else "differs"

    def __str__(self) -> str:
        said = "cannot tell" if self.ours.error else "followed" if self.ours.passed else "broken"
        published = "followed" if self.published else "broken"
        return f"{self.case} {self.check}: published {published}, ours {said} ({self.ours.error or self.ours.meta['reason']})"


def compared(folder: Path, data: Path, reading: Reading = "strict") -> list[Verdict]:
    """Every rule of the suite's cases by both sides, in the file's order. Raises UserError, FileNotFoundError."""
    verdicts = data / "ifeval" / "data" / "test_output" / f"eval_results_{reading}.jsonl"
    published = {row["prompt"]: row for row in json_lines(verdicts)}
    outputs = {row["id"]: row["output"] for row in json_lines(folder / "outputs.jsonl")}
    judge = {"strict": judged, "loose": loosely_judged}[reading]
    found = []
    for case, plans in _planned(folder):
        row = published[case.input["prompt"]]
        told = dict(zip(check_names(row["instruction_id_list"]), row["follow_instruction_list"], strict=True))
        found += [Verdict(case.id, plan.name, told[plan.name], judge(plan, outputs[case.id])) for plan in plans]
    return found


def judged(plan: Planned, text: str) -> EvalMetric:
    """The check's metric of the answer as it is."""
    return plan.metric(text, None)


def loosely_judged(plan: Planned, text: str) -> EvalMetric:
    """The first metric that passes of the eight readings; else the first that could not run; else that of the answer."""
    metrics = [plan.metric(reading, None) for reading in readings(text)]
    chosen = [m for m in metrics if m.error is None and m.passed] or [m for m in metrics if m.error is not None] or metrics
    return chosen[0]


def readings(text: str) -> list[str]:
    """The answer whole, without its first line, without its last, without both; each with and without its asterisks."""
    lines = text.split("\n")
    parts = [text, *("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))]
    return [reading for part in parts for reading in (part, part.replace("*", ""))]


def table(strict: Sequence[Verdict], loose: Sequence[Verdict]) -> Iterator[str]:
    """By kind and over all: rules, and how many of them agree, cannot be told and differ."""
    yield f"{'kind':28}{'':>6}{'strict':>8}{'':>8}{'':>8}{'loose':>8}"
    yield f"{'':28}{'n':>6}{'agree':>8}{'no tell':>8}{'differ':>8}{'agree':>8}{'no tell':>8}{'differ':>8}"
    for kind in [*sorted({one.kind for one in strict}), "all"]:
        rows = [Counter(one.found for one in side if kind in {one.kind, "all"}) for side in (strict, loose)]
        figures = "".join(f"{row[found]:>8}" for row in rows for found in ("agrees", "cannot tell", "differs"))
        yield f"{kind:28}{rows[0].total():>6}{figures}"


def shares(verdicts: Sequence[Verdict]) -> str:
    """Agreement over the rules that could be told, and over all."""
    counts = Counter(one.found for one in verdicts)
    judged_, same = counts.total() - counts["cannot tell"], counts["agrees"]
    return f"{same} of {judged_} told ({same / judged_:.4f}), of all {counts.total()} ({same / counts.total():.4f})"


def _planned(folder: Path) -> Iterator[tuple[GoldCase, list[Planned]]]:
    source = open_suite(folder, "ifeval", goldset=folder)
    chosen = options_of(source.suite.options)
    for check in chosen.checks:
        imported(source.root, "suite.yaml", check.used)
    plans = Plans(chosen, source.files)
    for case in load({"cases": source.files["cases"]}):
        yield case, [applied.plan for applied in plans.of(case)]


def main() -> int:
    """Print the table and every rule on which the strict verdicts are not the same."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the suite's folder")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder that holds the public data")
    given = parser.parse_args()
    try:
        strict, loose = (compared(given.folder, given.data, reading) for reading in ("strict", "loose"))
    except (UserError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join(table(strict, loose)))
    print(f"strict: {shares(strict)}\nloose: {shares(loose)}")
    for one in strict:
        if one.found != "agrees":
            print(f"{one}{f'; {LIKELY[one.kind]}' if one.kind in LIKELY else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
