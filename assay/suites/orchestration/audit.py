"""audit: counts, cases that are alike, and rules that no run could break."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from assay.metrics.distinctness import alike_pairs, effective_number
from assay.model.audit import Audit, Finding, Pair
from assay.suites.orchestration.cases import Row, parse
from assay.suites.orchestration.rule_file import own_rules
from assay.suites.orchestration.rules import Rule, form_of

FILES = ("cases", "rules")
ALIKE = 0.95
"""Two cases whose inputs are this alike count as one written twice."""
FEW_RULES = 3


def audit(files: Mapping[str, tuple[str, bytes]], options: Mapping[str, Any]) -> Audit:
    """The gold set on trial.

    Faults: ids that stand twice, rules that mean nothing, a case without a rule, two cases with the same input.
    """
    rows, common, wrong = parse(files)
    shown = files["cases"][0]
    own = {} if wrong else {row.id: own_rules(row.expect.rules, f"{shown}: {row.id}") for row in rows}
    inputs = {row.id: json.dumps(row.input, sort_keys=True, ensure_ascii=False) for row in rows}
    alike = tuple(Pair(a=a, b=b, similarity=s) for a, b, s in alike_pairs(inputs, ALIKE))
    same = tuple(pair for pair in alike if inputs[pair.a] == inputs[pair.b])
    return Audit(
        suite="",
        version="",
        cases=len(rows),
        effective_cases=round(effective_number(inputs, ALIKE), 1),
        counts=_counts(rows, common, own),
        near_duplicates=same,
        review_band=tuple(pair for pair in alike if pair not in same),
        faults=(*map(str, wrong), *(f"{pair.a} and {pair.b} have the same input" for pair in same)),
        findings=(_thin(own), _said(rows)),
    )


def _counts(rows: Sequence[Row], common: Sequence[Rule], own: Mapping[str, Sequence[Rule]]) -> dict[str, dict[str, int]]:
    forms = Counter(form_of(rule) for rules in (common, *own.values()) for rule in rules)
    return {
        "cases": {"all": len(rows)},
        "rules": {"of every case": len(common), "of single cases": sum(map(len, own.values()))},
        "forms": dict(sorted(forms.items())),
    }


def _thin(own: Mapping[str, Sequence[Rule]]) -> Finding:
    """Cases that say little of their own: a run may do nearly anything there."""
    lines = tuple(f"{name}: {len(rules)} rules of its own" for name, rules in own.items() if len(rules) < FEW_RULES)
    return Finding(title=f"Cases with fewer than {FEW_RULES} rules of their own ({len(lines)})", lines=lines)


def _said(rows: Sequence[Row]) -> Finding:
    return Finding(title="What a user would call correct", lines=tuple(f"{row.id}: {row.expect.user}" for row in rows))
