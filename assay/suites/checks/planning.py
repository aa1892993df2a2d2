"""What each case's checks are: evaluators with their options, all of it settled before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from assay.errors import InputError, Problem, UserError, nearest
from assay.evaluators.guard import told
from assay.evaluators.metric import Evaluator
from assay.evaluators.plan import Planned, planned
from assay.evaluators.registry import evaluator_origin, get_evaluator
from assay.model.gold import GoldCase
from assay.namesakes import imported_module
from assay.suites.checks.cases import row_of
from assay.suites.checks.options import CheckEntry, Options, Resource

Files = Mapping[str, tuple[str, bytes]]
BUILT_IN = "assay"


@dataclass(frozen=True)
class Applied:
    """One check as a case applies it."""

    entry: CheckEntry
    plan: Planned
    is_advisory: bool = False


class Plans:
    """The checks of every case. Raises InputError or InvalidCall for names, options and objectives that mean nothing."""

    def __init__(self, options: Options, files: Files | None) -> None:
        """Without files no resource is made: enough to say whether the plans mean something."""
        self._options = options
        self._evaluators = {check.name: evaluator_of(check.used) for check in options.checks}
        self._config = {check.name: dict(check.config) for check in options.checks}
        made = {} if files is None else {name: _made(name, found, files) for name, found in options.resources.items()}
        self._resources = {
            check.name: {option: made[name] for option, name in check.resources.items() if name in made}
            for check in options.checks
        }

    def problems(self, cases: Iterable[GoldCase]) -> list[Problem]:
        """What in the plans of these cases means nothing."""
        found: list[Problem] = []
        for case in cases:
            try:
                self.of(case)
            except UserError as error:
                found.extend(error.problems)
        return found

    def of(self, case: GoldCase) -> tuple[Applied, ...]:
        """The checks that look at a case, in the suite's order."""
        row, where = row_of(case), f"case {case.id}"
        known = [check.name for check in self._options.checks]
        for name in (*(row.checks or ()), *row.config):
            if name not in known:
                raise InputError(Problem(where, "unknown check", name, f"one of {', '.join(known)}", nearest(name, known)))
        applied = [check for check in self._options.checks if row.checks is None or check.name in row.checks]
        plans = planned(self._evaluators, self._config, row.config, f"{where}: config")
        by_name = {plan.name: plan for plan in plans}
        return tuple(
            Applied(check, self._with_resources(by_name[check.name]), self._options.is_advisory(check)) for check in applied
        )

    def _with_resources(self, plan: Planned) -> Planned:
        return replace(plan, options={**plan.options, **self._resources[plan.name]})


def evaluator_of(name: str) -> Evaluator:
    """A known evaluator, or the function behind `package.module:function`. Raises InputError, or InvalidCall with the known."""
    return cast(Evaluator, _imported(name)) if ":" in name else get_evaluator(name)


def imports_of(options: Options) -> tuple[str, ...]:
    """The import strings of all code of others that scoring runs: resources, plug-ins and functions."""
    used = [check.used for check in options.checks]
    named = [name for name in used if ":" in name]
    plugged = [origin for name in used if ":" not in name and (origin := evaluator_origin(name)) != BUILT_IN]
    modules = [origin[origin.index("(") + 1 : -1] for origin in plugged]
    return tuple(sorted({*(resource.factory for resource in options.resources.values()), *named, *modules}))


def at_path(value: object, path: str) -> tuple[bool, object]:
    """Whether something lies at the dotted path, and what."""
    for part in filter(None, path.split(".")):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, Sequence) and not isinstance(value, str) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return False, None
    return True, value


def _made(name: str, resource: Resource, files: Files) -> object:
    """The resource itself. Raises InputError when its factory raises."""
    make = _imported(resource.factory)
    try:
        return make({role: files[role] for role in resource.files if role in files}, resource.options)
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001  # a factory of the user's own may raise anything
        where = f"suite.yaml: options.resources.{name}"
        raise InputError(Problem(where, f"cannot be made ({told(error)})", resource.factory)) from None


def _imported(name: str) -> Callable[..., object]:
    """The user's function. Raises InputError."""
    module, _, attribute = name.partition(":")
    where = "suite.yaml: options"
    try:
        found = getattr(imported_module(module), attribute)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # the user's module may raise anything when it is imported
        raise InputError(Problem(where, f"cannot be imported ({type(error).__name__}: {error})", name)) from None
    if not callable(found):
        raise InputError(Problem(where, "is no function", name))
    return cast("Callable[..., object]", found)
