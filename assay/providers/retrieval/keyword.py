"""The positive control: the search that the product had before, with every defect kept."""

from __future__ import annotations

import re
from collections.abc import Callable

from assay.providers.retrieval.corpus import Corpus
from assay.providers.retrieval.ranking import Ranking, newest_first

FIRST = 5
"""How many keywords of a query are looked at."""
SCORE = 0.5
SHORTEST = 3
_WORDS = """
about all and any are can could did does for from had has have her his how its many much our she should that the their them
there these they this those was were what when where which who whom whose why will with would you your
"""
STOP = frozenset(_WORDS.split())
"""Words that are no keywords."""
Tokenizer = Callable[[str], list[str]]


def keywords(query: str) -> list[str]:
    """The query's words in lower case and in order, without stop words and words of one or two characters."""
    return [word for word in re.findall(r"\w+", query.lower()) if len(word) >= SHORTEST and word not in STOP]


class Keyword:
    """What contains any of the first five keywords, newest first, each with the score 0.5.

    The defects: the sixth keyword is never looked at; a keyword matches inside of words; `_` is a wildcard; case is folded for
    ASCII alone; neither the number nor the rarity of matches counts; the newest wins; the score says nothing.
    """

    ranks_all = False

    def __init__(self, corpus: Corpus, tokenizer: Tokenizer = keywords) -> None:
        self._corpus, self._tokenizer = corpus, tokenizer

    def search(self, query: str | None, content_type: str | None = None) -> Ranking:
        """The matching documents; () where the query has no keyword."""
        if query is None:
            return newest_first(self._corpus, content_type)
        found = self._corpus.containing(self._tokenizer(query)[:FIRST], content_type)
        return tuple((document.id, SCORE) for document in found)
