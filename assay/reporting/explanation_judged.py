"""How one case was judged, in sentences, from what its kind's scoring left in `detail` and in the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import cast

from pydantic import JsonValue

from assay.model.report import FailedCase, RunFacts
from assay.model.verdict import CaseOutcome
from assay.reporting.case_view import case_view
from assay.reporting.explanation_counts import ADDS_UP
from assay.reporting.quoted import short
from assay.reporting.terminal import one_line

TEXT = 160
Detail = Mapping[str, JsonValue]


def judged_lines(
    facts: RunFacts, outcome: CaseOutcome, found: FailedCase, objectives: Mapping[str, str] | None
) -> Iterator[str]:
    """What was compared with what, and what single edit would have made it right."""
    yield from _score(facts, outcome)
    try:
        if facts.kind == "checks":
            yield from _checks(outcome, found.detail, objectives)
        else:
            told: Callable[[RunFacts, CaseOutcome, Detail], Iterator[str]] = _TOLD.get(facts.kind, _plainly)
            yield from told(facts, outcome, found.detail)
    except (AttributeError, LookupError, TypeError, ValueError):  # a report that something else has written
        yield f"What was compared cannot be read as a case of the kind {facts.kind}."
    if not outcome.passed:
        yield from (edit if edit.endswith(".") else f"{edit}." for edit in map(one_line, case_view(found).edits))


def _score(facts: RunFacts, outcome: CaseOutcome) -> Iterator[str]:
    """What the case's score is, for the kinds whose scores are shares."""
    is_top = any(name.endswith("_top_score of") for name in outcome.counts)
    told = {
        "retrieval": "1 minus the top score of its ranking" if is_top else "recall at the suite's top_k",
        "orchestration": "the share of rules that were kept",
        "facets": "the share of its facets that came; without any, of its forbidden facets that are absent",
        "checks": "the share of its deciding checks that came out as expected",
    }
    if facts.kind in told:
        yield f"Its score of {outcome.score:.4f} is {told[facts.kind]}."


def _extraction(facts: RunFacts, outcome: CaseOutcome, detail: Detail) -> Iterator[str]:
    expected, predicted, matched = (_rows(detail, key) for key in ("expected", "predicted", "matched"))
    threshold = facts.calibration.constants.get("threshold") if facts.calibration else None
    at = f" at a content similarity of {threshold:g} or more" if threshold is not None else ""
    yield f"Memories: {len(expected)} expected, {len(predicted)} predicted, {len(matched)} matched one to one{at}."
    lines, flawless = _texts(detail), 0
    for match in matched:
        want, got = expected[int(cast(int, match["expected"]))], predicted[int(cast(int, match["predicted"]))]
        own = [line.removeprefix(f"{want['id']} ") for line in lines if line.startswith(f"{want['id']} ")]
        flawless += not own
        yield (
            f"{want['id']} {_quoted(want)} was matched with {_quoted(got)}: similarity {cast(float, match['similarity']):.4f}; "
            f"{'; '.join(short(line, TEXT) for line in own) or 'labels, times and what it replaces agree'}."
        )
    taken = {cast(int, match["predicted"]): str(expected[cast(int, match["expected"])]["id"]) for match in matched}
    found = {cast(int, match["expected"]) for match in matched}
    for i, want in enumerate(expected):
        if i not in found:
            yield f"{want['id']} {_quoted(want)} found no partner{_nearest(facts, want, predicted, taken, threshold)}."
    for j, got in enumerate(predicted):
        if j not in taken:
            yield f"The predicted {_quoted(got)} found no partner: it is extra."
    both = len(expected) + len(predicted)
    if both and abs(2 * flawless / both - outcome.score) <= ADDS_UP:
        made = f"2 x {flawless} flawless matches / ({len(expected)} expected + {len(predicted)} predicted)"
        yield f"Its score is {made} = {outcome.score:.4f}."


def _nearest(
    facts: RunFacts, want: Detail, predicted: list[dict[str, JsonValue]], taken: Mapping[int, str], threshold: float | None
) -> str:
    """How alike the most alike predicted memory is, where texts are compared as they were in the run."""
    from assay.metrics.similarity import similarity
    from assay.metrics.text import NORMALISER

    if not predicted:
        return ": nothing was predicted"
    if facts.text_normaliser != NORMALISER or threshold is None:
        return ""
    alike, j = max((similarity(str(want["content"]), str(got["content"])), -j) for j, got in enumerate(predicted))
    side = "under the threshold" if alike < threshold else f"taken by {taken[-j]}" if -j in taken else "over the threshold"
    return f"; the most alike, {_quoted(predicted[-j])}, has similarity {alike:.4f}, {side}"


def _retrieval(facts: RunFacts, outcome: CaseOutcome, detail: Detail) -> Iterator[str]:
    relevant = [str(name) for name in cast("list[JsonValue]", detail.get("expected") or [])]
    ranking = [cast("list[JsonValue]", entry) for entry in cast("list[JsonValue]", detail.get("predicted") or [])]
    yield f"Relevant: {', '.join(relevant) or 'no document'}."
    places = [
        f"{place} {name} ({cast(float, score):.4f}){' relevant' if name in relevant else ''}"
        for place, (name, score) in enumerate(ranking, start=1)
    ]
    yield f"The ranking begins: {', '.join(places)}." if places else "There is no ranking."
    yield from (f"{short(line, TEXT)}." for line in _texts(detail))
    values = [
        f"{name} {outcome.counts.get(ratio.numerator, 0):.4f}"
        for name, measure in facts.measures.items()
        for ratio in measure.ratios
        if outcome.counts.get(ratio.denominator)
    ]
    yield f"Its measures: {', '.join(values)}." if values else "It is in no measure."


def _orchestration(facts: RunFacts, outcome: CaseOutcome, detail: Detail) -> Iterator[str]:
    expected = detail.get("expected")
    rules = [str(name) for name in cast("list[JsonValue]", expected.get("rules") or [])] if isinstance(expected, dict) else []
    counts, violations = outcome.counts, _rows(detail, "violations")
    yield (
        f"{counts.get('rules_kept', 0):g} of {counts.get('rules', 0):g} rules put to its runs were kept, "
        f"{counts.get('rules_vacuous', 0):g} of them vacuously: nothing came that they speak of."
    )
    yield from (f"{short(line, TEXT * 2)}." for line in _texts(detail))
    unkept = {found.get("rule") for found in violations}
    kept = [name for name in rules if name not in unkept]
    if kept and counts.get("rules_kept"):
        yield f"Kept: {'; '.join(kept)}."


def _facets(facts: RunFacts, outcome: CaseOutcome, detail: Detail) -> Iterator[str]:
    expected, lines = detail.get("expected"), _texts(detail)
    wanted, forbidden = (
        [str(facet) for facet in cast("list[JsonValue]", expected.get(key) or [])] if isinstance(expected, dict) else []
        for key in ("facets", "forbidden_facets")
    )
    missing = [facet for facet in wanted if any(line.startswith(f"{facet!r} is in neither ") for line in lines)]
    came = [facet for facet in wanted if facet not in missing]
    yield f"{len(came)} of {len(wanted)} facets came{_list(came)}; missing{_list(missing) or ' none'}."
    if forbidden:
        wrong = [facet for facet in forbidden if f"{facet!r} is forbidden and found" in lines]
        yield f"{len(wrong)} of {len(forbidden)} forbidden facets were found{_list(wrong)}."
    told = [line for line in lines if line.startswith("events ")]
    yield f"{short(told[0], TEXT * 2)}." if told else "Its events are as expected."


def _checks(outcome: CaseOutcome, detail: Detail, objectives: Mapping[str, str] | None) -> Iterator[str]:
    expected = detail.get("expected")
    wanted = cast("dict[str, str]", expected.get("checks") or {}) if isinstance(expected, dict) else {}
    planted = expected.get("planted") if isinstance(expected, dict) else None
    if planted:
        yield f"Its output has the planted fault {short(str(planted), TEXT)!r}, which must be noticed."
    counts = outcome.counts
    for name in wanted or [key.removesuffix(" of") for key in counts if key.endswith(" of")]:
        scored = counts.get(f"{name} scored", 0)
        value = f"scored {counts.get(f'{name} score', 0) / scored:.4f}" if scored else "could not be scored"
        times = f" on average of {scored:g}" if scored > 1 else ""
        objective = f" under the objective {objectives[name]}" if objectives and name in objectives else ""
        had = f" and had {wanted[name]}" if name in wanted else ""
        came = f"as expected {counts.get(name, 0):g} of {counts.get(f'{name} of', 0):g} times"
        yield f"{name} {value}{times}{objective}{had}: {came}."
    yield from (f"{short(line, TEXT * 2)}." for line in _texts(detail))


def _plainly(facts: RunFacts, outcome: CaseOutcome, detail: Detail) -> Iterator[str]:
    yield from (f"{short(line, TEXT)}." for line in _texts(detail))


_TOLD = {"extraction": _extraction, "retrieval": _retrieval, "orchestration": _orchestration, "facets": _facets}


def _rows(detail: Detail, key: str) -> list[dict[str, JsonValue]]:
    rows = detail.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _texts(detail: Detail) -> list[str]:
    found = detail.get("difference")
    return [str(line) for line in found] if isinstance(found, list) else []


def _quoted(memory: Detail) -> str:
    return f"“{short(str(memory.get('content')), TEXT)}”"


def _list(names: list[str]) -> str:
    return f" ({', '.join(short(name, TEXT) for name in names)})" if names else ""
