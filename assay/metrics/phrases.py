"""Fixed phrases and verbs of several words, each read as what it means.

Folded words come in, as a list; the same list comes out with every phrase that the tables know replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.metrics import lexicon

_Meaning = tuple[tuple[str, ...], tuple[str, ...]]
"""The words of a phrase, and those it stands for."""

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


def without_phrases(words: list[str]) -> list[str]:
    """The words with each fixed phrase replaced by what it means."""
    found: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        for phrase, meaning in _PHRASE_INDEX.get(word, ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                found.extend(meaning)
                at += len(phrase)
                break
        else:
            found.append(word)
            at += 1
    return found


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


def _phrase_index() -> dict[str, tuple[_Meaning, ...]]:
    """The phrases by their first word, the longest first: the words of each and its meaning."""
    entries = dict(_entries(_PHRASES))
    for phrase, meaning in _entries(_PHRASAL_VERBS):
        verb, _, rest = phrase.partition(" ")
        verb_meant, _, rest_meant = meaning.partition(" ")
        meant = _verb_forms(verb_meant)
        for at, form in enumerate(_verb_forms(verb)):
            entries.setdefault(f"{form} {rest}", f"{meant[min(at, len(meant) - 1)]} {rest_meant}")
    found: dict[str, list[_Meaning]] = {}
    for phrase, meaning in sorted(entries.items(), key=lambda entry: (-entry[0].count(" "), entry[0])):
        found.setdefault(phrase.split()[0], []).append((tuple(phrase.split()), tuple(meaning.split())))
    return {first: tuple(phrases) for first, phrases in found.items()}


_PHRASE_INDEX = _phrase_index()
