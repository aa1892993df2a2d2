"""The rules of a reply: schema.json is the model's, and what does not fit is refused with the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from assay.suites.extraction.schema import CATEGORIES, BatchExtractionResult, schema_text
from tests.builders import extracted

ROOT = Path(__file__).resolve().parents[4]
SCHEMA_FILE = ROOT / "goldsets" / "extraction" / "v1" / "schema.json"


def answer(*rows: Any, **extra: Any) -> str:
    return json.dumps({"memories": rows, **extra})


def refusal(text: str) -> str:
    """Where a reply is refused, `` when it is as a whole."""
    with pytest.raises(ValidationError) as caught:
        BatchExtractionResult.model_validate_json(text)
    return ".".join(str(part) for part in caught.value.errors()[0]["loc"])


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in extracted().items() if name != key}


GOOD = {
    "nothing": answer(),
    "one memory": answer(extracted()),
    "all categories": answer(extracted(categories=list(CATEGORIES))),
    "dates": answer(extracted(temporal_kind="bounded", valid_from="2024-02-29", valid_until="2026-12-31")),
    "replaced text": answer(extracted(temporal_kind="supersession", supersedes="The user lives in Paris.")),
    "empty replaced text": answer(extracted(supersedes="")),
    "space around": f"\n {answer(extracted())}\t\n",
    "beyond ASCII": answer(extracted(content="ユーザーは北京に住む 🏠 \u0000")),
    "two halves of one character": '{"memories": []}'.replace("[]", json.dumps([extracted(content="🏠")])),
}
MISSHAPEN = {
    "extra key": (answer(note="x"), "note"),
    "extra key of a memory": (answer(extracted(confidence=1)), "memories.0.confidence"),
    "missing list": ("{}", "memories"),
    **{f"missing {key}": (answer(without(key)), f"memories.0.{key}") for key in extracted()},
    "list at the top": ("[]", ""),
    "null": ("null", ""),
    "text at the top": ('"memories"', ""),
    "null list": ('{"memories": null}', "memories"),
    "text in place of the list": ('{"memories": "none"}', "memories"),
    "text in place of a memory": (answer("The user lives in Lyon."), "memories.0"),
    "number in place of text": (answer(extracted(content=5)), "memories.0.content"),
    "text in place of categories": (answer(extracted(categories="factual")), "memories.0.categories"),
    "empty content": (answer(extracted(content="")), "memories.0.content"),
    "no category": (answer(extracted(categories=[])), "memories.0.categories"),
    "more categories than there are": (answer(extracted(categories=["factual"] * 6)), "memories.0.categories"),
    "unknown category": (answer(extracted(categories=["factual", "Factual"])), "memories.0.categories.1"),
    "unknown kind": (answer(extracted(temporal_kind="always")), "memories.0.temporal_kind"),
    "empty date": (answer(extracted(valid_from="")), "memories.0.valid_from"),
    "date in words": (answer(extracted(valid_until="next Tuesday")), "memories.0.valid_until"),
    "date with a time": (answer(extracted(valid_from="2026-03-14T00:00:00")), "memories.0.valid_from"),
    "number in place of a date": (answer(extracted(valid_from=20260314)), "memories.0.valid_from"),
    "second memory": (answer(extracted(), extracted(content=None)), "memories.1.content"),
}
NOT_JSON = {
    "empty text": "",
    "space only": " \n",
    "markdown fence": f"```json\n{answer(extracted())}\n```",
    "text before": f"Here you are: {answer()}",
    "text after": f"{answer()} Anything else?",
    "two values": answer() * 2,
    "cut off": answer(extracted())[:-5],
    "single quotes": "{'memories': []}",
    "trailing comma": '{"memories": [],}',
    "comment": '{"memories": []} // none',
    "byte order mark": "\ufeff" + answer(),
    "half of a surrogate pair": answer(extracted(content="\ud83d")),
    "second half of a surrogate pair": answer(extracted(content="\udc00")),
    "depth": '{"memories": ' + "[" * 100_000,
    "refusal": "I'm sorry, but I can't help with that.",
}


def test_schema_file_of_the_gold_set_is_made_from_the_model() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text()


def test_schema_is_a_valid_json_schema_that_closes_its_objects() -> None:
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for part in (schema, schema["$defs"]["ExtractedMemory"]):
        assert part["additionalProperties"] is False
        assert sorted(part["required"]) == sorted(part["properties"])


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_reply_that_fits_is_accepted_as_it_is(text: str) -> None:
    result = BatchExtractionResult.model_validate_json(text)
    assert result.model_dump(mode="json") == json.loads(text)
    jsonschema.validate(json.loads(text), json.loads(schema_text()))


@pytest.mark.parametrize(("text", "place"), MISSHAPEN.values(), ids=MISSHAPEN)
def test_reply_of_another_shape_is_refused_at_its_place_by_model_and_schema(text: str, place: str) -> None:
    assert refusal(text) == place
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(text), json.loads(schema_text()))


@pytest.mark.parametrize("text", NOT_JSON.values(), ids=NOT_JSON)
def test_reply_that_is_not_one_json_value_is_refused_as_a_whole(text: str) -> None:
    assert refusal(text) == ""


@pytest.mark.parametrize(
    "day", ["2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "0000-01-01", "\uff12\uff10\uff12\uff16-03-14"]
)
@pytest.mark.parametrize("field", ["valid_from", "valid_until"])
def test_day_that_is_in_no_calendar_is_refused(field: str, day: str) -> None:
    assert refusal(answer(extracted(**{field: day}))) == f"memories.0.{field}"


def test_huge_list_is_read_whole() -> None:
    result = BatchExtractionResult.model_validate_json(answer(*[extracted()] * 20_000))
    assert len(result.memories) == 20_000
