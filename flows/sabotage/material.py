"""A suite on disk as material for defects, and a suite made of such material."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from assay.sabotage.defect import Material
from assay.stores.goldsets import Source


@dataclass(frozen=True)
class Held(Source):
    """A suite whose recordings are in memory."""

    held: Mapping[str, tuple[bytes, bytes]] = field(default_factory=dict)
    """By provider: manifest and body."""

    def recording(self, provider: str) -> tuple[bytes, bytes] | None:
        """The recording that is held for the provider."""
        return self.held.get(provider)


def material_of(source: Source) -> Material:
    """All that the suite was read from. Raises InputError for half a recording."""
    recordings = {name: found for name in source.suite.providers if (found := source.recording(name)) is not None}
    return Material(source.suite, source.files, source.prompt, source.response_schema, source.baseline, recordings)


def source_of(material: Material, source: Source) -> Held:
    """The suite made of this material, in the place of `source`."""
    kept = {one.name: getattr(source, one.name) for one in fields(Source)}
    return Held(
        **{
            **kept,
            "suite": material.suite,
            "files": dict(material.files),
            "prompt": material.prompt,
            "response_schema": material.response_schema,
            "baseline": material.baseline,
        },
        held=material.recordings,
    )
