"""`assay open`: the page of a run goes to the browser that the user has."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from tests.stages.copies import USAGE, command


@pytest.fixture
def browser(tmp_path: Path) -> Path:
    """A browser that writes down what it was given."""
    path = tmp_path / "browser"
    path.write_text(f'#!{sys.executable}\nimport sys\nopen(__file__ + ".log", "a").write(" ".join(sys.argv[1:]))\n', "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def latest(project: Path) -> Path:
    """The folder of the project's only run."""
    runs = project / ".assay" / "runs"
    return runs / (runs / "latest").read_text(encoding="utf-8").strip()


def test_the_latest_report_is_opened_and_named(warm: Path, browser: Path) -> None:
    page = latest(warm) / "report.html"
    done = command(warm, "open", BROWSER=f"{browser} %s")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", f"{page}\n")
    assert browser.with_name("browser.log").read_text(encoding="utf-8") == page.as_uri()


def test_a_named_run_can_be_printed_without_a_browser(warm: Path, browser: Path) -> None:
    page = latest(warm) / "report.html"
    done = command(warm, "open", page.parent.name, "--print", BROWSER=f"{browser} %s")
    assert (done.returncode, done.stdout) == (0, f"{page}\n")
    assert not browser.with_name("browser.log").exists()


def test_a_run_without_a_page_is_told(warm: Path) -> None:
    folder = latest(warm)
    (folder / "report.html").unlink()
    done = command(warm, "open")
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert done.stderr == f"error: {folder}/report.html: is not there. Run the suite again; that makes one.\n"


def test_where_no_browser_can_be_started_the_page_is_still_named(warm: Path) -> None:
    done = command(warm, "open", BROWSER="/nonexistent/browser %s", PATH="/nonexistent")
    assert done.returncode == USAGE
    assert done.stdout.endswith("/report.html\n")
    assert done.stderr == "error: assay open: found no browser to open it with. Open that file, or set $BROWSER.\n"
