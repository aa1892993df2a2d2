"""How far asking is: a line per answer, or per so many, and always one for the last."""

from __future__ import annotations

import pytest

from assay.reporting.asking import told_on_stderr


@pytest.mark.parametrize(
    ("of", "told"),
    [
        (3, [1, 2, 3]),
        (20, list(range(1, 21))),
        (39, [*range(2, 39, 2), 39]),
        (41, [*range(3, 41, 3), 41]),
        (160, list(range(8, 161, 8))),
    ],
)
def test_few_answers_are_told_one_by_one_and_many_by_the_twentieth(
    of: int, told: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    tell = told_on_stderr("crew")
    for done in range(1, of + 1):
        tell(done, of)
    found = capsys.readouterr()
    assert found.err.splitlines() == [f"asking crew: {done} of {of} done" for done in told]
    assert found.out == ""
