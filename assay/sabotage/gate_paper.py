"""gate: the gate on trial. Every verdict below was worked out by hand from the rule, on records made by hand.

One provider `p`, one gated metric `m` over 100 rows, three cases; a drop of at most 3 percentage points is allowed.
Nothing here calls the gate but to be given its answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import UserError
from assay.model.baseline import Baseline, Block, Chance, Source
from assay.model.report import Evidence, FailedCase, Judgement, Recording, RunFacts
from assay.model.score import Measure
from assay.model.selftest import SelfCheck
from assay.model.suite import Control, GateRule
from assay.model.verdict import CaseOutcome, Check, Metric
from assay.sabotage.parts import Judge

GATE_SELF_TEST = "gate_self_test"
PASS, FAIL, NO_VERDICT, REFUSED = 0.0, 1.0, 3.0, 2.0
VERDICTS = {"PASS": PASS, "FAIL": FAIL, "NO VERDICT": NO_VERDICT}
CASES = ("c1", "c2", "c3")
HEX = "0" * 64
RECORDING = Recording(
    cassette_kind="oracle_aligned_expected_json",
    cassette_sha256=HEX,
    model_asked="m",
    model_served=None,
    recorded_at="2026-11-30T12:00:00+00:00",
    gold_sha256=HEX,
    prompt_sha256=HEX,
    schema_sha256=HEX,
)
RULE = GateRule(metrics=("m",), max_drop_pp=3.0)
SUITE = Check(name="self_test", status="kept", message="")
NOTHING: Mapping[str, Evidence] = {}


def _metric(value: float | None, n: int = 100) -> Metric:
    if value is None:
        return Metric(value=None, n=0, numerator=None, denominator=None, low=None, high=None, reason="no rows")
    return Metric(value=value, n=n, numerator=value * n, denominator=n, low=0.0, high=1.0)


def _found(value: float | None = 0.9, n: int = 100, **changes: Any) -> Evidence:  # noqa: ANN401  # fields of Evidence
    fields: dict[str, Any] = {
        "role": "subject",
        "enforcement": "ci",
        "model": "m",
        "cassette_kind": RECORDING.cassette_kind,
        "recording": RECORDING,
        "proof": (),
        "metrics": {"m": _metric(value, n)},
        "cases": dict.fromkeys(CASES, CaseOutcome(passed=True, score=1.0)),
        "failed": {},
    }
    return Evidence(**{**fields, **changes})


def _control(role: str, value: float, floor: float | None = None) -> Evidence:
    return _found(value, role=role, control=Control(metric="m", floor=floor))


def _facts(direction: str = "higher", **changes: Any) -> RunFacts:  # noqa: ANN401  # fields of RunFacts
    fields: dict[str, Any] = {
        "suite": "paper",
        "version": "v1",
        "kind": "checks",
        "title": "On paper",
        "synthetic": True,
        "mode": "replay",
        "cases": len(CASES),
        "sample": None,
        "overrides": (),
        "rule": RULE,
        "measures": {"m": Measure.model_validate({"direction": direction})},
        "calibration": None,
        "text_normaliser": None,
    }
    return RunFacts(**{**fields, **changes})


def _before(value: float | None = 0.9, n: int = 100, **changes: Any) -> Baseline:  # noqa: ANN401  # fields of Baseline
    source = Source(run="r", **RECORDING.model_dump(exclude={"model_asked", "model_served"}))
    block = Block(
        enforcement="ci",
        last_refreshed="2026-11-30",
        reason="paper",
        source=source,
        metrics={"m": _metric(value, n)},
        cases=dict.fromkeys(CASES, CaseOutcome(passed=True, score=1.0)),
    )
    fields: dict[str, Any] = {"format": 1, "suite": "paper", "gold_version": "v1", "calibration": None}
    return Baseline(**{**fields, "providers": {"p": block}, **changes})


def _before_cases(cases: Mapping[str, CaseOutcome]) -> Baseline:
    block = BEFORE.providers["p"]
    return BEFORE.model_copy(update={"providers": {"p": block.model_copy(update={"cases": dict(cases)}) if block else None}})


def gate_checks(judge: Judge) -> list[SelfCheck]:
    """What the given gate says of each record, beside what it must say."""
    gated = {"p": "ci"}

    def said(
        evidence: Evidence | Mapping[str, Evidence],
        baseline: Baseline | None = BEFORE,
        facts: RunFacts = FACTS,
        *suite: Check,
        declared: Mapping[str, str] = gated,
    ) -> float:
        given = {"p": evidence} if isinstance(evidence, Evidence) else evidence
        try:
            judgement: Judgement = judge(given, baseline, facts, suite or (SUITE,), declared=declared)
        except UserError:
            return REFUSED
        return VERDICTS[judgement.verdict]

    return [
        SelfCheck(name, wanted, said(*given[0], **given[1]))
        for name, wanted, given in (*_drops(), *_gaps(), *_bounds(), *_sets())
    ]


Row = tuple[str, float, tuple[tuple[Any, ...], dict[str, Any]]]
"""What it is about, the verdict, and what the gate is given."""


def _row(name: str, wanted: float, *given: Any, **named: Any) -> Row:  # noqa: ANN401  # what a gate takes
    return name, wanted, (given, named)


FACTS = _facts()
BEFORE = _before()
SAME = _found()
LOST = {"c2": FailedCase(status="missing", reason="no reply", detail={})}
SILENT = dict.fromkeys(CASES, FailedCase(status="unanswered", reason="no answer", detail={}))
FLOOR = RULE.model_copy(update={"floors": {"m": 0.85}})
CEILING = RULE.model_copy(update={"ceilings": {"m": 0.85}})
CHANCE = {"x": Chance(mean=0.1, quantile=0.2, how="on paper")}


def _drops() -> list[Row]:
    """(0.90 - 0.86) x 100 = 4 pp, more than 3; (0.90 - 0.87) x 100 = 3 pp, not more; 0.10 to 0.075 is 2.5 pp, a quarter."""
    lower = _facts("lower")
    return [
        _row("the same numbers pass", PASS, SAME),
        _row("4 pp worse fails", FAIL, _found(0.86)),
        _row("3 pp worse is still allowed", PASS, _found(0.87)),
        _row("3.1 pp worse fails", FAIL, _found(0.869)),
        _row("4 pp better passes", PASS, _found(0.9), _before(0.86)),
        _row("of an error rate, 4 pp more fails", FAIL, _found(0.14), _before(0.10), lower),
        _row("of an error rate, 4 pp less passes", PASS, _found(0.10), _before(0.14), lower),
        _row("2.5 pp of 10 % is 2.5 pp and no quarter", PASS, _found(0.075), _before(0.10)),
        _row("half the rows are another measure", NO_VERDICT, _found(0.9, 50)),
    ]


def _gaps() -> list[Row]:
    """What is empty, missing, unmatched or undefined is never a pass."""
    other = RECORDING.model_copy(update={"gold_sha256": "1" * 64})
    edited = RECORDING.model_copy(update={"cassette_sha256": "1" * 64})
    fewer = {name: SAME.cases[name] for name in CASES[:2]}
    return [
        _row("an undefined metric has no verdict", NO_VERDICT, _found(None)),
        _row("an undefined metric beside one row has no verdict", NO_VERDICT, _found(None), _before(0.9, 1)),
        _row("a metric that is not measured fails", FAIL, _found(metrics={"other": _metric(0.9)})),
        _row("a provider without numbers has no verdict", NO_VERDICT, _found(metrics={}, cases={})),
        _row("a baseline without a value has no verdict", NO_VERDICT, SAME, _before(None)),
        _row("no baseline has no verdict", NO_VERDICT, SAME, None),
        _row("a recording of another gold set has no verdict", NO_VERDICT, _found(recording=other)),
        _row("another recording has no verdict", NO_VERDICT, _found(recording=edited)),
        _row("a case without a result fails", FAIL, _found(failed=LOST)),
        _row("a case that is not there fails", FAIL, _found(cases=fewer)),
        _row("a case that is nowhere fails", FAIL, _found(cases=fewer), _before_cases(fewer)),
        _row("a case of the baseline that is gone fails", FAIL, _found(cases=fewer), BEFORE, _facts(cases=2)),
        _row("not one answer fails", FAIL, _found(failed=SILENT)),
        _row("a baseline of another version is refused", REFUSED, SAME, _before(gold_version="v2")),
        _row("a sample has no verdict", NO_VERDICT, SAME, BEFORE, _facts(sample=2)),
        _row("an override has no verdict", NO_VERDICT, SAME, BEFORE, _facts(overrides=("--set x=1",))),
        _row("a broken proof fails", FAIL, _found(proof=(Check(name="recording", status="broken", message=""),))),
    ]


def _bounds() -> list[Row]:
    """0.84 is under 0.85, 0.86 over it, 0.85 neither; controls come out as they must or nobody passes."""
    low, high = _before(0.84), _before(0.86)
    at_floor, at_ceiling = _facts(rule=FLOOR), _facts(rule=CEILING)
    chance = _facts(chance=CHANCE)
    return [
        _row("under the floor fails", FAIL, _found(0.84), low, at_floor),
        _row("at the floor passes", PASS, _found(0.85), low, at_floor),
        _row("over the ceiling fails", FAIL, _found(0.86), high, at_ceiling),
        _row("at the ceiling passes", PASS, _found(0.85), high, at_ceiling),
        _row("a dead positive control fails", FAIL, {"p": SAME, "x": _control("positive_control", 0.1, 0.5)}),
        _row("a live positive control passes", PASS, {"p": SAME, "x": _control("positive_control", 0.5, 0.5)}),
        _row("a lucky negative control fails", FAIL, {"p": SAME, "x": _control("negative_control", 0.3)}, BEFORE, chance),
        _row("a poor negative control passes", PASS, {"p": SAME, "x": _control("negative_control", 0.2)}, BEFORE, chance),
        _row("a trivial strategy at the subject's side fails", FAIL, {"p": SAME, "x": _control("trivial_strategy", 0.88)}),
        _row("a trivial strategy far behind passes", PASS, {"p": SAME, "x": _control("trivial_strategy", 0.2)}),
        _row("luck that is not known has no verdict", NO_VERDICT, {"p": SAME, "x": _control("negative_control", 0.2)}),
    ]


def _sets() -> list[Row]:
    """Who is part of the run, and who decides."""
    manual = _found(0.5, enforcement="manual")
    broken, unknown = (Check(name="calibration", status=status, message="") for status in ("broken", "could-not-run"))
    both = {"p": "ci", "q": "manual"}
    of_two = _before(providers={**BEFORE.providers, "q": None})
    return [
        _row("nobody at all fails", FAIL, NOTHING),
        _row("a suite without a gated provider fails", FAIL, {"p": manual}, BEFORE, FACTS, declared={"p": "manual"}),
        _row("a gated provider that the baseline lacks fails", FAIL, SAME, _before(providers={"q": None}), declared=both),
        _row("a baseline of strangers fails", FAIL, SAME, _before(providers={**BEFORE.providers, "s": None})),
        _row("gated by the baseline, manual in the suite fails", FAIL, {"p": manual}, declared={"p": "manual", "q": "ci"}),
        _row("a manual provider decides nothing", PASS, {"p": SAME, "q": manual}, of_two, declared=both),
        _row("a broken suite check fails", FAIL, SAME, BEFORE, FACTS, broken),
        _row("a suite check that could not run has no verdict", NO_VERDICT, SAME, BEFORE, FACTS, unknown),
    ]
