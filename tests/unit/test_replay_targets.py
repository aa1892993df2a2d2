"""Targets that answer in process: a crash is one case's failure, what was never recorded empties all, user errors are told."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError, Problem, Unrecorded
from assay.model.gold import GoldCase
from assay.model.target import Target, TargetContext
from assay.model.verdict import Check
from assay.stores.artifacts import Artifacts, Body
from tasks.replay_targets import answers_of, run
from tests.builders import case, control, provider, reply

Answer = Callable[[GoldCase], str]
CASES = [case("c1"), case("c2"), case("c3")]
SEEN = Check(name="visible_corpus", status="kept", message="all of it")


class Answering:
    """A target that answers by a function."""

    def __init__(self, answer: Answer, checks: Sequence[Check] = ()) -> None:
        self._answer, self._checks = answer, checks

    def answer(self, asked: GoldCase) -> str:
        return self._answer(asked)

    def checks(self) -> Sequence[Check]:
        return self._checks


@pytest.fixture
def answered() -> Iterator[Callable[..., dict[str, Any]]]:
    """What comes out for a factory, which stands in a module of the user's."""
    module = types.ModuleType("target_of_user")
    sys.modules[module.__name__] = module

    def body(made: Callable[[TargetContext], object], **options: Any) -> dict[str, Any]:
        vars(module)["make"] = made
        context = TargetContext(cases=CASES, provider=provider(target="target_of_user:make"), options=options)
        return answers_of(context)[0]

    yield body
    del sys.modules[module.__name__]


def of(answer: Answer, *checks: Check) -> Callable[[TargetContext], Target]:
    return lambda _: Answering(answer, checks)


def deep(asked: GoldCase) -> str:
    if asked.id == "c2":
        raise ValueError(f"no answer to {asked.id}")
    return asked.id


def test_every_case_has_its_answer_in_order_and_the_checks_are_kept(answered: Callable[..., dict[str, Any]]) -> None:
    found = answered(of(lambda asked: asked.id, SEEN))
    assert {name: [one["text"] for one in outcomes] for name, outcomes in found["replies"].items()} == {
        "c1": ["c1"],
        "c2": ["c2"],
        "c3": ["c3"],
    }
    assert (found["misses"], found["unused"], found["checks"]) == ({}, [], [SEEN.model_dump()])


def test_a_crash_in_a_case_is_that_cases_failure_and_the_others_are_answered(answered: Callable[..., dict[str, Any]]) -> None:
    replies = answered(of(deep))["replies"]
    assert ["reason" in outcomes[0] for outcomes in replies.values()] == [False, True, False]


def test_a_failure_does_not_tell_where_an_object_lies_in_memory(answered: Callable[..., dict[str, Any]]) -> None:
    def crash(_: GoldCase) -> str:
        raise ValueError(f"no answer from {object()}")

    reason = answered(of(crash))["replies"]["c1"][0]["reason"]
    assert reason.endswith("ValueError: no answer from <object object at 0x…>")


def test_a_factory_that_crashes_over_several_lines_is_told_whole_with_its_place(
    answered: Callable[..., dict[str, Any]],
) -> None:
    def crash(_: TargetContext) -> object:
        raise ValueError("first\nsecond\nthird")

    with pytest.raises(InputError, match=r"made at test_replay_targets.py:\d+ in crash \(ValueError: first second third\)"):
        answered(crash)


def test_a_set_is_answered_in_order(answered: Callable[..., dict[str, Any]]) -> None:
    found = answered(lambda _: lambda _: {"ids": {"b", "a", "c"}})
    assert found["replies"]["c1"][0]["text"] == '{"ids":["a","b","c"]}'


def test_the_failure_holds_the_traceback_without_any_path_of_the_machine(answered: Callable[..., dict[str, Any]]) -> None:
    reason = answered(of(deep))["replies"]["c2"][0]["reason"]
    head, *frames, last = reason.splitlines()
    assert (head, last) == ("Traceback (most recent call last):", "ValueError: no answer to c2")
    assert [frame.split(":")[0].strip() for frame in frames] == [Path(__file__).name] * 2
    assert frames[-1].endswith(" in deep")
    assert str(Path(__file__).parent) not in reason


def test_a_syntax_error_in_what_a_case_imports_names_no_path_either(
    answered: Callable[..., dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_module_of_user.py").write_text("def make(:\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    reason = answered(of(lambda _: __import__("broken_module_of_user").__name__))["replies"]["c1"][0]["reason"]
    assert "SyntaxError" in reason
    assert str(tmp_path) not in reason


@pytest.mark.parametrize("made", [None, 5, {"ranking": []}, b"bytes"])
def test_an_answer_that_is_no_text_is_that_cases_failure(answered: Callable[..., dict[str, Any]], made: Any) -> None:
    replies = answered(of(lambda asked: made if asked.id == "c2" else "text"))["replies"]
    assert ["reason" in outcomes[0] for outcomes in replies.values()] == [False, True, False]


def test_text_that_cannot_be_written_is_that_cases_failure_or_kept_and_never_a_crash(
    answered: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    for answer in (lambda _: "\ud800", lambda asked: deep(asked) + str(1 / (asked.id != "c3"))):
        body = answered(of(answer))
        assert Artifacts(tmp_path).put(Body("json", body, 3)).rows == 3


def test_a_message_that_cannot_be_written_is_no_crash(answered: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    def answer(asked: GoldCase) -> str:
        raise ValueError("half a pair \ud800")

    body = answered(of(answer))
    assert Artifacts(tmp_path).put(Body("json", body, 3)).rows == 3


@pytest.mark.parametrize("code", [0, 1, None])
def test_code_that_ends_the_process_is_that_cases_failure_and_ends_no_run(
    answered: Callable[..., dict[str, Any]], code: int | None
) -> None:
    def answer(asked: GoldCase) -> str:
        if asked.id == "c2":
            sys.exit(code)
        return asked.id

    try:
        replies = answered(of(answer))["replies"]
    except SystemExit:
        pytest.fail("the process ended, with no verdict")
    assert ["reason" in outcomes[0] for outcomes in replies.values()] == [False, True, False]


def test_what_a_person_interrupts_is_interrupted(answered: Callable[..., dict[str, Any]]) -> None:
    def answer(asked: GoldCase) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answered(of(answer))


def test_what_was_never_recorded_empties_all_answers(answered: Callable[..., dict[str, Any]]) -> None:
    def answer(asked: GoldCase) -> str:
        if asked.id == "c3":
            raise Unrecorded("no vector for a text, got 'Where?'.")
        return asked.id

    assert answered(of(answer, SEEN)) == {
        "replies": {},
        "misses": {"*": "no vector for a text, got 'Where?'."},
        "unused": [],
        "checks": [],
    }


def test_what_was_never_recorded_for_the_making_or_the_checks_empties_all_too(
    answered: Callable[..., dict[str, Any]],
) -> None:
    class Checking(Answering):
        def checks(self) -> Sequence[Check]:
            raise Unrecorded("no vector for the probe")

    def never(context: TargetContext) -> Target:
        raise Unrecorded("no vector for the corpus")

    assert answered(lambda _: Checking(lambda asked: asked.id))["misses"] == {"*": "no vector for the probe"}
    assert answered(never)["misses"] == {"*": "no vector for the corpus"}


def test_an_error_that_the_user_can_mend_is_told_and_no_failure_of_a_case(answered: Callable[..., dict[str, Any]]) -> None:
    def answer(asked: GoldCase) -> str:
        raise InputError(Problem("documents.jsonl", "holds no document"))

    with pytest.raises(InputError, match="holds no document"):
        answered(of(answer))


def test_a_plain_function_is_a_target_too(answered: Callable[..., dict[str, Any]]) -> None:
    replies = answered(lambda _: lambda row: row["id"])["replies"]
    assert [outcomes[0].get("text") for outcomes in replies.values()] == ["c1", "c2", "c3"]


@pytest.mark.parametrize(("options", "times"), [({}, 1), ({"repeats": 3}, 3), ({"repeats": 0}, 1), ({"repeats": "3"}, 1)])
def test_every_case_is_answered_as_often_as_the_suite_says(
    answered: Callable[..., dict[str, Any]], options: dict[str, Any], times: int
) -> None:
    assert {len(outcomes) for outcomes in answered(of(lambda asked: asked.id), **options)["replies"].values()} == {times}


def test_the_stage_gives_every_provider_its_own_context() -> None:
    module = types.ModuleType("target_of_user")
    vars(module)["make"] = lambda context: Answering(
        lambda asked: (
            f"{context.provider.model} {(context.recording or b'').decode()} {len(context.replies)} {sorted(context.files)}"
        )
    )
    sys.modules[module.__name__] = module
    providers = {
        "on_model": provider(model="minilm", target="target_of_user:make", recorded_as="arrow"),
        "shuffled": control("negative_control", model="shuffle", target="target_of_user:make", of="p"),
    }
    given = {"providers": {"p": {"replies": {"c1": [reply(text="x").model_dump(mode="json")]}}}}
    inputs = {
        "cases": [one.model_dump(mode="json") for one in CASES],
        "documents.jsonl": b"",
        "on_model.cassette": b"vectors",
        "shuffled.of": given,
    }
    params = {
        "providers": {name: declared.model_dump(mode="json") for name, declared in providers.items()},
        "files": {"documents": "documents.jsonl"},
        "options": {},
    }
    try:
        body = run("retrieval", inputs, params)
    finally:
        del sys.modules[module.__name__]
    texts = {name: found["replies"]["c1"][0]["text"] for name, found in body.value["providers"].items()}
    assert texts == {"on_model": "minilm vectors 0 ['documents']", "shuffled": "shuffle  1 ['documents']"}
    assert body.rows == 6
