"""What the forms in Prefect's UI offer: the suites of the project in whose folder a deployment is made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import WithJsonSchema

from assay.errors import UserError
from assay.stores.goldsets import project_root, suites_in

ALL = "all"


def _choice() -> dict[str, Any]:
    """A choice of the suites that there are; Prefect's server lets nothing else through. Any text where there is no project."""
    try:
        names = list(suites_in(project_root(Path.cwd())))
    except UserError:
        names = []
    return {"type": "string", "enum": [ALL, *names]} if names else {"type": "string"}


SuiteOrAll = Annotated[str, WithJsonSchema(_choice())]
"""The name of a suite, or `all`."""
