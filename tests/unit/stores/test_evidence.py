"""Evidence that counts for a period: whole, or cut short under limits at least those of the run that asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.model.evidence import TOO_SOON, Limits
from assay.stores.evidence import measured_in, skipped_in

WEEK = "2026-W49"
CUT = "limit of 20 requests reached: 20 of 160 cases were asked"
SUITE = ("extraction", "v1")


def limits(max_requests: int | None = 1000, max_usd: float | None = 5.0, max_minutes: float | None = 60.0) -> Limits:
    return Limits(max_requests=max_requests, max_usd=max_usd, max_minutes=max_minutes)


NONE = limits(None, None, None)


def filed(folder: Path, given: Limits, cut: str | None = None, name: str = "2026-12-01", **fields: Any) -> Path:
    """A file of evidence, as far as it is looked at."""
    place = folder.joinpath(*SUITE, "openai")
    place.mkdir(parents=True, exist_ok=True)
    run = {"period": WEEK, "started": f"{name[:10]}T05:00:00+00:00", "limits": given.model_dump()}
    path = place / f"{name}.json"
    path.write_text(json.dumps({"run": run, "cut": cut, "skipped": {}, **fields}), encoding="utf-8")
    return path


def measured(folder: Path, asked: Limits, period: str = WEEK) -> str | None:
    return measured_in(folder, *SUITE, "openai", period, asked)


@pytest.mark.parametrize(
    ("then", "now", "at_least"),
    [
        (limits(), limits(), True),
        (limits(max_requests=1001), limits(), True),
        (limits(max_requests=20), limits(), False),
        (limits(max_usd=4.99), limits(), False),
        (limits(max_minutes=59.5), limits(), False),
        (limits(2000, 10.0, 59.5), limits(), False),
        (limits(), NONE, False),
        (limits(None, None, 60.0), NONE, False),
        (NONE, limits(), True),
        (NONE, NONE, True),
        (limits(1, 0.0, 0.0), limits(1, 0.0, 0.0), True),
        (limits(max_usd=0.0), limits(max_usd=None), False),
    ],
)
def test_limits_are_at_least_others_if_each_is_none_or_not_smaller(then: Limits, now: Limits, *, at_least: bool) -> None:
    assert then.are_at_least(now) is at_least


def test_what_was_cut_short_counts_only_under_limits_at_least_those_of_now(tmp_path: Path) -> None:
    filed(tmp_path, limits(max_requests=20), CUT)
    assert measured(tmp_path, limits(max_requests=1000)) is None
    assert measured(tmp_path, limits(max_requests=20)) == "2026-12-01"
    assert measured(tmp_path, limits(max_requests=None)) is None


def test_what_was_not_cut_counts_under_any_limits(tmp_path: Path) -> None:
    filed(tmp_path, limits(max_requests=20))
    assert measured(tmp_path, limits()) == measured(tmp_path, NONE) == "2026-12-01"
    assert measured(tmp_path, limits(), "2026-W50") is None


def test_a_cut_short_trial_does_not_hide_a_measurement_of_the_same_week(tmp_path: Path) -> None:
    filed(tmp_path, limits(max_requests=20), CUT, name="2026-11-30")
    filed(tmp_path, limits(), name="2026-11-30-2")
    assert measured(tmp_path, limits()) == "2026-11-30"
    filed(tmp_path, limits(), CUT, name="2026-11-30-2")
    filed(tmp_path, limits(max_requests=20), name="2026-12-02")
    assert measured(tmp_path, limits(max_requests=1001)) == "2026-12-02"


@pytest.mark.parametrize("missing", ["cut", "run"])
def test_what_does_not_say_whether_it_was_cut_counts_for_nothing(tmp_path: Path, missing: str) -> None:
    path = filed(tmp_path, limits())
    evidence = json.loads(path.read_bytes())
    del evidence[missing]
    path.write_text(json.dumps(evidence), encoding="utf-8")
    assert measured(tmp_path, limits()) is None


def test_a_cut_without_readable_limits_counts_for_nothing(tmp_path: Path) -> None:
    run = {"period": WEEK, "started": "2026-12-01T05:00:00+00:00"}
    for limited in ({}, {"limits": {"max_requests": "many"}}, {"limits": None}):
        filed(tmp_path, limits(), CUT, run=run | limited)
        assert measured(tmp_path, limits()) is None


def test_a_provider_that_a_limit_left_unasked_is_left_out_only_for_limits_that_are_no_higher(tmp_path: Path) -> None:
    unasked = f"limit of 1 minutes reached {TOO_SOON}"
    filed(tmp_path, limits(max_minutes=1.0), skipped={"vllm": unasked, "absent": "the variable ABSENT_KEY is not set"})
    assert skipped_in(tmp_path, *SUITE, WEEK, limits()) == {"absent"}
    assert skipped_in(tmp_path, *SUITE, WEEK, limits(max_minutes=1.0)) == {"absent", "vllm"}
    assert skipped_in(tmp_path, *SUITE, "2026-W50", limits()) == set()
