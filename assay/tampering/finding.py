"""One way in which a change makes passing easier: its name, its place and both values in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from assay.digest import canonical, sha256_hex

FindingName = Literal[
    "removed suite",
    "replaced version",
    "changed kind",
    "removed case",
    "edited case",
    "left-out case",
    "edited answer",
    "lowered floor",
    "raised ceiling",
    "lowered control-floor",
    "raised max_drop_pp",
    "raised must_notice_cases",
    "raised must_detect_pp",
    "lowered false_alarm",
    "eased no_verdict",
    "raised stale_after_days",
    "declared survivor",
    "eased audit",
    "ungated metric",
    "ungated provider",
    "manual enforcement",
    "claims none",
    "disabled control",
    "changed control",
    "disabled evaluator",
    "changed evaluator",
    "flipped objective",
    "eased objective",
    "changed option",
    "changed scorer",
    "changed constant",
    "edited calibration",
    "changed gate",
    "changed file",
    "re-authored recording",
    "edited recording",
    "renamed model",
    "swapped target",
    "removed contract",
    "flipped synthetic",
    "altered baseline",
    "dropped metric",
    "oracle policy",
]
NAMES: tuple[FindingName, ...] = get_args(FindingName)
"""Every finding's name, in the order in which findings are listed."""
KEYWORD = "ASSAY_ACK"
NO_REASON = "..."
"""What stands where the reason belongs until somebody gives one."""
OTHER_MEASURE: frozenset[FindingName] = frozenset(
    {
        "replaced version",
        "changed kind",
        "disabled evaluator",
        "changed evaluator",
        "flipped objective",
        "eased objective",
        "changed option",
        "changed scorer",
        "changed constant",
        "changed file",
    }
)
_PLAIN = re.compile(r"[\w.@:+/#=^()-]+")
_SHOWN = 60
_LISTED = 5


@dataclass(frozen=True)
class Finding:
    """One way in which a change makes passing easier. Its name and place are what an acknowledgement has to say."""

    name: FindingName
    suite: str
    what: str
    """In words, with both values. May quote what the change says, so it is shown as text and never as markup."""
    provider: str | None = None
    detail: str | None = None
    """Which case, metric, check, module or file."""

    @property
    def place(self) -> str:
        """`<suite>[/<provider>][/<detail>]`; a detail that is no plain word is named by its digest."""
        return "/".join(filter(None, (self.suite, self.provider, self.detail and plain(self.detail))))

    @property
    def subject(self) -> str:
        """What an acknowledgement says before `because`."""
        return f"{self.name} {self.place}"

    @property
    def acknowledgement(self) -> str:
        """The line to paste into the pull request; the dots are no reason yet."""
        return acknowledgement_of(self.subject)

    @property
    def changes_measure(self) -> bool:
        """Whether numbers of both revisions are no longer the same measure, so that comparing them says nothing."""
        return self.name in OTHER_MEASURE


def acknowledgement_of(subject: str) -> str:
    """The line that acknowledges this subject, once a reason stands in it."""
    return f"{KEYWORD}: {subject} because {NO_REASON}"


def plain(detail: str) -> str:
    """The detail where it is one word that survives a comment's markup, else a name made from its digest."""
    return detail if _PLAIN.fullmatch(detail) else f"sha256:{sha256_hex(detail.encode('utf-8', 'surrogatepass'))[:12]}"


def shown(value: object) -> str:
    """A value as short JSON on one line; what is absent is `none`."""
    text = "none" if value is None else canonical(value).decode("utf-8", "replace")
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def moved(before: object, after: object) -> str:
    """`before -> after`, both short."""
    return f"{shown(before)} -> {shown(after)}"


def some(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
