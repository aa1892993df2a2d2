"""The ten evaluators once more, from the issue's words in plain Python; it knows nothing of the product."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date
from fractions import Fraction
from typing import Any

Outcome = tuple[float, bool] | str
ERROR = "error"
Options = Mapping[str, Any]


def yes_or_no(is_good: bool) -> Outcome:
    return (1.0, True) if is_good else (0.0, False)


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
