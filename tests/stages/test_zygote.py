"""A command in a fork of a ready process says and does what it says and does in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stages.copies import RUN, Ran, environment, finished, ran_as, started
from tests.zygote import answered, can_be_forked


def both(project: Path, *arguments: str) -> list[tuple[int, str, str]]:
    """Code, output and errors, in a fork and in a process of its own."""
    environ = environment(project)
    ways = answered(project, arguments, environ), finished(started(project, "-m", "assay", *arguments))
    return [(done.returncode, done.stdout, done.stderr) for done in ways]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("list",), 0), (("verify", "extraction"), 0), (("run", "nosuch", "--offline"), 2), (("--help",), 0), (("run", "-x"), 2)],
)
def test_a_fork_says_what_a_process_says(warm: Path, arguments: tuple[str, ...], code: int) -> None:
    forked, alone = both(warm, *arguments)
    assert forked == alone
    assert forked[0] == code


def test_a_fork_computes_what_a_process_computes(small: Path) -> None:
    def run(done: object, home: Path) -> Ran:
        return ran_as(done, home)  # type: ignore[arg-type]  # a finished process

    homes = small / "forked", small / "alone"
    forked = run(answered(small, RUN, environment(small, ASSAY_HOME=str(homes[0]))), homes[0])
    alone = run(finished(started(small, "-m", "assay", *RUN, ASSAY_HOME=str(homes[1]))), homes[1])
    assert (forked.code, forked.computed, forked.report) == (alone.code, alone.computed, alone.report)
    assert forked.computed


def test_what_a_fork_would_do_otherwise_is_not_forked(small: Path) -> None:
    assert can_be_forked(small, RUN, {"ASSAY_HOME": "elsewhere"})
    assert not can_be_forked(small, ("run", "extraction"), {})
    assert not can_be_forked(small, RUN, {"PYTHONPATH": "elsewhere"})
    with (small / "assay" / "gate.py").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert not can_be_forked(small, RUN, {})
