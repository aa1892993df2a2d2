"""verify, calibrate: the content threshold as a measurement on labelled pairs, bound to the matcher that made it."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import TypeAdapter

from assay.digest import sha256_hex
from assay.errors import InputError, Problem, Refused
from assay.metrics.calibration import LabelledPair, choose_threshold, confusion, is_held_out
from assay.metrics.proportions import proportion
from assay.metrics.similarity import MATCHER, similarity
from assay.model.baseline import Calibration
from assay.model.verdict import Check
from assay.reading import record, records

FILES = ("pairs", "calibration")
CODE = ("assay.metrics.similarity",)
PRECISION_FLOOR = 0.95
"""What the held-out half must reach against hard negatives before a threshold may be believed."""


def check(files: Mapping[str, tuple[str, bytes]], code_sha256: str) -> list[Check]:
    """Whether the committed calibration was made with this matcher on these pairs, and reached the floor."""
    found = record(files["calibration"][1], files["calibration"][0], Calibration)
    remedy = "Measure it anew with `assay calibrate extraction`."
    changed = [
        what
        for what, before, after in (
            ("the matcher", found.matcher_sha256, code_sha256),
            ("the set of labelled pairs", found.pairs_sha256, sha256_hex(files["pairs"][1])),
        )
        if before != after
    ]
    if changed:
        message = f"{' and '.join(changed)} changed since the threshold {found.threshold} was calibrated. {remedy}"
        return [Check(name="calibration", status="could-not-run", message=message)]
    precision = found.precision.value
    if precision is None:
        message = f"threshold {found.threshold}, held-out precision undefined ({found.precision.reason}). {remedy}"
        return [Check(name="calibration", status="could-not-run", message=message)]
    told = f"threshold {found.threshold}, held-out precision {precision:.4f} (n={found.precision.n})"
    if precision < PRECISION_FLOOR:
        message = f"{told}, under the floor of {PRECISION_FLOOR}: matched does not mean the same. {remedy}"
        return [Check(name="calibration", status="could-not-run", message=message)]
    return [Check(name="calibration", status="kept", message=told)]


def calibrate(files: Mapping[str, tuple[str, bytes]], code_sha256: str) -> bytes:
    """The calibration file: threshold from the one half of the pairs, precision and recall from the other."""
    shown, data = files["pairs"]
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
    found = Calibration(
        matcher=MATCHER,
        matcher_sha256=code_sha256,
        pairs_sha256=sha256_hex(data),
        pairs=len(pairs),
        threshold=threshold,
        chosen_on=len(chosen),
        held_out=len(held_out),
        precision=proportion(tp, tp + fp, "pairs called the same"),
        recall=proportion(tp, tp + fn, "pairs that are the same"),
    )
    return TypeAdapter(Calibration).dump_json(found, indent=1) + b"\n"
