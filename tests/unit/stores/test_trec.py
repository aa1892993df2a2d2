"""TREC files come back as they were written, and a bad line is named with what was expected."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.stores.trec import qrels_bytes, qrels_in, read_qrels, read_run, run_bytes, run_in

QRELS = b"q1 0 a 1\nq1 0 b 0\nq2\t0\tc\t -1\n"
RUN = b"q1 Q0 b 1 0.75 mine\nq1 Q0 a 2 0.5 mine\nq2\tQ0\tc\t1\t  -1e-3\tmine\n"
NAMES = st.text(st.characters(exclude_categories=("Cs", "Zs", "Zl", "Zp", "Cc")), min_size=1, max_size=6)
QUERIES = NAMES.filter(lambda name: name[0] not in "#\ufeff")
GAINS = st.integers(-(10**18) + 1, 10**18 - 1)
SCORES = st.floats(allow_nan=False, allow_infinity=False)


QRELS_LINE = "4 fields: query, iteration, document, judgement."
RUN_LINE = "6 fields: query, Q0, document, rank, score, tag."


def message(read: Callable[[bytes, str], object], data: bytes) -> str:
    with pytest.raises(InputError) as raised:
        read(data, "x.txt")
    return str(raised.value)


def test_judgements_are_read_by_query_and_document() -> None:
    assert qrels_in(QRELS, "qrels.txt") == {"q1": {"a": 1, "b": 0}, "q2": {"c": -1}}


def test_scores_are_read_by_query_and_document_whatever_the_rank_says() -> None:
    assert run_in(RUN, "run.txt") == {"q1": {"b": 0.75, "a": 0.5}, "q2": {"c": -0.001}}
    assert run_in(RUN.replace(b"b 1", b"b 7"), "run.txt") == run_in(RUN, "run.txt")


def test_files_are_read_from_disk(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_bytes(QRELS)
    (tmp_path / "run.txt").write_bytes(RUN)
    assert read_qrels(tmp_path / "qrels.txt", "qrels.txt") == qrels_in(QRELS, "qrels.txt")
    assert read_run(tmp_path / "run.txt", "run.txt") == run_in(RUN, "run.txt")


def test_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gold/run.txt: no such file"):
        read_run(tmp_path / "run.txt", "gold/run.txt")


def test_comments_empty_lines_and_windows_line_ends_are_skipped() -> None:
    assert qrels_in(b"\n# a comment\r\n  # one more\nq1 0 a#1 1\r\n\n", "x") == {"q1": {"a#1": 1}}


def test_no_lines_are_no_queries() -> None:
    assert qrels_in(b"", "x") == run_in(b"\n", "x") == {}


def test_judgements_are_written_in_order_of_ids() -> None:
    assert qrels_bytes({"q2": {"c": -1}, "q1": {"b": 0, "a": 1}}) == b"q1 0 a 1\nq1 0 b 0\nq2 0 c -1\n"


def test_run_is_written_by_rank_with_all_digits() -> None:
    run = {"q1": {"b": 0.1, "a": 0.1, "c": 1 / 3}}
    assert run_bytes(run, "mine").decode() == ("q1 Q0 c 1 0.3333333333333333 mine\nq1 Q0 a 2 0.1 mine\nq1 Q0 b 3 0.1 mine\n")
    assert run_bytes(run, "mine", ties="trec_eval").decode().splitlines()[1] == "q1 Q0 b 2 0.1 mine"


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(QUERIES, st.dictionaries(NAMES, GAINS, min_size=1), max_size=4))
def test_judgements_come_back_as_they_were(qrels: dict[str, dict[str, int]]) -> None:
    assert qrels_in(qrels_bytes(qrels), "x") == qrels


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(QUERIES, st.dictionaries(NAMES, SCORES, min_size=1), max_size=4), NAMES)
@example({"q": {"a": 0.1 + 0.2, "b": 5e-324, "c": 1.7976931348623157e308, "d": -0.0, "e": 1e22}}, "tag")
def test_scores_come_back_to_the_last_bit(run: dict[str, dict[str, float]], tag: str) -> None:
    found = run_in(run_bytes(run, tag), "x")
    assert found == run
    assert repr(sorted((q, sorted(s.items())) for q, s in found.items())) == repr(
        sorted((q, sorted(s.items())) for q, s in run.items())
    )


@settings(deadline=None, max_examples=50)
@given(st.binary(max_size=60) | st.text("q0a1 .-e#\t\n", max_size=60).map(str.encode))
def test_any_bytes_are_a_table_or_an_input_error(data: bytes) -> None:
    for read in (qrels_in, run_in):
        try:
            found = read(data, "x")
        except InputError:
            continue
        assert all(math.isfinite(number) for row in found.values() for number in row.values())


def test_query_without_documents_leaves_no_line() -> None:
    assert qrels_bytes({"q": {}}) == run_bytes({"q": {}}, "mine") == b""


@pytest.mark.parametrize(
    ("read", "line", "problem"),
    [
        (qrels_in, b"q1 0 a", f"line of 3 fields, got 'q1 0 a'; expected {QRELS_LINE}"),
        (
            qrels_in,
            b"q1 0 a 1 x",
            f"line of 5 fields, got 'q1 0 a 1 x'; expected {QRELS_LINE}",
        ),
        (qrels_in, b"q1 0 a 1.0", "judgement is not valid, got '1.0'; expected a whole number of at most 18 digits."),
        (qrels_in, b"q1 0 a 1_0", "judgement is not valid, got '1_0'; expected a whole number of at most 18 digits."),
        (qrels_in, b"q1 0 a \xd9\xa1", "judgement is not valid, got '\u0661'; expected a whole number of at most 18 digits."),
        (
            run_in,
            b"q Q0 a 1 0.5",
            f"line of 5 fields, got 'q Q0 a 1 0.5'; expected {RUN_LINE}",
        ),
        (run_in, b"q Q0 a x 0.5 t", "rank is not valid, got 'x'; expected a whole number of at most 18 digits."),
        (run_in, b"q Q0 a 1 nan t", "score is not valid, got 'nan'; expected a finite number."),
        (run_in, b"q Q0 a 1 inf t", "score is not valid, got 'inf'; expected a finite number."),
        (run_in, b"q Q0 a 1 1e999 t", "score is not valid, got '1e999'; expected a finite number."),
        (run_in, b"q Q0 a 1 1_0 t", "score is not valid, got '1_0'; expected a finite number."),
        (run_in, b"q Q0 a 1 0x1p-2 t", "score is not valid, got '0x1p-2'; expected a finite number."),
    ],
)
def test_bad_line_is_named_with_what_was_expected(read: Callable[[bytes, str], object], line: bytes, problem: str) -> None:
    assert message(read, b"# first\n" + line + b"\n") == f"x.txt:2: {problem}"


def test_every_bad_line_is_named() -> None:
    assert message(qrels_in, b"q1 0 a x\nq1 0 b 1\nq1 0\n").count("\n") == 1


def test_document_that_stands_twice_for_a_query_is_refused() -> None:
    assert message(qrels_in, QRELS + b"q1 0 a 1\n") == "x.txt:4: document 'a' stands twice for query 'q1'; expected one line."
    assert (
        message(run_in, RUN + b"q1 Q0 b 3 0.1 t\n") == "x.txt:4: document 'b' stands twice for query 'q1'; expected one line."
    )


def test_text_after_the_tag_is_refused_unless_it_is_to_be_ignored() -> None:
    data = b"q Q0 a 1 0.5 tag and more\n"
    assert message(run_in, data).startswith("x.txt:1: line of 8 fields")
    assert run_in(data, "x", ignores_rest=True) == {"q": {"a": 0.5}}
    assert message(lambda data, where: run_in(data, where, ignores_rest=True), b"q Q0 a 1 0.5\n").startswith(
        "x.txt:1: line of 5"
    )


@pytest.mark.parametrize("name", ["", "a b", "a\tb", "a\n", "a\u2003b", "a\x00", "\ud800"])
def test_ids_and_tags_that_would_be_read_as_something_else_are_refused(name: str) -> None:
    for write in (
        lambda: qrels_bytes({name: {"a": 1}}),
        lambda: qrels_bytes({"q": {name: 1}}),
        lambda: run_bytes({"q": {name: 0.5}}, "mine"),
        lambda: run_bytes({"q": {"a": 0.5}}, name),
    ):
        with pytest.raises(InputError, match="cannot stand in one field"):
            write()


@pytest.mark.parametrize("query", ["#1", "\ufeffq"])
def test_query_that_would_be_skipped_or_shortened_is_refused(query: str) -> None:
    with pytest.raises(InputError, match="query id cannot begin a line"):
        run_bytes({query: {"a": 0.5}}, "mine")


def test_numbers_that_a_file_cannot_hold_are_refused() -> None:
    with pytest.raises(InputError, match="judgement of document 'a' is not valid"):
        qrels_bytes({"q": {"a": 10**18}})
    with pytest.raises(TypeError):
        qrels_bytes({"q": {"a": 0.5}})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="document 'a' has the score nan"):
        run_bytes({"q": {"a": math.nan}}, "mine")
