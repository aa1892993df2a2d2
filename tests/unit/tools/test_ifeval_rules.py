"""IFEval's rules of form, each on answers whose verdict was worked out by reading them."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tools import ifeval_rules as rules

NAMES = sorted(name for name, found in vars(rules).items() if hasattr(found, "__wrapped__"))
AT_LEAST, LESS = "at least", "less than"
FENCED = '```json\n{"a": 1}\n```'
FOLLOWED: list[tuple[str, str, dict[str, Any]]] = [
    ("number_words", "don't stop", {"relation": AT_LEAST, "num_words": 3}),  # don, t, stop
    ("number_words", "one two three", {"relation": LESS, "num_words": 4}),
    ("number_sentences", "One. Two! Three?", {"relation": AT_LEAST, "num_sentences": 3}),
    ("number_sentences", "Dr. A. Wu said 3.5, e.g. here. I did.", {"relation": LESS, "num_sentences": 3}),
    ("number_sentences", "1. One.\n2. Two.", {"relation": LESS, "num_sentences": 3}),
    ("number_sentences", "a line\nanother line", {"relation": LESS, "num_sentences": 2}),
    ("number_paragraphs", "a\n***\nb", {"num_paragraphs": 2}),
    ("number_paragraphs", "***\na\n\nstill a\n***\nb\n***", {"num_paragraphs": 2}),
    ("nth_paragraph_first_word", "a\n\n**Then** b", {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "then"}),
    ("existence", "Correlated Things", {"keywords": ["thing", "correlated"]}),
    ("frequency", "Fake, faked, fake", {"relation": AT_LEAST, "keyword": "fake", "frequency": 3}),
    ("frequency", "war and peace", {"relation": LESS, "keyword": "war", "frequency": 2}),
    ("forbidden_words", "a rocket", {"forbidden_words": ["rock"]}),
    ("letter_frequency", "Queue q", {"let_relation": AT_LEAST, "letter": "q", "let_frequency": 2}),
    ("letter_frequency", "a # b #", {"let_relation": LESS, "letter": "#", "let_frequency": 3}),
    ("no_comma", "none; at all", {}),
    ("capital_word_frequency", "A TOP-10 list by US", {"capital_relation": AT_LEAST, "capital_frequency": 3}),
    ("capital_word_frequency", "Top 10", {"capital_relation": LESS, "capital_frequency": 1}),
    ("json_format", '{"a": [1, null]}', {}),
    ("json_format", FENCED, {}),
    ("title", "x <<Poem of Joy>> y", {}),
    ("number_bullet_lists", "* a\n- b\ntext\n  * c", {"num_bullets": 3}),
    ("number_highlighted_sections", "*one* and **two words**", {"num_highlights": 2}),
    ("multiple_sections", "SECTION 1\na\nSECTION 2\nb", {"section_spliter": "SECTION", "num_sections": 2}),
    ("number_placeholders", "[name] lives in [city]", {"num_placeholders": 2}),
    ("postscript", "x\n\nP.S. y", {"postscript_marker": "P.S."}),
    ("postscript", "x\nP.P.S.\ny", {"postscript_marker": "P.P.S"}),
    ("postscript", "x\n**p.s.** y", {"postscript_marker": "P.S."}),
    ("constrained_response", "Well. My answer is no. Really.", {}),
    ("two_responses", "a\n******\nb", {}),
    ("two_responses", "******a******b******", {}),
    ("repeat_prompt", " Write a poem.\n\nRoses", {"prompt_to_repeat": "Write a poem."}),
    ("end_checker", '"So it is. Peace!"', {"end_phrase": "Peace!"}),
    ("quotation", '\n"said"\n', {}),
]
BROKEN: list[tuple[str, str, dict[str, Any]]] = [
    ("number_words", "one two", {"relation": AT_LEAST, "num_words": 3}),
    ("number_words", "one two three", {"relation": LESS, "num_words": 3}),
    ("number_sentences", "One. Two", {"relation": AT_LEAST, "num_sentences": 3}),
    ("number_sentences", "I am I. He is he.", {"relation": LESS, "num_sentences": 2}),
    ("number_sentences", '"Yes." (No.) *Perhaps.* End', {"relation": LESS, "num_sentences": 4}),
    ("number_paragraphs", "a\n***\nb", {"num_paragraphs": 3}),
    ("number_paragraphs", "a\n***\n\n***\nb", {"num_paragraphs": 3}),
    ("number_paragraphs", "a ****** b", {"num_paragraphs": 2}),
    ("nth_paragraph_first_word", "a\n\nb", {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "a"}),
    ("nth_paragraph_first_word", "a\n\nb\n\nc", {"num_paragraphs": 2, "nth_paragraph": 1, "first_word": "a"}),
    ("nth_paragraph_first_word", "a", {"num_paragraphs": 1, "nth_paragraph": 2, "first_word": "a"}),
    ("existence", "one of two", {"keywords": ["one", "three"]}),
    ("frequency", "story", {"relation": AT_LEAST, "keyword": "story", "frequency": 2}),
    ("forbidden_words", "It will ROCK, sure", {"forbidden_words": ["rock"]}),
    ("letter_frequency", "See", {"let_relation": LESS, "letter": "e", "let_frequency": 2}),
    ("no_comma", "one, two", {}),
    ("capital_word_frequency", "NO Way", {"capital_relation": AT_LEAST, "capital_frequency": 2}),
    ("json_format", f"Here it is: {FENCED}", {}),
    ("json_format", "{'a': 1}", {}),
    ("title", "<title>", {}),
    ("title", "<< >>", {}),
    ("title", "<<two\nlines>>", {}),
    ("number_bullet_lists", "* a\n* b", {"num_bullets": 1}),
    ("number_bullet_lists", "*emphasis* here\n--- \n**bold**", {"num_bullets": 1}),
    ("number_highlighted_sections", "*one* ** ** 2 * 3", {"num_highlights": 2}),
    ("multiple_sections", "SECTION one\nSection 2", {"section_spliter": "SECTION", "num_sections": 1}),
    ("number_placeholders", "[name] and []", {"num_placeholders": 2}),
    ("postscript", "see the P.S. below", {"postscript_marker": "P.S."}),
    ("postscript", "x\nP.S.", {"postscript_marker": "P.S."}),
    ("constrained_response", "My answer is No.", {}),
    ("two_responses", "a ****** a", {}),
    ("two_responses", "a ****** b ****** c", {}),
    ("two_responses", "only one", {}),
    ("repeat_prompt", "Sure! Write a poem.", {"prompt_to_repeat": "Write a poem."}),
    ("repeat_prompt", "write a poem.", {"prompt_to_repeat": "Write a poem."}),
    ("end_checker", "Peace! And more.", {"end_phrase": "Peace!"}),
    ("quotation", '"said" he', {}),
    ("quotation", '""', {}),
]


@pytest.mark.parametrize(("name", "text", "config"), FOLLOWED)
def test_what_follows_the_rule_passes(name: str, text: str, config: dict[str, Any]) -> None:
    metric = getattr(rules, name)(text, None, config)
    assert (metric.score, metric.passed, metric.error) == (1.0, True, None)


@pytest.mark.parametrize(("name", "text", "config"), BROKEN)
def test_what_breaks_the_rule_fails_and_says_what_was_found(name: str, text: str, config: dict[str, Any]) -> None:
    metric = getattr(rules, name)(text, None, config)
    assert (metric.score, metric.passed, metric.error) == (0.0, False, None)
    assert metric.meta["reason"]


def test_every_rule_has_an_answer_that_passes_and_one_that_fails() -> None:
    assert {name for name, _, _ in FOLLOWED} == {name for name, _, _ in BROKEN} == set(NAMES)
    assert len(NAMES) == 22


@pytest.mark.parametrize("name", NAMES)
def test_a_blank_answer_follows_no_rule(name: str) -> None:
    config = next(config for found, _, config in FOLLOWED if found == name)
    assert getattr(rules, name)(" \n", None, config).meta == {"reason": "the answer is blank"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("actual", [None, 3, ["text"]])
def test_what_is_no_text_cannot_be_judged(name: str, actual: object) -> None:
    assert "expected text" in (getattr(rules, name)(actual, None, {}).error or "")


@pytest.mark.parametrize("name", NAMES)
def test_an_argument_that_the_rule_does_not_have_is_told(name: str) -> None:
    config = next(config for found, _, config in FOLLOWED if found == name)
    metric = getattr(rules, name)("text", None, config | {"num_wrods": 3})
    assert "num_wrods" in (metric.error or "")


@pytest.mark.parametrize("name", NAMES)
def test_an_argument_that_is_missing_is_told(name: str) -> None:
    needed = [p for p in inspect.signature(getattr(rules, name).__wrapped__).parameters if p != "text"]
    error = getattr(rules, name)("text", None, {}).error
    assert needed[0] in (error or "") if needed else error is None


def test_an_unknown_relation_is_told() -> None:
    metric = rules.number_words("a", None, {"relation": "at most", "num_words": 1})
    assert metric.error == "ValueError: relation: unknown, got 'at most'; expected 'at least' or 'less than'"


def test_sentences_are_cut_at_their_signs_and_keep_them() -> None:
    text = 'Dr. Wu met J. Smith... "Why?!" she asked at 3 p.m. sharp.\n\n  2. In 1990.\nno end'
    assert rules.sentences(text) == [
        "Dr. Wu met J. Smith...",
        '"Why?!"',
        "she asked at 3 p.m. sharp.",
        "2. In 1990.",
        "no end",
    ]
