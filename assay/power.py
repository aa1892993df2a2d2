"""power: what the gate can see of each gated metric, and whether that is what the suite declares must be noticed. Judges only.

Counted from this run: how many rows can still turn wrong. Judged from the baseline, which the gate compares with: whether
`gate.must_notice_cases` (replay) or `gate.must_detect_pp` (live) can be met at all. What n makes impossible could not run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from math import fsum

from assay.drops import drop_pp
from assay.metrics.power import (
    MOST_CASES,
    Part,
    Profile,
    absorbed,
    absorbed_values,
    cases_needed,
    chance_seen,
    false_alarm,
    rejects_from,
    restored,
    rows_that_do,
    share_right,
    tail,
    turned,
    value_of,
)
from assay.model.baseline import Block
from assay.model.power import LivePower, Power
from assay.model.report import Evidence, RunFacts
from assay.model.score import Direction, Measure
from assay.model.verdict import Check, Metric

SEEN = 0.8
ADDS_UP = 1e-9
LOSSES_ONLY = "right rows turn wrong independently, none turns right; exact paired test by case; no other noise"
REALS = "power undefined: its rows are any numbers and have no worst value, so one row alone may fire the gate"
SHARES = "power undefined: its rows are values in [0, 1], not right or wrong; counted are rows that fall to the worst value"
NO_LINE = "nothing to compare with, and no floor or ceiling"

Tallies = Sequence[Mapping[str, int | float]]


@dataclass(frozen=True)
class Line:
    """What the gate compares a metric with: the baseline with its tolerance, a floor or ceiling, or both."""

    direction: Direction
    base: float | None
    allowed: Decimal
    bound: float | None

    def headroom(self, value: float) -> Decimal:
        """How far a value is on the good side, in percentage points; negative where the gate fires, exactly as it does."""
        room = [self.allowed - drop_pp(value, self.base, self.direction)] if self.base is not None else []
        room += [drop_pp(value, self.bound, self.direction) * -1] if self.bound is not None else []
        return min(room)

    def is_kept(self, value: float) -> bool:
        """Whether the gate keeps silent at this value."""
        return self.headroom(value) >= 0

    @property
    def worst_kept(self) -> float:
        """The worst value that is kept."""
        sign = -1 if self.direction == "higher" else 1
        ends = [float(Decimal(repr(self.base)) + sign * self.allowed / 100)] if self.base is not None else []
        ends += [self.bound] if self.bound is not None else []
        return max(ends) if self.direction == "higher" else min(ends)


@dataclass(frozen=True)
class Rows:
    """The rows of a measure of counts: by ratio, and by case."""

    parts: tuple[Part, ...]
    profile: Profile
    cases: int
    """How many cases have rows."""


def power_of(evidence: Evidence, block: Block | None, facts: RunFacts) -> dict[str, Power]:
    """Every gated metric's power.

    Args:
        evidence: a subject of the run.
        block: the baseline's block as the gate compares with it, or None where it does not.
        facts: the run.
    """
    now = [case.tallied for case in evidence.cases.values()]
    then = now if block is None else [case.tallied for case in (block.cases or {}).values()]
    is_same, level, found = now == then, _level(evidence, block, facts), dict[str, Power]()
    for name in _gated(facts):
        metric, measure = evidence.metrics.get(name), facts.measures.get(name)
        if metric is None or metric.value is None or measure is None:
            found[name] = Power(undefined=(metric and metric.reason) or "this kind does not measure it")
            continue
        rows = _rows(measure, now, metric)
        power = _power(metric, measure, rows, now, _line(name, evidence, block, facts))
        rows = rows if is_same else _rows(measure, then)
        if level is not None and isinstance(rows, Rows) and name in facts.rule.metrics:
            why = None if facts.mode == "live" else power.undefined
            power = power.model_copy(update={"live": _live(rows, level), "undefined": why})
        found[name] = power
    return found


def power_checks(evidence: Evidence, block: Block | None, facts: RunFacts) -> Iterator[Check]:
    """`power.<metric>` for each gated metric where the suite declares what must be noticed: kept where n allows it.

    None without a baseline to judge it from, for the gate cannot pass without one, and none of a subject of which nothing is
    claimed.
    """
    if block is None or evidence.claims is not None or evidence.cut is not None or facts.sample is not None:
        return
    then = [case.tallied for case in (block.cases or {}).values()]
    level = _level(evidence, block, facts)
    for name in facts.rule.metrics:
        before, measure = (block.metrics or {}).get(name), facts.measures.get(name)
        if measure is None or before is None or before.value is None or name not in evidence.metrics:
            continue
        rows = _rows(measure, then, before)
        if facts.mode == "live" and facts.rule.must_detect_pp is not None and isinstance(rows, Rows) and level is not None:
            yield _detects(name, rows, facts.rule.must_detect_pp, level)
        line = _line(name, evidence, block, facts)
        if facts.mode != "live" and facts.rule.must_notice_cases is not None and line is not None:
            yield _notices(name, rows, line, facts.rule.must_notice_cases)


def _gated(facts: RunFacts) -> list[str]:
    return list(dict.fromkeys([*facts.rule.metrics, *facts.rule.floors, *facts.rule.ceilings]))


def _level(evidence: Evidence, block: Block | None, facts: RunFacts) -> float | None:
    """The strictest level of the live gate's tests: one for the cases passed, one per metric with a value on both sides."""
    sides = [evidence.metrics, *([block.metrics or {}] if block else [])]
    tested = [name for name in facts.rule.metrics if all(name in side and side[name].value is not None for side in sides)]
    return facts.rule.false_alarm / (1 + len(tested)) if tested else None


def _line(name: str, evidence: Evidence, block: Block | None, facts: RunFacts) -> Line | None:
    """What a metric is held to in this mode; a live run is held to a test instead of a tolerance."""
    measure, rule = facts.measures[name], facts.rule
    now, before = evidence.metrics[name], (block.metrics or {}).get(name) if block else None
    is_compared = before is not None and name in rule.metrics and not (measure.fixed_n and now.n < before.n)
    base = before.value if before and is_compared and facts.mode != "live" else None
    bounds = rule.floors if measure.direction == "higher" else rule.ceilings
    bound = bounds.get(name) if evidence.claims is None and evidence.cut is None else None
    return None if base is None and bound is None else Line(measure.direction, base, Decimal(repr(rule.max_drop_pp)), bound)


def _rows(measure: Measure, tallies: Tallies, metric: Metric | None = None) -> Rows | str:
    """The rows of right and wrong that a metric is made of, or why it is not made of such."""
    kinds = {ratio.values for ratio in measure.ratios}
    if kinds != {"counts"}:
        return REALS if "reals" in kinds else SHARES if kinds else "power undefined: it is no ratio of counts"
    parts, right_of = list[Part](), [0] * len(tallies)
    with_rows = set[int]()
    for ratio in measure.ratios:
        right = of = 0
        for i, counts in enumerate(tallies):
            n = counts.get(ratio.denominator, 0)
            if not n:
                continue
            found = counts.get(ratio.numerator, 0)
            if not 0 <= found <= n or found % 1 or n % 1:
                return "power undefined: the counts of its cases are no rows that are right or wrong"
            good = int(found if measure.direction == "higher" else n - found)
            right, of, right_of[i] = right + good, of + int(n), right_of[i] + good
            with_rows.add(i)
        parts += [Part(right, of)] if of else []
    if not parts or (metric and abs(value_of(parts, measure.direction) - (metric.value or 0.0)) > ADDS_UP):
        return "power undefined: the counts of its cases do not add up to it"
    return Rows(tuple(parts), tuple(sorted(Counter(filter(None, right_of)).items())), len(with_rows))


def _power(metric: Metric, measure: Measure, rows: Rows | str, tallies: Tallies, line: Line | None) -> Power:
    """What is known without a live test: counts, line and headroom."""
    value = metric.value or 0.0
    known = Power(undefined=rows if isinstance(rows, str) else None)
    if isinstance(rows, Rows):
        known = Power(right=sum(part.right for part in rows.parts), of=sum(part.n for part in rows.parts))
    if line is None:
        return known.model_copy(update={"undefined": known.undefined or NO_LINE})
    room, kept = line.headroom(value), line.is_kept
    held: dict[str, float | int | None] = {"line": line.worst_kept, "headroom_pp": float(room)}
    if isinstance(rows, Rows):
        fewest, most = (absorbed(rows.parts, measure.direction, kept, hurts_most=worst) for worst in (True, False))
        back = restored(rows.parts, measure.direction, kept) if room < 0 else None
        headroom = fewest if room >= 0 else None if back is None else -back
        held |= {"absorbs_fewest": fewest, "absorbs_most": most, "headroom_cases": headroom}
    else:
        worst = _worst_case(measure, tallies, value, line)
        held |= {"absorbs_fewest": worst, "of": metric.n, "headroom_cases": worst if room >= 0 else None}
    return known.model_copy(update=held)


def _worst_case(measure: Measure, tallies: Tallies, value: float, line: Line) -> int | None:
    """How many rows of values can fall to their worst value wherever they do; of any numbers none, for they have none.

    None where there are no such rows, or where they do not add up to the value.
    """
    if any(ratio.values == "reals" for ratio in measure.ratios):
        return 0
    totals = [sum(counts.get(ratio.denominator, 0) for counts in tallies) for ratio in measure.ratios]
    defined = sum(total > 0 for total in totals)
    losses = list[float]()
    for ratio, total in zip(measure.ratios, totals, strict=True):
        for counts in tallies if total else ():
            n, found = counts.get(ratio.denominator, 0), counts.get(ratio.numerator, 0)
            losses += [loss / (defined * total) for loss in _spread(found if measure.direction == "higher" else n - found)]
    good = value if measure.direction == "higher" else 1 - value
    adds_up = defined > 0 and abs(fsum(losses) - good) <= ADDS_UP
    return absorbed_values(losses, value, measure.direction, line.is_kept) if adds_up else None


def _spread(good: float) -> Iterable[float]:
    """A case's sum as rows in [0, 1], as few as can be: what they take with them is then the most."""
    return [*[1.0] * int(good), good % 1]


def _live(rows: Rows, level: float) -> LivePower:
    fewest, share = rejects_from(level), share_right(rows.parts)
    seen = [None if fewest is None else chance_seen(rows.profile, fewest, power) for power in (SEEN, 0.95)]
    at80, at95 = (None if q is None else round(100 * q * share, 6) for q in seen)
    alarm = 0.0 if fewest is None else false_alarm(rows.cases, level)
    return LivePower(at80_pp=at80, at95_pp=at95, false_alarm=alarm, level=level, model=LOSSES_ONLY)


def _detects(name: str, rows: Rows, must_pp: float, level: float) -> Check:
    """Whether enough cases carry the metric for a live run to notice what it must, 8 times in 10."""
    fewest, share = rejects_from(level), share_right(rows.parts)
    if not share:
        return _could_not(name, f"no row of {name} is right, so none can turn wrong; the suite must notice {must_pp:g} pp")
    q = min(1.0, must_pp / (100 * share))
    if fewest is not None and tail(rows.profile, fewest, q) >= SEEN:
        return _kept(name, f"{name} rests on {rows.cases} cases, enough to notice {must_pp:g} pp 8 times in 10 ({LOSSES_ONLY})")
    needed = None if fewest is None else cases_needed(rows.profile, rows.cases, fewest, q, SEEN)
    would = f"no number of cases under {MOST_CASES} would do" if needed is None else f"{needed} such cases would do"
    told = f"{name} rests on {rows.cases} cases, too few to notice {must_pp:g} pp 8 times in 10"
    return _could_not(name, f"{told}; {would} ({LOSSES_ONLY})")


def _notices(name: str, rows: Rows | str, line: Line, must: int) -> Check:
    """Whether the gate fires when so many rows of the baseline turn wrong, wherever they fall."""
    if isinstance(rows, str):
        return _could_not(name, f"{name} cannot be held to must_notice_cases {must}: {rows}")
    right, of = sum(part.right for part in rows.parts), sum(part.n for part in rows.parts)
    most = absorbed(rows.parts, line.direction, line.is_kept, hurts_most=False)
    if most == right:
        told = f"all {right} right rows of the {of} of {name} can turn wrong and the gate keeps silent"
        return _could_not(name, f"{told}; the suite must notice {must}")
    if most < must:
        told = f"any {most + 1} of the {of} rows of {name} that turn wrong fire the gate"
        return _kept(name, f"{told}; the suite must notice {must}")
    value = value_of(rows.parts, line.direction)
    lost = drop_pp(value_of(turned(rows.parts, must, hurts_most=False), line.direction), value, line.direction)
    tolerance = lost.quantize(Decimal("0.0001"), rounding=ROUND_DOWN)
    enough = rows_that_do(must, line.headroom(value), len(rows.parts))
    each = f" in each of the {len(rows.parts)} classes" if len(rows.parts) > 1 else ""
    told = f"{most} of the {of} rows of {name} can turn wrong and the gate keeps silent; the suite must notice {must}"
    would = f"At most {enough} rows{each}" if enough else "No number of rows"
    return _could_not(name, f"{told}. {would} would do, or a tolerance under {tolerance.normalize():f} pp")


def _could_not(name: str, told: str) -> Check:
    return Check(name=f"power.{name}", status="could-not-run", message=told)


def _kept(name: str, told: str) -> Check:
    return Check(name=f"power.{name}", status="kept", message=told)
