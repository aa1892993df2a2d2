"""verify: what stands behind a target's answers: its code alone, or a recording of the model that it rests on.

In: the suite's digests, one provider's declaration, its manifest and recorded body. Out: a proof, as checks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from assay.contract import record_command
from assay.digest import digest_of
from assay.model.exchange import ELSEWHERE, IN_PROCESS, FileFacts, TargetManifest
from assay.model.report import Proof, Recording
from assay.model.suite import Provider
from assay.model.verdict import Check

_STATED = re.compile(r"([A-Za-z](?:[\w.-]*\w)?)(?: ?== ?| )v?(\d(?:[\w.+!]*\w)?)")
"""A name with a version, as the text in `model` may state one."""
NO_PACKAGES: Mapping[str, str | None] = MappingProxyType({})


@dataclass(frozen=True)
class TargetOf:
    """Which provider of which gold set a proof is for."""

    suite: str
    version: str
    provider: str
    gold_sha256: str


@dataclass(frozen=True)
class RecordedBody:
    """What was recorded for a target, and what lies there at this moment."""

    manifest: TargetManifest
    body: FileFacts


def states_a_version(provider: Provider) -> bool:
    """Whether `model` may name a package with its version."""
    return _STATED.search(provider.model) is not None


def verify_target(
    place: TargetOf, provider: Provider, recorded: RecordedBody | None, packages: Mapping[str, str | None] = NO_PACKAGES
) -> Proof:
    """The proof for one target. Code needs no recording; what rests on a model needs one that is whole.

    `packages` holds the installed versions of the distributions that the target comes from. Where `model` states a version of
    one of them, it must be the installed one.
    """
    versions = _versions(provider, packages)
    if not provider.asks_model:
        answers = "answers in process" if provider.recorded_as is None else "reads answers from the suite's files"
        told = f"{provider.target} {answers}; no model is asked"
        return Proof(
            checks=(Check(name="target", status="kept", message=told), *versions),
            usable=all(check.status == "kept" for check in versions),
            recording=_computed(place, provider),
        )
    if recorded is None:
        return Proof(checks=(_no_recording(place, provider),), usable=False, recording=None)
    checks = (*_checks(place, provider, recorded), *versions)
    return Proof(
        checks=checks,
        usable=all(check.status == "kept" for check in checks),
        recording=_recorded(place, recorded),
    )


def _versions(provider: Provider, packages: Mapping[str, str | None]) -> tuple[Check, ...]:
    """One check per package whose version `model` states."""
    stated = {_normal(name): version for name, version in _STATED.findall(provider.model)}
    found = ((name, stated.get(_normal(name)), installed) for name, installed in packages.items())
    return tuple(_version(name, version, installed) for name, version, installed in found if version is not None)


def _normal(name: str) -> str:
    """A distribution's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _version(name: str, stated: str, installed: str | None) -> Check:
    check = f"contract.version.{name}"
    if installed is None:
        told = f"the suite declares {name} {stated}, which is not installed. Install it with `pip install {name}=={stated}`."
        return Check(name=check, status="could-not-run", message=told)
    return _check(
        check,
        installed == stated,
        f"{name} {stated} as installed",
        f"the suite declares {name} {stated}, installed is {installed}. Install what is declared with "
        f"`pip install {name}=={stated}`, or declare {installed} in `model` of suite.yaml once its numbers were read.",
    )


def _no_recording(place: TargetOf, provider: Provider) -> Check:
    command = record_command(place.suite, place.provider, oracle=False)
    message = f"provider {place.provider} has no recording for {place.suite} {place.version}. Make one with `{command}`."
    return Check(name="recording", status="broken" if provider.enforcement == "ci" else "could-not-run", message=message)


def _checks(place: TargetOf, provider: Provider, recorded: RecordedBody) -> list[Check]:
    manifest = recorded.manifest
    remedy = f"Mend it with `{record_command(place.suite, place.provider, oracle=False)}`."
    wanted = (place.suite, place.version, place.provider, f"live_{place.provider}_recorded")
    found = (manifest.suite, manifest.gold_version, manifest.provider, manifest.cassette_kind)
    return [
        _check(
            "recording",
            wanted == found,
            f"recorded for {' '.join(found)}",
            f"recorded for {' '.join(found)}, not {' '.join(wanted)}",
        ),
        _check(
            "contract.model",
            manifest.model_asked == provider.model,
            f"model {provider.model} as recorded",
            f"recorded from {manifest.model_asked}, the suite asks {provider.model}. {remedy}",
        ),
        _check(
            "integrity.recording",
            manifest.body == recorded.body,
            f"{recorded.body.rows} rows as recorded",
            f"the recording was edited after it was made: sha256 {manifest.body.sha256[:12]}… -> {recorded.body.sha256[:12]}…. "
            f"{remedy}",
        ),
    ]


def _computed(place: TargetOf, provider: Provider) -> Recording:
    return Recording(
        cassette_kind=IN_PROCESS if provider.recorded_as is None else ELSEWHERE,
        cassette_sha256=digest_of({"target": provider.target}),
        model_asked=provider.model,
        model_served=None,
        recorded_at=None,
        gold_sha256=place.gold_sha256,
        prompt_sha256=None,
        schema_sha256=None,
    )


def _recorded(place: TargetOf, recorded: RecordedBody) -> Recording:
    manifest = recorded.manifest
    return Recording(
        cassette_kind=manifest.cassette_kind,
        cassette_sha256=recorded.body.sha256,
        model_asked=manifest.model_asked,
        model_served=manifest.model_served,
        recorded_at=manifest.recorded_at,
        gold_sha256=place.gold_sha256,
        prompt_sha256=None,
        schema_sha256=None,
    )


def _check(name: str, holds: bool, kept: str, broken: str) -> Check:
    return Check(name=name, status="kept" if holds else "broken", message=kept if holds else broken)
