"""The journal: whole lines in order, safe before the next is asked, one holder, and a crash costs the torn line only."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.digest import canonical
from assay.errors import Refused
from assay.model.exchange import Exchange
from assay.stores.journal import Journal
from tests.builders import exchange, request
from tests.stages.copies import environment

ROOT = Path(__file__).resolve().parents[3]
HOLDER = """
import sys
from pathlib import Path
from assay.stores.journal import Journal
with Journal(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def said(number: int, text: str = "") -> Exchange:
    """An exchange that differs by its number."""
    return exchange(request(f"question {number}"), f"c{number}", text or f"answer {number}")


def line(kept: Exchange) -> bytes:
    return canonical(kept.model_dump(mode="json")) + b"\n"


def left_by(path: Path) -> tuple[Exchange, ...]:
    with Journal(path) as journal:
        return journal.found


def refusal(path: Path) -> str:
    """What is said about a journal that cannot be taken up."""
    with pytest.raises(Refused) as caught, Journal(path):
        pass
    assert caught.value.exit_code == 1
    return str(caught.value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cassettes" / "openai.journal.jsonl"


def holder(path: Path) -> subprocess.Popen[str]:
    """Another process that has the journal open."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        env=environment(ROOT),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


def test_a_new_journal_has_found_nothing(path: Path) -> None:
    assert left_by(path) == ()


def test_what_was_appended_is_found_in_order(path: Path) -> None:
    with Journal(path) as journal:
        journal.append(said(1))
        journal.append(said(2, '{"memories": []} \u2028 \r\n é'))
    with Journal(path) as journal:
        assert journal.found == (said(1), said(2, '{"memories": []} \u2028 \r\n é'))
        journal.append(said(3))
    assert [kept.case_id for kept in left_by(path)] == ["c1", "c2", "c3"]


def test_each_line_is_whole_and_synced_before_the_next_is_begun(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[str, bytes]] = []
    real = os.fsync
    with Journal(path) as journal:
        monkeypatch.setattr(os, "fsync", lambda file: (real(file), steps.append(("synced", path.read_bytes()))))
        for number in (1, 2):
            journal.append(said(number))
            steps.append(("returned", path.read_bytes()))
        monkeypatch.undo()
    one, two = line(said(1)), line(said(1)) + line(said(2))
    assert steps == [("synced", one), ("returned", one), ("synced", two), ("returned", two)]


def test_a_write_that_takes_only_a_part_is_gone_on_with(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    with Journal(path) as journal:
        monkeypatch.setattr(os, "write", lambda file, data: real(file, data[:7]))
        journal.append(said(1))
        monkeypatch.undo()
    assert path.read_bytes() == line(said(1))


def test_an_append_that_fails_spoils_neither_what_was_kept_nor_what_comes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full for a moment while several replies arrive."""
    written, parts = os.write, list[int]()

    def full(file: int, data: bytes) -> int:
        if parts:
            raise OSError(errno.ENOSPC, "No space left on device")
        parts.append(written(file, data[:10]))
        return 10

    with Journal(path) as journal:
        journal.append(said(1))
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            journal.append(said(2))
        monkeypatch.undo()
        journal.append(said(3))
    assert left_by(path) == (said(1), said(3))


def test_a_torn_last_line_is_cut_and_the_rest_kept(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(line(said(1)) + line(said(2)) + line(said(3))[:-20])
    with Journal(path) as journal:
        assert journal.found == (said(1), said(2))
        assert path.read_bytes() == line(said(1)) + line(said(2))
        journal.append(said(4))
    assert left_by(path) == (said(1), said(2), said(4))


@given(st.lists(st.text(max_size=12), max_size=4), st.data())
@settings(max_examples=60, deadline=None)
def test_wherever_the_file_ends_every_whole_line_survives(texts: list[str], data: st.DataObject) -> None:
    kept = [said(number, text or "-") for number, text in enumerate(texts)]
    whole = b"".join(map(line, kept))
    end = data.draw(st.integers(0, len(whole)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.journal.jsonl"
        path.write_bytes(whole[:end])
        expected = kept[: whole[:end].count(b"\n")]
        with Journal(path) as journal:
            assert list(journal.found) == expected
            journal.append(said(99))
        assert list(left_by(path)) == [*expected, said(99)]


@pytest.mark.parametrize("damage", [b"{}\n", b"not JSON\n", b"\xff\xfe\n"])
def test_a_damaged_line_in_the_middle_is_refused_and_left_as_it_is(path: Path, damage: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(line(said(1)) + damage + line(said(2)))
    before = path.read_bytes()
    assert refusal(path) == f"openai.journal.jsonl: is damaged. Move {path} away to record from the start."
    assert path.read_bytes() == before


def test_a_refused_journal_is_not_held_so_that_it_can_be_mended_and_opened(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"{}\n" + line(said(1)))
    refusal(path)
    path.write_bytes(line(said(1)))
    assert left_by(path) == (said(1),)


def test_a_second_process_is_refused_with_the_pid_of_the_holder(path: Path) -> None:
    with Journal(path) as journal:
        journal.append(said(1))
    other = holder(path)
    try:
        expected = f"openai.journal.jsonl: is being recorded by process {other.pid}. Wait for it, or stop it."
        assert refusal(path) == expected
        assert refusal(path) == expected
    finally:
        other.communicate("")
    assert left_by(path) == (said(1),)


def test_the_lock_is_gone_when_its_holder_is_killed(path: Path) -> None:
    other = holder(path)
    other.kill()
    other.communicate()
    assert other.returncode == -9
    assert left_by(path) == ()


def test_the_pid_is_that_of_the_latest_holder_alone(path: Path) -> None:
    first = holder(path)
    first.communicate("")
    second = holder(path)
    try:
        assert re.findall(r"\d+", refusal(path).removeprefix("openai")) == [str(second.pid)]
    finally:
        second.communicate("")


def test_a_removed_journal_leaves_nothing_to_take_up(path: Path) -> None:
    with Journal(path) as journal:
        journal.append(said(1))
        journal.remove()
    assert not path.exists()
    assert left_by(path) == ()
