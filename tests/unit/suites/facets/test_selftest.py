"""The self-test holds, and notices each broken formula."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.suites.facets.scoring import STANDARD, Formulas
from assay.suites.facets.selftest import selftest

BROKEN = {
    "case matters": replace(STANDARD, found=lambda facets, texts: [f for f in facets if any(f in t for t in list(texts))]),
    "texts are joined": replace(STANDARD, found=lambda facets, texts: STANDARD.found(facets, [" ".join(texts)])),
    "only the answer counts": replace(STANDARD, found=lambda facets, texts: STANDARD.found(facets, list(texts)[:1])),
    "blank is found": replace(
        STANDARD, found=lambda facets, texts: [f for f in facets if f.isspace()] or STANDARD.found(facets, texts)
    ),
    "any facet is all": replace(STANDARD, recall=lambda facets, found: float(bool(found)) if facets else None),
    "no facets are perfect": replace(STANDARD, recall=lambda facets, found: len(found) / len(facets) if facets else 1.0),
    "no facets are 0": replace(STANDARD, recall=lambda facets, found: len(found) / max(1, len(facets))),
    "absence is presence": replace(STANDARD, absent=lambda facets, found: len(found) / len(facets) if facets else None),
    "nothing forbidden is absent": replace(STANDARD, absent=lambda facets, found: STANDARD.absent(facets, found) or 1.0),
    "errors are no events": replace(
        STANDARD, events=lambda answer: [told for told in STANDARD.events(answer) if "error" not in told]
    ),
    "figures are told": replace(
        STANDARD, events=lambda answer: [f"{e.provider}: {', '.join(e.reasons)}" for e in answer.events]
    ),
}


def test_all_holds() -> None:
    checks = selftest()
    assert len(checks) == 33
    assert [check.name for check in checks if not check.holds] == []
    assert len({check.name for check in checks}) == len(checks)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_formula_is_noticed(name: str) -> None:
    formulas: Formulas = BROKEN[name]
    assert any(not check.holds for check in selftest(formulas))
