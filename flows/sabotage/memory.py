"""Artifacts in memory over those on disk, and finished stages by key: what all mutants of a suite share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.model.score import CaseScore
from assay.sabotage.parts import ScoreCase, Scorer
from assay.stores.artifacts import Artifacts, MissingArtifact, Ref
from assay.stores.index import Index


class MemoryArtifacts(Artifacts):
    """Reads what the disk has, and writes to memory alone. Bodies are decoded once; stages never change what they read."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self._bodies: dict[str, bytes] = {}
        self._decoded: dict[tuple[str, str], Any] = {}

    def get(self, ref: Ref) -> Any:  # noqa: ANN401  # the kind of body decides
        """The body, decoded. Raises MissingArtifact."""
        key = ref.digest, ref.kind
        if key not in self._decoded:
            self._decoded[key] = super().get(ref)
        return self._decoded[key]

    def raw(self, ref: Ref) -> bytes:
        """The body's bytes. Raises MissingArtifact."""
        if ref.digest not in self._bodies:
            self._bodies[ref.digest] = super().raw(ref)
        return self._bodies[ref.digest]

    def holds(self, ref: Ref) -> bool:
        """Whether the body is in memory, or whole on disk."""
        try:
            self.raw(ref)
        except MissingArtifact:
            return False
        return True

    def _used(self, ref: Ref) -> None:
        return

    def _keep(self, ref: Ref, data: bytes) -> None:
        self._bodies[ref.digest] = data


class Shared:
    """The memory of one suite's mutants."""

    def __init__(self, home: Path) -> None:
        self.artifacts = MemoryArtifacts(home)
        self._on_disk = Index(home, Artifacts(home))
        self._known: dict[str, Ref | None] = {}
        self._scores: dict[tuple[str, str, tuple[str, ...]], CaseScore] = {}

    def find(self, key: str) -> Ref | None:
        """The result kept under a key, by a mutant or by an ordinary run."""
        if key not in self._known:
            self._known[key] = self._on_disk.find(key)
        return self._known[key]

    def keep(self, key: str, ref: Ref) -> None:
        """Remember it for the other mutants."""
        self._known[key] = ref

    def remembering(self, scorer: Scorer, mark: str) -> Scorer:
        """The same scorer, asked once for a case with the same outcomes; `mark` names scorer, files and options."""

        def made(files: Mapping[str, tuple[str, bytes]], options: Mapping[str, JsonValue]) -> ScoreCase:
            score = scorer(files, options)

            def scored(case: GoldCase, outcomes: Sequence[Outcome]) -> CaseScore:
                key = mark, case.id + case.digest, tuple(outcome.model_dump_json() for outcome in outcomes)
                found = self._scores.get(key)
                if found is None:
                    found = self._scores[key] = score(case, outcomes)
                return found

            return scored

        return made
