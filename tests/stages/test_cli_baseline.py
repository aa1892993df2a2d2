"""`assay baseline update` and `assay gate`: how numbers are published, refused, and judged again."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.stages.copies import (
    CASSETTE,
    FAIL,
    GOLD,
    NO_VERDICT,
    PASS,
    RUN,
    USAGE,
    baseline,
    command,
    ran,
    tree,
    write_baseline,
)

BASELINE = f"{GOLD}/baseline.json"
REFUSED = 1


def update(project: Path, *options: str, reason: str = "a test") -> subprocess.CompletedProcess[str]:
    return command(project, "baseline", "update", "extraction", "--provider", "openai", "--reason", reason, *options)


def raised(project: Path, name: str, points: float) -> None:
    """The baseline with one metric that many percentage points above the run."""
    value = baseline(project)
    metric = value["providers"]["openai"]["metrics"][name]
    metric["value"] = round(metric["value"] + points / 100, 9)
    write_baseline(project, value)


def judged(project: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = command(project, "gate", "latest", "--json", *options)
    return done.returncode, json.loads(done.stdout)


def git(project: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *who, *arguments], cwd=project, check=True, capture_output=True, env=environ)


def test_a_new_suite_has_no_verdict_then_a_baseline_then_passes(small: Path) -> None:
    (small / BASELINE).unlink()
    first = ran(small)
    assert (first.code, first.verdict) == (NO_VERDICT, "NO VERDICT")
    assert first.checks("could-not-run") == ["baseline"]
    done = update(small, "--from", "latest")
    assert done.returncode == 0
    assert done.stdout.startswith(f"{BASELINE}: openai from run {first.run_id}\n")
    assert "  full_match_rate: none -> 1.0000 (n=5)\n" in done.stdout
    assert done.stdout.endswith("  2 of 2 cases new or changed, 0 gone\n")
    second = ran(small)
    assert (second.code, second.computed) == (PASS, ["gate", "publish"])


def test_a_block_says_where_its_numbers_came_from(small: Path) -> None:
    run = ran(small)
    assert update(small, "--from", run.run_id, reason="read by hand").returncode == 0
    block = baseline(small)["providers"]["openai"]
    manifest = json.loads((small / CASSETTE).with_name("openai.manifest.json").read_bytes())
    assert (block["enforcement"], block["reason"], block["source"]["run"]) == ("ci", "read by hand", run.run_id)
    assert block["source"]["cassette_kind"] == "oracle_aligned_expected_json"
    assert block["source"]["cassette_sha256"] == manifest["cassette"]["sha256"]
    assert block["source"]["prompt_sha256"] == manifest["contract"]["prompt_sha256"]
    assert {name: case["score"] for name, case in block["cases"].items()} == {"c1": 1.0, "c2": 1.0}
    assert block["last_refreshed"]


def test_an_update_writes_the_baseline_and_nothing_else(small: Path) -> None:
    ran(small)
    before = tree(small)
    assert update(small).returncode == 0
    after = tree(small)
    assert after.keys() == before.keys()
    assert [name for name in after if after[name] != before[name]] == [BASELINE]


@pytest.mark.parametrize(
    "arguments",
    [
        RUN,
        ("run", "extraction", "--offline", "--sample", "1"),
        ("verify", "extraction"),
        ("audit", "extraction"),
        ("list",),
        ("gate", "latest"),
        ("record", "extraction", "--provider", "openai", "--oracle"),
        ("calibrate", "extraction"),
        ("cache", "gc", "--days", "0", "--keep-runs", "0"),
    ],
    ids=" ".join,
)
def test_no_other_command_touches_the_baseline(warm: Path, arguments: tuple[str, ...]) -> None:
    raised(warm, "full_match_rate", 4)
    before = (warm / BASELINE).read_bytes()
    command(warm, *arguments)
    assert (warm / BASELINE).read_bytes() == before


def test_a_regression_is_answered_by_an_update(warm: Path) -> None:
    raised(warm, "full_match_rate", 4)
    assert ran(warm).code == FAIL
    done = update(warm)
    assert done.returncode == 0
    assert "  full_match_rate: 1.0400 -> 1.0000 (-4.00 pp, n=5)\n" in done.stdout
    assert ran(warm).code == PASS


def edit(project: Path, name: str, old: str, new: str) -> None:
    path = project / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def drift(project: Path) -> None:
    (project / GOLD / "prompt.md").write_text("Another prompt.", encoding="utf-8")


def nothing(_: Path) -> None: ...


def one_label_each(project: Path) -> None:
    """A gold set in which nothing has several labels, gated on the metric that needs some; recorded anew."""
    edit(project, f"{GOLD}/expected_memories.jsonl", '["procedural", "behavioral"]', '["procedural"]')
    edit(project, f"{GOLD}/suite.yaml", "- full_match_rate", "- multi_label_exact")
    (project / BASELINE).unlink()
    assert command(project, "record", "extraction", "--provider", "openai", "--oracle").returncode == 0


def uncalibrated(project: Path) -> None:
    edit(project, f"{GOLD}/matcher_pairs.jsonl", "The soup is red.", "The broth is red.")


@pytest.mark.parametrize(
    ("make", "options", "environ", "told"),
    [
        (nothing, ("--sample", "2"), {}, "sample: a smoke run over 2 sampled cases judges nothing"),
        (nothing, ("--set", "gate.max_drop_pp=5"), {}, "override: --set gate.max_drop_pp=5: not the committed suite"),
        (drift, (), {"ASSAY_ALLOW_CONTRACT_DRIFT": "1"}, "contract.prompt_sha256: CONTRACT DRIFT allowed"),
        (drift, (), {}, "has no numbers for provider 'openai'"),
        (uncalibrated, (), {}, "calibration: the set of labelled pairs changed"),
        (one_label_each, (), {}, "multi_label_exact is undefined"),
    ],
    ids=["sample", "override", "allowed drift", "broken contract", "calibration", "undefined metric"],
)
def test_a_run_that_may_not_be_believed_is_refused(
    small: Path, make: Callable[[Path], None], options: tuple[str, ...], environ: dict[str, str], told: str
) -> None:
    make(small)
    run = ran(small, *options, **environ)
    before = tree(small)
    done = update(small)
    assert (done.returncode, done.stdout) == (REFUSED, "")
    assert done.stderr.startswith(f"error: run {run.run_id}: ")
    assert told in done.stderr
    assert tree(small) == before


@pytest.mark.parametrize("reason", ["", "  \t"])
def test_an_update_without_a_reason_is_refused(warm: Path, reason: str) -> None:
    before = tree(warm)
    done = update(warm, reason=reason)
    assert (done.returncode, tree(warm)) == (REFUSED, before)
    assert "an update needs a reason" in done.stderr


def test_a_provider_without_numbers_is_refused(warm: Path) -> None:
    ran(warm)
    before = tree(warm)
    done = command(warm, "baseline", "update", "extraction", "--provider", "vllm", "--reason", "x")
    assert (done.returncode, tree(warm)) == (REFUSED, before)
    assert done.stderr.endswith("has no numbers for provider 'vllm'.\n")


def test_an_update_names_a_run_that_is_not_there(small: Path) -> None:
    none_yet = update(small)
    assert (none_yet.returncode, none_yet.stderr) == (
        USAGE,
        "error: RUN: there is no run yet. Make one with `assay run SUITE`.\n",
    )
    unknown = update(small, "--from", "20260101-nothing")
    assert (unknown.returncode, "no such run, got '20260101-nothing'" in unknown.stderr) == (USAGE, True)


def test_gate_judges_a_finished_run_as_the_run_did(warm: Path) -> None:
    passed = ran(warm)
    code, found = judged(warm)
    assert (code, found["verdict"]) == (PASS, "PASS")
    drops = [check["name"] for check in found["checks"] if check["name"].startswith("max_drop.")]
    assert drops == [name for name in passed.checks("kept") if name.startswith("max_drop.")]
    ran(warm, "--sample", "1")
    assert judged(warm)[0] == NO_VERDICT
    assert command(warm, "gate", passed.run_id).returncode == PASS
    drift(warm)
    ran(warm)
    assert judged(warm)[0] == FAIL


def test_gate_does_not_excuse_an_override_or_a_lost_calibration(warm: Path) -> None:
    ran(warm, "--set", "gate.max_drop_pp=5")
    assert judged(warm)[0] == NO_VERDICT
    uncalibrated(warm)
    ran(warm)
    assert judged(warm)[0] == NO_VERDICT


def test_gate_judges_against_a_baseline_of_the_past(warm: Path) -> None:
    ran(warm)
    git(warm, "init", "--quiet")
    git(warm, "commit", "--quiet", "--allow-empty", "--message", "nothing")
    git(warm, "tag", "nothing")
    for tag, points in (("equal", 0), ("above", 4)):
        raised(warm, "full_match_rate", points)
        git(warm, "add", BASELINE)
        git(warm, "commit", "--quiet", "--allow-empty", "--message", tag)
        git(warm, "tag", tag)
    before = tree(warm)
    assert [judged(warm, "--baseline", tag)[0] for tag in ("equal", "above", "nothing")] == [PASS, FAIL, NO_VERDICT]
    code, found = judged(warm)
    broken = [check["message"] for check in found["checks"] if check["status"] == "broken"]
    assert (code, broken) == (
        FAIL,
        ["full_match_rate 1.0000 (n=5) against 1.0400 (n=5): 4 pp worse, at most 3.0 pp worse allowed"],
    )
    assert tree(warm) == before


@pytest.mark.parametrize("revision", ["no-such-tag", "-h", "--output=pwned", "HEAD"])
def test_an_unknown_revision_is_a_usage_error(warm: Path, revision: str) -> None:
    git(warm, "init", "--quiet")
    before = tree(warm)
    done = command(warm, "gate", "latest", f"--baseline={revision}")
    expected = f"error: --baseline: unknown revision, got {revision!r}; expected a commit, branch or tag of this repository.\n"
    assert (done.returncode, done.stdout, done.stderr) == (USAGE, "", expected)
    assert tree(warm) == before
