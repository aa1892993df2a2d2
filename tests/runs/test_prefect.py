"""Real runs under Prefect: the same bytes and the same cache as offline, and what its UI and the console show."""

from __future__ import annotations

import base64
import json
import os
import pickle
import re
import shutil
from pathlib import Path

import pytest

from assay.model.run import plural
from tests.runs.server import Api, Evaluated, evaluated, evaluated_on
from tests.stages.conftest import copied
from tests.stages.copies import FAIL, GOLD, NO_VERDICT, PASS, USAGE, WHOLE, baseline, command, write_baseline

pytestmark = pytest.mark.prefect
RESCORED = ["score openai", "score smollm2", "score controls", "publish"]
"""What is computed again where all scores and the report are damaged."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One copy of the project for the runs that follow each other here."""
    return copied(tmp_path_factory.mktemp("prefect") / "project")


@pytest.fixture(scope="module")
def first(api: Api, shared: Path) -> Evaluated:
    return evaluated_on(api, shared)


@pytest.fixture(scope="module")
def second(api: Api, shared: Path, first: Evaluated) -> Evaluated:
    assert first.done.returncode == PASS, first.done.stdout
    return evaluated_on(api, shared)


@pytest.fixture(scope="module")
def offline(shared: Path, first: Evaluated) -> Evaluated:
    assert first.done.returncode == PASS, first.done.stdout
    return evaluated(shared, "--offline")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another copy, in another place."""
    return copied(tmp_path_factory.mktemp("elsewhere") / "project")


@pytest.fixture(scope="module")
def offline_then_prefect(api: Api, elsewhere: Path) -> tuple[Evaluated, Evaluated]:
    before = evaluated(elsewhere, "--offline")
    assert before.done.returncode == PASS, before.done.stdout
    return before, evaluated_on(api, elsewhere)


@pytest.fixture
def warm(shared: Path, first: Evaluated, tmp_path: Path) -> Path:
    """A copy that Prefect has run once, to be broken."""
    assert first.done.returncode == PASS, first.done.stdout
    return Path(shutil.copytree(shared, tmp_path / "warm"))


def settled(console: str) -> str:
    """The console without what differs between any two runs: seconds and the run's folder."""
    return re.sub(r"^Report: .*$", "Report:", re.sub(r" +\d+\.\d\d s ", " S ", console), flags=re.MULTILINE)


def with_ages(found: Evaluated) -> str:
    """The report, what only a day can tell, and that nobody has made a kill matrix here."""
    days = {name: plural(count, "day") for name, count in found.timing["ages_days"].items()}
    names = ("openai", "smollm2")
    ages = "\n".join(
        f"- age of {name}: baseline {days[f'{name}.baseline']}; recording {days[f'{name}.recording']}" for name in names
    )
    sabotage = "- sabotage: not made for these inputs; `assay sabotage extraction` makes it"
    return f"{found.files['report.md'].decode()}\n{ages}\n{sabotage}"


def damaged(project: Path) -> dict[Path, bytes]:
    """Changes one bit of all cached scores and of the cached report; returns these files as they were."""
    artifacts = project / ".assay" / "artifacts"
    whole = {path: path.read_bytes() for path in (*artifacts.rglob("*.arrow"), *artifacts.rglob("*.zip"))}
    assert len(whole) == len(RESCORED)
    for path, data in whole.items():
        middle = len(data) // 2
        path.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
    return whole


class Planted:
    """Makes a folder when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.marker),)


def pickled_entry(entry: str, marker: Path) -> str:
    """Prefect's entry with another serializer and body: an entry itself says how it is to be read."""
    value = json.loads(entry)
    value["metadata"]["serializer"] = {"type": "pickle", "picklelib": "pickle"}
    value["result"] = base64.encodebytes(pickle.dumps(Planted(marker))).decode()
    return json.dumps(value)


def test_a_passing_run_is_one_completed_flow_run_with_the_headline(api: Api, first: Evaluated) -> None:
    assert first.done.returncode == PASS
    assert first.timing["engine"] == "prefect"
    (run_id,) = first.flow_run_ids
    state = api.flow_run(run_id)["state"]
    assert (state["type"], state["name"], state["message"]) == ("COMPLETED", "Completed", first.headline)


def test_each_stage_is_one_task_of_its_name(api: Api, first: Evaluated) -> None:
    assert first.computed == WHOLE
    states = api.task_states(first.flow_run_ids[0], len(WHOLE))
    assert states == dict.fromkeys(WHOLE, "Completed")


def test_an_unchanged_second_run_is_shown_as_cached(api: Api, second: Evaluated) -> None:
    assert (second.done.returncode, second.computed) == (PASS, [])
    states = api.task_states(second.flow_run_ids[0], len(WHOLE))
    assert states == dict.fromkeys(WHOLE, "Cached")


def test_an_offline_run_after_one_with_prefect_is_all_cache_hits(offline: Evaluated) -> None:
    assert offline.timing["engine"] == "offline"
    assert (offline.done.returncode, offline.computed) == (PASS, [])


def test_a_run_with_prefect_after_an_offline_one_is_all_cache_hits_with_the_same_bytes(
    first: Evaluated, offline_then_prefect: tuple[Evaluated, Evaluated]
) -> None:
    before, after = offline_then_prefect
    assert (before.timing["engine"], after.timing["engine"]) == ("offline", "prefect")
    assert (before.computed, after.computed) == (WHOLE, [])
    assert after.files == before.files == first.files


def test_computed_or_cached_with_or_without_prefect_the_files_are_the_same(
    first: Evaluated, second: Evaluated, offline: Evaluated
) -> None:
    assert sorted(first.files) == ["junit.xml", "report.html", "report.json", "report.md", "scores.parquet"]
    assert first.files == second.files == offline.files


def test_the_flow_run_shows_the_report_as_a_markdown_artifact(api: Api, first: Evaluated) -> None:
    (artifact,) = api.artifacts(first.flow_run_ids[0])
    assert (artifact["type"], artifact["key"]) == ("markdown", "report-extraction")
    assert artifact["description"] == first.headline
    assert artifact["data"] == with_ages(first)


def test_the_console_with_prefect_shows_what_the_console_without_it_shows(second: Evaluated, offline: Evaluated) -> None:
    assert settled(second.done.stdout) == settled(offline.done.stdout)
    assert (second.done.stderr, offline.done.stderr) == ("", "")


def test_a_failing_gate_is_a_failed_flow_run_and_no_traceback(api: Api, warm: Path) -> None:
    numbers = baseline(warm)
    recall = numbers["providers"]["openai"]["metrics"]["recall_macro"]
    recall["value"] += 0.04
    write_baseline(warm, numbers)
    found = evaluated_on(api, warm)
    state = api.flow_run(found.flow_run_ids[0])["state"]
    assert (found.done.returncode, found.done.stderr) == (FAIL, "")
    assert found.headline.startswith("FAIL extraction v1: openai: max_drop.recall_macro: ")
    assert (state["type"], state["name"], state["message"]) == ("FAILED", "Failed", found.headline)
    assert "Traceback" not in found.done.stdout
    assert found.computed == ["gate", "publish"]
    assert [artifact["data"] for artifact in api.artifacts(found.flow_run_ids[0])] == [with_ages(found)]


def test_no_verdict_is_a_state_of_its_own(api: Api, warm: Path) -> None:
    (warm / GOLD / "baseline.json").unlink()
    found = evaluated_on(api, warm)
    state = api.flow_run(found.flow_run_ids[0])["state"]
    assert (found.done.returncode, found.done.stderr) == (NO_VERDICT, "")
    assert found.headline.startswith("NO VERDICT extraction v1: openai: baseline: no baseline yet")
    assert (state["type"], state["name"], state["message"]) == ("FAILED", "NoVerdict", found.headline)
    assert "Traceback" not in found.done.stdout


def test_an_input_error_has_the_same_words_with_and_without_prefect(api: Api, warm: Path) -> None:
    with (warm / GOLD / "conversations.jsonl").open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    plain = command(warm, "run", "extraction", "--offline")
    before = api.flow_run_ids()
    found = command(warm, "run", "extraction", **api.environ)
    (run_id,) = api.flow_run_ids() - before
    assert (found.returncode, found.stdout) == (USAGE, "")
    assert found.stderr == plain.stderr
    assert "conversations.jsonl:" in found.stderr
    assert "Traceback" not in found.stderr
    assert api.flow_run(run_id)["state"]["type"] == "FAILED"


def test_a_damaged_artifact_is_computed_again_not_served(
    api: Api, elsewhere: Path, offline_then_prefect: tuple[Evaluated, Evaluated]
) -> None:
    whole = damaged(elsewhere)
    found = evaluated_on(api, elsewhere)
    assert (found.done.returncode, found.done.stderr) == (PASS, "")
    assert found.computed == RESCORED
    assert found.files == offline_then_prefect[0].files
    assert {path: path.read_bytes() for path in whole} == whole


def test_a_copied_cache_does_not_vouch_for_artifacts_in_the_place_it_came_from(api: Api, first: Evaluated, warm: Path) -> None:
    damaged(warm)
    found = evaluated_on(api, warm)
    assert (found.done.returncode, found.done.stderr) == (PASS, "")
    assert found.computed == RESCORED
    assert found.files == first.files


def test_an_entry_of_the_cache_that_is_a_pickle_is_never_loaded(api: Api, first: Evaluated, warm: Path) -> None:
    marker = warm / "the-pickle-ran"
    entries = [path for path in (warm / ".assay" / "prefect").rglob("*") if path.is_file()]
    assert len(entries) == len(WHOLE)
    for path in entries:
        path.write_text(pickled_entry(path.read_text(encoding="utf-8"), marker), encoding="utf-8")
    found = evaluated_on(api, warm)
    assert (found.done.returncode, found.done.stderr, found.computed) == (PASS, "", [])
    assert found.files == first.files
    assert not marker.exists()


def test_without_an_api_a_server_is_started_for_the_run_and_stdout_is_only_json(first: Evaluated, warm: Path) -> None:
    found = evaluated(warm, "--json")
    assert (found.done.returncode, json.loads(found.done.stdout)["verdict"]) == (PASS, "PASS")
    assert (found.timing["engine"], found.computed) == ("prefect", [])
    assert found.files == first.files
    assert [line.split("  ")[0] for line in found.done.stderr.splitlines()] == WHOLE
    assert (warm / ".prefect" / "prefect.db").is_file()
