"""The rules of calibrating: a threshold from one half of the pairs, judged on the other, and what luck gives under it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.digest import sha256_hex
from assay.errors import InputError, Refused
from assay.metrics.calibration import is_held_out
from assay.model.gold import GoldCase
from assay.suites.extraction.calibration import check
from assay.suites.extraction.thresholds import calibrate
from tests.builders import case, json_lines, memory
from tests.unit.calibration_builders import CODE, NO_ANSWER, setting

ROOT = Path(__file__).resolve().parents[4]
REAL_PAIRS = (ROOT / "goldsets" / "extraction" / "v1" / "matcher_pairs.jsonl").read_bytes()
OTHER = "b" * 64
UNHELD = [name for name in map(str, range(40)) if not is_held_out(name)]
HELD = [name for name in map(str, range(40)) if is_held_out(name)]
LIKE, UNLIKE = ("Ana swims.", "ANA  swims."), ("Ana swims.", "Zebras graze 12 fields.")


def calibrated(data: bytes, code: str = CODE, cases: Sequence[GoldCase] = NO_ANSWER) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(calibrate(setting(cases, code=code, pairs=data)))
    return found


def pair(name: str, a: str, b: str, *, same: bool) -> dict[str, Any]:
    return {"id": name, "a": a, "b": b, "same": same, "kind": "paraphrase" if same else "unrelated"}


def test_threshold_comes_from_one_half_and_precision_and_recall_from_the_other() -> None:
    # Chosen half: equal texts are the same, unlike ones are not. Held-out half: one pair of equal texts (called the same,
    # right), one of equal texts labelled different (called the same, wrong), two of unlike texts labelled the same (missed).
    # Precision 1/2, recall 1/3.
    rows = [
        pair(UNHELD[0], *LIKE, same=True),
        pair(UNHELD[1], *UNLIKE, same=False),
        pair(HELD[0], *LIKE, same=True),
        pair(HELD[1], *LIKE, same=False),
        pair(HELD[2], *UNLIKE, same=True),
        pair(HELD[3], *UNLIKE, same=True),
    ]
    found = calibrated(json_lines(*rows))
    assert (found["calibrated_at"]["pairs"], found["calibrated_at"]["chosen_on"]) == (6, 2)
    precision, recall = found["measured"]["held_out_precision"], found["measured"]["held_out_recall"]
    assert (precision["numerator"], precision["denominator"]) == (1, 2)
    assert (recall["numerator"], recall["denominator"]) == (1, 3)
    assert 0 < found["constants"]["threshold"] < 1
    assert found["summary"].endswith("on 4 held-out pairs precision 0.5000 (1/2), recall 0.3333 (1/3).")


def test_what_the_held_out_half_does_not_say_is_told_as_undefined() -> None:
    rows = [pair(UNHELD[0], *LIKE, same=True), pair(UNHELD[1], *UNLIKE, same=False), pair(HELD[0], *UNLIKE, same=False)]
    found = calibrated(json_lines(*rows))
    assert [found["measured"][name]["value"] for name in ("held_out_precision", "held_out_recall")] == [None, None]
    assert found["summary"].endswith("on 1 held-out pairs precision undefined, recall undefined.")


def test_calibrating_the_real_pairs_twice_gives_the_same_bytes() -> None:
    one = setting(pairs=REAL_PAIRS)
    assert calibrate(one) == calibrate(one)


def test_calibrating_names_the_matcher_and_the_pairs_it_was_made_with() -> None:
    at = calibrated(REAL_PAIRS, OTHER)["calibrated_at"]
    assert (at["matcher_sha256"], at["pairs_sha256"]) == (OTHER, sha256_hex(REAL_PAIRS))
    ids = [json.loads(line)["id"] for line in REAL_PAIRS.splitlines()]
    assert at["pairs"] == len(ids)
    assert at["chosen_on"] == sum(not is_held_out(name) for name in ids)


def test_order_of_pairs_never_changes_the_measurement() -> None:
    backwards = b"".join(reversed(REAL_PAIRS.splitlines(keepends=True)))
    one, other = calibrated(REAL_PAIRS), calibrated(backwards)
    for found in (one, other):
        found["calibrated_at"].pop("pairs_sha256")
    assert one == other


def test_fresh_calibration_belongs_to_its_matcher_and_pairs() -> None:
    fresh = calibrate(setting(pairs=REAL_PAIRS))
    (found,) = check(setting(pairs=REAL_PAIRS, calibration=fresh))
    assert "changed since" not in found.message


def test_luck_is_drawn_from_the_right_replies_to_other_conversations() -> None:
    # Two conversations can only swap their replies: each finds nothing that it expects, in every shuffle.
    cases = [case("c1", memory()), case("c2", memory("c2-m1", "c2", content="Zebras graze 12 fields."))]
    drawn = calibrated(REAL_PAIRS, cases=cases)["chance"]["recall_macro"]
    assert (drawn["mean"], drawn["quantile"]) == (0.0, 0.0)


def test_luck_of_one_conversation_is_unknown_and_not_zero() -> None:
    assert calibrated(REAL_PAIRS)["chance"] == {}


def test_pair_that_stands_twice_is_refused() -> None:
    row = pair("1", "a", "b", same=True)
    with pytest.raises(InputError) as caught:
        calibrated(json_lines(row, row))
    assert str(caught.value) == "matcher_pairs.jsonl: an id stands twice; expected each id once."


@pytest.mark.parametrize("rows", [[], [pair(name, "a", "a", same=True) for name in UNHELD]], ids=["empty", "all the same"])
def test_pairs_that_give_no_threshold_are_refused(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(Refused, match=r"^matcher_pairs\.jsonl: gives no threshold"):
        calibrated(json_lines(*rows))
