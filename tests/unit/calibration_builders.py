"""Settings of the extraction suite: what its threshold is measured at and checked against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.model.baseline import Calibration
from assay.model.gold import GoldCase
from assay.model.ports import Setting
from assay.suites.extraction.calibration import inputs_of
from tests.builders import calibration, case

CODE = "a" * 64
FILES = {
    "pairs": ("matcher_pairs.jsonl", b"the pairs"),
    "conversations": ("conversations.jsonl", b"the conversations"),
    "expected": ("expected.jsonl", b"the memories"),
    "calibration": ("calibration.json", b""),
}
NO_ANSWER = (case("c1"),)


def setting(cases: Sequence[GoldCase] = NO_ANSWER, *, code: str = CODE, version: str = "v1", **files: bytes) -> Setting:
    """A setting with some files of its own, by role."""
    changed = {role: (name, files.get(role, data)) for role, (name, data) in FILES.items()}
    return Setting("extraction", version, list(cases), changed, options={}, subjects={}, code_sha256=code)


def calibrated(**changes: Any) -> Calibration:
    """A calibration that was made in `setting()`, but for the changes."""
    return calibration(**{"calibrated_at": inputs_of(setting()), "constants": {"threshold": 0.6364}, **changes})
