"""Broken checks that an acknowledgement may settle, as findings."""

from __future__ import annotations

from collections.abc import Iterable

from assay.model.exchange import Manifest
from assay.model.verdict import Check
from assay.tampering.finding import Finding
from assay.tampering.side import Side

_POLICY = "oracle_policy."
_BASE = "base."


def oracle_findings(checks: Iterable[Check], after: Side) -> list[Finding]:
    """A finding for each broken check of the oracle policy over an oracle-aligned recording.

    A live recording that was not made anew is no finding: nothing excuses it, so its check stays broken.
    """
    found = []
    for check in checks:
        name = check.name.removeprefix(_POLICY)
        manifest = after.manifests.get(name)
        is_excusable = isinstance(manifest, Manifest) and manifest.is_oracle
        if check.name.startswith(_POLICY) and check.status == "broken" and is_excusable:
            found.append(Finding("oracle policy", after.suite.suite, check.message, name))
    return found


def dropped_metrics(suite: str, provider: str, checks: Iterable[Check]) -> list[Finding]:
    """A finding for each metric that came out worse than the merge base's baseline allows over the common cases."""
    broken = [check for check in checks if check.name.startswith(_BASE) and check.status == "broken"]
    return [Finding("dropped metric", suite, c.message, provider, c.name.removeprefix(_BASE)) for c in broken]
