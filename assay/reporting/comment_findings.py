"""The comment's lists of what makes passing easier: what is open, with the lines to paste, and what was acknowledged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from assay.acknowledgements import Settled, lines_to_paste, shared_place
from assay.reporting.quoted import quiet, quiet_code
from assay.tampering import Finding

_WHATS = 3
"""How many of a group are told in words."""
_WHAT = 160
T = TypeVar("T")


def finding_lines(settled: Settled) -> list[str]:
    """One item for each name and suite, or place that suites share: what was found, and the lines to paste."""
    items = []
    for group in _grouped(settled.open, [shared_place(one) or (one.name, one.suite) for one in settled.open]):
        lines = lines_to_paste(Settled(settled.acknowledged, tuple(group)))
        items.append("<br>".join([_told(group), *(quiet_code(line) for line in lines)]))
    return items


def acknowledgement_lines(settled: Settled) -> list[str]:
    """What was acknowledged and why, and every line that settled nothing."""
    groups = _grouped(settled.acknowledged, [(f.name, f.suite, reason) for f, reason in settled.acknowledged])
    items = [f"{_told([finding for finding, _ in group])}<br>because {quiet(group[0][1])}" for group in groups]
    items += [f"settles nothing: {quiet_code(told.line)}: {quiet(told.why)}" for told in settled.unused]
    items += [f"not understood: {quiet_code(told.line)}: {quiet(told.why)}" for told in settled.malformed]
    return items


def _told(group: Sequence[Finding]) -> str:
    """Findings of one name and suite in a few words."""
    places = ", ".join(quiet_code(finding.place) for finding in group[:_WHATS])
    whats = "; ".join(dict.fromkeys(quiet(finding.what, _WHAT) for finding in group[:_WHATS]))
    more = f" and {len(group) - _WHATS} more" if len(group) > _WHATS else ""
    return f"**{group[0].name}** {places}{more}: {whats}"


def _grouped(items: Iterable[T], keys: Iterable[Hashable]) -> list[list[T]]:
    groups: dict[Hashable, list[T]] = defaultdict(list)
    for item, key in zip(items, keys, strict=True):
        groups[key].append(item)
    return list(groups.values())
