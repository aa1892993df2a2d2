"""Rules of language that IFEval's prompts give, each an evaluator: `rule(actual, expected, config)`, by its published name.

The language is told without a model: by the script that most letters belong to, and, where languages share a script, by whose
commonest words are the most frequent. That tells whole answers of the languages that IFEval asks for; it is no detector for
single sentences, mixed texts or other languages.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping

from assay import EvalMetric

SCRIPTS = {
    **{"BENGALI": "bn", "GUJARATI": "gu", "GURMUKHI": "pa", "HANGUL": "ko"},
    **{"KANNADA": "kn", "TAMIL": "ta", "TELUGU": "te", "THAI": "th"},
}
"""Scripts that one of the languages has for itself, by the first word of their letters' Unicode names."""
COMMON = {
    "LATIN": {
        "de": "der die das und ist nicht ein eine zu den mit von auf für sich auch wir ich sie",
        "en": "the and of to is in that it for you with are this on be as was have not a i",
        "es": "el la los las y que de en es un una con para por su se no como más del",
        "fi": "ja on ei se että oli hän mutta ovat kun niin myös tai joka sen hänen voi",
        "fr": "le la les et est un une des du que dans pour pas qui sur avec au ce il je vous",
        "it": "il la di e che è un una per non con sono del della si le gli nel anche come",
        "pt": "o a os as e que de do da em um uma não para com é por se mais no na",
        "sw": "na ya wa ni kwa katika za la kuwa hii yake au cha yangu kama hiyo ambayo huu lakini",
        "vi": "và của là có không một những được cho trong với các người đã này để tôi bạn",
    },
    "CYRILLIC": {
        "bg": "и да се на от за е са че не с по като но или ще може това си които",  # noqa: RUF001  # Cyrillic is meant
        "ru": "и в не на что с как это по из для от он но или у к мы я его был",  # noqa: RUF001  # Cyrillic is meant
    },
    "ARABIC": {
        "ar": "في من على إلى أن هذا هذه التي الذي كان مع عن لا ما هو هي أو و",
        "fa": "و در به از که این را با است برای آن یک می خود تا شما هم بود ما",
        "ur": "کے کی میں ہے اور کا کو سے یہ کہ پر نے ہیں بھی تھا ایک اس نہیں آپ",
    },
    "DEVANAGARI": {
        "hi": "के है में की और का को से हैं यह कि पर ने नहीं भी एक था इस आप हम",
        "mr": "आहे आणि या च्या हे ते नाही आहेत की मी होते त्या तर एक हा ही मध्ये होता आपल्या",
        "ne": "छ र को मा हो छन् यो गर्न लागि पनि भएको गर्ने हुन् एक यस थियो म हामी लाई",
    },
}  # fmt: skip
"""By script and language, some of the commonest words."""
LANGUAGES = frozenset(SCRIPTS.values()) | frozenset(code for words in COMMON.values() for code in words)


def response_language(actual: object, expected: object = None, config: Mapping[str, object] | None = None) -> EvalMetric:
    """The answer is in the language with the ISO 639-1 code `language`. Cannot run where several are as likely."""
    wanted = (config or {}).get("language")
    if wanted not in LANGUAGES:
        return _cannot(f"language: is not one that can be told, got {wanted!r}; expected one of {', '.join(sorted(LANGUAGES))}")
    if not isinstance(actual, str):
        return _cannot(f"actual: is {type(actual).__name__}; expected text")
    return _spoken(actual, str(wanted))


def english_capital(actual: object, expected: object = None, config: Mapping[str, object] | None = None) -> EvalMetric:
    """The whole answer is in English and without a small letter."""
    return _cased(actual, config, "small", str.islower)


def english_lowercase(actual: object, expected: object = None, config: Mapping[str, object] | None = None) -> EvalMetric:
    """The whole answer is in English and without a capital letter."""
    return _cased(actual, config, "capital", str.isupper)


def likely_languages(text: str) -> frozenset[str]:
    """The ISO 639-1 codes of the languages that the text may be in, out of `LANGUAGES`: one where it can be told.

    None where most letters belong to a script of no such language; all of a script where there is no common word.
    """
    scripts = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha())
    script = scripts.most_common(1)[0][0] if scripts else ""
    if script not in COMMON:
        return frozenset({SCRIPTS[script]} if script in SCRIPTS else ())
    words = Counter(re.findall(r"[^\W\d_][\w\u0900-\u097f]*", text.casefold()))
    points = {code: sum(words[word] for word in common.split()) for code, common in COMMON[script].items()}
    return frozenset(code for code, found in points.items() if found == max(points.values()))


def _cased(actual: object, config: Mapping[str, object] | None, size: str, is_wrong: Callable[[str], bool]) -> EvalMetric:
    if config:
        return _cannot(f"options: unknown option, got {min(config)!r}; expected none")
    if not isinstance(actual, str):
        return _cannot(f"actual: is {type(actual).__name__}; expected text")
    wrong = [letter for letter in actual if is_wrong(letter)]
    return _failed(f"{len(wrong)} {size} letters") if wrong else _spoken(actual, "en")


def _spoken(text: str, wanted: str) -> EvalMetric:
    likely = likely_languages(text)
    told = f"language: {', '.join(sorted(likely)) or 'none that can be told'}; {wanted} wanted"
    if wanted not in likely:
        return _failed(told)
    return EvalMetric(1.0, passed=True, meta={"reason": told}) if len(likely) == 1 else _cannot(told)


def _failed(found: str) -> EvalMetric:
    return EvalMetric(0.0, passed=False, meta={"reason": found})


def _cannot(why: str) -> EvalMetric:
    return EvalMetric(0.0, passed=False, meta={"error": why})
