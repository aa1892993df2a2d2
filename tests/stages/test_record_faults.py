"""A recording against an endpoint that fails: nothing lost, nothing asked again, every limit kept."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from assay.errors import Incomplete, UserError
from assay.model.exchange import ORACLE, Failure, Reply
from assay.providers.budget import Limits
from assay.stores.goldsets import open_suite
from flows.recording import record_oracle
from tests.fault_server import ANSWER, PASSING, SLOW, STALL, Action, FaultServer, always, in_turn, refusal, seeded
from tests.stages.copies import GOLD, PASS, USAGE, tree
from tests.stages.faulty import (
    KEY,
    NOW,
    case_ids,
    cassette,
    cli,
    journal,
    manifest,
    of_case,
    recorded,
    right,
    run,
    surroundings,
    with_cases,
)

RECORD = ("record", "extraction", "--provider", "faulty")
SEED, SHARE, CASES = 98, 0.3, 300
QUICK = tuple(action for action in PASSING if action is not STALL)
MIX = (*QUICK, *QUICK, SLOW, STALL)
"""Each silence costs a whole timeout, and that must be long: a busy machine must not look like a silent one."""


def figures(server: FaultServer, failed: int) -> str:
    kinds = Counter(seen.action for seen in server.seen)
    faults = kinds.total() - kinds["answer"]
    told = ", ".join(f"{count} {name}" for name, count in sorted(kinds.items()))
    return (
        f"{CASES} cases, {kinds.total()} requests, {faults} faults ({faults / kinds.total():.0%}): {told}; {failed} "
        f"without an answer, 0 lost, {server.asked_after_success} asked again after success"
    )


def test_300_cases_under_30_percent_faults_end_in_300_outcomes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_cases(project, CASES, concurrency=16, timeout_s=8)
    with FaultServer(seeded(SEED, SHARE, MIX), right) as server:
        done = cli(project, *RECORD, **surroundings(server))
        kept = cassette(project)
        failed = [exchange.case_id for exchange in kept if exchange.failure]
        with capsys.disabled():
            print(f"\n{figures(server, len(failed))}")
        assert done.returncode == PASS, done.stderr
        told = f"faulty: 300 outcomes (300 asked now, {len(failed)} without an answer), kind live_faulty_recorded, "
        assert done.stdout.splitlines()[0] == f"{told}served by fault-1."
        assert [exchange.case_id for exchange in kept] == case_ids(CASES)
        assert sum(seen.action != "answer" for seen in server.seen) / len(server.seen) == pytest.approx(SHARE, abs=0.03)
        assert {seen.action for seen in server.seen} == {action.name for action in (*MIX, ANSWER)}
        _is_what_the_server_did(project, server)
        assert 0 < len(failed) < 30  # 0.3 ** 3 of 300 are 8
        assert server.asked_after_success == 0
        assert recorded(project, server, only_missing=True, retry_failed=True).asked == len(failed)
        _is_what_the_server_did(project, server)
        assert server.asked_after_success == 0


def _is_what_the_server_did(project: Path, server: FaultServer) -> None:
    """Every answer that the server gave is kept as it was, and where it gave none there is a failure."""
    texts = {of_case(prompt): right(prompt) for prompt, times in server.answered.items() if times}
    kept = cassette(project)
    assert {exchange.case_id: exchange.reply.text for exchange in kept if exchange.reply} == texts
    assert {exchange.case_id for exchange in kept if exchange.failure} == set(case_ids(CASES)) - texts.keys()
    assert all(exchange.failure.attempts == 3 for exchange in kept if exchange.failure)
    assert journal(project) == []


LIVE = ("run", "extraction", "--offline", "--provider", "faulty", "--mode", "live")


@pytest.mark.parametrize("arguments", [RECORD, LIVE], ids=["record", "live"])
def test_without_a_key_nothing_is_asked_and_nothing_stands_in_for_it(project: Path, arguments: tuple[str, ...]) -> None:
    before = tree(with_cases(project, 2))
    with FaultServer(always(ANSWER), right) as server:
        done = cli(project, *arguments, FAULTY_URL=server.url, OPENAI_API_KEY=KEY)
    told = "error: provider faulty: the variable FAULTY_KEY is not set. Set it with `export FAULTY_KEY=...`; nothing was asked."
    assert (done.returncode, done.stderr.strip()) == (USAGE, told)
    assert server.seen == []
    assert tree(project) == before


def test_recording_a_whole_suite_looks_for_every_key_first(project: Path) -> None:
    with_cases(project, 2)
    with FaultServer(always(ANSWER), right) as server, pytest.raises(UserError, match="the variable OPENAI_API_KEY is not set"):
        run(project, server, "record", providers=())
    assert server.seen == []


def test_ten_requests_are_ten_requests_and_the_rest_follows_later(project: Path) -> None:
    with_cases(project, 25)
    source = open_suite(project, "extraction", None)
    record_oracle(source, "faulty", source.suite.providers["faulty"], project / ".assay", NOW)
    before = tree(project)
    with FaultServer(always(ANSWER), right) as server:
        done = cli(project, *RECORD, "--max-requests", "10", **surroundings(server))
        assert len(server.seen) == 10
        assert done.stdout == (
            "faulty: stopped (limit of 10 requests reached); 10 requests recorded now, 15 left. "
            "The committed recording is as it was; run the same command to go on.\n"
        )
        plan = r"faulty: 25 of 25 requests to ask, 0 recorded; about [\d,]+ prompt tokens, at most 0\.00 USD"
        announced, *progress = done.stderr.splitlines()
        assert re.fullmatch(plan + "; budget: 10 requests", announced)
        assert progress == [f"asking faulty: {number} of 25 done" for number in range(2, 11, 2)]
        assert {name: data for name, data in tree(project).items() if name in before} == before
        assert len(journal(project)) == 10
        recorded(project, server, Limits(max_requests=10))
        assert (len(server.seen), len(cassette(project)), manifest(project).cassette_kind) == (20, 25, ORACLE)
        assert recorded(project, server).asked == 5
    assert (server.answered.total(), max(server.answered.values())) == (25, 1)
    assert [exchange.case_id for exchange in cassette(project)] == case_ids(25)
    assert manifest(project).cassette_kind == "live_faulty_recorded"
    assert journal(project) == []


def test_retries_count_towards_the_limit_of_requests(project: Path) -> None:
    with_cases(project, 4, attempts=20)
    with FaultServer(always(refusal(429, "0")), right) as server:
        result = recorded(project, server, Limits(max_requests=10))
    assert (len(server.seen), result.left, result.stopped) == (10, 4, "limit of 10 requests reached")
    assert journal(project) == []


def test_retry_after_is_honoured_in_seconds_and_as_a_date(project: Path) -> None:
    """Lower bounds: a random wait would be half a second at most."""
    with_cases(project, 2)
    later = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=3)
    wishes = {"town-000": refusal(429, "1"), "town-001": refusal(503, format_datetime(later, usegmt=True))}
    with FaultServer(lambda prompt, nth: ANSWER if nth else wishes[of_case(prompt)], right) as server:
        recorded(project, server)
    times = {name: [seen.at for seen in server.seen if of_case(seen.prompt) == name] for name in wishes}
    assert times["town-000"][1] - times["town-000"][0] >= 0.99
    assert times["town-001"][1] >= later.timestamp() - 0.01
    assert [type(exchange.outcome) for exchange in cassette(project)] == [Reply, Reply]


def test_the_deadline_is_hard_also_for_a_body_that_drips(project: Path) -> None:
    """The body takes five seconds and no pause in it is longer than any timeout."""
    with_cases(project, 2, timeout_s=9, deadline_s=3, attempts=1)
    drip = {"town-000": Action("drip", drip_s=0.5)}
    with FaultServer(lambda prompt, nth: drip.get(of_case(prompt), ANSWER), right) as server:
        assert recorded(project, server).failed == 1
    failure = cassette(project)[0].failure
    assert failure is not None
    assert failure.reason.startswith("no answer within")
    assert server.answered.total() == 1


def test_a_body_that_drips_once_is_given_up_at_the_timeout_and_asked_again(project: Path) -> None:
    with_cases(project, 1, timeout_s=3)
    with FaultServer(in_turn(Action("drip", drip_s=0.5), ANSWER), right) as server:
        recorded(project, server)
    assert [seen.action for seen in server.seen][:2] == ["drip", "answer"]
    assert isinstance(cassette(project)[0].outcome, Reply)


def test_what_cannot_be_mended_by_asking_again_is_asked_once_and_kept_with_its_status(project: Path) -> None:
    with_cases(project, 2)
    with FaultServer(lambda prompt, nth: refusal(400) if of_case(prompt) == "town-000" else ANSWER, right) as server:
        assert recorded(project, server).failed == 1
    assert cassette(project)[0].failure == Failure(reason="HTTP 400", status=400, attempts=1)
    assert len(server.seen) == 2


def test_an_endpoint_that_turns_the_key_down_stops_the_run_and_what_is_kept_stays(project: Path) -> None:
    with_cases(project, 6, concurrency=1)
    once = {("town-003", 0): refusal(401)}
    with FaultServer(lambda prompt, nth: once.get((of_case(prompt), nth), ANSWER), right) as server:
        with pytest.raises(UserError, match=r"^endpoint: refuses to answer \(HTTP 401\)"):
            recorded(project, server)
        assert (len(server.seen), [e.case_id for e in journal(project)]) == (4, case_ids(3))
        assert cassette(project) == []
        assert recorded(project, server).asked == 3
    assert server.asked_after_success == 0
    assert [exchange.case_id for exchange in cassette(project)] == case_ids(6)


def test_two_cases_that_ask_the_same_have_an_outcome_each(project: Path) -> None:
    with_cases(project, 3)
    file = project / GOLD / "conversations.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("town 2.", "town 1."), encoding="utf-8")
    with FaultServer(always(ANSWER), right) as server:
        try:
            result = recorded(project, server)
        except UserError as refused:
            assert "town-002" in str(refused)  # noqa: PT017  # to refuse such a gold set is honest too, before any request
            assert server.seen == []
            return
    assert (result.left, result.failed) == (0, 0)
    assert {exchange.case_id for exchange in cassette(project)} == set(case_ids(3))


def test_a_run_in_mode_record_records_and_then_scores_the_recording(project: Path) -> None:
    with_cases(project, 6)
    with FaultServer(in_turn(refusal(500), ANSWER), right) as server:
        outcome, report = run(project, server, "record")
    assert [type(exchange.outcome) for exchange in cassette(project)] == [Reply] * 6
    found = report.providers["faulty"]
    assert (outcome.verdict, report.facts.mode) == ("NO VERDICT", "record")  # it is manual, so nothing is gated
    assert (found.metrics["full_match_rate"].value, found.cassette_kind) == (1.0, "live_faulty_recorded")
    assert [check.name for check in found.checks if check.status == "broken"] == []
    assert len(server.seen) == 12


def test_a_run_in_mode_record_stops_at_a_limit_and_goes_on_later(project: Path) -> None:
    with_cases(project, 6)
    with FaultServer(always(ANSWER), right) as server:
        with pytest.raises(Incomplete, match=r"limit of 4 requests reached\); 2 requests left"):
            run(project, server, "record", max_requests=4)
        assert (len(server.seen), cassette(project)) == (4, [])
        run(project, server, "record")
    assert (len(server.seen), server.asked_after_success, len(cassette(project))) == (6, 0, 6)


def test_the_limit_of_a_run_is_for_all_its_providers_together(project: Path) -> None:
    with_cases(project, 4, "faulty", "other")
    with FaultServer(always(ANSWER), right) as server, pytest.raises(Incomplete, match="limit of 5 requests reached"):
        run(project, server, "record", providers=("faulty", "other"), max_requests=5)
    assert len(server.seen) == 5
