"""The command line. Commands import what they need when they run, so that `--help` stays quick."""

from __future__ import annotations

import sys

import click

from assay.cli.baseline import baseline, gate
from assay.cli.cache import cache
from assay.cli.eval import evaluate
from assay.cli.explain import explain
from assay.cli.goldset import audit, calibrate, list_suites
from assay.cli.history import history
from assay.cli.init import init
from assay.cli.judge import judge
from assay.cli.open import open_report
from assay.cli.pr import pr
from assay.cli.precommit import precommit
from assay.cli.record import record
from assay.cli.run import run
from assay.cli.sabotage import sabotage
from assay.cli.verify import verify
from assay.errors import UserError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="assay", message="assay %(version)s")
def main() -> None:
    """Evaluate LLM systems with numbers that can be believed.

    Exit codes: 0 PASS, 1 FAIL, 2 usage or input error, 3 NO VERDICT.
    """


COMMANDS = (
    init,
    list_suites,
    run,
    evaluate,
    pr,
    open_report,
    explain,
    history,
    verify,
    audit,
    calibrate,
    record,
    judge,
    baseline,
    gate,
    sabotage,
    precommit,
    cache,
)
for command in COMMANDS:
    main.add_command(command)


def entry() -> int:
    """Run the command line; returns the exit code. A user's error is a message, never a traceback."""
    try:
        code = main(standalone_mode=False)
    except UserError as error:
        click.echo("\n".join(f"error: {problem}" for problem in error.problems), err=True)
        return error.exit_code
    except click.exceptions.Abort:
        click.echo("stopped.", err=True)
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return int(code or 0)
