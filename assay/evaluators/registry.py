"""Evaluators by name: ours, and those that installed distributions declare in the entry point group `assay.evaluators`.

An entry point `name = package.module:function` is all a distribution needs; its code is imported when the evaluator is asked
for.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import cast

from assay.errors import Problem, nearest
from assay.evaluators.decision_scores import decision_scores
from assay.evaluators.equality import exact_match
from assay.evaluators.guard import told
from assay.evaluators.judge import llm_as_judge
from assay.evaluators.keywords import keyword_check
from assay.evaluators.levenshtein import levenshtein
from assay.evaluators.metric import Evaluator
from assay.evaluators.pattern import regex_match
from assay.evaluators.ranges import length_range, numeric_range, temporal_range
from assay.evaluators.refusal import InvalidCall
from assay.evaluators.rouge import rouge

GROUP = "assay.evaluators"
BUILT_IN: Mapping[str, Evaluator] = MappingProxyType(
    {
        "decision_scores": decision_scores,
        "exact_match": exact_match,
        "keyword_check": keyword_check,
        "length_range": length_range,
        "levenshtein": levenshtein,
        "llm_as_judge": llm_as_judge,
        "numeric_range": numeric_range,
        "regex_match": regex_match,
        "rouge": rouge,
        "temporal_range": temporal_range,
    }
)
OURS = "assay"


def list_evaluators() -> list[str]:
    """The names of all evaluators, sorted. Raises InvalidCall when two have one name."""
    return sorted([*BUILT_IN, *_plug_ins()])


def get_evaluator(name: str) -> Evaluator:
    """The evaluator of that name. Raises InvalidCall, listing the known ones, for an unknown name or one that does not load."""
    plug_ins = _plug_ins()
    if name in BUILT_IN:
        return BUILT_IN[name]
    if name not in plug_ins:
        known = list_evaluators()
        raise InvalidCall(
            Problem("evaluators", "unknown evaluator", name, f"one of {', '.join(known)}", nearest(str(name), known))
        )
    return _loaded(plug_ins[name])


def evaluator_origin(name: str) -> str:
    """Whose an evaluator is: `assay`, or the distribution, its version and the function. For reports and stage keys."""
    plug_in = _plug_ins().get(name)
    if plug_in is not None:
        return _origin(plug_in)
    get_evaluator(name)
    return OURS


def _plug_ins() -> Mapping[str, EntryPoint]:
    return _plug_ins_on(tuple(sys.path))


@lru_cache(maxsize=4)
def _plug_ins_on(path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    """The entry points of what is installed on that path."""
    found: dict[str, EntryPoint] = {}
    problems = []
    for point in entry_points(group=GROUP):
        other = OURS if point.name in BUILT_IN else _origin(found[point.name]) if point.name in found else None
        if other is not None:
            problems.append(
                Problem(
                    f"entry point {point.name!r}",
                    f"two evaluators have this name: {other} and {_origin(point)}",
                    expected="one",
                    remedy="Uninstall or rename one of them.",
                )
            )
        found[point.name] = point
    if problems:
        raise InvalidCall(problems)
    return MappingProxyType(found)


def _loaded(point: EntryPoint) -> Evaluator:
    try:
        loaded = point.load()
    except Exception as fault:  # foreign code may raise anything while it is imported
        problem = Problem(f"evaluator {point.name!r}", f"of {_origin(point)} cannot be loaded ({told(fault)})")
        raise InvalidCall(problem) from fault
    if not callable(loaded):
        raise InvalidCall(Problem(f"evaluator {point.name!r}", f"of {_origin(point)} is no function", loaded))
    return cast("Evaluator", loaded)


def _origin(point: EntryPoint) -> str:
    owner = f"{point.dist.name} {point.dist.version}" if point.dist else "an unnamed distribution"
    return f"{owner} ({point.value})"
