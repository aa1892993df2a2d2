"""One suite at one revision: all that decides whether it passes, and that a change could ease."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from assay.model.baseline import Baseline, Calibration
from assay.model.exchange import ELSEWHERE, IN_PROCESS, Manifest, TargetManifest
from assay.model.gold import GoldCase
from assay.model.suite import Suite

Digests = Mapping[str, str]
"""By name of a piece of code or of a part of a file, the digest of what it holds."""


@dataclass(frozen=True)
class Side:
    """What is compared."""

    suite: Suite
    cases: Mapping[str, GoldCase]
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    """The suite's options with the kind's defaults spelled out, where the kind tells them."""
    baseline: Baseline | None = None
    manifests: Mapping[str, Manifest | TargetManifest] = field(default_factory=dict)
    """By provider, where something is recorded for it."""
    files: Mapping[str, Digests] = field(default_factory=dict)
    """By role, the parts of the gold files that cases do not carry: a corpus, rules, policies, answers made elsewhere."""
    calibration: Calibration | None = None
    scoring_code: Digests = field(default_factory=dict)
    """Every piece of code that scoring rests on, as `module:NAME`: normaliser, matcher, metrics, evaluators."""
    control_code: Mapping[str, Digests] = field(default_factory=dict)
    """By control, every piece of code that its target rests on."""
    gate_code: Digests = field(default_factory=dict)
    """The modules that judge, each by its own text, where they lie in the tree under comparison."""

    def kind_of_recording(self, provider: str) -> str | None:
        """What stands behind a provider's answers; None where nothing is recorded yet."""
        declared = self.suite.providers[provider]
        if declared.target is None or declared.asks_model:
            manifest = self.manifests.get(provider)
            return manifest.cassette_kind if manifest else None
        return IN_PROCESS if declared.recorded_as is None else ELSEWHERE
