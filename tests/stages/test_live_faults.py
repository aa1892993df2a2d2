"""A live run: fresh answers scored and filed as evidence, asked once, and every case in the report."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from assay.errors import Incomplete
from assay.model.exchange import Manifest, Reply
from assay.model.report import Report
from assay.providers.client import EndpointRefused
from tests.fault_server import ANSWER, FaultServer, always, completion, in_turn, refusal, saying
from tests.stages.copies import NO_VERDICT, tree
from tests.stages.faulty import KEY, case_ids, cassette, cli, exchanges, of_case, right, run, surroundings, with_cases

RUN = ("run", "extraction", "--provider", "faulty", "--mode", "live", "--offline", "--json")
FULL = "full_match_rate"


def test_a_live_run_scores_fresh_answers_and_files_them_beside_the_report(project: Path) -> None:
    before = tree(with_cases(project, 4))
    with FaultServer(in_turn(refusal(503, "0"), ANSWER), right) as server:
        done = cli(project, *RUN, **surroundings(server))
    assert done.returncode == NO_VERDICT, done.stderr  # it is manual, so nothing is gated
    summary = json.loads(done.stdout)
    assert summary["providers"]["faulty"]["metrics"][FULL]["value"] == 1.0
    folder = project / ".assay" / "runs" / summary["timing"]["run_id"]
    filed = exchanges(folder / "evidence-faulty.jsonl")
    assert {e.case_id: e.reply.text for e in filed if e.reply} == {of_case(p): right(p) for p in server.answered}
    manifest = Manifest.model_validate_json((folder / "evidence-faulty.manifest.json").read_bytes())
    assert (manifest.cassette_kind, manifest.cassette.rows) == ("live_faulty_recorded", 4)
    assert {path.name for path in folder.iterdir()} >= {"report.json", "report.md", "junit.xml"}
    assert tree(project) == before, "a live run touches no recording"
    assert all(KEY.encode() not in path.read_bytes() for path in folder.iterdir())


def test_a_second_look_asks_nothing_and_sees_the_same(project: Path) -> None:
    with_cases(project, 4)
    with FaultServer(always(ANSWER), right) as server:
        first = run(project, server)[1].providers["faulty"]
        second = run(project, server)[1].providers["faulty"]
    assert len(server.seen) == 4
    assert (second.metrics, second.cases) == (first.metrics, first.cases)


def test_refresh_asks_everything_again(project: Path) -> None:
    with_cases(project, 4)
    nothing = saying(completion('{"memories": []}'))
    with FaultServer(in_turn(ANSWER, nothing), right) as server:
        run(project, server)
        assert run(project, server)[1].providers["faulty"].metrics[FULL].value == 1.0
        assert run(project, server, refresh=True)[1].providers["faulty"].metrics[FULL].value == 0.0
        assert run(project, server)[1].providers["faulty"].metrics[FULL].value == 0.0
    assert server.asked == dict.fromkeys(server.asked, 2)


def test_a_limit_stops_a_live_run_and_the_next_goes_on_without_asking_twice(project: Path) -> None:
    with_cases(project, 6)
    with FaultServer(always(ANSWER), right) as server:
        with pytest.raises(Incomplete, match=r"limit of 4 requests reached\); 4 of 6 requests are answered"):
            run(project, server, max_requests=4)
        assert len(server.seen) == 4
        run(project, server)
    assert server.answered == dict.fromkeys(server.answered, 1)
    assert len(server.seen) == 6


def test_repeats_are_requests_of_their_own_and_tell_how_stable_each_case_is(project: Path) -> None:
    with_cases(project, 3)
    wrong = '{"memories": []}'
    asked = Counter[str]()

    def reply(prompt: str) -> str:
        """town-000 is always right, town-001 at first only, town-002 never."""
        asked[case := of_case(prompt)] += 1
        return right(prompt) if case == "town-000" or (case, asked[case]) == ("town-001", 1) else wrong

    with FaultServer(always(ANSWER), reply) as server:
        outcome, report = run(project, server, repeat=3)
        again = run(project, server, repeat=3)[1]
    assert asked == dict.fromkeys(case_ids(3), 3)
    found = report.providers["faulty"]
    assert found.stability == {"town-000": "stable pass", "town-001": "flaky", "town-002": "stable fail"}
    assert again.providers["faulty"].stability == found.stability
    assert found.notes == ("over 3 askings: 1 stable pass, 1 flaky, 1 stable fail",)
    assert {name: case.passed for name, case in found.cases.items()} == {
        "town-000": True,
        "town-001": True,
        "town-002": False,
    }
    filed = [exchanges(Path(outcome.folder) / f"evidence-faulty{part}.jsonl") for part in ("", "-repeat1", "-repeat2")]
    assert [[exchange.request.repeat for exchange in part] for part in filed] == [[0] * 3, [1] * 3, [2] * 3]
    assert len({exchange.request_sha256 for part in filed for exchange in part}) == 9


def test_the_limit_of_a_run_is_for_all_its_repeats_together(project: Path) -> None:
    with_cases(project, 3)
    with FaultServer(always(ANSWER), right) as server:
        with pytest.raises(Incomplete, match="limit of 4 requests reached"):
            run(project, server, repeat=3, max_requests=4)
        assert len(server.seen) == 4
        run(project, server, repeat=3)
    assert server.answered == dict.fromkeys(server.answered, 3)


def test_an_unanswered_case_is_a_failed_case_and_no_gap(project: Path) -> None:
    with_cases(project, 4)
    with FaultServer(lambda prompt, nth: refusal(500) if of_case(prompt) == "town-002" else ANSWER, right) as server:
        outcome, report = run(project, server)
        assert len(server.seen) == 6  # three attempts for one case
        found = report.providers["faulty"]
        assert list(found.cases) == case_ids(4)
        assert [name for name, case in found.cases.items() if not case.passed] == ["town-002"]
        failed = found.failed["town-002"]
        assert (failed.status, failed.reason) == ("unanswered", "no answer: HTTP 500")
        assert (found.metrics[FULL].value, found.metrics[FULL].n) == (0.75, 4)
        filed = exchanges(Path(outcome.folder) / "evidence-faulty.jsonl")
        assert [exchange.case_id for exchange in filed if exchange.failure] == ["town-002"]
        run(project, server)
    assert Counter(of_case(seen.prompt) for seen in server.seen) == {
        **dict.fromkeys(case_ids(4), 1),
        "town-002": 6,  # what got no answer is asked again
    }


def test_an_answer_that_was_paid_for_outlives_a_refresh_that_fails(project: Path) -> None:
    with_cases(project, 1, attempts=1)
    with FaultServer(in_turn(ANSWER, refusal(500), ANSWER), right) as server:
        run(project, server)
        run(project, server, refresh=True)
        run(project, server)
    assert len(server.seen) == 2


def test_a_reply_that_does_not_parse_is_malformed_and_kept_as_it_is(project: Path) -> None:
    with_cases(project, 1)
    with FaultServer(always(ANSWER), lambda prompt: '```json\n{"memories": [') as server:
        outcome, report = run(project, server)
    assert report.providers["faulty"].failed["town-000"].status == "malformed"
    assert [e.reply.text for e in exchanges(Path(outcome.folder) / "evidence-faulty.jsonl") if isinstance(e.reply, Reply)] == [
        '```json\n{"memories": ['
    ]


def test_a_refused_key_ends_the_run_with_no_report(project: Path) -> None:
    with_cases(project, 2)
    with FaultServer(always(refusal(401)), right) as server, pytest.raises(EndpointRefused):
        run(project, server)
    assert not (project / ".assay" / "runs").exists()
    assert cassette(project) == []


def test_the_report_of_a_live_run_says_that_it_is_one(project: Path) -> None:
    with_cases(project, 1)
    with FaultServer(always(ANSWER), right) as server:
        report: Report = run(project, server)[1]
    assert report.facts.mode == "live"
    assert report.providers["faulty"].cassette_kind == "live_faulty_recorded"
    assert report.providers["faulty"].enforcement == "manual"
