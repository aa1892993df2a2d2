"""Reports that are wrong: the true one with something left out or changed. The report's own paper must notice every one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assay.model.report import Comparison, Judgement, ProviderReport, Report, RunFacts
from assay.sabotage.defect import Defect, InParts
from assay.sabotage.parts import Parts
from assay.sabotage.report_paper import REPORT_SELF_TEST

Change = Callable[[Parts], Parts]
Limits = Callable[[Report], list[str]]


def _built(change: Callable[[Report], Mapping[str, Any]]) -> Change:
    """The true report with some fields changed."""

    def changed(parts: Parts) -> Parts:
        def build(judgement: Judgement, facts: RunFacts, limits: Limits) -> Report:
            report = parts.build(judgement, facts, limits)
            return report.model_copy(update=dict(change(report)))

        return replace(parts, build=build)

    return changed


def _each(change: Callable[[ProviderReport], Mapping[str, Any]]) -> Change:
    """The true report with every provider's block changed."""
    return _built(
        lambda report: {
            "providers": {name: found.model_copy(update=dict(change(found))) for name, found in report.providers.items()}
        }
    )


def _written(change: Callable[[str], str]) -> Change:
    """The true text, changed."""

    def changed(parts: Parts) -> Parts:
        return replace(parts, markdown=lambda report: change(parts.markdown(report)))

    return changed


def _coded(codes: Mapping[Any, int]) -> Change:
    return lambda parts: replace(parts, exit_codes={**parts.exit_codes, **codes})


def _without(word: str) -> Callable[[str], str]:
    return lambda text: "".join(line for line in text.splitlines(keepends=True) if word not in line)


def _denominators(found: ProviderReport) -> Mapping[str, Any]:
    metrics = {
        name: m.model_copy(update={"denominator": m.denominator * 2, "n": m.n * 2}) if m.denominator else m
        for name, m in found.metrics.items()
    }
    return {"metrics": metrics}


CHANGES: Mapping[str, Change] = {
    "wrong denominator": _each(_denominators),
    "failing case dropped": _each(lambda found: {"failed": dict(list(found.failed.items())[1:])}),
    "failing cases left out of the count": _each(
        lambda found: {"cases": {name: case for name, case in found.cases.items() if case.passed}}
    ),
    "provenance removed": _each(lambda _: {"recording": None}),
    "provenance line removed from the text": _written(_without("(gated)")),
    "failing case removed from the text": _written(_without("`c2`")),
    "limits removed": _built(lambda _: {"limits": ()}),
    "checks removed": _each(lambda _: {"checks": ()}),
    "compared with nothing": _each(lambda _: {"compared": Comparison(cases=0, metrics=0)}),
    "PASS in the report whatever was judged": _built(lambda _: {"verdict": "PASS"}),
    "PASS in the headline whatever was judged": _built(
        lambda report: {"headline": report.headline.replace("FAIL ", "PASS ").replace("NO VERDICT ", "PASS ")}
    ),
    "PASS in the text whatever was judged": _written(lambda text: text.replace("## ", "## verdict: ", 1)),
    "failed runs exit 0": _coded({"FAIL": 0}),
    "runs without a verdict exit 0": _coded({"NO VERDICT": 0}),
    "passed runs exit 1": _coded({"PASS": 1}),
    "a provider left out": _built(lambda report: {"providers": dict(list(report.providers.items())[1:])}),
}
DEFECTS: tuple[Defect, ...] = tuple(
    Defect(name, "report", InParts(change), (REPORT_SELF_TEST,), must_show=True) for name, change in CHANGES.items()
)
