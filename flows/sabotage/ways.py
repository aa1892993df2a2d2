"""The same suite run in another way: under another name, in shards, by two workers. None of them may change what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assay.digest import sha256_hex
from assay.errors import UserError
from assay.model.ports import scoring_part
from assay.model.run import RunRequest
from assay.model.score import CaseScore, Measure
from assay.model.verdict import Metric
from assay.reporting.build import with_timing
from assay.sabotage.defect import NotApplicable
from assay.sabotage.parts import Metrics, Scorer
from assay.stores.artifacts import Body
from assay.stores.runs import materialise
from assay.stores.scores import Scored, score_table
from flows.chain import run_chain
from flows.sabotage.engine import SabotageEngine
from flows.sabotage.trial import Bench
from flows.sabotage.workers import WorkersEngine
from tasks._stage import Inputs, Params
from tasks.gate import GATE
from tasks.publish import PUBLISH
from tasks.score import SCORE
from tasks.score import run as score

SHARDS = 2
NAMES = ("20260101T000000Z-a-name", "20260202T000000Z-another-name")
Told = Mapping[str, Any]
"""What a run says, by what people would call it."""


def in_one_process(bench: Bench) -> Told:
    """The ordinary way of a mutant: what the others are compared with."""
    return _told(bench, SabotageEngine(bench.shared, bench.parts))


def in_shards(bench: Bench) -> Told:
    """Every group of providers scored in two shards of the cases, whose rows are joined. Raises NotApplicable."""
    return _told(bench, SabotageEngine(bench.shared, bench.parts, remembers=False, instead={SCORE: scored_in_shards}))


def by_two_workers(bench: Bench) -> Told:
    """The ordinary engine with a cache of its own, and the controls' stages done ahead by a second. Raises NotApplicable."""
    if not bench.source.suite.controls:
        raise NotApplicable("the suite has no controls, and a second worker does nothing else")
    with TemporaryDirectory() as home:
        return _told(bench, WorkersEngine(Path(home), bench.parts, bench.shared))


def filed(bench: Bench, run_id: str, *, out: bool) -> Told:
    """Every file of a run of this name by its digest, the name itself taken out; `out` puts it into a folder of its own."""
    anew = {GATE: GATE.run, PUBLISH: PUBLISH.run}
    engine = SabotageEngine(bench.shared, bench.parts, reports=True, instead=anew)
    with TemporaryDirectory() as home:
        folder = Path(home, "elsewhere") if out else None
        try:
            files = run_chain(bench.source, _request(bench, folder), engine, "refuse")
        except UserError as error:
            return {"error": str(error)}
        named = {**files, "report.json": with_timing(files["report.json"], {"run_id": run_id})}
        place = materialise(Path(home), run_id, named, folder)
        return {path.name: sha256_hex(path.read_bytes().replace(run_id.encode(), b"")) for path in place.iterdir()}


def _request(bench: Bench, out: Path | None = None) -> RunRequest:
    return RunRequest(bench.source.suite.suite, providers=(bench.subject,), out=str(out) if out else None)


WAYS: Mapping[str, tuple[Callable[[Bench], Told], Callable[[Bench], Told]]] = {
    "run name": (lambda bench: filed(bench, NAMES[0], out=False), lambda bench: filed(bench, NAMES[1], out=True)),
    "shards": (in_one_process, in_shards),
    "worker count": (in_one_process, by_two_workers),
}
"""By control: one way and the other."""


def scored_in_shards(kind: str, inputs: Inputs, params: Params, *, scorer: Scorer, metrics: Metrics) -> Body:
    """The score stage run for each shard with its own cases and replies alone, and the metrics of all rows together.

    Raises NotApplicable for fewer cases than shards.
    """
    cases, providers = inputs["cases"], params["providers"]
    if len(cases) < SHARDS:
        raise NotApplicable(f"{len(cases)} case makes no {SHARDS} shards")
    rows: dict[str, list[CaseScore]] = {name: [] for name in providers}
    for first in range(SHARDS):
        shard = {**inputs, "cases": cases[first::SHARDS], "replies": _replies_to(cases[first::SHARDS], inputs["replies"])}
        for name, more in zip(providers, _rows(kind, shard, params, scorer), strict=True):
            rows[name] += more
    measures = scoring_part(kind).measures(params["options"])
    table = score_table({name: Scored(found, metrics(found, measures)) for name, found in rows.items()})
    return Body("arrow", table, len(cases) * len(rows))


def _replies_to(cases: Sequence[Mapping[str, Any]], body: Mapping[str, Any]) -> dict[str, Any]:
    ids = {case["id"] for case in cases}
    return {
        "providers": {
            name: {**one, "replies": {case: replies for case, replies in one["replies"].items() if case in ids}}
            for name, one in body["providers"].items()
        }
    }


def _rows(kind: str, inputs: Inputs, params: Params, scorer: Scorer) -> list[list[CaseScore]]:
    """The rows of one shard, a list for each provider."""
    found: list[list[CaseScore]] = []

    def kept(rows: Iterable[CaseScore], measures: Mapping[str, Measure]) -> dict[str, Metric]:
        found.append(list(rows))
        return {}

    score(kind, inputs, params, scorer=scorer, metrics=kept)
    return found


def _told(bench: Bench, engine: SabotageEngine | WorkersEngine) -> Told:
    """Verdict, checks by status, and the metrics and cases of every provider, the subject first."""
    try:
        run_chain(bench.source, _request(bench), engine, "refuse")
    except UserError as error:
        return {"error": str(error)}
    judgement = engine.judgement or {}
    found: dict[str, Any] = {"verdict": judgement["verdict"], "checks": _statuses(judgement)}
    for name, said in sorted(judgement["providers"].items(), key=lambda one: one[0] != bench.subject):
        found[f"checks of {name}"] = _statuses(said)
        found |= {f"{metric} of {name}": value for metric, value in said["metrics"].items()}
        found |= {f"case {case} of {name}": outcome for case, outcome in said["cases"].items()}
    return found


def _statuses(said: Mapping[str, Any]) -> list[str]:
    return sorted(f"{check['name']} {check['status']}" for check in said["checks"])
