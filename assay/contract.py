"""verify: does a recording still belong to the gold set, prompt and schema that it is replayed for?

In: the suite's digests and cases, one provider's manifest and recorded exchanges. Out: a proof, as checks.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.model.exchange import Contract, Exchange, FileFacts, Manifest
from assay.model.report import Proof, Recording
from assay.model.suite import Provider
from assay.model.verdict import Check

DriftPolicy = Literal["refuse", "allow", "refused in CI"]
DRIFT_VARIABLE = "ASSAY_ALLOW_CONTRACT_DRIFT"
SHOWN = 5
DIFF_LINES = 12


@dataclass(frozen=True)
class Present:
    """What the suite holds at this moment."""

    suite: str
    version: str
    contract: Contract
    gold_files: Mapping[str, FileFacts]
    cases: Mapping[str, str]
    """Case id to digest."""


@dataclass(frozen=True)
class Recorded:
    """One provider's committed recording."""

    manifest: Manifest
    cassette: FileFacts
    exchanges: Sequence[Exchange]
    gold_sha256: str
    """The present digest over all gold files."""


def verify(name: str, provider: Provider, present: Present, recorded: Recorded | None, drift: DriftPolicy) -> Proof:
    """The proof for one provider. It is usable when no check is broken and there is a recording."""
    if recorded is None:
        return Proof(checks=(_no_recording(name, provider, present),), usable=False, recording=None)
    manifest = recorded.manifest
    remedy = f"Mend it with `{record_command(present.suite, name, oracle=manifest.is_oracle)}`."
    checks = [
        _identity(name, present, manifest),
        *(_drifted(check, drift) for check in _contract_checks(provider, present.contract, manifest, remedy)),
        *_gold_checks(present, manifest, remedy),
        _cases_check(present, manifest, remedy),
        _cassette_check(recorded, present, remedy),
        _provenance(recorded),
    ]
    return Proof(
        checks=tuple(checks),
        usable=all(check.status != "broken" for check in checks),
        recording=_facts(recorded),
    )


def record_command(suite: str, provider: str, *, oracle: bool) -> str:
    """The command that makes a provider's recording anew."""
    return f"assay record {suite} --provider {provider}" + (" --oracle" if oracle else "")


def _no_recording(name: str, provider: Provider, present: Present) -> Check:
    command = record_command(present.suite, name, oracle=False)
    message = f"provider {name} has no recording for {present.suite} {present.version}. Make one with `{command}`."
    return Check(name="recording", status="broken" if provider.enforcement == "ci" else "could-not-run", message=message)


def _identity(name: str, present: Present, manifest: Manifest) -> Check:
    wanted = (present.suite, present.version, name)
    found = (manifest.suite, manifest.gold_version, manifest.provider)
    if not manifest.is_oracle and manifest.cassette_kind != f"live_{name}_recorded":
        told = f"kind {manifest.cassette_kind} is not that of a recording of {name}; expected live_{name}_recorded."
        return Check(name="recording", status="broken", message=told)
    return _check(
        "recording",
        wanted == found,
        f"recorded for {' '.join(found)}, kind {manifest.cassette_kind}",
        f"the manifest belongs to {' '.join(found)}, not to {' '.join(wanted)}; put the right recording in place.",
    )


def _contract_checks(provider: Provider, contract: Contract, manifest: Manifest, remedy: str) -> Iterable[Check]:
    old = manifest.contract
    for part, before, after, old_text, new_text in (
        ("prompt_sha256", old.prompt_sha256, contract.prompt_sha256, old.prompt, contract.prompt),
        ("schema_sha256", old.schema_sha256, contract.schema_sha256, old.response_schema, contract.response_schema),
    ):
        yield _check(
            f"contract.{part}",
            before == after,
            f"{part} {after[:12]}… as recorded",
            f"{part} differs: recorded {before}, present {after}.\n{_text_diff(old_text, new_text)}\n{remedy}",
        )
    yield _check(
        "contract.model",
        manifest.model_asked == provider.model,
        f"model {provider.model} as recorded",
        f"recorded from {manifest.model_asked}, the suite asks {provider.model}. {remedy}",
    )


def _drifted(check: Check, drift: DriftPolicy) -> Check:
    if check.status != "broken" or drift == "refuse":
        return check
    if drift == "refused in CI":
        note = f"{DRIFT_VARIABLE} is set and refused, since CI is set too."
        return check.model_copy(update={"message": f"{check.message} {note}"})
    note = f"CONTRACT DRIFT allowed by {DRIFT_VARIABLE}=1: recordings are taken by case, so no verdict."
    return Check(name=check.name, status="could-not-run", message=f"{note} {check.message}")


def _gold_checks(present: Present, manifest: Manifest, remedy: str) -> Iterable[Check]:
    for file in sorted({*present.gold_files, *manifest.gold_files}):
        before, after = manifest.gold_files.get(file), present.gold_files.get(file)
        yield _check(
            f"integrity.{file}",
            before == after,
            f"{after.rows if after else 0} rows as recorded",
            f"{file} is not the file that was recorded for ({_file_change(before, after)}); "
            f"{_case_change(manifest.cases, present.cases)}. {remedy}",
        )


def _cases_check(present: Present, manifest: Manifest, remedy: str) -> Check:
    return _check(
        "integrity.cases",
        dict(manifest.cases) == dict(present.cases),
        f"{len(present.cases)} cases as recorded",
        f"the cases are not those that were recorded: {_case_change(manifest.cases, present.cases)}. {remedy}",
    )


def _cassette_check(recorded: Recorded, present: Present, remedy: str) -> Check:
    manifest, exchanges = recorded.manifest, recorded.exchanges
    repeated = [digest for digest, n in Counter(e.request_sha256 for e in exchanges).items() if n > 1]
    misnamed = [e.case_id for e in exchanges if e.request_sha256 != e.request.digest]
    unknown = sorted({e.case_id for e in exchanges} - set(present.cases))
    lost = sorted(set(manifest.cases) - {e.case_id for e in exchanges})
    faults = [
        recorded.cassette != manifest.cassette
        and f"the cassette was edited after recording ({_file_change(manifest.cassette, recorded.cassette)})",
        lost and f"no exchange for {_some(lost)}",
        unknown and f"exchanges for unknown cases {_some(unknown)}",
        repeated and f"{len(repeated)} requests stand twice",
        misnamed and f"request digests that do not fit their requests: {_some(misnamed)}",
    ]
    wrong = "; ".join(fault for fault in faults if fault)
    return _check("integrity.cassette", not wrong, f"{len(exchanges)} exchanges as recorded", f"{wrong}. {remedy}")


def _provenance(recorded: Recorded) -> Check:
    """A live recording measured something; an oracle recording must not pretend that it did."""
    answered = [e.reply for e in recorded.exchanges if e.reply is not None]
    measured = [reply for reply in answered if reply.model_served is not None]
    oracle = recorded.manifest.is_oracle
    return _check(
        "provenance",
        bool(answered) and len(measured) == (0 if oracle else len(answered)),
        "made from the expectations: proves plumbing, not the model" if oracle else "every reply names its model",
        f"kind {recorded.manifest.cassette_kind}, but {len(measured)} of {len(answered)} replies name a "
        "model that served them. Record it again; a recording's kind is never edited by hand.",
    )


def _facts(recorded: Recorded) -> Recording:
    manifest = recorded.manifest
    return Recording(
        cassette_kind=manifest.cassette_kind,
        cassette_sha256=recorded.cassette.sha256,
        model_asked=manifest.model_asked,
        model_served=manifest.model_served,
        recorded_at=manifest.recorded_at,
        gold_sha256=recorded.gold_sha256,
        prompt_sha256=manifest.contract.prompt_sha256,
        schema_sha256=manifest.contract.schema_sha256,
    )


def _check(name: str, holds: bool, kept: str, broken: str) -> Check:
    return Check(name=name, status="kept" if holds else "broken", message=kept if holds else broken)


def _text_diff(before: str, after: str) -> str:
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), "recorded", "present", lineterm="", n=0))
    more = [f"… {len(lines) - DIFF_LINES} more lines of difference"] if len(lines) > DIFF_LINES else []
    return "\n".join([*lines[:DIFF_LINES], *more])


def _file_change(before: FileFacts | None, after: FileFacts | None) -> str:
    if before is None or after is None:
        return "new" if before is None else "gone"
    rows = f"{before.rows} rows" if before.rows == after.rows else f"{before.rows} -> {after.rows} rows"
    return f"{rows}, sha256 {before.sha256[:12]}… -> {after.sha256[:12]}…"


def _case_change(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    groups = {
        "added": sorted(set(after) - set(before)),
        "removed": sorted(set(before) - set(after)),
        "edited": sorted(case for case in set(before) & set(after) if before[case] != after[case]),
    }
    return ", ".join(f"{len(ids)} {word}: {_some(ids)}" for word, ids in groups.items() if ids) or "no case differs"


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:SHOWN]) + (f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else "")
