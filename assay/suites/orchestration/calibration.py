"""verify: rules are kept or broken; nothing here rests on a measured constant."""

from __future__ import annotations

from assay.model.baseline import Chance
from assay.model.ports import Setting
from assay.model.verdict import Check

FILES: tuple[str, ...] = ()
CODE: tuple[str, ...] = ()


def check(setting: Setting) -> list[Check]:
    """Nothing to check."""
    return []


def chance(metric: str, setting: Setting) -> Chance | None:
    """Not known: what luck gives depends on what an orchestrator could have done."""
    return None
