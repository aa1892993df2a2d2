"""Every way to make passing easier that two revisions of a suite can show, with what is to be found."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.exchange import ORACLE, Contract
from assay.model.verdict import CaseOutcome
from assay.tampering import Side
from tests.builders import calibration, chance, metric
from tests.unit.sides import (
    CHECK,
    DECLARED,
    LIVE,
    A,
    B,
    C,
    Edit,
    baseline,
    check,
    declared,
    gold,
    manifest,
    objective,
    option,
    part,
    side,
    vectors,
    whole,
)


@dataclass(frozen=True)
class Way:
    """One way to make passing easier: the edit, and what is found."""

    name: str
    place: str
    what: str
    edit: Edit
    before: Edit = lambda found: found
    """What the earlier side has to be for it."""
    is_one_way: bool = True
    """Whether the opposite edit makes passing harder, and is no finding."""

    @property
    def pair(self) -> tuple[Side, Side]:
        before = self.before(side())
        return before, self.edit(before)


CONTROL = DECLARED["providers"]["good"]
WAYS = (
    Way("removed case", "desk/c2", "case c2 is gone: 3 cases -> 2", part("cases", c2=None)),
    Way(
        "edited case",
        "desk/c2",
        'expectation of case c2 changed: expected.say "!" -> "?"',
        part("cases", c2=gold("c2", wanted="?")),
        is_one_way=False,
    ),
    Way(
        "edited case",
        "desk/c1",
        'input of case c1 changed: input.ask "?" -> "Easy?"',
        part("cases", c1=gold("c1", given="Easy?")),
        is_one_way=False,
    ),
    Way(
        "left-out case",
        "desk/c3",
        "case c3 counts in no mean any more: counted -> a known failure",
        whole(baseline=baseline(c3=CaseOutcome(passed=False, score=0, left_out="a known failure"))),
    ),
    Way(
        "edited answer",
        "desk/c1",
        f"the recorded answer to c1, which no model is on record for: {A[:12]} -> {B[:12]}",
        part("files", answers={"c1": B, "c2": A, "c3": A}),
        is_one_way=False,
    ),
    Way("lowered floor", "desk/recall", "floor of recall: 0.5 -> 0.4", declared("gate", "floors", "recall", to=0.4)),
    Way("lowered floor", "desk/recall", "floor of recall: 0.5 -> none", declared("gate", "floors", "recall", to=None)),
    Way("raised ceiling", "desk/errors", "ceiling of errors: 0.1 -> 0.2", declared("gate", "ceilings", "errors", to=0.2)),
    Way("raised ceiling", "desk/errors", "ceiling of errors: 0.1 -> none", declared("gate", "ceilings", to={})),
    Way(
        "lowered control-floor",
        "desk/good",
        "floor of recall for good: 0.3 -> 0.1",
        declared("providers", "good", "control", "floor", to=0.1),
    ),
    Way(
        "raised max_drop_pp",
        "desk",
        "the largest drop that is kept: 3.0 -> 4.5 pp",
        declared("gate", "max_drop_pp", to=4.5),
    ),
    Way(
        "raised must_notice_cases",
        "desk",
        "the rows whose loss a replay must notice: 2 -> 3",
        declared("gate", "must_notice_cases", to=3),
        before=declared("gate", "must_notice_cases", to=2),
    ),
    Way(
        "raised must_notice_cases",
        "desk",
        "the rows whose loss a replay must notice: 2 -> none",
        declared("gate", "must_notice_cases", to=None),
        before=declared("gate", "must_notice_cases", to=2),
    ),
    Way(
        "raised must_detect_pp",
        "desk",
        "the drop that a live run must notice: 20.0 -> 30.0 pp",
        declared("gate", "must_detect_pp", to=30),
    ),
    Way(
        "raised must_detect_pp",
        "desk",
        "the drop that a live run must notice: none -> 20.0 pp",
        declared("gate", "must_detect_pp", to=20),
        before=declared("gate", "must_detect_pp", to=None),
    ),
    Way(
        "lowered false_alarm",
        "desk",
        "how often a live run may call a model worse that is not: 0.05 -> 0.01",
        declared("gate", "false_alarm", to=0.01),
    ),
    Way("eased no_verdict", "desk", "NO VERDICT in pytest: fail -> skip", declared("pytest", to={"no_verdict": "skip"})),
    Way(
        "raised stale_after_days",
        "desk",
        "days after which a recording is stale: 90 -> 9999",
        declared("stale_after_days", to=9999),
    ),
    Way(
        "declared survivor",
        "desk/sha256:fb610e663b60",
        "sabotage by 'constant scores' need no longer be noticed",
        declared("sabotage", to={"survivors": {"constant scores": "why"}}),
    ),
    Way(
        "eased audit",
        "desk/near_duplicate_limit",
        "option audit.near_duplicate_limit: 0.8 -> 0.9",
        option("audit", "near_duplicate_limit", to=0.9),
    ),
    Way("eased audit", "desk/documents", "option audit.documents: 34 -> none", option("audit", "documents", to=None)),
    Way("eased audit", "desk/grades.live", "option audit.grades.live: 14 -> 13", option("audit", "grades", "live", to=13)),
    Way(
        "ungated metric",
        "desk/errors",
        "errors is no longer gated: 2 gated metrics -> 1",
        declared("gate", "metrics", to=["recall"]),
    ),
    Way(
        "ungated provider",
        "desk/coded",
        "coded: gated subject -> gone",
        declared("providers", "coded", to=None),
    ),
    Way(
        "ungated provider",
        "desk/coded",
        "coded: gated subject -> trivial_strategy",
        declared("providers", "coded", to={**CONTROL, "role": "trivial_strategy", "control": {"metric": "recall"}}),
        is_one_way=False,  # the other way round a control is lost
    ),
    Way(
        "manual enforcement",
        "desk/recorded",
        "enforcement of recorded: ci -> manual",
        declared("providers", "recorded", "enforcement", to="manual"),
    ),
    Way(
        "claims none",
        "desk/recorded",
        "claims of recorded: none declared -> `none`, so that floors and trivial strategies hold no longer for it",
        declared("providers", "recorded", "claims", to="none"),
    ),
    Way("disabled control", "desk/good", "good: positive_control -> gone", declared("providers", "good", to=None)),
    Way(
        "disabled control",
        "desk/good",
        "good: positive_control -> subject",
        declared("providers", "good", to={"enforcement": "manual", "model": "words"}),
        before=declared("providers", "good", "enforcement", to="manual"),
    ),
    Way(
        "changed control",
        "desk/good",
        'good: metric "recall" -> "errors"',
        declared("providers", "good", "control", "metric", to="errors"),
        is_one_way=False,
    ),
    Way(
        "changed control",
        "desk/same",
        'same: target "desk.app:same" -> "desk.app:dead"; of "recorded" -> "coded"',
        lambda found: declared("providers", "same", "of", to="coded")(
            declared("providers", "same", "target", to="desk.app:dead")(found)
        ),
        is_one_way=False,
    ),
    Way(
        "changed control",
        "desk/good",
        "good: code of desk.app:good",
        part("control_code", good={"desk.app:good": B, "desk.words:fold": A}),
        is_one_way=False,
    ),
    Way(
        "disabled evaluator",
        "desk/near",
        "the check near: levenshtein -> gone",
        option("checks", to=[{**CHECK, "name": "exact", "evaluator": "", "config": {}}]),
    ),
    Way("disabled evaluator", "desk/near", "the check near: decides -> advisory", check(advisory=True)),
    Way(
        "changed evaluator",
        "desk/near",
        'the check near: evaluator "levenshtein" -> "near"; config.normaliser "nfkc" -> "loose"',
        check(evaluator="", config={**CHECK["config"], "normaliser": "loose"}),
        is_one_way=False,
    ),
    Way(
        "changed evaluator",
        "desk/near",
        'the check near: objective "maximize, score >= 0.8" -> none',
        check(config={"normaliser": "nfkc"}),
        is_one_way=False,
    ),
    Way(
        "flipped objective",
        "desk/near",
        "the objective of near: maximize, score >= 0.8 -> minimize, score <= 0.8",
        objective(direction="minimize", threshold=0.8),
        is_one_way=False,
    ),
    Way(
        "flipped objective",
        "desk/near",
        "the objective of near: maximize, score >= 0.8 -> expect False",
        objective(expect=False),
        is_one_way=False,
    ),
    Way(
        "eased objective",
        "desk/near",
        "the objective of near: maximize, score >= 0.8 -> maximize, score >= 0.5",
        objective(threshold=0.5),
    ),
    Way(
        "eased objective",
        "desk/near",
        "the objective of near: minimize, score <= 0.2 -> minimize, score <= 0.4",
        objective(direction="minimize", threshold=0.4),
        before=objective(direction="minimize", threshold=0.2),
    ),
    Way("changed option", "desk/top_k", "option top_k: 5 -> 20", option("top_k", to=20), is_one_way=False),
    Way(
        "changed option",
        "desk/planted.blank",
        'option planted.blank: "near" -> "exact"',
        option("planted", "blank", to="exact"),
        is_one_way=False,
    ),
    Way(
        "changed scorer",
        "desk/desk.words",
        f"scoring rests on desk.words: fold {A[:12]} -> {B[:12]}, split {A[:12]} -> gone",
        part("scoring_code", **{"desk.words__fold": B, "desk.words__split": None}),
        is_one_way=False,
    ),
    Way(
        "changed constant",
        "desk/threshold",
        "the calibrated threshold: 0.5 -> 0.4",
        whole(calibration=calibration(calibrated_at={"pairs": 10}, constants={"threshold": 0.4})),
        is_one_way=False,
    ),
    Way(
        "edited calibration",
        "desk",
        "the calibration says something else at the same inputs: held_out 0.96 -> 0.99; quantile of recall 0.2 -> 0.9",
        whole(
            calibration=calibration(
                calibrated_at={"pairs": 9},
                measured={"held_out": metric(0.99)},
                chance={"recall": chance(quantile=0.9)},
            )
        ),
        is_one_way=False,
    ),
    Way(
        "changed gate",
        "desk/assay.gate",
        f"the verdict rests on assay.gate {A[:12]} -> {B[:12]}",
        part("gate_code", **{"assay.gate": B}),
        is_one_way=False,
    ),
    Way(
        "changed file",
        "desk/policies",
        "the file policies: 2 parts -> 2; 1 gone (rules/age); 1 changed (rules/sum); 1 new (rules/none)",
        part("files", policies={"rules/sum": B, "rules/none": C}),
        is_one_way=False,
    ),
    Way(
        "re-authored recording",
        "desk/recorded",
        f"what stands behind recorded's answers: {LIVE} -> {ORACLE}",
        part("manifests", recorded=manifest(ORACLE, B, at="2026-11-02T00:00:00+00:00")),
    ),
    Way(
        "re-authored recording",
        "desk/coded",
        "what stands behind coded's answers: computed_in_process -> recorded_elsewhere",
        declared("providers", "coded", "recorded_as", to="file"),
    ),
    Way(
        "re-authored recording",
        "desk/coded",
        "what stands behind coded's answers: live_coded_recorded -> computed_in_process",
        declared("providers", "coded", "recorded_as", to=None),
        before=lambda found: part("manifests", coded=vectors())(
            declared("providers", "coded", "recorded_as", to="arrow")(found)
        ),
    ),
    Way(
        "edited recording",
        "desk/recorded",
        "the recording of recorded was edited by hand: other content, recorded at the same moment (2026-11-01T00:00:00+00:00)",
        part("manifests", recorded=manifest(body=B)),
        is_one_way=False,
    ),
    Way(
        "edited recording",
        "desk/recorded",
        "the recording of recorded was edited by hand: "
        f'the same content under contract ["{A[:12]}","{A[:12]}"] -> ["{B[:12]}","{A[:12]}"]',
        part(
            "manifests",
            recorded=manifest(
                at="2026-11-02T00:00:00+00:00",
                contract=Contract(prompt_sha256=B, schema_sha256=A, prompt="", response_schema=""),
            ),
        ),
        is_one_way=False,
    ),
    Way(
        "renamed model",
        "desk/recorded",
        'model of recorded, nothing recorded anew: "m-1" -> "m-9"',
        declared("providers", "recorded", "model", to="m-9"),
        is_one_way=False,
    ),
    Way(
        "swapped target",
        "desk/coded",
        'what answers for coded: target "desk.app:subject" -> "desk.app:oracle"',
        declared("providers", "coded", "target", to="desk.app:oracle"),
        is_one_way=False,
    ),
    Way("removed contract", "desk", "contract: prompt prompt.md -> none", declared("contract", to=None)),
    Way("flipped synthetic", "desk", "synthetic: true -> false", declared("synthetic", to=False), is_one_way=False),
    Way("replaced version", "desk", "version of the gold set: v1 -> v2", declared("version", to="v2"), is_one_way=False),
    Way("changed kind", "desk", "kind: checks -> facets", declared("kind", to="facets"), is_one_way=False),
)
"""Each caught by one finding; together they are all that `findings` can find."""
