"""What counts as found, and which occurrences cut a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.suites.facets.finding import cut_words, found_among, is_found


@pytest.mark.parametrize(
    ("facet", "text"),
    [
        ("w-17", "Pump W-17."),
        ("STRASSE", "an der Straße"),
        ("café", "CAFE\u0301"),
        ("午前三時半", "朝食は午前三時半に"),
        ("pump", "the pumps"),
        ("2.4", "release 2.4.1"),
    ],
)
def test_a_substring_is_found_whatever_its_case(facet: str, text: str) -> None:
    assert is_found(facet, ["nothing", text])


@pytest.mark.parametrize(
    ("facet", "text"), [("w17", "W-17"), ("40  litres", "40 litres"), (" ", "a b"), ("", "a"), ("ab", "a")]
)
def test_anything_else_is_not(facet: str, text: str) -> None:
    assert not is_found(facet, [text])


def test_texts_are_looked_at_one_by_one() -> None:
    assert not is_found("ab", ["a", "b"])
    assert found_among(["b", "x", "A"], ["a", "b"]) == ["b", "A"]


@given(st.text(min_size=1), st.text(), st.text())
def test_a_facet_is_found_in_every_text_that_holds_it(facet: str, before: str, after: str) -> None:
    # a combining mark may melt into a neighbour: a space keeps them apart
    assert is_found(facet, [f"{before} {facet} {after}"]) == bool(facet.strip())


@given(st.lists(st.text(max_size=4)), st.lists(st.text(max_size=8)))
def test_what_is_found_comes_in_the_order_of_the_facets(facets: list[str], texts: list[str]) -> None:
    found = found_among(facets, texts)
    assert found == [facet for facet in facets if is_found(facet, texts)]
    assert found_among(found, texts) == found


@pytest.mark.parametrize(
    ("facet", "text", "words"),
    [
        ("17", "Pump W-17 runs", ["w-17"]),
        ("W-17", "W-17-B stands, W-17 runs", ["w-17-b"]),
        ("2.4", "2.4.1 mends 2.4.", ["2.4.1"]),
        ("250 requests", "1250 requests, 250 requests", ["1250"]),
        ("eccentric", "an eccentrically loaded leg", ["eccentrically"]),
        ("well", "a well-known spring", []),
        ("30 days", "kept for 30 days, not more", []),
        ("litres", "40 litres/s", []),
        ("三時", "午前三時半", []),
        ("Straß", "STRASSE", ["strasse"]),
        ("1.2", "1.2 megawatts", []),
        ("10 euros", "pay 10 euros, 110 euros", ["110"]),
    ],
)
def test_a_facet_cuts_a_word_where_it_holds_a_part_of_it(facet: str, text: str, words: list[str]) -> None:
    assert cut_words(facet, text) == words


@given(st.lists(st.sampled_from(["pump", "W-17", "2.4", "3", "über"]), min_size=1, max_size=5))
def test_whole_words_are_never_cut(words: list[str]) -> None:
    assert cut_words(words[0], " ".join(words)) == []
