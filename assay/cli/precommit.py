"""`assay precommit`: what must not be committed, for a pre-commit hook."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from assay.stores.suite_folders import SuiteFolders


@click.command()
@click.argument("files", nargs=-1, type=click.Path())
def precommit(files: tuple[str, ...]) -> int:
    """Refuse secrets, edited recordings and faulty gold sets in the suites that FILES belong to; without FILES in all.

    A file may have been deleted or renamed; one that belongs to no suite is not looked at. Exit 1 with one line per refusal.
    """
    from assay.reporting.terminal import one_line
    from assay.stores.suite_folders import folders_of

    here = Path.cwd()
    found = folders_of(files, here) if files else _every_suite(here)
    refused = [line for folders in found for line in _refused(folders, here)]
    for line in refused:
        click.echo(one_line(line))
    suites = f"{len(found)} suite{'' if len(found) == 1 else 's'}"
    told = f"{suites} looked at, nothing refused" if found else "none of these files belongs to a suite"
    click.echo(f"{len(refused)} refused in {suites}" if refused else told)
    return 1 if refused else 0


def _every_suite(here: Path) -> list[SuiteFolders]:
    """All suites of the project around. Raises UsageError when there is none: nothing was looked at then."""
    from assay.errors import Problem, UsageError
    from assay.stores.suite_folders import all_folders, project_around

    root = project_around(here)
    found = all_folders(root) if root else []
    if not found:
        raise UsageError(Problem(str(root or here), "holds no suite", expected="goldsets/<suite>/<version>/suite.yaml"))
    return found


def _refused(folders: SuiteFolders, here: Path) -> list[str]:
    from assay.stores.home import assay_home
    from assay.stores.suite_folders import project_around
    from flows.precommit import refused_in

    root = (project_around(here) or here) if folders.is_foreign else folders.root
    return refused_in(folders, assay_home(root, os.environ), os.environ)
