"""verify, calibrate: what a random ranking of this corpus comes to, by measure."""

from __future__ import annotations

from collections.abc import Sequence

from assay.metrics.chance import Luck, precision_luck, recall_luck, success_luck
from assay.model.gold import GoldCase
from assay.suites.retrieval.cases import relevant_of

EXACT = {
    **dict.fromkeys(("r", "recall"), recall_luck),
    **dict.fromkeys(("p", "precision"), precision_luck),
    "success": success_luck,
}
"""The measures whose distribution under chance is worked out exactly, by how their names may be written, in lower case."""


def luck_of(measure: str, cases: Sequence[GoldCase], documents: int) -> Luck | None:
    """The luck of a measure with a cutoff, such as `recall@5`, over the live queries.

    None where it is not known or nothing is relevant.
    """
    name, _, k = measure.partition("@")
    relevant = [len(relevant_of(case)) for case in cases if case.input["grade"] == "live" and relevant_of(case)]
    if name.casefold() not in EXACT or not k.isdecimal() or not relevant or max(relevant) > documents:
        return None
    return EXACT[name.casefold()](documents, relevant, int(k))
