"""Head to head as a bar: the axis begins at 10 and is 300 long."""

from __future__ import annotations

from assay.model.report import HeadToHead
from assay.reporting.page.duels import duel_of
from assay.reporting.page.scale import Span
from tests.unit.reporting.reports import ratio, undefined


def duel(wins: int, ties: int, losses: int) -> HeadToHead:
    """A comparison that came out so."""
    named = {word: tuple(f"{word}{n}" for n in range(count)) for word, count in (("w", wins), ("t", ties), ("l", losses))}
    found = undefined("no case") if wins + ties + losses == 0 else ratio(1, 2, 0.1, 0.9)
    return HeadToHead(
        subject="p",
        against="k",
        metric="recall",
        wins=named["w"],
        losses=named["l"],
        ties=named["t"],
        left_out={},
        difference=found,
    )


def test_won_tied_and_lost_share_the_bar_by_their_number() -> None:
    found = duel_of(duel(3, 0, 1))

    assert found.bars == (("won", Span(10.0, 225.0)), ("lost", Span(235.0, 75.0)))
    assert (found.won, found.tied, found.lost) == (3, 0, 1)


def test_nothing_compared_has_no_bar() -> None:
    assert duel_of(duel(0, 0, 0)).bars == ()
