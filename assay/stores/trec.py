"""TREC files: judgements (`qrels`) and runs as text, to dictionaries and back, so that trec_eval can check our numbers.

A line of qrels is `query iteration document judgement`, one of a run `query Q0 document rank score tag`, apart by white space.
Empty lines and lines that begin with `#` are skipped. The iteration and the rank are not kept: trec_eval orders by score too.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from assay.errors import InputError, Problem
from assay.metrics.ranking import Ties, ranked_by_score
from assay.reading import raise_all, text_of
from assay.stores.files import read_file

Number = TypeVar("Number", int, float)
Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

QRELS_FIELDS = ("query", "iteration", "document", "judgement")
RUN_FIELDS = ("query", "Q0", "document", "rank", "score", "tag")
WHOLE_NUMBER = "a whole number of at most 18 digits"
_SPACE = re.compile(r"[ \t\r\f\v]+")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NAME = re.compile(r"[^\s\x00\ud800-\udfff]+")
_NOT_FIRST = ("#", "\ufeff")
"""What no line may begin with: it would be skipped, or lose a character."""


def read_qrels(path: Path, shown: str) -> Qrels:
    """The judgements in a file: query to document to whole number, as `qrels_in` reads them."""
    return qrels_in(read_file(path, shown), shown)


def read_run(path: Path, shown: str, *, ignores_rest: bool = False) -> Run:
    """The run in a file: query to document to score, as `run_in` reads it."""
    return run_in(read_file(path, shown), shown, ignores_rest=ignores_rest)


def qrels_in(data: bytes, where: str) -> Qrels:
    """The judgements in a file's bytes, in file order. No lines give {}.

    Raises InputError with every bad line: another number of fields, a judgement that is no whole number, a document twice.
    """
    return _table(data, where, QRELS_FIELDS, _judgement)


def run_in(data: bytes, where: str, *, ignores_rest: bool = False) -> Run:
    """The run in a file's bytes, in file order. No lines give {}.

    Raises InputError with every bad line: another number of fields, a rank that is no whole number, a score that is no finite
    number, a document twice for a query.

    Args:
        data: the bytes.
        where: what to call the file in messages.
        ignores_rest: whether more text may follow the tag, as trec_eval allows. It hides ids with spaces in them.
    """
    return _table(data, where, RUN_FIELDS, _score, ignores_rest=ignores_rest)


def qrels_bytes(qrels: Mapping[str, Mapping[str, int]]) -> bytes:
    """The judgements as a file: by query, then document. A query without judgements leaves no line.

    Raises InputError for an id that would be read as something else, and for a judgement of more than 18 digits.
    """
    lines = [
        f"{_query(query)} 0 {_name('document', document)} {_whole(document, gain)}"
        for query, judged in sorted(qrels.items())
        for document, gain in sorted(judged.items())
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def run_bytes(run: Mapping[str, Mapping[str, float]], tag: str, *, ties: Ties = "id-ascending") -> bytes:
    """The run as a file: by query, then rank from 1; scores with all their digits. A query without documents leaves no line.

    Raises InputError for an id or tag that would be read as something else, ValueError for a score that is NaN or infinite.
    """
    name = _name("tag", tag)
    lines = [
        f"{_query(query)} Q0 {_name('document', document)} {rank} {float(scores[document])!r} {name}"
        for query, scores in sorted(run.items())
        for rank, document in enumerate(ranked_by_score(scores, ties), start=1)
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _table(
    data: bytes,
    where: str,
    names: Sequence[str],
    number_in: Callable[[str, Sequence[str]], Number],
    *,
    ignores_rest: bool = False,
) -> dict[str, dict[str, Number]]:
    """Query to document to number, from lines with these fields."""
    found: dict[str, dict[str, Number]] = {}
    problems: list[Problem] = []
    for place, line in _lines(text_of(data, where), where):
        fields = _SPACE.split(line)
        try:
            if len(fields) < len(names) or (len(fields) > len(names) and not ignores_rest):
                expected = f"{len(names)} fields: {', '.join(names)}"
                raise InputError(Problem(place, f"line of {len(fields)} fields", line, expected))
            query, document, number = fields[0], fields[2], number_in(place, fields)
            if document in found.setdefault(query, {}):
                raise InputError(Problem(place, f"document {document!r} stands twice for query {query!r}", expected="one line"))
            found[query][document] = number
        except InputError as error:
            problems.extend(error.problems)
    raise_all(problems, where)
    return found


def _lines(text: str, where: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip(" \t\r\f\v")
        if stripped and not stripped.startswith("#"):
            yield f"{where}:{number}", stripped


def _judgement(place: str, fields: Sequence[str]) -> int:
    if not _WHOLE.fullmatch(fields[3]):
        raise InputError(Problem(place, "judgement is not valid", fields[3], WHOLE_NUMBER))
    return int(fields[3])


def _score(place: str, fields: Sequence[str]) -> float:
    if not _WHOLE.fullmatch(fields[3]):
        raise InputError(Problem(place, "rank is not valid", fields[3], WHOLE_NUMBER))
    score = float(fields[4]) if _DECIMAL.fullmatch(fields[4]) else math.nan
    if not math.isfinite(score):
        raise InputError(Problem(place, "score is not valid", fields[4], "a finite number"))
    return score


def _query(text: str) -> str:
    if text.startswith(_NOT_FIRST):
        raise InputError(Problem("TREC file", "query id cannot begin a line", text, "another first character"))
    return _name("query", text)


def _name(what: str, text: str) -> str:
    if not _NAME.fullmatch(text):
        raise InputError(Problem("TREC file", f"{what} cannot stand in one field", text, "text without white space"))
    return text


def _whole(document: str, gain: int) -> str:
    text = str(operator.index(gain))
    if not _WHOLE.fullmatch(text):
        raise InputError(Problem("TREC file", f"judgement of document {document!r} is not valid", gain, WHOLE_NUMBER))
    return text
