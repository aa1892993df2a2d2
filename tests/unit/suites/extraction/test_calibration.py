"""The rules of the calibration: it belongs to one matcher and one set of pairs, and must reach its floor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.digest import sha256_hex
from assay.errors import InputError, Refused
from assay.metrics.calibration import is_held_out
from assay.metrics.proportions import proportion
from assay.model.verdict import Check
from assay.suites.extraction.calibration import PRECISION_FLOOR, calibrate, check
from tests.builders import json_lines

ROOT = Path(__file__).resolve().parents[4]
REAL_PAIRS = (ROOT / "goldsets" / "extraction" / "v1" / "matcher_pairs.jsonl").read_bytes()
CODE, OTHER = "a" * 64, "b" * 64
PAIRS = b"the pairs"
REMEDY = "Measure it anew with `assay calibrate extraction`."
UNHELD = [name for name in map(str, range(40)) if not is_held_out(name)]
HELD = [name for name in map(str, range(40)) if is_held_out(name)]


def checked(right: int, called: int, *, code: str = CODE, pairs: bytes = PAIRS) -> Check:
    """The check of a calibration with the given held-out precision."""
    facts = {
        "matcher": "m",
        "matcher_sha256": CODE,
        "pairs_sha256": sha256_hex(PAIRS),
        "pairs": 400,
        "threshold": 0.6364,
        "chosen_on": 200,
        "held_out": 200,
        "precision": proportion(right, called, "pairs called the same").model_dump(),
        "recall": proportion(right, 100, "pairs that are the same").model_dump(),
    }
    files = {"calibration": ("calibration.json", json.dumps(facts).encode()), "pairs": ("matcher_pairs.jsonl", pairs)}
    (found,) = check(files, code)
    return found


def calibrated(data: bytes, code: str = CODE) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(calibrate({"pairs": ("matcher_pairs.jsonl", data)}, code))
    return found


def pair(name: str, a: str, b: str, *, same: bool) -> dict[str, Any]:
    return {"id": name, "a": a, "b": b, "same": same, "kind": "paraphrase" if same else "unrelated"}


def test_calibration_of_this_matcher_on_these_pairs_above_the_floor_is_kept() -> None:
    told = "threshold 0.6364, held-out precision 0.9600 (n=50)"
    assert checked(48, 50) == Check(name="calibration", status="kept", message=told)


def test_precision_at_the_floor_is_kept_and_below_it_could_not_run() -> None:
    # The floor is 0.95 = 19/20; 94/100 lies under it.
    assert PRECISION_FLOOR == 0.95
    assert checked(19, 20).status == "kept"
    assert checked(94, 100) == Check(
        name="calibration",
        status="could-not-run",
        message="threshold 0.6364, held-out precision 0.9400 (n=100), under the floor of 0.95: "
        f"matched does not mean the same. {REMEDY}",
    )


@pytest.mark.parametrize(
    ("code", "pairs", "what"),
    [
        (OTHER, PAIRS, "the matcher"),
        (CODE, b"other pairs", "the set of labelled pairs"),
        (OTHER, b"other pairs", "the matcher and the set of labelled pairs"),
    ],
)
def test_changed_matcher_or_pairs_could_not_run_whatever_the_precision(code: str, pairs: bytes, what: str) -> None:
    message = f"{what} changed since the threshold 0.6364 was calibrated. {REMEDY}"
    expected = Check(name="calibration", status="could-not-run", message=message)
    assert checked(50, 50, code=code, pairs=pairs) == checked(1, 50, code=code, pairs=pairs) == expected


def test_undefined_precision_could_not_run_and_is_not_told_as_zero() -> None:
    found = checked(0, 0)
    assert found.status == "could-not-run"
    assert "0.0000" not in found.message


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"threshold": NaN}'])
def test_faulty_calibration_file_is_refused_with_its_name(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^calibration\.json"):
        check({"calibration": ("calibration.json", data), "pairs": ("matcher_pairs.jsonl", PAIRS)}, CODE)


def test_threshold_comes_from_one_half_and_precision_and_recall_from_the_other() -> None:
    # Chosen half: equal texts are the same, unlike ones are not. Held-out half: one pair of equal texts (called the same,
    # right), one of equal texts labelled different (called the same, wrong), two of unlike texts labelled the same (missed).
    # Precision 1/2, recall 1/3.
    like, unlike = ("Ana swims.", "ANA  swims."), ("Ana swims.", "Zebras graze 12 fields.")
    rows = [
        pair(UNHELD[0], *like, same=True),
        pair(UNHELD[1], *unlike, same=False),
        pair(HELD[0], *like, same=True),
        pair(HELD[1], *like, same=False),
        pair(HELD[2], *unlike, same=True),
        pair(HELD[3], *unlike, same=True),
    ]
    found = calibrated(json_lines(*rows))
    assert (found["pairs"], found["chosen_on"], found["held_out"]) == (6, 2, 4)
    assert (found["precision"]["numerator"], found["precision"]["denominator"]) == (1, 2)
    assert (found["recall"]["numerator"], found["recall"]["denominator"]) == (1, 3)
    assert 0 < found["threshold"] < 1


def test_calibrating_the_real_pairs_twice_gives_the_same_bytes() -> None:
    files = {"pairs": ("matcher_pairs.jsonl", REAL_PAIRS)}
    assert calibrate(files, CODE) == calibrate(files, CODE)


def test_calibrating_names_the_matcher_and_the_pairs_it_was_made_with() -> None:
    found = calibrated(REAL_PAIRS, OTHER)
    assert (found["matcher_sha256"], found["pairs_sha256"]) == (OTHER, sha256_hex(REAL_PAIRS))
    assert found["chosen_on"] + found["held_out"] == found["pairs"] == len(REAL_PAIRS.splitlines())


def test_order_of_pairs_never_changes_the_measurement() -> None:
    backwards = b"".join(reversed(REAL_PAIRS.splitlines(keepends=True)))
    one, other = calibrated(REAL_PAIRS), calibrated(backwards)
    assert {**one, "pairs_sha256": ""} == {**other, "pairs_sha256": ""}


def test_fresh_calibration_belongs_to_its_matcher_and_pairs() -> None:
    pairs = {"pairs": ("matcher_pairs.jsonl", REAL_PAIRS)}
    (found,) = check({**pairs, "calibration": ("calibration.json", calibrate(pairs, CODE))}, CODE)
    assert "changed since" not in found.message


def test_pair_that_stands_twice_is_refused() -> None:
    row = pair("1", "a", "b", same=True)
    with pytest.raises(InputError) as caught:
        calibrated(json_lines(row, row))
    assert str(caught.value) == "matcher_pairs.jsonl: an id stands twice; expected each id once."


@pytest.mark.parametrize("rows", [[], [pair(name, "a", "a", same=True) for name in UNHELD]], ids=["empty", "all the same"])
def test_pairs_that_give_no_threshold_are_refused(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(Refused, match=r"^matcher_pairs\.jsonl: gives no threshold"):
        calibrated(json_lines(*rows))
