"""One sentence as a statement: what it says, who takes part and how, in keys that rewording keeps.

A text comes in; out goes a `Statement`, which `assay.metrics.similarity` compares with another.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from assay.metrics import lexicon
from assay.metrics.lexicon import USER
from assay.metrics.phrases import without_phrases
from assay.metrics.text import normalise, stem, words

_Pairs = tuple[tuple[str, str], ...]
"""Words with their keys."""

_SHORT = 2
_LAST_ALPHABET = "\u2e80"
_READ = frozenset((*lexicon.NUMERALS, *lexicon.POWERS, "until", "till"))
"""Words that are read by what stands before them, as numbers are."""
_PLACES = lexicon.CUES | frozenset(("in", "on", "at", "of"))


@dataclass(frozen=True, eq=False)
class Statement:
    """One text, ready for comparison. What only a conflict is found by is worked out when it is first asked for."""

    normal: str
    words: tuple[str, ...]
    pairs: _Pairs
    names: frozenset[str]
    """The keys of what is written as a name."""
    weights: dict[str, float]

    @cached_property
    def total(self) -> float:
        """The sum of all weights."""
        return sum(self.weights.values())

    @cached_property
    def heads(self) -> dict[str, list[str]]:
        """The content keys by their first letters: equal and related keys are under one head or in one field."""
        found: dict[str, list[str]] = {}
        for key in self.weights:
            found.setdefault(key[: lexicon.MIN_ROOT], []).append(key)
        return found

    @cached_property
    def beside(self) -> frozenset[str]:
        """The keys in one field with a content key."""
        return frozenset().union(*[lexicon.NEAR_KEYS[key] for key in self.weights if key in lexicon.NEAR_KEYS])

    @cached_property
    def sorted_words(self) -> tuple[str, ...]:
        """The words, whatever their order."""
        return tuple(sorted(self.words))

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Keys that say something, in order."""
        return tuple(key for _, key in self.pairs if key in self.weights)

    @cached_property
    def strict(self) -> frozenset[str]:
        """Numbers, names, relations and limits: keys the other side must have."""
        return frozenset(key for key in self.weights if key in self.names or _is_strict(key))

    @cached_property
    def antonyms(self) -> dict[str, int]:
        """How often each word that has an opposite is used."""
        return Counter(key for _, key in self.pairs if key in lexicon.OPPOSITES)

    @cached_property
    def degrees(self) -> frozenset[str]:
        """Words of degree."""
        return lexicon.DEGREES.intersection(self.words)

    @cached_property
    def is_negative(self) -> bool:
        """Whether an odd number of words turns a clause; abroad two negators make one negation."""
        return _is_negative(self.pairs)

    @cached_property
    def is_intended(self) -> bool:
        """Whether it is a wish or a plan."""
        return any(key in lexicon.INTENT_KEYS for _, key in self.pairs)

    @cached_property
    def objects(self) -> dict[str, frozenset[str]]:
        """The keys that each cue governs, and `of x`: the owners of x."""
        governed = _objects(self.pairs, self.weights.keys() | self.people)
        return governed | _owners(self.pairs, self.people, self.weights)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Content keys and the user where one takes part, in order."""
        return _order(self.pairs, self.weights)

    @cached_property
    def roles(self) -> tuple[str | None, frozenset[str]]:
        """Who acts, and everyone who takes part."""
        return _roles(self.pairs, self.names, self.weights)

    @property
    def agent(self) -> str | None:
        """Who acts."""
        return self.roles[0]

    @property
    def people(self) -> frozenset[str]:
        """Everyone who takes part."""
        return self.roles[1]

    @cached_property
    def voices(self) -> tuple[frozenset[str], frozenset[str]]:
        """What is done to the agent (`paid` in `the user was paid`), and what follows the agent (`the user has paid`)."""
        return _voices(self.pairs, self.agent, self.weights)

    @property
    def suffered(self) -> frozenset[str]:
        """What is done to the agent: `paid` in `the user was paid`."""
        return self.voices[0]

    @property
    def acted(self) -> frozenset[str]:
        """What follows the agent at once, auxiliaries left out: `paid` in `the user has paid`."""
        return self.voices[1]

    @cached_property
    def is_foreign(self) -> bool:
        """Whether it names the user in another language."""
        return not lexicon.ABROAD.isdisjoint(self.words)

    @cached_property
    def is_unspaced(self) -> bool:
        """Whether a word is in a script without spaces."""
        return any(word[0] > _LAST_ALPHABET for word in self.words)

    @cached_property
    def is_passive(self) -> bool:
        """Whether `by` tells who acts, or `from` whom something was received."""
        received = "from" in self.objects and any(key == lexicon.RECEIVE for _, key in self.pairs)
        return received or _is_passive(self.words, self.objects)

    @cached_property
    def is_copular(self) -> bool:
        """Whether one thing is said to be another: `is a`."""
        return any(w in lexicon.COPULAS and n in lexicon.DETERMINERS for w, n in pairwise(self.words))


@lru_cache(maxsize=8192)
def statement_of(text: str) -> Statement:
    """The statement of a text; of a text without words, one without content."""
    found = words(text)
    names = _names(found)
    folded = _canonical_words([word.casefold() for word in found])
    pairs = tuple([(word, lexicon.key_of(word)) for word in folded])
    weights = {key: weight for word, key in pairs if (weight := 1.0 if key in names else _weight(word, key)) > 0}
    return Statement(normalise(text), folded, pairs, names, weights)


def _canonical_words(words: list[str]) -> tuple[str, ...]:
    """Folded words with fixed phrases replaced, negative words opened and numbers as digits."""
    found: list[str] = []
    for word in _opened(without_phrases(words)):
        if word not in _READ and not word.isdecimal():
            found.append(word)
            continue
        last = found[-1] if found else ""
        number = lexicon.NUMERALS.get(word, word)
        if word in lexicon.POWERS and last.isdecimal() and len(last) <= lexicon.MAX_FIGURES:
            found[-1] = str(int(last) * lexicon.POWERS[word])
        elif word in lexicon.NUMERALS and len(number) == 1 and last in lexicon.FULL_TENS:
            found[-1] = str(int(last) + int(number))
        elif number.isdecimal() and last in ("past", "to") and len(found) > 1 and found[-2] in lexicon.CLOCK:
            found[-2:] = [_clock(found[-2], last, _figures(number))]
        elif word in ("until", "till") and "from" in found:
            found.append("to")
        else:
            found.append(_figures(number) if number.isdecimal() else number)
    return tuple(found)


def _clock(part: str, side: str, hour: str) -> str:
    """`half past 2` as 2.30 and `quarter to 3` as 2.45."""
    minutes = lexicon.CLOCK[part]
    return f"{hour}.{minutes}" if side == "past" else f"{(int(hour) - 2) % 12 + 1}.{60 - minutes}"


def _opened(words: list[str]) -> list[str]:
    found: list[str] = []
    for word in words:
        base = lexicon.OPENED.get(stem(word))
        if base is None:
            found.append(word)
        else:
            found += ("not", base)
    return found


def _figures(number: str) -> str:
    """The number in ASCII figures, without leading zeros."""
    return "".join(str(unicodedata.decimal(figure)) for figure in number).lstrip("0") or "0"


def _is_negative(pairs: _Pairs) -> bool:
    """Whether an odd number of words turns a clause; abroad two negators make one negation."""
    is_turned = False
    for word, key in pairs:
        if word in lexicon.NEGATORS_ABROAD:
            return True
        if word in lexicon.CLAUSES and is_turned:
            return True
        is_turned ^= word in lexicon.NEGATORS or key in lexicon.NEGATIVE_KEYS
    return is_turned


def _order(pairs: _Pairs, weights: dict[str, float]) -> tuple[str, ...]:
    """The first place of each content key, and of the user unless he only owns."""
    found: dict[str, None] = {}
    for (word, key), (after, _) in pairwise((*pairs, ("", ""))):
        if key in weights:
            if key[0] != "#" and key not in lexicon.TIME_KEYS:
                found[key] = None
        elif (key == USER and after != "s") or word in lexicon.OBJECTS:
            found[USER] = None
    return tuple(found)


def _voices(pairs: _Pairs, agent: str | None, weights: dict[str, float]) -> tuple[frozenset[str], frozenset[str]]:
    """What is done to the agent, and what the agent does."""
    suffered: set[str] = set()
    acted: set[str] = set()
    subject = ""
    for (word, key), (after, done) in pairwise(pairs):
        is_being = word in lexicon.BE
        if subject == agent and done in weights and is_being and lexicon.is_participle(after):
            suffered.add(done)
        subject = subject if word in lexicon.AUXILIARIES else key
        if subject == agent and not is_being and done in weights:
            acted.add(done)
    return frozenset(suffered), frozenset(acted)


def _is_passive(folded: tuple[str, ...], objects: dict[str, frozenset[str]]) -> bool:
    """Whether `by` tells who acts: after a form of `be` and a participle, adverbs and negators left out."""
    if "by" not in objects:
        return False
    bare = (word for word in folded if word not in lexicon.NEGATORS and not word.endswith("ly"))
    return any(word in lexicon.BE and lexicon.is_participle(after) for word, after in pairwise(bare))


def _owners(pairs: _Pairs, people: frozenset[str], weights: dict[str, float]) -> dict[str, frozenset[str]]:
    """Who owns what: `of &boss` is the user in `the user's boss` and in `the boss of the user`."""
    skipped = lexicon.DETERMINERS | lexicon.TITLES
    bare = [(word, key) for word, key in pairs if word not in skipped or key == USER]
    found = {}
    for (_, first), (link, _), (_, second) in zip(bare, bare[1:], bare[2:], strict=False):
        owner, owned = (first, second) if link == "s" else (second, first)
        if link in ("s", "of") and owned in weights and (owner == USER or owner[0] == "&" or owner in people):
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


@lru_cache(maxsize=65536)
def _weight(word: str, key: str) -> float:
    """How much a word says that is no name."""
    if _is_strict(key):
        return 1.0
    if key == USER or word in lexicon.STOP or word in lexicon.NEGATORS:
        return 0.0
    is_light = key == "#1" or key in lexicon.LIGHT_KEYS or word in lexicon.NEGATORS_ABROAD
    is_light = is_light or (len(word) <= _SHORT and word < _LAST_ALPHABET)
    return lexicon.LIGHT_WEIGHT if is_light else 1.0


def _objects(pairs: _Pairs, facts: Set[str]) -> dict[str, frozenset[str]]:
    """The keys after each cue: all up to the next word of grammar; for a number, the very next."""
    found: dict[str, set[str]] = {}
    cue, is_open = "", False
    for word, written in pairs:
        key = USER if word in lexicon.OBJECTS and not cue.startswith("@") else written
        is_number = cue.startswith("#")
        if cue and key in facts:
            found.setdefault(cue, set()).add(key)
            is_open = True
        is_closed = cue.startswith("@") and key not in facts and word not in lexicon.DETERMINERS
        if is_number or is_closed or (is_open and key not in facts):
            cue = ""
        if word in lexicon.CUES or word in lexicon.NEGATORS or key[0] == "#":
            cue, is_open = key if key[0] == "#" else word, False
        elif key in lexicon.TRANSFER_KEYS:
            cue, is_open = f"@{key}", False
    return {cue: frozenset(keys) for cue, keys in found.items()}


def _roles(pairs: _Pairs, names: frozenset[str], weights: dict[str, float]) -> tuple[str | None, frozenset[str]]:
    """Who acts, and everyone who takes part; the user of `the user's` only owns."""
    people: set[str] = set()
    agent, before = None, "^"
    for at, (word, key) in enumerate(pairs):
        is_person = key == USER or key[0] == "&" or word in lexicon.PRONOUNS
        is_person = is_person or (key in names and key not in lexicon.TIME_KEYS)
        is_owner = at + 1 < len(pairs) and pairs[at + 1][0] == "s"
        if not is_owner and (is_person or (at == 0 and key in weights)):
            person = USER if word in lexicon.PRONOUNS else key
            people.add(person)
            agent = person if agent is None and before not in _PLACES else agent
        before = before if word in lexicon.DETERMINERS else word
    return agent, frozenset(people)
