"""verify, replay: the controls of the kind, each a target that answers in process.

`pattern` is the positive control, `shuffled` the negative one. The others are trivial strategies: answers that need no
understanding, which a suite's gates must tell from a subject.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt

from assay.metrics.lexicon import STOP, USERS
from assay.metrics.text import normalise
from assay.model.gold import GoldCase
from assay.model.target import CaseFunction, Target, TargetContext
from assay.suites.extraction.cases import Conversation, ExpectedMemory
from assay.suites.extraction.patterns import memories, sentences, third_person
from assay.suites.extraction.schema import CATEGORIES, BatchExtractionResult, Category, ExtractedMemory
from assay.suites.extraction.shuffling import donors, joined

SHUFFLE_SEED = 1
"""The one shuffle that is shown; `chance` says what many come to."""
SENTENCES = 3
"""How many of a user's first sentences a strategy repeats.

Each costs what scoring any sentence costs, and controls are scored in every run. On the gold set v1 all sentences instead
of three make the precision of `every_sentence` 0.0105 instead of 0.0097, and its recall 0.1057 instead of 0.0304.
"""


def pattern(context: TargetContext) -> Target:
    """What phrases like `I live in` find, in the third person."""
    return CaseFunction(lambda case: _text(memories(_conversation(case))))


def shuffled(context: TargetContext) -> Target:
    """The replies to other conversations by the provider in `of`; a case without another that is answered fails."""
    replies = {name: text for name, outcomes in context.replies.items() if (text := joined(outcomes)) is not None}
    giver = donors((case.id for case in context.cases), replies, SHUFFLE_SEED)

    def answer(case: GoldCase) -> str:
        if case.id not in giver:
            raise LookupError(f"no conversation other than {case.id} has a reply")
        return replies[giver[case.id]]

    return CaseFunction(answer)


def abstain(context: TargetContext) -> Target:
    """Nothing, whatever was said."""
    nothing = _text(())
    return CaseFunction(lambda _: nothing)


def constant(context: TargetContext) -> Target:
    """The most typical expected memory as the one answer to everything; nothing where none is expected anywhere."""
    typical = _most_typical(_expected(context))
    always = _text(() if typical is None else (typical,))
    return CaseFunction(lambda _: always)


def most_frequent_category(context: TargetContext) -> Target:
    """The user's first sentences in the third person, under the category expected most often (ties: the schema's order)."""
    counts = Counter(category for memory in _expected(context) for category in set(memory.categories))
    category = max(CATEGORIES, key=lambda name: counts[name])
    return CaseFunction(lambda case: _text(_statement(third_person(sentence), category) for sentence in _user_sentences(case)))


def every_sentence(context: TargetContext) -> Target:
    """The user's first sentences in the third person, under all categories at once: what is most often partly right."""
    return CaseFunction(
        lambda case: _text(_statement(third_person(sentence), *CATEGORIES) for sentence in _user_sentences(case))
    )


def whole_conversation(context: TargetContext) -> Target:
    """All that the user said, as one factual memory. What the assistant said would only be more that nobody expects."""

    def answer(case: GoldCase) -> str:
        said = "\n".join(_user_turns(case))
        return _text([_statement(said, "factual")] if said else ())

    return CaseFunction(answer)


def _text(answered: Iterable[ExtractedMemory]) -> str:
    return BatchExtractionResult(memories=tuple(answered)).model_dump_json()


def _conversation(case: GoldCase) -> Conversation:
    return Conversation.model_validate(case.input)


def _user_sentences(case: GoldCase) -> list[str]:
    """The user's first sentences in order, each once."""
    found = dict.fromkeys(sentence for turn in _user_turns(case) for sentence in sentences(turn))
    return list(found)[:SENTENCES]


def _user_turns(case: GoldCase) -> list[str]:
    return [turn.content for turn in _conversation(case).turns if turn.role == "user"]


def _statement(content: str, *categories: Category) -> ExtractedMemory:
    return ExtractedMemory(
        content=content, categories=categories, temporal_kind="indefinite", valid_from=None, valid_until=None, supersedes=None
    )


def _expected(context: TargetContext) -> list[ExpectedMemory]:
    rows = [row for case in context.cases for row in _rows(case)]
    return [ExpectedMemory.model_validate(row) for row in rows]


def _rows(case: GoldCase) -> Sequence[object]:
    rows = case.expected["memories"]
    return rows if isinstance(rows, list) else ()


def _most_typical(expected: Sequence[ExpectedMemory]) -> ExtractedMemory | None:
    """The memory whose content words lie nearest to the mean of all (by the cosine), among those that replace nothing.

    Ties go to the content that sorts first.
    """
    words = {memory.content: frozenset(normalise(memory.content).rstrip(".").split()) - STOP - USERS for memory in expected}
    frequency = Counter(word for memory in expected for word in words[memory.content])

    def nearness(memory: ExpectedMemory) -> float:
        found = words[memory.content]
        return sum(frequency[word] for word in found) / sqrt(max(len(found), 1))

    candidates = sorted((m for m in expected if m.supersedes is None), key=lambda m: (m.content, m.id))
    if not candidates:
        return None
    nearest = max(candidates, key=nearness)
    return ExtractedMemory.model_validate(nearest.model_dump(exclude={"id", "conversation_id"}))
