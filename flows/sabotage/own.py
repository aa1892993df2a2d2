"""Defects that are not assay's own: of installed packages, and those that a suite declares for its system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points

from assay.errors import InputError, Problem, nearest
from assay.reading import raise_all
from assay.sabotage.catalogue.all import DEFECTS
from assay.sabotage.defect import LAYERS, Defect, InOptions, repeated_names
from assay.stores.goldsets import Source
from flows.sabotage import crew
from flows.sabotage.known import GROUP


def defects_for(source: Source, points: Iterable[EntryPoint] | None = None) -> tuple[Defect, ...]:
    """All defects for this suite, assay's own first. Raises InputError for names that are taken, unknown or mean nothing."""
    found = [*DEFECTS, *crew.DEFECTS, *installed(points), *_declared(source)]
    where = f"{source.shown}/suite.yaml: sabotage"
    twice = repeated_names(found)
    raise_all([Problem(where, "two defects have one name", name) for name in twice], where)
    known = [defect.name for defect in found]
    raise_all(
        [
            Problem(f"{where}.survivors", "unknown defect", name, "the name of a defect", nearest(name, known))
            for name in source.suite.sabotage.survivors
            if name not in known
        ],
        where,
    )
    return tuple(found)


def installed(points: Iterable[EntryPoint] | None = None) -> Iterator[Defect]:
    """The defects of installed packages, by the names of their entry points. Raises InputError for what is no defect."""
    for point in sorted(points if points is not None else entry_points(group=GROUP), key=lambda one: one.name):
        where = f"entry point {point.name} of {GROUP}"
        try:
            value = point.load()
            value = value if isinstance(value, Defect) or not callable(value) else value()
            given = [value] if isinstance(value, Defect) else list(value)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # code of others may raise anything
            raise InputError(Problem(where, f"cannot be loaded ({type(error).__name__}: {error})", point.value)) from None
        for one in given:
            if not isinstance(one, Defect) or one.layer not in LAYERS or not one.must_notice:
                raise InputError(Problem(where, "is no defect with a layer and checks that must notice it", type(one).__name__))
            yield one


def _declared(source: Source) -> Iterator[Defect]:
    """Those that the suite declares as options of its subject's target."""
    for name, told in source.suite.sabotage.system.items():
        yield Defect(name, "system", InOptions(told.options), told.must_notice)
