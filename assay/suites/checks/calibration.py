"""verify: whether evaluators, options and objectives of every case mean something. Nothing rests on a measured constant."""

from __future__ import annotations

from assay.model.baseline import Chance
from assay.model.ports import Setting
from assay.model.verdict import Check
from assay.reading import raise_all
from assay.suites.checks.options import options_of
from assay.suites.checks.planning import Plans

FILES: tuple[str, ...] = ()
CODE: tuple[str, ...] = ()


def check(setting: Setting) -> list[Check]:
    """Nothing that could be broken. Raises InputError for every case whose plan means nothing, before anything is answered."""
    raise_all(Plans(options_of(setting.options), None).problems(setting.cases), "cases")
    return []


def chance(metric: str, setting: Setting) -> Chance | None:
    """Not known: what luck gives depends on the outputs that there could be."""
    return None
