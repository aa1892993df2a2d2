"""Rules of form that IFEval's prompts give, each an evaluator: `rule(actual, expected, config)`, by its published name.

Written from the published descriptions of the instructions, for answers as text; `config` holds the rule's published
arguments. Where a description leaves something open, the docstring says what is taken. A rule scores 1.0 or 0.0 and says
what it found; a blank answer follows no rule; what is no text, and arguments that a rule does not have, cannot be judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps

from assay import EvalMetric

ABBREVIATIONS = frozenset(
    [
        *("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "rev", "hon", "gen", "col", "capt", "lt", "sgt"),
        *(
            "vs",
            "etc",
            "e.g",
            "i.e",
            "cf",
            "a.m",
            "p.m",
            "approx",
            "vol",
            "pp",
            "inc",
            "ltd",
            "co",
            "corp",
            "dept",
            "ave",
            "blvd",
        ),
        *("jan", "feb", "apr", "jun", "jul", "aug", "sept", "oct", "nov", "dec"),
    ]
)
"""Words, without the last dot, after which a sentence goes on."""
ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
SENTENCE_END = re.compile(r"""(^[ \t]*)?(\S*?)([.!?]+)["'\u201d\u2019)\]*_]*(?=\s|\Z)""", re.MULTILINE)
"""White space where it starts a line, the last word, the signs."""
Judge = Callable[..., tuple[bool, str]]
Evaluator = Callable[..., EvalMetric]


def rule(judge: Judge) -> Evaluator:
    """The evaluator that asks `judge(text, **config)` whether the rule is followed and what it found."""

    @wraps(judge)
    def evaluator(actual: object, expected: object = None, config: Mapping[str, object] | None = None) -> EvalMetric:
        if not isinstance(actual, str):
            return EvalMetric(0.0, passed=False, meta={"error": f"actual: is {type(actual).__name__}; expected text"})
        if not actual.strip():
            return EvalMetric(0.0, passed=False, meta={"reason": "the answer is blank"})
        try:
            is_followed, found = judge(actual, **(config or {}))
        except (TypeError, ValueError) as fault:
            return EvalMetric(0.0, passed=False, meta={"error": f"{type(fault).__name__}: {fault}"})
        return EvalMetric(float(is_followed), passed=is_followed, meta={"reason": found})

    return evaluator


# --- how long ---


@rule
def number_words(text: str, relation: str, num_words: int) -> tuple[bool, str]:
    """At least, or less than, so many words. A word is a run of letters, digits and underscores."""
    return _counted(len(re.findall(r"\w+", text)), relation, num_words, "words")


@rule
def number_sentences(text: str, relation: str, num_sentences: int) -> tuple[bool, str]:
    """At least, or less than, so many sentences.

    A sentence ends with `.`, `!` or `?` before white space, or with the text; not after an abbreviation, an initial or the
    number of a list's item. A line break alone ends none.
    """
    return _counted(len(sentences(text)), relation, num_sentences, "sentences")


@rule
def number_paragraphs(text: str, num_paragraphs: int) -> tuple[bool, str]:
    """Exactly so many paragraphs, divided by `***`. A divider at the very start or end divides nothing."""
    parts = [part.strip() for part in re.split(r"(?<!\*)\*\*\*(?!\*)", text.strip())]
    inner = parts[1 if not parts[0] else 0 : -1 if len(parts) > 1 and not parts[-1] else None]
    found = f"{len(inner)} paragraphs, {inner.count('')} of them empty; {num_paragraphs} wanted"
    return len(inner) == num_paragraphs and all(inner), found


@rule
def nth_paragraph_first_word(text: str, num_paragraphs: int, nth_paragraph: int, first_word: str) -> tuple[bool, str]:
    """Exactly so many paragraphs, divided by blank lines, and the nth (from 1) starts with the word, whatever its case."""
    parts = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    if not 1 <= nth_paragraph <= len(parts):
        return False, f"{len(parts)} paragraphs, no number {nth_paragraph}"
    word = re.search(r"\w[\w'\u2019-]*", parts[nth_paragraph - 1])
    first = word[0] if word else ""
    found = f"{len(parts)} paragraphs, {num_paragraphs} wanted; number {nth_paragraph} starts with {first!r}"
    return len(parts) == num_paragraphs and first.casefold() == first_word.casefold(), found


# --- which words and letters ---


@rule
def existence(text: str, keywords: Sequence[str]) -> tuple[bool, str]:
    """Every keyword occurs, whatever its case. Part of a longer word counts, such as a plural."""
    missing = [word for word in keywords if word.casefold() not in text.casefold()]
    return not missing, f"missing: {', '.join(missing) or 'none'}"


@rule
def frequency(text: str, relation: str, keyword: str, frequency: int) -> tuple[bool, str]:
    """The keyword occurs at least, or less than, so many times, whatever its case. Part of a longer word counts."""
    return _counted(text.casefold().count(keyword.casefold()), relation, frequency, f"times {keyword!r}")


@rule
def forbidden_words(text: str, forbidden_words: Sequence[str]) -> tuple[bool, str]:
    """None of the words occurs as a word of its own, whatever its case."""
    found = [word for word in forbidden_words if re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE)]
    return not found, f"found: {', '.join(found) or 'none'}"


@rule
def letter_frequency(text: str, let_relation: str, letter: str, let_frequency: int) -> tuple[bool, str]:
    """The letter or sign occurs at least, or less than, so many times, whatever its case."""
    return _counted(text.lower().count(letter.lower()), let_relation, let_frequency, f"times {letter!r}")


@rule
def no_comma(text: str) -> tuple[bool, str]:
    """No comma anywhere."""
    return "," not in text, f"{text.count(',')} commas"


@rule
def capital_word_frequency(text: str, capital_relation: str, capital_frequency: int) -> tuple[bool, str]:
    """At least, or less than, so many words in capitals throughout, `I` and `A` among them. A hyphen does not part words."""
    words = re.findall(r"\w+(?:[-.'\u2019&]\w+)*", text)
    return _counted(sum(word.isupper() for word in words), capital_relation, capital_frequency, "words in capitals")


# --- which form ---


@rule
def json_format(text: str) -> tuple[bool, str]:
    """The whole answer is one JSON value, a Markdown fence around it allowed."""
    fenced = re.fullmatch(r"```\w*\s*(.*?)\s*```", text.strip(), re.DOTALL)
    try:
        json.loads(fenced[1] if fenced else text)
    except ValueError as fault:
        return False, f"is not JSON: {fault}"
    return True, "is JSON"


@rule
def title(text: str) -> tuple[bool, str]:
    """A title in double angular brackets on one line, `<<title>>`, not blank."""
    found = [name for name in re.findall(r"<<([^\n]+?)>>", text) if name.strip(" <>")]
    return bool(found), f"title: {found[0] if found else 'none'}"


@rule
def number_bullet_lists(text: str, num_bullets: int) -> tuple[bool, str]:
    """Exactly so many Markdown bullet points: lines that start with `*` or `-`, white space and something."""
    found = len(re.findall(r"(?m)^[ \t]*[*-][ \t]+\S", text))
    return found == num_bullets, f"{found} bullet points, {num_bullets} wanted"


@rule
def number_highlighted_sections(text: str, num_highlights: int) -> tuple[bool, str]:
    """At least so many parts in `*one*` or `**two**` asterisks, each within a line and not blank."""
    found = [part for part in re.findall(r"\*{1,2}([^\n*]+)\*{1,2}", text) if part.strip()]
    return _counted(len(found), "at least", num_highlights, "highlighted parts")


@rule
def multiple_sections(text: str, section_spliter: str, num_sections: int) -> tuple[bool, str]:
    """At least so many sections, each begun with the mark and a number, as in `SECTION 1`."""
    marks = re.findall(rf"{re.escape(section_spliter)}\s?\d+", text)
    return _counted(len(marks), "at least", num_sections, "sections")


@rule
def number_placeholders(text: str, num_placeholders: int) -> tuple[bool, str]:
    """At least so many placeholders in square brackets, such as `[address]`."""
    return _counted(len(re.findall(r"\[[^\[\]]+\]", text)), "at least", num_placeholders, "placeholders")


@rule
def postscript(text: str, postscript_marker: str) -> tuple[bool, str]:
    """A line starts with the marker (`P.S.`, `P.P.S`), whatever its case, and a text follows."""
    letters = [re.escape(letter) for letter in postscript_marker.replace(".", "").replace(" ", "")]
    mark = r"\.?\s?".join(letters)
    found = re.search(rf"^\W*{mark}\b.*\w", text, re.IGNORECASE | re.MULTILINE | re.DOTALL)
    return bool(found), f"marker {postscript_marker!r} {'found' if found else 'not found'}"


@rule
def constrained_response(text: str) -> tuple[bool, str]:
    """One of the three fixed answers occurs, as it is: that the answer is yes, no or maybe."""
    found = [answer for answer in ANSWERS if answer in text]
    return bool(found), f"found: {', '.join(found) or 'none'}"


@rule
def two_responses(text: str) -> tuple[bool, str]:
    """Two different answers with `******` between them. A divider at the very start or end divides nothing."""
    parts = [part.strip() for part in text.strip().split("******")]
    inner = parts[1 if not parts[0] else 0 : -1 if len(parts) > 1 and not parts[-1] else None]
    match inner:
        case [first, second]:
            return bool(first and second and first != second), f"two answers, {'equal' if first == second else 'different'}"
    return False, f"{len(inner)} answers, two wanted"


# --- how it starts and ends ---


@rule
def repeat_prompt(text: str, prompt_to_repeat: str) -> tuple[bool, str]:
    """The answer starts with the request, word for word."""
    is_repeated = text.strip().startswith(prompt_to_repeat.strip())
    return is_repeated, f"starts with {text.strip()[:60]!r}"


@rule
def end_checker(text: str, end_phrase: str) -> tuple[bool, str]:
    """The answer ends with the phrase; quotation marks around the answer do not count."""
    end = text.strip().rstrip('"').rstrip()
    return end.casefold().endswith(end_phrase.strip().casefold()), f"ends with {end[-60:]!r}"


@rule
def quotation(text: str) -> tuple[bool, str]:
    """The whole answer stands in double quotation marks."""
    whole = text.strip()
    return bool(whole[1:-1]) and whole[0] == whole[-1] == '"', f"from {whole[0]!r} to {whole[-1]!r}"


def sentences(text: str) -> list[str]:
    """The text's sentences, in order, by the rule that `number_sentences` states."""
    found, start = [], 0
    for end in SENTENCE_END.finditer(text):
        if not _goes_on(end[2], end[3], begins_line=end[1] is not None):
            found.append(text[start : end.end()].strip())
            start = end.end()
    return [part for part in (*found, text[start:].strip()) if re.search(r"\w", part)]


def _goes_on(word: str, signs: str, *, begins_line: bool) -> bool:
    """Whether the dot belongs to an abbreviation, to an initial other than `I` or to the number of a list's item."""
    bare = word.strip("\"'\u201c\u2018([*_")
    is_initial = len(bare) == 1 and bare.isupper() and bare != "I"
    return signs == "." and (bare.casefold() in ABBREVIATIONS or is_initial or (begins_line and bare.isdecimal()))


def _counted(found: int, relation: str, wanted: int, of: str) -> tuple[bool, str]:
    if relation not in ("at least", "less than"):
        raise ValueError(f"relation: unknown, got {relation!r}; expected 'at least' or 'less than'")
    is_followed = found >= wanted if relation == "at least" else found < wanted
    return is_followed, f"{found} {of}; {relation} {wanted} wanted"
