"""One Prefect server for all real runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.runs.server import Api, serving


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server that is started at the first use and stopped at the end of the session."""
    with serving(tmp_path_factory.mktemp("prefect")) as running:
        yield running
