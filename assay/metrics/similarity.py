"""How alike two one-sentence memories are: the matcher of the extraction suite.

Two texts come in, a number in [0, 1] goes out. The score is lexical: the smaller of
the two shares of content that the other side also has. It is halved by a conflict: a negation,
number, name, relation, limit, intent, role or antonym that the sides do not share, another word in
the same place, or a fact put in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from assay.metrics import lexicon
from assay.metrics.lexicon import USER
from assay.metrics.text import normalise, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MATCHER = "content-similarity/1"
CONFLICT_FACTOR = 0.5
"""A score with a conflict is at most this."""

_Pairs = tuple[tuple[str, str], ...]
"""Words with their keys."""

_SHORT = 2
_LAST_ALPHABET = "\u2e80"
_PLACES = lexicon.CUES | frozenset(("in", "on", "at", "of"))


@dataclass(frozen=True, slots=True)
class _Prepared:
    """One text, ready for comparison."""

    normal: str
    words: tuple[str, ...]
    sorted_words: tuple[str, ...]
    content: tuple[str, ...]
    """Keys that say something, in order."""
    weights: dict[str, float]
    strict: frozenset[str]
    """Numbers, names, relations and limits: keys the other side must have."""
    antonyms: dict[str, int]
    """How often each word that has an opposite is used."""
    degrees: frozenset[str]
    is_negative: bool
    is_intended: bool
    objects: dict[str, frozenset[str]]
    """The keys that each cue governs, and `of x`: the owners of x."""
    order: tuple[str, ...]
    """Content keys and the user where one takes part, in order."""
    suffered: frozenset[str]
    """What is done to the agent: `paid` in `the user was paid`."""
    is_unspaced: bool
    agent: str | None
    people: frozenset[str]
    is_passive: bool
    is_copular: bool


def similarity(a: str, b: str) -> float:
    """The likeness of two texts, in [0, 1]; symmetric.

    1.0 for equal normal forms, two empty texts among them; 0.0 when only one is empty.
    """
    return _score(_prepare(a), _prepare(b))


def similarity_matrix(rows: Sequence[str], columns: Sequence[str]) -> NDArray[np.float64]:
    """`similarity` of every row with every column; float64, shape (len(rows), len(columns))."""
    import numpy as np

    left, right = [_prepare(text) for text in rows], [_prepare(text) for text in columns]
    scores = [[_score(a, b) for b in right] for a in left]
    return np.array(scores, dtype=np.float64).reshape(len(left), len(right))


def _score(a: _Prepared, b: _Prepared) -> float:
    if a.normal == b.normal or (a.words == b.words and a.words):
        return 1.0
    if not a.weights or not b.weights:
        return 0.0
    spare_a, spare_b = _unmatched(a, b)
    if len(spare_a) == len(a.weights):
        return 0.0
    score = min(_covered(a, spare_a), _covered(b, spare_b))
    return score * CONFLICT_FACTOR if _conflict(a, b, spare_a, spare_b) else score


def _covered(text: _Prepared, spare: Set[str]) -> float:
    return 1.0 - sum(weight for key, weight in text.weights.items() if key in spare) / sum(text.weights.values())


def _unmatched(a: _Prepared, b: _Prepared) -> tuple[Set[str], Set[str]]:
    """The content keys of each side that the other lacks, related keys left out."""
    spare_a = a.weights.keys() - b.weights.keys()
    spare_b = b.weights.keys() - a.weights.keys()
    heads = {key[: lexicon.MIN_ROOT] for key in spare_b}
    near = [key for key in spare_a if key[: lexicon.MIN_ROOT] in heads]
    related = [(x, y) for x in near for y in spare_b if lexicon.are_related(x, y)]
    return spare_a - {x for x, _ in related}, spare_b - {y for _, y in related}


def _conflict(a: _Prepared, b: _Prepared, spare_a: Set[str], spare_b: Set[str]) -> bool:
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
        or _are_exchanged(a, b)
        or _is_shuffled(a, b)
    )


def _are_opposed(a: _Prepared, b: _Prepared) -> bool:
    only_a = {key for key, n in a.antonyms.items() if n > b.antonyms.get(key, 0)}
    only_b = {key for key, n in b.antonyms.items() if n > a.antonyms.get(key, 0)}
    return any(lexicon.OPPOSITES[key] & only_b for key in only_a)


def _is_substituted(a: _Prepared, b: _Prepared, spare_a: Set[str], spare_b: Set[str]) -> bool:
    if not spare_a or not spare_b:
        return False
    slots_a, slots_b = _slots(a, spare_a), _slots(b, spare_b)
    return any(is_fact or slots_b[slot] for slot, is_fact in slots_a.items() if slot in slots_b)


def _slots(text: _Prepared, spare: Set[str]) -> dict[tuple[str, str], bool]:
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


def _is_extended(a: _Prepared, b: _Prepared, spare_a: Set[str], spare_b: Set[str]) -> bool:
    """Whether one side is the other in the same order with a fact put in."""
    facts_a, facts_b = spare_a - lexicon.SLIGHT_KEYS, spare_b - lexicon.SLIGHT_KEYS
    if bool(facts_a) == bool(facts_b):
        return False
    longer, shorter, spare = (a, b, spare_b) if facts_a else (b, a, spare_a)
    rest = iter(longer.content)
    return all(key in rest for key in shorter.content if key not in spare)


def _have_other_objects(a: _Prepared, b: _Prepared) -> bool:
    for cue, objects in a.objects.items():
        others = b.objects.get(cue)
        if not others or not objects.isdisjoint(others):
            continue
        shared = (_share(objects, b), _share(others, a))
        if all(shared) or (cue[0] == "#" and any(shared)):
            return True
    return any(
        cue[0] == "#" and cue in b.objects.get(key, ()) for cue in a.objects for key in a.objects[cue]
    )


def _share(objects: frozenset[str], text: _Prepared) -> bool:
    return any(key == USER or key in text.weights or key in text.people for key in objects)


def _have_opposite_objects(a: _Prepared, b: _Prepared) -> bool:
    """Whether something comes after a cue on one side and after the opposite cue on the other."""
    nothing: frozenset[str] = frozenset()
    for cue, opposite in lexicon.OPPOSITE_CUES:
        here, there = a.objects.get(cue, nothing), b.objects.get(opposite, nothing)
        if here & there - a.objects.get(opposite, nothing) - b.objects.get(cue, nothing):
            return True
    return False


def _have_other_agents(a: _Prepared, b: _Prepared) -> bool:
    if a.agent == b.agent and _is_suffered_by_one(a, b):
        return True
    if a.is_copular or b.is_copular or a.agent not in b.people or b.agent not in a.people:
        return False
    return (a.agent != b.agent) == (a.is_passive == b.is_passive)


def _is_suffered_by_one(a: _Prepared, b: _Prepared) -> bool:
    return any(key in a.weights and key in b.weights for key in a.suffered ^ b.suffered)


def _are_exchanged(a: _Prepared, b: _Prepared) -> bool:
    """Whether two parts of one content have changed places about a third: `dog bit man`, `man bit dog`."""
    if a.is_copular or b.is_copular or (a.weights.keys() ^ b.weights.keys()) - lexicon.SLIGHT_KEYS:
        return False
    x = tuple(key for key in a.order if key in b.order)
    y = tuple(key for key in b.order if key in a.order)
    if a.is_passive != b.is_passive:
        return x == y and len(x) > _SHORT
    x, y = _without_common_ends(x, y)
    cuts = combinations(range(1, len(x)), 2)
    return any(x[j:] + x[i:j] + x[:i] == y for i, j in cuts)


def _is_shuffled(a: _Prepared, b: _Prepared) -> bool:
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


def _prepare(text: str) -> _Prepared:
    found = words(text)
    names = _names(found)
    folded = lexicon.canonical_words(word.casefold() for word in found)
    pairs = tuple((word, lexicon.key_of(word)) for word in folded)
    keys = tuple(key for _, key in pairs)
    weights = {key: weight for word, key in pairs if (weight := _weight(word, key, names)) > 0}
    agent, people = _roles(pairs, names, weights)
    objects = _objects(pairs, weights.keys() | people) | _owners(pairs, people, weights)
    return _Prepared(
        normal=normalise(text),
        words=folded,
        sorted_words=tuple(sorted(folded)),
        content=tuple(key for key in keys if key in weights),
        weights=weights,
        strict=frozenset(key for key in weights if key in names or _is_strict(key)),
        antonyms=Counter(key for key in keys if key in lexicon.OPPOSITES),
        degrees=lexicon.DEGREES.intersection(folded),
        is_negative=_is_negative(pairs),
        is_intended=not lexicon.INTENT_KEYS.isdisjoint(keys),
        objects=objects,
        order=_order(pairs, weights),
        suffered=_suffered(pairs, agent, weights),
        is_unspaced=any(_LAST_ALPHABET < word[0] for word in folded),
        agent=agent,
        people=people,
        is_passive="by" in objects and not lexicon.BE.isdisjoint(folded),
        is_copular=any(w in lexicon.BE and n in lexicon.DETERMINERS for w, n in pairwise(folded)),
    )


def _is_negative(pairs: _Pairs) -> bool:
    """Whether an odd number of words turns the statement; abroad two negators make one negation."""
    if any(word in lexicon.NEGATORS_ABROAD for word, _ in pairs):
        return True
    return sum(word in lexicon.NEGATORS or key in lexicon.NEGATIVE_KEYS for word, key in pairs) % 2 == 1


def _order(pairs: _Pairs, weights: dict[str, float]) -> tuple[str, ...]:
    """The first place of each content key, and of the user unless he only owns."""
    found: dict[str, None] = {}
    for (word, key), (after, _) in pairwise((*pairs, ("", ""))):
        if key in weights:
            found[key] = None
        elif (key == USER and after != "s") or word in lexicon.OBJECTS:
            found[USER] = None
    return tuple(found)


def _suffered(pairs: _Pairs, agent: str | None, weights: dict[str, float]) -> frozenset[str]:
    found: set[str] = set()
    subject = ""
    for (word, key), (after, done) in pairwise(pairs):
        if word in lexicon.BE and subject == agent and done in weights and lexicon.is_participle(after):
            found.add(done)
        subject = subject if word in lexicon.AUXILIARIES else key
    return frozenset(found)


def _owners(pairs: _Pairs, people: frozenset[str], weights: dict[str, float]) -> dict[str, frozenset[str]]:
    """Who owns what: `of &boss` is the user in `the user's boss` and in `the boss of the user`."""
    bare = [(word, key) for word, key in pairs if word not in lexicon.DETERMINERS or key == USER]
    found = {}
    for (_, first), (link, _), (_, second) in zip(bare, bare[1:], bare[2:], strict=False):
        owner, owned = (first, second) if link == "s" else (second, first)
        if link in ("s", "of") and owned in weights and (owner == USER or owner in people):
            found[f"of {owned}"] = frozenset((owner,))
    return found


def _names(found: list[str]) -> frozenset[str]:
    """The keys of words with a capital, but the first; none where every word has one."""
    if not any(word.islower() for word in found):
        return frozenset()
    names = (word.casefold() for word in found[1:] if word != word.lower())
    return lexicon.keys_of(name for name in names if name not in lexicon.STOP) - {USER}


def _is_strict(key: str) -> bool:
    return (key[0] in "#&" and key != "#1") or key in lexicon.LIMITS


def _weight(word: str, key: str, names: frozenset[str]) -> float:
    if key in names or _is_strict(key):
        return 1.0
    if key == USER or word in lexicon.STOP:
        return 0.0
    is_light = key == "#1" or key in lexicon.LIGHT_KEYS or word in lexicon.NEGATORS | lexicon.NEGATORS_ABROAD
    is_light = is_light or (len(word) <= _SHORT and word < _LAST_ALPHABET)
    return lexicon.LIGHT_WEIGHT if is_light else 1.0


def _objects(pairs: _Pairs, facts: Set[str]) -> dict[str, frozenset[str]]:
    """The keys after each cue: all up to the next word of grammar; for a number, the very next."""
    found: dict[str, set[str]] = {}
    cue, is_open = "", False
    for word, key in pairs:
        is_number = cue.startswith("#")
        if cue and key in facts:
            found.setdefault(cue, set()).add(key)
            is_open = True
        if is_number or (is_open and key not in facts):
            cue = ""
        if word in lexicon.CUES or word in lexicon.NEGATORS or key[0] == "#":
            cue, is_open = key if key[0] == "#" else word, False
    return {cue: frozenset(keys) for cue, keys in found.items()}


def _roles(pairs: _Pairs, names: frozenset[str], weights: dict[str, float]) -> tuple[str | None, frozenset[str]]:
    """Who acts, and everyone who takes part; the user of `the user's` only owns."""
    people: set[str] = set()
    agent, before = None, "^"
    for at, (word, key) in enumerate(pairs):
        is_person = key == USER or key[0] == "&" or key in names or word in lexicon.PRONOUNS
        is_owner = at + 1 < len(pairs) and pairs[at + 1][0] == "s"
        if not is_owner and (is_person or (at == 0 and key in weights)):
            person = USER if word in lexicon.PRONOUNS else key
            people.add(person)
            agent = person if agent is None and before not in _PLACES else agent
        before = before if word in lexicon.DETERMINERS else word
    return agent, frozenset(people)
