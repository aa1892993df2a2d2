"""A server and a client that the tests of a module share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fault_server import FaultServer
from tests.unit.providers.asked import Bench, asking


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    shared: list[Bench] = []
    with FaultServer(lambda prompt, nth: shared[0].action) as server, asking(server) as ask:
        shared.append(Bench(server, ask))
        yield shared[0]
