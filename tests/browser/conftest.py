"""What every test in a browser begins with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Tab, browser, installed
from tests.browser.written import written
from tests.unit.reporting.reports import failing


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    binary = installed()
    if binary is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium is installed, and CI must have one")
        pytest.skip("no Chromium is installed")
    with browser(binary, tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def one_wrong(folder: Path) -> Path:
    return written(folder, "failing", failing())


@pytest.fixture(autouse=True)
def _as_it_comes(tab: Tab) -> None:
    """Every test begins with a desk's window, light, on screen, with scripts."""
    tab.viewport(1280, 900)
    tab.media(prefers_color_scheme="light")
    tab.scripts(are_on=True)
    tab.messages.clear()
