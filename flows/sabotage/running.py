"""`assay sabotage`: the kill matrix of a suite, from the cache where nothing that it depends on has changed."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from assay.digest import digest_of
from assay.errors import Problem, UsageError, nearest
from assay.model.ports import module_name
from assay.sabotage.defect import Defect
from assay.sabotage.matrix import Matrix
from assay.stores.artifacts import Artifacts, Body, Ref
from assay.stores.code import INSTALLED, code_digest
from assay.stores.goldsets import Source, open_suite
from assay.stores.index import Index
from flows.sabotage.inverted import inverted_of
from flows.sabotage.known import ingredients, key_by_text
from flows.sabotage.memory import Shared
from flows.sabotage.own import defects_for
from flows.sabotage.trial import Bench, bench_of, seen_of, tried

PROCESSES = 2
YOUNG = 200_000
"""New objects after which garbage is looked for, as in the command itself."""
COSTLY = ("extraction", "facets")
"""Kinds whose suites are begun first."""
PARTS = ("cases", "requests", "scoring", "selftest", "calibration", "limits")
"""Modules of a kind that a run imports by name, as far as it has them."""


def sabotaged(source: Source, home: Path, only: Sequence[str] = ()) -> tuple[Matrix, bool]:
    """The suite's kill matrix, and whether the cache had it. `only` takes these defects alone, without inverted controls.

    Raises UserError for a suite that cannot be run, and for a defect that nobody knows.
    """
    defects = defects_for(source)
    _refuse_unknown(only, defects)
    artifacts = Artifacts(home)
    index, keys = Index(home, artifacts), _keys(source, only)
    known = index.find(keys[0])
    ref = known or _made(source, home, artifacts, [one for one in defects if not only or one.name in only], whole=not only)
    for key in keys:
        index.keep(key, ref)
    return Matrix.model_validate(artifacts.get(ref)), known is not None


def _keys(source: Source, only: Sequence[str]) -> list[str]:
    """What the matrix is kept under, the key that decides first; a whole matrix is also found by ordinary runs."""
    modules = [module_name(source.suite.kind, part) for part in PARTS]
    code = code_digest(__name__, *(module for module in modules if INSTALLED.path(module) is not None))
    decisive = f"sabotage/{digest_of(ingredients(source, code, only))}"
    return [decisive] if only else [decisive, key_by_text(source)]


def _made(source: Source, home: Path, artifacts: Artifacts, defects: Sequence[Defect], *, whole: bool) -> Ref:
    matrix = matrix_of(bench_of(source, Shared(home)), defects, whole=whole)
    return artifacts.put(Body("json", matrix.model_dump(mode="json"), len(matrix.mutants)))


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
