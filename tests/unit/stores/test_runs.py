"""Finished runs are put whole, found by name, and read back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.errors import InputError, UsageError
from assay.gate import judge
from assay.model.report import Report
from assay.stores.runs import materialise, new_run_id, read_report, run_folder
from tests.builders import baseline_of, evidence, facts, metric

NOW = datetime(2026, 11, 30, 14, 3, 2, tzinfo=UTC)


def report() -> Report:
    """The report of a run that passed."""
    found, about = evidence({"recall": metric(0.9)}), facts("recall")
    judged = judge({"p": found}, baseline_of(found), about, declared={"p": "ci"})
    return Report(
        format=1,
        verdict=judged.verdict,
        headline="PASS",
        facts=about,
        checks=judged.checks,
        providers=judged.providers,
        head_to_head=judged.head_to_head,
        limits=("live quality",),
    )


def report_bytes(**changes: object) -> bytes:
    return json.dumps({**report().model_dump(mode="json"), "timing": {"seconds": 1.0}, **changes}).encode()


def refusal(folder: Path) -> str:
    """What is said about a report, with the folder written as FOLDER."""
    with pytest.raises(InputError) as caught:
        read_report(folder)
    return str(caught.value).replace(str(folder), "FOLDER")


def no_run(home: Path, run: str) -> str:
    """What is said about a run that cannot be found."""
    with pytest.raises(UsageError) as caught:
        run_folder(home, run)
    return str(caught.value)


def test_run_names_sort_by_time_and_never_repeat() -> None:
    assert new_run_id("extraction", NOW).startswith("20261130T140302Z-extraction-")
    assert len({new_run_id("extraction", NOW) for _ in range(100)}) == 100
    assert new_run_id("z", NOW) < new_run_id("a", NOW.replace(second=3))


def test_a_run_is_put_whole_under_its_name_and_is_the_latest(tmp_path: Path) -> None:
    folder = materialise(tmp_path, "run-1", {"report.json": b"{}", "report.md": b"text"}, None)
    assert folder == tmp_path / "runs" / "run-1"
    assert sorted(p.name for p in folder.iterdir()) == ["report.json", "report.md"]
    assert run_folder(tmp_path, "latest") == folder
    assert sorted(p.name for p in (tmp_path / "runs").iterdir()) == ["latest", "run-1"]


def test_the_latest_run_moves_with_its_home(tmp_path: Path) -> None:
    materialise(tmp_path / "before", "run-1", {"report.json": b"{}"}, None)
    (tmp_path / "before").rename(tmp_path / "after")
    assert run_folder(tmp_path / "after", "latest") == tmp_path / "after" / "runs" / "run-1"


def test_a_run_that_cannot_be_written_leaves_no_run(tmp_path: Path) -> None:
    materialise(tmp_path, "run-1", {"report.json": b"{}"}, None)
    with pytest.raises(OSError, match="File exists"):
        materialise(tmp_path, "run-2", {"a": b"", "a/b": b""}, None)
    assert not (tmp_path / "runs" / "run-2").exists()
    assert run_folder(tmp_path, "latest").name == "run-1"


def test_a_run_put_elsewhere_is_the_latest_too_and_leaves_the_rest_there(tmp_path: Path) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_bytes(b"mine")
    (out / "report.json").write_bytes(b"old")
    assert materialise(home, "run-1", {"report.json": b"{}"}, out) == out
    assert run_folder(home, "latest") == out
    assert {p.name: p.read_bytes() for p in out.iterdir()} == {"mine.txt": b"mine", "report.json": b"{}"}


def test_the_latest_run_is_the_last_that_was_put(tmp_path: Path) -> None:
    for run in ("run-2", "run-1"):
        materialise(tmp_path, run, {"report.json": b"{}"}, None)
    assert run_folder(tmp_path, "latest").name == "run-1"


def test_a_run_is_found_by_name_and_by_folder(tmp_path: Path) -> None:
    folder = materialise(tmp_path, "run-1", {"report.json": b"{}"}, None)
    assert run_folder(tmp_path, "run-1") == run_folder(tmp_path / "other", str(folder)) == folder


def test_a_run_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    assert no_run(tmp_path, "latest") == "RUN: there is no run yet. Make one with `assay run SUITE`."
    assert (
        no_run(tmp_path, "run-9") == "RUN: no such run, got 'run-9'; expected a run id, a folder with report.json, or latest."
    )


def test_a_folder_without_a_report_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "runs" / "run-1").mkdir(parents=True)
    assert no_run(tmp_path, "run-1").startswith("RUN: no such run, got 'run-1'")


@pytest.mark.parametrize("run", ["x" * 300, "a\x00b", ""])
def test_an_impossible_run_name_is_a_usage_error(tmp_path: Path, run: str) -> None:
    assert no_run(tmp_path, run).startswith("RUN: no such run")


@pytest.mark.parametrize("data", [b"\xff\xfe", b"", b"\n"])
def test_a_damaged_name_of_the_latest_run_is_a_usage_error(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "latest").write_bytes(data)
    assert no_run(tmp_path, "latest").startswith("RUN: ")


def test_a_report_reads_back_without_its_timing(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_bytes(report_bytes())
    assert read_report(tmp_path) == report()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[]", "FOLDER/report.json: is not a report."),
        (b"{", "FOLDER/report.json:1: is not JSON (Expecting property name enclosed in double quotes at column 2), got '{'."),
        (b"\xff", "FOLDER/report.json:1: is not UTF-8 text, got b'\\xff'; expected UTF-8."),
        (
            report_bytes(format=2),
            "FOLDER/report.json: unknown format version, got 2; expected format 1. It was written by another release of assay.",
        ),
        (
            report_bytes(verdict="MAYBE"),
            "FOLDER/report.json: verdict: is not valid (Input should be 'PASS', 'FAIL' or 'NO VERDICT'), got 'MAYBE'.",
        ),
    ],
)
def test_what_is_no_report_is_told_with_its_place(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "report.json").write_bytes(data)
    assert refusal(tmp_path) == said


def test_a_missing_report_is_told(tmp_path: Path) -> None:
    assert refusal(tmp_path) == "FOLDER/report.json: no such file."
