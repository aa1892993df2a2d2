"""Inputs for the differential test of the evaluators: ordinary ones, borders, and what nobody should send."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import strategies as st


class ByLength:
    def check_compliance(self, decision: object, policy_id: str) -> bool:
        return len(str(decision)) % len(policy_id) == 0


LETTERS = ["a", "B", "c", "é", "ß", "7", "_", "-", "+", " ", "\n", "寿", "す", "ข้", "ไ", "ने", "प", "д", "한", "e\u0301"]
TEXT = st.lists(st.sampled_from(LETTERS), max_size=8).map("".join)
ODD = st.sampled_from([None, 5, 0.5, ["a"], {"a": 1}, b"a"])
SIGNS = ["a", "b", ".", "^", "$", "(", ")", "[", "]", "*", "+", "?", "|", "\\b"]
MADE = st.lists(st.sampled_from(SIGNS), max_size=5).map("".join)
PATTERN = MADE.filter(lambda made: "[[" not in made and "||" not in made)
"""Without what Python warns of: it may mean something else one day."""
NUMBER = st.one_of(st.integers(-5, 5), st.floats(-5, 5), st.sampled_from([float("inf"), float("nan"), "3", None]))
DAYS = st.dates(date(2025, 12, 30), date(2026, 1, 3))
CLOCK = st.tuples(
    DAYS, st.integers(0, 23), st.sampled_from([0, 30]), st.sampled_from(["", "", "Z", "+00:00", "+05:30", "-08:00"])
)
TIME = st.one_of(
    CLOCK.map(lambda made: f"{made[0]}T{made[1]:02}:{made[2]:02}:00{made[3]}"),
    DAYS.map(str),
    st.sampled_from(["soon", "", "2026-02-30", None, 7]),
)
SHARE = st.sampled_from([0, 0.1, 0.25, 0.5, 0.6, 2 / 3, 0.8, 1, 1.5, -0.1, "0.5", float("nan")])
MAYBE_TEXT = st.one_of(TEXT, TEXT, TEXT, ODD)
JUDGES = st.sampled_from([None, "x", lambda a, b: a == b, lambda a, b: b is None, lambda a, b: 1 / 0 > 0, lambda a, b: "no"])
RECORD = st.fixed_dictionaries(
    {},
    optional={
        "outcome": st.sampled_from(["approve", "reject", None]),
        "confidence": st.sampled_from([0, 0.3, 0.7, 1, 1.2, "0.9", None, float("nan")]),
        "decision_maker": st.sampled_from(["ana", "", " ", None]),
        "reasoning": st.sampled_from(["income", "\n", None]),
        "scenario": st.sampled_from(["loan", ""]),
        "metadata": st.sampled_from([None, {}, {"provenance": "w/3"}, {"provenance": ""}, {"source": "s"}]),
    },
)

GOOD = {"outcome": "approve", "confidence": 0.7, "decision_maker": "ana", "reasoning": "income", "scenario": "loan"}
SOURCED = {**GOOD, "metadata": {"provenance": "w/3", "source": "s"}}
CHANGED = RECORD.map(lambda record: SOURCED | dict(list(record.items())[:1]))


def options(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=optional)


TERMS = st.one_of(TEXT, st.lists(TEXT, max_size=3), ODD)
INPUTS: dict[str, tuple[st.SearchStrategy[Any], st.SearchStrategy[Any], st.SearchStrategy[dict[str, Any]]]] = {
    "exact_match": (st.one_of(TEXT, ODD), st.one_of(TEXT, ODD), options()),
    "regex_match": (st.one_of(st.text("ab\n", max_size=5), ODD), st.one_of(PATTERN, ODD), options()),
    "keyword_check": (MAYBE_TEXT, TERMS, options(required=TERMS.filter(lambda terms: terms is not None))),
    "numeric_range": (NUMBER, st.none(), options(min=NUMBER, max=NUMBER)),
    "temporal_range": (TIME, st.none(), options(min=TIME, max=TIME)),
    "length_range": (
        MAYBE_TEXT.filter(lambda value: value != b"a"),
        st.none(),
        options(min=st.integers(0, 5), max=st.integers(0, 9)),
    ),
    "levenshtein": (MAYBE_TEXT, MAYBE_TEXT, options(threshold=SHARE)),
    "rouge": (MAYBE_TEXT, MAYBE_TEXT, options(threshold=SHARE)),
    "llm_as_judge": (MAYBE_TEXT, MAYBE_TEXT, options(judge_fn=JUDGES)),
    "decision_scores": (
        st.one_of(st.just(SOURCED), CHANGED, RECORD, st.sampled_from([None, 5, "approve", ["a"]])),
        st.sampled_from([None, "approve"]),
        options(
            expected_outcome=st.sampled_from(["approve", "reject"]),
            min_confidence=st.sampled_from([0, 0.3]),
            max_confidence=st.sampled_from([0.7, 1]),
            provenance_key=st.just("source"),
            policy_engine=st.just(ByLength()),
            policy_id=st.sampled_from(["p", "p2"]),
        ),
    ),
}
