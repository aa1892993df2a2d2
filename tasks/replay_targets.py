"""replay: targets answer every case in process, over what was recorded for them."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue, TypeAdapter

from assay.errors import AssayError, InputError, Problem, Unrecorded
from assay.model.exchange import Failure, Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.suite import Provider
from assay.model.target import Target, TargetContext, TargetFactory, as_target
from assay.model.verdict import Check
from assay.namesakes import imported_module
from assay.stores.artifacts import Body
from tasks._stage import Inputs, Params, Stage

Told = Callable[[int, int], None]
OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Outcome)
_FOLDERS = re.compile(r"(?<![\w.:/-])/(?:[^/\s'\":]+/)+")
"""The folders of an absolute path, which differ from machine to machine. Those of an address are none."""
_MEMORY = re.compile(r"\bat 0x[0-9a-fA-F]+")
"""Where an object lies in memory, which differs from run to run."""


def run(kind: str, inputs: Inputs, params: Params, *, factory: TargetFactory | None = None) -> Body:
    """Inputs: cases, gold files of the targets, per provider `<name>.cassette`, and `<name>.of` for replies it is made from.

    Params: providers, `files` (role to input name), options, code (digests of the targets' code).
    Body: by provider replies, misses, unused and checks. `factory` takes the place of the providers' own.
    """
    cases = [GoldCase.model_validate(row) for row in inputs["cases"]]
    files = {role: (name, inputs[name]) for role, name in params["files"].items()}
    found = {}
    for name, declared in params["providers"].items():
        provider = Provider.model_validate(declared)
        context = TargetContext(
            cases=cases,
            provider=provider,
            files=files,
            options=params["options"],
            recording=inputs.get(f"{name}.cassette"),
            replies=_replies(inputs.get(f"{name}.of"), provider.of),
        )
        found[name] = answers_of(context, factory)[0]
    return Body("json", {"providers": found}, sum(len(one["replies"]) for one in found.values()))


def answers_of(
    context: TargetContext, factory: TargetFactory | None = None, told: Told | None = None
) -> tuple[dict[str, Any], Target | None]:
    """What a target answered, as the score stage reads it, and the target. A crash in a case is that case's failure.

    `factory` takes the place of the one that the provider names. `told` hears after each case how many are answered, of all.

    Where something that was never recorded is needed, nothing is answered at all: half a target's numbers mean nothing.
    """
    try:
        target = as_target(factory(context)) if factory else _made(context)
        found = answers_in(target, context.cases, repeats_of(context.options), told)
        replies = {case: [outcome.model_dump(mode="json") for outcome in outcomes] for case, outcomes in found.items()}
        checks = [check.model_dump(mode="json") for check in _checks(target)]
    except Unrecorded as error:
        return {"replies": {}, "misses": {"*": str(error)}, "unused": [], "checks": []}, None
    return {"replies": replies, "misses": {}, "unused": [], "checks": checks}, target


def answers_in(
    target: Target, cases: Sequence[GoldCase], repeats: int = 1, told: Told | None = None
) -> dict[str, list[Outcome]]:
    """What a target answers to every case, in their order; a crash in a case is that case's failure."""
    found = {}
    for done, case in enumerate(cases, start=1):
        found[case.id] = [_outcome(target, case) for _ in range(repeats)]
        if told is not None:
            told(done, len(cases))
    return found


def repeats_of(options: Mapping[str, JsonValue]) -> int:
    """How often every case is answered: `repeats` of the suite's options, else once."""
    found = options.get("repeats", 1)
    return found if isinstance(found, int) and found > 0 else 1


def _made(context: TargetContext) -> Target:
    """The target of the provider's factory. Raises InputError for code that cannot be imported or makes no target."""
    named = context.provider.target or ""
    module, _, name = named.partition(":")
    try:
        return as_target(cast(TargetFactory, getattr(imported_module(module), name))(context))
    except AssayError:
        raise
    except (Exception, SystemExit) as crash:  # noqa: BLE001  # the user's module and factory may raise anything
        frames = _frames(crash)
        place = f" at {frames[-1]}" if frames else ""
        raise InputError(Problem(f"target {named}", f"cannot be made{place} ({' '.join(_message(crash).split())})")) from None


def _outcome(target: Target, case: GoldCase) -> Outcome:
    try:
        text = target.answer(case)
        if not isinstance(text, str):
            raise TypeError(f"the answer is a {type(text).__name__}; expected text")
        return Reply(text=text, finish_reason=None, model_served=None, usage=None, latency_ms=None)
    except AssayError:
        raise
    except (Exception, SystemExit) as crash:  # noqa: BLE001  # a crash in a case is that case's failure
        return Failure(reason=_told(crash), attempts=1)


def _checks(target: Target) -> Sequence[Check]:
    """What the target says of itself; where it crashes, that it could not."""
    try:
        return target.checks()
    except AssayError:
        raise
    except (Exception, SystemExit) as crash:  # noqa: BLE001  # the user's code may raise anything
        return (Check(name="target.checks", status="could-not-run", message=_told(crash)),)


def _told(crash: BaseException) -> str:
    """The traceback by file names alone, so that it is the same on every machine."""
    return "\n".join(["Traceback (most recent call last):", *(f"  {frame}" for frame in _frames(crash)), _message(crash)])


def _frames(crash: BaseException) -> list[str]:
    frames = traceback.extract_tb(crash.__traceback__)[1:]
    return [f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}" for frame in frames]


def _message(crash: BaseException) -> str:
    told = f"{type(crash).__name__}: {_MEMORY.sub('at 0x…', _FOLDERS.sub('', str(crash)))}"
    return told.encode("utf-8", "backslashreplace").decode()


def _replies(body: Mapping[str, Any] | None, of: str | None) -> Mapping[str, Sequence[Outcome]]:
    if body is None:
        return {}
    found = body["providers"][of]["replies"]
    return {case: tuple(map(OUTCOME.validate_python, outcomes)) for case, outcomes in found.items()}


REPLAY_TARGETS = Stage("replay", run)
