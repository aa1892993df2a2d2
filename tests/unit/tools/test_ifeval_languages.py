"""Languages told by script and commonest words: sentences written for these tests, and what cannot be told."""

from __future__ import annotations

import pytest

from tools.ifeval_languages import COMMON, LANGUAGES, english_capital, english_lowercase, likely_languages, response_language

SENTENCES = {
    "ar": "هذا هو الكتاب الذي كان على الطاولة في البيت",
    "bg": "Това е книгата, която може да се види на масата",  # noqa: RUF001  # Cyrillic is meant
    "bn": "বইটি টেবিলের উপরে আছে",
    "de": "Das Buch ist nicht auf dem Tisch, und die Lampe ist aus",
    "en": "The book is on the table and it is not mine",
    "fa": "این کتاب را که روی میز است به او خواهم داد",
    "fi": "Kirja on pöydällä, mutta hän ei ole kotona ja se on myös niin",
    "gu": "પુસ્તક ટેબલ પર છે",
    "hi": "किताब मेज पर है और वह घर में नहीं है",
    "it": "Il libro è sul tavolo e non è della casa che è anche mia",
    "kn": "ಪುಸ್ತಕ ಮೇಜಿನ ಮೇಲೆ ಇದೆ",
    "ko": "책이 책상 위에 있습니다",
    "mr": "पुस्तक टेबलावर आहे आणि ते घरी नाही",
    "ne": "किताब टेबलमा छ र यो घरमा छ",
    "pa": "ਕਿਤਾਬ ਮੇਜ਼ ਤੇ ਹੈ",
    "pt": "O livro não está na mesa, mas é do homem que mora em uma casa",
    "ru": "Книга лежит на столе, но я не был у него",  # noqa: RUF001  # Cyrillic is meant
    "sw": "Kitabu hii ni ya mtoto wa shule na iko katika nyumba yangu",
    "ta": "புத்தகம் மேசையில் உள்ளது",
    "te": "పుస్తకం బల్ల మీద ఉంది",
    "th": "หนังสืออยู่บนโต๊ะ",
    "ur": "یہ کتاب میز پر ہے اور وہ گھر میں نہیں ہے",
    "vi": "Cuốn sách này là của tôi và không có trong nhà",
}  # fmt: skip


@pytest.mark.parametrize(("code", "sentence"), SENTENCES.items())
def test_a_sentence_is_told_by_its_script_and_words(code: str, sentence: str) -> None:
    assert likely_languages(sentence) == {code}
    assert response_language(sentence, None, {"language": code}).passed


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_no_sentence_passes_as_another_language(code: str) -> None:
    others = [sentence for other, sentence in SENTENCES.items() if other != code]
    assert not any(response_language(sentence, None, {"language": code}).passed for sentence in others)


def test_every_language_that_can_be_told_has_a_sentence_or_is_a_neighbour() -> None:
    assert LANGUAGES - SENTENCES.keys() == {"es", "fr"}


def test_without_a_common_word_every_language_of_the_script_is_likely() -> None:
    assert likely_languages("BOLD AMBER") == set(COMMON["LATIN"])
    assert "language" in (response_language("BOLD AMBER", None, {"language": "en"}).error or "")


def test_a_script_of_no_such_language_and_no_letters_are_none() -> None:
    assert likely_languages("βιβλίο") == likely_languages("123 !") == likely_languages("") == frozenset()
    metric = response_language("", None, {"language": "en"})
    assert (metric.passed, metric.error) == (False, None)


@pytest.mark.parametrize("config", [None, {}, {"language": "tlh"}, {"language": None}])
def test_a_language_that_cannot_be_told_is_an_error(config: dict[str, object] | None) -> None:
    assert "expected one of ar, bg" in (response_language("text", None, config).error or "")


def test_a_wrong_letter_fails_before_the_language_is_asked_for() -> None:
    assert english_capital("BOLD aMBER").meta == {"reason": "1 small letters"}
    assert english_lowercase("bold Amber").meta == {"reason": "1 capital letters"}


def test_english_in_one_case_passes_and_another_language_fails() -> None:
    assert english_capital(SENTENCES["en"].upper()).passed
    assert english_lowercase(SENTENCES["en"].lower()).passed
    assert not english_lowercase(SENTENCES["de"].lower()).passed
    assert english_lowercase(SENTENCES["de"].lower()).error is None


def test_english_that_cannot_be_told_is_an_error_and_no_verdict() -> None:
    assert "en wanted" in (english_capital("BOLD AMBER").error or "")


@pytest.mark.parametrize("evaluator", [english_capital, english_lowercase])
def test_no_text_and_unknown_options_cannot_be_judged(evaluator: object) -> None:
    assert "expected text" in (evaluator(None).error or "")  # type: ignore[operator]  # both are evaluators
    assert "'size'" in (evaluator("a", None, {"size": 1}).error or "")  # type: ignore[operator]  # as above
