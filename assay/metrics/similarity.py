"""How alike two one-sentence memories are: the matcher of the extraction suite.

Two texts come in, a number in [0, 1] goes out. The score is lexical: the smaller of
the two shares of content that the other side also has. It is halved by a conflict: a negation,
number, name, relation, limit, intent, role or antonym that the sides do not share, another word in
the same place, or a fact put in.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import combinations
from typing import TYPE_CHECKING

from assay.metrics import lexicon
from assay.metrics.lexicon import USER
from assay.metrics.statement import Statement, statement_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MATCHER = "content-similarity/2"
CONFLICT_FACTOR = 0.5
"""A score with a conflict is at most this."""

_SHORT = 2


def similarity(a: str, b: str) -> float:
    """The likeness of two texts, in [0, 1]; symmetric.

    1.0 for equal normal forms, two empty texts among them; 0.0 when only one is empty.
    """
    return _score(statement_of(a), statement_of(b))


def similarity_matrix(rows: Sequence[str], columns: Sequence[str]) -> NDArray[np.float64]:
    """`similarity` of every row with every column; float64, shape (len(rows), len(columns))."""
    import numpy as np

    left, right = [statement_of(text) for text in rows], [statement_of(text) for text in columns]
    scores = [[_score(a, b) for b in right] for a in left]
    return np.array(scores, dtype=np.float64).reshape(len(left), len(right))


def _score(a: Statement, b: Statement) -> float:
    if a.normal == b.normal or (a.words == b.words and a.words):
        return 1.0
    if a.heads.keys().isdisjoint(b.heads) and a.beside.isdisjoint(b.weights):
        return 0.0
    spare_a, spare_b = _unmatched(a, b)
    if len(spare_a) == len(a.weights):
        return 0.0
    score = min(_covered(a, spare_a), _covered(b, spare_b))
    return score * CONFLICT_FACTOR if _conflict(a, b, spare_a, spare_b) else score


def _covered(text: Statement, spare: Set[str]) -> float:
    return 1.0 - sum([weight for key, weight in text.weights.items() if key in spare]) / text.total


def _unmatched(a: Statement, b: Statement) -> tuple[Set[str], Set[str]]:
    """The content keys of each side that the other lacks, related keys left out."""
    spare_a = a.weights.keys() - b.weights.keys()
    spare_b = b.weights.keys() - a.weights.keys()
    related = _related(a, b, spare_a, spare_b)
    return (spare_a - {x for x, _ in related}, spare_b - {y for _, y in related}) if related else (spare_a, spare_b)


def _related(a: Statement, b: Statement, spare_a: Set[str], spare_b: Set[str]) -> list[tuple[str, str]]:
    """The pairs of unmatched keys that are related: those in one field, and some of those that begin alike."""
    found = [
        (x, y)
        for head in a.heads.keys() & b.heads.keys()
        for x in a.heads[head]
        if x in spare_a
        for y in b.heads[head]
        if y in spare_b and lexicon.are_related(x, y)
    ]
    if not a.beside.isdisjoint(spare_b):
        found += [(x, y) for x in spare_a if x in lexicon.NEAR_KEYS for y in lexicon.NEAR_KEYS[x] & spare_b]
    return found


def _conflict(a: Statement, b: Statement, spare_a: Set[str], spare_b: Set[str]) -> bool:
    return (
        a.is_negative != b.is_negative
        or a.is_intended != b.is_intended
        or bool(a.degrees) != bool(b.degrees)
        or not a.strict.isdisjoint(spare_a)
        or not b.strict.isdisjoint(spare_b)
        or _are_opposed(a, b)
        or _is_substituted(a, b, spare_a, spare_b)
        or _is_extended(a, b, spare_a, spare_b)
        or _have_other_objects(a, b)
        or _have_opposite_objects(a, b)
        or _have_other_agents(a, b)
        or _are_exchanged(a, b, spare_a, spare_b)
        or _is_shuffled(a, b)
    )


def _are_opposed(a: Statement, b: Statement) -> bool:
    only_a = {key for key, n in a.antonyms.items() if n > b.antonyms.get(key, 0)}
    only_b = {key for key, n in b.antonyms.items() if n > a.antonyms.get(key, 0)}
    return any(lexicon.OPPOSITES[key] & only_b for key in only_a)


def _is_substituted(a: Statement, b: Statement, spare_a: Set[str], spare_b: Set[str]) -> bool:
    if not spare_a or not spare_b:
        return False
    slots_a, slots_b = _slots(a, spare_a), _slots(b, spare_b)
    return any(is_fact or slots_b[slot] for slot, is_fact in slots_a.items() if slot in slots_b)


def _slots(text: Statement, spare: Set[str]) -> dict[tuple[str, str], bool]:
    """The matched neighbour on each side of each block of unmatched keys, and whether it holds a fact.

    An end of the text is no neighbour, unless the other side's is given with it.
    """
    slots: dict[tuple[str, str], bool] = {}
    before, is_open, is_fact = "^", False, False
    for key in (*text.content, "$"):
        if key in spare:
            is_open, is_fact = True, is_fact or key not in lexicon.SLIGHT_KEYS
            continue
        if is_open:
            slots[before, "" if before != "^" else key] = is_fact
            slots["" if key != "$" else before, key] = is_fact
        before, is_open, is_fact = key, False, False
    return slots


def _is_extended(a: Statement, b: Statement, spare_a: Set[str], spare_b: Set[str]) -> bool:
    """Whether one side is the other in the same order with a fact put in."""
    facts_a, facts_b = spare_a - lexicon.WEAK_KEYS, spare_b - lexicon.WEAK_KEYS
    if bool(facts_a) == bool(facts_b):
        return False
    longer, shorter, spare = (a, b, spare_b) if facts_a else (b, a, spare_a)
    rest = iter(longer.content)
    return all(key in rest for key in shorter.content if key not in spare)


def _have_other_objects(a: Statement, b: Statement) -> bool:
    for cue, objects in a.objects.items():
        others = b.objects.get(cue)
        if not others or not objects.isdisjoint(others):
            continue
        shared = (_share(objects, b), _share(others, a))
        if all(shared) or (cue[0] == "#" and any(shared)):
            return True
    return any(cue[0] == "#" and cue in b.objects.get(key, ()) for cue in a.objects for key in a.objects[cue])


def _share(objects: frozenset[str], text: Statement) -> bool:
    return any(key == USER or key in text.weights or key in text.people for key in objects)


def _have_opposite_objects(a: Statement, b: Statement) -> bool:
    """Whether something comes after a cue on one side and after the opposite cue on the other."""
    nothing: frozenset[str] = frozenset()
    for cue, opposite in lexicon.OPPOSITE_CUES:
        here, there = a.objects.get(cue, nothing), b.objects.get(opposite, nothing)
        if here & there - a.objects.get(opposite, nothing) - b.objects.get(cue, nothing):
            return True
    return False


def _have_other_agents(a: Statement, b: Statement) -> bool:
    if a.agent == b.agent and _is_suffered_by_one(a, b):
        return True
    if a.is_copular or b.is_copular or a.agent not in b.people or b.agent not in a.people:
        return False
    return (a.agent != b.agent) == (a.is_passive == b.is_passive)


def _is_suffered_by_one(a: Statement, b: Statement) -> bool:
    return not a.suffered.isdisjoint(b.acted - b.suffered) or not b.suffered.isdisjoint(a.acted - a.suffered)


def _are_exchanged(a: Statement, b: Statement, spare_a: Set[str], spare_b: Set[str]) -> bool:
    """Whether two parts of one content have changed places about a third: `dog bit man`, `man bit dog`."""
    if a.is_copular or b.is_copular or (spare_a | spare_b) - lexicon.WEAK_KEYS:
        return False
    x = tuple(key for key in a.order if key in b.order)
    y = tuple(key for key in b.order if key in a.order)
    if a.is_passive != b.is_passive:
        return x == y and len(x) > _SHORT
    x, y = _without_common_ends(x, y)
    if len(x) == _SHORT and USER in x and (a.is_foreign or b.is_foreign):
        return True
    cuts = combinations(range(1, len(x)), 2)
    return any(x[j:] + x[i:j] + x[:i] == y for i, j in cuts)


def _is_shuffled(a: Statement, b: Statement) -> bool:
    """Whether the same words stand in another order that is not one part moved to the front.

    In an unspaced script, where particles bear the roles, other words count as another order.
    """
    if a.sorted_words != b.sorted_words:
        return a.is_unspaced or b.is_unspaced
    x, y = _without_common_ends(a.words, b.words)
    if any(x[cut:] + x[:cut] == y for cut in range(len(x))):
        return False
    return not any((*x[cut + 1 :], word, *x[:cut]) == y for cut, word in enumerate(x) if word in lexicon.PIVOTS)


def _without_common_ends(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    start, end = 0, len(a)
    while start < end and a[start] == b[start]:
        start += 1
    while end > start and a[end - 1] == b[end - 1]:
        end -= 1
    return a[start:end], b[start:end]
