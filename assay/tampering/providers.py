"""Providers: who is gated, which controls hold, and what stands behind the answers."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.exchange import ELSEWHERE, IN_PROCESS, ORACLE, Manifest, TargetManifest
from assay.model.suite import SUBJECT, Provider
from assay.tampering.finding import Finding, moved, some
from assay.tampering.side import Digests, Side
from assay.tampering.thresholds import Cutoffs

_WEAKER = {ORACLE: 0, ELSEWHERE: 1, IN_PROCESS: 2}
"""How much stands behind answers of a kind; a live recording is above all."""
_LIVE = 3


def provider_findings(before: Side, after: Side) -> Iterator[Finding]:
    """Every provider of the earlier side."""
    for name, old in sorted(before.suite.providers.items()):
        new = after.suite.providers.get(name)
        if old.role == SUBJECT:
            yield from _subject(name, old, new, before, after)
        else:
            yield from _control(name, old, new, before, after)
        if new is not None and (old.enforcement, new.enforcement) == ("ci", "manual"):
            yield Finding("manual enforcement", before.suite.suite, f"enforcement of {name}: ci -> manual", name)


def recording_findings(before: Side, after: Side) -> Iterator[Finding]:
    """What stands behind the answers of those that are subjects on both sides."""
    suite = before.suite.suite
    for name in sorted(before.suite.subjects.keys() & after.suite.subjects.keys()):
        kind, now = before.kind_of_recording(name), after.kind_of_recording(name)
        if kind is not None and now is not None and _strength(now) < _strength(kind):
            yield Finding("re-authored recording", suite, f"what stands behind {name}'s answers: {kind} -> {now}", name)
        old, new = before.manifests.get(name), after.manifests.get(name)
        if old is not None and new is not None and (problem := _edited(old, new)):
            yield Finding("edited recording", suite, f"the recording of {name} was edited by hand: {problem}", name)


def _subject(name: str, old: Provider, new: Provider | None, before: Side, after: Side) -> Iterator[Finding]:
    suite = before.suite.suite
    if new is None or new.role != SUBJECT:
        if old.enforcement == "ci":
            became = "gone" if new is None else new.role
            yield Finding("ungated provider", suite, f"{name}: gated subject -> {became}", name)
        return
    if old.claims is None and new.claims == "none":
        told = f"claims of {name}: none declared -> `none`, so that floors and trivial strategies hold no longer for it"
        yield Finding("claims none", suite, told, name)
    if old.model != new.model and not _is_recorded_anew(before.manifests.get(name), after.manifests.get(name)):
        yield Finding("renamed model", suite, f"model of {name}, nothing recorded anew: {moved(old.model, new.model)}", name)
    swapped = _apart(old, new, "target", "of")
    if swapped:
        yield Finding("swapped target", suite, f"what answers for {name}: {'; '.join(swapped)}", name)


def _control(name: str, old: Provider, new: Provider | None, before: Side, after: Side) -> Iterator[Finding]:
    suite = before.suite.suite
    if new is None or new.control is None or old.control is None:
        became = "gone" if new is None else new.role
        yield Finding("disabled control", suite, f"{name}: {old.role} -> {became}", name)
        return
    changes = [f"role {moved(old.role, new.role)}"] if old.role != new.role else []
    if Cutoffs(before, after).later(old.control.metric) != new.control.metric:
        changes.append(f"metric {moved(old.control.metric, new.control.metric)}")
    changes += _apart(old, new, "target", "of", "recorded_as")
    pieces = _edited_code(name, before, after)
    changes += [f"code of {some(pieces)}"] if pieces else []
    if changes:
        yield Finding("changed control", suite, f"{name}: {'; '.join(changes)}", name)
    floor, now = old.control.floor, new.control.floor
    if floor is not None and now is not None and now < floor:
        yield Finding("lowered control-floor", suite, f"floor of {old.control.metric} for {name}: {moved(floor, now)}", name)


def _apart(old: Provider, new: Provider, *fields: str) -> list[str]:
    """In which of these fields the two declarations differ, and how."""
    return [f"{f} {moved(getattr(old, f), getattr(new, f))}" for f in fields if getattr(old, f) != getattr(new, f)]


def _edited_code(control: str, before: Side, after: Side) -> list[str]:
    """The pieces of a control that changed, apart from those that scoring rests on too: they are told as the scorer's."""
    old, new = before.control_code.get(control, {}), after.control_code.get(control, {})
    return [piece for piece in edited(old, new) if piece not in before.scoring_code]


def edited(old: Digests, new: Digests) -> list[str]:
    """The names that are gone or whose digest changed, sorted. What is new alone changes nothing that was there."""
    return sorted(name for name, digest in old.items() if new.get(name) != digest)


def _strength(kind: str) -> int:
    return _WEAKER.get(kind, _LIVE)


def _edited(old: Manifest | TargetManifest, new: Manifest | TargetManifest) -> str | None:
    """What in two manifests cannot both be true, or None."""
    if body_of(old) != body_of(new):
        return f"other content, recorded at the same moment ({old.recorded_at})" if old.recorded_at == new.recorded_at else None
    facts = [("contract", _contract(old), _contract(new)), ("model_asked", old.model_asked, new.model_asked)]
    facts.append(("model_served", old.model_served, new.model_served))
    changes = [f"{name} {moved(then, now)}" for name, then, now in facts if then != now]
    return f"the same content under {'; '.join(changes)}" if changes else None


def _contract(manifest: Manifest | TargetManifest) -> list[str] | None:
    if isinstance(manifest, TargetManifest):
        return None
    return [manifest.contract.prompt_sha256[:12], manifest.contract.schema_sha256[:12]]


def body_of(manifest: Manifest | TargetManifest) -> str:
    """The digest of what was recorded."""
    return (manifest.cassette if isinstance(manifest, Manifest) else manifest.body).sha256


def _is_recorded_anew(old: Manifest | TargetManifest | None, new: Manifest | TargetManifest | None) -> bool:
    """Whether there is a later recording: another model under the same recording is only another name."""
    return new is not None and (old is None or (old.recorded_at != new.recorded_at and body_of(old) != body_of(new)))
