"""The gold set as it stands on disk, as targets and cases get it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from assay.model.exchange import Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.suite import Provider
from assay.model.target import Target, TargetContext
from assay.reading_yaml import yaml_mapping
from assay.suites.facets.cases import load
from assay.suites.facets.scenario import Scenario
from assay.suites.facets.scenario_file import scenario_of

FOLDER = Path(__file__).resolve().parents[4] / "goldsets" / "facets" / "v1"
OWN = ("greenhouse", "ferry_line", "seed_bank", "mountain_huts")


def declaration() -> dict[str, Any]:
    return yaml_mapping((FOLDER / "suite.yaml").read_bytes(), "suite.yaml")


@cache
def files() -> Mapping[str, tuple[str, bytes]]:
    named = declaration()["files"]
    return {role: (path, (FOLDER / path).read_bytes()) for role, path in named.items() if role != "calibration"}


@cache
def cases() -> Sequence[GoldCase]:
    return load(files())


def own(name: str) -> Scenario:
    return scenario_of((FOLDER / "scenarios" / f"{name}.yaml").read_bytes(), f"{name}.yaml")


def context(**fields: Any) -> TargetContext:
    given = {"cases": cases(), "provider": Provider(enforcement="manual", model="m"), "files": files(), **fields}
    return TargetContext(**given)


def replies(target: Target, asked: Sequence[GoldCase]) -> dict[str, tuple[Outcome, ...]]:
    """What the target answers to these cases."""

    def reply(case: GoldCase) -> Reply:
        return Reply(text=target.answer(case), finish_reason=None, model_served=None, usage=None, latency_ms=None)

    return {case.id: (reply(case),) for case in asked}
