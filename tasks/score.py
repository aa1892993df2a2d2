"""score: one row per case, and the metrics summed from them."""

from __future__ import annotations

from pydantic import TypeAdapter

from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.model.ports import scoring_part
from assay.scoring import metrics_of, score_cases
from assay.stores.artifacts import Body
from assay.stores.scores import score_table
from tasks._stage import Inputs, Params, Stage


def run(kind: str, inputs: Inputs, params: Params) -> Body:
    """Inputs: cases, replies, and the kind's own files. Params: `files` (role to input name). Body: an Arrow table."""
    part = scoring_part(kind)
    score_case = part.scorer({role: (name, inputs[name]) for role, name in params["files"].items()})
    cases = map(GoldCase.model_validate, inputs["cases"])
    outcome: TypeAdapter[Outcome] = TypeAdapter(Outcome)
    replies = {case: tuple(map(outcome.validate_python, found)) for case, found in inputs["replies"]["replies"].items()}
    rows = score_cases(cases, replies, score_case)
    return Body("arrow", score_table(rows, metrics_of(rows, part.metrics)), len(rows))


SCORE = Stage("score", run, part="scoring")
