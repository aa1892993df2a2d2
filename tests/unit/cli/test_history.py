"""`assay history`: the first gated metric unless another is asked for, and what there is where a name is unknown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from assay.cli.history import history
from assay.errors import UsageError
from assay.reporting.history import history_text
from assay.stores.history import append, history_file, read
from tests.unit.history_lines import line, share

ROOT = Path(__file__).resolve().parents[3]
METRICS = {"recall_macro": share(80), "precision_macro": share(90), "retired": share(70)}


def told(*arguments: str) -> Result:
    return CliRunner().invoke(history, arguments, catch_exceptions=False, standalone_mode=False)


def refusal(*arguments: str) -> str:
    with pytest.raises(UsageError) as caught:
        told(*arguments)
    return str(caught.value)


@pytest.fixture(autouse=True)
def evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The evidence folder that the command looks into; the project is the real one."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("ASSAY_EVIDENCE", str(tmp_path))
    return tmp_path


def test_no_history_says_where_it_would_be_and_how_one_is_made(evidence: Path) -> None:
    found = told("extraction")
    assert found.stdout == (
        f"There is no history of extraction in {history_file(evidence, 'extraction')}. "
        "Every run with numbers adds a line: `assay run extraction`.\n"
    )
    assert not found.return_value
    assert list(evidence.iterdir()) == []


def test_a_declared_provider_without_a_line_has_no_history(evidence: Path) -> None:
    append(evidence, [line(metrics=METRICS)])
    with history_file(evidence, "extraction").open("ab") as file:
        file.write(b"torn\n")
    assert told("extraction", "--provider", "vllm").stdout == (
        f"There is no history of provider vllm of extraction in {history_file(evidence, 'extraction')}. "
        "1 of its lines could not be read. Every run with numbers adds a line: `assay run extraction`.\n"
    )


def test_the_first_gated_metric_of_the_suite_is_shown(evidence: Path) -> None:
    append(evidence, [line(1, METRICS), line(2, METRICS)])
    expected = history_text("extraction", "precision_macro", read(evidence, "extraction"), direction="higher")
    assert told("extraction").stdout == expected
    assert expected.startswith("extraction: precision_macro, higher is better;")


def test_metric_provider_and_number_of_lines_may_be_asked_for(evidence: Path) -> None:
    append(evidence, [line(1, METRICS), line(2, METRICS), line(2, METRICS, provider="smollm2")])
    shown = told("extraction", "--metric", "retired", "--provider", "openai", "--last", "1").stdout
    assert shown.startswith("extraction: retired; 95 % intervals;")
    assert "smollm2" not in shown
    assert "\n1 older line not shown\n" in shown


@pytest.mark.parametrize("metric", ["malformed_response_rate"])
def test_a_metric_that_is_better_when_it_is_lower_says_so(metric: str, evidence: Path) -> None:
    append(evidence, [line(1, {metric: share(3)})])
    assert told("extraction", "--metric", metric).stdout.startswith(f"extraction: {metric}, lower is better;")


def test_json_is_the_same_lines(evidence: Path) -> None:
    append(evidence, [line(1, METRICS), line(2, METRICS, provider="smollm2")])
    found: dict[str, Any] = json.loads(told("extraction", "--json", "--provider", "smollm2").stdout)
    assert (found["suite"], found["metric"], found["older"]) == ("extraction", "precision_macro", {"smollm2": 0})
    assert [kept["run_id"] for kept in found["lines"]] == [line(2).run_id]
    assert json.loads(told("retrieval", "--json").stdout)["lines"] == []


def test_an_unknown_metric_is_refused_with_those_there_are(evidence: Path) -> None:
    append(evidence, [line(1, METRICS)])
    message = refusal("extraction", "--metric", "recal_macro")
    assert message.startswith("--metric: unknown metric, got 'recal_macro'; expected one of precision_macro, recall_macro, ")
    assert message.endswith("malformed_response_rate, retired. Did you mean 'recall_macro'?")


def test_an_unknown_provider_is_refused_with_those_there_are(evidence: Path) -> None:
    append(evidence, [line(1, METRICS, provider="gone")])
    assert refusal("extraction", "--provider", "gon") == (
        "--provider: unknown provider, got 'gon'; expected one of openai, smollm2, vllm, gone. Did you mean 'gone'?"
    )


def test_an_unknown_suite_is_refused() -> None:
    assert refusal("extractoin").endswith("Did you mean 'extraction'?")


def test_a_suite_outside_the_project_is_named_by_its_folder(evidence: Path) -> None:
    append(evidence, [line(1, METRICS)])
    assert "0.9000" in told("extraction", "--goldset", str(ROOT / "goldsets" / "extraction" / "v1")).stdout
