"""The controls of the extraction suite: shown wherever numbers are, and heard before any number counts.

One copy of the committed suite serves all; each test undoes its edit.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stages.conftest import copied
from tests.stages.copies import FAIL, GOLD, NO_VERDICT, PASS, USAGE, Ran, appended, command, compiled, edited, ran, swapped

ROLES = {
    "pattern": "positive_control",
    "shuffled": "negative_control",
    "abstain": "trivial_strategy",
    "constant": "trivial_strategy",
    "most_frequent_category": "trivial_strategy",
    "every_sentence": "trivial_strategy",
}
ALL_ALIKE = """


def similarity(a, b):
    return 1.0


def similarity_matrix(left, right):
    import numpy as np

    return np.ones((len(left), len(right)))
"""
ALL_OF_THE_USER_ALIKE = """

_true_similarity, _true_matrix = similarity, similarity_matrix


def similarity(a, b):
    return 1.0 if a.startswith("The user") and b.startswith("The user") else _true_similarity(a, b)


def similarity_matrix(left, right):
    import numpy as np

    of_user = np.outer([text.startswith("The user") for text in left], [text.startswith("The user") for text in right])
    return np.where(of_user, 1.0, _true_matrix(left, right)) if left and right else _true_matrix(left, right)
"""
"""What its own trial does not see: no text there begins so."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(copied(tmp_path_factory.mktemp("controls") / "project"))


@pytest.fixture(scope="module")
def first(project: Path) -> Ran:
    return ran(project)


def unlike(message: str) -> str:
    """A control's message without what only its calibration tells."""
    return message.removeprefix("outside the calibration this decides nothing: ")


def test_the_summary_holds_every_control_with_its_role_numbers_and_check(first: Ran) -> None:
    found = first.summary["providers"]
    assert {name: found[name]["role"] for name in ROLES} == ROLES
    assert all(found[name]["metrics"]["full_match_rate"]["n"] > 0 for name in ROLES)
    assert {found[name]["cassette_kind"] for name in ROLES} == {"computed_in_process"}
    assert [check["name"] for check in first.summary["checks"] if check["name"].startswith("control.")] == [
        f"control.{name}" for name in sorted(ROLES)
    ]


def test_the_report_holds_the_same_numbers_of_every_control(first: Ran) -> None:
    for name, role in ROLES.items():
        told = first.report["providers"][name]
        assert (told["role"], told["metrics"]) == (role, first.summary["providers"][name]["metrics"])
    assert [(found["subject"], found["against"]) for found in first.report["head_to_head"]] == [("openai", "pattern")]


def test_the_markdown_and_the_console_show_every_control_beside_the_subjects(project: Path, first: Ran) -> None:
    markdown = first.files["report.md"].decode().replace("\\_", "_").splitlines()
    console = command(project, "run", "extraction", "--offline").stdout.splitlines()
    in_markdown = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown if line.startswith("| ")]
    in_console = [line.split() for line in console]
    for name, role in ROLES.items():
        values = first.summary["providers"][name]["metrics"]
        cells = [
            name,
            role.split("_", maxsplit=1)[0],
            *(shown(values[metric]["value"]) for metric in ("recall_macro", "precision_macro")),
        ]
        assert cells in in_markdown
        assert cells in in_console
        assert any(f"`control.{name}`: " in line for line in markdown)
        assert any(f"control.{name}: " in line for line in console)
    for subject in ("openai", "smollm2"):
        assert any(cells[:2] == [subject, "subject"] for cells in in_markdown)
    assert any(line.startswith("- openai against pattern by case score over 160 of 160 cases: ") for line in markdown)


def shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def test_the_committed_controls_are_kept(first: Ran) -> None:
    assert {check["name"]: check["status"] for check in first.summary["checks"] if check["name"].startswith("control.")} == {
        f"control.{name}": "kept" for name in ROLES
    }


def test_a_subject_that_claims_nothing_is_reported_and_not_failed(first: Ran) -> None:
    assert "of which nothing is claimed" in first.message("control.abstain")
    assert "more than 3.0 pp behind openai 1.0000; not behind smollm2 " in first.message("control.abstain")


def test_the_same_subject_fails_once_something_is_claimed_of_it(project: Path) -> None:
    found = ran(project, "--set", "providers.smollm2.claims=null")
    assert "within 3.0 pp of smollm2 " in unlike(found.message("control.abstain"))
    assert (found.code, found.verdict) == (FAIL, "FAIL")
    assert "control.abstain" in found.checks("broken")


def test_a_threshold_that_takes_everything_for_alike_fails_on_the_shuffled_replies(project: Path) -> None:
    """The calibration does not see it: matcher and data are those it was made with. The shuffled replies do."""
    path = project / GOLD / "calibration.json"
    threshold = json.loads(path.read_text(encoding="utf-8"))["constants"]["threshold"]
    with edited(path, swapped(f'"threshold": {threshold}', '"threshold": 0.001')):
        found = ran(project)
    assert unlike(found.message("control.shuffled")).endswith(": something carries meaning that must not")
    assert (found.code, found.verdict) == (FAIL, "FAIL")
    assert found.report["headline"].startswith("FAIL extraction v1: control.shuffled: recall_macro of the negative control is ")
    assert found.checks("broken") == ["control.shuffled"]


def test_a_matcher_that_calls_everything_alike_fails_its_own_trial_and_gives_no_number(project: Path) -> None:
    with edited(project / "assay/metrics/similarity.py", appended(ALL_ALIKE)):
        found = ran(project)
    assert (found.code, found.verdict) == (FAIL, "FAIL")
    assert found.checks("broken") == ["self_test"]
    assert "calibration" in found.checks("could-not-run")
    assert {name: provider["metrics"] for name, provider in found.summary["providers"].items() if provider["metrics"]} == {}


def test_one_that_its_own_trial_does_not_see_has_no_verdict_by_calibration(project: Path) -> None:
    """FAIL would need a calibration that holds: outside of it bounds and controls decide nothing, for or against."""
    with edited(project / "assay/metrics/similarity.py", appended(ALL_OF_THE_USER_ALIKE)):
        found = ran(project)
    assert found.message("control.shuffled").startswith("outside the calibration this decides nothing: ")
    assert found.message("calibration").startswith("the matcher changed since the threshold ")
    assert (found.code, found.verdict) == (NO_VERDICT, "NO VERDICT")
    assert found.checks("broken") == []
    assert {"calibration", "control.shuffled"} <= set(found.checks("could-not-run"))


def test_a_positive_control_under_its_floor_fails(project: Path) -> None:
    found = ran(project, "--set", "providers.pattern.control.floor=0.9")
    assert ", under its floor of 0.9: what it rests on is dead" in unlike(found.message("control.pattern"))
    assert (found.code, found.checks("broken")) == (FAIL, ["control.pattern"])


def test_a_positive_control_without_a_floor_is_an_input_error(project: Path) -> None:
    with edited(project / GOLD / "suite.yaml", swapped(", floor: 0.05", "")):
        done = command(project, "run", "extraction", "--offline")
    assert (done.returncode, done.stdout) == (USAGE, "")
    told = "is not valid (a positive control needs `control.floor`, and no other role has one)."
    assert done.stderr == f"error: {GOLD}/suite.yaml: providers.pattern: {told}\n"


def test_a_control_has_no_baseline(project: Path, first: Ran) -> None:
    before = (project / GOLD / "baseline.json").read_bytes()
    update = ("baseline", "update", "extraction", "--provider", "pattern", "--from", first.run_id, "--reason", "x")
    done = command(project, *update)
    assert (done.returncode, done.stdout) == (FAIL, "")
    assert done.stderr == "error: provider pattern: is a positive control; only subjects have a baseline.\n"
    assert (project / GOLD / "baseline.json").read_bytes() == before


def test_two_cases_satisfy_a_control_of_each_role(warm: Path) -> None:
    found = ran(warm)
    assert found.code == PASS
    controls = {check["name"]: check["status"] for check in found.summary["checks"] if check["name"].startswith("control.")}
    assert controls == {"control.pattern": "kept", "control.shuffled": "kept", "control.abstain": "kept"}
