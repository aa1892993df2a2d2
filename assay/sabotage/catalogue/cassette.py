"""Recordings that are wrong: answers lost, swapped, stale or edited; the manifest as it was, or sealed anew by a forger."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from assay.digest import sha256_hex
from assay.sabotage.catalogue.contract import recorded_of, with_manifest
from assay.sabotage.catalogue.gold_rows import lines_from, lines_of
from assay.sabotage.defect import STRENGTHS, Defect, InMaterial, Material, NotApplicable, Pick

Lines = list[dict[str, Any]]
Edit = Callable[[Lines, set[str]], Lines]
SEALED = ("integrity.*", "input")
FORGED = ("baseline", "integrity.*", "replay", "results", "max_drop.*", "floor.*", "input", "provenance")


def _answers(edit: Edit, *, forged: bool) -> Callable[[Material, Pick], Material]:
    """The exchanges of the subject's recording edited; `forged` writes the manifest's digest to fit."""

    def changed(material: Material, pick: Pick) -> Material:
        name = recorded_of(material)
        if material.suite.providers[name].target is not None:
            raise NotApplicable("vectors are recorded, and no answers")
        manifest, body = material.recordings[name]
        lines = lines_of(body)
        hit = _hit(edit, lines, pick)
        now = lines_from(
            edit(lines, hit), lambda row: json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        )
        return material.with_recording(name, _sealed(manifest, now) if forged else manifest, now)

    return changed


def _hit(edit: Edit, lines: Lines, pick: Pick) -> set[str]:
    """The first cases in the defect's order whose answers the edit changes. Raises NotApplicable where there is none."""
    answered = [line["case_id"] for line in lines if line.get("reply")]
    wanted, found = pick.strength.of(len(set(answered))), set[str]()
    for case in pick.in_order(answered):
        if len(found) < wanted and edit(lines, {case}) != lines:
            found.add(case)
    if not found:
        raise NotApplicable("no answer offers what it would damage")
    return found


def _sealed(manifest: bytes, body: bytes) -> bytes:
    """The manifest with digest and rows of this body."""
    value = json.loads(manifest)
    key = "cassette" if "cassette" in value else "body"
    rows = sum(bool(line.strip()) for line in body.split(b"\n")) if key == "cassette" else value[key]["rows"]
    return json.dumps({**value, key: {"sha256": sha256_hex(body), "rows": rows}}, indent=1).encode()


def _each(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Edit:
    """The reply of every exchange that is hit."""
    return lambda lines, hit: [
        {**line, "reply": change(line["reply"])} if line["case_id"] in hit and line.get("reply") else line for line in lines
    ]


def _text(change: Callable[[str], str]) -> Edit:
    return _each(lambda reply: {**reply, "text": change(reply["text"])})


def _dropped(lines: Lines, hit: set[str]) -> Lines:
    return [line for line in lines if line["case_id"] not in hit]


def _swapped(lines: Lines, hit: set[str]) -> Lines:
    """Two neighbours get each other's answer."""
    found = list(lines)
    for at, line in enumerate(lines):
        if line["case_id"] in hit:
            other = (at + 1) % len(lines)
            found[at], found[other] = {**line, "reply": lines[other]["reply"]}, {**lines[other], "reply": line["reply"]}
    return found


def _doubled(lines: Lines, hit: set[str]) -> Lines:
    return [one for line in lines for one in ([line, line] if line["case_id"] in hit else [line])]


def _renamed(lines: Lines, hit: set[str]) -> Lines:
    """The answer filed under another request."""
    return [{**line, "request_sha256": "0" * 64} if line["case_id"] in hit else line for line in lines]


EDITS: dict[str, Edit] = {
    "answer lost": _dropped,
    "two answers swapped": _swapped,
    "stale answer": _text(lambda text: text.replace("2026", "2025")),
    "answer truncated": _text(lambda text: text[: len(text) // 2]),
    "answer is an empty list": _text(lambda _: '{"memories": []}'),
    "line edited by hand": _text(lambda text: text.replace("user", "client")),
    "answer recorded twice": _doubled,
    "answer filed under another request": _renamed,
}


def _vectors(change: Callable[[bytes], bytes], *, forged: bool) -> Callable[[Material, Pick], Material]:
    def changed(material: Material, _: Pick) -> Material:
        name = recorded_of(material)
        if material.suite.providers[name].target is None:
            raise NotApplicable("answers are recorded, and no vectors")
        manifest, body = material.recordings[name]
        now = change(body)
        return material.with_recording(name, _sealed(manifest, now) if forged else manifest, now)

    return changed


def _flipped(body: bytes) -> bytes:
    """One byte in the middle of the vectors turned round."""
    at = len(body) // 2
    return body[:at] + bytes([body[at] ^ 0xFF]) + body[at + 1 :]


def _kind(word: str) -> Callable[[Material, Pick], Material]:
    def changed(material: Material, _: Pick) -> Material:
        name = recorded_of(material)
        kind = word.format(name=name)
        if json.loads(material.recordings[name][0])["cassette_kind"] == kind:
            raise NotApplicable(f"the recording is of kind {kind}")
        return with_manifest(material, lambda manifest: {**manifest, "cassette_kind": kind})

    return changed


def _gone(material: Material, _: Pick) -> Material:
    name = recorded_of(material)
    left = {provider: found for provider, found in material.recordings.items() if provider != name}
    return Material(material.suite, material.files, material.prompt, material.response_schema, material.baseline, left)


def _in_file(change: Callable[[Lines, set[str]], Lines]) -> Callable[[Material, Pick], Material]:
    """The file of answers that were made elsewhere, edited."""

    def changed(material: Material, pick: Pick) -> Material:
        if not any(provider.recorded_as == "file" for provider in material.suite.providers.values()):
            raise NotApplicable("no answers lie in a file of the suite")
        if "outputs" not in material.files:
            raise NotApplicable("the suite has no file of outputs")
        lines = lines_of(material.files["outputs"][1])
        return material.with_file("outputs", lines_from(change(lines, set(pick.of(str(line["id"]) for line in lines)))))

    return changed


def _outputs_swapped(lines: Lines, hit: set[str]) -> Lines:
    following = {line["id"]: after["output"] for line, after in zip(lines, [*lines[1:], *lines[:1]], strict=True)}
    return [{**line, "output": following[line["id"]]} if line["id"] in hit else line for line in lines]


OUTPUTS = ("outputs", "baseline", "results", "input", "max_drop.*", "floor.*")
DEFECTS: tuple[Defect, ...] = (
    *(
        Defect(name, "cassette", InMaterial(_answers(edit, forged=False)), SEALED, strengths=STRENGTHS)
        for name, edit in EDITS.items()
    ),
    *(
        Defect(f"{name}, manifest forged", "cassette", InMaterial(_answers(edit, forged=True)), FORGED, strengths=STRENGTHS[:1])
        for name, edit in EDITS.items()
    ),
    Defect("oracle passed off as live", "cassette", InMaterial(_kind("live_{name}_recorded")), ("provenance",)),
    Defect(
        "live passed off as oracle", "cassette", InMaterial(_kind("oracle_aligned_expected_json")), ("provenance", "recording")
    ),
    Defect("recording gone", "cassette", InMaterial(_gone), ("recording",)),
    Defect("vectors cut off", "cassette", InMaterial(_vectors(lambda body: body[: len(body) // 2], forged=False)), SEALED),
    Defect("one byte of the vectors flipped", "cassette", InMaterial(_vectors(_flipped, forged=False)), SEALED),
    Defect(
        "vectors cut off, manifest forged", "cassette", InMaterial(_vectors(lambda b: b[: len(b) // 2], forged=True)), FORGED
    ),
    Defect("one byte of the vectors flipped, manifest forged", "cassette", InMaterial(_vectors(_flipped, forged=True)), FORGED),
    Defect(
        "output lost",
        "cassette",
        InMaterial(_in_file(lambda lines, hit: [line for line in lines if line["id"] not in hit])),
        OUTPUTS,
        strengths=STRENGTHS,
    ),
    Defect("outputs swapped", "cassette", InMaterial(_in_file(_outputs_swapped)), OUTPUTS, strengths=STRENGTHS),
    Defect(
        "output recorded twice",
        "cassette",
        InMaterial(_in_file(lambda lines, hit: [*lines, *(line for line in lines if line["id"] in hit)])),
        OUTPUTS,
        strengths=STRENGTHS,
    ),
)
