"""audit: counts, near-duplicates, the effective number of cases, label balance, and labels far from their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from pydantic import Field

from assay.metrics.distinctness import alike_pairs, effective_number
from assay.metrics.text import normalise
from assay.model.audit import Audit, Finding, Pair
from assay.model.base import Frozen
from assay.reading import validated
from assay.suites.extraction.cases import Conversation, ExpectedMemory, faults, parse, strata
from assay.suites.extraction.schema import CATEGORIES

FILES = ("conversations", "expected")
GRAM = 4
LOWEST = 10


class Options(Frozen):
    """`options.audit` of the suite."""

    near_duplicate_limit: float = Field(0.8, gt=0, le=1)
    """Similarity from which two conversations count as one written twice."""
    review_band: float = Field(0.65, gt=0, le=1)
    """Similarity from which a person should look."""


class SuiteOptions(Frozen):
    """`options` of an extraction suite."""

    audit: Options = Options()


def audit(files: Mapping[str, tuple[str, bytes]], options: Mapping[str, Any]) -> Audit:
    """The gold set on trial.

    Faults: duplicate ids, dangling references, missing expectations, conversations alike over the limit, the same memory
    twice. Short facts about different people are naturally alike, so memories that are merely near are for reading.
    """
    limits = validated(dict(options), "suite.yaml: options", SuiteOptions).audit
    conversations, memories = parse(files)
    wrong = faults(conversations, memories, files["conversations"][0], files["expected"][0])
    texts = {case.id: _user_text(case) for case in conversations}
    contents = {memory.id: memory.content for memory in memories}
    alike = [
        Pair(a=a, b=b, similarity=s) for a, b, s in alike_pairs(texts, min(limits.review_band, limits.near_duplicate_limit))
    ]
    twins = [pair for pair in alike if pair.similarity >= limits.near_duplicate_limit]
    sentences = _alike_memories(memories, contents, limits.near_duplicate_limit)
    twins += [pair for pair in sentences if normalise(contents[pair.a]) == normalise(contents[pair.b])]
    return Audit(
        suite="",
        version="",
        cases=len(conversations),
        effective_cases=round(effective_number(texts, limits.review_band), 1),
        counts=_counts(conversations, memories),
        near_duplicates=tuple(twins),
        review_band=tuple(pair for pair in (*alike, *sentences) if pair not in twins),
        faults=(
            *(str(problem) for problem in wrong),
            *(f"{p.a} and {p.b} are near-duplicates ({p.similarity:.2f})" for p in twins),
        ),
        findings=(_balance(memories), _distinct(contents, limits.review_band), _farthest(memories, texts)),
    )


def _alike_memories(memories: Sequence[ExpectedMemory], contents: Mapping[str, str], floor: float) -> list[Pair]:
    """Pairs of memories that are nearly one sentence, without those of which one replaces the other."""
    replaced = {(m.id, m.supersedes) for m in memories}
    return [
        Pair(a=a, b=b, similarity=s)
        for a, b, s in alike_pairs(contents, floor)
        if (a, b) not in replaced and (b, a) not in replaced
    ]


def _distinct(contents: Mapping[str, str], floor: float) -> Finding:
    worth = effective_number(contents, floor)
    return Finding(title="Distinct sentences", lines=(f"{len(contents)} memories are worth {worth:.1f} different sentences",))


def _user_text(case: Conversation) -> str:
    return "\n".join(turn.content for turn in case.turns if turn.role == "user")


def _counts(conversations: Sequence[Conversation], memories: Sequence[ExpectedMemory]) -> dict[str, dict[str, int]]:
    groups = Counter(group for case in conversations for group in strata(case))
    groups["not English or mixed"] = len(conversations) - groups.pop("English only", 0)
    labels = Counter(len(memory.categories) for memory in memories)
    return {
        "conversations": {"all": len(conversations), **dict(sorted(groups.items()))},
        "memories": {"all": len(memories), "several categories": len(memories) - labels[1]},
        "category": {name: sum(name in memory.categories for memory in memories) for name in CATEGORIES},
        "temporal kind": dict(sorted(Counter(memory.temporal_kind for memory in memories).items())),
    }


def _balance(memories: Sequence[ExpectedMemory]) -> Finding:
    """Entropy of the labels over that of an even spread: 1 is even, 0 is one label only."""
    counts = Counter(category for memory in memories for category in memory.categories)
    total = sum(counts.values())
    entropy = -sum(n / total * log(n / total) for n in counts.values()) / log(len(CATEGORIES)) if total else 0.0
    shares = ", ".join(f"{name} {n / total:.0%}" for name, n in counts.most_common())
    return Finding(title="Label balance", lines=(f"{abs(entropy):.2f} of an even spread: {shares}",))


def _farthest(memories: Sequence[ExpectedMemory], texts: Mapping[str, str]) -> Finding:
    """The labels whose words stand least in what the user said: to be read for invented content."""
    overlaps = sorted((_overlap(m.content, texts.get(m.conversation_id, "")), m.id, m.content) for m in memories)
    lines = tuple(f"{overlap:.2f} {name}: {content}" for overlap, name, content in overlaps[:LOWEST])
    return Finding(title=f"Labels farthest from their conversation (share of {GRAM}-grams found there)", lines=lines)


def _overlap(content: str, text: str) -> float:
    grams = _grams(normalise(content))
    return len(grams & _grams(normalise(text))) / len(grams) if grams else 0.0


def _grams(text: str) -> set[str]:
    return {text[i : i + GRAM] for i in range(max(1, len(text) - GRAM + 1))}
