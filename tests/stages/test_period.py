"""A live run that nobody waits for: who cannot be reached is skipped by name, a limit cuts it short, evidence is filed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.model.evidence import TOO_SOON, Limits, LiveEvidence
from assay.model.report import Report
from assay.model.run import RunOutcome, RunRequest
from assay.publication import updated
from assay.stores.baselines import read_baseline, write_baseline
from assay.stores.evidence import alone, measured_in
from assay.stores.goldsets import open_suite
from flows.calibration import calibrated
from flows.recording import record_oracle
from flows.suite_run import run_suite
from flows.weekly import due, week_of
from tasks._engine import Engine
from tests.builders import json_lines
from tests.fault_server import ANSWER, FaultServer, always, completion, saying
from tests.stages.copies import GOLD, pairs
from tests.stages.faulty import KEY, NOW, recorded, right, surroundings, with_cases
from tests.stages.recordings import ROOT, bare

WEEK = "2026-W49"
CASES = 20
WEEKLY = Limits(max_requests=1000, max_usd=5.0, max_minutes=60.0)
NOTHING = saying(completion('{"memories": []}'))
ABSENT = "the variable ABSENT_KEY is not set"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of made-up cases with two gated models, of which one has a key here, and a control made from the other.

    The first is recorded live, the second from the expectations; both have a baseline.
    """
    project = with_cases(bare(tmp_path_factory.mktemp("period")), CASES)
    path = project / GOLD / "suite.yaml"
    suite = yaml.safe_load(path.read_text(encoding="utf-8"))
    faulty = {**suite["providers"]["faulty"], "enforcement": "ci"}
    shuffled = {**suite["providers"]["shuffled"], "of": "absent", "control": {"metric": "full_match_rate"}}
    live = {**faulty["live"], "api_key_env": "ABSENT_KEY"}
    suite["providers"] = {"faulty": faulty, "absent": {**faulty, "live": live}, "shuffled": shuffled}
    suite["gate"] = {"metrics": ["full_match_rate"], "must_detect_pp": 100}
    path.write_text(json.dumps(suite), encoding="utf-8")
    (project / GOLD / "baseline.json").unlink()
    (project / GOLD / "matcher_pairs.jsonl").write_bytes(json_lines(*pairs()))
    source = open_suite(project, "extraction", calibrating=True)
    (project / GOLD / "calibration.json").write_bytes(calibrated(source, project / ".assay"))
    source = open_suite(project, "extraction")
    record_oracle(source, "absent", source.suite.providers["absent"], project / ".assay", NOW)
    with FaultServer(always(ANSWER), right) as server:
        recorded(project, server)
        report = parsed(measured(project, server, mode="replay", period=None))
    declared = {name: provider.enforcement for name, provider in source.suite.subjects.items()}
    for name in declared:
        old = read_baseline(source.folder, source.shown)
        new, _ = updated(old, report, name, run_id="r", reason="the first", today="2026-11-30", declared=declared)
        write_baseline(source.folder, new)
    shutil.rmtree(project / "evidence")
    return project


@pytest.fixture
def project(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "project"))


def measured(project: Path, server: FaultServer | None, **options: Any) -> RunOutcome:
    home, environ = project / ".assay", surroundings(server) if server else {}
    request = RunRequest("extraction", **{"mode": "live", "period": WEEK, **options})
    return run_suite(request, project, home, Engine(home), engine_name="offline", environ=environ)


def parsed(outcome: RunOutcome) -> Report:
    assert outcome.parsed is not None
    return outcome.parsed


def filed(project: Path) -> dict[str, LiveEvidence]:
    folder = project / "evidence" / "extraction" / "v1"
    paths = sorted(folder.glob("*/*.json"))
    return {str(path.relative_to(folder)): LiveEvidence.model_validate_json(path.read_bytes()) for path in paths}


def test_a_provider_without_a_key_is_skipped_by_name_and_the_others_are_judged(project: Path) -> None:
    with FaultServer(always(ANSWER), right) as server:
        outcome = measured(project, server)
    report = parsed(outcome)
    assert outcome.verdict == "PASS", outcome.headline
    assert outcome.headline.endswith(f"; skipped: absent ({ABSENT})")
    (providers,) = [check for check in report.checks if check.name == "providers"]
    assert (providers.status, providers.message) == ("kept", f"gated: faulty; absent skipped ({ABSENT})")
    assert (report.providers["absent"].metrics, report.providers["absent"].skipped) == ({}, ABSENT)
    assert report.providers["faulty"].metrics["full_match_rate"].value == 1.0
    (evidence,) = filed(project).values()
    assert (evidence.provider, evidence.run.period, evidence.skipped) == ("faulty", WEEK, {"absent": ABSENT})
    assert KEY not in evidence.model_dump_json()


def test_a_control_made_from_a_skipped_provider_takes_its_recording(project: Path) -> None:
    with FaultServer(always(ANSWER), right) as server:
        report = parsed(measured(project, server))
    (control,) = [check for check in report.checks if check.name == "control.shuffled"]
    assert (control.status, report.providers["shuffled"].metrics["full_match_rate"].n) == ("kept", CASES)


def test_without_a_period_a_missing_key_still_stops_everything(project: Path) -> None:
    with FaultServer(always(ANSWER), right) as server:
        with pytest.raises(Exception, match="ABSENT_KEY is not set"):
            measured(project, server, period=None)
        assert not server.seen


def test_all_providers_skipped_is_no_verdict(project: Path) -> None:
    outcome = measured(project, None)
    assert outcome.verdict == "NO VERDICT"
    assert "every provider was skipped: absent skipped (" in outcome.headline
    assert filed(project) == {}


def test_a_limit_judges_the_part_that_was_asked_and_never_passes(project: Path) -> None:
    with FaultServer(always(ANSWER), right) as server:
        outcome = measured(project, server, max_requests=5)
        assert len(server.seen) == 5
    faulty = parsed(outcome).providers["faulty"]
    assert outcome.verdict == "NO VERDICT"
    assert faulty.cut == "limit of 5 requests reached: 5 of 20 cases were asked"
    assert (faulty.metrics["full_match_rate"].n, faulty.baseline["full_match_rate"].n, len(faulty.cases)) == (5, 5, 5)
    status = {check.name: check.status for check in faulty.checks}
    assert (status["results"], status["live.cases_passed"]) == ("could-not-run", "kept")
    (evidence,) = filed(project).values()
    assert (evidence.cut, evidence.run.limits.max_requests, evidence.verdict) == (faulty.cut, 5, "NO VERDICT")


def test_a_part_is_enough_to_show_a_drop(project: Path) -> None:
    with FaultServer(always(NOTHING), right) as server:
        outcome = measured(project, server, max_requests=12)
    assert outcome.verdict == "FAIL"
    assert "12 cases lost, 0 won of 12" in outcome.headline


def test_which_part_is_asked_is_a_fair_sample_and_not_the_head_of_the_file(project: Path) -> None:
    with FaultServer(always(ANSWER), right) as server:
        asked = set(parsed(measured(project, server, max_requests=6)).providers["faulty"].cases)
    assert asked != {f"town-{number:03}" for number in range(6)}


def test_a_period_asks_once_and_the_next_period_asks_anew(project: Path) -> None:
    with FaultServer(always(ANSWER), right) as server:
        measured(project, server, max_requests=3)
        assert len(server.seen) == 3
        measured(project, server)
        assert len(server.seen) == CASES, "what was answered in this week is not asked again"
        measured(project, server, period="2026-W50")
        assert len(server.seen) == 2 * CASES
    names = sorted(filed(project))
    day = names[0].removeprefix("faulty/").removesuffix("-2.json").removesuffix(".json")
    assert names == sorted(f"faulty/{day}{again}.json" for again in ("", "-2", "-3"))


def test_a_limit_before_the_first_answer_skips(project: Path) -> None:
    with FaultServer(always(ANSWER), right) as server:
        outcome = measured(project, server, max_minutes=0.0)
    assert parsed(outcome).providers["faulty"].skipped == f"limit of 0 minutes reached {TOO_SOON}"
    assert outcome.verdict == "NO VERDICT"


def test_what_is_due_leaves_out_what_nobody_can_be_asked_for_and_what_is_measured(project: Path) -> None:
    evidence = project / "evidence"
    shutil.copytree(ROOT / "goldsets" / "decisions", project / "goldsets" / "decisions")
    names, left_out = due(project, ["decisions", "extraction", "nosuch"], evidence, WEEK, once=WEEKLY)
    assert (names, left_out) == (["extraction", "nosuch"], {"decisions": "no provider of it can be asked"})
    place = evidence / "extraction" / "v1" / "faulty"
    place.mkdir(parents=True)
    found = {"run": {"period": WEEK, "started": "2026-12-01T05:00:00", "limits": WEEKLY.model_dump()}, "cut": None}
    (place / "2026-12-01.json").write_text(json.dumps({**found, "skipped": {}}), "utf-8")
    assert due(project, ["extraction"], evidence, WEEK, once=WEEKLY) == (["extraction"], {}), "the others were not asked"
    others = {name: "no key" for name in open_suite(project, "extraction").suite.subjects if name != "faulty"}
    (place / "2026-12-01.json").write_text(json.dumps({**found, "skipped": others}), "utf-8")
    (place / "2026-12-02.json").write_text("{torn", "utf-8")
    names, left_out = due(project, ["extraction"], evidence, WEEK, once=WEEKLY)
    assert (names, left_out) == ([], {"extraction": f"measured in {WEEK} already: faulty on 2026-12-01"})
    assert due(project, ["extraction"], evidence, WEEK, once=None) == (["extraction"], {})
    assert due(project, ["extraction"], evidence, "2026-W50", once=WEEKLY) == (["extraction"], {})
    assert measured_in(evidence, "extraction", "v1", "absent", WEEK, WEEKLY) is None


def test_a_trial_that_was_cut_short_does_not_stand_for_the_week_and_the_whole_does(project: Path) -> None:
    evidence = project / "evidence"
    with FaultServer(always(ANSWER), right) as server:
        measured(project, server, max_requests=3)
        assert due(project, ["extraction"], evidence, WEEK, once=WEEKLY) == (["extraction"], {})
        again = WEEKLY.model_copy(update={"max_requests": 3})
        assert due(project, ["extraction"], evidence, WEEK, once=again)[0] == [], "it could ask no more"
        measured(project, server, max_requests=WEEKLY.max_requests)
    (day,) = {found.run.started[:10] for found in filed(project).values()}
    names, left_out = due(project, ["extraction"], evidence, WEEK, once=WEEKLY)
    assert (names, left_out) == ([], {"extraction": f"measured in {WEEK} already: faulty on {day}"})


def test_two_live_runs_never_measure_into_one_folder_at_once(tmp_path: Path) -> None:
    with alone(tmp_path) as first:
        with alone(tmp_path) as second:
            assert (first, second) == (True, False)
        with alone(tmp_path) as third:
            assert not third
    with alone(tmp_path) as after:
        assert after


def test_the_week_is_that_of_the_iso_calendar() -> None:
    assert week_of(NOW) == WEEK
    assert week_of(NOW.replace(year=2027, month=1, day=1)) == "2026-W53"
