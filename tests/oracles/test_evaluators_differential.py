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
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import get_evaluator

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
PAIRS = 20_000
Outcome = tuple[float, bool] | str
ERROR = "error"
Options = Mapping[str, Any]


def product(name: str, actual: object, expected: object, options: Options) -> Outcome:
    metric = get_evaluator(name)(actual, expected, options)
    if "error" in metric.meta:
        assert (metric.score, metric.passed) == (0.0, False)
        return ERROR
    return metric.score, metric.passed


def yes_or_no(is_good: bool) -> Outcome:
    return (1.0, True) if is_good else (0.0, False)


# --- the second implementation ---


def exact(actual: object, expected: object, options: Options) -> Outcome:
    if actual is None or expected is None:
        return ERROR
    return yes_or_no([actual] == [expected])


def regex(actual: object, expected: object, options: Options) -> Outcome:
    """A search is a match at some place."""
    if type(actual) is not str or type(expected) is not str:
        return ERROR
    try:
        pattern = re.compile(expected)
    except re.error:
        return ERROR
    return yes_or_no(any(pattern.match(actual, at) for at in range(len(actual) + 1)))


def atoms(text: str) -> list[str]:
    """Words of spaced scripts, letters with their marks of unspaced ones, and every other character by itself."""
    found: list[str] = []
    is_word = False
    for character in " ".join(text.casefold().split()):
        name, kind = unicodedata.name(character, ""), unicodedata.category(character)
        if kind.startswith("M") and found:
            found[-1] += character
            continue
        is_unspaced = name.startswith(("CJK", "THAI", "HIRAGANA", "KATAKANA", "LAO", "KHMER", "MYANMAR"))
        joins = (kind[0] in "LN" and not is_unspaced) or character == "_"
        if joins and is_word:
            found[-1] += character
        else:
            found.append(character)
        is_word = joins
    return found


def keywords(actual: object, expected: object, options: Options) -> Outcome:
    terms = options.get("required", expected)
    terms = [terms] if type(terms) is str else terms
    if type(actual) is not str or type(terms) is not list or not terms:
        return ERROR
    if any(type(term) is not str or term.isspace() or not term for term in terms):
        return ERROR
    text = atoms(actual)
    hits = [any(text[at : at + len(atoms(term))] == atoms(term) for at in range(len(text))) for term in terms]
    return hits.count(True) / len(hits), False not in hits


def between(value: Any, low: Any, high: Any) -> Outcome:
    if low > high:
        return ERROR
    return yes_or_no(sorted([low, value, high])[1] == value)


def numeric(actual: object, expected: object, options: Options) -> Outcome:
    three = [actual, options.get("min"), options.get("max")]
    if any(type(value) not in {int, float} or value != value for value in three):  # noqa: PLR0124  # only NaN differs from itself
        return ERROR
    return between(*three)


MOMENT = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(Z|[+-]\d\d:\d\d)?)?")


def seconds(value: object) -> tuple[bool, int] | None:
    """Whether it has an offset, and the seconds since the first day."""
    found = MOMENT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    offset = found.group(7)
    try:
        total = date(year, month, day).toordinal() * 86_400 + hour * 3600 + minute * 60 + second
    except ValueError:
        return None
    if offset and offset != "Z":
        total -= (1 if offset[0] == "+" else -1) * (int(offset[1:3]) * 3600 + int(offset[4:]) * 60)
    return bool(offset), total


def temporal(actual: object, expected: object, options: Options) -> Outcome:
    three = [seconds(value) for value in (actual, options.get("min"), options.get("max"))]
    if None in three or len({one[0] for one in three if one}) > 1:
        return ERROR
    return between(*(one[1] for one in three if one))


def length(actual: object, expected: object, options: Options) -> Outcome:
    low, high = options.get("min", 0), options.get("max")
    if type(low) is not int or type(high) is not int or type(actual) not in {str, list, dict}:
        return ERROR
    return between(sum(1 for _ in actual), low, high)  # type: ignore[attr-defined]  # one of the three


def distance(a: str, b: str) -> int:
    """How far each diagonal is reached with 0, 1, 2 ... edits, until the last one is reached to its end."""
    edits, reached = 0, {0: slide(a, b, 0, 0)}
    while reached.get(len(b) - len(a), -1) < len(a):
        edits += 1
        further = {}
        for k in range(-edits, edits + 1):
            starts = (reached.get(k, -9) + 1, reached.get(k - 1, -9), reached.get(k + 1, -9) + 1)
            at = min(max(starts), len(a), len(b) - k)
            if at >= max(0, -k):
                further[k] = slide(a, b, at, k)
        reached = further
    return edits


def slide(a: str, b: str, at: int, k: int) -> int:
    while at < len(a) and at + k < len(b) and a[at] == b[at + k]:
        at += 1
    return at


def similarity(a: str, b: str) -> float:
    longest = max(len(a), len(b))
    return float(1 - Fraction(distance(a, b), longest)) if longest else 1.0


def is_share(value: object) -> bool:
    return type(value) in {int, float} and 0 <= value <= 1  # type: ignore[operator]  # a number


def edits(actual: object, expected: object, options: Options) -> Outcome:
    threshold = options.get("threshold", 0.8)
    if type(actual) is not str or type(expected) is not str or not is_share(threshold):
        return ERROR
    score = similarity(actual, expected)
    return score, score >= threshold


def words(text: str) -> list[str]:
    return [atom for atom in re.split(r"_|\s", "_".join(atoms(text.replace("_", " ")))) if any(map(str.isalnum, atom))]


def shared_words(a: list[str], b: list[str]) -> int:
    """Two sorted lists, walked side by side."""
    a, b, found = sorted(a), sorted(b), 0
    while a and b:
        if a[-1] == b[-1]:
            a.pop()
            b.pop()
            found += 1
        else:
            (a if a[-1] > b[-1] else b).pop()
    return found


def f1(output: list[str], reference: list[str]) -> float:
    """The steps of rouge-score's rouge1: two quotients with at least 1 below, then their harmonic mean."""
    shared = shared_words(output, reference)
    precision, recall = shared / max(len(output), 1), shared / max(len(reference), 1)
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def rouge_1(actual: object, expected: object, options: Options) -> Outcome:
    threshold = options.get("threshold", 0.0)
    if type(actual) is not str or type(expected) is not str or not is_share(threshold):
        return ERROR
    score = f1(words(actual), words(expected))
    return score, score > 0 and score >= threshold


def judged(actual: object, expected: object, options: Options) -> Outcome:
    judge = options.get("judge_fn")
    if actual is None or not callable(judge):
        return ERROR
    try:
        said = judge(actual, expected)
    except ArithmeticError:
        return ERROR
    return yes_or_no(said) if said is True or said is False else ERROR


def decided(actual: object, expected: object, options: Options) -> Outcome:
    if type(actual) is not dict:
        return ERROR
    low, high = options.get("min_confidence", 0), options.get("max_confidence", 1)
    kept = []
    wanted = options.get("expected_outcome", expected)
    if wanted is not None:
        kept.append(actual.get("outcome") == wanted)
    confidence = actual.get("confidence")
    kept.append(type(confidence) in {int, float} and low <= confidence <= high)
    kept += [bool(str(actual.get(name) or "").strip()) for name in ("decision_maker", "reasoning", "scenario")]
    kept.append(bool((actual.get("metadata") or {}).get(options.get("provenance_key", "provenance"))))
    if options.get("policy_engine") and options.get("policy_id"):
        kept.append(options["policy_engine"].check_compliance(actual, options["policy_id"]))
    return sum(kept) / len(kept), all(kept)


SECOND: dict[str, Callable[[object, object, Options], Outcome]] = {
    "exact_match": exact,
    "regex_match": regex,
    "keyword_check": keywords,
    "numeric_range": numeric,
    "temporal_range": temporal,
    "length_range": length,
    "levenshtein": edits,
    "rouge": rouge_1,
    "llm_as_judge": judged,
    "decision_scores": decided,
}

# --- inputs ---


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
