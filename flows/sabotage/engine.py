"""Runs the stages of a mutant: those that the defect does not touch come from memory, the others see what it passes in."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from assay.digest import digest_of
from assay.model.exchange import Failure
from assay.model.gold import GoldCase
from assay.sabotage.defect import (
    Answered,
    Defect,
    InOptions,
    InParts,
    InReplies,
    InTarget,
    NoAnswer,
    NotApplicable,
    Pick,
)
from assay.sabotage.parts import Parts
from assay.stores.artifacts import Body, Ref
from flows.sabotage.memory import Shared
from tasks._engine import Engine, key_of
from tasks._stage import Stage, StageCall
from tasks.gate import GATE
from tasks.publish import PUBLISH
from tasks.replay_targets import REPLAY_TARGETS
from tasks.score import SCORE, SELFTEST


@dataclass(frozen=True)
class Act:
    """One defect at one strength, on one subject."""

    defect: Defect
    pick: Pick
    subject: str


class SabotageEngine(Engine):
    """An engine without disk or second process. `act` is None for the clean run.

    `reports` has the report made, which only defects of the report need. `remembers` scores a case once for all mutants.
    `instead` has functions for stages' own, which are given the same parts; what such a stage comes to is computed anew.
    """

    def __init__(
        self,
        shared: Shared,
        parts: Parts,
        act: Act | None = None,
        *,
        reports: bool = False,
        remembers: bool = True,
        instead: Mapping[Stage, Callable[..., Body]] | None = None,
    ) -> None:
        self.artifacts = shared.artifacts
        self.stages = []
        self._shared = shared
        self._true = parts
        self._act = act
        self._reports = reports
        self._remembers = remembers
        self._instead = instead or {}
        self._replies: Ref | None = None
        damage = act.defect.damage if act else None
        self._parts = damage.change(parts) if isinstance(damage, InParts) else parts
        self.judgement: dict[str, Any] | None = None
        """What the gate said, once it did."""

    def __call__(self, call: StageCall) -> Ref:
        """The stage's result, of the damaged call where the defect touches it."""
        if call.stage is PUBLISH and not self._reports:
            return self.artifacts.put(Body("zip", {}, 0))
        call, run, mark = self._composed(self._damaged(call))
        key = key_of(call) + (f"/{mark}" if mark else "")
        is_anew = call.stage in self._instead
        ref = None if is_anew else self._shared.find(key)
        if ref is None:
            opened = {name: self.artifacts.get(found) for name, found in call.inputs.items()}
            ref = self.artifacts.put(run(call.kind, opened, call.params))
            if not is_anew:
                self._shared.keep(key, ref)
        if call.stage is GATE:
            self.judgement = self.artifacts.get(ref)
        return ref

    def ahead(self, work: Callable[[Engine], object]) -> None:
        """Nothing: a mutant has one process."""

    def catch_up(self, meanwhile: Callable[[], object]) -> None:
        """Nothing was begun."""

    def knows(self, call: StageCall) -> Ref | None:
        """Nobody needs to know it."""
        return None

    def _composed(self, call: StageCall) -> tuple[StageCall, Callable[..., Body], str]:
        """The call, its function made of the parts in force, and what marks the result where a part is not the true one."""
        now, true, touched = self._parts, self._true, False
        run: Callable[..., Body] = self._instead.get(call.stage, call.stage.run)
        if call.stage is SCORE:
            touched = (now.scorer, now.metrics) != (true.scorer, true.metrics)
            inputs = {name: ref.digest for name, ref in call.inputs.items() if name in call.params["files"]}  # type: ignore[operator]  # a mapping
            place = digest_of([call.kind, inputs, call.params["files"], call.params["options"], call.params["code"]])
            known = now.scorer is true.scorer and self._remembers
            scorer = self._shared.remembering(true.scorer, place) if known else now.scorer
            run = partial(run, scorer=scorer, metrics=now.metrics)
        elif call.stage is SELFTEST:
            touched = now.selftest is not true.selftest
            run = partial(run, selftest=now.selftest)
        elif call.stage is GATE:
            touched = now.judge is not true.judge
            run = partial(run, judge=now.judge)
        elif call.stage is PUBLISH:
            touched = (now.build, now.markdown, now.exit_codes) != (true.build, true.markdown, true.exit_codes)
            run = partial(run, build=now.build, markdown=now.markdown, exit_codes=now.exit_codes)
        elif call.stage is REPLAY_TARGETS and self._is_of_subject(call) and self._act:
            damage = self._act.defect.damage
            if isinstance(damage, InTarget):
                return call, partial(run, factory=damage.factory), self._act.defect.name
        return call, run, self._act.defect.name if touched and self._act else ""

    def _damaged(self, call: StageCall) -> StageCall:
        """The call with what the defect passes in."""
        damage = self._act.defect.damage if self._act else None
        if isinstance(damage, InOptions) and call.stage is REPLAY_TARGETS and self._is_of_subject(call):
            options = {**call.params["options"], **damage.options}  # type: ignore[dict-item]  # a mapping
            return replace(call, params={**call.params, "options": options})
        if not isinstance(damage, InReplies) or self._act is None:
            return call
        if call.stage is SCORE and self._is_of_subject(call):
            self._replies = self._answers(damage, call)
            return replace(call, inputs={**call.inputs, "replies": self._replies})
        if call.stage is GATE and self._replies is not None:
            return replace(call, inputs={**call.inputs, f"{self._act.subject}.replies": self._replies})
        return call

    def _is_of_subject(self, call: StageCall) -> bool:
        return self._act is not None and call.provider == self._act.subject

    def _answers(self, damage: InReplies, call: StageCall) -> Ref:
        """The replies with those of the chosen cases damaged: the first in the defect's order that offer something."""
        act = self._act
        assert act is not None  # noqa: S101  # only asked under a defect
        cases = {case.id: case for case in map(GoldCase.model_validate, self.artifacts.get(call.inputs["cases"]))}
        body = copy.copy(self.artifacts.get(call.inputs["replies"]))
        own = body["providers"][act.subject]
        replies, left = dict(own["replies"]), act.pick.strength.of(len(cases))
        known = [case for case in own["replies"] if case in cases]
        following = dict(zip(known, [*known[1:], *known[:1]], strict=True))
        for case in act.pick.in_order(known):
            found = _changed(damage, cases[case], own["replies"], following[case])
            if found is not None:
                replies[case], left = found, left - 1
            if not left:
                break
        if replies == own["replies"]:
            raise NotApplicable("no answer offers what it would damage")
        providers = {**body["providers"], act.subject: {**own, "replies": replies}}
        return self.artifacts.put(Body("json", {**body, "providers": providers}, call.inputs["replies"].rows))


def _changed(damage: InReplies, case: GoldCase, replies: dict[str, Any], other: str) -> list[dict[str, Any]] | None:
    """The outcomes of one case with the first damaged; None where nothing changes."""
    outcomes, others = replies[case.id], replies[other]
    if not outcomes or "text" not in outcomes[0] or not others or "text" not in others[0]:
        return None
    text = outcomes[0]["text"]
    found = damage.change(Answered(case, text, others[0]["text"]))
    if found is None or found == text:
        return None
    if isinstance(found, NoAnswer):
        return [Failure(reason=found.reason, attempts=1).model_dump(mode="json"), *outcomes[1:]]
    return [{**outcomes[0], "text": found}, *outcomes[1:]]
