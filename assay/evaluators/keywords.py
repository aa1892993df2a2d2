"""keyword_check: every required term is in the output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay.evaluators.characters import BETWEEN, MARK, WORD, role
from assay.evaluators.guard import CannotRun, guarded
from assay.evaluators.metric import EvalMetric
from assay.evaluators.normalisers import NORMALISERS
from assay.evaluators.options import check_known, normaliser

OPTIONS = ("required", "normaliser")


@guarded
def keyword_check(actual: object, expected: object, options: Mapping[str, object], /) -> EvalMetric:
    """Passes when every term occurs in the output at word borders, whatever its case. Score: the share of terms found.

    Terms are `required`, else `expected`: a text is one term, a list several. A term may have several words; any white space
    between them will do. No term, or a blank one, cannot run.
    """
    check_known(options, OPTIONS)
    if not isinstance(actual, str):
        raise CannotRun("actual", "is not text", repr(actual) if actual is None else actual, "text")
    given = options.get("required")
    terms = _terms("expected", expected) if given is None else _terms("required", given)
    name = normaliser(options)
    text = _folded(actual, name)
    missing = [term for term in terms if not occurs(_folded(term, name), text)]
    return EvalMetric((len(terms) - len(missing)) / len(terms), not missing, {"missing": missing} if missing else {})


def occurs(term: str, text: str) -> bool:
    """Whether the term stands in the text with a word border on both sides; case and white space count here."""
    return any(_is_border(text, at) and _is_border(text, at + len(term)) for at in _places(term, text))


def _is_border(text: str, at: int) -> bool:
    """Whether no word goes on across this place; in a script without spaces, whether no letter is parted from its marks."""
    if at in {0, len(text)}:
        return True
    after, before = _role(text[at]), _base(text, at)
    if after == MARK:
        return before == BETWEEN
    return not (after == WORD and before == WORD)


def _base(text: str, at: int) -> str:
    """The role of the character that the marks before this place stand on."""
    while at > 0:
        at -= 1
        found = _role(text[at])
        if found != MARK:
            return found
    return BETWEEN


def _role(character: str) -> str:
    """As everywhere, but that `_` belongs to words, as in a regular expression."""
    return WORD if character == "_" else role(character)


def _places(term: str, text: str) -> Iterator[int]:
    at = text.find(term)
    while at >= 0:
        yield at
        at = text.find(term, at + 1)


def _terms(where: str, value: object) -> Sequence[str]:
    terms = [value] if isinstance(value, str) else value
    if not isinstance(terms, Sequence | set | frozenset):
        raise CannotRun(where, "holds no terms", repr(value) if value is None else value, "a text or a list of texts")
    found = [term for term in terms if isinstance(term, str) and term.strip()]
    if not found or len(found) != len(terms):
        raise CannotRun(where, "holds no term, or one that is no text or blank", value, "at least one term, none blank")
    return sorted(found) if isinstance(terms, set | frozenset) else found


def _folded(text: str, name: str) -> str:
    return " ".join(NORMALISERS[name](text).casefold().split())
