"""The kill table of the reference crew: each planted defect, and which cases of the orchestration suite turn red.

    python tools/kill_table.py

Exits 1 when a defect turns other cases red than it should, or none.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.model.suite import Provider
from assay.model.target import TargetContext
from assay.providers.crew import factory
from assay.providers.crew.choice import SCRIPTED
from assay.providers.crew.defects import DEFECTS, Defect
from assay.suites.orchestration.cases import load
from assay.suites.orchestration.scoring import scorer
from tasks.replay_targets import answers_in

ROOT = Path(__file__).resolve().parent.parent
GOLD = ROOT / "goldsets" / "orchestration" / "v1"


@dataclass(frozen=True)
class Kill:
    """What one defect came to."""

    defect: Defect
    red: tuple[str, ...]
    broken_checks: tuple[str, ...]
    wanted: tuple[str, ...]

    @property
    def is_killed(self) -> bool:
        """Whether exactly what should turn red did, and something did."""
        wanted_checks = (self.defect.broken_check,) if self.defect.broken_check else ()
        return bool(self.red or self.broken_checks) and (self.red, self.broken_checks) == (self.wanted, wanted_checks)


def kills() -> list[Kill]:
    """Every defect, run over all cases in the order of the gold set."""
    files = {role: (f"{role}{suffix}", (GOLD / f"{role}{suffix}").read_bytes()) for role, suffix in FILES.items()}
    cases = load(files)
    score = scorer(files, {})
    context = TargetContext(cases=cases, provider=Provider(enforcement="ci", model=SCRIPTED), files=files)
    found = []
    for defect in DEFECTS:
        target = factory(context, defect.parts())
        outcomes = answers_in(target, cases)
        red = tuple(case.id for case in cases if not score(case, outcomes[case.id]).passed)
        broken = tuple(check.name for check in target.checks() if check.status == "broken")
        found.append(Kill(defect, red, broken, defect.red_among([case.id for case in cases])))
    return found


FILES = {"cases": ".jsonl", "rules": ".yaml", "scenarios": ".jsonl"}


def table(found: Sequence[Kill]) -> str:
    """The kills as Markdown."""
    lines = ["| defect | killed | by |", "|---|---|---|"]
    for kill in found:
        by = ", ".join((*kill.red, *(f"check {name}" for name in kill.broken_checks))) or "nobody"
        lines.append(f"| {kill.defect.name} | {'yes' if kill.is_killed else 'NO, wanted ' + ', '.join(kill.wanted)} | {by} |")
    return "\n".join([*lines, "", f"{sum(kill.is_killed for kill in found)} of {len(found)} killed by what should kill them"])


def main() -> int:
    """Print the table."""
    found = kills()
    if "--json" in sys.argv[1:]:
        print(json.dumps([{"defect": k.defect.name, "killed": k.is_killed, "by": [*k.red, *k.broken_checks]} for k in found]))
    else:
        print(table(found))
    return 0 if all(kill.is_killed for kill in found) else 1


if __name__ == "__main__":
    sys.exit(main())
