"""What must not matter: changes of files, once the digests of what was changed are derived anew, and other ways to run."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import yaml

from assay.digest import digest_of, sha256_hex
from assay.model.ports import cases_part
from assay.reading_yaml import yaml_mapping
from assay.sabotage.catalogue.gold_rows import ABSENT, Row, lines_from, lines_of, rows_of, with_rows
from assay.sabotage.defect import WHOLE, Answered, Defect, InReplies, Material, NotApplicable, Pick
from assay.sabotage.matrix import Inverted
from assay.stores.goldsets import Source
from flows.chain import contract_files
from flows.sabotage.engine import Act
from flows.sabotage.material import material_of, source_of
from flows.sabotage.trial import Bench, numbers_of
from flows.sabotage.ways import WAYS

UNRELATED = ("calibration", "pairs")
"""Files that no digest over the gold set covers."""
SHOWN = 3
"""How many results that moved are told."""
Change = Callable[[Material], Material]
Way = Callable[[], Mapping[str, Any]]
"""A run, and what it says by name."""


def inverted_of(bench: Bench) -> tuple[Inverted, ...]:
    """Every control in this suite."""
    clean = numbers_of(bench, None)
    found = [_held(name, bench, change, clean) for name, change in CHANGES.items()]
    reply = Defect("Unicode form of replies", "system", InReplies(_decomposed_reply), ("*",))
    act = Act(reply, Pick(reply.name, WHOLE), bench.subject)
    found.append(_compared(reply.name, lambda: clean, lambda: numbers_of(bench, act)))
    found += [_compared(name, partial(one, bench), partial(other, bench)) for name, (one, other) in WAYS.items()]
    return tuple(found)


def _held(name: str, bench: Bench, change: Change, clean: Mapping[str, Any]) -> Inverted:
    def changed() -> Mapping[str, Any]:
        before = material_of(bench.source)
        after = change(before)
        if after == before and list(after.files) == list(before.files):
            raise NotApplicable("the suite has nothing of the kind")
        # a scorer that remembers earlier cases would be hidden by scores that are remembered
        made = source_of(sealed(before, after, bench.source), bench.source)
        return numbers_of(bench, None, made, remembers=change is not _reversed)

    return _compared(name, lambda: clean, changed)


def _compared(name: str, one: Way, other: Way) -> Inverted:
    """Whether both say the same. Two that end in an error say nothing to be compared."""
    try:
        clean, found = one(), other()
    except NotApplicable as error:
        return Inverted(name=name, holds=None, why=str(error))
    if "error" in clean and "error" in found:
        return Inverted(name=name, holds=None, why=f"the suite does not run: {clean['error']}")
    moved = [key for key in {**clean, **found} if clean.get(key) != found.get(key)]
    told = "; ".join(f"{key}: {_short(clean.get(key))} -> {_short(found.get(key))}" for key in moved[:SHOWN])
    told += f"; and {len(moved) - SHOWN} more" if len(moved) > SHOWN else ""
    return Inverted(name=name, holds=not moved, why=told)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 120 else f"{text[:120]}…"  # noqa: PLR2004  # characters of a line


def sealed(before: Material, after: Material, source: Source) -> Material:
    """The changed suite with every digest of its gold set derived anew in manifests, baseline and calibration."""
    new = dict(zip(_digests(before, source), _digests(after, source), strict=True))
    pairs = [(old.encode(), now.encode()) for old, now in new.items() if old != now]

    def derived(data: bytes) -> bytes:
        for old, now in pairs:
            data = data.replace(old, now)
        return data

    files = {role: (name, derived(data) if role == "calibration" else data) for role, (name, data) in after.files.items()}
    recordings = {name: (derived(manifest), body) for name, (manifest, body) in after.recordings.items()}
    baseline = None if after.baseline is None else derived(after.baseline)
    return replace(after, files=files, recordings=recordings, baseline=baseline)


def _digests(material: Material, source: Source) -> list[str]:
    """Digests of files, of the gold set as a whole in each form, and of cases by id; as many for a suite that was changed."""
    gold = {role: material.files[role] for role in sorted(material.files) if role not in UNRELATED}
    files = {role: sha256_hex(data) for role, (_, data) in gold.items()}
    names = contract_files(source)
    wholes = [
        digest_of({name: sha256_hex(material.files[role][1]) for role, name in names.items()}),
        digest_of(files),
        digest_of({name.rsplit("/", 1)[-1]: sha256_hex(data) for name, data in gold.values()}),
    ]
    part = cases_part(material.suite.kind)
    roles = [role for role in part.REQUIRED_FILES if role != "*"] or list(material.files)
    cases = part.load({role: material.files[role] for role in roles})
    return [*files.values(), *wholes, *(case.digest for case in sorted(cases, key=lambda one: one.id))]


def _reversed(material: Material) -> Material:
    """Cases in the opposite order; where a case's place matters to the system, whole files are reordered instead."""
    if material.suite.kind == "facets":
        return replace(material, files=dict(reversed(list(material.files.items()))))
    return with_rows(material, list(reversed(rows_of(material))))


def _keys(material: Material) -> Material:
    """Every object's keys in the opposite order, in JSON Lines and YAML."""
    return _rewritten(material, lambda row: json.dumps(_turned(row), ensure_ascii=False), _turned)


def _spaces(material: Material) -> Material:
    """Spaces inside and blank lines around."""
    found = _rewritten(material, lambda row: json.dumps(row, ensure_ascii=False, separators=(" ,  ", " :  ")), None)
    files = {
        role: (name, b"# sabotage: a comment\n\n" + data + b"\n" if name.endswith(".yaml") else data)
        for role, (name, data) in found.files.items()
    }
    return replace(found, files=files)


def _escapes(material: Material) -> Material:
    """Every character beyond ASCII written as an escape."""
    return _rewritten(material, lambda row: json.dumps(row, ensure_ascii=True), None)


def _rewritten(material: Material, dumps: Callable[[Any], str], on_yaml: Callable[[Any], Any] | None) -> Material:
    files = {}
    for role, (name, data) in material.files.items():
        if role not in UNRELATED and name.endswith(".jsonl"):
            files[role] = name, lines_from(lines_of(data), dumps)
        elif on_yaml and name.endswith(".yaml"):
            value = on_yaml(yaml_mapping(data, name))
            files[role] = name, yaml.safe_dump(value, sort_keys=False, allow_unicode=True).encode()
        else:
            files[role] = name, data
    return replace(material, files=files)


def _turned(value: Any) -> Any:  # noqa: ANN401  # JSON
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(value)}
    return [_turned(one) for one in value] if isinstance(value, list) else value


def _decomposed(value: Any) -> Any:  # noqa: ANN401  # JSON
    if isinstance(value, dict):
        return {key: _decomposed(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_decomposed(one) for one in value]
    return unicodedata.normalize("NFD", value) if isinstance(value, str) else value


def _expectations(material: Material) -> Material:
    """Expectations in the decomposed form."""
    rows = rows_of(material)
    changed = [row if row.wanted is ABSENT else Row(row.id, row.role, row.own, _decomposed(row.wanted)) for row in rows]
    return material if changed == rows else with_rows(material, changed)


def _decomposed_reply(answered: Answered) -> str:
    return json.dumps(_decomposed(json.loads(answered.text)), ensure_ascii=False)


def _stranger(material: Material) -> Material:
    """A recording that no provider of the suite owns."""
    return replace(material, recordings={**material.recordings, "a-stranger": (b"{}", b"not a recording")})


def _title(material: Material) -> Material:
    return replace(material, suite=material.suite.model_copy(update={"title": "Another name"}))


CHANGES: Mapping[str, Change] = {
    "case order": _reversed,
    "key order": _keys,
    "white space in files": _spaces,
    "escapes in files": _escapes,
    "Unicode form of expectations": _expectations,
    "unrelated extra recording": _stranger,
    "another title": _title,
}
