"""score: expected and predicted memories of one case, matched one to one, and how right each match is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from assay.metrics.alignment import align
from assay.metrics.similarity import similarity, similarity_matrix
from assay.metrics.text import normalise
from assay.suites.extraction.cases import ExpectedMemory
from assay.suites.extraction.schema import ExtractedMemory

TIME_FIELDS = ("temporal_kind", "valid_from", "valid_until")
Memory = TypeVar("Memory", ExpectedMemory, ExtractedMemory)


@dataclass(frozen=True)
class Match:
    """One expected memory with the predicted one that was taken for it."""

    want: ExpectedMemory
    got: ExtractedMemory
    similarity: float
    replaces_right: bool
    """Whether it says what it replaces, alike enough; where nothing is replaced, that it says so."""

    @property
    def labels_right(self) -> bool:
        """Whether both have the same set of categories."""
        return set(self.want.categories) == set(self.got.categories)

    @property
    def time_fields_right(self) -> int:
        """How many of the three time fields are the same."""
        return sum(getattr(self.want, name) == getattr(self.got, name) for name in TIME_FIELDS)

    @property
    def is_full(self) -> bool:
        """Whether content, labels and time are all right."""
        return self.labels_right and self.time_fields_right == len(TIME_FIELDS)

    @property
    def supersession_right(self) -> bool:
        """Whether a supersession was seen as one, and of the right memory."""
        return self.want.supersedes is not None and self.got.temporal_kind == "supersession" and self.replaces_right

    @property
    def is_flawless(self) -> bool:
        """Whether nothing at all is wrong."""
        return self.is_full and self.replaces_right

    def differences(self) -> list[str]:
        """The fields in which the two differ, a line each."""
        fields = {"categories": (sorted(self.want.categories), sorted(set(self.got.categories)))}
        fields |= {name: (getattr(self.want, name), getattr(self.got, name)) for name in TIME_FIELDS}
        lines = [f"{name}: expected {want}, got {got}" for name, (want, got) in fields.items() if want != got]
        if not self.replaces_right:
            lines.append(f"supersedes: expected {self.want.supersedes}, got {self.got.supersedes!r}")
        return [f"{self.want.id} {line}" for line in lines]


@dataclass(frozen=True)
class Alignment:
    """Both sides in an order of content alone, and the matches between them."""

    expected: tuple[ExpectedMemory, ...]
    predicted: tuple[ExtractedMemory, ...]
    pairs: tuple[tuple[int, int], ...]
    matches: tuple[Match, ...]

    def differences(self) -> list[str]:
        """What is wrong, a line each: missing and extra memories, then what differs within matches."""
        rows, columns = {i for i, _ in self.pairs}, {j for _, j in self.pairs}
        lines = [f"missing: {m.content}" for i, m in enumerate(self.expected) if i not in rows]
        lines += [f"extra: {m.content}" for j, m in enumerate(self.predicted) if j not in columns]
        return lines + [line for match in self.matches for line in match.differences()]


def aligned(expected: Sequence[ExpectedMemory], predicted: Sequence[ExtractedMemory], threshold: float) -> Alignment:
    """The optimal one-to-one matching on content similarity at or above `threshold`. Either side may be empty.

    The order of either side never changes the result: both are sorted by what is compared.
    """
    wanted, got = _sorted(expected), _sorted(predicted)
    scores = similarity_matrix([m.content for m in wanted], [m.content for m in got]).tolist()
    pairs = align(scores, threshold)
    contents = {memory.id: memory.content for memory in expected}
    matches = tuple(
        Match(wanted[i], got[j], scores[i][j], _replaces_right(wanted[i], got[j], contents, threshold)) for i, j in pairs
    )
    return Alignment(tuple(wanted), tuple(got), tuple(pairs), matches)


def _replaces_right(want: ExpectedMemory, got: ExtractedMemory, contents: dict[str, str], threshold: float) -> bool:
    if want.supersedes is None or got.supersedes is None:
        return want.supersedes is None and got.supersedes is None
    return similarity(contents[want.supersedes], got.supersedes) >= threshold


def _sorted(memories: Sequence[Memory]) -> list[Memory]:
    def key(memory: Memory) -> tuple[str, ...]:
        times: list[str] = [getattr(memory, name) or "" for name in TIME_FIELDS]
        return normalise(memory.content), *sorted(set(memory.categories)), "|", *times, normalise(memory.supersedes or "")

    return sorted(memories, key=key)
