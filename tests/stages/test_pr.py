"""A change held against its merge base: every way to make passing easier is caught by name, an honest change passes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assay.change import ChangeOutcome
from assay.cli.pr import pr
from assay.errors import UsageError, UserError
from assay.reporting.comment import comment_text
from tests.stages.changes import (
    LETTERS,
    MAIN,
    NOTES,
    Edit,
    Repository,
    calibrated_anew,
    checked,
    declared,
    published,
    recorded,
    recorded_by_oracle,
    replaced,
    repository,
    rows,
)
from tests.stages.copies import FAIL, PASS, USAGE, environment


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return repository(tmp_path_factory.mktemp("change") / "project")


@pytest.fixture(autouse=True)
def _path_of_the_process() -> Iterator[None]:
    path = list(sys.path)
    yield
    sys.path[:] = path


def without(name: str) -> Edit:
    return rows(f"{LETTERS}/cases.jsonl", lambda found: [row for row in found if row["id"] != name])


def subjects(outcome: ChangeOutcome) -> set[str]:
    return {finding.subject for finding in outcome.settled.open}


WAYS: dict[str, tuple[Edit, str]] = {
    "a case is removed": (without("wish"), "removed case letters/wish"),
    "a case is edited": (replaced(f"{LETTERS}/cases.jsonl", '"urgency": 3', '"urgency": 2'), "edited case letters/locked-in"),
    "a threshold is lowered": (declared(NOTES, "gate", "floors", to={"recall_macro": 0.1}), "lowered floor notes/recall_macro"),
    "the tolerance is raised": (declared(NOTES, "gate", "max_drop_pp", to=30.0), "raised max_drop_pp notes"),
    "a metric is no longer gated": (
        declared(LETTERS, "gate", "metrics", to=["cases_passed", "urgency", "mentions", "could_not_run"]),
        "ungated metric letters/desk",
    ),
    "a provider is no longer gated": (declared(LETTERS, "providers", "by_rote", to=None), "ungated provider letters/by_rote"),
    "enforcement is moved to manual": (
        declared(LETTERS, "providers", "by_rote", "enforcement", to="manual"),
        "manual enforcement letters/by_rote",
    ),
    "an evaluator is disabled": (
        checked("urgency", advisory=True),
        "disabled evaluator letters/urgency",
    ),
    "a control is disabled": (declared(NOTES, "providers", "shuffled", to=None), "disabled control notes/shuffled"),
    "an objective is flipped": (
        checked("mentions", config={"objective": {"direction": "minimize", "threshold": 0.5}}),
        "flipped objective letters/mentions",
    ),
    "the normaliser is changed": (
        replaced("assay/metrics/text.py", "casefold()", "lower()"),
        "changed scorer notes/assay.metrics.text",
    ),
    "a recording is re-authored as oracle": (recorded_by_oracle("letters"), "re-authored recording letters/openai"),
    "the baseline is not what the recordings come to": (
        replaced(f"{NOTES}/baseline.json", '"value": 1.0', '"value": 0.5'),
        "altered baseline notes/openai",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_way_to_make_passing_easier_fails_by_name_and_says_what_to_paste(repo: Repository, way: str) -> None:
    edit, subject = WAYS[way]
    repo.branch("way", edit)
    outcome = repo.judged()
    found = [one for one in subjects(outcome) if one == subject or one.startswith(f"{subject}:")]
    assert found, subjects(outcome)
    assert (outcome.verdict, outcome.exit_code) == ("FAIL", FAIL)
    assert f"`ASSAY_ACK: {found[0]} because ...`" in comment_text(outcome)


def test_an_acknowledged_way_passes_and_is_printed_with_its_reason(
    repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.branch("acknowledged", declared(NOTES, "gate", "max_drop_pp", to=30.0))
    body, out = tmp_path / "body.md", tmp_path / "out"
    body.write_text("Less noise.\n\n- ASSAY_ACK: raised max_drop_pp notes because five cases are few\n", encoding="utf-8")
    done = invoked(repo, monkeypatch, "--base", MAIN, "--pr-body", str(body), "--out", str(out), "--json")
    assert (done.return_value, done.stderr) == (
        PASS,
        "PASS notes v1: 44 checks kept; 8 metrics and 5 cases compared with the baseline\n",
    )
    assert sorted(path.name for path in out.iterdir()) == ["change.json", "comment.md", "junit.xml", "notes"]
    assert done.stdout == (out / "change.json").read_text(encoding="utf-8")
    assert [finding["reason"] for finding in json.loads(done.stdout)["findings"]] == ["five cases are few"]
    text = (out / "comment.md").read_text(encoding="utf-8")
    assert "**raised max_drop_pp** `notes`" in text
    assert "because five cases are few" in text


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--base", MAIN, "--pr-body", "nothing.md"], "nothing.md: no such file"),
        (["--base", "elsewhere"], "--base: unknown revision, got 'elsewhere'"),
    ],
)
def test_a_command_that_means_nothing_is_refused_before_anything_is_run(
    repo: Repository, monkeypatch: pytest.MonkeyPatch, options: list[str], told: str
) -> None:
    done = invoked(repo, monkeypatch, *options, "--out", "out")
    assert isinstance(done.exception, UserError)
    assert (told in str(done.exception), done.stdout, (repo.root / "out").exists()) == (True, "", False)


def test_an_honest_change_passes_once_it_is_acknowledged(repo: Repository) -> None:
    """A new case and an edited one, recorded anew, with the baseline that they come to."""
    asked = {"id": "ex-6", "reference_time": "2026-08-01T08:00:00+02:00", "languages": ["en"], "tags": []}
    said = {"turns": [{"role": "user", "content": "Thanks, that was all for today."}], "expects_nothing": True}
    repo.branch(
        "honest",
        rows(f"{NOTES}/conversations.jsonl", lambda found: [*found, asked | said]),
        replaced(f"{NOTES}/expected_memories.jsonl", "The user loves coriander.", "The user loves fresh coriander."),
        recorded_by_oracle("notes"),
        calibrated_anew("notes"),
        published("notes", "openai"),
    )
    silent = repo.judged()
    assert (silent.exit_code, subjects(silent)) == (FAIL, {"edited case notes/ex-1"})
    outcome = repo.judged("ASSAY_ACK: edited case notes/ex-1 because the word fresh was missing")
    assert (outcome.verdict, outcome.suites["notes"].added) == ("PASS", ("ex-6",))
    assert outcome.suites["letters"].inputs == ()
    assert "1 new case, gated on the baseline of this change" in comment_text(outcome)


def test_a_regression_is_caught_although_the_baseline_was_updated_to_hide_it(repo: Repository) -> None:
    repo.branch(
        "hidden",
        recorded("notes", lambda text: text.replace("allergic to walnuts", "fond of walnuts")),
        published("notes", "openai"),
    )
    outcome = repo.judged()
    assert outcome.exit_code == FAIL
    assert any(subject.startswith("dropped metric notes/openai/") for subject in subjects(outcome))


def test_a_new_suite_gates_on_its_own_baseline_and_a_removed_one_is_caught(repo: Repository) -> None:
    def renamed(root: Path) -> None:
        for top in ("goldsets", "cassettes"):
            shutil.move(root / top / "letters", root / top / "posts")
        for path in (*(root / "goldsets/posts").rglob("*"), *(root / "cassettes/posts").rglob("*")):
            if path.is_file() and path.name in {"suite.yaml", "baseline.json", "openai.manifest.json"}:
                path.write_text(path.read_text(encoding="utf-8").replace("letters", "posts"), encoding="utf-8")

    repo.branch("renamed", renamed)
    outcome = repo.judged()
    assert (outcome.exit_code, subjects(outcome), outcome.removed) == (FAIL, {"removed suite letters"}, ("letters",))
    assert (outcome.suites["posts"].is_new, outcome.suites["posts"].verdict) == (True, "PASS")
    assert "| `posts` | PASS | a new suite, gated on its own baseline |" in comment_text(outcome)


def test_a_shallow_clone_is_refused_with_the_fetch_command(repo: Repository, tmp_path: Path) -> None:
    repo.branch("shallow", declared(NOTES, "title", to="Other notes"))
    clone = tmp_path / "clone"
    repo.git("clone", "--quiet", "--depth", "1", "--no-single-branch", repo.root.as_uri(), str(clone), cwd=tmp_path)
    with pytest.raises(UsageError, match="git fetch --unshallow"):
        repo.judged(base=f"origin/{MAIN}", root=clone)
    done = assay(clone, "pr", "--base", f"origin/{MAIN}", "--offline", "--out", "out")
    assert (done.returncode, done.stdout, (clone / "out").exists()) == (USAGE, "", False)
    assert "git fetch --unshallow" in done.stderr


def invoked(repo: Repository, monkeypatch: pytest.MonkeyPatch, *options: str) -> Result:
    """`assay pr --offline OPTIONS` in this process."""
    monkeypatch.chdir(repo.root)
    monkeypatch.setenv("ASSAY_EVIDENCE", str(repo.home / "evidence"))
    return CliRunner().invoke(pr, ["--offline", *options], standalone_mode=False)


def assay(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "assay", *arguments]
    environ = environment(Path(__file__).resolve().parents[2])
    return subprocess.run(command, cwd=project, env=environ, capture_output=True, text=True, check=False)
