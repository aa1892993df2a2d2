"""`assay sabotage`: the kill matrix of a suite, from the cache where nothing that it depends on has changed."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import entry_points
from multiprocessing import get_context
from pathlib import Path

from assay.digest import digest_of, sha256_hex
from assay.errors import Problem, UsageError, nearest
from assay.model.ports import imports_of, module_name, scoring_part
from assay.sabotage.defect import Defect
from assay.sabotage.matrix import Matrix
from assay.stores.artifacts import Artifacts, Body
from assay.stores.code import code_digest
from assay.stores.goldsets import Source, open_suite
from assay.stores.index import Index
from assay.stores.targets import target_digest
from flows.sabotage.inverted import inverted_of
from flows.sabotage.memory import Shared
from flows.sabotage.own import GROUP, defects_for
from flows.sabotage.trial import Bench, bench_of, seen_of, tried

FORMAT = 1
PROCESSES = 2
YOUNG = 200_000
"""New objects after which garbage is looked for, as in the command itself."""
COSTLY = ("extraction", "facets")
"""Kinds whose suites are begun first."""
PARTS = ("cases", "scoring", "selftest", "calibration", "limits")


def sabotaged(source: Source, home: Path, only: Sequence[str] = ()) -> tuple[Matrix, bool]:
    """The suite's kill matrix, and whether the cache had it. `only` takes these defects alone, without inverted controls.

    Raises UserError for a suite that cannot be run, and for a defect that nobody knows.
    """
    defects = defects_for(source)
    _refuse_unknown(only, defects)
    artifacts = Artifacts(home)
    index, key = Index(home, artifacts), f"sabotage/{_recipe(source, only)}"
    known = index.find(key)
    if known is not None:
        return Matrix.model_validate(artifacts.get(known)), True
    matrix = matrix_of(bench_of(source, Shared(home)), [one for one in defects if not only or one.name in only], whole=not only)
    index.keep(key, artifacts.put(Body("json", matrix.model_dump(mode="json"), len(matrix.mutants))))
    return matrix, False


def matrix_of(bench: Bench, defects: Sequence[Defect], *, whole: bool = True) -> Matrix:
    """The matrix of these defects. `whole` adds the inverted controls and holds every declared survivor to its word."""
    suite, names = bench.source.suite, {defect.name for defect in defects}
    clean = seen_of(bench, None, reports=True)
    return Matrix(
        suite=suite.suite,
        version=suite.version,
        clean=clean.verdict,
        mutants=tuple(tried(bench, defects)),
        inverted=inverted_of(bench) if whole else (),
        survivors={name: why for name, why in suite.sabotage.survivors.items() if whole or name in names},
    )


def all_sabotaged(root: Path, names: Sequence[str], home: Path, told: Callable[[Matrix, bool], None]) -> list[Matrix]:
    """Every suite, at most two at a time, costly ones first; `told` gets each in the order of `names`."""
    sources = {name: open_suite(root, name) for name in names}
    order = sorted(names, key=lambda name: sources[name].suite.kind not in COSTLY)
    with ProcessPoolExecutor(min(PROCESSES, len(names)), mp_context=get_context("spawn")) as pool:
        found = {name: pool.submit(_one, root, name, home) for name in order}
        matrices = []
        for name in names:
            matrix, cached = found[name].result()
            told(matrix, cached)
            matrices.append(matrix)
    return matrices


def _one(root: Path, name: str, home: Path) -> tuple[Matrix, bool]:
    gc.set_threshold(YOUNG, 50, 100)
    return sabotaged(open_suite(root, name), home)


def _refuse_unknown(only: Sequence[str], defects: Sequence[Defect]) -> None:
    known = [defect.name for defect in defects]
    for name in only:
        if name not in known:
            raise UsageError(Problem("--defect", "unknown defect", name, f"one of {len(known)}", nearest(name, known)))


def _recipe(source: Source, only: Sequence[str]) -> str:
    """All that the matrix depends on: code, the whole suite, its recordings, its targets' code and others' defects."""
    suite = source.suite
    where = f"{source.shown}/suite.yaml"
    recordings = {name: found for name in suite.providers if (found := source.recording(name)) is not None}
    named = {p.target for p in suite.providers.values() if p.target} | {*imports_of(scoring_part(suite.kind), suite.options)}
    parts = [module_name(suite.kind, part) for part in PARTS]
    return digest_of(
        {
            "format": FORMAT,
            "python": f"{sys.version_info.major}.{sys.version_info.minor}",
            "code": code_digest(__name__, *parts),
            "suite": suite.model_dump(mode="json"),
            "files": {role: [name, sha256_hex(data)] for role, (name, data) in source.files.items()},
            "contract": [source.prompt, source.response_schema],
            "baseline": None if source.baseline is None else sha256_hex(source.baseline),
            "recordings": {name: [sha256_hex(part) for part in found] for name, found in recordings.items()},
            "code of others": {name: target_digest(source.root, where, name) for name in sorted(named)},
            "defects of others": _others(source),
            "only": sorted(only),
        }
    )


def _others(source: Source) -> dict[str, str]:
    """The code behind entry points, by their names."""
    return {
        point.name: target_digest(source.root, f"entry point {point.name} of {GROUP}", point.value)
        for point in entry_points(group=GROUP)
    }


def matrices_json(matrices: Sequence[Matrix]) -> str:
    """The matrices as JSON text."""
    found = [
        {
            **matrix.model_dump(mode="json"),
            "as_declared": matrix.is_as_declared,
            "undeclared": [mutant.name for mutant in matrix.undeclared],
            "declared_in_vain": [mutant.name for mutant in matrix.outdated],
        }
        for matrix in matrices
    ]
    return json.dumps(found, indent=2, ensure_ascii=False)
