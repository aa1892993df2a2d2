"""The finished suite, broken in the ways that the issue lists: each exits non-zero with a message of its own.

These run on a copy of the committed gold set, recording and baseline.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assay.digest import sha256_hex
from tests.stages.copies import (
    CASSETTE,
    FAIL,
    GOLD,
    NO_VERDICT,
    PASS,
    USAGE,
    baseline,
    command,
    ran,
    write_baseline,
)

MEND = "Mend it with `assay record extraction --provider openai --oracle`."
SHORT = "[0-9a-f]{12}…"


def message(summary: dict[str, Any], name: str) -> str:
    """The message of the one broken check of that name."""
    checks = [*summary["checks"], *summary["providers"]["openai"]["checks"]]
    (found,) = [check["message"] for check in checks if check["name"] == name and check["status"] == "broken"]
    return str(found)


def one_word(project: Path) -> tuple[str, str]:
    """One word of the prompt edited; the hashes before and after."""
    path = project / GOLD / "prompt.md"
    before = path.read_text(encoding="utf-8")
    after = before.replace("the ", "this ", 1)
    assert after != before
    path.write_text(after, encoding="utf-8")
    return sha256_hex(before.encode()), sha256_hex(after.encode())


def test_the_committed_suite_passes(project: Path) -> None:
    found = ran(project)
    assert (found.code, found.verdict, found.checks("broken"), found.checks("could-not-run")) == (PASS, "PASS", [], [])


@pytest.mark.parametrize("environ", [{}, {"CI": "true"}, {"CI": "true", "ASSAY_ALLOW_CONTRACT_DRIFT": "1"}], ids=str)
def test_one_word_of_the_prompt_fails_with_both_hashes_and_the_command(project: Path, environ: dict[str, str]) -> None:
    before, after = one_word(project)
    found = ran(project, **environ)
    assert (found.code, found.checks("broken")) == (FAIL, ["contract.prompt_sha256"])
    told = message(found.summary, "contract.prompt_sha256")
    assert told.startswith(f"prompt_sha256 differs: recorded {before}, present {after}.\n--- recorded\n+++ present\n@@")
    refused = " ASSAY_ALLOW_CONTRACT_DRIFT is set and refused, since CI is set too."
    assert told.endswith(MEND + (refused if len(environ) > 1 else ""))


def test_the_console_names_both_hashes_and_the_command(project: Path) -> None:
    before, after = one_word(project)
    done = command(project, "run", "extraction", "--offline")
    assert done.returncode == FAIL
    assert f"FAIL extraction v1: openai: contract.prompt_sha256: prompt_sha256 differs: recorded {before}" in " ".join(
        done.stdout.split()
    )
    assert {before, after} <= set(re.findall(r"[0-9a-f]{64}", done.stdout))
    assert MEND in done.stdout


def test_verify_says_the_same(project: Path) -> None:
    before, after = one_word(project)
    done = command(project, "verify", "extraction")
    assert done.returncode == FAIL
    assert f"openai: contract.prompt_sha256: prompt_sha256 differs: recorded {before}, present {after}." in done.stdout
    assert MEND in done.stdout


def test_the_override_without_ci_goes_on_without_a_verdict_and_is_marked(project: Path) -> None:
    one_word(project)
    found = ran(project, ASSAY_ALLOW_CONTRACT_DRIFT="1")
    assert (found.code, found.checks("broken")) == (NO_VERDICT, [])
    for name in ("report.json", "report.md", "junit.xml"):
        assert "contract drift is allowed" in found.files[name].decode(), name
    console = command(project, "run", "extraction", "--offline", ASSAY_ALLOW_CONTRACT_DRIFT="1").stdout
    assert "contract drift is allowed" in console


def test_a_lost_cassette_line_fails_and_names_the_case(project: Path) -> None:
    path = project / CASSETTE
    lines = path.read_bytes().splitlines(keepends=True)
    lost = json.loads(lines.pop(6))["case_id"]
    path.write_bytes(b"".join(lines))
    found = ran(project)
    assert (found.code, found.checks("broken")) == (FAIL, ["integrity.cassette"])
    count = len(lines) + 1
    assert re.fullmatch(
        rf"the cassette was edited after recording \({count} -> {count - 1} rows, sha256 {SHORT} -> {SHORT}\); "
        rf"no exchange for {lost}\. {re.escape(MEND)}",
        message(found.summary, "integrity.cassette"),
    )


def test_one_character_of_an_expected_memory_fails_and_names_the_case(project: Path) -> None:
    path = project / GOLD / "expected_memories.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    row = json.loads(lines[4])
    changed = row["content"][:-2] + "x" + row["content"][-1]
    lines[4] = json.dumps({**row, "content": changed}, ensure_ascii=False) + "\n"
    path.write_text("".join(lines), encoding="utf-8")
    found = ran(project)
    assert (found.code, found.checks("broken")) == (FAIL, ["integrity.expected_memories.jsonl", "integrity.cases"])
    assert re.fullmatch(
        rf"expected_memories\.jsonl is not the file that was recorded for \({len(lines)} rows, sha256 {SHORT} -> {SHORT}\); "
        rf"1 edited: {row['conversation_id']}\. {re.escape(MEND)}",
        message(found.summary, "integrity.expected_memories.jsonl"),
    )


def test_a_null_block_of_a_gated_provider_fails(project: Path) -> None:
    value = baseline(project)
    value["providers"]["openai"] = None
    write_baseline(project, value)
    found = ran(project)
    assert (found.code, found.checks("broken")) == (FAIL, ["baseline.providers"])
    assert message(found.summary, "baseline.providers").startswith("null block for gated openai; the baseline holds ")


def test_no_block_at_all_fails(project: Path) -> None:
    write_baseline(project, {**baseline(project), "providers": {}})
    found = ran(project)
    assert (found.code, found.checks("broken")) == (FAIL, ["baseline.providers"])
    told = "no block for gated openai, smollm2; the baseline holds no provider at all"
    assert message(found.summary, "baseline.providers") == told


def test_a_block_without_fields_is_an_input_error_that_names_them(project: Path) -> None:
    value = baseline(project)
    value["providers"]["openai"] = {}
    write_baseline(project, value)
    done = command(project, "run", "extraction", "--offline")
    assert (done.returncode, "Traceback" in done.stderr) == (USAGE, False)
    assert f"error: {GOLD}/baseline.json: providers.openai.enforcement: is missing.\n" in done.stderr
    assert f"error: {GOLD}/baseline.json: providers.openai.metrics: is missing.\n" in done.stderr


def test_a_block_without_numbers_is_no_verdict(project: Path) -> None:
    value = baseline(project)
    value["providers"]["openai"] |= {"metrics": None, "cases": None, "source": None}
    write_baseline(project, value)
    found = ran(project)
    assert (found.code, found.checks("broken"), found.checks("could-not-run")) == (NO_VERDICT, [], ["baseline"])


@pytest.mark.parametrize(
    ("points", "code", "told"),
    [
        (4, FAIL, "1.0000 (n={n}) against 1.0400 (n={n}): 4 pp worse, at most 3.0 pp worse allowed"),
        (3, PASS, "1.0000 (n={n}) against 1.0300 (n={n}): 3 pp worse, at most 3.0 pp worse allowed"),
    ],
    ids=["4 points", "exactly 3 points"],
)
def test_a_baseline_metric_above_the_run_fails_over_3_points_only(project: Path, points: int, code: int, told: str) -> None:
    value = baseline(project)
    metric = value["providers"]["openai"]["metrics"]["full_match_rate"]
    # An oracle's own numbers are 1.0, so 4 points above them is 1.04.
    metric["value"] = round(1.0 + points / 100, 2)
    write_baseline(project, value)
    found = ran(project)
    checks = {check["name"]: check["message"] for check in found.summary["providers"]["openai"]["checks"]}
    assert found.code == code
    assert found.checks("broken") == (["max_drop.full_match_rate"] if code else [])
    assert checks["max_drop.full_match_rate"] == f"full_match_rate {told.format(n=metric['n'])}"


def test_audit_finds_no_near_duplicates_and_prints_the_effective_size(project: Path) -> None:
    done = command(project, "audit", "extraction")
    assert done.returncode == 0, done.stdout
    size = re.match(r"extraction v1: (\d+) cases, worth (\d+\.\d) distinct ones\n", done.stdout)
    assert size, done.stdout
    assert int(size[1]) >= 150
    assert float(size[2]) >= 0.95 * int(size[1])
    assert "near-duplicates over the limit: 0;" in done.stdout
    assert done.stdout.endswith("0 faults\n")
