"""Who is measured: our commands, and what they are held against."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path

from measure import BIN, ROOT, Failed, Sample, run

PYTHON = str(BIN / "python")
ASSAY = str(BIN / "assay")
FINISHED = (0, 3)
"""PASS and NO VERDICT: the run went through all six stages."""
STATES = ("cold", "warm")

EMPTY_FLOW = """\
from prefect import flow, task


@task
def nothing():
    pass


@flow
def empty():
    nothing()


if __name__ == "__main__":
    empty()
"""

TRIVIAL_EVALS = """\
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected


async def echo(text):
    return text


if __name__ == "__main__":
    cases = [Case(name=f"case-{i}", inputs=f"text {i}", expected_output=f"text {i}") for i in range(1000)]
    report = Dataset(name="trivial", cases=cases, evaluators=[EqualsExpected()]).evaluate_sync(echo, progress=False)
    assert len(report.cases) == 1000 and report.averages().assertions == 1.0
"""

SCRIPTS = {"empty_flow.py": EMPTY_FLOW, "trivial_evals.py": TRIVIAL_EVALS}


@dataclass(frozen=True)
class Contender:
    """A command, measured cold (nothing kept from before) and then warm, or once."""

    name: str
    command: tuple[str, ...]
    """`{scripts}` stands for the folder of our own scripts."""
    has_states: bool = True
    runs_suite: bool = False


OFFLINE = Contender("assay run extraction --offline", (ASSAY, "run", "extraction", "--offline"), runs_suite=True)
FLOW = Contender("assay run extraction, ephemeral server", (ASSAY, "run", "extraction"), runs_suite=True)
EMPTY = Contender("empty flow, ephemeral server", (PYTHON, "{scripts}/empty_flow.py"))
OFFLINE_BESIDE_SERVER = Contender("assay run extraction --offline, server running", OFFLINE.command, runs_suite=True)
FLOW_ON_SERVER = Contender("assay run extraction, running server", FLOW.command, runs_suite=True)
EMPTY_ON_SERVER = Contender("empty flow, running server", EMPTY.command)
EVALS = Contender("pydantic-evals, 1,000 exact matches", (PYTHON, "{scripts}/trivial_evals.py"), has_states=False)
HELP = Contender("assay --help", (ASSAY, "--help"), has_states=False)

ALONE = (HELP, EVALS, OFFLINE, EMPTY, FLOW)
WITH_SERVER = (OFFLINE_BESIDE_SERVER, EMPTY_ON_SERVER, FLOW_ON_SERVER)


def write_scripts(folder: Path) -> None:
    """Put the scripts of the peers where they are run from."""
    for name, text in SCRIPTS.items():
        (folder / name).write_text(text)


def settings() -> dict[str, str]:
    """Prefect's settings as the product has them, read from its source: importing it would import Prefect."""
    for node in ast.parse((ROOT / "tasks" / "_prefect.py").read_bytes()).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "SETTINGS" for t in node.targets):
            found: dict[str, str] = ast.literal_eval(node.value)
            return found
    raise Failed("tasks/_prefect.py: SETTINGS is not there")


def measured(contender: Contender, scripts: Path, home: Path, environ: dict[str, str]) -> dict[str, Sample]:
    """One pass of a contender in a fresh `home`: state to sample; the only state of a stateless one is `-`."""
    home.mkdir(parents=True)
    kept = {"ASSAY_HOME": str(home / "assay"), "PREFECT_HOME": str(home / "prefect")}
    command = [part.replace("{scripts}", str(scripts)) for part in contender.command]
    found = {}
    for state in STATES if contender.has_states else ("-",):
        ok = FINISHED if contender.runs_suite else (0,)
        found[state] = run(command, {**environ, **kept}, home / "log", ok)
        if contender.runs_suite:
            _check_cache(contender, home / "assay", state)
    return found


def _check_cache(contender: Contender, home: Path, state: str) -> None:
    """A cold run has computed every stage, a warm one none."""
    report = max(home.glob("runs/*/report.json"), key=lambda path: path.stat().st_mtime_ns)
    stages = json.loads(report.read_bytes())["timing"]["stages"]
    wrong = [stage["stage"] for stage in stages if stage["cached"] != (state == "warm")]
    if wrong:
        raise Failed(f"{contender.name}, {state}: {', '.join(wrong)} {'computed' if state == 'warm' else 'cached'}")
