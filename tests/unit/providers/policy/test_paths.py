"""Where rules look in a decision."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from assay.evaluators.decision import Decision
from assay.providers.policy.paths import DecisionPath, value_at

RECORD = {"outcome": "keep", "metadata": {"lineage": "a", "facts": {"age": {"years": 3}, "zero": 0}}}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("outcome", "keep"),
        ("confidence", None),
        ("metadata.lineage", "a"),
        ("metadata.lineage.x", None),
        ("facts.age.years", 3),
        ("facts.zero", 0),
        ("facts.none", None),
    ],
)
def test_a_path_leads_to_the_value_or_to_nothing(path: str, value: object) -> None:
    assert value_at(RECORD, path) == value


def test_an_object_is_read_like_its_dict() -> None:
    decision = Decision("d", "loans", "s", "r", "keep", 0.5, "2026-11-02T00:00:00+00:00", "m", RECORD["metadata"])  # type: ignore[arg-type]  # a mapping
    assert value_at(decision, "outcome") == "keep"
    assert value_at(decision, "facts.age.years") == 3
    assert value_at(None, "outcome") is None


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("outcom", "Did you mean 'outcome'?"),
        ("outcome.x", "outcome holds no names"),
        ("facts", "facts needs a name"),
        ("facts.", "facts needs a name"),
        ("metadata..x", "metadata needs a name"),
        ("", "no such place"),
    ],
)
def test_a_path_that_leads_nowhere_in_any_decision_is_refused(path: str, part: str) -> None:
    with pytest.raises(ValidationError, match="1 validation error") as error:
        TypeAdapter(DecisionPath).validate_python(path)
    assert part in str(error.value)
