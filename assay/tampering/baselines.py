"""Committed baselines: do they hold what the committed recordings come to?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.model.baseline import Baseline, Block
from assay.model.verdict import CaseOutcome, Metric
from assay.tampering.finding import Finding, moved, some

Recomputed = tuple[Mapping[str, Metric], Mapping[str, CaseOutcome]]
"""A provider's metrics and cases, as a run over the committed recordings gives them."""
ROUNDING = 1e-12
"""Two computers may differ by this in the last digits of a float; far below what any gate looks at."""
INTERVAL_ROUNDING = 1e-6
"""Ends of intervals come from quantiles that libraries approximate; no gate looks at them."""


def baseline_differs(committed: Baseline, recomputed: Mapping[str, Recomputed]) -> list[Finding]:
    """One finding per `ci` block that is not what `assay baseline update` would write now; harder or easier alike.

    A block without numbers holds nothing to compare. A block that nothing was recomputed for differs.
    """
    found = []
    for name, block in sorted(committed.providers.items()):
        if block is None or block.enforcement != "ci" or block.metrics is None or block.cases is None:
            continue
        told = "; ".join(_differences(block, recomputed[name])) if name in recomputed else "nothing could be recomputed for it"
        if told:
            found.append(Finding("altered baseline", committed.suite, f"committed -> recomputed for {name}: {told}", name))
    return found


def _differences(block: Block, recomputed: Recomputed) -> Iterator[str]:
    metrics, cases = recomputed
    committed, outcomes = block.metrics or {}, block.cases or {}
    apart = [name for name in sorted(committed.keys() | metrics.keys()) if not _is_same(committed.get(name), metrics.get(name))]
    told = [f"{name} {_told(committed.get(name), metrics.get(name))}" for name in apart]
    if told:
        yield some(told)
    gone, new = sorted(outcomes.keys() - cases.keys()), sorted(cases.keys() - outcomes.keys())
    changed = [name for name in sorted(outcomes.keys() & cases.keys()) if not _is_same(outcomes[name], cases[name])]
    for word, names in (("only committed", gone), ("not committed", new), ("with another outcome", changed)):
        if names:
            yield f"{len(names)} cases {word} ({some(names)})"


def _told(then: Metric | None, now: Metric | None) -> str:
    """Both values, or what else of the metric differs."""
    value, again = then.value if then else None, now.value if now else None
    if value != again or then is None or now is None:
        return moved(value, again)
    if then.n != now.n:
        return f"n {moved(then.n, now.n)}"
    return f"of {again}, whose parts differ"


def _is_same(then: Metric | CaseOutcome | None, now: Metric | CaseOutcome | None) -> bool:
    if then is None or now is None:
        return then is now
    return _is_close(then.model_dump(), now.model_dump())


def _is_close(then: object, now: object, rounding: float = ROUNDING) -> bool:
    if isinstance(then, dict) and isinstance(now, dict):
        return then.keys() == now.keys() and all(
            _is_close(then[name], now[name], INTERVAL_ROUNDING if name in {"low", "high"} else ROUNDING) for name in then
        )
    if isinstance(then, float) and isinstance(now, int | float):
        return abs(then - now) <= rounding * max(1.0, abs(then))
    return then == now
