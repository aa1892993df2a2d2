"""The form of messages, and what each error of the tree means for the exit code."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import errors
from assay.errors import (
    REPR_LIMIT,
    AssayError,
    InputError,
    NotComparable,
    Problem,
    Refused,
    UnkeyedInput,
    Unrecorded,
    UsageError,
    UserError,
    nearest,
)

WHERE = "goldsets/retrieval/v1/queries.jsonl:17"


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (
            Problem(
                WHERE, "unknown document id", "d99", "one of the 34 ids in documents.jsonl", "Run `assay audit retrieval`."
            ),
            f"{WHERE}: unknown document id, got 'd99'; expected one of the 34 ids in documents.jsonl. "
            "Run `assay audit retrieval`.",
        ),
        (Problem(WHERE, "no such file"), f"{WHERE}: no such file."),
        (Problem(WHERE, "no such file", remedy="Record it."), f"{WHERE}: no such file. Record it."),
        (Problem(WHERE, "is a folder", expected="a file"), f"{WHERE}: is a folder; expected a file."),
        (Problem(WHERE, "is not valid", 3.5), f"{WHERE}: is not valid, got 3.5."),
    ],
)
def test_a_message_is_where_what_got_expected_and_what_to_do(problem: Problem, text: str) -> None:
    assert str(problem) == text


@pytest.mark.parametrize("value", [0, "", False, (), 0.0])
def test_a_value_that_is_merely_empty_is_shown(value: object) -> None:
    assert str(Problem("f", "is wrong", value)) == f"f: is wrong, got {value!r}."


def test_a_long_value_is_cut_and_marked() -> None:
    text = str(Problem("f", "is wrong", "x" * 500))
    assert text == "f: is wrong, got '" + "x" * (REPR_LIMIT - 2) + "…."


def test_a_value_at_the_limit_is_shown_whole() -> None:
    assert "…" not in str(Problem("f", "is wrong", "x" * (REPR_LIMIT - 2)))


@given(st.text() | st.binary() | st.lists(st.text()))
def test_what_was_got_never_breaks_the_line(value: object) -> None:
    assert len(str(Problem("f", "is wrong", value)).splitlines()) == 1


def test_an_error_holds_every_problem_and_says_each_on_its_own_line() -> None:
    problems = [Problem("a:1", "is wrong"), Problem("b:2", "is worse")]
    error = InputError(problems)
    assert error.problems == tuple(problems)
    assert str(error) == "a:1: is wrong.\nb:2: is worse."


def test_one_problem_needs_no_list() -> None:
    assert InputError(Problem("a", "is wrong")).problems == (Problem("a", "is wrong"),)


@pytest.mark.parametrize(("kind", "code"), [(UserError, 2), (InputError, 2), (UsageError, 2), (NotComparable, 2), (Refused, 1)])
def test_the_exit_code_follows_from_the_kind_of_error(kind: type[UserError], code: int) -> None:
    assert kind(Problem("a", "is wrong")).exit_code == code


def test_an_error_placed_in_a_folder_keeps_its_kind_and_all_else() -> None:
    problem = Problem("queries.jsonl:3", "is wrong", 1, "2", "Mend it.")
    placed = Refused([problem, problem]).within("goldsets/x/v1")
    assert type(placed) is Refused
    assert str(placed.problems[1]) == "goldsets/x/v1/queries.jsonl:3: is wrong, got 1; expected 2. Mend it."


def test_every_error_is_one_that_a_user_can_mend_or_a_programming_error_or_ends_in_no_verdict() -> None:
    tree = {kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, AssayError)}
    assert {kind for kind in tree if not issubclass(kind, UserError)} == {AssayError, UnkeyedInput, Unrecorded}
    assert {kind.__name__ for kind in tree} <= set((errors.__doc__ or "").replace("─", " ").split())


def test_an_input_without_identity_names_stage_input_and_type() -> None:
    assert str(UnkeyedInput("score", "cases", {1})) == (
        "stage score: input 'cases' has no content identity, got set; expected a Ref or plain JSON data. "
        "Put the body into the artifact store and pass its Ref."
    )


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [
        ("extractoin", ["extraction", "retrieval"], "Did you mean 'extraction'?"),
        ("titel", {"title": 1, "suite": 2}, "Did you mean 'title'?"),
        ("zzz", ["extraction"], ""),
        ("x", [], ""),
        ("", ["extraction"], ""),
    ],
)
def test_the_nearest_known_word_is_suggested_or_none(word: str, known: list[str], said: str) -> None:
    assert nearest(word, known) == said
