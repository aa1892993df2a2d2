"""What one case adds to the numbers, and what would follow if it added something else. Recomputed from the report alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from assay.metrics.ratios import measured, summed
from assay.model.power import Power
from assay.model.report import ProviderReport, Report
from assay.model.score import Measure, Ratio
from assay.model.verdict import Check, Metric, Outcome, Status, outcome_of
from assay.power import Line
from assay.reporting.build import deciding_checks
from assay.reporting.figures import value_text

Counts = Mapping[str, int | float]
COMPARING = ("max_drop", "floor", "ceiling")
"""The checks that one metric's value alone decides, by how their names begin."""
ADDS_UP = 1e-9


@dataclass(frozen=True)
class Swap:
    """A provider's numbers with other counts in the place of one case's."""

    report: Report
    name: str
    others: Mapping[str, float]
    """The counts of all other cases, added up."""

    @classmethod
    def of(cls, report: Report, name: str, case: str) -> Swap:
        """All but one case of a provider."""
        cases = report.providers[name].cases
        return cls(report, name, summed(outcome.tallied for key, outcome in cases.items() if key != case))

    @property
    def provider(self) -> ProviderReport:
        """The provider whose case it is."""
        return self.report.providers[self.name]

    def metric(self, name: str, counts: Counts) -> Metric:
        """A metric as it would be if the case added these counts; none at all leaves the case out."""
        return measured(summed([self.others, counts]), {name: self.report.facts.measures[name]})[name]

    def adds_up(self, name: str, counts: Counts) -> bool:
        """Whether the report's own value comes out with the case's own counts."""
        now, again = self.provider.metrics[name].value, self.metric(name, counts).value
        return now == again or (now is not None and again is not None and abs(now - again) <= ADDS_UP)

    def status(self, check: Check, metric: Metric) -> Status:
        """The status of a check of `COMPARING` at another value of its metric, by the gate's own comparison."""
        how, _, name = check.name.partition(".")
        measure, rule = self.report.facts.measures[name], self.report.facts.rule
        if metric.value is None:
            return "could-not-run"
        if how != "max_drop":
            limit = (rule.floors if how == "floor" else rule.ceilings)[name]
            line = Line("higher" if how == "floor" else "lower", None, Decimal(0), limit)
        else:
            before = self.provider.baseline.get(name)
            if before is None or before.value is None or (measure.fixed_n and metric.n < before.n):
                return "could-not-run"
            line = Line(measure.direction, before.value, Decimal(repr(rule.max_drop_pp)), None)
        return "kept" if line.is_kept(metric.value) else "broken"

    def verdict(self, statuses: Mapping[str, Status]) -> Outcome:
        """The verdict with these checks of the provider in the place of its own."""
        place = f"{self.name}: "
        return outcome_of(
            [
                found.model_copy(update={"status": statuses.get(found.name, found.status)}) if where == place else found
                for where, found in deciding_checks(self.report)
            ]
        )


def fed_checks(provider: ProviderReport, measures: Mapping[str, Measure], counts: Counts) -> list[Check]:
    """The checks that compare a metric in which the case has rows."""
    found = [check for check in provider.checks if check.name.partition(".")[0] in COMPARING]
    known = {check.name: measures.get(_metric_of(check)) for check in found}
    return [check for check in found if (measure := known[check.name]) and has_rows(measure, counts)]


def has_rows(measure: Measure, counts: Counts) -> bool:
    """Whether the case is part of what the measure averages over."""
    return any(counts.get(ratio.denominator, 0) for ratio in measure.ratios)


def at_best(measure: Measure, counts: Counts, *, worst: bool = False) -> dict[str, int | float] | None:
    """The counts that serve the measure best, or worst, with the rows that the case has; None where there is no such end."""
    if any(ratio.values == "reals" for ratio in measure.ratios):
        return None
    full = (measure.direction == "higher") != worst
    ends = {ratio.numerator: counts.get(ratio.denominator, 0) if full else 0 for ratio in measure.ratios}
    return {**counts, **ends}


def added_lines(report: Report, name: str, counts: Counts) -> Iterator[str]:
    """What the case adds to which metric: a line each, gated ones first; a part of one told before is not told again."""
    measures, gated, told = report.facts.measures, gated_metrics(report), set[Ratio]()
    ordered = sorted(measures, key=lambda metric: (metric not in gated, -len(measures[metric].ratios)))
    for metric in ordered:
        measure = measures[metric]
        mine = [ratio for ratio in measure.ratios if counts.get(ratio.denominator, 0)]
        if mine and not told.issuperset(mine):
            told.update(mine)
            parts = "; ".join(share_text(ratio, counts) for ratio in mine)
            mean = f", in {len(mine)} of the {len(measure.ratios)} ratios that it is the mean of" if measure.mean_of else ""
            yield f"{metric}{'' if metric in gated else ' (not gated)'}: {parts}{mean}."


def share_text(ratio: Ratio, counts: Mapping[str, float]) -> str:
    """A numerator over its denominator, in words."""
    found, n = counts.get(ratio.numerator, 0), counts.get(ratio.denominator, 0)
    if ratio.values == "counts":
        return f"{found:g} of {n:g} {ratio.of}"
    return f"{found:.6g} over {n:g} {ratio.of}"


def gated_metrics(report: Report) -> list[str]:
    """The metrics that the gate holds to anything."""
    rule = report.facts.rule
    return list(dict.fromkeys([*rule.metrics, *rule.floors, *rule.ceilings]))


def check_lines(swap: Swap, counts: Counts) -> Iterator[str]:
    """Each metric with a check that the case feeds: its value, the value without the case, and what the gate absorbs."""
    told = dict[str, list[Check]]()
    for check in fed_checks(swap.provider, swap.report.facts.measures, counts):
        told.setdefault(_metric_of(check), []).append(check)
    for metric, checks in told.items():
        states = ", ".join(f"{check.name} {check.status}" for check in checks)
        now = swap.provider.metrics[metric]
        if not swap.adds_up(metric, counts):
            yield f"{states}: {value_text(now)} (n={now.n}). The cases' counts do not add up to it, so no more is said."
            continue
        without = swap.metric(metric, {})
        absorbs = absorbs_text(swap.provider.power.get(metric))
        yield f"{states}: {value_text(now)} (n={now.n}), without this case {_value(without, now)}{absorbs}."


def absorbs_text(power: Power | None) -> str:
    """How many rows may turn wrong before the gate fires, as the end of a sentence; empty where that is not known."""
    if power is None or power.absorbs_fewest is None or power.headroom_pp is None or power.headroom_pp < 0:
        return ""
    if power.is_blind:
        return "; the gate is blind to it: every right row can turn wrong and it keeps silent"
    if power.absorbs_most is None:
        return f"; the gate absorbs {power.absorbs_fewest} of its {power.of} rows at worst"
    most = "" if power.absorbs_most == power.absorbs_fewest else f" to {power.absorbs_most}"
    return f"; the gate absorbs {power.absorbs_fewest}{most} of its {power.of} rows"


def flip_lines(swap: Swap, counts: Counts, before: Counts | None) -> Iterator[str]:
    """Whether the case alone could flip the verdict; said only of what can be worked out from counts."""
    report, provider = swap.report, swap.provider
    if not provider.decides:
        yield f"{swap.name} decides nothing ({provider.enforcement}), so no case of it can flip the verdict {report.verdict}."
        return
    if report.facts.mode == "live":
        yield "A live run is judged by tests over all cases; what one case alone would do is not worked out."
        return
    flips = dict[str, Outcome]()
    checks = _reckoned(swap, counts, counts)
    for worst, told in ((False, "wholly right"), (True, "wholly wrong")):
        statuses = _at_end(swap, checks, counts, worst=worst)
        flips[told] = swap.verdict(statuses)
        if checks:
            changed = f"{_changed(checks, statuses)}; verdict {flips[told]}"
            yield f"Were it {told} in each metric, with the rows that it has: {changed}."
    if before is not None and dict(before) == dict(counts):
        yield "The baseline has the same counts for it."
    elif before is not None and any(check.name.startswith("defined.") for check in provider.checks):
        yield "A gated metric is undefined, so what the counts of the baseline would do is not worked out."
    elif before is not None:
        compared = _reckoned(swap, counts, {**counts, **before})
        statuses = {check.name: swap.status(check, swap.metric(_metric_of(check), before)) for check in compared}
        flips["as in the baseline"] = swap.verdict(statuses)
        changed = f"{_changed(compared, statuses)}; verdict {flips['as in the baseline']}"
        yield f"With the counts that the baseline has for it: {changed}."
    yield from _answer(swap, counts, flips)


def _answer(swap: Swap, counts: Counts, flips: Mapping[str, Outcome]) -> Iterator[str]:
    """The answer, and what it leaves open."""
    verdict = swap.report.verdict
    turns = [f"{told} it would be {other}" for told, other in flips.items() if other != verdict]
    answer = f"could flip the verdict {verdict}: {', '.join(turns)}" if turns else f"cannot flip the verdict {verdict}"
    yield f"So by its counts, with the rows that it has, it alone {answer}."
    fed = {_metric_of(check) for check in fed_checks(swap.provider, swap.report.facts.measures, counts)}
    endless = sorted(name for name in fed if at_best(swap.report.facts.measures[name], counts) is None)
    if endless:
        yield f"What {' and '.join(endless)} would do is not known: any number can stand there."
    lost = sorted(name for name in fed if not swap.adds_up(name, counts))
    if lost:
        yield f"What {' and '.join(lost)} would do is not known: the cases' counts do not add up to it."
    yield "All other checks, such as those of controls, are taken as they are."


def _reckoned(swap: Swap, counts: Counts, rows: Counts) -> list[Check]:
    """The checks of the metrics in which there are such rows, and whose value the cases' counts add up to."""
    found = fed_checks(swap.provider, swap.report.facts.measures, rows)
    return [check for check in found if swap.adds_up(_metric_of(check), counts)]


def _metric_of(check: Check) -> str:
    return check.name.partition(".")[2]


def _at_end(swap: Swap, checks: list[Check], counts: Counts, *, worst: bool) -> dict[str, Status]:
    found = dict[str, Status]()
    for check in checks:
        name = _metric_of(check)
        ends = at_best(swap.report.facts.measures[name], counts, worst=worst)
        if ends is not None:
            found[check.name] = swap.status(check, swap.metric(name, ends))
    return found


def _changed(checks: list[Check], statuses: Mapping[str, Status]) -> str:
    moved = [f"{c.name} would be {statuses[c.name]}" for c in checks if statuses.get(c.name, c.status) != c.status]
    return ", ".join(moved) or "every check comes out as it did"


def _value(metric: Metric, beside: Metric) -> str:
    if metric.value is None:
        return f"undefined ({metric.reason})"
    looks_same = metric.value != beside.value and value_text(metric) == value_text(beside)
    return f"{metric.value:.{8 if looks_same else 4}f} (n={metric.n})"
