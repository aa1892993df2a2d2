"""The defects of the reference crew as defects of the orchestration suite's system."""

from __future__ import annotations

from functools import partial

from assay.model.target import TargetContext
from assay.providers.crew import factory
from assay.providers.crew.defects import DEFECTS as PLANTED
from assay.providers.crew.defects import Defect as Planted
from assay.sabotage.catalogue.replies import NOTICED
from assay.sabotage.defect import Defect, InTarget

TARGET = "assay.providers.crew:factory"


def _made(context: TargetContext, planted: Planted) -> object:
    return factory(context, planted.parts())


DEFECTS: tuple[Defect, ...] = tuple(
    Defect(
        planted.name,
        "system",
        InTarget(partial(_made, planted=planted), only=TARGET),
        (planted.broken_check,) if planted.broken_check else NOTICED,
        frozenset({"orchestration"}),
    )
    for planted in PLANTED
)
