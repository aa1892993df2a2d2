"""The port that evaluators call: `check_compliance(decision, policy_id)`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from assay.errors import InputError, Problem, UsageError, nearest
from assay.providers.policy.judging import Judgement, judge
from assay.providers.policy.policy import Policy
from assay.providers.policy.policy_file import policies_of


class Engine:
    """Policies by id, judged as of one moment. It has no clock: the same decision always gets the same judgement."""

    def __init__(self, policies: Iterable[Policy], as_of: datetime | str) -> None:
        """`as_of` is a moment with an offset, or its ISO 8601 form. Raises UsageError."""
        self._policies = {policy.id: policy for policy in policies}
        self._as_of = _moment(as_of)

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The policies it knows, in file order."""
        return tuple(self._policies.values())

    def judgement(self, decision: object, policy_id: str) -> Judgement:
        """Rule by rule, what the policy says of a decision, an object or its dict. Raises UsageError for an unknown id."""
        policy = self._policies.get(policy_id)
        if policy is None:
            known = ", ".join(self._policies) or "none"
            raise UsageError(
                Problem("policy_id", "unknown policy", policy_id, f"one of {known}", nearest(policy_id, self._policies))
            )
        return judge(policy, decision, self._as_of)

    def check_compliance(self, decision: object, policy_id: str, /) -> bool:
        """True when every rule is kept, False when any is broken.

        Raises:
            UsageError: for an unknown policy.
            InputError: no rule is broken, but some cannot be told because the decision lacks what they speak of. That is
                neither yes nor no.
        """
        found = self.judgement(decision, policy_id)
        if found.status == "untold":
            raise InputError(
                [
                    Problem(f"policy {policy_id}, rule {finding.rule}", f"cannot be told: {finding.reason}")
                    for finding in found.findings
                ]
            )
        return found.status == "kept"


def engine_of(data: bytes, where: str, as_of: datetime | str) -> Engine:
    """The engine over the policies of a YAML file. Raises InputError for a faulty file, UsageError for a faulty moment."""
    return Engine(policies_of(data, where), as_of)


def _moment(value: datetime | str) -> datetime:
    expected = "a moment with an offset in ISO 8601, as 2026-11-30T00:00:00+00:00"
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise UsageError(Problem("as_of", "is not a moment", value, expected)) from None
    if moment.utcoffset() is None:
        raise UsageError(Problem("as_of", "has no offset", moment.isoformat(), expected))
    return moment
