"""Whether the cache holds a suite's kill matrix for exactly these inputs: a look-up that runs nothing and imports no defect.

A matrix is kept under two keys. One has the code by what it does, so that a comment costs no new matrix; it takes half a second
to work out. The other has the code by its bytes and is made beside the first, so that an ordinary run can ask for it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path

from pydantic import ValidationError

from assay.digest import digest_of, sha256_hex
from assay.errors import UserError
from assay.model.ports import imports_of, scoring_part
from assay.sabotage.matrix import Matrix
from assay.stores.artifacts import Artifacts, MissingArtifact
from assay.stores.code import FIRST_PARTY, INSTALLED, Sources
from assay.stores.goldsets import Source
from assay.stores.index import Index
from assay.stores.targets import target_digest

FORMAT = 1
GROUP = "assay.defects"
"""The entry points under which packages give defects: a Defect, several, or a function of nothing that gives either."""


def known_matrix(source: Source, home: Path) -> Matrix | None:
    """The suite's whole matrix, as `assay sabotage` last made it from these bytes; None where there is none for them."""
    artifacts = Artifacts(home)
    try:
        ref = Index(home, artifacts).find(key_by_text(source))
        return None if ref is None else Matrix.model_validate(artifacts.get(ref))
    except (UserError, MissingArtifact, ValidationError):
        return None


def key_by_text(source: Source, sources: Sources = INSTALLED) -> str:
    """The key of the whole matrix with all first-party code by its bytes, taken from `sources`.

    Raises InputError as `ingredients` does.
    """
    return f"sabotage-known/{digest_of(ingredients(source, _code_by_text(sources)))}"


def ingredients(source: Source, code: str, only: Sequence[str] = ()) -> dict[str, object]:
    """All that a matrix depends on: code, the whole suite, its recordings, its targets' code and others' defects.

    Raises InputError for a target or entry point that is not there, and for half a recording.
    """
    suite = source.suite
    where = f"{source.shown}/suite.yaml"
    recordings = {name: found for name in suite.providers if (found := source.recording(name)) is not None}
    named = {p.target for p in suite.providers.values() if p.target} | {*imports_of(scoring_part(suite.kind), suite.options)}
    return {
        "format": FORMAT,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "code": code,
        "suite": suite.model_dump(mode="json"),
        "files": {role: [name, sha256_hex(data)] for role, (name, data) in source.files.items()},
        "contract": [source.prompt, source.response_schema],
        "baseline": None if source.baseline is None else sha256_hex(source.baseline),
        "recordings": {name: [sha256_hex(part) for part in found] for name, found in recordings.items()},
        "code of others": {name: target_digest(source.root, where, name) for name in sorted(named)},
        "defects of others": _defects_of_others(source),
        "only": sorted(only),
    }


def _defects_of_others(source: Source) -> dict[str, str]:
    """The code behind entry points, by their names."""
    return {
        point.name: target_digest(source.root, f"entry point {point.name} of {GROUP}", point.value)
        for point in entry_points(group=GROUP)
    }


def _code_by_text(sources: Sources) -> str:
    """One digest over the bytes of every file in the first-party packages, reached or not."""
    tops = {top: path.parent for top in FIRST_PARTY if (path := sources.path(top)) is not None}
    return digest_of(
        {
            f"{top}/{path.relative_to(folder).as_posix()}": sha256_hex(path.read_bytes())
            for top, folder in tops.items()
            for path in folder.rglob("*.*")
            if path.suffix != ".pyc" and path.is_file()
        }
    )
