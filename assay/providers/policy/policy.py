"""One policy: the outcomes it knows and the rules that a decision keeps."""

from __future__ import annotations

from dataclasses import dataclass

from assay.providers.policy.rules import Rule


@dataclass(frozen=True)
class Policy:
    """What decisions of one sort must keep."""

    id: str
    title: str
    outcomes: tuple[str, ...]
    rules: tuple[Rule, ...]
    """At least one, in file order, each name once."""
