"""A limit in money means something or is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess


def test_a_limit_in_usd_is_refused_where_no_price_is_declared(
    project: Path, assay: Callable[..., CompletedProcess[str]]
) -> None:
    done = assay("record", "extraction", "--provider", "smollm2", "--max-usd", "1")
    assert done.returncode == 2
    told = "error: provider smollm2: declares no price, so --max-usd would limit nothing. "
    assert told in done.stderr
    assert not (project / "cassettes/extraction/v1/smollm2.journal.jsonl").read_bytes()
