"""What the providers of a run answered, however they were asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from assay.contract import DriftPolicy
from assay.model.run import RunRequest
from assay.model.suite import Provider
from assay.stores.artifacts import Ref
from assay.stores.goldsets import Source
from tasks._engine import Engine


@dataclass(frozen=True)
class Answers:
    """Proofs, and for each group of providers the Ref of its replies."""

    proofs: Ref
    replies: Mapping[str, Ref]
    material: Mapping[str, Ref]
    """The replies that controls are made from, by provider: those of this run, or recorded ones where there are none."""
    notes: Mapping[str, list[str]] = field(default_factory=dict)
    stability: Mapping[str, dict[str, str]] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Why a provider was not asked at all."""
    cut: Mapping[str, str] = field(default_factory=dict)
    """Why a provider was asked for a part of the cases only."""
    cases: Mapping[str, Ref] = field(default_factory=dict)
    """That part."""


Answer = Callable[[Source, RunRequest, Engine, Mapping[str, Provider], Ref, DriftPolicy], Answers]
"""(source, request, engine, providers, cases of this run, drift) -> Answers."""
