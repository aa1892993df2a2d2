"""What a declaration may say of a provider, and what follows from the cutoff that its options give."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from assay.model.suite import Control, GateRule, Provider, Suite
from tests.builders import control, provider

FLOOR = {"metric": "recall@k", "floor": 0.15}
NO_FLOOR = {"metric": "recall@k"}
CODE = "shop.search:make"


def declared(**fields: Any) -> Provider:
    return Provider.model_validate({"enforcement": "ci", "model": "m", **fields})


def suite(**changes: Any) -> Suite:
    fields: dict[str, Any] = {
        "format": 1,
        "suite": "retrieval",
        "version": "v1",
        "kind": "retrieval",
        "title": "Rankings",
        "synthetic": True,
        "files": {"queries": "q.jsonl"},
        "providers": {
            "semantic": provider(target=CODE),
            "keyword": control("positive_control", "recall@k", floor=0.15),
            "hash": control("negative_control", "precision@k"),
        },
        "gate": GateRule(metrics=("recall@k", "mrr"), floors={"recall@k": 0.7, "mrr": 0.6}, ceilings={"top@k": 0.5}),
        "options": {"top_k": 5},
        **changes,
    }
    return Suite.model_validate(fields)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"role": "subject", "target": CODE},
        {"target": CODE, "recorded_as": "arrow"},
        {"claims": "none"},
        {"role": "positive_control", "target": CODE, "control": FLOOR},
        {"role": "negative_control", "target": CODE, "control": NO_FLOOR, "of": "openai"},
        {"role": "trivial_strategy", "target": CODE, "control": NO_FLOOR},
        {"role": "positive_control", "target": CODE, "control": {"metric": "m", "floor": 0.0}},
    ],
)
def test_a_provider_whose_parts_fit_its_role_is_accepted(fields: dict[str, Any]) -> None:
    assert declared(**fields).enforcement == "ci"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"role": "positive_control", "target": CODE}, "a control's role needs `control`, and a subject has none"),
        ({"role": "trivial_strategy", "target": CODE}, "a control's role needs `control`, and a subject has none"),
        ({"role": "subject", "target": CODE, "control": NO_FLOOR}, "a control's role needs `control`, and a subject has none"),
        ({"role": "positive_control", "target": CODE, "control": NO_FLOOR}, "a positive control needs `control.floor`"),
        ({"role": "negative_control", "target": CODE, "control": FLOOR}, "a positive control needs `control.floor`"),
        ({"role": "trivial_strategy", "target": CODE, "control": FLOOR}, "and no other role has one"),
        ({"role": "trivial_strategy", "control": NO_FLOOR}, "belong to a provider with a `target`"),
        ({"recorded_as": "arrow"}, "belong to a provider with a `target`"),
        ({"of": "openai"}, "belong to a provider with a `target`"),
        ({"target": "shop.search"}, "String should match pattern"),
        ({"target": "shop/search.py:make"}, "String should match pattern"),
        ({"target": "shop.search:make()"}, "String should match pattern"),
        ({"claims": "some"}, "Input should be 'none'"),
        ({"recorded_as": "pickle", "target": CODE}, "Input should be 'arrow'"),
    ],
)
def test_a_provider_whose_parts_do_not_fit_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        declared(**fields)
    assert said in str(caught.value)


def test_a_control_names_its_metric() -> None:
    with pytest.raises(ValidationError):
        Control(metric="")


def test_at_its_cutoff_every_name_has_the_number() -> None:
    found = suite().at_its_cutoff()
    assert found.gate.metrics == ("recall@5", "mrr")
    assert found.gate.floors == {"recall@5": 0.7, "mrr": 0.6}
    assert found.gate.ceilings == {"top@5": 0.5}
    metrics = {name: one.control.metric for name, one in found.providers.items() if one.control}
    assert metrics == {"keyword": "recall@5", "hash": "precision@5"}
    assert found.providers["semantic"] == suite().providers["semantic"]
    assert found.providers["keyword"].control == Control(metric="recall@5", floor=0.15)


@pytest.mark.parametrize("options", [{}, {"top_k": "5"}, {"top_k": None}, {"top_k": 2.5}])
def test_without_a_cutoff_names_stay_as_they_are(options: dict[str, Any]) -> None:
    assert suite(options=options).at_its_cutoff() == suite(options=options)


def test_a_name_that_has_its_number_already_keeps_it() -> None:
    found = suite(gate=GateRule(metrics=("recall@3", "k", "@k")), options={"top_k": 20}).at_its_cutoff()
    assert found.gate.metrics == ("recall@3", "k", "@20")


def test_at_its_cutoff_a_suite_stays_what_it_is() -> None:
    once = suite().at_its_cutoff()
    assert once.at_its_cutoff() == once


def test_constants_are_all_absolute_bounds_by_what_they_bound() -> None:
    assert suite().at_its_cutoff().constants == {
        "floor recall@5": 0.7,
        "floor mrr": 0.6,
        "ceiling top@5": 0.5,
        "floor-of-keyword recall@5": 0.15,
    }
    assert suite(providers={"p": provider()}, gate=GateRule(metrics=("m",))).constants == {}


def test_subjects_and_controls_are_all_providers_and_none_twice() -> None:
    found = suite()
    assert list(found.subjects) == ["semantic"]
    assert list(found.controls) == ["keyword", "hash"]
    assert {**found.subjects, **found.controls} == found.providers


def test_a_suite_may_send_no_prompt() -> None:
    assert suite().contract is None
