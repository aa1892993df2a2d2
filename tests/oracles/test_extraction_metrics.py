"""A second implementation of the extraction metrics, from the issue's words in plain Python, and the product beside it.

Contents are equal or clearly different here, so a matching is a permutation that pairs as many equal ones as there can be.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from assay.scoring import metrics_of, score_cases
from assay.suites.extraction.scoring import MEASURES, score_case
from tests.builders import case, extracted, memory, reply

CATEGORIES = ("factual", "procedural", "preference", "behavioral", "episodic")
CONTENTS = ("Ana swims.", "Zebras graze 12 fields.", "Пирог остыл.", "Cello lessons cost €40!", "北京很冷", "Ünal qui lit.")
DAYS = ("2026-01-05", "2026-02-06")
TIMES = (
    ("indefinite", None, None),
    ("indefinite", DAYS[0], None),
    ("bounded", *DAYS),
    ("bounded", None, DAYS[1]),
    ("point", DAYS[0], DAYS[0]),
)
Fraction = tuple[float, float]


@dataclass(frozen=True)
class Fact:
    """A memory: which content, labels and time, and the content that it replaces."""

    content: str
    labels: frozenset[str]
    time: tuple[str, str | None, str | None]
    replaces: str | None = None


@dataclass(frozen=True)
class Talk:
    """What a conversation holds and what was answered; None is a reply that does not parse."""

    wanted: tuple[Fact, ...]
    answered: tuple[Fact, ...] | None


def matchings(wanted: Sequence[Fact], answered: Sequence[Fact]) -> list[list[tuple[Fact, Fact]]]:
    """Every one-to-one matching with the most pairs of equal content, by trying all permutations."""
    slots: list[Fact | None] = [*answered, *[None] * len(wanted)]
    tried = [
        [(want, got) for want, got in zip(wanted, chosen, strict=True) if got and want.content == got.content]
        for chosen in set(permutations(slots, len(wanted)))
    ]
    most = max(map(len, tried))
    return [pairs for pairs in tried if len(pairs) == most]


def replaces_rightly(want: Fact, got: Fact) -> bool:
    return got.time[0] == "supersession" and got.replaces == want.replaces


def fractions(talks: Sequence[Talk], pairs: Sequence[tuple[Fact, Fact]]) -> dict[str, Fraction]:
    """Numerator and denominator of every metric, zero denominators included."""
    wanted = [fact for talk in talks for fact in talk.wanted]
    answered = [fact for talk in talks for fact in talk.answered or ()]
    hits = {c: sum(c in want.labels and c in got.labels for want, got in pairs) for c in CATEGORIES}
    precision = {c: (hits[c], sum(c in fact.labels for fact in answered)) for c in CATEGORIES}
    recall = {c: (hits[c], sum(c in fact.labels for fact in wanted)) for c in CATEGORIES}
    same_labels = [(want, got) for want, got in pairs if want.labels == got.labels]
    silent = [talk for talk in talks if not talk.wanted]
    return {
        **{f"precision_{c}": fraction for c, fraction in precision.items()},
        **{f"recall_{c}": fraction for c, fraction in recall.items()},
        "precision_macro": mean(precision.values()),
        "recall_macro": mean(recall.values()),
        "category_assignment_accuracy": (len(same_labels), len(pairs)),
        "temporal_field_accuracy": (
            sum(a == b for want, got in pairs for a, b in zip(want.time, got.time, strict=True)),
            3 * len(pairs),
        ),
        "multi_label_exact": (
            sum(len(want.labels) > 1 for want, _ in same_labels),
            sum(len(fact.labels) > 1 for fact in wanted),
        ),
        "supersession_recall": (
            sum(want.replaces is not None and replaces_rightly(want, got) for want, got in pairs),
            sum(fact.replaces is not None for fact in wanted),
        ),
        "full_match_rate": (sum(want.time == got.time for want, got in same_labels), len(wanted)),
        "abstention_accuracy": (sum(talk.answered == () for talk in silent), len(silent)),
        "malformed_response_rate": (sum(talk.answered is None for talk in talks), len(talks)),
    }


def mean(parts: Iterable[Fraction]) -> Fraction:
    """The sum of the defined shares, and how many they are."""
    shares = [numerator / denominator for numerator, denominator in parts if denominator]
    return sum(shares), len(shares)


def all_fractions(talks: Sequence[Talk]) -> Iterator[dict[str, Fraction]]:
    """The metrics under each choice among equally good matchings."""
    for choice in product(*[matchings(talk.wanted, talk.answered or ()) for talk in talks]):
        yield fractions(talks, [pair for pairs in choice for pair in pairs])


def measured(talks: Sequence[Talk]) -> dict[str, Any]:
    """The product's metrics of the same talks."""
    cases, replies = [], {}
    for number, talk in enumerate(talks):
        name = f"c{number}"
        ids = {fact.content: f"{name}-{fact.content}" for fact in talk.wanted}
        rows = [
            memory(ids[fact.content], name, **fields(fact), supersedes=fact.replaces and ids[fact.replaces])
            for fact in talk.wanted
        ]
        cases.append(case(name, *rows))
        said = [extracted(**fields(fact), supersedes=fact.replaces) for fact in talk.answered or ()]
        replies[name] = [reply(*said) if talk.answered is not None else reply(text="{")]
    rule = score_cases(cases, replies, lambda gold, got: score_case(gold, got, 0.6))
    return dict(metrics_of(rule, MEASURES))


def fields(fact: Fact) -> dict[str, Any]:
    kind, start, end = fact.time
    labels = sorted(fact.labels)
    return {"content": fact.content, "categories": labels, "temporal_kind": kind, "valid_from": start, "valid_until": end}


def drawn_labels(chance: random.Random) -> frozenset[str]:
    return frozenset(chance.sample(CATEGORIES, chance.choice((1, 1, 1, 2, 3))))


def drawn_talk(chance: random.Random) -> Talk:
    contents = chance.sample(CONTENTS, chance.randint(0, 4))
    wanted = [Fact(content, drawn_labels(chance), chance.choice(TIMES)) for content in contents]
    for i in range(1, len(wanted)):
        if chance.random() < 0.4:
            wanted[i] = Fact(contents[i], wanted[i].labels, ("supersession", *wanted[i].time[1:]), contents[i - 1])
    if chance.random() < 0.1:
        return Talk(tuple(wanted), None)
    kept = [perturbed(fact, chance) for fact in wanted if chance.random() < 0.8]
    others = [content for content in CONTENTS if content not in contents]
    kept += [Fact(content, drawn_labels(chance), chance.choice(TIMES)) for content in others if chance.random() < 0.25]
    chance.shuffle(kept)
    return Talk(tuple(wanted), tuple(kept[:4]))


def perturbed(fact: Fact, chance: random.Random) -> Fact:
    """The fact as a model might answer it: right, or wrong in labels, time or what it replaces."""
    labels = fact.labels if chance.random() < 0.6 else drawn_labels(chance)
    time = fact.time if chance.random() < 0.6 else chance.choice(TIMES)
    replaces = fact.replaces if chance.random() < 0.7 else chance.choice((None, *CONTENTS))
    return Fact(fact.content, labels, time, replaces)


def agrees(found: dict[str, Any], oracle: dict[str, Fraction]) -> bool:
    """Whether every metric has the oracle's value, numerator and denominator to 1e-9."""
    return all(
        found[name].value is None
        if not denominator
        else (found[name].value, found[name].numerator, found[name].denominator)
        == pytest.approx((numerator / denominator, numerator, denominator), abs=1e-9)
        for name, (numerator, denominator) in oracle.items()
    )


@pytest.mark.parametrize("seed", range(60))
def test_every_metric_is_that_of_the_second_implementation(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # test data, not a secret
    talks = [drawn_talk(chance) for _ in range(chance.randint(1, 12))]
    found = measured(talks)
    (oracle,) = {tuple(sorted(one.items())) for one in all_fractions(talks)}
    assert set(found) == set(dict(oracle))
    assert agrees(found, dict(oracle))


@pytest.mark.parametrize("seed", range(20))
def test_interval_of_every_share_is_scipys_wilson(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # test data, not a secret
    talks = [drawn_talk(chance) for _ in range(12)]
    for name, metric in measured(talks).items():
        if metric.value is not None and not name.endswith("_macro"):
            oracle = binomtest(int(metric.numerator), int(metric.denominator)).proportion_ci(method="wilson")
            assert (metric.low, metric.high) == pytest.approx((oracle.low, oracle.high), abs=1e-9)


FACTS = st.builds(
    Fact,
    st.sampled_from(CONTENTS[:2]),
    st.sets(st.sampled_from(CATEGORIES[:2]), min_size=1).map(frozenset),
    st.sampled_from(TIMES[:2]),
)
TALKS = st.builds(
    Talk,
    st.lists(FACTS, max_size=3, unique_by=lambda fact: fact.content).map(tuple),
    st.none() | st.lists(FACTS, max_size=3).map(tuple),
)


@settings(deadline=None)
@given(st.lists(TALKS, max_size=3))
def test_where_a_memory_is_answered_twice_the_metrics_are_those_of_one_best_matching(talks: list[Talk]) -> None:
    found = measured(talks)
    assert any(agrees(found, oracle) for oracle in all_fractions(talks))


@settings(deadline=None, max_examples=50)
@given(st.lists(TALKS.map(lambda talk: Talk(talk.wanted, talk.wanted)), min_size=1, max_size=4))
def test_right_answers_give_ones_in_both_implementations(talks: list[Talk]) -> None:
    oracle = next(all_fractions(talks))
    defined = {name: a / b for name, (a, b) in oracle.items() if b}
    assert {**defined, "malformed_response_rate": 1.0} == dict.fromkeys(defined, 1.0)
    assert agrees(measured(talks), oracle)
