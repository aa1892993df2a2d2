"""What the README tells, with a real server and a real worker on loopback: deploy all, trigger, and see what becomes of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.runs.server import Api, eventually, serving
from tests.stages.conftest import copied
from tests.stages.copies import edited, environment, shrunk, swapped

pytestmark = pytest.mark.prefect
ROOT = Path(__file__).resolve().parents[2]
ENDED = {"COMPLETED", "FAILED", "CANCELLED", "CRASHED"}
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SCORING = "assay/suites/extraction/scoring.py"
LOSING_A_MEMORY = swapped("for m in result.memories]", "for m in result.memories if len(m.content) < 36]")
"""A regression in code: one sentence of the recording is longer."""
SCHEDULER_S = 2
"""How often the server looks for runs to schedule."""


@dataclass
class Hook:
    """A webhook on loopback and what it was told."""

    url: str = ""
    told: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Site:
    """A project with its own server, worker and webhook."""

    api: Api
    project: Path
    hook: Hook

    def prefect(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`prefect ARGUMENTS` as a user would type it in the project's folder."""
        command = [sys.executable, "-m", "prefect", *arguments]
        return subprocess.run(
            command, cwd=self.project, env=_environ(self), capture_output=True, text=True, timeout=120, check=False
        )

    def triggered(self, deployment: str, **parameters: object) -> str:
        """The id of a new run of a deployment."""
        body = json.dumps({"parameters": parameters, "state": {"type": "SCHEDULED"}}).encode()
        return str(self.api.posted(f"{self._place(deployment)}/create_flow_run", body)["id"])

    @contextmanager
    def scheduled(self, deployment: str, **parameters: object) -> Iterator[None]:
        """A schedule of a deployment, due in a moment and every minute; taken away at the end."""
        place = f"{self._place(deployment)}/schedules"
        first = datetime.now(UTC) + timedelta(seconds=2 * SCHEDULER_S)
        schedule = {"interval": 60, "anchor_date": first.isoformat()}
        body = [{"schedule": schedule, "active": True, "parameters": parameters}]
        (made,) = self.api.posted(place, json.dumps(body).encode())
        try:
            yield
        finally:
            self.api.deleted(f"{place}/{made['id']}")

    def _place(self, deployment: str) -> str:
        (found,) = self.api.asked("deployments", deployments={"name": {"any_": [deployment]}})
        return f"deployments/{found['id']}"

    def ended(self, run_id: str) -> dict[str, Any]:
        """The run, seen to its end."""
        return eventually(lambda: self.api.flow_run(run_id), lambda run: run["state_type"] in ENDED)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Server, pool, deployments and worker, each by the command that the README names."""
    project = shrunk(copied(tmp_path_factory.mktemp("site") / "project"))
    shutil.copy2(ROOT / "prefect.yaml", project)
    _committed(project)
    often = {"PREFECT_SERVER_SERVICES_SCHEDULER_LOOP_SECONDS": str(SCHEDULER_S)}
    with serving(tmp_path_factory.mktemp("server"), **often) as api, _hook() as hook:
        found = Site(api, project, hook)
        for arguments in (("work-pool", "create", "evals", "--type", "process"), ("deploy", "--all")):
            done = found.prefect(*arguments)
            assert done.returncode == 0, done.stdout + done.stderr
        with _worker(found):
            yield found


def test_all_three_are_deployed_each_with_its_form(site: Site) -> None:
    found = {deployment["name"]: deployment for deployment in site.api.asked("deployments")}
    assert sorted(found) == ["on-demand", "pull-request", "weekly-live"]
    form = found["on-demand"]["parameter_openapi_schema"]["properties"]
    assert form["suite"]["enum"] == ["all", "extraction"]
    assert form["mode"]["enum"] == ["replay", "record", "live"]
    assert (form["repeat"]["minimum"], form["repeat"]["maximum"]) == (1, 100)
    assert form["suite"]["description"] == "Which suite, or all."
    assert found["weekly-live"]["concurrency_options"]["collision_strategy"] == "CANCEL_NEW"
    assert found["weekly-live"]["global_concurrency_limit"]["limit"] == 1


def test_the_schedule_is_monday_at_six_in_its_own_timezone(site: Site) -> None:
    def scheduled() -> list[dict[str, Any]]:
        found = site.api.asked("flow_runs", deployments={"name": {"any_": ["weekly-live"]}})
        return [run for run in found if run["auto_scheduled"]]

    runs = eventually(scheduled, bool)
    starts = sorted(datetime.fromisoformat(run["expected_start_time"]) for run in runs)
    local = [start.astimezone(ZoneInfo("Europe/Berlin")) for start in starts]
    assert {(start.weekday(), start.hour, start.minute) for start in local} == {(0, 6, 0)}
    assert [(late - early).days for early, late in pairwise(local)] == [7] * (len(local) - 1)
    assert all(run["parameters"]["once_per_week"] for run in runs)


def test_on_demand_and_pull_request_complete_and_a_second_run_is_cached(site: Site) -> None:
    done = site.prefect("deployment", "run", "evaluate/on-demand", "-p", "suite=extraction")
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = set(UUID.findall(done.stdout)) & site.api.flow_run_ids()
    first = site.ended(made)
    assert (first["state_type"], first["state"]["message"][:15]) == ("COMPLETED", "PASS extraction")
    assert first["name"] == "extraction v1 replay: PASS"
    assert {"suite:extraction", "version:v1", "provider:openai", "verdict:PASS"} <= set(first["tags"])
    (artifact,) = site.api.artifacts(first["id"])
    assert (artifact["type"], artifact["key"]) == ("markdown", "report-extraction")
    assert artifact["data"].startswith("## PASS · extraction v1")
    again, pull_request = site.triggered("on-demand", suite="extraction"), site.triggered("pull-request")
    assert site.ended(again)["state_type"] == "COMPLETED"
    assert set(site.api.task_states(again, expected=6).values()) == {"Cached"}
    change = site.ended(pull_request)
    assert (change["state_type"], change["name"]) == ("COMPLETED", "pull request: PASS")
    assert re.fullmatch(
        "PASS: 0 suites touched, 1 unchanged since [0-9a-f]{12} and run all the same", change["state"]["message"]
    )
    assert {"pull-request", "verdict:PASS"} <= set(change["tags"])
    artifacts = {found["key"]: found["data"] for found in site.api.artifacts(change["id"])}
    assert sorted(artifacts) == ["pull-request", "report-extraction"]
    assert "oracle-aligned" in artifacts["pull-request"]


def test_a_regression_fails_scheduled_and_other_runs_with_the_verdict_as_message_and_whoever_listens_is_told(
    site: Site,
) -> None:
    def told() -> dict[str, dict[str, Any]]:
        return {one["deployment"]: one for one in site.hook.told if one["state"] == "Failed"}

    with edited(site.project / SCORING, LOSING_A_MEMORY), site.scheduled("on-demand", suite="extraction"):
        triggered = site.triggered("pull-request", sabotage=False)
        by_deployment = eventually(told, lambda found: len(found) == 2)
    assert sorted(by_deployment) == ["on-demand", "pull-request"]
    assert by_deployment["pull-request"]["flow_run_id"] == triggered
    for deployment, is_scheduled in (("on-demand", True), ("pull-request", False)):
        run = site.ended(by_deployment[deployment]["flow_run_id"])
        assert (run["state_type"], run["state_name"], run["auto_scheduled"]) == ("FAILED", "Failed", is_scheduled)
        assert by_deployment[deployment] == {
            "flow": "evaluate",
            "deployment": deployment,
            "flow_run": run["name"],
            "flow_run_id": run["id"],
            "state": "Failed",
            "message": run["state"]["message"],
            "scheduled": is_scheduled,
            "tags": sorted(run["tags"]),
            "unread": None,
        }
    scheduled = by_deployment["on-demand"]
    assert scheduled["message"].startswith(
        "FAIL extraction v1: openai: max_drop.recall_macro: recall_macro 0.6000 (n=5) against 1.0000 (n=5): "
    )
    assert scheduled["flow_run"] == "extraction v1 replay: FAIL"
    assert {"suite:extraction", "version:v1", "provider:openai", "verdict:FAIL"} <= set(scheduled["tags"])
    assert "Traceback" not in (site.project.parent / "worker.log").read_text(encoding="utf-8")


def test_no_verdict_is_told_apart_by_the_name_of_its_state_and_names_who_was_skipped(site: Site) -> None:
    runs = site.triggered("on-demand", suite="extraction", sample=1), site.triggered("weekly-live")
    sample, weekly = map(site.ended, runs)
    assert {(run["state_type"], run["state_name"]) for run in (sample, weekly)} == {("FAILED", "NoVerdict")}
    assert sample["state"]["message"].startswith("NO VERDICT extraction v1: ")
    assert "every provider was skipped: openai skipped (the variable OPENAI_API_KEY is not set)" in weekly["state"]["message"]
    assert not list((site.project / "evidence").glob("extraction/v1/*"))
    assert (site.api.home / "concurrency_leases").is_dir(), "who holds the one slot outlives the server"


def test_what_was_measured_this_week_is_not_measured_twice(site: Site) -> None:
    place = site.project / "evidence" / "extraction" / "v1" / "openai"
    place.mkdir(parents=True)
    year, week, _ = datetime.now(ZoneInfo("UTC")).isocalendar()
    ran = {
        "run": {"period": f"{year}-W{week:02d}", "started": "2026-11-30T05:00:00+00:00"},
        "cut": None,
        "skipped": {"vllm": "VLLM_BASE_URL is not set"},
    }
    (place / "2026-11-30.json").write_text(json.dumps(ran), encoding="utf-8")
    run = site.ended(site.triggered("weekly-live", once_per_week=True))
    assert run["state_type"] == "CANCELLED"
    assert "already: openai on 2026-11-30" in run["state"]["message"]


@pytest.mark.parametrize(
    ("parameters", "told"),
    [(("-p", "suite=nosuch"), "suite"), (("-p", "repeat=0"), "repeat"), (("-p", "nosuch=1"), "nosuch")],
)
def test_bad_parameters_are_refused_before_a_run_exists(site: Site, parameters: tuple[str, str], told: str) -> None:
    before = {run["id"] for run in site.api.asked("flow_runs") if not run["auto_scheduled"]}
    done = site.prefect("deployment", "run", "evaluate/on-demand", *parameters)
    assert done.returncode == 1
    assert told in done.stdout + done.stderr
    assert {run["id"] for run in site.api.asked("flow_runs") if not run["auto_scheduled"]} == before


def _environ(site: Site) -> dict[str, str]:
    own = {"ASSAY_ROOT": str(site.project), "ASSAY_WEBHOOK_URL": site.hook.url, "DO_NOT_TRACK": "1"}
    quick = {"PREFECT_WORKER_QUERY_SECONDS": "1", "PREFECT_RUNNER_POLL_FREQUENCY": "1", "PREFECT_CLI_COLORS": "false"}
    return environment(site.project, **site.api.environ, **own, **quick, PREFECT_CLI_PROMPT="false")


def _committed(project: Path) -> None:
    (project / ".gitignore").write_text(".assay/\n.prefect/\n/evidence/\n__pycache__/\n", encoding="utf-8")
    who = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    for arguments in (("init", "-q", "-b", "main"), ("add", "-A"), (*who, "commit", "-q", "-m", "all")):
        subprocess.run(["git", *arguments], cwd=project, check=True)


@contextmanager
def _worker(site: Site) -> Iterator[None]:
    log = site.project.parent / "worker.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "prefect", "worker", "start", "--pool", "evals", "--install-policy", "never"],
            cwd=site.project,
            env=_environ(site),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@contextmanager
def _hook() -> Iterator[Hook]:
    hook = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            hook.told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hook.url = f"http://127.0.0.1:{server.server_port}/hook?token=of-the-test"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield hook
    finally:
        server.shutdown()
        server.server_close()
