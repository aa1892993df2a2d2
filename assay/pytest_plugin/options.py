"""What pytest loads at its start: options and a marker. All else is imported when `--assay` is given."""

from __future__ import annotations

import pytest

NODE_ID = "assay::"
"""How the node ids of the items begin."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--assay` and what belongs to it."""
    group = parser.getgroup("assay", "evaluation suites (assay)")
    group.addoption(
        "--assay",
        action="store_true",
        help="Run the project's suites too: an item per suite and subject, from recordings, judged as `assay run` does.",
    )
    group.addoption(
        "--assay-suite",
        action="append",
        default=[],
        metavar="NAME",
        help="Only this suite; may be repeated. Means --assay.",
    )
    group.addoption(
        "--assay-root",
        metavar="DIR",
        help="The folder that holds goldsets/.  [default: rootdir, or the nearest one above]",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and with `--assay` the items."""
    config.addinivalue_line("markers", "assay: the verdict on one subject of a suite (`pytest --assay`).")
    if config.getoption("--assay") or config.getoption("--assay-suite"):
        from assay.pytest_plugin.collection import SuiteItems

        config.pluginmanager.register(SuiteItems.of(config), "assay-items")
