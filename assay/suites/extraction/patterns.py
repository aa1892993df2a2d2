"""verify, replay: a modest pattern extractor, the positive control: what users say of themselves in English, retold.

Conversations come in, memories go out. It knows general phrases of English and nothing of any gold set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from assay.metrics.lexicon import is_participle
from assay.suites.extraction.cases import Conversation
from assay.suites.extraction.schema import Category, ExtractedMemory, TemporalKind

MIN_WORDS, MAX_WORDS = 3, 25
"""Shorter clauses say nothing alone, longer ones more than one thing."""
OCCUPATION_WORDS = 10
Times = tuple[TemporalKind, str | None, str | None]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = f"(?:{'|'.join(_MONTHS)})"
_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DATE = rf"(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b(?: (\d{{4}}))?"
_SUBJECT = r"\bi(?:'(?:m|ve|d|ll)\b)?"

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_CLAUSE_END = _any(
    r"[;:]\s+",
    r"\s+[-\u2013\u2014]+\s+",
    r",?\s+(?:but|so|because|though|which)\s+",
    r",\s+(?=(?:i|my|it|the)\b)",
    r",?\s+and\s+(?=(?:i|my)\b)",
)
_HEAD_END = _any(r",\s+", r"\s+and\s+")
_LEAD_IN = _any(
    r"^(?:(?:please )?(?:remember|note)(?: that)?|and|also|well|yes|yeah|no|oh|ok|okay|but|by the way|anyway|sorry|thanks|hi"
    r"|hello|please)\b[,.!:]*\s+"
)
_LAST_WORD = _any(r"[\s,]+(?:lol|anyway|though|too|now|here|haha|thanks|sorry)[.!]*$")
_REQUEST = _any(
    r"^(?:can|could|would|will|do|don't|make|give|tell|write|help|show|let|put|say|imagine|what|how|why|like|if|as)\b", r"\?$"
)
_STATEMENT = _any(
    rf"{_SUBJECT} (?!(?:am|was|think|guess|mean|hope|wonder|know|suppose|see|say|told|ask|need)\b)\w+",
    r"\bi(?: am| was|'m) (?:an?|the|in|on|at|from|allergic|\d+)\b",
    r"\b(?:my|our) (?:[\w'-]+ ){1,4}(?:is|are|was|has|have|had|[a-z]+s|[a-z]+ed)\b",
    r"\b(?:is|are|was|were|being) my\b",
    r"\b(?:give|make|do|keep|let)s? me\b",
)
_OCCUPATION = _any(
    r"(?:an? )?((?:[\w-]+ ){0,2}[a-z]+(?:er|or|ist|ian|ant|ent|nurse|clerk)(?: (?:at|in|for|with|of) [^,.;:]+?)?)"
    r"(?: here)?[.!]?"
)
"""A sentence that is no more than what somebody is: `Nurse in a hospital.`"""

_CUES: tuple[tuple[Category, re.Pattern[str]], ...] = (
    ("procedural", _any(r"\bfirst\b.*\bthen\b", r", then\b", r"\b(?:every|each) time\b", r"\bfor (?:every|each|any)\b")),
    (
        "preference",
        _any(
            rf"{_SUBJECT} (?:\w+ )?(?:prefer|like|love|hate|enjoy|detest|dislike|loathe|adore|dread|want|refuse)\b",
            r"\bi (?:really )?(?:don't|do not) (?:like|want|care)\b|\bi (?:can't|cannot) (?:stand|bear|abide)\b",
            r"\bfavou?rite\b|\bi'd rather\b|\bi (?:never )?won't\b",
        ),
    ),
    (
        "behavioral",
        _any(
            rf"\b(?:every|each|usually|often|normally|always|daily|weekly|habit)\b|\b(?:{_DAY}|weekend)s\b",
            rf"\bmost (?:\w+ )?(?:day|morning|evening|night|{_DAY})s\b|\b{_DAY} (?:morning|afternoon|evening|night)s\b",
        ),
    ),
    (
        "episodic",
        _any(
            rf"\b(?:yesterday|today|tonight|tomorrow|(?:last|next|this) (?:week|month|year|{_DAY}|{_MONTH}))\b",
            rf"\b(?:on|from) (?:the )?{_DATE}|\bin (?:{_MONTH}|(?:19|20)\d\d)\b|\bi'm going to\b|\bi'll\b",
            r"\bi (?:\w+ed|went|got|bought|lost|won|broke|met|sold|left|took|gave|fell|saw)\b",
            r"\bmy (?:\w+ ){1,2}(?:died|married|moved|left|arrived|visited|came)\b",
        ),
    ),
)
"""The categories by what speaks for them, the first that does; `factual` where nothing does."""

_ONE_DATE = _any(rf"\b{_DATE}")
_SPAN = _any(rf"\bfrom (?:the )?{_DATE} (?:to|until|till) (?:the )?{_DATE}")
_UNTIL = _any(rf"\b(?:until|till) (?:the )?{_DATE}")
_RELATIVE_DAYS = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_RELATIVE_DAY = _any(rf"\b(?:{'|'.join(_RELATIVE_DAYS)})\b")
_SINCE_YEAR = _any(r"\bsince (\d{4})\b")

_PERSONS = tuple(
    (_any(pattern), third)
    for pattern, third in (
        (r"\bi'?m\b|\bi am\b", "the user is"),
        (r"\bi(?:'ve| have)\b", "the user has"),
        (r"\bi'd\b", "the user would"),
        (r"\bi'll\b", "the user will"),
        (r"\b(?:my|our|mine)\b", "the user's"),
        (r"\b(?:me|myself)\b", "the user"),
    )
)
_ACTION = _any(r"\bi ((?:(?:never|always|usually|often|also|only|just|really|still|normally|sometimes) )*)([\w']+)")
_IRREGULAR = {"do": "does", "don't": "doesn't", "dont": "doesn't", "haven't": "hasn't"}
_FIXED = re.compile("is|(?:was|ha[sd]|ca|could|wo|would|did)(?:n?'t)?|can|will|shall|should|may|might|must|cannot")


def sentences(text: str) -> list[str]:
    """The sentences of a text: parted at `.`, `!` or `?` before white space, and at line ends. Empty text has none."""
    return [sentence for part in _SENTENCE_END.split(text) if (sentence := part.strip())]


def third_person(text: str) -> str:
    """An English text about the user instead of by the user: `I keep my bees` is `The user keeps the user's bees`."""
    text = text.replace("\u2019", "'")
    for pattern, third in _PERSONS:
        text = pattern.sub(third, text)
    text = _ACTION.sub(lambda m: f"the user {m[1]}{_third_form(m[2])}", text)
    return text[:1].upper() + text[1:]


def memories(conversation: Conversation) -> list[ExtractedMemory]:
    """What the phrases find in the user's turns, in order, each content once."""
    today = datetime.fromisoformat(conversation.reference_time).date()
    found: dict[str, ExtractedMemory] = {}
    for turn in conversation.turns:
        for statement in _statements(turn.content) if turn.role == "user" else ():
            content = third_person(_with_years(statement, today)).rstrip(" ,.!") + "."
            kind, start, end = _times(statement, today)
            found.setdefault(
                content,
                ExtractedMemory(
                    content=content,
                    categories=(_category(statement),),
                    temporal_kind=kind,
                    valid_from=start,
                    valid_until=end,
                    supersedes=None,
                ),
            )
    return list(found.values())


def _statements(text: str) -> Iterator[str]:
    """What the speaker states: whole sentences, their clauses, and the heads of both up to the first comma or `and`."""
    for sentence in sentences(text.replace("\u2019", "'")):
        if len(sentence.split()) <= OCCUPATION_WORDS and (found := _OCCUPATION.fullmatch(sentence)):
            yield f"I am a {found[1]}"
            continue
        for part in dict.fromkeys((*_CLAUSE_END.split(sentence), sentence)):
            clause = _bare(part)
            if not _REQUEST.search(clause):
                yield from filter(_is_statement, dict.fromkeys((clause, _HEAD_END.split(clause, maxsplit=1)[0])))


def _bare(clause: str) -> str:
    """The clause without the words that only link it to what was said before."""
    while lead_in := _LEAD_IN.match(clause):
        clause = clause[lead_in.end() :]
    return _LAST_WORD.sub("", clause)


def _is_statement(clause: str) -> bool:
    return MIN_WORDS <= len(clause.split()) <= MAX_WORDS and _STATEMENT.search(clause) is not None


def _category(clause: str) -> Category:
    return next((category for category, cue in _CUES if cue.search(clause)), "factual")


def _times(clause: str, today: date) -> Times:
    """A span or an end makes it bounded, a named day a point, a year after `since` gives a start; all else holds on."""
    if (found := _SPAN.search(clause)) and (end := _iso(found.groups()[3:], today)):
        return "bounded", _iso(found.groups()[:3], today), end
    if (found := _UNTIL.search(clause)) and (end := _iso(found.groups(), today)):
        return "bounded", None, end
    if found := _SINCE_YEAR.search(clause):
        return "indefinite", f"{found[1]}-01-01", None
    day = _iso(found.groups(), today) if (found := _ONE_DATE.search(clause)) else None
    if day is None and (found := _RELATIVE_DAY.search(clause)):
        day = (today + timedelta(days=_RELATIVE_DAYS[found[0].lower()])).isoformat()
    return ("point", day, day) if day else ("indefinite", None, None)


def _iso(parts: tuple[str | None, ...], today: date) -> str | None:
    """Day, month and year, where none stands that of the conversation; null where there is no such day."""
    day, month, year = parts
    try:
        return date(int(year or today.year), _MONTHS.index((month or "").lower()) + 1, int(day or 0)).isoformat()
    except ValueError:
        return None


def _with_years(clause: str, today: date) -> str:
    return _ONE_DATE.sub(lambda m: m[0] if m[3] else f"{m[0]} {today.year}", clause)


def _third_form(verb: str) -> str:
    lower = verb.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if _FIXED.fullmatch(lower) or is_participle(lower):
        return verb
    if re.search(r"(?:[sxzo]|ch|sh)$", lower):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", lower) else verb + "s"
