"""The rules of the calibration: it belongs to one matcher, one set of pairs and one gold set, and must reach its floor."""

from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.metrics.proportions import proportion
from assay.model.verdict import Check
from assay.suites.extraction.calibration import PRECISION_FLOOR, chance, check, inputs_of
from tests.builders import case
from tests.builders import chance as luck
from tests.unit.calibration_builders import calibrated, setting

OTHER = "b" * 64
REMEDY = "Measure it anew with `assay calibrate extraction`."
ONE, TWO = (case("c1"),), (case("c1"), case("c2"))


def checked(right: int, called: int, **changes: object) -> Check:
    """The check of a calibration with the given held-out precision, in a setting with the given changes."""
    found = calibrated(measured={"held_out_precision": proportion(right, called, "pairs called the same")})
    (told,) = check(setting(calibration=found.model_dump_json().encode(), **changes))
    return told


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
    ("changes", "what"),
    [
        ({"code": OTHER}, "the matcher"),
        ({"pairs": b"other pairs"}, "the set of labelled pairs"),
        ({"code": OTHER, "pairs": b"other pairs"}, "the matcher and the set of labelled pairs"),
        ({"version": "v2"}, "the version of the gold set"),
        ({"conversations": b"other conversations"}, "the gold set"),
        ({"expected": b"other memories"}, "the gold set"),
        ({"cases": TWO}, "the number of cases"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_changed_could_not_run_whatever_the_precision(changes: dict[str, object], what: str) -> None:
    message = f"{what} changed since the threshold 0.6364 was calibrated. {REMEDY}"
    expected = Check(name="calibration", status="could-not-run", message=message)
    assert checked(50, 50, **changes) == checked(1, 50, **changes) == expected


def test_an_input_that_the_calibration_does_not_state_has_changed() -> None:
    lacking = {name: now for name, now in inputs_of(setting()).items() if name != "cases"}
    (found,) = check(setting(calibration=calibrated(calibrated_at=lacking).model_dump_json().encode()))
    assert (found.status, found.message.split(" changed")[0]) == ("could-not-run", "the number of cases")


def test_undefined_precision_could_not_run_and_is_not_told_as_zero() -> None:
    found = checked(0, 0)
    assert found.status == "could-not-run"
    assert "0.0000" not in found.message


def test_precision_that_was_not_measured_could_not_run() -> None:
    (found,) = check(setting(calibration=calibrated().model_dump_json().encode()))
    told = f"threshold 0.6364, held-out precision undefined (it was not measured). {REMEDY}"
    assert found == Check(name="calibration", status="could-not-run", message=told)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"threshold": NaN}'])
def test_faulty_calibration_file_is_refused_with_its_name(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^calibration\.json"):
        check(setting(calibration=data))


def test_what_luck_gives_is_told_as_it_was_drawn_and_not_for_what_was_not() -> None:
    drawn = setting(calibration=calibrated(chance={"recall_macro": luck(0.1, 0.2)}).model_dump_json().encode())
    assert chance("recall_macro", drawn) == luck(0.1, 0.2)
    assert chance("precision_macro", drawn) is None
