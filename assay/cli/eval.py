"""`assay eval`: one scenario through one orchestrator, reported in the system's own words."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.workspace import workspace

if TYPE_CHECKING:
    from assay.providers.facets.port import Orchestrator, OrchestratorFactory, Surroundings
    from assay.providers.retrieval.embedder import Embedder
    from assay.suites.facets.scenario import Scenario

SUFFIXES = (".yaml", ".yml")
KEY = "ASSAY_EVAL_KEY"
SYSTEM = "assay.providers.facets.poincare:orchestrator"


@click.command("eval")
@click.argument("scenario", metavar="NAME|FILE")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--orchestrator", default=SYSTEM, metavar="MODULE:FACTORY", help="What answers.  [default: poincare-orchestra]")
@click.option("--url", metavar="URL", help="Ask an HTTP endpoint instead; its key, if any, is in $ASSAY_EVAL_KEY.")
@click.option(
    "--embedder", type=click.Choice(["own", "minilm"]), default="own", show_default=True, help="What retrieval rests on."
)
@click.option("--now", metavar="TIME", help="The clock, ISO 8601 with its zone.  [default: a fixed instant]")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of simulated providers.")
@click.option(
    "--measure-latency", is_flag=True, help="Let simulated providers sleep and time them; then events depend on the machine."
)
@click.option("--audit", is_flag=True, help="Put the scenario's facets on trial instead. Exit 1 on a fault.")
def evaluate(  # noqa: PLR0913  # one parameter per option
    scenario: str,
    *,
    as_json: bool,
    orchestrator: str,
    url: str | None,
    embedder: str,
    now: str | None,
    seed: int,
    measure_latency: bool,
    audit: bool,
) -> int:
    """Run the tasks of a scenario, a bundled NAME or a FILE, and report facet recall. Exit 1 where a task has no answer."""
    from assay.providers.facets.evaluation import run
    from assay.providers.facets.latency import declared
    from assay.providers.facets.port import NOW, Surroundings
    from assay.suites.facets.limits import UNJUDGED

    found = _scenario(scenario)
    if audit:
        return _audited(found, as_json=as_json)
    surroundings = Surroundings(
        now=_time(now) if now else NOW,
        seed=seed,
        latency=None if measure_latency else declared(),
        embedder=_minilm() if embedder == "minilm" else None,
    )
    report = run(found, _endpoint(url) if url else _factory(orchestrator), surroundings)
    click.echo(report.to_json() if as_json else "\n".join(report.lines()))
    click.echo("\n".join([*report.unanswered, UNJUDGED]), err=True)
    return 1 if report.unanswered else 0


def _scenario(name: str) -> Scenario:
    from assay.providers.facets.poincare import packaged_scenario
    from assay.stores.files import read_file
    from assay.suites.facets.scenario_file import scenario_of

    path = Path(name)
    if path.suffix.lower() in SUFFIXES or path.is_file():
        return scenario_of(read_file(path, name), name)
    return packaged_scenario(name)


def _factory(name: str) -> OrchestratorFactory:
    from assay.errors import Problem, UsageError, UserError
    from assay.stores.targets import imported

    if not all(name.partition(":")):
        raise UsageError(Problem("--orchestrator", "is no import string", name, "package.module:factory"))
    factory: OrchestratorFactory = imported(workspace().root, "--orchestrator", name)

    def made(scenario: Scenario, surroundings: Surroundings) -> Orchestrator:
        try:
            return factory(scenario, surroundings)
        except UserError:
            raise
        except Exception as crash:  # noqa: BLE001  # the user's factory may raise anything
            told = f"cannot be made ({type(crash).__name__}: {crash})"
            expected = "a factory that takes scenario and surroundings, and gives an object with `ask(question)`"
            raise UsageError(Problem("--orchestrator", told, name, expected)) from None

    return made


def _endpoint(url: str) -> OrchestratorFactory:
    from assay.model.suite import Live, Provider
    from assay.providers.facets.endpoint import endpoint_factory
    from assay.providers.facets.port import Endpoint

    environ = workspace().environ
    key = KEY if environ.get(KEY) else None
    provider = Provider(enforcement="manual", model="endpoint", live=Live(base_url=url, api_key_env=key))
    return endpoint_factory(Endpoint("--url", provider, environ))


def _minilm() -> Embedder:
    from assay.providers.facets.targets import OneByOne
    from assay.providers.retrieval.minilm import MiniLM

    return OneByOne(MiniLM())


def _time(text: str) -> datetime:
    from assay.errors import Problem, UsageError

    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise UsageError(Problem("--now", "is no time with a zone", text, "for example 2026-01-15T12:00:00+00:00"))
    return found


def _audited(scenario: Scenario, *, as_json: bool) -> int:
    from assay.reporting.console import print_audit
    from assay.suites.facets.audit import audit_scenarios
    from assay.suites.facets.options import AuditOptions

    found = audit_scenarios([scenario], AuditOptions()).model_copy(update={"suite": scenario.name, "version": "scenario"})
    if as_json:
        click.echo(found.model_dump_json(indent=2))
    else:
        print_audit(found)
    return 1 if found.faults else 0
