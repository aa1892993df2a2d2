"""The command line: help, exit codes, and what each option does to a run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from assay.cli import main
from tests.stages.copies import (
    CASSETTE,
    CONTROLS,
    FAIL,
    GOLD,
    NO_VERDICT,
    PASS,
    RUN,
    USAGE,
    baseline,
    command,
    finished,
    ran,
    started,
    temporary_files,
    tree,
)


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    for name, found in group.commands.items():
        if isinstance(found, click.Group):
            yield from commands(found, *path, name)
        else:
            yield (*path, name)


def test_the_commands_are_those_of_the_architecture() -> None:
    wanted = {"list", "run", "verify", "audit", "record", "baseline update", "gate", "cache gc"}
    assert wanted <= {" ".join(path) for path in commands(main)}


@pytest.mark.parametrize("path", list(commands(main)), ids=" ".join)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_has_help(path: tuple[str, ...], flag: str) -> None:
    done = CliRunner().invoke(main, [*path, flag])
    assert done.exit_code == 0
    assert done.output.startswith("Usage: ")
    assert "--help" in done.output


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("list",), 0),
        (("list", "--json"), 0),
        (("verify", "extraction", "--json"), PASS),
        (("gate", "latest", "--json"), PASS),
        (("gate", "no-such-run"), USAGE),
        (("run", "extractoin", "--offline"), USAGE),
        (("no-such-command",), USAGE),
        (("cache", "gc", "--dry-run"), 0),
        (("--version",), 0),
    ],
    ids=str,
)
def test_the_console_script_is_python_m_assay(warm: Path, arguments: tuple[str, ...], code: int) -> None:
    module = command(warm, *arguments)
    script = finished(started(warm, str(Path(sys.executable).with_name("assay")), *arguments))
    assert (module.returncode, script.returncode) == (code, code)
    assert script.stdout == module.stdout.replace("python -m assay", "assay")
    assert script.stderr == module.stderr.replace("python -m assay", "assay")


def test_a_run_of_the_console_script_is_a_hit_for_the_module(small: Path) -> None:
    script = finished(started(small, str(Path(sys.executable).with_name("assay")), *RUN))
    assert script.returncode == PASS
    assert ran(small).computed == []


def test_exit_codes_tell_the_four_outcomes_apart(small: Path) -> None:
    assert command(small, "run", "extraction", "--offline").returncode == PASS
    assert command(small, "run", "extraction", "--offline", "--sample", "1").returncode == NO_VERDICT
    assert command(small, "run", "no-such-suite", "--offline").returncode == USAGE
    (small / GOLD / "prompt.md").write_text("Another prompt.", encoding="utf-8")
    assert command(small, "run", "extraction", "--offline").returncode == FAIL


@pytest.mark.parametrize("arguments", [("--nonsense",), ("--sample", "0"), ("--sample", "some"), ("--mode", "dream")])
def test_an_option_that_does_not_fit_is_a_usage_error_without_output(warm: Path, arguments: tuple[str, ...]) -> None:
    before = tree(warm)
    done = command(warm, *RUN, *arguments)
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert "Traceback" not in done.stderr
    assert tree(warm) == before


def test_an_unknown_suite_is_named_with_the_known_ones(warm: Path) -> None:
    done = command(warm, "run", "extractoin", "--offline")
    expected = "error: goldsets/: unknown suite, got 'extractoin'; expected one of extraction. Did you mean 'extraction'?\n"
    assert (done.returncode, done.stdout, done.stderr) == (USAGE, "", expected)


@pytest.mark.parametrize("arguments", [("run", "extraction", "--offline"), ("verify", "extraction")], ids=lambda a: a[0])
def test_an_unknown_provider_is_named_with_the_nearest_one(warm: Path, arguments: tuple[str, ...]) -> None:
    done = command(warm, *arguments, "--provider", "opnai")
    expected = "error: --provider: unknown provider, got 'opnai'; expected one of DECLARED. Did you mean 'openai'?\n"
    expected = expected.replace("DECLARED", ", ".join(("openai", "vllm", *CONTROLS)))
    assert (done.returncode, done.stdout, done.stderr) == (USAGE, "", expected)


def test_outside_a_project_the_command_says_what_it_looks_for(warm: Path, tmp_path: Path) -> None:
    done = finished(started(tmp_path, "-m", "assay", "list", PYTHONPATH=str(warm)))
    expected = f"error: {tmp_path}: no goldsets/ folder here or above; expected the folder of a project with goldsets/.\n"
    assert (done.returncode, done.stdout, done.stderr) == (USAGE, "", expected)


def test_a_run_works_from_a_folder_below_the_project(warm: Path) -> None:
    below = started(warm / GOLD, "-m", "assay", *RUN, PYTHONPATH=str(warm))
    done = finished(below)
    assert done.returncode == PASS
    assert all(stage["cached"] for stage in json.loads(done.stdout)["timing"]["stages"])


def test_list_names_suites_versions_and_providers(warm: Path) -> None:
    assert command(warm, "list").stdout == (
        "extraction v1  extraction  Memories from conversations  "
        "[openai (ci), vllm (manual), pattern (ci), shuffled (ci), abstain (ci)]\n"
    )
    (found,) = json.loads(command(warm, "list", "--json").stdout)
    assert (found["suite"], found["version"], found["kind"]) == ("extraction", "v1", "extraction")
    assert {name: p["enforcement"] for name, p in found["providers"].items()} == {
        "openai": "ci",
        "vllm": "manual",
        **dict.fromkeys(CONTROLS, "ci"),
    }


def test_verify_tells_every_check_and_writes_nothing(warm: Path) -> None:
    before = tree(warm)
    done = command(warm, "verify", "extraction", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"], found["suite"]) == (PASS, "PASS", "extraction")
    kept = {check["name"] for check in found["checks"] if check["status"] == "kept"}
    contract = {"openai: contract.prompt_sha256", "openai: contract.schema_sha256", "openai: integrity.cassette"}
    assert {"calibration", *contract} <= kept
    assert tree(warm) == before


def test_audit_tells_counts_and_effective_size_and_finds_a_planted_duplicate(warm: Path) -> None:
    done = command(warm, "audit", "extraction", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["cases"], found["effective_cases"], found["faults"]) == (0, 2, 2.0, [])
    path = warm / GOLD / "conversations.jsonl"
    first = path.read_text(encoding="utf-8").splitlines()[1]
    path.write_text(path.read_text(encoding="utf-8") + first.replace("c2", "c3") + "\n", encoding="utf-8")
    planted = json.loads((again := command(warm, "audit", "extraction", "--json")).stdout)
    assert again.returncode == 1
    assert [(pair["a"], pair["b"]) for pair in planted["near_duplicates"]] == [("c2", "c3")]
    assert planted["effective_cases"] < 3


def test_record_writes_the_cassette_and_its_manifest_only(small: Path) -> None:
    before = tree(small)
    done = command(small, "record", "extraction", "--provider", "openai", "--oracle")
    assert done.returncode == 0
    assert "they prove the plumbing, not the model" in done.stdout
    after = tree(small)
    assert {name for name in after if after[name] != before[name]} <= {CASSETTE, CASSETTE.replace(".jsonl", ".manifest.json")}
    assert after.keys() == before.keys()
    assert after[CASSETTE] == before[CASSETTE]
    assert baseline(small)
    assert temporary_files(small) == []
