"""calibrate: chance as it is drawn from the answers of the gated subject, and whether each bound can be missed and met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import TypeAdapter

from assay.errors import Problem, Refused
from assay.metrics.ratios import measured, summed
from assay.model.baseline import Calibration, Chance
from assay.model.exchange import Outcome
from assay.model.ports import Setting
from assay.model.verdict import Metric
from assay.suites.facets.calibration import inputs_of
from assay.suites.facets.chance import chance_of
from assay.suites.facets.scoring import measures, score_case

DIGITS = 4


def calibrate(setting: Setting) -> bytes:
    """The calibration file. Raises Refused where a bound lies within luck's reach or beyond what the subject measured."""
    gated = [name for name, provider in setting.subjects.items() if provider.enforcement == "ci" and name in setting.answers]
    if not gated:
        raise Refused(
            Problem("calibration", "no gated subject has answers to shuffle", expected="a subject with enforcement ci")
        )
    subject = gated[0]
    values = {name: _values(setting, answers) for name, answers in setting.answers.items()}
    luck = chance_of(setting.cases, setting.answers[subject])
    near = chance_of(setting.cases, setting.answers[subject], within="scenario")
    wrong = list(_unjustified(setting, {name: values[name] for name in gated}, luck))
    if wrong:
        raise Refused(wrong)
    found = Calibration(
        calibrated_at=inputs_of(setting),
        constants=dict(setting.constants),
        measured={name: values[subject][name] for name in luck},
        chance=luck,
        sweep=(
            *({"provider": name, **_shown(found)} for name, found in values.items()),
            {"provider": f"{subject}, shuffled within scenarios", **{n: round(c.mean, DIGITS) for n, c in near.items()}},
        ),
        summary=_summary(setting, subject, luck["facet_recall"], near["facet_recall"]),
    )
    return TypeAdapter(Calibration).dump_json(found, indent=1) + b"\n"


def _summary(setting: Setting, subject: str, luck: Chance, near: Chance) -> str:
    constants = ", ".join(f"{name} {value:g}" for name, value in setting.constants.items()) or "none"
    return (
        f"Bounds ({constants}) measured on {len(setting.cases)} tasks. Answers of {subject} given to any other task find "
        f"{luck.mean:.{DIGITS}f} of the facets, to another task of the same scenario {near.mean:.{DIGITS}f}."
    )


def _values(setting: Setting, answers: Mapping[str, Sequence[Outcome]]) -> dict[str, Metric]:
    totals = summed(score_case(case, answers.get(case.id, ())).counts for case in setting.cases)
    return measured(totals, measures(setting.options))


def _shown(found: Mapping[str, Metric]) -> dict[str, float]:
    return {name: round(metric.value, DIGITS) for name, metric in found.items() if metric.value is not None}


def _unjustified(setting: Setting, values: Mapping[str, Mapping[str, Metric]], luck: Mapping[str, Chance]) -> Iterator[Problem]:
    """Floors that luck reaches, and bounds that a gated subject breaks."""
    for name, bound in setting.constants.items():
        place, _, metric = name.partition(" ")
        if place == "floor" and metric in luck and luck[metric].quantile >= bound:
            yield Problem(name, "cannot be missed", bound, f"more than {luck[metric].quantile:.4f}, which luck reaches")
        for subject, found in values.items():
            value = found[metric].value if metric in found else None
            if value is None or place not in {"floor", "ceiling"}:
                continue
            if value < bound if place == "floor" else value > bound:
                yield Problem(name, f"is broken by {subject}, which measured {value:.4f}", bound)
