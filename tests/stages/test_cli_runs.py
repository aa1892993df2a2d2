"""What the options of `assay run` do to a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stages.copies import CASSETTE, FAIL, GOLD, NO_VERDICT, PASS, RUN, USAGE, command, ran, tree, written

MARK = "--set gate.max_drop_pp=5"


@pytest.mark.parametrize("mode", ["replay", "cassette"])
def test_cassette_is_another_word_for_replay(warm: Path, mode: str) -> None:
    plain = ran(warm)
    for found in (ran(warm, "--mode", mode), ran(warm, EXTRACTION_EVAL_MODE=mode)):
        assert (found.code, found.computed, found.files) == (PASS, [], plain.files)


def test_the_suites_own_variable_is_the_default_of_the_mode(warm: Path) -> None:
    done = command(warm, *RUN, EXTRACTION_EVAL_MODE="dream")
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert done.stderr.startswith("error: EXTRACTION_EVAL_MODE: unknown mode, got 'dream'; expected one of replay,")
    assert ran(warm, "--mode", "replay", EXTRACTION_EVAL_MODE="dream").code == PASS
    assert ran(warm, OTHER_EVAL_MODE="dream").code == PASS


@pytest.mark.parametrize("size", ["1", "2", "1000"])
def test_a_sample_is_never_a_pass_even_of_every_case(warm: Path, size: str) -> None:
    found = ran(warm, "--sample", size)
    assert (found.code, found.verdict) == (NO_VERDICT, "NO VERDICT")
    assert found.checks("could-not-run") == ["sample"]
    assert found.checks("broken") == []


def test_a_sample_verifies_the_contract_of_the_whole_suite(warm: Path) -> None:
    (warm / GOLD / "prompt.md").write_text("Another prompt.", encoding="utf-8")
    found = ran(warm, "--sample", "1")
    assert (found.code, found.verdict) == (FAIL, "FAIL")
    assert found.checks("broken") == ["contract.prompt_sha256"]


def test_a_sample_sees_a_cassette_line_lost_outside_of_it(warm: Path) -> None:
    path = warm / CASSETTE
    for kept in path.read_bytes().splitlines(keepends=True):
        path.write_bytes(kept)
        assert ran(warm, "--sample", "1").checks("broken") == ["integrity.cassette"]


def test_an_override_is_marked_in_every_output_and_is_never_a_pass(warm: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    summary = command(warm, *RUN, "--set", "gate.max_drop_pp=5", "--out", str(out))
    console = command(warm, "run", "extraction", "--offline", "--set", "gate.max_drop_pp=5")
    files = written(out)
    assert (summary.returncode, console.returncode) == (NO_VERDICT, NO_VERDICT)
    assert {"report.json", "report.md", "junit.xml"} <= files.keys()
    for name in ("report.json", "report.md", "junit.xml"):
        assert MARK in files[name].decode().replace("\\_", "_"), name  # as Markdown escapes it
    assert MARK in summary.stdout
    assert MARK in console.stdout


def test_an_override_takes_effect_and_leaves_the_file_alone(warm: Path) -> None:
    before = tree(warm)
    found = ran(warm, "--set", "gate.metrics=[recall_macro]", "--set", "gate.max_drop_pp=0.5")
    rule = json.loads(found.files["report.json"])["facts"]["rule"]
    assert (rule["max_drop_pp"], rule["metrics"]) == (0.5, ["recall_macro"])
    assert tree(warm) == before


def test_an_override_cannot_free_a_provider_from_the_gate(warm: Path) -> None:
    (warm / GOLD / "prompt.md").write_text("Another prompt.", encoding="utf-8")
    assert ran(warm, "--set", "providers.openai.enforcement=manual").code != PASS


@pytest.mark.parametrize("setting", ["gate", "=5", "gate.max_drop_pp.x=5", "gate.max_drop_pp=many", "gaet.metrics=[a]"])
def test_an_override_that_does_not_fit_is_an_input_error(warm: Path, setting: str) -> None:
    done = command(warm, *RUN, "--set", setting)
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert done.stderr.startswith("error: ")
