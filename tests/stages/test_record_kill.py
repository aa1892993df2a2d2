"""A recording that is killed with SIGKILL at any moment: no paid reply is lost or asked for again, no cassette is torn."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.counting_server import Endpoint, counting
from tests.stages.recordings import KILLED, RECORD, Recorder, Recording, answered, bare, counted, recorder

CASES = 60
SEED = 20261130
REPLACING = 9
"""The moments of the final replacement: cassette and manifest each have a new file, two about its sync, and its renaming;
then the journal is removed."""
PER_REPLY = 4
"""Before and within the write of its line, before and after its sync."""


@dataclass(frozen=True)
class Moment:
    """When a run is killed: at the n-th moment on disk, or when the n-th request is asked or answered."""

    kind: str
    number: int

    @property
    def costs(self) -> int:
        """How many replies are in flight then when one is asked at a time: none from the end of a line's write on."""
        return int(self.kind == "asked" or 0 < self.number % PER_REPLY <= 2)


def moments(count: int, reach: int, seed: int) -> list[Moment]:
    """Random moments, none of them more than `reach` replies away from the start of its run."""
    draw = random.Random(seed)  # noqa: S311  # a seeded choice of tests
    kinds = draw.choices(("disk", "asked", "answered"), weights=(2, 1, 1), k=count)
    return [Moment(kind, draw.randint(1, reach * PER_REPLY if kind == "disk" else reach)) for kind in kinds]


def run_until(moment: Moment, project: Path, recorder: Recorder, endpoint: Endpoint) -> int:
    """The exit code of `assay record`, killed at the moment."""
    last = len(endpoint.seen) + moment.number

    def kill(number: int) -> None:
        if number == last:
            recorder.kill()

    endpoint.before_reply = kill if moment.kind == "asked" else lambda number: None
    endpoint.after_reply = kill if moment.kind == "answered" else lambda number: None
    return recorder.run(project, *RECORD, last=moment.number if moment.kind == "disk" else 0)


@dataclass
class Ledger:
    """What was paid for and kept over all runs of one recording."""

    endpoint: Endpoint
    recording: Recording
    concurrency: int
    old: tuple[bytes, bytes]
    kept: bytes = b""
    counts: Counter[str] = field(default_factory=Counter)
    unkept: int = 0
    """Askings whose reply was in flight at a kill."""

    def settle(self) -> int:
        """After a kill: nothing that was kept is lost or was asked for again, and the committed recording is the old one.

        Returns how many requests were in flight: asked, and not kept.
        """
        self.endpoint.settled()
        before, asked = answered(self.kept), self.endpoint.counts - self.counts
        kept = self.recording.kept()
        assert kept.startswith(self.kept)
        assert not before & set(asked), "asked again although its reply had been kept"
        in_flight = asked.total() - len(answered(kept) - before)
        assert 0 <= in_flight <= self.concurrency
        assert self.recording.pair() == self.old
        self.kept, self.counts, self.unkept = kept, self.endpoint.counts.copy(), self.unkept + in_flight
        return in_flight

    def close(self) -> None:
        """After the last run: the cassette holds all that was kept as it was, and one outcome of each case."""
        cassette, manifest = self.recording.pair()
        lines = cassette.splitlines()
        assert set(self.kept.splitlines()) <= set(lines)
        assert [json.loads(line)["case_id"] for line in lines] == [f"c{number}" for number in range(1, CASES + 1)]
        assert answered(cassette) == set(self.endpoint.counts)
        assert len(self.endpoint.counts) == CASES
        assert self.endpoint.counts.total() == CASES + self.unkept
        assert self.recording.fits()
        assert json.loads(manifest)["cassette_kind"] == "live_counted_recorded"
        assert not self.recording.journal.exists()


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with counting() as running:
        yield running


@pytest.fixture(scope="module")
def running(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorder]:
    with recorder(tmp_path_factory.mktemp("recorder") / "said.txt", endpoint) as found:
        yield found


@pytest.mark.parametrize(("concurrency", "kills", "reach"), [(1, 50, 2), (4, 10, 6)])
def test_a_recording_killed_at_random_moments_loses_and_repeats_nothing(
    concurrency: int, kills: int, reach: int, endpoint: Endpoint, running: Recorder, tmp_path: Path
) -> None:
    project = counted(bare(tmp_path), CASES, concurrency=concurrency)
    assert running.run(project, *RECORD, "--oracle") == 0, running.said
    endpoint.counts.clear()
    ledger = Ledger(endpoint, Recording(project), concurrency, Recording(project).pair())
    for moment in moments(kills, reach, SEED + concurrency):
        assert run_until(moment, project, running, endpoint) == KILLED, (moment, running.said)
        in_flight = ledger.settle()
        assert concurrency > 1 or moment.kind == "answered" or in_flight == moment.costs
    endpoint.before_reply = endpoint.after_reply = lambda number: None
    done = len(answered(ledger.kept))
    assert 0 < done < CASES
    assert running.run(project, *RECORD) == 0, running.said
    assert f"counted: {CASES - done} of {CASES} requests to ask, {done} recorded; about " in running.said
    ledger.close()
    print(
        f"{kills} kills, concurrency {concurrency}: {endpoint.counts.total()} requests for {CASES} cases, "
        f"{ledger.unkept} in flight at a kill, {done} kept over kills, 0 lost, 0 kept ones asked again"
    )


@dataclass(frozen=True)
class Asked:
    """A recording of three cases of which all is in the journal, and the oracle's recording that it replaces."""

    running: Recorder
    endpoint: Endpoint
    recording: Recording
    journal: bytes
    old: tuple[bytes, bytes]

    def put(self, old: tuple[bytes, bytes] | None) -> None:
        """Makes the files those of the moment when all has been asked."""
        for path in self.recording.cassette.parent.iterdir():
            path.unlink()
        self.recording.journal.write_bytes(self.journal)
        if old is not None:
            self.recording.cassette.write_bytes(old[0])
            self.recording.manifest.write_bytes(old[1])
        self.endpoint.counts.clear()

    def run(self, *options: str, last: int = 0) -> int:
        """`assay record` with these options."""
        return self.running.run(self.recording.project, *RECORD, *options, last=last)

    def broken(self) -> list[str]:
        """The names of the broken checks of `assay verify`."""
        self.running.run(self.recording.project, "verify", "extraction", "--json")
        found = json.loads(self.running.said[: self.running.said.rindex("moments ")])
        return [check["name"] for check in found["checks"] if check["status"] == "broken"]

    def is_done(self) -> bool:
        """Whether the recording is whole and new, and nothing was asked for it."""
        whole = self.recording.cassette.read_bytes() == self.journal and self.recording.fits()
        return whole and not self.recording.journal.exists() and not self.endpoint.counts


@pytest.fixture(scope="module")
def asked(endpoint: Endpoint, running: Recorder, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    recording = Recording(counted(bare(tmp_path_factory.mktemp("asked")), 3))
    assert running.run(recording.project, *RECORD, "--oracle") == 0, running.said
    old = recording.pair()
    assert running.run(recording.project, *RECORD, last=3 * PER_REPLY) == KILLED
    journal = recording.journal.read_bytes()
    assert (len(answered(journal)), recording.kept()) == (3, journal)
    return Asked(running, endpoint, recording, journal, old)


@pytest.mark.parametrize("moment", range(1, REPLACING + 1))
def test_a_recording_killed_while_it_replaces_the_old_one_is_whole_or_says_that_it_is_not(moment: int, asked: Asked) -> None:
    asked.put(asked.old)
    assert asked.run(last=moment) == KILLED, asked.running.said
    cassette, manifest = asked.recording.pair()
    assert cassette in {asked.old[0], asked.journal}
    assert asked.recording.journal.read_bytes() == asked.journal
    if not asked.recording.fits():
        assert (cassette, manifest) == (asked.journal, asked.old[1])
        assert "counted: integrity.cassette" in asked.broken()
    assert asked.run() == 0, asked.running.said
    assert "counted: 0 of 3 requests to ask, 3 recorded" in asked.running.said
    assert asked.is_done()


@pytest.mark.parametrize("options", [(), ("--only-missing",)])
def test_a_first_recording_killed_between_its_two_files_is_taken_up(options: tuple[str, ...], asked: Asked) -> None:
    asked.put(None)
    assert asked.run(*options, last=5) == KILLED, asked.running.said
    assert (asked.recording.cassette.exists(), asked.recording.manifest.exists()) == (True, False)
    assert asked.running.run(asked.recording.project, "verify", "extraction") != 0
    assert asked.run(*options) == 0, asked.running.said
    assert asked.is_done()


def test_there_are_as_many_moments_in_the_replacement_as_are_tested(asked: Asked) -> None:
    asked.put(asked.old)
    assert asked.run() == 0, asked.running.said
    assert asked.running.said.splitlines()[-1] == f"moments {REPLACING}"


def test_a_kill_leaves_no_half_written_file_among_the_cassettes_once_the_recording_is_done(asked: Asked) -> None:
    asked.put(asked.old)
    for moment in (2, 4, 6, 8):
        assert asked.run(last=moment) == KILLED, asked.running.said
    assert asked.run() == 0, asked.running.said
    names = {path.name for path in asked.recording.cassette.parent.iterdir()} - {"counted.journal.lock"}
    assert names == {"counted.jsonl", "counted.manifest.json"}
