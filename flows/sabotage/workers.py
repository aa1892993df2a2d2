"""The ordinary engine with a cache of its own and a second worker, made of given parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, update_wrapper
from pathlib import Path
from typing import Any, cast

from assay.sabotage.parts import Parts
from assay.stores.artifacts import Body, Ref
from flows.sabotage.memory import Shared
from tasks._engine import Engine
from tasks._stage import StageCall
from tasks.gate import GATE
from tasks.load import LOAD
from tasks.publish import PUBLISH
from tasks.replay import REPLAY
from tasks.score import SCORE, SELFTEST
from tasks.verify import VERIFY

TAKEN_OVER = frozenset(stage.part for stage in (LOAD, VERIFY, REPLAY, SELFTEST))
"""Stages that are not on trial here, by their parts of a kind: taken from what the mutants share, where they know them."""


class WorkersEngine(Engine):
    """What a run asks to be done ahead is done by a second engine first, and the cache on disk is all that the two share.

    Both work in this process: one that has run a suite many times may hold threads of libraries, and a fork would lose them.
    """

    def __init__(self, home: Path, parts: Parts, shared: Shared) -> None:
        super().__init__(home)
        self._place = home
        self._parts = parts
        self._shared = shared
        self.judgement: dict[str, Any] | None = None
        """What the gate said, once it did."""

    def __call__(self, call: StageCall) -> Ref:
        """The stage's result. The report is left out, since nothing is read from it."""
        if call.stage is PUBLISH:
            return self.artifacts.put(Body("zip", {}, 0))
        ref = super().__call__(replace(call, stage=replace(call.stage, run=self._made(call))))
        if call.stage is GATE:
            self.judgement = self.artifacts.get(ref)
        return ref

    def execute(self, call: StageCall, key: str) -> tuple[Ref, bool]:
        """Find, take over or compute the result kept under `key`: (ref, whether it was there)."""
        known = self._shared.find(key) if call.stage.part in TAKEN_OVER else None
        if known is not None:
            return self.artifacts.put(Body(known.kind, self._shared.artifacts.get(known), known.rows)), True
        return super().execute(call, key)

    def ahead(self, work: Callable[[Engine], object]) -> None:
        """Have it done by a second worker, at once."""
        work(WorkersEngine(self._place, self._parts, self._shared))

    def _made(self, call: StageCall) -> Callable[..., Body]:
        """The stage's function of the given parts, under the stage's own key."""
        parts, run = self._parts, cast(Callable[..., Body], call.stage.run)
        made = {
            SCORE: partial(run, scorer=parts.scorer, metrics=parts.metrics),
            SELFTEST: partial(run, selftest=parts.selftest),
            GATE: partial(run, judge=parts.judge),
        }.get(call.stage)
        return run if made is None else update_wrapper(made, run)
