"""The kill matrix for the page: survivors first; shares and exact intervals on an axis that begins at 10 and is 300 long."""

from __future__ import annotations

from assay.reporting.page.sabotage import LayerRow, Survivor, matrix_told
from assay.reporting.page.scale import Span
from tests.unit.reporting.page.pages import MUTANTS, matrix


def test_survivors_come_in_the_order_of_what_they_call_for() -> None:
    assert matrix_told(matrix()).survivors == (
        Survivor("undeclared", "killed by another", "system", "empty text", "noticed by a, b"),
        Survivor("declared in vain", "killed", "scorer", "rank off by one", "noticed by self_test"),
        Survivor("declared", "survived", "system", "constant scores", "scores are not gated"),
    )


def test_a_layer_has_its_share_and_exact_interval() -> None:
    told = matrix_told(matrix())

    assert told.layers[-1] == LayerRow(
        layer="all",
        counts=(2, 1, 1, 0, 0, 1),
        share="2 of 4 (50.0%)",
        interval="6.8% to 93.2%",  # Clopper-Pearson of 2 of 4: 0.0676 to 0.9324
        bar=Span(10.0, 150.0),
        spread=Span(30.3, 259.4),
    )
    assert told.layers[1] == LayerRow("contract", (0, 0, 0, 0, 0, 1), "nothing applies", "", None, None)


def test_inverted_controls_are_told_by_how_they_came_out() -> None:
    told = matrix_told(matrix())

    assert told.held == 1
    assert [(one.name, one.why) for one in told.moved] == [("key order", "verdict: PASS -> FAIL")]
    assert [one.name for one in told.not_applicable] == ["shards"]


def test_a_suite_as_declared_has_no_survivor_that_is_not() -> None:
    told = matrix_told(matrix(mutants=(MUTANTS[0],), inverted=(), survivors={}))

    assert (told.is_as_declared, told.survivors) == (True, ())
    assert told.mutants == ((MUTANTS[0], "noticed by cases; from one case on"),)
