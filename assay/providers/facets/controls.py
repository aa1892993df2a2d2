"""The controls of the kind, each a target: what must come out a known way before any recall is believed."""

from __future__ import annotations

from assay.digest import canonical
from assay.model.exchange import Reply
from assay.model.gold import GoldCase
from assay.model.target import CaseFunction, Target, TargetContext
from assay.providers.facets import targets
from assay.providers.facets.targets import question_of, scenario_loader
from assay.suites.facets.answers import TaskAnswer
from assay.suites.facets.shuffling import SHUFFLE_SEED, givers

PACKAGES = targets.PACKAGES
"""The distributions whose scenarios the controls read."""
NOTHING_KNOWN = "I have no record of that."


def shuffled(context: TargetContext) -> Target:
    """Negative: the answer of the provider in `of` to another task. A task without such an answer fails."""
    replies = {name: found[0].text for name, found in context.replies.items() if found and isinstance(found[0], Reply)}
    giver = givers(context.cases, frozenset(replies), SHUFFLE_SEED)

    def answer(case: GoldCase) -> str:
        if case.id not in giver:
            raise LookupError(f"no task other than {case.id} has an answer")
        return replies[giver[case.id]]

    return CaseFunction(answer)


def records(context: TargetContext) -> Target:
    """Positive: all records of the scenario, one below the other. What they do not hold, nobody can find."""
    scenario_of = scenario_loader(context)
    return CaseFunction(lambda case: _said("\n".join(item.text for item in scenario_of(case).knowledge)))


def echo(context: TargetContext) -> Target:
    """Trivial: the question. What it finds, the question gives away."""
    scenario_of = scenario_loader(context)
    return CaseFunction(lambda case: _said(question_of(case, scenario_of(case))))


def abstain(context: TargetContext) -> Target:
    """Trivial: nothing is ever known, so nothing forbidden is ever said."""
    return CaseFunction(lambda _: _said(NOTHING_KNOWN))


def _said(text: str) -> str:
    return canonical(TaskAnswer(answer=text).model_dump(mode="json")).decode()
