"""One sentence as a statement: what it says, who takes part and how, in keys that rewording keeps.

A text comes in; out goes a `Statement`, which `assay.metrics.similarity` compares with another.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assay.metrics import lexicon
from assay.metrics.lexicon import USER
from assay.metrics.text import normalise, stem, words

_Pairs = tuple[tuple[str, str], ...]
"""Words with their keys."""

_SHORT = 2
_LAST_ALPHABET = "\u2e80"
_PLACES = lexicon.CUES | frozenset(("in", "on", "at", "of"))


_PHRASES = """
1 times: once|2 times: twice|3 times: thrice|not: no longer, not any more, not anymore, yet to|formerly: used to
|accustomed to: is used to, was used to, are used to|dislike: can not stand, could not stand, can not bear
|want: would like, would love|prefer: would rather|stopped: gives up, giving up|next autumn: next fall
|last autumn: last fall|this autumn: this fall|each autumn: every fall, each fall|autumn: in the fall, in fall
|than: instead of, rather than, as opposed to|also: not only|because: because of, due to, owing to, on account of
|and: as well as|to: in order to|beside: next to|is named: is called, goes by|-: each other, at the moment, right now
|-: these days, at present, each time, in total, type of, kind of, sort of, how to, so as, all of, a lot of, lots of, plenty of
|two: a couple of, a pair of|twelve: a dozen|six: half a dozen|100: a hundred|1000: a thousand|1000000: a million
|secondhand: second hand|enabled: switched on, turned on|disabled: switched off, turned off|phone: cell phone, mobile phone
|lounge: living room|highschool: high school, secondary school|dismissed: laid off, made redundant, let go|long: long haul
|fulltime: full time|parttime: part time|allergy: allergic reaction|usa: united states|britain: united kingdom, great britain
|age: year old, years old, years of age, at the age of, at age|weekend: at weekends|adult: grown up
|alone: on his own, on her own, on their own, by himself, by herself, by themselves, all alone
|motherinlaw: mother in law|fatherinlaw: father in law|brotherinlaw: brother in law|sisterinlaw: sister in law
|soninlaw: son in law|daughterinlaw: daughter in law|inlaws: parents in law|neighbours: people next door
|neighbour: person next door|responsible for: in charge of|for: in favour of, in favor of|against: opposed to
|about: with regard to|unable to: not able to, incapable of|able to: capable of|able: has the ability to
|like more than: like better than, likes better than, likes more than|pregnant: expecting a baby, expecting a child
|sibling: brother or sister|car: motor car|electric car: ev|at noon: at 12 pm|daily: every day, each day, once a day, per day
|weekly: every week, each week, once a week|monthly: every month, each month, once a month
|yearly: every year, each year, once a year|coworker: work colleague|beekeeper: keeps bees, keep bees|blood pressure: bp
|hypertension: high blood pressure|lessons: a course in|parents: mum and dad, mom and dad, mother and father
|siblings: brothers and sisters, brothers or sisters|native language: mother tongue, first language|-: o clock
|for: for the past, for the last, over the past, over the last|because: thanks to, as a result of|is named: whose name is
|named: by the name of|remotely: from home|dismissed: lost his job, lost her job, lost their job
|has: is a parent of, is the parent of|likes: is a fan of, is keen on, is into|dislikes: is not a fan of|plans to: is going to
|fortnightly: every two weeks, every other week, every second week, once a fortnight
|phoned the: called the|phoned a: called a|phoned his: called his|phoned her: called her|phoned their: called their
|was raised: grew up
|parttime: half time|weekday: during the week
"""
"""Fixed phrases after the word they mean; `-` is none."""

_PHRASAL_VERBS = """
stop: give up, step down, come off|die: pass away|wake: get up, wake up|return: come back, go back|discover: find out
|establish: set up|start: take up, start out|reject: turn down|postpone: put off|cancel: call off|search: look for
|look after: care for, take care of|participate: take part|raise: bring up|save: put aside, set aside, save up
|repay: pay back, pay off|enable: switch on, turn on|disable: switch off, turn off|separate: break up, split up
|remove: get rid of|sleep: fall asleep, get to sleep|dismiss: lay off|continue: carry on, keep on|clean: clean up, tidy up
|shower: take a shower|bath: take a bath|decide: make a decision|use: make use of|exercise: work out|walk: go for a walk
|jog: go for a run, go jogging|swim: go swimming|shop: go shopping|move: move house|marry: get married, tie the knot
|meet: get together|rest: take a rest|cook: make dinner|complete: fill in, fill out|explain: point out|win: come first
|retire: go into retirement|suffer: come down with|volunteer: do voluntary work, work as a volunteer|remind: give a reminder
|help: give a hand, lend a hand|visit: pay a visit to|fly: travel by plane, travel by air
"""
"""Verbs of several words after the verb they mean, in any form of the first word."""


@dataclass(frozen=True, slots=True)
class Statement:
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
    acted: frozenset[str]
    """What follows the agent at once, auxiliaries left out: `paid` in `the user has paid`."""
    is_foreign: bool
    is_unspaced: bool
    agent: str | None
    people: frozenset[str]
    is_passive: bool
    is_copular: bool


@lru_cache(maxsize=8192)
def statement_of(text: str) -> Statement:
    """The statement of a text; of a text without words, one without content."""
    found = words(text)
    names = _names(found)
    folded = _canonical_words(word.casefold() for word in found)
    pairs = tuple((word, lexicon.key_of(word)) for word in folded)
    keys = tuple(key for _, key in pairs)
    weights = {key: weight for word, key in pairs if (weight := _weight(word, key, names)) > 0}
    agent, people = _roles(pairs, names, weights)
    suffered, acted = _voices(pairs, agent, weights)
    objects = _objects(pairs, weights.keys() | people) | _owners(pairs, people, weights)
    return Statement(
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
        suffered=suffered,
        acted=acted,
        is_foreign=not lexicon.ABROAD.isdisjoint(folded),
        is_unspaced=any(word[0] > _LAST_ALPHABET for word in folded),
        agent=agent,
        people=people,
        is_passive=_is_passive(folded, objects) or ("from" in objects and lexicon.RECEIVE in keys),
        is_copular=any(w in lexicon.COPULAS and n in lexicon.DETERMINERS for w, n in pairwise(folded)),
    )


def _canonical_words(words: Iterable[str]) -> tuple[str, ...]:
    """Folded words with fixed phrases replaced, negative words opened and numbers as digits."""
    found: list[str] = []
    for word in _opened(_without_phrases(list(words))):
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


def _without_phrases(words: list[str]) -> list[str]:
    """The words with each fixed phrase replaced by what it means."""
    found: list[str] = []
    at = 0
    while at < len(words):
        for phrase, meaning in _PHRASE_INDEX.get(words[at], ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                found.extend(meaning)
                at += len(phrase)
                break
        else:
            found.append(words[at])
            at += 1
    return found


def _opened(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        base = lexicon.OPENED.get(stem(word))
        yield from (word,) if base is None else ("not", base)


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


def _weight(word: str, key: str, names: frozenset[str]) -> float:
    if key in names or _is_strict(key):
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


def _entries(table: str) -> Iterator[tuple[str, str]]:
    """Each phrase of a table with its meaning."""
    for entry in table.replace("\n", "").split("|"):
        meaning, _, phrases = entry.partition(": ")
        for phrase in phrases.split(", "):
            yield phrase, meaning.strip(" -")


def _verb_forms(verb: str) -> tuple[str, ...]:
    """The base, the third person, the gerund and the past forms of a verb."""
    root = verb + verb[-1] if re.search("^[^aeiou]+[aeiou][bdgmnpt]$", verb) else verb
    root = root[:-1] if root.endswith("e") else root
    past = root[:-1] + "ied" if re.search("[^aeiou]y$", root) else root + "ed"
    third = verb + "es" if verb.endswith(("sh", "ch", "s", "o")) else verb + "s"
    return (verb, third, root + "ing", *lexicon.FORMS.get(verb, (past,)))


def _phrase_index() -> dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]]:
    """The phrases by their first word, the longest first: the words of each and its meaning."""
    entries = dict(_entries(_PHRASES))
    for phrase, meaning in _entries(_PHRASAL_VERBS):
        verb, _, rest = phrase.partition(" ")
        verb_meant, _, rest_meant = meaning.partition(" ")
        meant = _verb_forms(verb_meant)
        for at, form in enumerate(_verb_forms(verb)):
            entries.setdefault(f"{form} {rest}", f"{meant[min(at, len(meant) - 1)]} {rest_meant}")
    found: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for phrase, meaning in sorted(entries.items(), key=lambda entry: (-entry[0].count(" "), entry[0])):
        found.setdefault(phrase.split()[0], []).append((tuple(phrase.split()), tuple(meaning.split())))
    return {first: tuple(phrases) for first, phrases in found.items()}


_PHRASE_INDEX = _phrase_index()
