"""Recordings on disk: `cassettes/<suite>/<version>/<provider>.jsonl` with its manifest beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.digest import canonical, sha256_hex
from assay.model.exchange import Exchange, FileFacts, Manifest, TargetManifest
from assay.stores.files import read_file, write_atomically


@dataclass(frozen=True)
class Place:
    """Where one provider's recording lies."""

    root: Path
    suite: str
    version: str
    provider: str
    suffix: str = "jsonl"
    """`jsonl` for exchanges, else what a target records."""
    folder: str | None = None
    """Relative to the root; null takes the project's own place for this suite."""

    @property
    def cassette(self) -> Path:
        """The file of exchanges, or what a target recorded."""
        return self.root / self.shown

    @property
    def manifest(self) -> Path:
        """The provenance file."""
        return self.cassette.with_name(f"{self.provider}.manifest.json")

    @property
    def shown(self) -> str:
        """The cassette's path relative to the root."""
        folder = self.folder or f"cassettes/{self.suite}/{self.version}"
        return f"{folder}/{self.provider}.{self.suffix}"

    @property
    def shown_manifest(self) -> str:
        """The manifest's path relative to the root."""
        return f"{self.shown.removesuffix(self.suffix)}manifest.json"


def read_recording(place: Place) -> tuple[bytes, bytes] | None:
    """(manifest, cassette) as bytes, or None when neither is there. Raises InputError when one of the two is missing."""
    if not place.manifest.exists() and not place.cassette.exists():
        return None
    remedy = f"Record it with `assay record {place.suite} --provider {place.provider}`."
    return read_file(place.manifest, place.shown_manifest, remedy), read_file(place.cassette, place.shown, remedy)


def exchange_lines(exchanges: Sequence[Exchange]) -> bytes:
    """A cassette's bytes: one canonical JSON line per exchange, in the given order."""
    return b"".join(canonical(exchange.model_dump(mode="json")) + b"\n" for exchange in exchanges)


def file_facts(data: bytes) -> FileFacts:
    """Digest and number of non-blank lines of a file."""
    return FileFacts(sha256=sha256_hex(data), rows=sum(bool(line.strip()) for line in data.split(b"\n")))


def write_recording(place: Place, manifest: Manifest | TargetManifest, cassette: bytes) -> None:
    """Replace the recording. The cassette comes first: a crash in between leaves a manifest that does not fit, and says so."""
    write_atomically(place.cassette, cassette)
    write_atomically(place.manifest, (manifest.model_dump_json(indent=1) + "\n").encode())
