"""verify: are the floors and ceilings used at the inputs that they were measured at?

Recall grows with the cutoff and with every document that is taken away, so a floor means nothing at other inputs.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.digest import digest_of, sha256_hex
from assay.model.baseline import Calibration, Chance
from assay.model.ports import Setting
from assay.model.verdict import Check
from assay.reading import raise_all, record, records
from assay.suites.retrieval.cases import Document, unknown_ids
from assay.suites.retrieval.luck import luck_of
from assay.suites.retrieval.options import options_of

FILES = ("calibration",)
CODE: tuple[str, ...] = ()
MOVES = {
    "top_k": "recall grows and precision falls with it",
    "documents": "fewer documents make every ranking easier, more make it harder",
    "queries": "each mean runs over other queries",
    "embedder": "scores of another model lie on another scale",
    "gold_version": "it is another set of questions",
    "gold_sha256": "texts or judgements were edited",
}
"""How the measures move with each input."""


def inputs_of(setting: Setting) -> dict[str, str | int]:
    """All that floors and ceilings depend on."""
    gated = sorted(provider.model for provider in setting.subjects.values() if provider.enforcement == "ci")
    return {
        "top_k": options_of(setting.options).top_k,
        "documents": len(documents_of(setting)),
        "queries": len(setting.cases),
        "embedder": ", ".join(gated),
        "gold_version": setting.version,
        "gold_sha256": digest_of({role: sha256_hex(setting.files[role][1]) for role in ("documents", "queries")}),
    }


def documents_of(setting: Setting) -> list[Document]:
    """The corpus."""
    shown, data = setting.files["documents"]
    return records(data, shown, Document)


def check(setting: Setting) -> list[Check]:
    """Whether inputs and constants are those of the calibration.

    Raises InputError for a relevant id that the corpus lacks where the corpus has the size that was measured: then it is a
    mistake in a row and not another corpus.
    """
    shown, data = setting.files["calibration"]
    found, now = record(data, shown, Calibration), inputs_of(setting)
    moved = {
        name: (found.calibrated_at.get(name), value) for name, value in now.items() if found.calibrated_at.get(name) != value
    }
    documents = documents_of(setting)
    lost = unknown_ids(documents, setting.cases, setting.files["queries"][0], setting.files["documents"][0])
    if "documents" not in moved:
        raise_all(lost, setting.files["queries"][0])
    if moved.keys() - {"gold_sha256"}:
        moved.pop("gold_sha256", None)
    remedy = f"Measure anew together, with `assay calibrate {setting.suite}`: {_constants(setting.constants)}."
    if moved:
        told = "; ".join(_told(name, before, after) for name, (before, after) in moved.items())
        missing = f" {len(lost)} relevant documents are not in the corpus." if lost else ""
        message = f"outside the calibration: {told}.{missing} {_sweep(found, now)}{remedy}"
        return [Check(name="calibration", status="could-not-run", message=message)]
    if found.constants != dict(setting.constants):
        message = f"the constants of suite.yaml are not those that were justified ({_constants(found.constants)}). {remedy}"
        return [Check(name="calibration", status="could-not-run", message=message)]
    return [Check(name="calibration", status="kept", message=found.summary)]


def chance(metric: str, setting: Setting) -> Chance | None:
    """What a random ranking gives, exactly."""
    luck = luck_of(metric, setting.cases, len(documents_of(setting)))
    how = "worked out over all rankings of this corpus"
    return Chance(mean=luck.mean, quantile=luck.quantile, how=how) if luck else None


def _told(name: str, before: str | int | None, after: str | int) -> str:
    shown = f"{str(before)[:12]}… -> {str(after)[:12]}…" if name == "gold_sha256" else f"{before} -> {after}"
    return f"{name} {shown} ({MOVES[name]})"


def _sweep(found: Calibration, now: Mapping[str, str | int]) -> str:
    """What was measured at the cutoffs of the sweep that lie nearest."""
    at = {str(row["k"]): row["told"] for row in found.sweep if {"k", "told"} <= row.keys()}
    cutoffs = dict.fromkeys(str(k) for k in (found.calibrated_at.get("top_k"), now["top_k"]))
    told = [f"at k={k}: {at[k]}" for k in cutoffs if k in at]
    return f"Measured {'; '.join(told)}. " if told else ""


def _constants(constants: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in constants.items()) or "none"
