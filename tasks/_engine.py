"""Runs stages through the cache, without Prefect: the same keys and artifacts whoever runs them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from assay.digest import digest_of
from assay.errors import UnkeyedInput
from assay.model.ports import module_name
from assay.model.run import StageRun
from assay.stores.artifacts import Artifacts, Body, Ref
from assay.stores.code import code_digest
from assay.stores.index import Index
from tasks._ahead import Ahead
from tasks._stage import Stage, StageCall

KEY_FORMAT = 1
Notify = Callable[[StageRun], None]


class Engine:
    """One run's way through the cache. Collects how each stage went."""

    def __init__(self, home: Path, notify: Notify | None = None) -> None:
        self.artifacts = Artifacts(home)
        self.stages: list[StageRun] = []
        self._home = home
        self._index = Index(home, self.artifacts)
        self._notify = notify
        self._ahead = Ahead()
        self._computed_ahead: dict[str, float] = {}

    def __call__(self, call: StageCall) -> Ref:
        """The stage's result, from the cache where it is there and whole."""
        start = time.perf_counter()
        key = key_of(call)
        ref, found = self.execute(call, key)
        cached = found and key not in self._computed_ahead
        seconds = self._computed_ahead.get(key, time.perf_counter() - start)
        self._finished(call.stage.name, call.provider, ref, cached=cached, seconds=seconds)
        return ref

    def ahead(self, work: Callable[[Engine], object]) -> None:
        """Begin what will be asked for later in a second process, which fills the same cache."""
        self._ahead.start(lambda: _keys_computed(work, self._home))

    def catch_up(self, meanwhile: Callable[[], object]) -> None:
        """Wait for what was begun ahead; `meanwhile` is called only where there is something to wait for."""
        try:
            if self._ahead.is_at_work:
                meanwhile()
        finally:
            self._computed_ahead.update(self._ahead.finish())

    def knows(self, call: StageCall) -> Ref | None:
        """The stage's result where the cache has it."""
        return self._index.find(key_of(call))

    def uncached(self, stage: str, provider: str | None, work: Callable[[], Body]) -> Ref:
        """Work that is done anew every time, such as asking a model; its result is kept by content all the same."""
        start = time.perf_counter()
        ref = self._done_anew(stage, provider, lambda: self.artifacts.put(work()))
        self._finished(stage, provider, ref, cached=False, seconds=time.perf_counter() - start)
        return ref

    def execute(self, call: StageCall, key: str) -> tuple[Ref, bool]:
        """Find or compute the result kept under `key`: (ref, whether it was found)."""
        found = self._index.find(key)
        if found is not None:
            return found, True
        opened = {name: self.artifacts.get(ref) for name, ref in call.inputs.items()}
        ref = self.artifacts.put(call.stage.run(call.kind, opened, call.params))
        self._index.keep(key, ref)
        return ref, False

    def _done_anew(self, stage: str, provider: str | None, work: Callable[[], Ref]) -> Ref:
        """Where an engine of another make hooks in."""
        return work()

    def _finished(self, stage: str, provider: str | None, ref: Ref, *, cached: bool, seconds: float) -> None:
        run = StageRun(stage, provider, cached, round(seconds, 4), ref.rows)
        self.stages.append(run)
        if self._notify:
            self._notify(run)


class _Keyed(Engine):
    """An engine that tells which keys it computed, and how long each took."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.computed: dict[str, float] = {}

    def execute(self, call: StageCall, key: str) -> tuple[Ref, bool]:
        """As above, and remember."""
        start = time.perf_counter()
        ref, found = super().execute(call, key)
        if not found:
            self.computed[key] = time.perf_counter() - start
        return ref, found


def _keys_computed(work: Callable[[Engine], object], home: Path) -> dict[str, float]:
    engine = _Keyed(home)
    work(engine)
    return engine.computed


def stage_digest(stage: Stage, kind: str) -> str:
    """The digest of all code that a stage runs for a kind."""
    part = [module_name(kind, stage.part)] if stage.part else []
    return code_digest(stage.run.__module__, *part)


def key_of(call: StageCall) -> str:
    """The name of a stage's result: format, Python, stage, code, contents, parameters. Raises UnkeyedInput."""
    for name, ref in call.inputs.items():
        if not isinstance(ref, Ref):
            raise UnkeyedInput(call.stage.name, name, ref)
    code = stage_digest(call.stage, call.kind)
    try:
        recipe = digest_of(
            {
                "format": KEY_FORMAT,
                "python": f"{sys.version_info.major}.{sys.version_info.minor}",
                "stage": call.stage.name,
                "kind": call.kind,
                "code": code,
                "inputs": {name: ref.digest for name, ref in call.inputs.items()},
                "params": dict(call.params),
            }
        )
    except (TypeError, ValueError):
        raise UnkeyedInput(call.stage.name, "params", call.params) from None
    return f"{call.stage.name}/{recipe}"
