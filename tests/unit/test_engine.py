from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.digest import digest_of
from assay.errors import UnkeyedInput
from assay.stores.artifacts import Artifacts, Body, Ref
from assay.stores.code import code_digest
from tasks._engine import Engine, key_of
from tasks._stage import Stage, StageCall
from tasks.gate import GATE
from tasks.load import LOAD
from tests.builders import conversation, json_lines, memory

ONE, OTHER = (Ref(digest=digit * 64, kind="bytes", rows=1) for digit in "12")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def call(**changes: Any) -> StageCall:
    return replace(StageCall(LOAD, "extraction", {"a": ONE, "b": OTHER}, {"seed": 0}), **changes)


def load_call(artifacts: Artifacts) -> StageCall:
    """The load stage over one conversation and its memory."""
    inputs = {
        "conversations.jsonl": artifacts.put_bytes(json_lines(conversation())),
        "expected.jsonl": artifacts.put_bytes(json_lines(memory())),
    }
    files = {"conversations": "conversations.jsonl", "expected": "expected.jsonl"}
    return StageCall(LOAD, "extraction", inputs, {"files": files, "sample": None, "seed": 0})


def in_place_of_load(run: Callable[..., Body]) -> Stage:
    """A stage with the key of load and another body, to tell whether it is called."""
    run.__module__ = LOAD.run.__module__
    return replace(LOAD, run=run)


def never(*_: object) -> Body:
    raise AssertionError("the stage was computed")


def test_the_key_is_the_digest_of_exactly_the_recipe_of_the_architecture() -> None:
    recipe = {
        "format": 1,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "stage": "load",
        "kind": "extraction",
        "code": code_digest("tasks.load", "assay.suites.extraction.cases"),
        "inputs": {"a": "1" * 64, "b": "2" * 64},
        "params": {"seed": 0},
    }
    assert key_of(call()) == f"load/{digest_of(recipe)}"


@pytest.mark.parametrize(
    "changed",
    [
        call(stage=replace(LOAD, name="lead")),
        call(stage=replace(LOAD, run=GATE.run)),
        call(stage=replace(LOAD, part="requests")),
        call(stage=replace(LOAD, part=None)),
        call(inputs={"a": OTHER, "b": OTHER}),
        call(inputs={"a": OTHER, "b": ONE}),
        call(inputs={"a": ONE}),
        call(inputs={"a": ONE, "c": OTHER}),
        call(params={"seed": 1}),
        call(params={"seed": "0"}),
        call(params={"seed": None}),
        call(params={}),
        call(params={"seed": 0, "sample": None}),
    ],
    ids=lambda c: f"{c.stage.name}-{c.stage.part}-{','.join(c.inputs)}-{json.dumps(c.params)}",
)
def test_each_ingredient_changes_the_key(changed: StageCall) -> None:
    assert key_of(changed) != key_of(call())


def test_the_kind_is_part_of_the_key() -> None:
    plain = replace(LOAD, part=None)
    assert key_of(call(stage=plain, kind="other")) != key_of(call(stage=plain))


@pytest.mark.parametrize(
    "same",
    [
        call(provider="openai"),
        call(inputs={"b": OTHER, "a": ONE}),
        call(inputs={"a": Ref(digest=ONE.digest, kind="bytes", rows=9), "b": OTHER}),
    ],
    ids=["provider label", "order of inputs", "row count, which is for people"],
)
def test_what_is_for_people_is_not_in_the_key(same: StageCall) -> None:
    assert key_of(same) == key_of(call())


def test_the_order_of_parameters_is_not_in_the_key() -> None:
    assert key_of(call(params={"seed": 0, "sample": 3})) == key_of(call(params={"sample": 3, "seed": 0}))


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=3), st.dictionaries(st.text(max_size=5), JSON, max_size=3))
def test_two_calls_share_a_key_exactly_when_their_parameters_are_the_same_json(one: Any, other: Any) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (key_of(call(params=one)) == key_of(call(params=other))) == same


def test_the_place_of_the_cache_is_not_in_the_key(tmp_path: Path) -> None:
    here, there = (load_call(Artifacts(tmp_path / name)) for name in ("here", "there"))
    assert key_of(here) == key_of(there)


@pytest.mark.parametrize("value", [b"bytes", "text", Path("gold.jsonl"), {"rows": 1}, None, object(), "1" * 64])
def test_an_input_without_a_content_identity_raises_and_computes_nothing(value: Any, tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    with pytest.raises(UnkeyedInput) as caught:
        engine(call(stage=in_place_of_load(never), inputs={"cases": value}))
    assert str(caught.value) == (
        f"stage load: input 'cases' has no content identity, got {type(value).__name__}; "
        "expected a Ref or plain JSON data. Put the body into the artifact store and pass its Ref."
    )
    assert engine.stages == []
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("value", [b"bytes", Path("x"), {1}, object(), float("nan"), float("inf"), never])
def test_a_parameter_that_is_not_json_raises_and_computes_nothing(value: Any, tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    with pytest.raises(UnkeyedInput, match="stage load: input 'params' has no content identity"):
        engine(call(stage=in_place_of_load(never), params={"x": [value]}))
    assert engine.stages == []
    assert list(tmp_path.rglob("*")) == []


def test_a_result_in_the_cache_is_found_without_computing(tmp_path: Path) -> None:
    first = Engine(tmp_path)
    ref = first(load_call(first.artifacts))
    second = Engine(tmp_path)
    assert second(replace(load_call(second.artifacts), stage=in_place_of_load(never))) == ref
    assert [run.cached for run in (*first.stages, *second.stages)] == [False, True]


def test_a_stage_that_raises_is_not_remembered(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    with pytest.raises(AssertionError, match="the stage was computed"):
        engine(replace(load_call(engine.artifacts), stage=in_place_of_load(never)))
    assert engine.stages == []
    assert engine.artifacts.get(engine(load_call(engine.artifacts)))[0]["id"] == "c1"
    assert [run.cached for run in engine.stages] == [False]


def test_a_finished_stage_is_told_with_its_provider_and_rows(tmp_path: Path) -> None:
    told: list[tuple[str, str | None, bool, int]] = []
    engine = Engine(tmp_path, lambda run: told.append((run.stage, run.provider, run.cached, run.rows)))
    engine(replace(load_call(engine.artifacts), provider="openai"))
    assert told == [("load", "openai", False, 1)]


AHEAD = """\
import os, sys
from pathlib import Path
from tasks._engine import Engine

engine, called = Engine(Path(sys.argv[1])), []
engine.catch_up(lambda: called.append("nothing to wait for"))
engine.ahead(lambda other: None)
engine.catch_up(lambda: called.append("waited"))
engine.ahead(lambda other: None)
try:
    engine.catch_up(lambda: 1 / 0)
except ZeroDivisionError:
    called.append("raised")
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    called.append("nobody is left")
print(called)
"""


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one processor: nothing is begun ahead")
def test_what_is_done_meanwhile_is_done_only_while_a_second_process_works_and_leaves_none_behind(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", AHEAD, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("['waited', 'raised', 'nobody is left']\n", "")
