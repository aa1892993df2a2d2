"""`assay init`: a suite to begin with."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from flows.scaffold import Scaffolded

WORKFLOW = ".github/workflows/assay.yml"


@click.command()
@click.argument("kind")
@click.argument("name", required=False)
def init(kind: str, name: str | None) -> None:
    """Make an example suite of KIND that passes at once, called NAME or else as the kind.

    KIND is extraction, retrieval, orchestration, checks or facets. It goes into the project around the current folder, or
    makes the current folder one. What is there already is never overwritten.
    """
    from flows.scaffold import scaffold

    click.echo(_told(scaffold(kind, name, project_for(Path.cwd()), datetime.now(UTC)), Path.cwd()))


def project_for(start: Path) -> Path:
    """The nearest folder at or above `start` that holds `goldsets/`, within the repository that `start` is in; else `start`."""
    for folder in (start, *start.parents):
        if (folder / "goldsets").is_dir():
            return folder
        if (folder / ".git").exists():
            break
    return start


def _told(done: Scaffolded, here: Path) -> str:
    place = "" if done.root == here else f" in {done.root}"
    lines = [f"{done.name} {done.kind}: an example suite with made-up data, which passes{place}", ""]
    lines += [f"  made  {path}" for path in done.made]
    lines += [f"  added lines to {path}" for path in done.grown]
    lines += [f"  kept  {path}" for path in done.kept]
    guide = f"goldsets/{done.name}/v1/README.md" if "README.md" in done.kept else "README.md"
    lines += ["", f"{guide} tells how to make the example yours."]
    if WORKFLOW in done.made:
        lines.append(f"Fill in ASSAY_SOURCE in {WORKFLOW}: assay is on no package index. {_misplaced(done.root)}".rstrip())
    lines += ["", "Next:", *(f"  $ {command}" for command in done.commands)]
    return "\n".join(lines)


def _misplaced(root: Path) -> str:
    """What to say of a workflow below the repository's own folder; nothing at its place."""
    if (root / ".git").exists() or not any((folder / ".git").exists() for folder in root.parents):
        return ""
    return "Workflows are only seen at the top of the repository: move it there and let its steps begin in this folder."
