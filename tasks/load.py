"""load: gold files to cases, or to a stratified sample of them."""

from __future__ import annotations

from assay.errors import InputError, Problem
from assay.model.ports import cases_part
from assay.sampling import sampled
from assay.stores.artifacts import Body
from tasks._stage import Inputs, Params, Stage


def run(kind: str, inputs: Inputs, params: Params) -> Body:
    """Inputs: the gold files. Params: `files` (role to input name), `sample` (size or None), `seed`. Body: one row per case."""
    cases = cases_part(kind).load({role: (name, inputs[name]) for role, name in params["files"].items()})
    if not cases:
        names = ", ".join(params["files"].values())
        raise InputError(Problem(names, "holds no case", expected="at least one case"))
    if params["sample"] is not None:
        cases = sampled(cases, params["sample"], params["seed"])
    return Body("jsonl", [case.model_dump(mode="json") for case in cases], len(cases))


LOAD = Stage("load", run, part="cases")
