"""JSON Schemas of what people write, for completion in an editor: made from the models that read it.

`tools/json_schemas.py` commits them under `schemas/`, `assay init` puts copies into a project. A schema knows less than the
reader: what must fit between fields or files is only told by `assay audit` and `assay run`.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from pydantic_core import core_schema

from assay.metrics.calibration import LabelledPair
from assay.model.ports import EVERY_OTHER, KINDS, calibration_part, cases_part
from assay.model.suite import Suite
from assay.providers import outputs
from assay.suites.checks import cases as checks
from assay.suites.checks.options import Options as ChecksOptions
from assay.suites.extraction.audit import SuiteOptions as ExtractionOptions
from assay.suites.extraction.cases import Conversation, ExpectedMemory
from assay.suites.facets.cases import Bundled
from assay.suites.facets.options import Options as FacetsOptions
from assay.suites.facets.scenario import Scenario
from assay.suites.facets.scenario_file import SECTIONS
from assay.suites.orchestration import cases as orchestration
from assay.suites.orchestration.rules import FORMS
from assay.suites.orchestration.scoring import Options as OrchestrationOptions
from assay.suites.retrieval.cases import Document, Query
from assay.suites.retrieval.options import Options as RetrievalOptions

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
SUITE = "suite"
RULES = "orchestration-rules"
LINES: dict[str, type[BaseModel]] = {
    "extraction-conversation": Conversation,
    "extraction-memory": ExpectedMemory,
    "extraction-pair": LabelledPair,
    "retrieval-document": Document,
    "retrieval-query": Query,
    "orchestration-case": orchestration.Row,
    "checks-case": checks.Row,
    "output": outputs.Row,
    "facets-scenario": Scenario,
    "facets-bundled": Bundled,
}
"""What one line of a JSONL file is read as, or a whole YAML file of a facets suite."""
OPTIONS: dict[str, type[BaseModel]] = {
    "extraction": ExtractionOptions,
    "retrieval": RetrievalOptions,
    "orchestration": OrchestrationOptions,
    "checks": ChecksOptions,
    "facets": FacetsOptions,
}
"""`options` of suite.yaml, by kind."""
OF_OUTPUTS = frozenset({"checks", "orchestration"})
"""The kinds whose suites may hold a file of outputs."""


def schemas() -> dict[str, Schema]:
    """Every schema by its name: `suite`, and one for each kind of line or YAML file."""
    found = {name: _schema_of(model) for name, model in LINES.items()}
    found["facets-scenario"] = _with_rows(found["facets-scenario"])
    rule, definitions = _rule()
    found["orchestration-case"] = _with_rules(found["orchestration-case"], rule, definitions)
    rules = {"format": {"const": 1}, "rules": {"type": "array", "items": rule, "minItems": 1}}
    found[RULES] = {
        "$schema": DIALECT,
        "title": "Rules",
        "description": "Rules that every run of an orchestration suite must keep.",
        "type": "object",
        "properties": rules,
        "required": list(rules),
        "additionalProperties": False,
        "$defs": definitions,
    }
    return {SUITE: _suite(), **dict(sorted(found.items()))}


def names_for(kind: str) -> list[str]:
    """The schemas of what a suite of this kind is written in."""
    lines = [name for name in (*LINES, RULES) if name.startswith(f"{kind}-")]
    return [SUITE, *lines, *(["output"] if kind in OF_OUTPUTS else [])]


def file_name(name: str) -> str:
    """What the schema's file is called."""
    return f"{name}.schema.json"


def text_of(schema: Schema) -> str:
    """The schema as its file holds it."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


class _Described(GenerateJsonSchema):
    """As pydantic, with the text under each attribute as its description."""

    def model_schema(self, schema: core_schema.ModelSchema) -> Schema:
        """The model's schema, its properties described."""
        found = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        texts = {name: text for base in reversed(model.__mro__) for name, text in _attribute_texts(base)}
        for name, field in model.model_fields.items():
            shown = found.get("properties", {}).get(field.alias or name)
            if shown is not None and name in texts:
                shown.setdefault("description", texts[name])
        return found


def _schema_of(model: type[BaseModel]) -> Schema:
    return {"$schema": DIALECT, **model.model_json_schema(schema_generator=_Described)}


def _suite() -> Schema:
    """The suite's schema, with its `kind` spelled out, and options and files as that kind wants them."""
    models = [(Suite, "validation"), *((model, "validation") for model in OPTIONS.values())]
    refs, combined = models_json_schema(models, schema_generator=_Described)  # type: ignore[arg-type]  # a Literal for mypy
    definitions = combined["$defs"]
    found = definitions.pop(refs[Suite, "validation"]["$ref"].rpartition("/")[2])
    found["properties"]["kind"] = {"enum": list(KINDS), "title": "Kind"}
    found["allOf"] = [_of_kind(kind, refs[model, "validation"]) for kind, model in OPTIONS.items()]
    return {"$schema": DIALECT, **found, "$defs": definitions}


def _of_kind(kind: str, options: Mapping[str, Any]) -> Schema:
    needed = [role for role in cases_part(kind).REQUIRED_FILES if role != EVERY_OTHER]
    known = dict.fromkeys([*needed, *calibration_part(kind).FILES, *(["outputs"] if kind in OF_OUTPUTS else [])])
    files = {"required": needed, "properties": {role: {"type": "string"} for role in known}}
    applies = {"properties": {"kind": {"const": kind}}, "required": ["kind"]}
    return {"if": applies, "then": {"properties": {"options": dict(options), "files": files}}}


def _with_rows(scenario: Schema) -> Schema:
    """A scenario's lists have at least one row each."""
    rows = {name: {**scenario["properties"][name], "minItems": 1} for name in SECTIONS}
    return {**scenario, "properties": {**scenario["properties"], **rows}}


def _with_rules(case: Schema, rule: Schema, definitions: Schema) -> Schema:
    """A case's own rules are rules, which its reader leaves to another model."""
    expected = case["$defs"]["Expectation"]
    rules = {**expected["properties"]["rules"], "items": rule}
    expected = {**expected, "properties": {**expected["properties"], "rules": rules}}
    return {**case, "$defs": {**case["$defs"], **definitions, "Expectation": expected}}


def _rule() -> tuple[Schema, Schema]:
    """A rule of any form, and its definitions: with the short ways of writing patterns, which validators resolve."""
    models = [(form, "validation") for form in FORMS.values()]
    refs, combined = models_json_schema(models, schema_generator=_Described)  # type: ignore[arg-type]  # a Literal for mypy
    definitions: Schema = combined["$defs"]
    pattern = definitions["Pattern"]["properties"]
    for name in ("kind", "name", "actor"):
        several = next(choice for choice in pattern[name]["anyOf"] if choice.get("type") == "array")
        several["minItems"] = several.pop("minLength", 1)
        pattern[name]["anyOf"].insert(0, several["items"])
    for form, key in ((form, name) for name, form in FORMS.items() if name in {"final", "refused", "stream"}):
        shown = definitions[refs[form, "validation"]["$ref"].rpartition("/")[2]]["properties"]
        names = {"type": "array", "items": {"type": "string"}, "minItems": 1}
        shown[key] = {**shown[key], "anyOf": [{"type": "string"}, names, {"$ref": "#/$defs/Pattern"}]}
        del shown[key]["$ref"]
    return {"oneOf": [dict(refs[model, "validation"]) for model in FORMS.values()]}, definitions


def _attribute_texts(model: type) -> Iterator[tuple[str, str]]:
    """(attribute, the text below it) of a class, where its source is there."""
    place = getattr(sys.modules.get(model.__module__), "__file__", None)
    body = _classes(place).get(model.__name__, []) if place and issubclass(model, BaseModel) else []
    for one, following in pairwise(body):
        if not (isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and isinstance(following, ast.Expr)):
            continue
        if isinstance(following.value, ast.Constant) and isinstance(following.value.value, str):
            yield one.target.id, " ".join(following.value.value.split())


@lru_cache(maxsize=64)
def _classes(place: str) -> dict[str, list[ast.stmt]]:
    """The bodies of a module's classes, by name."""
    tree = ast.parse(Path(place).read_bytes())
    return {node.name: node.body for node in tree.body if isinstance(node, ast.ClassDef)}
