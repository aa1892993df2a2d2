"""Where in a decision a rule looks: `outcome`, `timestamp`, `facts.amount`, `metadata.lineage`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, StrictStr

from assay.errors import nearest

FIELDS = ("category", "confidence", "decision_id", "decision_maker", "outcome", "reasoning", "scenario", "timestamp")
BRANCHES = ("facts", "metadata")
"""What holds further names. `facts` is short for `metadata.facts`."""


def _path(text: str) -> str:
    root, *names = text.split(".")
    if root not in (*FIELDS, *BRANCHES):
        known = ", ".join([*FIELDS, *(f"{branch}.<name>" for branch in BRANCHES)])
        hint = nearest(root, (*FIELDS, *BRANCHES))
        raise ValueError(f"no such place in a decision; expected one of {known}{'. ' + hint if hint else ''}")
    if root in FIELDS and names:
        raise ValueError(f"{root} holds no names")
    if root in BRANCHES and not (names and all(names)):
        raise ValueError(f"{root} needs a name, as {root}.amount")
    return text


DecisionPath = Annotated[StrictStr, AfterValidator(_path)]
"""A place in a decision."""


def value_at(decision: object, path: str) -> object:
    """What stands there in a decision, an object or its dict; None when nothing does."""
    root, *names = path.split(".")
    if root == "facts":
        root, names = "metadata", ["facts", *names]
    value = decision.get(root) if isinstance(decision, Mapping) else getattr(decision, root, None)
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
