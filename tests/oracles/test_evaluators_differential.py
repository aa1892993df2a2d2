"""A second implementation of the ten evaluators, from the issue's words in plain Python, and the product beside it.

The second one knows nothing of the first: other algorithms (furthest-reaching diagonals for the edit distance, lists of atoms
for terms, sorted lists for shared words, its own reading of ISO times), and no helper of the product. Both must give the same
score, the same verdict and an error for the same inputs. Where the product deliberately does otherwise than a literal reading
or than well-known peers, the deviation has a row here and is asserted by its number:

==  ===============  ======================================  ====================  ===============================
no  evaluator        literal reading, or peer                the product           reason
==  ===============  ======================================  ====================  ===============================
1   exact_match      None == None passes                     error                 nothing was expected or said
2   keyword_check    `\\b` finds no C++ in 'C++ is old'       found                 a term may end in a sign
3   keyword_check    `\\b` finds cafe in decomposed café      not found             a mark belongs to its letter
4   keyword_check    `\\b` finds no word inside Han text      found                 no spaces, no word borders
5   keyword_check    no required term: all of none passes    error                 what cannot fail shows nothing
6   rouge            rouge-score: identical Thai is 0.0      1.0                   words are of any script
7   rouge            rouge-score: café and caf share a word  they share none       letters are no separators
8   levenshtein      1 - d / longest, rounded twice          one division          a threshold is met exactly
9   levenshtein      autoevals: None is the text 'None'      error                 None is no text
10  numeric_range    True is the number 1 and passes         error                 a truth value is no quantity
11  numeric_range    NaN fails                               error                 undefined is not wrong
12  numeric_range    min above max: everything fails         error                 no output is to blame
13  length_range     no max: a failure with a reason         error                 it could not run
14  llm_as_judge     the text 'no' is truthy and passes      error                 it is no verdict
15  decision_scores  the policy engine raises: a failure     error                 the decision is not to blame
16  every one        an unknown option is ignored            error, nearest named  a misspelt bound bounds nothing
==  ===============  ======================================  ====================  ===============================
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import get_evaluator
from tests.oracles.evaluator_inputs import INPUTS
from tests.oracles.second_evaluators import (
    ERROR,
    SECOND,
    Options,
    Outcome,
    between,
    distance,
    f1,
    seconds,
    shared_words,
    similarity,
    yes_or_no,
)

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
PAIRS = 20_000


def product(name: str, actual: object, expected: object, options: Options) -> Outcome:
    metric = get_evaluator(name)(actual, expected, options)
    if "error" in metric.meta:
        assert (metric.score, metric.passed) == (0.0, False)
        return ERROR
    return metric.score, metric.passed


# --- the comparison ---


@pytest.mark.parametrize("name", sorted(SECOND))
@settings(max_examples=200)
@given(data=st.data())
def test_both_give_the_same_score_verdict_and_error(name: str, data: st.DataObject) -> None:
    actual, expected, given_options = (data.draw(strategy) for strategy in INPUTS[name])
    assert product(name, actual, expected, given_options) == SECOND[name](actual, expected, given_options)


@pytest.mark.parametrize("name", sorted(SECOND))
def test_the_inputs_reach_every_outcome(name: str) -> None:
    """A comparison over inputs that all fail, or all are errors, would compare nothing."""
    seen = set()

    @settings(max_examples=150, derandomize=True, database=None)
    @given(st.tuples(*INPUTS[name]))
    def gather(inputs: tuple[Any, Any, Any]) -> None:
        outcome = SECOND[name](*inputs)
        seen.add(outcome if outcome == ERROR else outcome[1])

    gather()
    assert seen == {True, False, ERROR}


def random_pairs(alphabet: Sequence[str], longest: int) -> list[tuple[str, str]]:
    """Seeded pairs; every other one is a text and a copy with a few characters changed, so that all similarities occur."""
    rng = random.Random(20_261_130)  # noqa: S311  # made-up text, no secret
    pairs = []
    for number in range(PAIRS):
        a = [rng.choice(alphabet) for _ in range(rng.randint(0, longest))]
        b = [rng.choice(alphabet) for _ in range(rng.randint(0, longest))]
        if number % 2:
            b = [rng.choice(alphabet) if rng.random() < 0.2 else character for character in a]
        pairs.append(("".join(a), "".join(b)))
    return pairs


def test_levenshtein_agrees_to_the_last_digit_on_20_000_pairs() -> None:
    evaluator = get_evaluator("levenshtein")
    pairs = random_pairs("abcdé寿 ", 12)
    assert [evaluator(a, b).score for a, b in pairs] == [similarity(a, b) for a, b in pairs]
    assert len({similarity(a, b) for a, b in pairs[:2_000]}) > 30


def test_rouge_agrees_to_the_last_digit_on_20_000_ascii_pairs() -> None:
    evaluator = get_evaluator("rouge")
    pairs = random_pairs(["cat ", "Dog ", "the-", "THE ", "a_b ", "w1.", "w2\n", "'s ", "...", "  ", "\t!"], 14)

    def ascii_words(text: str) -> list[str]:
        return [word for word in re.sub(r"[^a-z0-9]+", " ", text.lower()).split(" ") if word]

    found = [evaluator(a, b) for a, b in pairs]
    for metric, (a, b) in zip(found, pairs, strict=True):
        output, reference = ascii_words(a), ascii_words(b)
        shared = shared_words(output, reference)
        assert metric.score == f1(output, reference)
        assert metric.meta["precision"] == shared / max(len(output), 1)
        assert metric.meta["recall"] == shared / max(len(reference), 1)
        exact_f1 = Fraction(2 * shared, len(output) + len(reference)) if shared else Fraction(0)
        assert abs(Fraction(metric.score) - exact_f1) < Fraction(1, 10**15)
    assert len({metric.score for metric in found}) > 40


# --- published values ---


def shared_data(name: str) -> Path:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"no folder shared/data/{name} beside the project: its published values are not there to compare with")
    return folder


def test_rouge_gives_the_published_values_of_rouge_1_5_5() -> None:
    folder = shared_data("rouge-google")
    published = json.loads((folder / "expected.json").read_text())
    texts = [(folder / f"{name}.txt").read_text().splitlines() for name in ("prediction", "target")]
    evaluator = get_evaluator("rouge")
    cases = [case for case in published["cases"] if case["type"] == "rouge1" and not case["stem"]]
    assert len(cases) == 2
    for case in cases:
        metric = evaluator(*(lines[case["line"]] for lines in texts))
        found = (metric.meta["precision"], metric.meta["recall"], metric.score)
        assert found == pytest.approx((case["precision"], case["recall"], case["f"]), abs=5e-6)
    inline = [case for case in published["inline"] if case[2] == "rouge1"]
    assert len(inline) == 2
    for target, prediction, _, values in inline:
        metric = evaluator(prediction, target)
        found = (metric.meta["precision"], metric.meta["recall"], metric.score)
        assert found == pytest.approx((values["p"], values["r"], values["f"]), abs=1e-6)


def test_levenshtein_gives_the_values_of_autoevals() -> None:
    triples = json.loads((shared_data("autoevals") / "expected_values.json").read_text())["levenshtein"]
    assert len(triples) == 9
    for a, b, score in triples:
        assert get_evaluator("levenshtein")(a, b).score == pytest.approx(score, abs=5e-6)


# --- the deviations, by their number ---


def word_border(term: str, text: str) -> Outcome:
    return yes_or_no(re.search(rf"\b{re.escape(term)}\b", text, re.IGNORECASE) is not None)


def peer_rouge(a: str, b: str) -> float:
    return f1(*(re.findall("[a-z0-9]+", text.lower()) for text in (a, b)))


class Down:
    def check_compliance(self, decision: object, policy_id: str) -> bool:
        raise ConnectionError("policy store is down")


NAN = float("nan")
WHOLE = {"confidence": 1, "decision_maker": "a", "reasoning": "b", "scenario": "c", "metadata": {"provenance": "d"}}
PASSES, FAILS = (1.0, True), (0.0, False)
DEVIATIONS: list[tuple[int, Outcome, str, object, object, Options, Outcome]] = [
    (1, yes_or_no([None] == [None]), "exact_match", None, None, {}, ERROR),
    (2, word_border("C++", "C++ is old"), "keyword_check", "C++ is old", "C++", {}, PASSES),
    (3, word_border("cafe", "cafe\u0301"), "keyword_check", "cafe\u0301", "cafe", {}, FAILS),
    (4, word_border("寿司", "私は寿司が好き"), "keyword_check", "私は寿司が好き", "寿司", {}, PASSES),
    (5, yes_or_no(all([])), "keyword_check", "a", [], {}, ERROR),
    (6, (peer_rouge("สวัสดี", "สวัสดี"), False), "rouge", "สวัสดี", "สวัสดี", {}, PASSES),
    (7, (peer_rouge("caf\u00e9", "caf"), True), "rouge", "caf\u00e9", "caf", {}, FAILS),
    (8, (1 - 9 / 10, False), "levenshtein", "a234567890", "aZYXWVUTSR", {"threshold": 0.1}, (0.1, True)),
    (9, PASSES, "levenshtein", None, "None", {}, ERROR),
    (10, between(value=True, low=0, high=2), "numeric_range", True, None, {"min": 0, "max": 2}, ERROR),
    (11, yes_or_no(0 <= NAN <= 1), "numeric_range", NAN, None, {"min": 0, "max": 1}, ERROR),
    (12, yes_or_no(sorted([2, 1, 0]) == [2, 1, 0]), "numeric_range", 1, None, {"min": 2, "max": 0}, ERROR),
    (13, FAILS, "length_range", "abc", None, {"min": 1}, ERROR),
    (14, yes_or_no(bool("no")), "llm_as_judge", "a", "b", {"judge_fn": lambda a, b: "no"}, ERROR),
    (15, (5 / 6, False), "decision_scores", WHOLE, None, {"policy_engine": Down(), "policy_id": "p"}, ERROR),
    (16, PASSES, "levenshtein", "apple", "apple", {"treshold": 0.9}, ERROR),
]


@pytest.mark.parametrize(("number", "literal", "name", "actual", "expected", "given_options", "ours"), DEVIATIONS)
def test_a_deliberate_deviation_is_what_its_row_says(
    number: int, literal: Outcome, name: str, actual: object, expected: object, given_options: Options, ours: Outcome
) -> None:
    assert product(name, actual, expected, given_options) == ours
    assert ours != literal


def test_every_deviation_has_a_row_in_the_table() -> None:
    rows = [int(found.group(1)) for found in re.finditer(r"^(\d+)\s{1,3}\S", __doc__ or "", re.MULTILINE)]
    assert rows == [row[0] for row in DEVIATIONS]


def test_rounding_twice_differs_in_the_last_digit_only() -> None:
    pairs = random_pairs("abc", 16)[:2_000]
    away = [
        abs(get_evaluator("levenshtein")(a, b).score - (1 - distance(a, b) / max(len(a), len(b), 1)))
        for a, b in pairs
        if a or b
    ]
    assert 0 < max(away) < 2e-16


def test_the_second_reader_of_times_agrees_with_itself() -> None:
    first, second = seconds("2026-01-01T00:30:00+01:00"), seconds("2025-12-31T23:30:00Z")
    assert first == second
    assert timedelta(seconds=seconds("2026-01-02")[1] - seconds("2026-01-01")[1]) == timedelta(days=1)  # type: ignore[index]
