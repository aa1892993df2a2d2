"""Canary secrets under Prefect: none in its results, logs, states and database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.counting_server import Endpoint, counting
from tests.runs.server import Api
from tests.stages.canaries import ALL, DROPPED, LIVE, QUERY, Stage, echoing
from tests.stages.recordings import KEY, bare, counted
from tests.stages.secret_search import places

pytestmark = pytest.mark.prefect


def test_no_secret_is_in_prefects_results_logs_or_database(api: Api, tmp_path: Path) -> None:
    before = api.flow_run_ids()
    with counting(Endpoint(slips=DROPPED)) as endpoint:
        stage = Stage(tmp_path, counted(bare(tmp_path / "project"), 2), endpoint)
        good = stage.run(*LIVE, **api.environ)
        assert "Report: " in good.text
        endpoint.slips = echoing("text", f"{KEY} {QUERY}")
        refused = stage.run(*LIVE, "--refresh", **api.environ)
    assert (refused.code, "holds the value of COUNTED_KEY" in refused.text) == (1, True)
    ours = {"flow_runs": {"id": {"any_": sorted(api.flow_run_ids() - before)}}}
    assert len(ours["flow_runs"]["id"]["any_"]) == 2
    told = {what: api.asked(what, **ours) for what in ("flow_runs", "task_runs", "artifacts")} | {"logs": api.asked("logs")}
    assert all(told.values())
    (tmp_path / "told-by-the-api.json").write_text(json.dumps(told), encoding="utf-8")
    assert stage.leaks() == []
    assert (api.home / "prefect.db").is_file()
    assert places(api.home, *ALL) == []
