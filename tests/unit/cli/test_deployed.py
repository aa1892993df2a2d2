"""Deployments name flows below `assay`, where no project's own `flows` can hide them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.cli import deployed
from flows.evaluate import evaluate

TEMPLATE = Path(__file__).resolve().parents[3] / "assay" / "scaffold" / "project" / "prefect.yaml"
DEPLOYMENTS = {one["name"]: one for one in yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))["deployments"]}


def test_a_flow_is_found_by_its_name() -> None:
    assert deployed.evaluate is evaluate


def test_an_unknown_flow_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="there is no flow 'evalaute'"):
        _ = deployed.evalaute


@pytest.mark.parametrize("declared", DEPLOYMENTS.values(), ids=DEPLOYMENTS)
def test_what_the_scaffold_deploys_is_there_with_its_parameters(declared: dict[str, Any]) -> None:
    module, _, name = declared["entrypoint"].partition(":")
    assert module == deployed.__name__
    flow: Any = getattr(deployed, name)
    schedules = [schedule["parameters"] for schedule in declared.get("schedules", ())]
    assert {key for given in (declared["parameters"], *schedules) for key in given} <= set(flow.parameters.properties)
