"""`assay eval`: the report on stdout, what it does not judge on stderr, and faults as one message with exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("poincare_orchestra", reason="the extra `orchestra` is not installed")

from assay.cli.eval import evaluate
from assay.errors import UserError
from assay.providers.facets.evaluation import EvalReport, run
from assay.providers.facets.poincare import orchestrator, packaged_scenario
from assay.suites.facets.limits import UNJUDGED
from tests.unit.providers.facets.answer_server import answering, saying
from tests.unit.providers.facets.suite_v1 import FOLDER, own

GREENHOUSE = str(FOLDER / "scenarios" / "greenhouse.yaml")


def told(*arguments: str) -> Result:
    return CliRunner().invoke(evaluate, arguments, catch_exceptions=False, standalone_mode=False)


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


def test_a_packaged_scenario_is_reported_in_the_systems_words() -> None:
    found = told("support_kb")
    assert found.stdout == "\n".join(run(packaged_scenario("support_kb"), orchestrator).lines()) + "\n"
    assert found.stdout.startswith(
        "support_kb: 4 tasks, facet recall 1.00, mean J 0.733, constraints met 100%, throttle events 0\n  recall=1.00 J=0.812 "
    )
    assert (found.stderr, found.return_value) == (UNJUDGED + "\n", 0)


def test_json_of_a_file_goes_round() -> None:
    assert EvalReport.model_validate_json(told(GREENHOUSE, "--json").stdout) == run(own("greenhouse"), orchestrator)


def test_the_clock_may_be_any() -> None:
    assert told(GREENHOUSE, "--now", "2031-07-02T00:00:00+02:00").stdout == told(GREENHOUSE).stdout


def test_a_degraded_provider_shows_its_events_below_their_task() -> None:
    lines = told(str(FOLDER / "scenarios" / "kiln_degraded.yaml")).stdout.splitlines()
    assert lines[0].endswith("throttle events 4")
    assert lines[3] == "    !! throttling on provider-a: latency 0.06s vs median 0.01s, length 28 vs median 109"
    assert lines[5] == "    !! throttling on provider-b: error: RuntimeError"
    assert [line.split()[0] for line in lines[1:] if line.startswith("  recall")] == ["recall=1.00"] * 4


def test_an_endpoint_may_answer() -> None:
    with answering(saying({"text": "EC of 2.8 mS", "sources": ["feed_new"]})) as seen:
        found = told(GREENHOUSE, "--url", seen.url, "--json")
    assert json.loads(found.stdout)["facet_recall"] == 0.5


def test_an_endpoint_that_does_not_answer_has_no_figures_and_exit_code_1() -> None:
    with answering(saying({}, 503)) as seen:
        found = told(GREENHOUSE, "--url", seen.url, "--json")
    value = json.loads(found.stdout)
    assert (value["facet_recall"], value["throttle_events"]) == (None, None)
    assert value["undefined"] == "no answer to 2 of 2 tasks"
    questions = [task.question for task in own("greenhouse").tasks]
    assert found.stderr.splitlines() == [
        f"no answer to task 1, {questions[0]!r}: Unanswered: HTTP 503",
        f"no answer to task 2, {questions[1]!r}: Unanswered: HTTP 503",
        UNJUDGED,
    ]
    assert found.return_value == 1


def test_any_factory_may_answer() -> None:
    name = "assay.providers.facets.poincare:PoincareOrchestrator"
    assert told(GREENHOUSE, "--orchestrator", name).stdout == told(GREENHOUSE).stdout


def test_facets_may_be_put_on_trial_instead() -> None:
    assert told(GREENHOUSE, "--audit").return_value == 0
    found = told("support_kb", "--audit", "--json")
    assert found.return_value == 1
    assert json.loads(found.stdout)["faults"] == ["support_kb/t3: facet 'duplicate' occurs in the question itself"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["suport_kb"], "scenario: unknown scenario, got 'suport_kb'; expected a scenario file, or one of clinical_anatomy, "),
        (["nowhere.yaml"], "nowhere.yaml: no such file."),
        ([GREENHOUSE, "--now", "tomorrow"], "--now: is no time with a zone, got 'tomorrow'; "),
        ([GREENHOUSE, "--now", "2026-01-01"], "--now: is no time with a zone, got '2026-01-01'; "),
        ([GREENHOUSE, "--orchestrator", "nowhere"], "--orchestrator: is no import string, got 'nowhere'; "),
        (
            [GREENHOUSE, "--orchestrator", "nowhere:x"],
            "--orchestrator: cannot be imported (ModuleNotFoundError: No module named 'nowhere'), got 'nowhere:x'. "
            "Modules are looked for among what is installed, on PYTHONPATH, and below the project's root.",
        ),
        (
            [GREENHOUSE, "--orchestrator", "json:loads"],
            "--orchestrator: cannot be made (TypeError: loads() takes 1 positional argument but 2 were given), "
            "got 'json:loads'; expected a factory that takes scenario and surroundings, "
            "and gives an object with `ask(question)`.",
        ),
        (
            [GREENHOUSE, "--orchestrator", "operator:is_"],
            "orchestrator: has no method `ask`, got 'bool'; expected an object whose `ask(question)` gives a TaskAnswer.",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_exit_code_2(arguments: list[str], message: str) -> None:
    with pytest.raises(UserError) as found:
        told(*arguments)
    assert str(found.value).startswith(message)
    assert found.value.exit_code == 2


def test_a_malformed_file_lists_every_fault(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    text = Path(GREENHOUSE).read_text(encoding="utf-8")
    bad.write_text(text.replace("id: vents", "id: screen").replace("profile: controller", "profile: control"), encoding="utf-8")
    with pytest.raises(UserError) as found:
        told(str(bad))
    assert [(problem.what, problem.got) for problem in found.value.problems] == [
        ("the id stands twice", "screen"),
        ("unknown profile", "control"),
    ]
