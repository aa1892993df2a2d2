"""load: one case per task of every scenario file, and of the scenarios that an installed package brings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from pydantic import Field

from assay.errors import InputError, Problem
from assay.model.base import Frozen
from assay.model.exchange import Sha256
from assay.model.gold import GoldCase
from assay.model.ports import EVERY_OTHER
from assay.reading import validated
from assay.reading_yaml import yaml_mapping
from assay.suites.facets.scenario import Scenario
from assay.suites.facets.scenario_file import scenario_from

REQUIRED_FILES = (EVERY_OTHER,)
"""Whatever a suite calls its scenario files."""
TARGET_FILES: tuple[str, ...] = ()
"""None besides those."""
NO_SCENARIO = ("calibration",)
"""The names of files that are none."""
CASE_KEYS = ("tasks", "scenarios")
"""Top-level keys of a scenario file and of the file of packaged scenarios under which cases stand, which carry them whole."""
Group = Literal["live", "bundled", "degraded"]
"""`live` tasks make the means. The package's own scenarios, and those with disturbed providers, have means apart."""


class BundledTask(Frozen):
    """A task of a packaged scenario: what it expects, and its question by digest."""

    question_sha256: Sha256
    expected_facets: tuple[str, ...] = Field(min_length=1)


class BundledScenario(Frozen):
    """A scenario of an installed package, named by its content. Its texts stay in the package."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    sha256: Sha256
    """Of the package's own form of it, as canonical JSON."""
    tasks: tuple[BundledTask, ...] = Field(min_length=1)


class Bundled(Frozen):
    """The file that names packaged scenarios."""

    package: str = Field(min_length=1)
    """Distribution and version that they were taken from."""
    scenarios: tuple[BundledScenario, ...] = Field(min_length=1)


def load(files: Mapping[str, tuple[str, bytes]]) -> list[GoldCase]:
    """One case per task, in the order of the files. Raises InputError with every fault of all files."""
    scenarios, bundled = parse(files)
    found = [case for scenario in scenarios for case in _cases_of(scenario)]
    return found + [case for scenario in bundled for case in _bundled_cases(scenario)]


def parse(files: Mapping[str, tuple[str, bytes]]) -> tuple[list[Scenario], list[BundledScenario]]:
    """The suite's own scenarios, and those that it names in a package. Raises InputError with every fault of all files."""
    scenarios, bundled = list[Scenario](), list[BundledScenario]()
    problems: list[Problem] = []
    held = {role: file for role, file in files.items() if role not in NO_SCENARIO}
    if not held:
        raise InputError(Problem("suite.yaml: files", "names no scenario file", expected="at least one, by any name"))
    for shown, data in held.values():
        try:
            found = _read(data, shown)
            if isinstance(found, Scenario):
                scenarios.append(found)
            else:
                bundled += found.scenarios
        except InputError as error:
            problems += error.problems
    where = ", ".join(shown for shown, _ in held.values())
    problems += _twice([s.name for s in scenarios] + [s.name for s in bundled], where)
    if problems:
        raise InputError(problems)
    return scenarios, bundled


@lru_cache(maxsize=64)
def _read(data: bytes, shown: str) -> Scenario | Bundled:
    value = yaml_mapping(data, shown)
    return validated(value, shown, Bundled) if "package" in value else scenario_from(value, shown)


def group_of(scenario: Scenario) -> Group:
    """Where the scenario's tasks are counted."""
    return "degraded" if scenario.disturbed else "live"


def case_id(scenario: str, task: str) -> str:
    """`<scenario>/<task>`."""
    return f"{scenario}/{task}"


def texts_of(case: GoldCase, key: str) -> list[str]:
    """A list of texts that the case expects; [] where it has none."""
    given = case.expected.get(key)
    return [str(text) for text in given] if isinstance(given, list) else []


def _cases_of(scenario: Scenario) -> Iterator[GoldCase]:
    for position, task in enumerate(scenario.tasks):
        yield GoldCase(
            id=case_id(scenario.name, scenario.task_id(position)),
            input={"scenario": scenario.name, "question": task.question, "position": position, "group": group_of(scenario)},
            expected=_expected(task.expected_facets, task.forbidden_facets, task.expected_events),
            strata=(scenario.name,),
        )


def _bundled_cases(scenario: BundledScenario) -> Iterator[GoldCase]:
    for position, task in enumerate(scenario.tasks):
        asked = {"scenario": scenario.name, "question_sha256": task.question_sha256, "position": position, "group": "bundled"}
        yield GoldCase(
            id=case_id(scenario.name, f"t{position + 1}"),
            input={**asked, "scenario_sha256": scenario.sha256},
            expected=_expected(task.expected_facets, (), ()),
            strata=(scenario.name,),
        )


def _expected(facets: Iterable[str], forbidden: Iterable[str], events: Iterable[str]) -> dict[str, list[str]]:
    return {"facets": list(facets), "forbidden_facets": list(forbidden), "events": list(events)}


def _twice(names: Sequence[str], where: str) -> Iterator[Problem]:
    yield from (Problem(where, "two scenarios have one name", name) for name, times in Counter(names).items() if times > 1)
