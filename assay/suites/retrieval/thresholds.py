"""calibrate: the sweep over cutoffs that shows where floors may lie, and that they lie there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue, TypeAdapter

from assay.errors import Problem, Refused
from assay.metrics.ratios import measured, summed
from assay.model.baseline import Calibration
from assay.model.exchange import Outcome
from assay.model.ports import Setting
from assay.suites.retrieval.calibration import documents_of, inputs_of
from assay.suites.retrieval.luck import luck_of
from assay.suites.retrieval.options import options_of
from assay.suites.retrieval.scoring import measures, scorer

CUTOFFS = (1, 3, 5, 10, 20)
DIGITS = 4


def calibrate(setting: Setting) -> bytes:
    """The calibration file. Raises Refused where a floor lies under what luck reaches or over what a subject measured."""
    documents, top_k = len(documents_of(setting)), options_of(setting.options).top_k
    cutoffs = sorted({*(k for k in CUTOFFS if k < documents), top_k, documents})
    sweep = tuple(_row(k, setting, documents) for k in cutoffs)
    wrong = list(_unjustified(setting, documents))
    if wrong:
        raise Refused(wrong)
    constants = ", ".join(f"{name} {value:g}" for name, value in setting.constants.items()) or "none"
    found = Calibration(
        calibrated_at=inputs_of(setting),
        constants=dict(setting.constants),
        measured={},
        chance={},
        sweep=sweep,
        summary=f"Constants ({constants}) measured at top_k {top_k}, {documents} documents, {len(setting.cases)} queries.",
    )
    return TypeAdapter(Calibration).dump_json(found, indent=1) + b"\n"


def _row(k: int, setting: Setting, documents: int) -> dict[str, JsonValue]:
    """Recall and precision of every provider at one cutoff, beside luck."""
    luck = luck_of(f"recall@{k}", setting.cases, documents)
    found = {name: _values(answers, setting, k) for name, answers in setting.answers.items()}
    told = ", ".join(f"recall of {name} {values[f'recall@{k}']}" for name, values in found.items() if name in setting.subjects)
    return {
        "k": k,
        "recall": {name: values[f"recall@{k}"] for name, values in found.items()},
        "precision": {name: values[f"precision@{k}"] for name, values in found.items()},
        "recall_by_luck": None
        if luck is None
        else {"mean": round(luck.mean, DIGITS), "quantile_999": round(luck.quantile, DIGITS)},
        "told": told + (f", by luck {luck.mean:.{DIGITS}f}" if luck else ""),
    }


def _values(answers: Mapping[str, Sequence[Outcome]], setting: Setting, k: int) -> dict[str, float | None]:
    measured_too = [*options_of(setting.options).measures, "recall@k", "precision@k"]
    names: list[JsonValue] = list(dict.fromkeys(measured_too))
    options: dict[str, JsonValue] = {**setting.options, "top_k": k, "measures": names}
    score = scorer({}, options)
    totals = summed(score(case, answers.get(case.id, ())).counts for case in setting.cases)
    found = measured(totals, measures(options))
    return {name: None if metric.value is None else round(metric.value, DIGITS) for name, metric in found.items()}


def _unjustified(setting: Setting, documents: int) -> list[Problem]:
    """Floors that luck reaches, or that no subject reached."""
    wrong = []
    top_k = options_of(setting.options).top_k
    for name, floor in setting.constants.items():
        place, _, metric = name.partition(" ")
        if place != "floor":
            continue
        luck = luck_of(metric, setting.cases, documents)
        if luck and luck.quantile >= floor:
            wrong.append(Problem(name, "cannot be missed", floor, f"more than {luck.quantile:.4f}, which luck reaches"))
        for subject, answers in setting.answers.items():
            value = _values(answers, setting, top_k).get(metric) if subject in setting.subjects else None
            declared = setting.subjects.get(subject)
            gated = declared is not None and declared.enforcement == "ci" and declared.claims is None
            if gated and value is not None and value < floor:
                wrong.append(Problem(name, f"lies over what {subject} measured", floor, f"at most {value}"))
    return wrong
