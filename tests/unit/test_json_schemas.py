"""The JSON Schemas: committed as they are made, true of everything that is committed, and not of a typo."""

from __future__ import annotations

import copy
import importlib.util
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from assay.model.ports import KINDS
from assay.schemas import LINES, RULES, SUITE, file_name, names_for, schemas, text_of

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "schemas"
TEMPLATES = ROOT / "assay" / "scaffold"
BY_ROLE = {
    ("extraction", "conversations"): "extraction-conversation",
    ("extraction", "expected"): "extraction-memory",
    ("extraction", "pairs"): "extraction-pair",
    ("retrieval", "documents"): "retrieval-document",
    ("retrieval", "queries"): "retrieval-query",
    ("orchestration", "cases"): "orchestration-case",
    ("orchestration", "rules"): RULES,
    ("orchestration", "outputs"): "output",
    ("checks", "cases"): "checks-case",
    ("checks", "outputs"): "output",
    ("facets", "bundled"): "facets-bundled",
}
WITHOUT = {("orchestration", "scenarios"), ("checks", "policies")}
"""Files that only one target or one resource knows."""


@lru_cache(maxsize=1)
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("json_schemas_tool", ROOT / "tools" / "json_schemas.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@lru_cache(maxsize=32)
def validator(name: str) -> Draft202012Validator:
    schema = json.loads((FOLDER / file_name(name)).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def faults(name: str, value: object) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(value)]


def suites() -> Iterator[Path]:
    yield from sorted(ROOT.glob("goldsets/*/v*/suite.yaml"))
    yield from sorted(TEMPLATES.glob("*/suite.yaml"))


def declared(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8").replace("@name@", "n").replace("@module@", "m"))
    return found


def values(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".yaml":
        return [yaml.safe_load(text)]
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def gold_files() -> Iterator[tuple[str, Path]]:
    """(schema, file) of every gold file of every suite, those of the scaffold too."""
    for suite in suites():
        found = declared(suite)
        for role, name in found["files"].items():
            place = (str(found["kind"]), role)
            if role != "calibration" and place not in WITHOUT:
                known = BY_ROLE.get(place, "facets-scenario" if place[0] == "facets" else None)
                assert known is not None, f"no schema for {place}"
                yield known, suite.parent / name


def test_the_committed_files_are_what_the_tool_writes() -> None:
    assert tool().differing(FOLDER) == {}


def test_check_names_what_is_stale_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, schema in schemas().items():
        (tmp_path / file_name(name)).write_text(text_of(schema), encoding="utf-8")
    (tmp_path / file_name("output")).unlink()
    (tmp_path / file_name("suite")).write_text("{}", encoding="utf-8")
    (tmp_path / file_name("forgotten")).write_text("{}", encoding="utf-8")
    found = tool().differing(tmp_path)
    assert {path.name: text is None for path, text in found.items()} == {
        "output.schema.json": False,
        "suite.schema.json": False,
        "forgotten.schema.json": True,
    }
    assert tool().main(["--check"]) == 0
    assert capsys.readouterr().out == ""
    assert tool().main(["--chekc"]) == 2


@pytest.mark.parametrize("path", list(suites()), ids=lambda path: path.parent.relative_to(ROOT).as_posix())
def test_every_suite_is_valid(path: Path) -> None:
    assert faults(SUITE, declared(path)) == []


@pytest.mark.parametrize(("name", "path"), list(gold_files()), ids=lambda part: getattr(part, "name", part))
def test_every_gold_line_is_valid(name: str, path: Path) -> None:
    found = values(path)
    assert found
    assert [fault for value in found for fault in faults(name, value)] == []


def test_every_schema_has_a_committed_file_that_it_is_tried_on() -> None:
    assert {name for name, _ in gold_files()} == {*LINES, RULES}


@pytest.mark.parametrize("name", [*LINES, RULES])
def test_an_unknown_key_in_any_line_is_refused(name: str) -> None:
    value = values(next(path for known, path in gold_files() if known == name))[0]
    assert faults(name, value) == []
    assert faults(name, {**value, "tpyo": 1})


def changed(value: dict[str, Any], path: str, new: object) -> dict[str, Any]:
    """A copy of the value with another one at the dotted path."""
    found = copy.deepcopy(value)
    *parents, last = path.split(".")
    place = found
    for part in parents:
        place = place.setdefault(part, {})
    place[last] = new
    return found


@pytest.mark.parametrize(
    ("kind", "path", "new"),
    [
        ("retrieval", "tilte", "Rankings"),
        ("retrieval", "kind", "retreival"),
        ("retrieval", "gate.metrcis", ["mrr"]),
        ("retrieval", "gate.metrics", []),
        ("retrieval", "gate.max_drop_pp", "three"),
        ("retrieval", "providers.mine.enforcment", "ci"),
        ("retrieval", "providers.mine.enforcement", "CI"),
        ("retrieval", "providers.mine.target", "my_module"),
        ("retrieval", "providers.keyword.control.flour", 0.1),
        ("retrieval", "options.topk", 3),
        ("retrieval", "options.top_k", 0),
        ("facets", "options.sede", 1),
        ("extraction", "options.audit.near", 0.5),
        ("orchestration", "options.repeat", 2),
        ("checks", "options.checks", [{"nam": "desk"}]),
        ("checks", "contract.promt", "prompt.md"),
        ("checks", "format", 2),
        ("checks", "files", {"outputs": "by_hand.jsonl"}),
    ],
    ids=lambda part: str(part)[:24],
)
def test_a_typo_in_a_suite_is_refused(kind: str, path: str, new: object) -> None:
    assert faults(SUITE, changed(declared(TEMPLATES / kind / "suite.yaml"), path, new))


@pytest.mark.parametrize(
    ("rule", "is_valid"),
    [
        ({"name": "a", "final": "DONE"}, True),
        ({"name": "a", "final": ["DONE", "FAILED"]}, True),
        ({"name": "a", "final": {"where": {"text": {"matches": "x"}}}}, True),
        ({"name": "a", "never": {"kind": "tool_call"}, "before": {"kind": ["stream", "error"], "name": "x"}}, True),
        ({"name": "a", "refused": "pay", "reached": {"kind": "final", "name": "DONE"}}, True),
        ({"name": "a", "final": 3}, False),
        ({"name": "a", "never": {"kind": "toolcall"}}, False),
        ({"name": "a", "never": "pay"}, False),
        ({"name": "a", "never": {"kind": "error"}, "befor": {"kind": "final"}}, False),
        ({"name": "a"}, False),
        ({"name": "A", "final": "DONE"}, False),
    ],
    ids=str,
)
def test_rules_are_known_in_their_short_forms_wherever_they_stand(rule: dict[str, Any], *, is_valid: bool) -> None:
    case = {"id": "c", "input": {}, "expect": {"user": "It works.", "rules": [rule]}}
    assert bool(faults(RULES, {"format": 1, "rules": [rule]})) is not is_valid
    assert bool(faults("orchestration-case", case)) is not is_valid


def test_fields_say_what_they_are_for() -> None:
    definitions = schemas()[SUITE]["$defs"]
    assert definitions["GateRule"]["properties"]["max_drop_pp"]["description"] == (
        "The largest absolute change for the worse, in percentage points, that is still kept."
    )
    assert "never gated" in definitions["Provider"]["properties"]["enforcement"]["description"]
    assert all(schema["title"] and schema["description"] for schema in schemas().values())


def test_every_kind_has_its_schemas() -> None:
    assert {kind: names_for(kind)[0] for kind in KINDS} == dict.fromkeys(KINDS, SUITE)
    assert names_for("checks") == ["suite", "checks-case", "output"]
    assert {name for kind in KINDS for name in names_for(kind)} == set(schemas())
    assert schemas()[SUITE]["properties"]["kind"]["enum"] == list(KINDS)


def test_a_schema_names_no_place_but_its_dialect() -> None:
    text = "".join(map(text_of, schemas().values()))
    assert set(re.findall(r"https?://[^\"\s]+", text)) == {"https://json-schema.org/draft/2020-12/schema"}
