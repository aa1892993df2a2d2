"""A change on trial: what each suite comes to under it, and every way in which it makes passing easier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.acknowledgements import Settled
from assay.beside_base import BesideBase
from assay.errors import UserError
from assay.model.run import WORST_FIRST, RunOutcome, plural, verdict_of
from assay.model.verdict import Check, outcome_of
from assay.tampering import Finding

IF_MEANT = ". If that is meant, write into the pull request: "
UNCHANGED = "UNCHANGED"
"""Not run, since the change cannot touch it: neither a PASS nor any other verdict of a run."""


@dataclass(frozen=True)
class SuiteChange:
    """One suite under the change."""

    suite: str
    inputs: tuple[str, ...]
    """Names of what differs from the merge base; empty for a suite that the change cannot touch."""
    result: RunOutcome | UserError | None
    """Its run, or why there is none; None for a suite that was not run."""
    checks: tuple[Check, ...] = ()
    """What is asked of the change beside the run: contract, oracle policy, the merge base's baseline, open findings."""
    is_new: bool = False
    added: tuple[str, ...] = ()
    """Cases that only the head has; the head's baseline gates them."""
    beside: Mapping[str, BesideBase] = field(default_factory=dict)
    """By gated subject, what moved since the merge base; empty where the two are not the same measure."""
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The worse of the run's verdict and of what the other checks come to; a suite that nothing ran has no PASS."""
        beside = outcome_of(self.checks) if self.checks else None
        if self.result is None and not self.inputs and beside in {None, "PASS"}:
            return UNCHANGED
        own = verdict_of(self.result) if self.result is not None else None
        found = {told for told in (beside, own) if told is not None}
        return next((told for told in WORST_FIRST if told in found), "NO VERDICT")


@dataclass(frozen=True)
class ChangeOutcome:
    """All suites under one change."""

    base: str
    """The merge base."""
    suites: Mapping[str, SuiteChange]
    settled: Settled
    removed: tuple[str, ...] = ()
    """Suites of the merge base that the head lacks."""
    loose: tuple[Check, ...] = field(default=())
    """Checks that belong to no suite of the head."""

    @property
    def verdict(self) -> str:
        """The worst of all; UNCHANGED where nothing was run and nothing is held against the change; no suite is NO VERDICT."""
        found = {change.verdict for change in self.suites.values()} | ({outcome_of(self.loose)} if self.loose else set())
        return next((told for told in (*WORST_FIRST, UNCHANGED) if told in found), "NO VERDICT")

    @property
    def exit_code(self) -> int:
        """As everywhere."""
        return 0 if self.verdict == UNCHANGED else WORST_FIRST[self.verdict]

    @property
    def headline(self) -> str:
        """The verdict in one line, with the first reason where it is not PASS."""
        touched = sum(bool(change.inputs) for change in self.suites.values())
        unchanged = len(self.suites) - touched
        left = sum(change.result is None for change in self.suites.values())
        name = f"{self.verdict}: {plural(touched, 'suite')} touched, {unchanged} unchanged since {self.base[:12]}"
        name += f" ({left} not run: what they come to is not judged here)" if left and not touched else ""
        name += self._run_again(unchanged)
        reason = self._reason()
        return f"{name}: {reason}" if reason else name

    def _run_again(self, unchanged: int) -> str:
        again = sum(not change.inputs and change.result is not None for change in self.suites.values())
        return "" if not again else " and run all the same" if again == unchanged else f", {again} of them run all the same"

    def _reason(self) -> str:
        if self.verdict in {"PASS", UNCHANGED}:
            return ""
        wanted = {"FAIL": "broken", "NO VERDICT": "could-not-run"}.get(self.verdict)
        for check in self.loose:
            if check.status == wanted:
                return _in_short(check)
        worst = next((change for change in self.suites.values() if change.verdict == self.verdict), None)
        if worst is None:
            return "the project has no suite"
        told = next((f"{worst.suite}: {_in_short(check)}" for check in worst.checks if check.status == wanted), "")
        if worst.result is not None and verdict_of(worst.result) == self.verdict:
            own = worst.result.headline if isinstance(worst.result, RunOutcome) else str(worst.result.problems[0])
            return own if not told else f"{told}; {own}"
        return told


def finding_check(finding: Finding) -> Check:
    """An open finding as a broken check; what it says is what to paste."""
    told = f"{finding.what}{IF_MEANT}{finding.acknowledgement}"
    return Check(name=f"easier.{finding.name.replace(' ', '_')}", status="broken", message=told)


def _in_short(check: Check) -> str:
    """The check's name and first line, without what is to be pasted."""
    return f"{check.name}: {check.message.splitlines()[0].partition(IF_MEANT)[0]}"
