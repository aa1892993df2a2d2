"""The history as people read it, whole; what belongs together, what changed, and what is kept out of the trend."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from assay.model.history import History, HistoryLine
from assay.model.verdict import Metric, Outcome
from assay.reporting.history import history_text, history_value
from tests.unit.history_lines import digest, line, real, share, undefined

V2: dict[str, Any] = {"version": "v2", "gold_sha256": digest("gold of v2")}
TEN_RUNS = """\
extraction: recall, higher is better; 95 % intervals; the change is against the line before

openai: gpt-4o-mini, live_openai_recorded, enforcement ci
date        commit   verdict     mode      n   value  95 % interval    change  0                             1
2026-09-01  0000001  PASS        replay  100  0.9000  0.826-0.945                                       ├─●┤
2026-09-02  0000002  PASS        replay  100  0.9000  0.826-0.945           0                           ├─●┤
2026-09-03  0000003  PASS        replay  100  0.9200  0.850-0.959    +2.00 pp                            ├─●┤
2026-09-04  0000004  FAIL        replay  100  0.8500  0.767-0.907    -7.00 pp                         ├──●┤
2026-09-05  0000005  PASS        replay  100  0.9100  0.838-0.952    +6.00 pp                           ├─●─┤
2026-09-06  0000006  NO VERDICT  replay   10  0.9000  0.596-0.982                                               \
not in the trend: sample of 10
── gold set v1 24d7f03 -> v2 20c661e: the trend starts again ──
2026-09-07  0000007  NO VERDICT  replay  120  0.8333  0.757-0.889                                     ├─●─┤
2026-09-08  0000008  PASS        replay  120  0.8583  0.785-0.910    +2.50 pp                          ├─●┤
2026-09-09  0000009  PASS        replay  120  0.8583  0.785-0.910           0                          ├─●┤
2026-09-10  0000010  PASS        replay  120  0.9167  0.853-0.954    +5.83 pp                            ├─●┤

smollm2: smollm2-135m-instruct, live_smollm2_recorded, enforcement ci
date        commit  verdict     mode      n      value  95 % interval  change  0                             1
2026-09-01  none    PASS        replay  100     0.0200  0.006-0.070            ├●┤
2026-09-02  none    NO VERDICT  replay    0  undefined                                                          \
undefined: no memories predicted
2026-09-03  none    PASS        replay  100     0.0300  0.010-0.085            ├●─┤
"""
LAST_TWO = """\
extraction: recall, higher is better; 95 % intervals; the change is against the line before
1 line could not be read: damaged, or written by another release of assay.
2 lines left out: the same run stands there twice.

openai: gpt-4o-mini, live_openai_recorded, enforcement ci
8 older lines not shown
date        commit   verdict  mode      n   value  95 % interval    change  0                             1
2026-09-09  0000009  PASS     replay  120  0.8583  0.785-0.910           0                          ├─●┤
2026-09-10  0000010  PASS     replay  120  0.9167  0.853-0.954    +5.83 pp                            ├─●┤

smollm2: smollm2-135m-instruct, live_smollm2_recorded, enforcement ci
1 older line not shown
date        commit  verdict     mode      n      value  95 % interval  change  0                             1
2026-09-02  none    NO VERDICT  replay    0  undefined                                                          \
undefined: no memories predicted
2026-09-03  none    PASS        replay  100     0.0300  0.010-0.085            ├●─┤
"""
OTHER_NUMBERS = """\
extraction: position; 95 % intervals; the change is against the line before

openai: gpt-4o-mini, computed_in_process, enforcement ci
date        commit    verdict  mode     n    value  95 % interval     change  -1                            5
2026-09-01  0000001   PASS     replay  20  -0.5000  -1.000 to 2.000           ├─●────────────┤
2026-09-02  0000002+  PASS     live    20   5.0000                   +5.5000                                ●
── prompt cf07194 -> none; kind of recording live_openai_recorded -> computed_in_process; \
measures (added recall): the trend starts again ──
2026-09-03  0000003   PASS     replay  20   2.0000  1.000-3.000                         ├────●────┤            \
one point, no trend
"""


def ten_runs() -> tuple[HistoryLine, ...]:
    """Ten runs of one provider, with another gold set from the seventh on and one sample, and three of a second one."""
    runs: list[tuple[int, int, Outcome]] = [(1, 90, "PASS"), (2, 90, "PASS"), (3, 92, "PASS"), (4, 85, "FAIL"), (5, 91, "PASS")]
    later: list[tuple[int, int, Outcome]] = [(7, 100, "NO VERDICT"), (8, 103, "PASS"), (9, 103, "PASS"), (10, 110, "PASS")]
    second = {
        "provider": "smollm2",
        "model": "smollm2-135m-instruct",
        "cassette_kind": "live_smollm2_recorded",
        "commit": None,
    }
    return (
        *(line(number, recall(hits), verdict=verdict) for number, hits, verdict in runs),
        line(6, recall(9, 10), verdict="NO VERDICT", deviations=("sample of 10",)),
        *(line(number, recall(hits, 120), verdict=verdict, **V2) for number, hits, verdict in later),
        line(1, recall(2), **second),
        line(2, {"recall": undefined()}, verdict="NO VERDICT", **second),
        line(3, recall(3), **second),
    )


def recall(hits: int, of: int = 100) -> dict[str, Metric]:
    return {"recall": share(hits, of)}


def rows(*lines: HistoryLine, metric: str = "recall", last: int | None = None) -> list[str]:
    """The rows and rules below the titles of the only provider."""
    text = history_text("extraction", metric, History(lines), last=last).splitlines()
    titles = next(number for number, found in enumerate(text) if found.startswith("date"))
    return text[titles + 1 :]


def rules(*lines: HistoryLine) -> list[str]:
    return [row.strip("─ ") for row in rows(*lines) if row.startswith("──")]


def changes(*lines: HistoryLine) -> list[str]:
    """The change column, as far as anything stands there."""
    return re.findall(r"[+-]\d+\.\d\d pp", "\n".join(rows(*lines)))


def test_ten_runs_with_one_change_of_the_gold_set_read() -> None:
    assert history_text("extraction", "recall", History(ten_runs()), direction="higher") == TEN_RUNS


def test_what_is_cut_and_what_could_not_be_read_is_said() -> None:
    history = History(ten_runs(), unreadable=1, repeated=2)
    assert history_text("extraction", "recall", history, direction="higher", last=2) == LAST_TWO


def test_numbers_that_are_no_shares_have_an_axis_of_their_own() -> None:
    in_process = {"cassette_kind": "computed_in_process", "prompt_sha256": None, "measures_sha256": digest("other")}
    lines = (
        line(1, {"position": real(-0.5, -1, 2)}),
        line(2, {"position": real(5, 0, 0).model_copy(update={"low": None, "high": None})}, mode="live", commit=dirty(2)),
        line(3, {"position": real(2, 1, 3), "recall": share(90)}, **in_process),
    )
    assert history_text("extraction", "position", History(lines)) == OTHER_NUMBERS


def dirty(number: int) -> str:
    return f"{number:07d}{'a' * 33}+0123abcd"


def test_lines_are_in_the_order_of_their_times_whatever_the_zone_and_the_place_in_the_file() -> None:
    times = ["2026-09-01T12:00:00+09:00", "2026-09-01", "2026-09-01T04:00:00", "2026-09-01T00:30:00-05:00"]
    lines = [line(number, recall(80 + number), at=at) for number, at in enumerate(times)]
    assert [row.split()[1] for row in rows(*lines)] == ["0000001", "0000000", "0000002", "0000003"]


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ({"gold_sha256": digest("other")}, "gold set v1 24d7f03 -> v1 d9298a1"),
        ({"version": "v2"}, "gold set v1 24d7f03 -> v2 24d7f03"),
        ({"prompt_sha256": digest("other")}, "prompt cf07194 -> d9298a1"),
        ({"schema_sha256": None}, "schema df0ad6e -> none"),
        ({"cassette_kind": "oracle"}, "kind of recording live_openai_recorded -> oracle"),
        ({"measures_sha256": digest("other")}, "measures (defined otherwise)"),
        ({"measures_sha256": digest("other"), "metrics": {"mrr": share(5)}}, "measures (added mrr; removed recall)"),
        ({"contract": digest("other")}, "contract ebc3c98 -> d9298a1"),
        ({"prompt_sha256": None, "schema_sha256": None}, "prompt cf07194 -> none; schema df0ad6e -> none"),
    ],
)
def test_the_rule_says_what_is_no_longer_what_it_was(now: dict[str, Any], told: str) -> None:
    after = [line(number, **{"metrics": recall(80), **now}) for number in (2, 3)]
    assert rules(line(1, recall(90)), *after) == [f"{told}: the trend starts again"]
    assert changes(line(1, recall(90)), *after) == []


def test_a_contract_that_comes_back_starts_a_trend_of_its_own() -> None:
    lines = [line(1, recall(90)), line(2, recall(80), **V2), line(3, recall(70))]
    assert len(rules(*lines)) == 2
    assert changes(*lines) == []
    assert [row.endswith("one point, no trend") for row in rows(*lines)] == [True, False, True, False, True]


def test_a_line_that_deviates_is_passed_over_and_told_with_all_its_reasons() -> None:
    lines = [line(1, recall(90)), line(2, recall(10), deviations=("--set a=b", "cut short"), **V2), line(3, recall(93))]
    assert (rules(*lines), changes(*lines)) == ([], ["+3.00 pp"])
    assert rows(*lines)[1].endswith(
        "  0.055-0.174                                               not in the trend: --set a=b, cut short"
    )


def test_nothing_but_lines_that_deviate_is_no_trend() -> None:
    (row,) = rows(line(1, recall(90), deviations=("sample of 5",)))
    assert row.endswith("not in the trend: sample of 5")
    assert "●" not in row


def test_no_change_is_worked_out_against_a_line_without_a_value() -> None:
    lines = [line(1, recall(90)), line(2, {"recall": undefined()}), line(3, recall(91)), line(4, {"mrr": share(1)})]
    assert changes(*lines, line(5, recall(95))) == []
    assert rows(*lines)[3].endswith("not gated in this run")


def test_a_change_that_is_too_small_to_show_is_not_told_as_none() -> None:
    lines = [line(1, {"recall": real(0.5, 0.4, 0.6)}), line(2, {"recall": real(0.50001, 0.4, 0.6)})]
    assert changes(*lines) == ["+0.00 pp"]


def test_a_new_recording_or_model_is_told_and_ends_no_trend() -> None:
    new = {"recording": digest("new"), "model": "gpt-5"}
    lines = [
        line(1, recall(90)),
        line(2, recall(91), **new),
        line(3, recall(92), mode="live", **{**new, "recording": digest("w")}),
    ]
    assert [row.rpartition("┤")[2].strip() for row in rows(*lines)] == ["", "model gpt-4o-mini -> gpt-5; new recording", ""]
    assert changes(*lines) == ["+1.00 pp", "+1.00 pp"]


def test_the_cut_takes_no_part_in_what_is_compared() -> None:
    lines = [line(1, recall(90)), line(2, recall(92)), line(3, recall(93), **V2)]
    assert [row.startswith("──") for row in rows(*lines, last=1)] == [True, False]
    assert rows(*lines, last=2)[0] == rows(*lines)[1]
    assert "not shown" not in history_text("extraction", "recall", History(tuple(lines)), last=3)


@pytest.mark.parametrize("text", ["bell \x07", "escape \x1b[31m", "null \x00", "csi \x9b0m", "rest\r\nnext\ttab"])
def test_text_from_outside_cannot_steer_the_terminal_nor_make_a_line(text: str) -> None:
    undefined_then = line(2, {"recall": undefined(text)}, model=text, deviations=(text,), cassette_kind=text)
    plain = line(2, {"recall": undefined("x")}, model="x", deviations=("x",), cassette_kind="x")
    found = history_text("extraction", text, History((line(1, recall(90)), undefined_then)))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", found)
    assert found.count("\n") == history_text("extraction", "x", History((line(1, recall(90)), plain))).count("\n")


def test_absurd_numbers_are_drawn_somewhere() -> None:
    absurd = [real(1e308, -1e308, 1e308, 1), real(-1e308, 5, 3, 1), real(2e17, 2e17, 2e17), real(1, 1, 1)]
    lines = [line(number, {"recall": found}) for number, found in enumerate(absurd, 1)]
    assert all("●" in row for row in rows(*lines))
    assert "●" in rows(line(1, {"recall": real(7, 7, 7)}))[0]


def test_json_holds_every_line_with_its_stretch_and_no_change_across_two() -> None:
    found = history_value("extraction", "recall", History(ten_runs(), unreadable=1), last=5)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (found["unreadable"], found["repeated"], found["older"]) == (1, 0, {"openai": 5, "smollm2": 0})
    lines: Any = found["lines"]
    assert [kept["commit"] and kept["commit"][:7] for kept in lines] == [*(f"{n:07d}" for n in range(6, 11)), None, None, None]
    assert [kept["stretch"] for kept in lines] == [None, 2, 2, 2, 2, 1, 1, 1]
    assert [kept["change_pp"] for kept in lines] == [None, None, 2.5, 0.0, 5.833333333, None, None, None]
    assert [kept["changed"] for kept in lines] == [[], ["gold set v1 24d7f03 -> v2 20c661e"], *[[]] * 6]
    assert [kept["metric"]["value"] for kept in lines[:2]] == [0.9, pytest.approx(100 / 120)]
    assert lines[0]["deviations"] == ["sample of 10"]
