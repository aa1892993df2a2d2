"""score: one row per case, the metrics summed from them, and the metrics themselves on trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import TypeAdapter

from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.model.ports import scoring_part, selftest_part
from assay.model.selftest import SelfCheck
from assay.model.verdict import Check
from assay.sabotage.parts import Metrics, Scorer
from assay.scoring import metrics_of, score_cases
from assay.stores.artifacts import Body
from assay.stores.scores import Scored, score_table
from tasks._stage import Inputs, Params, Stage

OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Outcome)
SHOWN = 5


def run(kind: str, inputs: Inputs, params: Params, *, scorer: Scorer | None = None, metrics: Metrics = metrics_of) -> Body:
    """Inputs: cases, replies, and the kind's own files. Params: `files` (role to input name), options, providers.

    Body: an Arrow table with a row per provider and case. `scorer` and `metrics` take the place of the kind's own.
    """
    part = scoring_part(kind)
    score_case = (scorer or part.scorer)(
        {role: (name, inputs[name]) for role, name in params["files"].items()}, params["options"]
    )
    measures = part.measures(params["options"])
    cases = list(map(GoldCase.model_validate, inputs["cases"]))
    found = {}
    for name in params["providers"]:
        answered = inputs["replies"]["providers"][name]["replies"]
        replies = {case: tuple(map(OUTCOME.validate_python, outcomes)) for case, outcomes in answered.items()}
        rows = score_cases(cases, replies, score_case)
        found[name] = Scored(rows, metrics(rows, measures))
    return Body("arrow", score_table(found), len(cases) * len(found))


def run_selftest(
    kind: str, inputs: Inputs, params: Params, *, selftest: Callable[[], Sequence[SelfCheck]] | None = None
) -> Body:
    """No inputs, no params: the metrics against what was worked out on paper. Body: one check."""
    found = (selftest or selftest_part(kind).selftest)()
    wrong = [check for check in found if not check.holds]
    if wrong:
        told = "; ".join(f"{check.name}: expected {check.expected}, got {check.got}" for check in wrong[:SHOWN])
        more = f"; and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
        message = f"{len(wrong)} of {len(found)} metric checks are wrong, so no number is believed. {told}{more}"
        check = Check(name="self_test", status="broken", message=message)
    elif found:
        check = Check(name="self_test", status="kept", message=f"{len(found)} of {len(found)} worked out on paper agree")
    else:
        check = Check(name="self_test", status="could-not-run", message="the kind puts no metric on trial")
    return Body("json", [check.model_dump(mode="json")], len(found))


SCORE = Stage("score", run, part="scoring")
SELFTEST = Stage("score", run_selftest, part="selftest")
