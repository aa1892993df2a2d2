"""A judge as a user meets it: asked once about every output, recorded beside the suite, replayed, reported and never gated."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.errors import InputError, Refused, UsageError
from assay.model.run import RunOutcome, RunRequest
from assay.providers.budget import Budget, Limits
from assay.stores.goldsets import open_suite
from assay.suites.checks.judgements import Header, judgements_in
from flows.judging import Judged, record_judgements
from flows.recording import Asking, Plan
from flows.suite_run import run_suite
from tasks._engine import Engine
from tests.builders import json_lines
from tests.counting_server import Endpoint, Slips, counting
from tests.stages.copies import USAGE, command, edited, swapped

KEY = "key-of-the-judge"
NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
GREETINGS = {"a": "Good morning!", "b": "Hey you", "c": "Hello there", "d": "Get lost"}
RUDE = ("Hey you", "Get lost")


@dataclass
class Judging(Endpoint):
    """An endpoint that finds some greetings rude."""

    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What was asked, by the digest of the request's body."""
    slip: str = ""

    def arrived(self, path: str, authorization: str, body: bytes) -> tuple[str, int, int]:
        found = super().arrived(path, authorization, body)
        self.bodies[found[0]] = json.loads(body)
        return found

    def answer(self, digest: str, asking: int) -> tuple[int, dict[str, Any]]:
        status, body = super().answer(digest, asking)
        if status == 200:
            actual = json.loads(self.bodies[digest]["messages"][1]["content"])["actual"]
            said = json.dumps({"passed": actual not in RUDE}) if not self.slip else self.slip
            body["choices"][0]["message"]["content"] = said
        return status, body


def declared(url: str, **options: Any) -> dict[str, Any]:
    live = {"base_url": url, "api_key_env": "JUDGE_KEY", "attempts": 1, "concurrency": 1}
    tone = {"name": "tone", "evaluator": "llm_as_judge", "expected": "nothing", "resources": {"judge_fn": "polite"}}
    return {
        "format": 1,
        "suite": "greetings",
        "version": "v1",
        "kind": "checks",
        "title": "Greetings",
        "synthetic": True,
        "files": {"cases": "cases.jsonl", "outputs": "outputs.jsonl", "judge": "judge.jsonl", "judge_prompt": "judge.md"},
        "providers": {"desk": {"enforcement": "ci", "model": "by hand", "target": "assay.providers.outputs:recorded"}},
        "gate": {"metrics": ["cases_passed", "could_not_run"], "floors": {"cases_passed": 1.0}},
        "options": {
            "reads": "text",
            "checks": [{"name": "length_range", "config": {"min": 1, "max": 20}}, tone],
            "resources": {
                "polite": {
                    "factory": "assay.suites.checks.judging:recorded_judge",
                    "files": ["judge", "judge_prompt"],
                    "options": {"model": "judge-1", "live": live, **options},
                }
            },
        },
    }


@dataclass(frozen=True)
class Desk:
    """A suite outside of any project, with its judge on loopback."""

    folder: Path
    server: Judging

    @property
    def judge(self) -> Path:
        return self.folder / "judge.jsonl"

    @property
    def journal(self) -> Path:
        return self.folder / "judge.journal.jsonl"

    def declare(self, **options: Any) -> None:
        text = yaml.safe_dump(declared(self.server.url, **options), sort_keys=False)
        (self.folder / "suite.yaml").write_text(text, encoding="utf-8")

    def record(self, limits: Limits | None = None, plans: list[Plan] | None = None, **environ: str) -> Judged:
        source = open_suite(self.folder.parent, "greetings", goldset=self.folder, calibrating=True)
        tell = plans.append if plans is not None else lambda _: None
        asking = Asking(environ or {"JUDGE_KEY": KEY}, Budget(limits or Limits(), None), announce=tell)
        return record_judgements(source, self.folder.parent / "home", NOW, asking)

    def again(self) -> Judged:
        """What is recorded when what failed is asked again."""
        source = open_suite(self.folder.parent, "greetings", goldset=self.folder, calibrating=True)
        asking = Asking({"JUDGE_KEY": KEY}, retry_failed=True)
        return record_judgements(source, self.folder.parent / "home", NOW, asking)

    def run(self) -> RunOutcome:
        engine = Engine(self.folder.parent / "home")
        request = RunRequest("greetings", goldset=str(self.folder))
        return run_suite(request, self.folder.parent, self.folder.parent / "home", engine, engine_name="offline", environ={})

    def value(self, name: str) -> float | None:
        report = self.run().parsed
        assert report is not None
        return report.providers["desk"].metrics[name].value


@pytest.fixture
def desk(tmp_path: Path) -> Any:
    with counting(Judging()) as server:
        assert isinstance(server, Judging)
        folder = tmp_path / "greetings"
        folder.mkdir()
        found = Desk(folder, server)
        found.declare()
        rows = [{"id": name, "input": {"guest": name}, "expected": {"nothing": "a polite greeting"}} for name in GREETINGS]
        (folder / "cases.jsonl").write_bytes(json_lines(*rows))
        outputs = [{"id": name, "output": text} for name, text in GREETINGS.items()]
        (folder / "outputs.jsonl").write_bytes(json_lines(*outputs))
        (folder / "judge.md").write_text("Is the greeting polite?\n", encoding="utf-8")
        yield found


def header(desk: Desk) -> Header:
    found, exchanges = judgements_in("judge.jsonl", desk.judge.read_bytes())
    assert found is not None
    assert found.exchanges.rows == len(exchanges)
    return found


def test_every_output_is_judged_once_and_the_verdicts_are_replayed(desk: Desk) -> None:
    plans: list[Plan] = []
    found = desk.record(plans=plans)
    assert (found.asked, found.failed, found.left, found.stopped, found.skipped) == (4, 0, 0, None, ())
    assert [(plan.provider, plan.planned, plan.recorded, plan.to_ask) for plan in plans] == [("judge polite", 4, 0, 4)]
    assert set(desk.server.counts.values()) == {1}
    assert {authorization for _, authorization in desk.server.seen} == {f"Bearer {KEY}"}
    assert (desk.value("tone"), desk.value("tone_score"), desk.value("cases_passed")) == (0.5, 0.5, 1.0)
    assert desk.record().asked == 0
    assert len(desk.server.seen) == 4
    assert not desk.journal.exists()


def test_the_file_says_where_it_comes_from_and_holds_no_key(desk: Desk) -> None:
    desk.record()
    found = header(desk)
    facts = found.judges["polite"]
    assert (found.suite, found.gold_version, found.recorded_by) == ("greetings", "v1", "assay judge greetings")
    assert found.recorded_at == "2026-11-30T10:00:00+00:00"
    assert (facts.model_asked, facts.model_served, facts.prompt) == ("judge-1", "m-served", "Is the greeting polite?\n")
    assert KEY not in desk.judge.read_text(encoding="utf-8")
    bodies = list(desk.server.bodies.values())
    assert {body["model"] for body in bodies} == {"judge-1"}
    assert bodies[0]["response_format"]["json_schema"]["schema"]["required"] == ["passed"]


def test_the_same_answers_make_the_same_bytes(desk: Desk) -> None:
    desk.record()
    first = desk.judge.read_bytes()
    desk.record()
    assert desk.judge.read_bytes() == first


def test_without_a_recording_the_judge_could_not_run_and_the_gate_does_not_mind(desk: Desk) -> None:
    desk.judge.write_bytes(b"")
    assert (desk.value("tone"), desk.value("tone_score")) == (None, None)
    outcome = desk.run()
    assert outcome.parsed is not None
    checks = {check.name: check.status for check in outcome.parsed.providers["desk"].checks}
    assert {name for name, status in checks.items() if status != "kept"} == {"baseline"}
    assert (desk.value("cases_passed"), desk.value("could_not_run")) == (1.0, 0.0)


def test_an_edited_verdict_is_an_input_error(desk: Desk) -> None:
    desk.record()
    text = desk.judge.read_text(encoding="utf-8")
    desk.judge.write_text(text.replace("false", "true", 1), encoding="utf-8")
    with pytest.raises(InputError, match=r"judge\.jsonl: holds other lines than were recorded"):
        desk.run()
    assert desk.record().asked == 4, "what was edited proves nothing, so it is asked again"


def test_an_output_that_changed_is_the_only_one_that_is_asked_about(desk: Desk) -> None:
    desk.record()
    with edited(desk.folder / "outputs.jsonl", swapped("Get lost", "Good bye")):
        assert desk.value("tone") == round(2 / 3, 12), "three are recorded, of which two pass"
        assert desk.record().asked == 1
        assert desk.value("tone") == 0.75


def test_another_prompt_or_model_is_another_judge(desk: Desk) -> None:
    desk.record()
    desk.declare(model="judge-2")
    assert desk.value("tone") is None
    with edited(desk.folder / "judge.md", swapped("polite", "kind")):
        assert desk.value("tone_score") is None
        assert desk.record().asked == 4
        assert desk.value("tone") == 0.5
    assert len(desk.server.seen) == 8


def test_a_limit_stops_it_and_it_goes_on_where_it_stopped(desk: Desk) -> None:
    stopped = desk.record(Limits(max_requests=3))
    assert (stopped.header, stopped.asked, stopped.left, stopped.stopped) == (None, 3, 1, "limit of 3 requests reached")
    assert not desk.judge.exists()
    assert len(desk.journal.read_text(encoding="utf-8").splitlines()) == 3
    found = desk.record(Limits(max_requests=3))
    assert (found.asked, found.left) == (1, 0)
    assert set(desk.server.counts.values()) == {1}
    assert not desk.journal.exists()


def test_a_limit_in_usd_without_a_price_is_refused_before_anything_is_asked(desk: Desk) -> None:
    with pytest.raises(UsageError, match="judge polite: declares no price, so --max-usd would limit nothing"):
        desk.record(Limits(max_usd=1.0))
    assert desk.server.seen == []


def test_no_answer_is_an_outcome_that_may_be_asked_again(desk: Desk) -> None:
    desk.record()
    desk.server.slips = Slips(statuses=(500,))
    with edited(desk.folder / "outputs.jsonl", swapped("Get lost", "Good bye")):
        found = desk.record()
        assert (found.asked, found.failed) == (1, 1)
        assert desk.record().asked == 0
        assert desk.value("tone") == round(2 / 3, 12)
        again = desk.again()
        assert (again.asked, again.failed) == (1, 0)
        assert desk.value("tone") == 0.75


def test_where_nothing_is_answered_the_file_stays(desk: Desk) -> None:
    desk.record()
    before = desk.judge.read_bytes()
    desk.server.slips = Slips(statuses=(500,))
    desk.declare(model="judge-2")
    with pytest.raises(Refused, match=r"gave no answer to any of 4 questions \(HTTP 500\), so its file stays as it is"):
        desk.record()
    assert desk.judge.read_bytes() == before


def test_a_secret_in_a_reply_is_never_written(desk: Desk) -> None:
    desk.server.slip = json.dumps({"passed": True, "by": KEY})
    with pytest.raises(Refused, match=r"judgement of case a: reply\.text: holds the value of JUDGE_KEY") as raised:
        desk.record()
    assert KEY not in str(raised.value)
    assert not desk.judge.exists()
    assert desk.journal.read_bytes() == b""


def test_without_its_key_nothing_is_asked(desk: Desk) -> None:
    with pytest.raises(UsageError, match="judge polite: the variable JUDGE_KEY is not set"):
        desk.record(OTHER="x")
    assert desk.server.seen == []


def test_a_reply_that_is_no_verdict_is_recorded_as_it_is_and_could_not_run(desk: Desk) -> None:
    desk.server.slip = "It is quite polite."
    assert desk.record().failed == 0
    assert b"It is quite polite." in desk.judge.read_bytes()
    assert (desk.value("tone"), desk.value("tone_score"), desk.value("could_not_run")) == (None, None, 0.0)


def test_a_score_passes_from_the_threshold_on(desk: Desk) -> None:
    desk.declare(threshold=0.5)
    desk.server.slip = '{"score": 0.5}'
    desk.record()
    assert desk.value("tone") == 1.0
    desk.declare(threshold=0.6)
    assert desk.value("tone") == 0.0
    assert len(desk.server.seen) == 4


def test_what_a_judge_said_changes_nothing_that_a_recording_or_a_baseline_was_made_from(desk: Desk) -> None:
    desk.judge.write_bytes(b"")
    first = desk.run().parsed
    desk.record()
    second = desk.run().parsed
    assert first is not None
    assert second is not None
    assert first.providers["desk"].recording == second.providers["desk"].recording


def test_its_measures_cannot_be_gated(desk: Desk) -> None:
    desk.judge.write_bytes(b"")
    with (
        edited(desk.folder / "suite.yaml", swapped("  - could_not_run\n", "  - could_not_run\n  - tone\n")),
        pytest.raises(InputError, match="is advisory until it has been calibrated, so it cannot be gated, got 'tone'"),
    ):
        desk.run()


def test_a_suite_without_a_judge_has_nothing_to_record(desk: Desk) -> None:
    suite = declared(desk.server.url)
    suite["options"] = {"checks": [{"name": "length_range", "config": {"max": 9}}]}
    (desk.folder / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    with pytest.raises(UsageError, match=r"options\.resources: declares no judge"):
        desk.record()


def test_no_check_that_asks_the_judge_is_an_input_error(desk: Desk) -> None:
    with edited(desk.folder / "suite.yaml", swapped("      judge_fn: polite\n", "      other: polite\n")):
        assert desk.record().asked == 4, "whatever the option is called"
    suite = declared(desk.server.url)
    del suite["options"]["checks"][1]
    (desk.folder / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")
    with pytest.raises(InputError, match="judge: no output to judge; expected a check with the judge among its resources"):
        desk.record()


def test_two_judges_share_a_file(desk: Desk) -> None:
    suite = declared(desk.server.url)
    other = {**suite["options"]["resources"]["polite"]}
    other["options"] = {**other["options"], "model": "judge-2"}
    suite["options"]["resources"]["second"] = other
    suite["options"]["checks"].append({**suite["options"]["checks"][1], "name": "manner", "resources": {"judge_fn": "second"}})
    plain = json.loads(json.dumps(suite))  # without aliases
    (desk.folder / "suite.yaml").write_text(yaml.safe_dump(plain, sort_keys=False), encoding="utf-8")
    assert desk.record().asked == 8
    assert {name: facts.model_asked for name, facts in header(desk).judges.items()} == {
        "polite": "judge-1",
        "second": "judge-2",
    }
    assert (desk.value("tone"), desk.value("manner")) == (0.5, 0.5)


def test_the_command_records_says_so_and_stops_with_exit_3(desk: Desk) -> None:
    root = Path(__file__).resolve().parents[2]
    where, environ = ("--goldset", str(desk.folder)), {"JUDGE_KEY": KEY, "ASSAY_HOME": str(desk.folder.parent / "home")}
    stopped = command(root, "judge", "greetings", "--max-requests", "2", *where, **environ)
    assert (stopped.returncode, stopped.stdout) == (3, "")
    assert stopped.stderr.splitlines() == [
        "judge polite: 4 of 4 outputs to judge, 0 recorded; about 103 prompt tokens, at most 0.00 USD",
        "asking judge: 1 of 4 done",
        "asking judge: 2 of 4 done",
        "error: judge: stopped (limit of 2 requests reached); 2 judgements recorded now, 2 left. "
        "Run the same command to go on; nothing is asked twice.",
    ]
    done = command(root, "judge", "greetings", *where, **environ)
    assert (done.returncode, "2 recorded" in done.stderr) == (0, True)
    assert done.stdout == "4 judgements (2 asked now, 0 without an answer); polite served by m-served. They are advisory.\n"
    keyless = command(root, "judge", "greetings", *where, ASSAY_HOME=environ["ASSAY_HOME"])
    assert keyless.returncode == USAGE
    assert "judge polite: the variable JUDGE_KEY is not set" in keyless.stderr
