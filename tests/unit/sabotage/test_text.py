"""The kill matrix as people read it, whole, and when it is as declared."""

from __future__ import annotations

from typing import Any

import pytest
from scipy.special import betaincinv

from assay.sabotage.exact import exact_interval
from assay.sabotage.matrix import Inverted, Matrix
from assay.sabotage.outcome import Mutant
from assay.sabotage.text import known_line, matrix_text

MUTANTS = (
    Mutant(name="cases dropped", layer="gold", fate="killed", strength="one case", by=("cases",)),
    Mutant(name="prompt edited", layer="contract", fate="not applicable", why="the suite sends no prompt"),
    Mutant(name="constant scores", layer="system", fate="survived"),
    Mutant(name="empty text", layer="system", fate="killed by another", by=("a", "b", "c", "d")),
    Mutant(name="no event", layer="system", fate="no evidence"),
    Mutant(name="odd", layer="scorer", fate="crashed", why="KeyError: 'a'"),
)
REASONS = {"constant scores": "scores are not gated", "cases dropped": "borne"}
HELD = (Inverted(name="case order", holds=True), Inverted(name="shards", holds=None, why="none"))


def matrix(**changes: Any) -> Matrix:
    fields: dict[str, Any] = {
        "suite": "s",
        "version": "v1",
        "clean": "PASS",
        "mutants": MUTANTS,
        "inverted": (*HELD, Inverted(name="key order", holds=False, why="verdict: PASS -> FAIL")),
        "survivors": REASONS,
    }
    return Matrix(**{**fields, **changes})


def test_the_whole_text() -> None:
    assert matrix_text(matrix()) == (
        "s v1: NOT AS DECLARED: 1 of 5 (20.0%, 0.5% to 71.6%) killed by the right check; "
        "3 undeclared; 1 declared in vain; 1 inverted control moved\n"
        "  UNDECLARED killed by another: system/empty text (a, b, c and 1 more)\n"
        "  UNDECLARED no evidence: system/no event\n"
        "  UNDECLARED crashed: scorer/odd (KeyError: 'a')\n"
        "  DECLARED IN VAIN, killed: gold/cases dropped (cases)\n"
        "  declared, survived: system/constant scores: scores are not gated\n"
        "  MOVED by what must not matter: key order: verdict: PASS -> FAIL\n"
        "  layer           killed  by another    survived no evidence     crashed         n/a"
        "  share killed, exact 95 % interval\n"
        "  gold                 1           0           0           0           0           0"
        "  1 of 1 (100.0%, 2.5% to 100.0%)\n"
        "  contract             0           0           0           0           0           1  nothing applies\n"
        "  cassette             0           0           0           0           0           0  nothing applies\n"
        "  system               0           1           1           1           0           0  0 of 3 (0.0%, 0.0% to 70.8%)\n"
        "  scorer               0           0           0           0           1           0  0 of 1 (0.0%, 0.0% to 97.5%)\n"
        "  gate                 0           0           0           0           0           0  nothing applies\n"
        "  report               0           0           0           0           0           0  nothing applies\n"
        "  all                  1           1           1           1           1           1  1 of 5 (20.0%, 0.5% to 71.6%)\n"
        "  inverted controls: 1 hold, 1 moved; not applicable: shards\n"
    )


def test_a_report_has_the_headline_of_a_known_matrix_and_says_how_to_make_one() -> None:
    sound = matrix(mutants=MUTANTS[:1], inverted=HELD, survivors={})
    assert known_line(sound, "s") == (
        "sabotage: s v1: as declared: 1 of 1 (100.0%, 2.5% to 100.0%) killed by the right check; nothing undeclared"
    )
    assert known_line(None, "s") == "sabotage: not made for these inputs; `assay sabotage s` makes it"


def test_every_mutant_is_listed_where_asked() -> None:
    assert "  killed from one case: gold/cases dropped (cases)\n" in matrix_text(matrix(), every=True)
    assert "  not applicable: contract/prompt edited (the suite sends no prompt)\n" in matrix_text(matrix(), every=True)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"mutants": MUTANTS[:3], "inverted": HELD, "survivors": {"constant scores": "why"}}, True),
        ({"mutants": MUTANTS[:3], "inverted": HELD, "survivors": {}}, False),
        ({"mutants": MUTANTS[:3], "inverted": HELD}, False),
        ({"mutants": MUTANTS[:1], "inverted": HELD, "survivors": {}, "clean": "FAIL"}, False),
        ({"mutants": MUTANTS[:1], "survivors": {}}, False),
        ({"mutants": MUTANTS[:2], "inverted": HELD, "survivors": {"prompt edited": "why"}}, False),
    ],
    ids=["all declared", "survivor not declared", "declared and killed", "clean run fails", "control moved", "not applicable"],
)
def test_what_is_as_declared(changes: dict[str, Any], expected: bool) -> None:
    assert matrix(**changes).is_as_declared is expected


def test_the_exact_interval_is_that_of_the_tables() -> None:
    # Clopper-Pearson: of 0 of n the upper end is 1 - 0.025 ** (1 / n); 5 of 10 is 0.1871 to 0.8129.
    low, high = exact_interval(0, 10)
    assert (low, high) == (0.0, pytest.approx(1 - 0.025**0.1))
    assert exact_interval(5, 10) == pytest.approx((0.187086, 0.812914), abs=1e-6)
    assert exact_interval(10, 10) == (pytest.approx(0.025**0.1), 1.0)
    assert exact_interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("n", [1, 2, 37, 101, 700])
def test_the_exact_interval_is_that_of_the_beta_distribution(n: int) -> None:
    for successes in {0, 1, n // 3, n - 1, n}:
        low = betaincinv(successes, n - successes + 1, 0.025) if successes else 0.0
        high = betaincinv(successes + 1, n - successes, 0.975) if successes < n else 1.0
        assert exact_interval(successes, n) == pytest.approx((low, high), abs=1e-12)
