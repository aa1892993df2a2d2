"""Whatever stands in a file, a loader answers or raises assay's own error with a message that can be printed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import UserError
from assay.metrics.proportions import proportion
from assay.model.exchange import Exchange, FileFacts, Manifest, TargetManifest
from assay.reading import record, records
from assay.stores.artifacts import Artifacts, Body
from assay.stores.baselines import read_baseline
from assay.stores.goldsets import open_suite
from assay.stores.index import Index
from assay.stores.runs import read_report
from assay.suites.extraction import calibration, cases
from assay.suites.extraction.thresholds import calibrate
from assay.suites.retrieval import calibration as retrieval_calibration
from assay.suites.retrieval import cases as retrieval_cases
from assay.suites.retrieval.audit import audit as retrieval_audit
from tests.builders import baseline_of, chance, conversation, evidence, exchange, json_lines, memory, metric, request
from tests.unit.calibration_builders import calibrated, setting
from tests.unit.stores.small_suite import SHOWN, SUITE_YAML, small_suite
from tests.unit.stores.test_cassettes import manifest
from tests.unit.stores.test_runs import report
from tests.unit.suites.retrieval import small as retrieval_small

FUZZ = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
KEY = "score/x"
Loader = Callable[[Path, bytes], object]


def conversations(_: Path, data: bytes) -> object:
    return cases.load({"conversations": ("c.jsonl", data), "expected": ("m.jsonl", json_lines(memory()))})


def memories(_: Path, data: bytes) -> object:
    return cases.load({"conversations": ("c.jsonl", json_lines(conversation())), "expected": ("m.jsonl", data)})


def declaration(root: Path, data: bytes) -> object:
    return opened(root / "declaration", "suite.yaml", data)


def schema(root: Path, data: bytes) -> object:
    return opened(root / "schema", "schema.json", data)


def opened(root: Path, name: str, data: bytes, *overrides: str) -> object:
    """The small suite with one file of its own."""
    folder = root / SHOWN if (root / SHOWN).exists() else small_suite(root)
    (folder / name).write_bytes(data)
    return open_suite(root, "extraction", None, overrides)


def provenance(_: Path, data: bytes) -> object:
    return record(data, "openai.manifest.json", Manifest)


def cassette(_: Path, data: bytes) -> object:
    return [item.request.digest for item in records(data, "openai.jsonl", Exchange)]


def baseline(root: Path, data: bytes) -> object:
    (root / "baseline.json").write_bytes(data)
    return read_baseline(root, SHOWN)


def finished_report(root: Path, data: bytes) -> object:
    (root / "report.json").write_bytes(data)
    return read_report(root)


def thresholds(_: Path, data: bytes) -> object:
    return calibration.check(setting(calibration=data))


def pairs(_: Path, data: bytes) -> object:
    return calibrate(setting(pairs=data))


def documents(_: Path, data: bytes) -> object:
    given = retrieval_small.files()
    return retrieval_cases.load({**given, "documents": ("d.jsonl", data)})


def queries(_: Path, data: bytes) -> object:
    given = retrieval_small.files()
    return retrieval_cases.load({**given, "queries": ("q.jsonl", data)})


def floors(_: Path, data: bytes) -> object:
    """Floors at a cutoff that they were not measured at, so that the sweep is told."""
    return retrieval_calibration.check(retrieval_small.setting({"top_k": 5}, files=retrieval_small.files(calibration=data)))


def audited(_: Path, data: bytes) -> object:
    given = retrieval_small.files()
    return retrieval_audit({**given, "queries": ("q.jsonl", data)}, {"audit": {"paraphrases": [1, 2]}})


def target_provenance(_: Path, data: bytes) -> object:
    return record(data, "semantic.manifest.json", TargetManifest)


def target_manifest() -> dict[str, Any]:
    """The provenance of recorded vectors as it stands on disk."""
    found = TargetManifest(
        format=1,
        suite="retrieval",
        gold_version="v1",
        provider="semantic",
        cassette_kind="live_semantic_recorded",
        model_asked="minilm",
        model_served="minilm",
        recorded_at="2026-11-30T12:00:00+00:00",
        recorded_by="test",
        body=FileFacts(sha256="0" * 64, rows=1),
        identity={"dimension": 2},
    )
    return found.model_dump(mode="json")


def measured() -> dict[str, Any]:
    """A calibration as it stands on disk."""
    found = calibrated(
        measured={"held_out_precision": proportion(3, 4, "pairs")},
        chance={"recall_macro": chance()},
        sweep=({"k": 5, "told": "recall of p 0.5"},),
    )
    return found.model_dump(mode="json")


EXCHANGES = [exchange(request("a"), "c1"), exchange(request("b", seed=7), "c2")]
VALID: dict[str, tuple[Loader, list[Any]]] = {
    "conversations": (conversations, [conversation("c1", tags=["hostile"])]),
    "memories": (memories, [memory(), memory("c1-m2", temporal_kind="supersession", supersedes="c1-m1")]),
    "suite.yaml": (declaration, [yaml.safe_load(SUITE_YAML) | {"options": {"audit": {"review_band": 0.5}}}]),
    "schema": (schema, [{"type": "object", "properties": {"a": {"maximum": 1.5}}}]),
    "manifest": (provenance, [manifest(b"").model_dump(mode="json")]),
    "cassette": (cassette, [item.model_dump(mode="json") for item in EXCHANGES]),
    "baseline": (baseline, [baseline_of(evidence({"a": metric(0.5), "b": metric(None)})).model_dump(mode="json")]),
    "report": (finished_report, [{**report().model_dump(mode="json"), "timing": {"seconds": 1}}]),
    "calibration": (thresholds, [measured()]),
    "documents": (documents, list(map(retrieval_small.document, retrieval_small.TEXTS))),
    "queries": (queries, list(map(retrieval_small.query, retrieval_small.QUERIES))),
    "audited queries": (audited, list(map(retrieval_small.query, retrieval_small.QUERIES))),
    "floors": (floors, [measured()]),
    "target manifest": (target_provenance, [target_manifest()]),
}
LOADERS = {**{name: loader for name, (loader, _) in VALID.items()}, "pairs": pairs}

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, -(10**400), 2**63, 1e308, -0.0, float("nan"), float("inf"), -float("inf")]),
    st.text(max_size=8),
    st.sampled_from(
        ["", "\ud800", "\x00", "../../x", "/etc/passwd", "\x1b[2J", "9999-99-99", "0" * 64, "1e400", "a:b", "x" * 300, "json:x"]
    ),
    st.just([]),
    st.just({}),
    st.recursive(
        st.integers(), lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
)


def places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value that a mutation can take."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn, rows: list[Any]) -> list[Any]:
    """The rows with up to three places replaced, removed, renamed or doubled."""
    value: Any = copy.deepcopy(rows)
    for _ in range(draw(st.integers(1, 3))):
        options = [place for place in places(value) if place]
        if not options:
            break
        *parents, last = draw(st.sampled_from(options))
        holder = value
        for part in parents:
            holder = holder[part]
        change = draw(st.sampled_from(["replace", "replace", "remove", "add", "double"]))
        if change == "replace":
            holder[last] = draw(JUNK)
        elif change == "remove":
            del holder[last]
        elif change == "double" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        elif isinstance(holder, dict):
            holder[draw(st.text(max_size=4) | st.just("\ud800"))] = draw(JUNK)
    return value


def written(name: str, rows: list[Any], *, escaped: bool = True) -> bytes:
    """The rows as the file they stand in; YAML is a superset of JSON here."""
    lines = [json.dumps(row, ensure_ascii=escaped).replace('"1e400"', "1e400") for row in rows]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def answers_or_refuses(loader: Loader, root: Path, data: bytes) -> None:
    """Anything but a result or a UserError with a printable message fails the test."""
    try:
        loader(root, data)
    except UserError as error:
        message = str(error)
    else:
        message = "fine"
    assert message.encode("utf-8")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.mark.parametrize("name", VALID)
def test_the_valid_file_is_accepted(root: Path, name: str) -> None:
    loader, rows = VALID[name]
    loader(root, written(name, rows))


@pytest.mark.parametrize("name", VALID)
@given(data=st.data())
@FUZZ
def test_no_mutation_of_a_valid_file_raises_anything_else(root: Path, name: str, data: st.DataObject) -> None:
    loader, rows = VALID[name]
    changed = data.draw(mutated(rows))
    answers_or_refuses(loader, root, written(name, changed, escaped=data.draw(st.booleans())))


@pytest.mark.parametrize("name", VALID)
@given(data=st.data())
@FUZZ
def test_no_damage_to_the_bytes_of_a_valid_file_raises_anything_else(root: Path, name: str, data: st.DataObject) -> None:
    loader, rows = VALID[name]
    body = bytearray(written(name, rows))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(body)))
        body[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    answers_or_refuses(loader, root, bytes(body[: data.draw(st.integers(0, len(body)) | st.just(len(body)))]))


@pytest.mark.parametrize("name", LOADERS)
@given(body=st.binary(max_size=64) | st.text(max_size=64).map(lambda text: text.encode("utf-8", "surrogatepass")))
@FUZZ
def test_no_bytes_raise_anything_else(root: Path, name: str, body: bytes) -> None:
    answers_or_refuses(LOADERS[name], root, body)


YAML_PARTS = st.sampled_from(
    ["a", ": ", "- ", "? ", "[", "]", "{", "}", ", ", "\n", "  ", "!!int ", "!!float ", "!!bool ", "!!set ", "!!timestamp ",
     "!!binary ", "!!omap ", "&x ", "*x", "<<: ", "'", '"', "|", ">", "#", "---\n", "...", "%YAML 1.1\n", "~", "2026-02-31",
     "0x", "1:99", "=", ".inf", "\\", "\t", "é", "\u2028", '"\\ud800"']
)  # fmt: skip


@given(parts=st.lists(YAML_PARTS, max_size=12), whole=st.booleans())
@settings(FUZZ, max_examples=200)
def test_no_yaml_raises_anything_else(root: Path, parts: list[str], whole: bool) -> None:
    text = "".join(parts)
    answers_or_refuses(declaration, root, (f"{SUITE_YAML}options: {text}" if whole else text).encode())


@given(
    parts=st.lists(YAML_PARTS, max_size=8),
    key=st.sampled_from(["title", "options", "options.x", "x", "gate.max_drop_pp", "files.x", ""]),
)
@FUZZ
def test_no_override_raises_anything_else(root: Path, parts: list[str], key: str) -> None:
    override = f"{key}={''.join(parts)}"
    answers_or_refuses(lambda home, data: opened(home / "set", "prompt.md", data, override), root, b"Extract.")


@given(data=st.data())
@FUZZ
def test_no_entry_of_the_index_raises_anything(root: Path, data: st.DataObject) -> None:
    artifacts = Artifacts(root)
    ref = artifacts.put(Body("json", 1, 1))
    rows = data.draw(mutated([{"key": KEY, "ref": ref.model_dump()}]))
    path = root / "keys" / f"{KEY}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(written("index", rows))
    assert Index(root, artifacts).find(KEY) in {None, ref} | {ref.model_copy(update={"rows": n}) for n in _rows(rows)}


def _rows(entries: list[Any]) -> set[int]:
    """The numbers of rows that the entries claim: for people, so no fault of the answer."""
    refs = [entry["ref"] for entry in entries if isinstance(entry, dict) and isinstance(entry.get("ref"), dict)]
    return {ref["rows"] for ref in refs if isinstance(ref.get("rows"), int)}
