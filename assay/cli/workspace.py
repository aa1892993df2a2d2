"""Where a command works: project, cache, environment. The only reader of the process environment and folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

GOLDSET = click.option(
    "--goldset", type=click.Path(file_okay=False), metavar="DIR", help="SUITE's folder, where it is not the project's."
)
"""The option of every command that opens a suite."""


@dataclass(frozen=True)
class Workspace:
    """The surroundings of one command."""

    root: Path
    home: Path
    environ: Mapping[str, str]


def workspace(goldset: str | None = None) -> Workspace:
    """The project around the current folder; with a suite's own folder given, the current folder where there is no project.

    Raises UsageError when there is neither.
    """
    from assay.stores.goldsets import root_for
    from assay.stores.home import assay_home

    root = root_for(Path.cwd(), goldset)
    return Workspace(root, assay_home(root, os.environ), os.environ)
