"""verify: do the bounds and the chance of the shuffled control still belong to these scenarios?"""

from __future__ import annotations

from assay.digest import digest_of, sha256_hex
from assay.model.baseline import Calibration, Chance
from assay.model.ports import Setting
from assay.model.verdict import Check
from assay.reading import record
from assay.suites.facets.options import options_of

FILES = ("calibration",)
CODE: tuple[str, ...] = ("assay.suites.facets.finding",)
MOVES = {
    "scenarios_sha256": "records, tasks or facets were edited",
    "gold_version": "it is another set of tasks",
    "tasks": "each mean runs over other tasks",
    "options_sha256": "clock, seed or latencies decide what is retrieved and flagged",
    "subjects": "the answers that were shuffled were another system's",
    "finding_sha256": "what counts as found changed",
}
"""What moves with each input."""


def inputs_of(setting: Setting) -> dict[str, str | int]:
    """All that bounds and chance depend on, but for the code of the subject."""
    gated = sorted(f"{name} ({provider.model})" for name, provider in setting.subjects.items() if provider.enforcement == "ci")
    scenarios = {
        shown.rsplit("/", 1)[-1]: sha256_hex(data) for role, (shown, data) in setting.files.items() if role not in FILES
    }
    return {
        "scenarios_sha256": digest_of(scenarios),
        "gold_version": setting.version,
        "tasks": len(setting.cases),
        "options_sha256": digest_of(options_of(setting.options).model_dump(mode="json", exclude={"audit"})),
        "subjects": ", ".join(gated),
        "finding_sha256": setting.code_sha256,
    }


def check(setting: Setting) -> list[Check]:
    """Whether inputs and constants are those of the calibration."""
    found, now = _calibration(setting), inputs_of(setting)
    remedy = f"Measure anew with `assay calibrate {setting.suite}`."
    moved = [f"{name} ({MOVES[name]})" for name, value in now.items() if found.calibrated_at.get(name) != value]
    if moved:
        return [
            Check(name="calibration", status="could-not-run", message=f"outside the calibration: {'; '.join(moved)}. {remedy}")
        ]
    if found.constants != dict(setting.constants):
        told = ", ".join(f"{name} {value:g}" for name, value in found.constants.items()) or "none"
        message = f"the constants of suite.yaml are not those that were justified ({told}). {remedy}"
        return [Check(name="calibration", status="could-not-run", message=message)]
    return [Check(name="calibration", status="kept", message=found.summary)]


def chance(metric: str, setting: Setting) -> Chance | None:
    """What answers of other tasks give, as it was drawn when the bounds were calibrated."""
    return _calibration(setting).chance.get(metric)


def _calibration(setting: Setting) -> Calibration:
    shown, data = setting.files["calibration"]
    return record(data, shown, Calibration)
