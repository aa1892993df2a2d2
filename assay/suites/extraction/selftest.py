"""score: the metrics on trial: what they make of small corpora whose results were worked out on paper.

Contents are equal or share no word, so every similarity but those of the crossed pair is 1 or 0, whatever the matcher.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from assay.metrics.alignment import align
from assay.metrics.ratios import summed
from assay.model.exchange import Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.score import CaseScore
from assay.model.selftest import SelfCheck
from assay.model.verdict import Metric
from assay.suites.extraction.scoring import metrics, score_case

ScoreCase = Callable[[GoldCase, Sequence[Outcome], float], CaseScore]
Metrics = Callable[[Mapping[str, float]], dict[str, Metric]]
Align = Callable[[Sequence[Sequence[float]], float], list[tuple[int, int]]]
Row = dict[str, Any]
Corpus = Sequence[tuple[GoldCase, Sequence[Outcome]]]
Expectation = tuple[str, str, float | None]
"""What a check is about, the metric, its value."""

THRESHOLD = 0.6
BEES, SHIP, TRAM, LUTE = "Bees need clover.", "A ship sank overnight.", "Trams run late.", "His lute broke."
CROSSED = (
    ("Tulips, lavender, ferns.", "Lavender, ferns, thistles."),
    ("Tulips, lavender, ferns.", "Orchids, tulips, lavender."),
)
"""Expected and predicted. By shares of words: 1 and 2/3 for the first expected, 2/3 and 1/3 for the second."""
DAY, NEXT = "2026-03-20", "2026-03-21"


def selftest(score: ScoreCase = score_case, metrics: Metrics = metrics, align: Align = align) -> tuple[SelfCheck, ...]:
    """All checks, each beside what the given functions make of it. What they raise is not caught."""
    found = list(_alignments(align))
    for corpus, expectations in _corpora():
        rows = [score(case, outcomes, THRESHOLD) for case, outcomes in corpus]
        values = metrics(summed(row.counts for row in rows))
        found += [SelfCheck(f"{about}: {name}", expected, values[name].value) for about, name, expected in expectations]
    return (*found, *_scores(score))


def _alignments(align: Align) -> Iterator[SelfCheck]:
    """Greedily, 0.875 would be taken first and leave 0 for the rest; together the two others make 1.5."""
    crossed = ((0.875, 0.75), (0.75, 0.0))
    yield SelfCheck("optimal matching: total similarity", 1.5, sum(crossed[i][j] for i, j in align(crossed, 0.5)))
    yield SelfCheck("one to one: pairs of one expected with two predicted", 1.0, len(align(((1.0, 1.0),), 0.5)))
    yield SelfCheck("threshold: a pair at it is matched, one below is not", 1.0, len(align(((0.5, 0.0), (0.0, 0.4375)), 0.5)))


def _corpora() -> Iterator[tuple[Corpus, Sequence[Expectation]]]:
    """Small corpora with what the metrics must come to."""
    yield [], [("nothing at all is undefined", name, None) for name in ("precision_macro", "recall_macro", "full_match_rate")]
    yield from (_contents(), _crossed(), _labels(), _times(), _supersessions())
    yield from (_silence(), _abstention(), _constant(), _duplicate(), _malformed(), _unicode())


def _contents() -> tuple[Corpus, Sequence[Expectation]]:
    """Factual: 2 expected, 4 predicted, 1 both. Preference: 1, 1, 1. No other category has a row."""
    expected = _case(_want(BEES, "factual"), _want(SHIP, "factual"), _want(TRAM, "preference"))
    wrong = [_got(text, "factual") for text in ("Kites soar.", "Owls hoot.", "Salt dissolves.")]
    corpus = [(expected, [_reply(_got(BEES, "factual"), *wrong, _got(TRAM, "preference"))])]
    return corpus, [
        ("precision is over what was predicted, 1 of 4", "precision_factual", 0.25),
        ("recall is over what was expected, 1 of 2", "recall_factual", 0.5),
        ("all of one category found", "recall_preference", 1.0),
        ("a category without predictions has no precision", "precision_procedural", None),
        ("a category without expectations has no recall", "recall_procedural", None),
        ("the macro mean leaves out undefined categories, (1/4 + 1) / 2", "precision_macro", 0.625),
        ("the macro mean leaves out undefined categories, (1/2 + 1) / 2", "recall_macro", 0.75),
        ("full matches are over what was expected, 2 of 3", "full_match_rate", 2 / 3),
        ("no case expects nothing", "abstention_accuracy", None),
        ("no memory has two categories", "multi_label_exact", None),
        ("no memory replaces another", "supersession_recall", None),
        ("one good reply", "malformed_response_rate", 0.0),
    ]


def _crossed() -> tuple[Corpus, Sequence[Expectation]]:
    """Each expected memory has a partner only if the better pair is given up: 2/3 + 2/3 is more than 1 + nothing."""
    wanted, answered = CROSSED
    expected = _case(*(_want(text, "factual") for text in wanted))
    corpus = [(expected, [_reply(*(_got(text, "factual") for text in answered))])]
    return corpus, [("optimal matching finds both", "recall_factual", 1.0)]


def _labels() -> tuple[Corpus, Sequence[Expectation]]:
    """Three matches: one under another category, one with both of two, one with one of two."""
    expected = _case(_want(BEES, "factual"), _want(SHIP, "behavioral", "preference"), _want(TRAM, "procedural", "factual"))
    reply = _reply(_got(BEES, "episodic"), _got(SHIP, "preference", "behavioral"), _got(TRAM, "procedural"))
    return [(expected, [reply])], [
        ("a match under another category is no hit, 0 of 2", "recall_factual", 0.0),
        ("a match under another category is no hit, 0 of 1", "precision_episodic", 0.0),
        ("one of two categories is a hit for it, 1 of 1", "recall_procedural", 1.0),
        ("the set of categories must be equal, 1 of 3", "category_assignment_accuracy", 1 / 3),
        ("several categories must all be right, 1 of 2", "multi_label_exact", 0.5),
        ("a full match has the right categories, 1 of 3", "full_match_rate", 1 / 3),
        # factual 0/2, behavioral 1/1, preference 1/1, procedural 1/1; none episodic is expected: 3 / 4.
        ("the macro mean counts a category that is all missed", "recall_macro", 0.75),
    ]


def _times() -> tuple[Corpus, Sequence[Expectation]]:
    """Of a point that was taken for a span only the first day is right, of the other memory all three fields."""
    expected = _case(_want(BEES, "episodic", **_when("point", DAY, DAY)), _want(SHIP, "episodic"))
    reply = _reply(_got(BEES, "episodic", **_when("bounded", DAY, NEXT)), _got(SHIP, "episodic"))
    return [(expected, [reply])], [
        ("each of three time fields counts, 4 of 6", "temporal_field_accuracy", 2 / 3),
        ("a full match has the right time, 1 of 2", "full_match_rate", 0.5),
        ("a hit need not have the right time", "recall_episodic", 1.0),
    ]


def _supersessions() -> tuple[Corpus, Sequence[Expectation]]:
    """Trams replaced bees: said so, said of something else, said without being one."""
    new: dict[str, str | None] = {"temporal_kind": "supersession"}
    expected = _case(_want(BEES, "factual"), _want(TRAM, "factual", **new, supersedes=f"case {BEES}"))
    answers = ({**new, "supersedes": BEES}, {**new, "supersedes": LUTE}, {"supersedes": BEES})
    corpus = [(expected, [_reply(_got(BEES, "factual"), _got(TRAM, "factual", **answer))]) for answer in answers]
    return corpus, [("a supersession names what it replaces, 1 of 3", "supersession_recall", 1 / 3)]


def _silence() -> tuple[Corpus, Sequence[Expectation]]:
    """Four cases that expect nothing: left alone, given a memory, garbled, not answered."""
    outcomes: tuple[list[Reply], ...] = ([_reply()], [_reply(_got(BEES, "factual"))], [_text("Sorry.")], [])
    return [(_case(), answer) for answer in outcomes], [
        ("silence is right only as an empty list, 1 of 4", "abstention_accuracy", 0.25),
        ("a memory where nothing is expected is wrong, 0 of 1", "precision_factual", 0.0),
        ("one reply of three is garbled", "malformed_response_rate", 1 / 3),
        ("nothing was expected", "recall_macro", None),
    ]


def _abstention() -> tuple[Corpus, Sequence[Expectation]]:
    """An empty list where two memories are expected, and where none is."""
    corpus = [(_case(_want(BEES, "factual"), _want(SHIP, "factual")), [_reply()]), (_case(), [_reply()])]
    return corpus, [
        ("who says nothing finds nothing, 0 of 2", "recall_factual", 0.0),
        ("who says nothing has no precision", "precision_factual", None),
        ("who says nothing has no precision at all", "precision_macro", None),
        ("who says nothing is right where nothing is expected", "abstention_accuracy", 1.0),
        ("without a match no category was assigned", "category_assignment_accuracy", None),
    ]


def _constant() -> tuple[Corpus, Sequence[Expectation]]:
    """The same memory in answer to three cases, of which one expects it."""
    corpus = [(_case(_want(text, "factual")), [_reply(_got(BEES, "factual"))]) for text in (BEES, SHIP, TRAM)]
    return corpus, [
        ("a constant answer is right once, 1 of 3", "precision_factual", 1 / 3),
        ("a constant answer finds one, 1 of 3", "recall_factual", 1 / 3),
    ]


def _duplicate() -> tuple[Corpus, Sequence[Expectation]]:
    """One memory, answered twice in other writing."""
    corpus = [
        (_case(_want(BEES, "factual"), _want(SHIP, "factual")), [_reply(*(_got(t, "factual") for t in (BEES, BEES.upper())))])
    ]
    return corpus, [
        ("a memory said twice is found once, 1 of 2", "recall_factual", 0.5),
        ("a memory said twice is wrong once, 1 of 2", "precision_factual", 0.5),
    ]


def _malformed() -> tuple[Corpus, Sequence[Expectation]]:
    """Two replies to one case, of which one is garbled; one reply that breaks the schema; no reply; in all 4 expected."""
    case = _case(_want(BEES, "factual"))
    both = _case(_want(BEES, "factual"), _want(SHIP, "factual"))
    corpus = [
        (both, [_reply(_got(BEES, "factual")), _text('{"memories": [')]),
        (case, [_reply(_got(BEES, "gossip"))]),
        (case, []),
    ]
    return corpus, [
        ("two of three replies are malformed", "malformed_response_rate", 2 / 3),
        ("what is malformed or missing stays expected, 1 of 4", "recall_factual", 0.25),
        ("what is malformed predicts nothing, 1 of 1", "precision_factual", 1.0),
    ]


def _unicode() -> tuple[Corpus, Sequence[Expectation]]:
    """Composed and decomposed accents, full-width and plain letters, sharp s and its capitals."""
    spellings = (
        ("Caf\u00e9 Fl\u00e9chet.", "Cafe\u0301 Fle\u0301chet."),
        ("\uff2b\uff59\uff4f\uff54\uff4f.", "Kyoto."),
        ("Stra\u00dfe.", "STRASSE."),
    )
    corpus = [(_case(_want(a, "factual")), [_reply(_got(b, "factual"))]) for a, b in spellings]
    return corpus, [("the form of characters does not matter, 3 of 3", "recall_factual", 1.0)]


def _scores(score: ScoreCase) -> Iterator[SelfCheck]:
    """A case is as right as the F1 of its flawless matches."""
    case = _case(_want(BEES, "factual"), _want(SHIP, "factual"), _want(TRAM, "factual"))
    reply = _reply(_got(BEES, "factual"), _got(SHIP, "episodic"), _got(LUTE, "factual"))
    # One flawless match of 3 expected and 3 predicted: 2 * 1 / (3 + 3).
    yield SelfCheck("case score is the F1 of flawless matches", 1 / 3, score(case, [reply], THRESHOLD).score)
    yield SelfCheck("case score of rightly nothing", 1.0, score(_case(), [_reply()], THRESHOLD).score)
    yield SelfCheck(
        "case score of a malformed reply where nothing is expected", 0.0, score(_case(), [_text("?")], THRESHOLD).score
    )


def _case(*memories: Row) -> GoldCase:
    return GoldCase(id="case", input={}, expected={"memories": list(memories)})


def _want(content: str, *categories: str, **changes: str | None) -> Row:
    return {"id": f"case {content}", "conversation_id": "case", **_got(content, *categories, **changes)}


def _got(content: str, *categories: str, **changes: str | None) -> Row:
    return {"content": content, "categories": list(categories), **_when("indefinite"), "supersedes": None, **changes}


def _when(kind: str, start: str | None = None, end: str | None = None) -> dict[str, str | None]:
    return {"temporal_kind": kind, "valid_from": start, "valid_until": end}


def _reply(*memories: Row) -> Reply:
    return _text(json.dumps({"memories": list(memories)}))


def _text(text: str) -> Reply:
    return Reply(text=text, finish_reason=None, model_served=None, usage=None, latency_ms=None)
