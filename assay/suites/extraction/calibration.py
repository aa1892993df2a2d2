"""verify: does the content threshold still belong to the matcher and data that it was measured with?"""

from __future__ import annotations

from assay.digest import digest_of, sha256_hex
from assay.model.baseline import Calibration, Chance
from assay.model.ports import Setting
from assay.model.verdict import Check
from assay.reading import record

FILES = ("pairs", "calibration")
CODE = ("assay.metrics.similarity",)
PRECISION_FLOOR = 0.95
"""What the held-out half must reach against hard negatives before a threshold may be believed."""
GOLD = ("conversations", "expected")


def inputs_of(setting: Setting) -> dict[str, str | int]:
    """What the threshold and the chance of the controls depend on."""
    return {
        "matcher_sha256": setting.code_sha256,
        "pairs_sha256": sha256_hex(setting.files["pairs"][1]),
        "gold_version": setting.version,
        "gold_sha256": digest_of({role: sha256_hex(setting.files[role][1]) for role in GOLD}),
        "cases": len(setting.cases),
    }


TOLD = {
    "matcher_sha256": "the matcher",
    "pairs_sha256": "the set of labelled pairs",
    "gold_version": "the version of the gold set",
    "gold_sha256": "the gold set",
    "cases": "the number of cases",
}


def check(setting: Setting) -> list[Check]:
    """Whether the committed calibration was made with this matcher on these pairs, and reached the floor."""
    found = _calibration(setting)
    threshold = found.constants.get("threshold")
    remedy = f"Measure it anew with `assay calibrate {setting.suite}`."
    changed = [TOLD[name] for name, now in inputs_of(setting).items() if found.calibrated_at.get(name) != now]
    if changed:
        message = f"{' and '.join(changed)} changed since the threshold {threshold} was calibrated. {remedy}"
        return [Check(name="calibration", status="could-not-run", message=message)]
    held_out = found.measured.get("held_out_precision")
    if held_out is None or held_out.value is None:
        why = held_out.reason if held_out else "it was not measured"
        message = f"threshold {threshold}, held-out precision undefined ({why}). {remedy}"
        return [Check(name="calibration", status="could-not-run", message=message)]
    told = f"threshold {threshold}, held-out precision {held_out.value:.4f} (n={held_out.n})"
    if held_out.value < PRECISION_FLOOR:
        message = f"{told}, under the floor of {PRECISION_FLOOR}: matched does not mean the same. {remedy}"
        return [Check(name="calibration", status="could-not-run", message=message)]
    return [Check(name="calibration", status="kept", message=told)]


def chance(metric: str, setting: Setting) -> Chance | None:
    """What the replies of other conversations give, as it was drawn when the threshold was calibrated."""
    return _calibration(setting).chance.get(metric)


def _calibration(setting: Setting) -> Calibration:
    shown, data = setting.files["calibration"]
    return record(data, shown, Calibration)
