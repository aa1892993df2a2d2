"""Options by evaluator, for a call and for a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.errors import Problem, nearest
from assay.evaluators.refusal import InvalidCall

Config = Mapping[str, Mapping[str, object] | None]


def merged(base: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    """`base` with `over` laid on it, mapping by mapping to any depth; other values replace. Arguments are not changed."""
    found = dict(base)
    for key, value in over.items():
        below = found.get(key)
        found[key] = merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return found


def check_config(config: object, known: Sequence[str], where: str) -> None:
    """Raise InvalidCall unless `config` maps names of evaluators to options; None stands for none."""
    if config is None:
        return
    if not isinstance(config, Mapping):
        raise InvalidCall(Problem(where, "is no mapping", config, "options by evaluator"))
    for name, options in config.items():
        if name not in known:
            raise InvalidCall(
                Problem(where, "names no evaluator", name, f"one of {', '.join(known)}", nearest(str(name), known))
            )
        if options is not None and not isinstance(options, Mapping):
            raise InvalidCall(Problem(f"{where}.{name}", "is no mapping", options, "the evaluator's options"))
