"""The orchestration suite at work on copies: the shipped crew, a crew with a defect, and a crew that asks a model.

No case here needs a key, and none reaches further than this machine.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.counting_server import Endpoint, counting
from tests.stages.copies import FAIL, NO_VERDICT, PASS, USAGE, command, environment
from tests.stages.orchestration_runs import Ran, appended, edited, ran

ROOT = Path(__file__).resolve().parents[2]
GOLD = "goldsets/orchestration/v1"
CREW = "assay/providers/crew"
COPIED = ("assay", "flows", "tasks", GOLD, "pyproject.toml")
STAGES = {
    *("score self-test", "load", "verify", "replay scripted", "replay controls"),
    *("score scripted", "score controls", "gate", "publish"),
}
RECORDED = ("editor-passes-at-once", "rogue-skips-steps", "rogue-raises-at-decision")
LIVE = ("run", "orchestration", "--provider", "openai", "--mode", "live", "--offline")
RAISES = '''
"""The crew, but for one case in which it falls over."""

from assay.providers.crew import factory


class Raising:
    def __init__(self, whole):
        self._whole, self.checks = whole, whole.checks

    def answer(self, case):
        if case.id == "two-revisions":
            return {}["the bin"]
        return self._whole.answer(case)


def make(context):
    return Raising(factory(context))
'''


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ran]:
    """A copy with this suite alone, and its first run."""
    project = tmp_path_factory.mktemp("crew") / "project"
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / name, project / name)
    return project, ran(project)


@pytest.fixture
def warm(first: tuple[Path, Ran], tmp_path: Path) -> Path:
    """The copy after that run, to be edited."""
    return Path(shutil.copytree(first[0], tmp_path / "project"))


def test_ten_of_ten_pass_without_key_and_flag(first: tuple[Path, Ran]) -> None:
    project, found = first
    assert not {"OPENAI_API_KEY", "ASSAY_MOCK"} & set(environment(project))
    assert (found.code, found.report["verdict"], found.checks("broken"), found.checks("could-not-run")) == (
        PASS,
        "PASS",
        [],
        [],
    )
    assert found.computed == STAGES
    assert (len(found.passed()), found.failed()) == (10, [])
    assert (found.metrics()["cases_passed"]["numerator"], found.metrics()["rules_kept"]["value"]) == (10, 1.0)
    assert found.metrics()["first_violation_position"]["value"] is None


def test_a_second_run_computes_nothing_and_says_the_same(first: tuple[Path, Ran], warm: Path) -> None:
    found = ran(warm)
    assert (found.code, found.stages, found.computed) == (PASS, STAGES, set())
    assert {**found.report, "timing": None} == {**first[1].report, "timing": None}


def test_an_edit_of_the_crew_that_changes_no_event_runs_it_again_and_scores_nothing_again(warm: Path) -> None:
    appended(warm, f"{CREW}/moves.py", "\n\n_UNUSED_BY_ANYONE = 1\n")
    found = ran(warm)
    assert (found.code, found.computed) == (PASS, {"replay scripted", "replay controls"})


def test_a_defect_edited_into_the_crew_runs_it_again_and_fails(warm: Path) -> None:
    edited(warm, f"{CREW}/moves.py", "max_revisions: int = 2", "max_revisions: int = 10")
    found = ran(warm)
    assert (found.code, found.report["verdict"]) == (FAIL, "FAIL")
    assert found.failed() == ["editor-never-satisfied", "rogue-demands-revisions"]
    assert "at-most-two-revisions is broken: occurrence 3, at most 2 may be" in found.told("scripted", "editor-never-satisfied")
    assert {"replay scripted", "score scripted", "gate", "publish"} <= found.computed
    assert not {"score self-test", "load", "verify"} & found.computed
    assert "floor.cases_passed" in found.checks("broken")


def test_comments_docstrings_other_kinds_and_other_providers_run_nothing_again(warm: Path) -> None:
    appended(warm, f"{CREW}/orchestrator.py", "\n\n# Nothing to see here.\n")
    edited(warm, f"{CREW}/moves.py", '"""The four moves', '"""Indeed the four moves')
    for name in ("suites/extraction/scoring", "suites/retrieval/scoring", "providers/retrieval/bm25"):
        appended(warm, f"assay/{name}.py", "\n\n_UNUSED_BY_ANYONE = 1\n")
    found = ran(warm)
    assert (found.code, found.computed) == (PASS, set())


def test_an_edit_of_this_kinds_scoring_scores_again_and_runs_no_crew(warm: Path) -> None:
    appended(warm, "assay/suites/orchestration/scoring.py", "\n\n_UNUSED_BY_ANYONE = 1\n")
    found = ran(warm)
    assert found.code == PASS
    assert {"score self-test", "score scripted", "score controls"} <= found.computed
    assert not any(stage.startswith("replay") for stage in found.computed)


def test_a_case_that_raises_fails_alone_with_its_traceback(warm: Path) -> None:
    (warm / "raising.py").write_text(RAISES, "utf-8")
    found = ran(warm, "--set", "providers.scripted.target=raising:make")
    assert (found.code, found.report["verdict"], found.failed()) == (FAIL, "FAIL", ["two-revisions"])
    assert list(found.passed().values()).count(True) == 9
    # The override alone would give no verdict; what is broken is told all the same.
    assert "override" in found.checks("could-not-run")
    assert "floor.cases_passed" in found.checks("broken")
    case = re.search(r'<testcase classname="scripted\.cases" name="two-revisions">.*?</testcase>', found.junit, re.DOTALL)
    assert case
    message = re.search(r'<failure message="([^"]*)"', case[0])
    assert message
    lines = message[1].split("&#10;")
    assert lines[0] == "not right: Traceback (most recent call last):"
    assert re.fullmatch(r"  raising\.py:\d+ in answer", lines[1])
    assert lines[2:] == ["KeyError: 'the bin'"]
    assert len(re.findall(r'<testcase classname="scripted\.cases" name="[a-z-]+" />', found.junit)) == 9
    assert str(warm) not in found.junit
    assert str(ROOT) not in found.junit


def test_shuffled_cases_give_the_same_numbers_and_outcomes_and_another_gold_set(first: tuple[Path, Ran], warm: Path) -> None:
    path = warm / GOLD / "cases.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    shuffled = random.Random(5).sample(lines, len(lines))  # noqa: S311  # test data, not a secret
    assert shuffled != lines
    path.write_bytes(b"".join(shuffled))
    found, before = ran(warm), first[1]
    assert found.metrics() == before.metrics()
    assert found.report["providers"]["scripted"]["cases"] == before.report["providers"]["scripted"]["cases"]
    # The file has other bytes, so the baseline speaks of another gold set.
    assert (found.code, found.report["verdict"], found.checks("broken")) == (NO_VERDICT, "NO VERDICT", [])
    assert found.checks("could-not-run") == ["baseline"]


@pytest.mark.parametrize("environ", [{}, {"ASSAY_MOCK": "1"}], ids=str)
def test_a_live_crew_without_its_key_is_refused_and_nothing_is_asked(warm: Path, environ: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        done = command(warm, *LIVE, "--set", f"providers.openai.live.base_url={url}", **environ)
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody waits to be let in
            listener.accept()
    assert done.returncode == USAGE
    assert [line.split("  ")[0] for line in done.stdout.splitlines()] == ["load", "score self-test"]
    assert done.stderr == (
        "error: provider openai: the variable OPENAI_API_KEY is not set. Set it with `export OPENAI_API_KEY=...`; nothing was "
        "asked.\n"
    )


def test_the_flag_does_not_answer_for_a_recorded_model(warm: Path) -> None:
    found = ran(warm, "--provider", "openai", ASSAY_MOCK="1")
    assert (found.code, found.report["providers"]["openai"]["metrics"]) == (NO_VERDICT, {})
    assert "recording" in found.checks("could-not-run", "openai")


@dataclass
class Served(Endpoint):
    """Serves a crew: decisions in the right order, angles, a draft, and a pass."""

    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)

    def arrived(self, path: str, authorization: str, body: bytes) -> tuple[str, int, int]:
        digest, asking, number = super().arrived(path, authorization, body)
        self.bodies[digest] = json.loads(body)
        return digest, asking, number

    def answer(self, digest: str, asking: int) -> tuple[int, dict[str, Any]]:
        body = self.bodies[digest]
        last, schema = body["messages"][-1]["content"], body["response_format"]["json_schema"]["schema"]
        status, answer = super().answer(digest, asking)
        answer["choices"][0]["message"]["content"] = json.dumps(_said(schema.get("title", "decision"), last))
        return status, answer


def _said(title: str, last: str) -> dict[str, Any]:
    specialists: dict[str, dict[str, Any]] = {
        "Angles": {"angles": ["One."]},
        "Draft": {"draft": "Two."},
        "Review": {"verdict": "pass", "notes": ""},
    }
    after = {
        "consult_strategist": "assign_writer",
        "assign_writer": "request_editor_review",
        "request_editor_review": "finalize",
    }
    move = next((then for name, then in after.items() if last.startswith(f"Result of {name}")), "consult_strategist")
    return specialists.get(title) or {"tool": move, "arguments": {"notes": ""} if move == "assign_writer" else {}}


def test_a_live_crew_is_recorded_and_replayed_without_server_and_key(warm: Path) -> None:
    path = warm / GOLD / "cases.jsonl"
    kept = [line for line in path.read_bytes().splitlines(keepends=True) if json.loads(line)["id"] in RECORDED]
    path.write_bytes(b"".join(kept))
    served = Served()
    with counting(served):
        edited(warm, f"{GOLD}/suite.yaml", "https://api.openai.com/v1", served.url)
        done = command(warm, "record", "orchestration", "--provider", "openai", OPENAI_API_KEY="sk-not-to-be-seen")
        assert done.returncode == PASS, done.stderr
    assert done.stderr.splitlines() == [f"asking openai: {number} of {len(RECORDED)} done" for number in (1, 2, 3)]
    asked = len(served.seen)
    # The crew's own policy: four decisions and three specialists. Where a policy decides, the specialists alone: 3 and 2.
    assert (asked, {authorization for _, authorization in served.seen}) == (7 + 3 + 2, {"Bearer sk-not-to-be-seen"})
    recording = (warm / "cassettes" / "orchestration" / "v1" / "openai.jsonl").read_text("utf-8")
    assert (len(recording.splitlines()), "sk-not-to-be-seen" in recording) == (asked, False)
    found = ran(warm, "--provider", "openai")
    assert len(served.seen) == asked
    assert found.report["providers"]["openai"]["recording"]["model_served"] == "m-served"
    assert "integrity.recording" in found.checks("kept", "openai")
    # Who hands over another text than the scripts do breaks their cases; the one that must fail fails as it must.
    assert found.passed("openai") == {name: name == "rogue-raises-at-decision" for name in RECORDED}
    for case in RECORDED[:2]:
        assert json.loads(found.told("openai", case))["detail"]["difference"][0].startswith("ends-as-it-should is broken")
