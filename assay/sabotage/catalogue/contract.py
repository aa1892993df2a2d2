"""Contracts that no longer fit: prompt, schema, model, version, and constants measured at other inputs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from assay.sabotage.defect import Defect, InMaterial, Material, NotApplicable, Pick

KEYS = ("prompt_sha256", "schema_sha256")


def recorded_of(material: Material) -> str:
    """The first gated subject with a recording. Raises NotApplicable."""
    for name, provider in material.suite.subjects.items():
        if provider.enforcement == "ci" and name in material.recordings:
            return name
    raise NotApplicable("no gated subject rests on a recording")


def with_manifest(material: Material, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Material:
    """The suite with the subject's manifest edited. Raises NotApplicable."""
    name = recorded_of(material)
    manifest, body = material.recordings[name]
    return material.with_recording(name, json.dumps(change(json.loads(manifest)), indent=1).encode(), body)


def _prompt(material: Material, _: Pick) -> Material:
    if not material.prompt:
        raise NotApplicable("the suite sends no prompt")
    return replace(material, prompt=material.prompt.replace("not", "also", 1) + "\nBe brief.\n")


def _rule_removed(material: Material, _: Pick) -> Material:
    if not material.prompt:
        raise NotApplicable("the suite sends no prompt")
    paragraphs = material.prompt.split("\n\n")
    return replace(material, prompt="\n\n".join([*paragraphs[:1], *paragraphs[2:]]))


def _schema(material: Material, _: Pick) -> Material:
    if not material.response_schema:
        raise NotApplicable("the suite sends no schema")
    return replace(material, response_schema=material.response_schema.replace("false", "true"))


def _hash_alone(material: Material, _: Pick) -> Material:
    def changed(manifest: dict[str, Any]) -> dict[str, Any]:
        if "contract" not in manifest:
            raise NotApplicable("what is recorded was asked with no prompt")
        return {**manifest, "contract": {**manifest["contract"], "prompt_sha256": "0" * 64}}

    return with_manifest(material, changed)


def _version(material: Material, _: Pick) -> Material:
    return with_manifest(material, lambda manifest: {**manifest, "gold_version": "v0"})


def _of_other_provider(material: Material, _: Pick) -> Material:
    return with_manifest(material, lambda manifest: {**manifest, "provider": "another"})


def _model(material: Material, _: Pick) -> Material:
    """The suite asks another model than the one that was recorded."""
    name = recorded_of(material)
    providers = {**material.suite.providers}
    providers[name] = providers[name].model_copy(update={"model": "another-model"})
    return replace(material, suite=material.suite.model_copy(update={"providers": providers}))


def _sampling(material: Material, _: Pick) -> Material:
    """The suite asks at another temperature: no such request was recorded."""
    name = recorded_of(material)
    providers = {**material.suite.providers}
    sampling = providers[name].sampling
    if providers[name].target is not None:
        raise NotApplicable("its vectors are recorded, and no sampling is asked for")
    providers[name] = providers[name].model_copy(update={"sampling": sampling.model_copy(update={"temperature": 1.0})})
    return replace(material, suite=material.suite.model_copy(update={"providers": providers}))


def _gate(**changes: Any) -> Callable[[Material, Pick], Material]:  # noqa: ANN401  # fields of GateRule
    def changed(material: Material, _: Pick) -> Material:
        gate = material.suite.gate.model_copy(update=changes)
        if "calibration" not in material.files:
            raise NotApplicable("no constant of the suite is calibrated")
        return replace(material, suite=material.suite.model_copy(update={"gate": gate}))

    return changed


def _floors_lowered(material: Material, pick: Pick) -> Material:
    if not material.suite.gate.floors:
        raise NotApplicable("the suite has no floor")
    return _gate(floors=dict.fromkeys(material.suite.gate.floors, 0.0))(material, pick)


def _option(key: str, value: JsonValue) -> Callable[[Material, Pick], Material]:
    def changed(material: Material, _: Pick) -> Material:
        if key not in material.suite.options:
            raise NotApplicable(f"the suite has no option {key}")
        options = {**material.suite.options, key: value}
        return replace(material, suite=material.suite.model_copy(update={"options": options}))

    return changed


def _cutoff(material: Material, pick: Pick) -> Material:
    """Another cutoff, with every metric's name at it, as `suite.yaml` would be read."""
    before = material.suite.options.get("top_k")
    if not isinstance(before, int):
        raise NotApplicable("the suite has no cutoff")
    gate, old, new = material.suite.gate, f"@{before}", f"@{before * 2}"
    named = {
        "metrics": tuple(name.replace(old, new) for name in gate.metrics),
        "floors": {name.replace(old, new): floor for name, floor in gate.floors.items()},
        "ceilings": {name.replace(old, new): ceiling for name, ceiling in gate.ceilings.items()},
    }
    providers = {
        name: provider.model_copy(
            update={"control": provider.control.model_copy(update={"metric": provider.control.metric.replace(old, new)})}
        )
        if provider.control
        else provider
        for name, provider in material.suite.providers.items()
    }
    options = {**material.suite.options, "top_k": before * 2}
    changes = {"gate": gate.model_copy(update=named), "providers": providers, "options": options}
    return replace(material, suite=material.suite.model_copy(update=changes))


def _pairs(material: Material, _: Pick) -> Material:
    """The labelled pairs that the threshold was chosen on, with one label turned round."""
    if "pairs" not in material.files:
        raise NotApplicable("nothing is matched by a threshold")
    before = material.files["pairs"][1]
    return material.with_file("pairs", before.replace(b'"same":true', b'"same":false', 1))


def _threshold(material: Material, _: Pick) -> Material:
    """The calibrated constants edited by hand."""
    if "calibration" not in material.files:
        raise NotApplicable("nothing is calibrated")
    value = json.loads(material.files["calibration"][1])
    if not value["constants"]:
        raise NotApplicable("the calibration holds no constant")
    value["constants"] = {name: 0.9 * constant for name, constant in value["constants"].items()}
    return material.with_file("calibration", json.dumps(value).encode())


def _gated(material: Material, _: Pick) -> Material:
    """Every gated subject declared manual."""
    providers: Mapping[str, Any] = {
        name: provider.model_copy(update={"enforcement": "manual"}) if name in material.suite.subjects else provider
        for name, provider in material.suite.providers.items()
    }
    return replace(material, suite=material.suite.model_copy(update={"providers": dict(providers)}))


def _bad_metric(material: Material, _: Pick) -> Material:
    gate = material.suite.gate.model_copy(update={"metrics": (*material.suite.gate.metrics, "made_up")})
    return replace(material, suite=material.suite.model_copy(update={"gate": gate}))


def _without_baseline(material: Material, _: Pick) -> Material:
    return replace(material, baseline=None)


def _old_baseline(material: Material, _: Pick) -> Material:
    if material.baseline is None:
        raise NotApplicable("the suite has no baseline")
    value = json.loads(material.baseline)
    return replace(material, baseline=json.dumps({**value, "gold_version": "v0"}).encode())


def _emptied_baseline(material: Material, _: Pick) -> Material:
    if material.baseline is None:
        raise NotApplicable("the suite has no baseline")
    value = json.loads(material.baseline)
    return replace(material, baseline=json.dumps({**value, "providers": {}}).encode())


def _of_cases(material: Material, pick: Pick) -> Material:
    """A baseline from a gold set with one case more."""
    if material.baseline is None:
        raise NotApplicable("the suite has no baseline")
    value = json.loads(material.baseline)
    for block in value["providers"].values():
        if block and block.get("cases"):
            block["cases"]["a-case-that-was-here"] = {"passed": True, "score": 1.0}
    return replace(material, baseline=json.dumps(value).encode())


def _contract(name: str, change: Callable[[Material, Pick], Material], *must_notice: str) -> Defect:
    return Defect(name, "contract", InMaterial(change), must_notice)


DEFECTS: tuple[Defect, ...] = (
    _contract("prompt edited", _prompt, "contract.prompt_sha256"),
    _contract("prompt with a rule removed", _rule_removed, "contract.prompt_sha256"),
    _contract("schema widened", _schema, "contract.schema_sha256"),
    _contract("hash bumped alone", _hash_alone, "contract.prompt_sha256"),
    _contract("recording from another gold version", _version, "recording"),
    _contract("recording of another provider", _of_other_provider, "recording"),
    _contract("another model asked", _model, "contract.model"),
    _contract("another temperature asked", _sampling, "replay", "contract.*"),
    _contract("floors lowered without measuring", _floors_lowered, "calibration", "saturated.*"),
    _contract("cutoff raised without measuring", _cutoff, "calibration"),
    _contract("latencies changed without measuring", _option("latency_s", 0.02), "calibration"),
    _contract("labelled pairs edited", _pairs, "calibration"),
    _contract("calibrated constants edited", _threshold, "calibration", "baseline.calibration"),
    _contract("every subject declared manual", _gated, "providers"),
    _contract("gate names a metric that nobody measures", _bad_metric, "input"),
    _contract("baseline gone", _without_baseline, "baseline"),
    _contract("baseline of another version", _old_baseline, "input"),
    _contract("baseline of nobody", _emptied_baseline, "baseline", "baseline.providers"),
    _contract("baseline with a case more", _of_cases, "cases"),
)
