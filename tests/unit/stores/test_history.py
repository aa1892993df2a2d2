"""The history on disk: one line a key, whole lines whoever else writes, and a kill costs at most the line being written."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest

from assay.digest import canonical
from assay.errors import InputError, UsageError
from assay.model.history import History, HistoryLine
from assay.stores.history import append, history_file, read
from tests.unit.history_lines import commit, digest, line, share

SUITE = "extraction"


def numbered(number: int, provider: str = "openai") -> HistoryLine:
    """A line that differs by its number."""
    return line(commit=commit(number), provider=provider)


def text_of(kept: HistoryLine) -> bytes:
    return canonical(kept.model_dump(mode="json")) + b"\n"


def forked(work: Callable[[], object]) -> int:
    """The pid of a process that does `work` and ends with code 0 if nothing was raised."""
    pid = os.fork()
    if pid == 0:
        code = 1
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60)
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return pid


def ended(pid: int) -> int:
    """How a process ended: its exit code, or the negative number of the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def waited_until(holds: Callable[[], bool]) -> None:
    for _ in range(100_000):
        if holds():
            return
        time.sleep(0.0002)
    pytest.fail("nothing came of it")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return history_file(tmp_path, SUITE)


def test_no_history_is_empty(tmp_path: Path) -> None:
    assert read(tmp_path / "nowhere", SUITE) == History()
    assert not (tmp_path / "nowhere").exists()


def test_lines_are_kept_in_the_order_in_which_they_came(tmp_path: Path, path: Path) -> None:
    assert append(tmp_path, [numbered(2), numbered(1)]) == 2
    assert append(tmp_path, [numbered(3)]) == 1
    assert read(tmp_path, SUITE) == History((numbered(2), numbered(1), numbered(3)))
    assert read(tmp_path, SUITE, newest=2) == History((numbered(1), numbered(3)), before=1)
    assert read(tmp_path, SUITE, newest=9) == read(tmp_path, SUITE)
    assert path.read_bytes() == text_of(numbered(2)) + text_of(numbered(1)) + text_of(numbered(3))


def test_a_known_key_adds_nothing(tmp_path: Path, path: Path) -> None:
    append(tmp_path, [numbered(1)])
    before = path.read_bytes()
    assert append(tmp_path, [line(commit=commit(1), run_id="another", at="2027-01-01T00:00:00+00:00")]) == 0
    assert path.read_bytes() == before


def test_without_a_commit_the_same_numbers_add_nothing(tmp_path: Path) -> None:
    append(tmp_path, [line(commit=None)])
    assert append(tmp_path, [line(commit=None, run_id="another"), line(metrics={"recall": share(3)}, commit=None)]) == 1
    assert len(read(tmp_path, SUITE).lines) == 2


def test_a_key_that_is_given_twice_is_written_once(tmp_path: Path) -> None:
    assert append(tmp_path, [numbered(1), numbered(2), numbered(1)]) == 2
    assert read(tmp_path, SUITE).lines == (numbered(1), numbered(2))


def test_each_suite_has_a_file_of_its_own(tmp_path: Path) -> None:
    assert append(tmp_path, [numbered(1), line(suite="other"), numbered(2)]) == 3
    assert read(tmp_path, SUITE).lines == (numbered(1), numbered(2))
    assert read(tmp_path, "other").lines == (line(suite="other"),)


def test_nothing_to_add_makes_no_file(tmp_path: Path) -> None:
    assert append(tmp_path, []) == 0
    assert list(tmp_path.iterdir()) == []


def test_text_of_any_kind_stays_in_its_line(tmp_path: Path, path: Path) -> None:
    odd = line(model="a\nb\r\n \u2028 \x85 é \x00", deviations=("--set a=\n",))
    append(tmp_path, [odd, numbered(2)])
    assert read(tmp_path, SUITE) == History((odd, numbered(2)))
    assert path.read_bytes().count(b"\n") == 2


def test_a_damaged_line_is_counted_and_the_others_are_read(tmp_path: Path, path: Path) -> None:
    append(tmp_path, [numbered(1)])
    newer = text_of(numbered(2)).replace(b'"format":1', b'"format":2')
    damaged = [b"<<<<<<< HEAD\n", b"\xff\xfe\n", b"{}\n", b"[" * 5000 + b"\n", newer, text_of(line(suite="other"))]
    with path.open("ab") as file:
        file.writelines(damaged)
        file.write(b"\n  \n")
    assert append(tmp_path, [numbered(3)]) == 1
    assert read(tmp_path, SUITE) == History((numbered(1), numbered(3)), unreadable=len(damaged))
    assert all(text in path.read_bytes() for text in damaged)


def test_lines_that_a_merge_doubled_are_read_once_and_counted(tmp_path: Path, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(text_of(numbered(1)) + text_of(numbered(2)) + text_of(numbered(1)).replace(b"\n", b"\r\n"))
    assert read(tmp_path, SUITE) == History((numbered(1), numbered(2)), repeated=1)


def test_wherever_the_last_line_is_torn_it_is_closed_and_no_other_is_lost(tmp_path: Path, path: Path) -> None:
    first, torn, after = (text_of(numbered(number)) for number in (1, 2, 3))
    path.parent.mkdir()
    for length in [*range(1, len(torn) - 2, 17), len(torn) - 2]:
        path.write_bytes(first + torn[:length])
        assert append(tmp_path, [numbered(2), numbered(3)]) == 2
        assert path.read_bytes() == first + torn[:length] + b"\n" + torn + after
        assert read(tmp_path, SUITE) == History((numbered(1), numbered(2), numbered(3)), unreadable=1)


def test_a_last_line_that_only_lacks_its_end_is_whole(tmp_path: Path, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(text_of(numbered(1)) + text_of(numbered(2)).rstrip())
    assert append(tmp_path, [numbered(2), numbered(3)]) == 1
    assert read(tmp_path, SUITE) == History((numbered(1), numbered(2), numbered(3)))


def test_a_torn_line_stays_as_it_is_while_nothing_is_added(tmp_path: Path, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(text_of(numbered(1)) + b'{"format":')
    assert append(tmp_path, [numbered(1)]) == 0
    assert path.read_bytes() == text_of(numbered(1)) + b'{"format":'


def test_each_line_is_one_write_and_all_are_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[bytes] = []
    real_write, real_sync = os.write, os.fsync

    def write(file: int, data: bytes) -> int:
        done.append(data)
        return real_write(file, data)

    def sync(file: int) -> None:
        done.append(b"synced")
        real_sync(file)

    monkeypatch.setattr(os, "write", write)
    monkeypatch.setattr(os, "fsync", sync)
    append(tmp_path, [numbered(1), numbered(2)])
    assert done == [text_of(numbered(1)), text_of(numbered(2)), b"synced"]


def test_a_write_that_takes_only_a_part_is_gone_on_with(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, data[:100]))
    append(tmp_path, [numbered(1)])
    monkeypatch.undo()
    assert path.read_bytes() == text_of(numbered(1))


def test_a_full_disk_leaves_no_part_of_a_line(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(tmp_path, [numbered(1)])
    real, room = os.write, [100]

    def full(file: int, data: bytes) -> int:
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(file, data[: room.pop()])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(UsageError) as caught:
        append(tmp_path, [numbered(2)])
    monkeypatch.undo()
    assert str(caught.value) == (
        f"{tmp_path}: history cannot be written (No space left on device). Set ASSAY_EVIDENCE to a folder that can be."
    )
    assert path.read_bytes() == text_of(numbered(1))


def test_a_folder_that_cannot_be_written_is_the_users_to_mend(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(
            UsageError, match=r"history cannot be written \(.*\)\. Set ASSAY_EVIDENCE to a folder that can be\."
        ):
            append(folder, [numbered(1)])


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_regular_file_is_refused_and_waited_for_by_nobody(
    tmp_path: Path, path: Path, make: Callable[[Path], None]
) -> None:
    path.parent.mkdir()
    make(path)
    with pytest.raises(InputError, match="history cannot be read"):
        read(tmp_path, SUITE)
    with pytest.raises(UsageError, match="ASSAY_EVIDENCE"):
        append(tmp_path, [numbered(1)])


def test_writers_at_the_same_time_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    def orders(writer: int) -> Iterable[HistoryLine]:
        shared = [numbered(number) for number in range(20)]
        own = [numbered(number, f"own-{writer}") for number in range(10)]
        return [*own[:5], *(shared if writer % 2 else reversed(shared)), *own[5:]]

    start, begin = os.pipe()

    def write(writer: int) -> None:
        os.read(start, 1)
        for given in orders(writer):
            append(tmp_path, [given])

    writers = [forked(partial(write, writer)) for writer in range(6)]
    os.write(begin, b"." * len(writers))
    seen = [read(tmp_path, SUITE) for _ in range(50)]
    assert [ended(pid) for pid in writers] == [0] * len(writers)
    os.close(start)
    os.close(begin)
    found = read(tmp_path, SUITE)
    assert (found.unreadable, found.repeated, len(found.lines)) == (0, 0, 20 + 6 * 10)
    assert {kept.key for kept in found.lines} == {given.key for writer in range(6) for given in orders(writer)}
    assert all((part.unreadable, part.repeated) == (0, 0) for part in seen)
    assert all(found.lines[: len(part.lines)] == part.lines for part in seen)


def test_a_writer_killed_at_any_moment_leaves_whole_lines(tmp_path: Path, path: Path) -> None:
    kills = 40
    for kill in range(kills):
        kept = read(tmp_path, SUITE).lines
        size = path.stat().st_size if path.exists() else 0

        def work(kill: int = kill) -> None:
            for number in range(10_000):
                append(tmp_path, [numbered(1000 * kill + number)])

        pid = forked(work)
        waited_until(lambda size=size: path.exists() and path.stat().st_size > size)
        time.sleep(kill * 0.00013)
        os.kill(pid, signal.SIGKILL)
        assert ended(pid) == -signal.SIGKILL
        assert append(tmp_path, [numbered(kill, "after")]) == 1
        found = read(tmp_path, SUITE)
        assert found.lines[: len(kept)] == kept
        assert found.lines[-1] == numbered(kill, "after")
        assert found.repeated == 0
        assert [n.commit for n in found.lines[len(kept) : -1]] == [
            commit(1000 * kill + number) for number in range(len(found.lines) - len(kept) - 1)
        ]
    assert read(tmp_path, SUITE).unreadable <= kills
    lines = [text for text in path.read_bytes().split(b"\n") if text]
    assert len(lines) == len(read(tmp_path, SUITE).lines) + read(tmp_path, SUITE).unreadable


def test_a_file_that_was_replaced_while_its_lock_was_waited_for_gets_the_line(tmp_path: Path, path: Path) -> None:
    append(tmp_path, [numbered(1)])
    other = tmp_path / "checked-out.jsonl"
    other.write_bytes(text_of(numbered(7)))
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        pid = forked(lambda: append(tmp_path, [numbered(2)]))
        time.sleep(0.05)
        other.replace(path)
        fcntl.flock(held, fcntl.LOCK_UN)
    assert ended(pid) == 0
    assert read(tmp_path, SUITE).lines == (numbered(7), numbered(2))


def test_digests_name_what_they_are_of(tmp_path: Path) -> None:
    append(tmp_path, [line(mode="live", recording=digest(week), commit=commit(1)) for week in ("w1", "w2", "w2")])
    assert [kept.recording for kept in read(tmp_path, SUITE).lines] == [digest("w1"), digest("w2")]
