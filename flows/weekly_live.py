"""The flow of the schedule: every provider that can be reached is asked anew, inside its budget, and filed as evidence."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from tasks._prefect import PrefectEngine  # sets Prefect's environment, so it comes before prefect

from prefect import flow  # isort: skip
from prefect.client.schemas.objects import State  # isort: skip
from prefect.states import Cancelled, Failed  # isort: skip

from pydantic import Field

from assay.errors import UserError
from assay.model.evidence import Limits
from assay.model.run import RunRequest
from assay.stores.evidence import alone
from assay.stores.goldsets import project_root, suites_in
from assay.stores.home import assay_home, evidence_home
from flows.choices import ALL, SuiteOrAll
from flows.showing import all_shown, tell_webhook
from flows.suites_run import Runner, run_suites
from flows.weekly import due, week_of


@flow(name="evaluate", flow_run_name="weekly live", persist_result=False, on_failure=[tell_webhook], on_crashed=[tell_webhook])
def weekly_live(
    suite: SuiteOrAll = ALL,
    providers: list[str] | None = None,
    repeat: Annotated[int, Field(ge=1, le=100)] = 1,
    max_requests: Annotated[int, Field(ge=1)] | None = 1000,
    max_usd: Annotated[float, Field(ge=0)] | None = 5.0,
    max_minutes: Annotated[float, Field(ge=0)] | None = 60.0,
    once_per_week: bool = False,
) -> State[dict[str, Any]]:
    """Measure live. Who cannot be reached is skipped by name; a limit cuts the asking short; runs never overlap.

    Args:
        suite: Which suite, or all that have a provider which can be asked.
        providers: Only these providers.
        repeat: How often each request is asked.
        max_requests: What one provider of one suite is asked at most.
        max_usd: What it may cost at most, where it has a price.
        max_minutes: How long asking it may take.
        once_per_week: Leave out what was measured in this ISO week already, but for what a tighter limit cut short.
    """
    try:
        root = project_root(Path.cwd())
        home, evidence = assay_home(root, os.environ), evidence_home(root, os.environ)
        period = week_of(datetime.now(UTC))
        wanted = [name for name in suites_in(root) if suite in {ALL, name}]
        with alone(evidence) as is_alone:
            if not is_alone:
                return Cancelled(message="another live run is measuring into the same evidence; nothing was asked")
            limits = Limits(max_requests=max_requests, max_usd=max_usd, max_minutes=max_minutes)
            names, left_out = due(root, wanted, evidence, period, once=limits if once_per_week else None)
            if not names and any("already" in why for why in left_out.values()):
                told = "; ".join(f"{name}: {why}" for name, why in left_out.items())
                return Cancelled(message=f"nothing was asked: {told}")
            request = RunRequest(
                suite,
                providers=tuple(providers or ()),
                mode="live",
                repeat=repeat,
                max_requests=max_requests,
                max_usd=max_usd,
                max_minutes=max_minutes,
                period=period,
            )
            runner = Runner(root, home, os.environ, "prefect", lambda: PrefectEngine(home))
            outcome = run_suites(names, request, runner, left_out)
    except UserError as error:
        return Failed(message=str(error))
    if not names:
        return Failed(message=f"NO VERDICT: no suite of {suite} has a provider that can be asked", name="NoVerdict")
    return all_shown(outcome, f"weekly live {period}")
