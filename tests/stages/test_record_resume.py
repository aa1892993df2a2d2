"""What a recording takes over from an earlier one, and that there is one at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders import conversation, json_lines
from tests.counting_server import Endpoint, counting
from tests.stages.copies import GOLD, finished, started
from tests.stages.recordings import KEY, KILLED, RECORD, Recorder, Recording, bare, counted, recorder

CASES = 3
ORACLE = "oracle_aligned_expected_json"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with counting() as running:
        yield running


@pytest.fixture(scope="module")
def running(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorder]:
    with recorder(tmp_path_factory.mktemp("recorder") / "said.txt", endpoint) as found:
        yield found


@pytest.fixture
def recording(endpoint: Endpoint, tmp_path: Path) -> Recording:
    endpoint.counts.clear()
    endpoint.before_reply = lambda number: None
    return Recording(counted(bare(tmp_path), CASES, timeout_s=120))


def kind(recording: Recording) -> str:
    return str(json.loads(recording.manifest.read_bytes())["cassette_kind"])


def test_after_an_interruption_only_what_is_missing_is_asked_and_the_plan_says_so(
    recording: Recording, running: Recorder, endpoint: Endpoint
) -> None:
    endpoint.before_reply = lambda number: running.kill() if endpoint.counts.total() == 2 else None
    assert running.run(recording.project, *RECORD) == KILLED
    endpoint.before_reply = lambda number: None
    assert running.run(recording.project, *RECORD) == 0
    assert f"counted: {CASES - 1} of {CASES} requests to ask, 1 recorded; about " in running.said
    assert list(endpoint.counts.values()) == [1, 2, 1]  # the second was in flight at the kill


def test_without_an_interruption_a_recording_is_made_anew(recording: Recording, running: Recorder, endpoint: Endpoint) -> None:
    assert [running.run(recording.project, *RECORD) for _ in range(2)] == [0, 0]
    assert list(endpoint.counts.values()) == [2] * CASES


def test_only_missing_keeps_a_live_recording_and_asks_nothing(
    recording: Recording, running: Recorder, endpoint: Endpoint
) -> None:
    assert running.run(recording.project, *RECORD) == 0
    before = recording.cassette.read_bytes()
    assert running.run(recording.project, *RECORD, "--only-missing") == 0
    assert (recording.cassette.read_bytes(), recording.fits(), endpoint.counts.total()) == (before, True, CASES)


def test_only_missing_never_passes_the_expectations_off_as_replies_of_the_model(
    recording: Recording, running: Recorder, endpoint: Endpoint
) -> None:
    assert running.run(recording.project, *RECORD, "--oracle") == 0
    oracle = recording.cassette.read_bytes()
    code = running.run(recording.project, *RECORD, "--only-missing")
    if code == 0:
        assert (kind(recording), endpoint.counts.total()) == ("live_counted_recorded", CASES)
    else:
        assert (kind(recording), recording.cassette.read_bytes()) == (ORACLE, oracle)


def test_only_missing_gives_no_manifest_to_a_cassette_that_was_edited(recording: Recording, running: Recorder) -> None:
    assert running.run(recording.project, *RECORD) == 0
    edited = recording.cassette.read_bytes().replace(b"Answer to", b"Better than")
    recording.cassette.write_bytes(edited)
    assert not recording.fits()
    running.run(recording.project, *RECORD, "--only-missing")
    assert not (recording.fits() and recording.cassette.read_bytes() == edited)


def test_two_cases_that_ask_the_same_each_get_their_outcome_or_are_refused_before_anything_is_asked(
    recording: Recording, running: Recorder, endpoint: Endpoint
) -> None:
    rows = [conversation(name, expects_nothing=True) for name in ("c1", "c2")]
    (recording.project / GOLD / "conversations.jsonl").write_bytes(json_lines(*rows))
    code = running.run(recording.project, *RECORD)
    assert "Traceback" not in running.said
    if code == 0:
        lines = recording.cassette.read_bytes().splitlines()
        assert [json.loads(line)["case_id"] for line in lines] == ["c1", "c2"]
    else:
        assert (code, endpoint.counts.total()) == (2, 0)


def test_a_second_recording_of_the_same_cassette_is_refused_with_the_pid_of_the_first(
    recording: Recording, running: Recorder, endpoint: Endpoint
) -> None:
    """The second one starts while the first waits for its first reply."""
    said: list[tuple[int, str]] = []
    reached = {"COUNTED_URL": endpoint.url, "COUNTED_KEY": KEY}

    def second(number: int) -> None:
        if not said:
            said.append((0, ""))
            done = finished(started(recording.project, "-m", "assay", *RECORD, **reached))
            said[0] = (done.returncode, done.stderr.strip())

    endpoint.before_reply = second
    assert running.run(recording.project, *RECORD) == 0, running.said
    pid = running.child.result()
    expected = f"error: counted.journal.jsonl: is being recorded by process {pid}. Wait for it, or stop it."
    assert said == [(1, expected)]
    assert set(endpoint.counts.values()) == {1}
