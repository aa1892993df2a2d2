"""`assay verify extraction --changed-files F --pr-body F`: a changed contract is not covered by oracle recordings."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.stages.copies import CASSETTE, FAIL, GOLD, PASS, USAGE, command, tree

MANIFEST = CASSETTE.replace(".jsonl", ".manifest.json")
VLLM = CASSETTE.replace("openai", "vllm")
PROMPT, SCHEMA = f"{GOLD}/prompt.md", f"{GOLD}/schema.json"
EXEMPT = "EXTRACTION_EVAL_ORACLE_OK=1"
REFUSED = (
    f"{PROMPT} changed, and its recording is oracle-aligned, so nobody has seen a model answer the new contract. "
    f"Record it live with `assay record extraction --provider openai`, or write {EXEMPT} in the pull request."
)


def verified(project: Path, changed: str, body: str | None = None) -> subprocess.CompletedProcess[str]:
    """`assay verify` for a change of these files, one a line, with this pull request text."""
    (project / "changed.txt").write_text(changed, encoding="utf-8")
    options = ["--changed-files", "changed.txt"]
    if body is not None:
        (project / "body.md").write_text(body, encoding="utf-8")
        options += ["--pr-body", "body.md"]
    return command(project, "verify", "extraction", "--json", *options)


def policy(done: subprocess.CompletedProcess[str]) -> dict[str, tuple[str, str]]:
    """Status and message by provider."""
    checks: list[dict[str, Any]] = json.loads(done.stdout)["checks"]
    found = [check for check in checks if check["name"].startswith("oracle_policy.")]
    return {check["name"].removeprefix("oracle_policy."): (check["status"], check["message"]) for check in found}


def recorded_live(project: Path) -> None:
    """A recording of vllm that says that its model was asked."""
    assert command(project, "record", "extraction", "--provider", "vllm", "--oracle").returncode == 0
    rows = [json.loads(line) for line in (project / VLLM).read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["reply"]["model_served"] = "Qwen/Qwen2.5-14B-Instruct"
    (project / VLLM).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    path = project / VLLM.replace(".jsonl", ".manifest.json")
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest |= {"cassette_kind": "live_vllm_recorded", "model_served": "Qwen/Qwen2.5-14B-Instruct"}
    path.write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize("changed", ["", "\n\n", "README.md\n", f"{GOLD}/README.md\nassay/gate.py\n", "prompt.md\n"])
def test_a_change_beside_the_contract_is_no_matter(warm: Path, changed: str) -> None:
    done = verified(warm, changed)
    assert (done.returncode, policy(done)) == (PASS, {"openai": ("kept", "no contract file is touched")})


@pytest.mark.parametrize(
    "changed", [f"{PROMPT}\n", f"./{PROMPT}\n", f"README.md\r\n{PROMPT}\r\n", f"  {PROMPT}", PROMPT.replace("/", "//")]
)
def test_a_touched_prompt_over_an_oracle_recording_fails(warm: Path, changed: str) -> None:
    done = verified(warm, changed, "Just a better prompt.")
    assert (done.returncode, policy(done)) == (FAIL, {"openai": ("broken", REFUSED)})


def test_a_touched_schema_fails_too_and_every_file_is_named(warm: Path) -> None:
    done = verified(warm, f"{SCHEMA}\n{PROMPT}\n")
    assert done.returncode == FAIL
    assert policy(done)["openai"][1].startswith(f"{PROMPT}, {SCHEMA} changed, and ")


def test_without_the_option_no_policy_is_judged(warm: Path) -> None:
    assert policy(command(warm, "verify", "extraction", "--json")) == {}


@pytest.mark.parametrize("body", [EXEMPT, f"Why not.\n\n{EXEMPT}\n", f"- {EXEMPT}, agreed with Ada", f"`{EXEMPT}`"])
def test_the_exemption_passes_and_is_told_as_an_exception(warm: Path, body: str) -> None:
    done = verified(warm, PROMPT, body)
    told = f"EXCEPTION: {PROMPT} changed over an oracle-aligned recording, excused by {EXEMPT}"
    assert (done.returncode, policy(done)) == (PASS, {"openai": ("kept", told)})
    shown = command(warm, "verify", "extraction", "--changed-files", "changed.txt", "--pr-body", "body.md")
    assert told in shown.stdout


@pytest.mark.parametrize(
    "body",
    [
        "",
        "EXTRACTION_EVAL_ORACLE_OK",
        "EXTRACTION_EVAL_ORACLE_OK=0",
        "EXTRACTION_EVAL_ORACLE_OK=10",
        "EXTRACTION_EVAL_ORACLE_OK = 1",
        "extraction_eval_oracle_ok=1",
        "RETRIEVAL_EVAL_ORACLE_OK=1",
        "NOT_EXTRACTION_EVAL_ORACLE_OK=1",
        "EVAL_ORACLE_OK=1",
    ],
)
def test_anything_but_the_exact_exemption_excuses_nothing(warm: Path, body: str) -> None:
    done = verified(warm, PROMPT, body)
    assert (done.returncode, policy(done)) == (FAIL, {"openai": ("broken", REFUSED)})


def test_the_exemption_counts_in_the_body_and_not_in_the_environment(warm: Path) -> None:
    (warm / "changed.txt").write_text(PROMPT, encoding="utf-8")
    arguments = ("verify", "extraction", "--changed-files", "changed.txt")
    assert command(warm, *arguments, EXTRACTION_EVAL_ORACLE_OK="1").returncode == FAIL


def test_an_oracle_recorded_again_or_a_new_hash_alone_satisfies_nothing(warm: Path) -> None:
    (warm / PROMPT).write_text("Another prompt.", encoding="utf-8")
    assert command(warm, "record", "extraction", "--provider", "openai", "--oracle").returncode == 0
    done = verified(warm, "\n".join((PROMPT, CASSETTE, MANIFEST)))
    assert (done.returncode, policy(done)) == (FAIL, {"openai": ("broken", REFUSED)})


def test_the_exemption_does_not_excuse_a_drifted_recording(warm: Path) -> None:
    (warm / PROMPT).write_text("Another prompt.", encoding="utf-8")
    done = verified(warm, PROMPT, EXEMPT)
    assert (done.returncode, policy(done)["openai"][0]) == (FAIL, "kept")


def test_a_live_recording_of_one_provider_does_not_excuse_another(warm: Path) -> None:
    recorded_live(warm)
    found = policy(verified(warm, f"{PROMPT}\n{VLLM}\n"))
    assert found["openai"] == ("broken", REFUSED)
    assert found["vllm"] == ("kept", f"{PROMPT} changed and vllm was recorded live in the same change")


def test_a_live_recording_must_be_of_the_same_change_and_is_not_excused_by_the_oracle_exemption(warm: Path) -> None:
    recorded_live(warm)
    manifest_only = VLLM.replace(".jsonl", ".manifest.json")
    done = verified(warm, f"{PROMPT}\n{manifest_only}\n", EXEMPT)
    found = policy(done)
    assert done.returncode == FAIL
    assert found["openai"][0] == "kept"
    told = "its recording was not made anew; a changed hash in the manifest alone proves nothing."
    assert found["vllm"] == (
        "broken",
        f"{PROMPT} changed, and {told} Record it with `assay record extraction --provider vllm`.",
    )


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", f"{GOLD}/../../../../outside", "a/.."])
def test_a_path_out_of_the_repository_is_an_input_error(warm: Path, path: str) -> None:
    done = verified(warm, f"README.md\n{path}\n")
    expected = f"error: changed.txt:2: path leaves the repository, got {path!r}; expected a path relative to its top folder.\n"
    assert (done.returncode, done.stdout, done.stderr) == (USAGE, "", expected)


@pytest.mark.parametrize("path", ["$(touch pwned)", "`touch pwned`", "; touch pwned", "| touch pwned", "-rf", "*", "%s{0}"])
def test_paths_are_data_and_never_run(warm: Path, path: str) -> None:
    (warm / "changed.txt").touch()
    before = tree(warm).keys()
    done = verified(warm, f"{path}\n")
    assert (done.returncode, policy(done)["openai"][0]) == (PASS, "kept")
    assert tree(warm).keys() == before


@pytest.mark.parametrize("option", ["--changed-files", "--pr-body"])
def test_a_file_that_cannot_be_read_is_an_input_error(warm: Path, option: str) -> None:
    (warm / "fine.txt").write_text("README.md\n", encoding="utf-8")
    (warm / "binary.txt").write_bytes(b"\xff\x00")
    other = "--pr-body" if option == "--changed-files" else "--changed-files"
    for name, told in (("missing.txt", "missing.txt: no such file."), ("binary.txt", "binary.txt:1: is not UTF-8 text")):
        done = command(warm, "verify", "extraction", option, name, other, "fine.txt")
        assert (done.returncode, done.stdout) == (USAGE, "")
        assert done.stderr.startswith(f"error: {told}")
