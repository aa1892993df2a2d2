"""Head to head as a bar: won, tied and lost cases, side by side."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.report import HeadToHead
from assay.reporting.figures import head_to_head_text
from assay.reporting.page.scale import LEFT, Scale, Span


@dataclass(frozen=True)
class Duel:
    """A subject beside another provider."""

    subject: str
    against: str
    metric: str
    told: str
    won: int
    tied: int
    lost: int
    bars: tuple[tuple[str, Span], ...]
    """(`won`, `tied` or `lost`, where it stands); empty where nothing could be compared."""


def duel_of(found: HeadToHead) -> Duel:
    """What came of one comparison."""
    counts = {"won": len(found.wins), "tied": len(found.ties), "lost": len(found.losses)}
    scale = Scale(0.0, float(sum(counts.values())))
    bars, before = [], 0
    for name, count in counts.items():
        if count:
            start = scale.x(before) if before else LEFT
            bars.append((name, Span(start, round(scale.x(before + count) - start, 1))))
        before += count
    return Duel(found.subject, found.against, found.metric, head_to_head_text(found), **counts, bars=tuple(bars))
