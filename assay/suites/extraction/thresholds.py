"""calibrate: the content threshold from one half of the labelled pairs, judged on the other; and what luck gives under it."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import TypeAdapter

from assay.errors import InputError, Problem, Refused
from assay.metrics.calibration import LabelledPair, choose_threshold, confusion, is_held_out
from assay.metrics.proportions import proportion
from assay.metrics.similarity import MATCHER, similarity
from assay.model.baseline import Calibration, Chance
from assay.model.exchange import Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.ports import Setting
from assay.model.verdict import Metric
from assay.reading import records
from assay.suites.extraction.calibration import inputs_of
from assay.suites.extraction.chance import chance
from assay.suites.extraction.requests import oracle_reply


def calibrate(setting: Setting) -> bytes:
    """The calibration file. Raises Refused where the pairs give no threshold."""
    shown, data = setting.files["pairs"]
    pairs = records(data, shown, LabelledPair)
    if len({pair.id for pair in pairs}) != len(pairs):
        raise InputError(Problem(shown, "an id stands twice", expected="each id once"))
    scored = {pair.id: (similarity(pair.a, pair.b), pair.same) for pair in pairs}
    chosen = [scored[pair.id] for pair in pairs if not is_held_out(pair.id)]
    held_out = [scored[pair.id] for pair in pairs if is_held_out(pair.id)]
    try:
        threshold = choose_threshold(chosen)
    except ValueError as error:
        raise Refused(Problem(shown, f"gives no threshold ({error})")) from None
    tp, fp, fn, _ = confusion(held_out, threshold)
    precision = proportion(tp, tp + fp, "pairs called the same")
    recall = proportion(tp, tp + fn, "pairs that are the same")
    found = Calibration(
        calibrated_at=inputs_of(setting) | {"matcher": MATCHER, "pairs": len(pairs), "chosen_on": len(chosen)},
        constants={"threshold": threshold},
        measured={"held_out_precision": precision, "held_out_recall": recall},
        chance=_chance(setting.cases, threshold),
        summary=(
            f"Matcher {MATCHER}, threshold {threshold}: on {len(held_out)} held-out pairs precision {_told(precision)}, "
            f"recall {_told(recall)}."
        ),
    )
    return TypeAdapter(Calibration).dump_json(found, indent=1) + b"\n"


def _chance(cases: Sequence[GoldCase], threshold: float) -> dict[str, Chance]:
    """What the right replies to other conversations come to: the best that luck could have at hand."""
    if len(cases) < 2:  # noqa: PLR2004  # there is no other conversation
        return {}
    replies: dict[str, Sequence[Outcome]] = {
        case.id: (Reply(text=oracle_reply(case), finish_reason=None, model_served=None, usage=None, latency_ms=None),)
        for case in cases
    }
    return chance(cases, replies, threshold)


def _told(metric: Metric) -> str:
    return "undefined" if metric.value is None else f"{metric.value:.4f} ({metric.numerator:g}/{metric.denominator:g})"
