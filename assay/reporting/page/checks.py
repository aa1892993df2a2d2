"""All checks with what they belong to: those that were not kept, and everything by group."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.model.report import Report
from assay.model.verdict import Check

ORDER = ("broken", "could-not-run", "kept")


@dataclass(frozen=True)
class ShownCheck:
    """One check as the page shows it."""

    status: str
    name: str
    message: str
    decides: bool
    """Whether the verdict follows from it."""


@dataclass(frozen=True)
class Group:
    """The checks of the suite, or of one provider."""

    of: str
    counts: str
    """How many came to what, such as `30 kept, 1 broken`."""
    checks: tuple[ShownCheck, ...]


def check_groups(report: Report) -> list[Group]:
    """The suite's checks, then each provider's; groups without checks are left out."""
    found = [_group(f"suite {report.facts.suite}", report.checks, decides=True)]
    found += [_group(name, provider.checks, decides=provider.decides) for name, provider in report.providers.items()]
    return [group for group in found if group.checks]


def not_kept(groups: Iterable[Group]) -> list[tuple[str, ShownCheck]]:
    """What was not kept, with what it belongs to: broken before could-not-run, deciding ones before others."""
    found = [(group.of, check) for group in groups for check in group.checks if check.status != "kept"]
    return sorted(found, key=lambda item: (not item[1].decides, ORDER.index(item[1].status)))


def counts_text(statuses: Iterable[str]) -> str:
    """How many came to what; `no checks` for none."""
    every = list(statuses)
    return ", ".join(f"{every.count(status)} {status}" for status in ORDER if status in every) or "no checks"


def _group(of: str, checks: Iterable[Check], *, decides: bool) -> Group:
    told = tuple(ShownCheck(check.status, check.name, check.message, decides) for check in checks)
    return Group(of, counts_text(check.status for check in told), told)
