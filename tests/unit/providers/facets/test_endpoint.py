"""An orchestrator behind HTTP: what is asked, what is taken, and every odd answer the failure of its task."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("openai", reason="the extra `live` is not installed")

from assay.errors import UsageError
from assay.providers.client import EndpointRefused
from assay.providers.facets.endpoint import endpoint_factory
from assay.providers.facets.evaluation import EvalReport, run
from assay.providers.facets.port import Endpoint
from tests.builders import provider
from tests.unit.providers.facets.answer_server import Script, Seen, answering, saying
from tests.unit.suites.facets.facet_builders import scenario, task

TWO = scenario(task("How much?", "40 litres"), task("And the church?", "twelve turns"))


def reported(script: Script, **live: Any) -> tuple[EvalReport, Seen]:
    with answering(script) as seen:
        asked = provider("manual", live={"base_url": seen.url, "timeout_s": 5, **live})
        return run(TWO, endpoint_factory(Endpoint("e", asked, {"E_KEY": "key-of-the-test"}))), seen


def test_a_text_with_its_sources_is_an_answer() -> None:
    report, seen = reported(saying({"text": "It lifts 40 litres.", "sources": ["w17", "w17"], "mood": "good"}))
    assert [row.facet_recall for row in report.per_task] == [1.0, 0.0]
    assert (report.facet_recall, report.mean_weighted_score, report.constraints_met_rate) == (0.5, None, None)
    assert seen.paths == ["/v1/answer"] * 2
    assert seen.bodies == [{"question": t.question, "session": "works-0"} for t in TWO.tasks]


def test_all_that_a_service_tells_is_taken() -> None:
    told = {
        "answer": "?",
        "responses": ["40 litres, twelve turns"],
        "weighted_score": 0.5,
        "constraints_met": True,
        "events": [{"provider": "a", "reasons": ["refusal"]}],
        "subtasks": 2,
    }
    report, _ = reported(saying(told))
    assert report.summary() == "works: 2 tasks, facet recall 1.00, mean J 0.500, constraints met 100%, throttle events 2"
    assert [row.subtasks for row in report.per_task] == [2, 2]


def test_the_key_comes_from_the_environment() -> None:
    _, seen = reported(saying({"text": ""}), api_key_env="E_KEY")
    assert seen.keys == ["Bearer key-of-the-test"] * 2


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (saying({"text": "x"}, 500), "Unanswered: HTTP 500"),
        (saying(b"no JSON"), "Unanswered: an answer that cannot be read (Invalid JSON: expected ident at line 1 column 2)"),
        (saying({"sources": []}), "Unanswered: an answer that cannot be read (text: Field required)"),
        (saying({"text": "x", "subtasks": -1}), "subtasks: Input should be greater than or equal to 0"),
    ],
)
def test_an_odd_answer_is_the_failure_of_its_task(script: Script, told: str) -> None:
    report, _ = reported(script)
    assert (report.facet_recall, report.throttle_events) == (None, None)
    assert all(told in (row.error or "") for row in report.per_task)


def test_one_task_may_fail_and_the_next_go_on() -> None:
    def script(asked: dict[str, Any]) -> tuple[int, bytes]:
        is_first = asked["question"] == "How much?"
        return (503, b"") if is_first else (200, json.dumps({"text": "twelve turns"}).encode())

    report, _ = reported(script)
    assert [row.facet_recall for row in report.per_task] == [None, 1.0]


def test_a_refused_key_stops_all() -> None:
    with pytest.raises(EndpointRefused, match="HTTP 401"):
        reported(saying({}, 401))


def test_a_missing_key_is_told_before_anything_is_asked() -> None:
    with answering(saying({"text": ""})) as seen:
        asked = provider("manual", live={"base_url": seen.url, "api_key_env": "OTHER_KEY"})
        with pytest.raises(UsageError, match="OTHER_KEY is not set"):
            run(TWO, endpoint_factory(Endpoint("e", asked, {})))
    assert seen.bodies == []
