"""Judgements: the outputs of a suite's subjects, replayed; then a judge's verdicts on those that have none; then its file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter

from assay.digest import digest_of
from assay.errors import InputError, Problem, Refused, UsageError
from assay.model.exchange import Exchange, Outcome, Request
from assay.model.gold import GoldCase
from assay.model.run import RunRequest
from assay.model.suite import Provider
from assay.providers.budget import estimated_tokens, worst_usd
from assay.providers.chat import ChatEndpoint
from assay.providers.client import endpoint_of
from assay.redaction import refuse_secrets, secret_values, suite_secrets
from assay.stores.cassettes import exchange_lines, file_facts
from assay.stores.files import inside, remove_leftovers, write_atomically
from assay.stores.goldsets import Source
from assay.stores.journal import Journal
from assay.suites.checks.judgements import Header, JudgeFacts, judgements, judgements_in
from assay.suites.checks.judging import ROLE, Judge, Question, judges_in, questions
from assay.suites.checks.options import Options, options_of
from flows.chain import recorded_answers, run_load
from flows.recording import Asking, Plan, counted
from tasks._engine import Engine

KIND = "checks"
OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Outcome)


@dataclass(frozen=True)
class Judged:
    """How it ended: the file as it was written, or why it was not."""

    header: Header | None
    asked: int
    failed: int
    left: int
    stopped: str | None
    skipped: tuple[str, ...] = ()
    """Subjects without an output that may be replayed."""


def record_judgements(source: Source, home: Path, now: datetime, asking: Asking) -> Judged:
    """Ask the suite's judges about every output of its subjects, and replace the file of judgements.

    What was judged before is not asked again. Outcomes go to a journal first, so that an interrupted recording is taken up
    where it stopped; the file is replaced when every output has an outcome. Raises UserError for a missing key, and where
    there is nothing to judge, before anything is asked.
    """
    chosen, judges, path = _declared(source)
    for name, judge in judges.items():
        endpoint_of(f"judge {name}", judge.options.provider, asking.environ)
    secrets = _secrets(source, judges, asking.environ)
    refuse_secrets(source.shown, {name: judge.prompt for name, judge in judges.items()}, secrets)
    planned, skipped = _planned(source, home, chosen, judges)
    with Journal(path.with_suffix(".journal.jsonl")) as journal:
        remove_leftovers(path)
        done = _done(source, path, journal, asking)
        todo = [question for question in planned if question.request.fields.digest not in done]

        def keep(case_id: str, request: Request, outcome: Outcome) -> None:
            exchange = Exchange.of(case_id, request, outcome)
            refuse_secrets(f"judgement of case {case_id}", exchange.model_dump(mode="json"), secrets)
            journal.append(exchange)
            done[exchange.request_sha256] = exchange

        stopped = _ask_all(judges, planned, todo, keep, asking)
        found = [done[digest] for question in planned if (digest := question.request.fields.digest) in done]
        left, failed = len(planned) - len(found), sum(exchange.failure is not None for exchange in found)
        if left:
            return Judged(None, len(todo) - left, failed, left, stopped, skipped)
        if failed == len(found):
            first = next(exchange.failure.reason for exchange in found if exchange.failure)
            told = f"gave no answer to any of {failed} questions ({first}), so its file stays as it is"
            raise Refused(Problem("judge", told, remedy="Ask again with --retry-failed."))
        lines = exchange_lines(found)
        header = _header(source, judges, planned, found, lines, now)
        write_atomically(path, judgements(header, lines))
        journal.remove()
    return Judged(header, len(todo), failed, 0, None, skipped)


def _declared(source: Source) -> tuple[Options, dict[str, Judge], Path]:
    """Options, judges and the place of their file. Raises UsageError for a suite that has none."""
    suite, where = source.suite, f"{source.shown}/suite.yaml"
    if suite.kind != KIND:
        raise UsageError(Problem(f"{where}: kind", "has no judges", suite.kind, KIND))
    options = options_of(suite.options)
    judges = judges_in(options, {role: (f"{source.shown}/{name}", data) for role, (name, data) in source.files.items()})
    if not judges:
        raise UsageError(Problem(f"{where}: options.resources", "declares no judge", expected="a resource that is one"))
    if ROLE not in suite.files:
        raise InputError(Problem(f"{where}: files", f"names no {ROLE!r} file", expected=f"`{ROLE}: <file to write>`"))
    return options, judges, inside(source.folder, suite.files[ROLE], f"{where}: files.{ROLE}")


def _secrets(source: Source, judges: Mapping[str, Judge], environ: Mapping[str, str]) -> dict[str, str]:
    blocks = [judge.options.live for judge in judges.values() if judge.options.live]
    names = {name for live in blocks for name in (live.api_key_env, live.base_url_env) if name}
    return suite_secrets(source.suite, environ) | secret_values(sorted(names), environ)


def _planned(
    source: Source, home: Path, options: Options, judges: Mapping[str, Judge]
) -> tuple[list[Question], tuple[str, ...]]:
    """Every question about the subjects' outputs, once, in gold order, and who has no output that may be replayed.

    Raises InputError where nobody has one, and where no check asks a judge.
    """
    engine, subjects = Engine(home), source.suite.subjects
    cases = run_load(source, engine)
    answers = recorded_answers(source, RunRequest(source.suite.suite), engine, subjects, cases, "refuse")
    skipped = tuple(name for name in subjects if name not in answers.replies)
    if len(skipped) == len(subjects):
        remedy = f"`assay verify {source.suite.suite}` says why."
        raise InputError(Problem(f"provider {', '.join(skipped)}", "has no output that may be replayed", remedy=remedy))
    found: dict[str, Question] = {}
    gold = [GoldCase.model_validate(row) for row in engine.artifacts.get(cases)]
    replies = {name: engine.artifacts.get(ref)["providers"][name]["replies"] for name, ref in answers.replies.items()}
    for case in gold:
        for by_case in replies.values():
            outcomes = [OUTCOME.validate_python(outcome) for outcome in by_case.get(case.id, ())]
            for question in questions(case, outcomes, options, judges):
                found.setdefault(question.request.fields.digest, question)
    if not found:
        raise InputError(Problem("judge", "no output to judge", expected="a check with the judge among its resources"))
    return list(found.values()), skipped


def _done(source: Source, path: Path, journal: Journal, asking: Asking) -> dict[str, Exchange]:
    """What need not be asked again, by request digest. A file that was edited by hand is left out, for it proves nothing."""
    found = list(journal.found)
    if path.exists():
        try:
            found = [*judgements_in(path.name, path.read_bytes())[1], *found]
        except InputError:
            found = list(journal.found)
    kept = [exchange for exchange in found if not (asking.retry_failed and exchange.failure)]
    return {exchange.request_sha256: exchange for exchange in kept}


def _ask_all(
    judges: Mapping[str, Judge],
    planned: Sequence[Question],
    todo: Sequence[Question],
    keep: Callable[[str, Request, Outcome], None],
    asking: Asking,
) -> str | None:
    """Ask each judge what it has not been asked; returns why it stopped early, or None."""
    plans = {name: [question for question in todo if question.judge == name] for name in judges}
    for name, judge in judges.items():
        asking.announce(_plan(name, judge, [q for q in planned if q.judge == name], plans[name], asking))
    for name, judge in judges.items():
        live = judge.options.live
        if live is not None and live.price is None and plans[name] and asking.budget.limits.max_usd is not None:
            remedy = "Declare live.price in its options, or limit requests or minutes; nothing was asked."
            raise UsageError(Problem(f"judge {name}", "declares no price, so --max-usd would limit nothing", remedy=remedy))
    for name, judge in judges.items():
        stopped = _ask(name, judge, plans[name], keep, asking)
        if stopped is not None:
            return stopped
    return None


def _ask(
    name: str, judge: Judge, todo: Sequence[Question], keep: Callable[[str, Request, Outcome], None], asking: Asking
) -> str | None:
    provider: Provider = judge.options.provider
    live = provider.live
    if live is None or not todo:
        return None
    asking.budget.price = live.price

    from assay.providers.asking import ask_all

    async def run() -> str | None:
        endpoint = ChatEndpoint(f"judge {name}", provider, judge.schema, asking.environ)
        try:
            kept = counted(keep, len(todo), asking.progress)
            return await ask_all([(one.case_id, one.request) for one in todo], endpoint, live, asking.budget, kept)
        finally:
            await endpoint.close()

    return asyncio.run(run())


def _plan(name: str, judge: Judge, planned: Sequence[Question], todo: Sequence[Question], asking: Asking) -> Plan:
    price = judge.options.live.price if judge.options.live else None
    return Plan(
        provider=f"judge {name}",
        planned=len(planned),
        recorded=len(planned) - len(todo),
        to_ask=len(todo),
        prompt_tokens=sum(estimated_tokens(one.request) for one in todo),
        worst_usd=sum(worst_usd(one.request, price) for one in todo),
        limits=asking.budget.limits,
    )


def _header(
    source: Source,
    judges: Mapping[str, Judge],
    planned: Sequence[Question],
    found: Sequence[Exchange],
    lines: bytes,
    now: datetime,
) -> Header:
    by = {question.request.fields.digest: question.judge for question in planned}
    facts = {}
    for name, judge in judges.items():
        own = [exchange.reply for exchange in found if by[exchange.request_sha256] == name and exchange.reply]
        served = sorted({reply.model_served for reply in own if reply.model_served})
        facts[name] = JudgeFacts(
            model_asked=judge.options.model,
            model_served=", ".join(served) or None,
            prompt=judge.prompt,
            schema_sha256=digest_of(judge.schema),
        )
    return Header(
        format=1,
        suite=source.suite.suite,
        gold_version=source.suite.version,
        recorded_at=now.isoformat(timespec="seconds"),
        recorded_by=f"assay judge {source.suite.suite}",
        judges=facts,
        exchanges=file_facts(lines),
    )
