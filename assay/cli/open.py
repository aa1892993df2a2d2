"""`assay open`: a finished run's report in the browser."""

from __future__ import annotations

import click

from assay.cli.workspace import workspace


@click.command("open")
@click.argument("run", default="latest")
@click.option("--print", "only_print", is_flag=True, help="Print where the page lies, and open nothing.")
def open_report(run: str, *, only_print: bool) -> None:
    """Open the report of RUN in the browser.

    RUN is a run id, a folder with report.json, or latest, which is the default. $BROWSER names another browser.
    """
    import webbrowser

    from assay.errors import Problem, UsageError
    from assay.stores.runs import page_of, run_folder

    page = page_of(run_folder(workspace().home, run))
    click.echo(str(page))
    if not only_print and not webbrowser.open(page.as_uri()):
        raise UsageError(Problem("assay open", "found no browser to open it with", remedy="Open that file, or set $BROWSER."))
