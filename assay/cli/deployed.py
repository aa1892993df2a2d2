"""The flows as a deployment names them: `assay.cli.deployed:evaluate` is the flow `evaluate` of our `flows/evaluate.py`.

A worker stands in the user's project, whose own `flows` would be found first under their plain name.
"""

from __future__ import annotations

from importlib import import_module

from assay.namesakes import find_ours_here


def __getattr__(name: str) -> object:
    """The flow of this name, which its module is called after."""
    if name.startswith("_"):
        raise AttributeError(name)
    find_ours_here()
    try:
        return getattr(import_module(f"flows.{name}"), name)
    except ModuleNotFoundError as error:
        if error.name != f"flows.{name}":
            raise
        raise AttributeError(f"there is no flow {name!r}") from None
