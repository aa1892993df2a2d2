"""The items: `assay::SUITE::PROVIDER` for each subject; `assay::SUITE::suite.yaml` where the suite itself is in question."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

import pytest

from assay.errors import Problem, UserError, nearest
from assay.model.suite import Suite
from assay.pytest_plugin.options import NODE_ID
from assay.pytest_plugin.runs import Environment, Project, SuiteRuns
from assay.pytest_plugin.verdict import printable, verdict_on
from assay.stores.goldsets import open_suite, project_root, suites_in
from assay.stores.home import assay_home

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr, TracebackStyle  # pytest names them nowhere else

MANUAL = "manual, never gated"
WHOLE = "suite.yaml"
"""The item of a suite that cannot be read, or whose verdict no subject's item would show. No provider is called so."""
SHARED = "assay_shared"
RUN = Path(__file__).with_name("offline.py")


@dataclass(frozen=True)
class Chosen:
    """What is to be collected."""

    project: Project
    runs: SuiteRuns
    suites: dict[str, Path]
    """Declarations by suite, newest versions."""
    ids: tuple[str, ...]
    """The node ids given on the command line; empty takes every item."""

    def wants(self, node_id: str) -> bool:
        """Whether the node, or one above it, was asked for."""
        return not self.ids or any(f"{node_id}::".startswith(f"{wanted}::") for wanted in self.ids)

    def wants_part_of(self, node_id: str) -> bool:
        """Whether the node holds something that was asked for."""
        return self.wants(node_id) or any(wanted.startswith(f"{node_id}::") for wanted in self.ids)


CHOSEN = pytest.StashKey[Chosen]()


class SuiteItems:
    """Adds the items to what pytest collects by itself."""

    def __init__(self, shared: Path | None) -> None:
        self._shared = shared

    @classmethod
    def of(cls, config: pytest.Config) -> Self:
        """Find the suites. Raises pytest.UsageError when there is none, or none of a name that was asked for."""
        given: dict[str, str] | None = getattr(config, "workerinput", None)
        shared = Path(given[SHARED]) if given and SHARED in given else None
        try:
            root = project_root(Path(config.getoption("--assay-root") or config.rootpath).absolute())
            project = Project(root, assay_home(root, os.environ), Environment(os.environ), shared)
            suites = _suites(root, config.getoption("--assay-suite"))
        except UserError as error:
            raise pytest.UsageError(*map(str, error.problems)) from None
        ids = tuple(arg.rstrip(":") for arg in config.args if arg.startswith(NODE_ID))
        config.args = [arg for arg in config.args if not arg.startswith(NODE_ID)]
        config.stash[CHOSEN] = Chosen(project, SuiteRuns(project), suites, ids)
        is_controller = given is None and bool(getattr(config.option, "tx", None))
        return cls(Path(tempfile.mkdtemp(prefix="assay-")) if is_controller else None)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """The session also holds the suites."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            report.result.append(Suites.from_parent(collector, name="assay", nodeid="assay"))
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """A verdict that is skipped belongs to the suite's declaration, not to a line of this plugin."""
        report = yield
        if isinstance(item, WholeSuite) and isinstance(report.longrepr, tuple):
            report.longrepr = (str(item.path), 1, report.longrepr[2])
        return report

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: object) -> None:
        """Tell a worker of pytest-xdist the folder that all share."""
        if self._shared:
            node.workerinput[SHARED] = str(self._shared)  # type: ignore[attr-defined]  # xdist's, which is optional

    def pytest_unconfigure(self) -> None:
        """Remove the folder that the workers shared."""
        if self._shared:
            shutil.rmtree(self._shared, ignore_errors=True)


def _suites(root: Path, names: list[str]) -> dict[str, Path]:
    known = {name: root / "goldsets" / name / versions[-1] / WHOLE for name, versions in suites_in(root).items()}
    if not known:
        raise UserError(Problem(f"{root}/goldsets", "holds no suite", expected="<suite>/<version>/suite.yaml"))
    unknown = [name for name in names if name not in known]
    if unknown:
        problem = Problem(
            "--assay-suite", "unknown suite", unknown[0], f"one of {', '.join(known)}", nearest(unknown[0], known)
        )
        raise UserError(problem)
    return {name: path for name, path in known.items() if not names or name in names}


class Suites(pytest.Collector):
    """All suites."""

    def collect(self) -> Iterable[SuiteNode]:
        """Those that were asked for."""
        chosen = self.config.stash[CHOSEN]
        nodes = [SuiteNode.from_parent(self, name=name, path=path) for name, path in chosen.suites.items()]
        wanted = {"::".join(node_id.split("::")[:2]) for node_id in chosen.ids}
        missing = sorted(wanted.difference(node.nodeid for node in nodes))
        if missing:
            raise self.CollectError(f"not found: {missing[0]}\nthere are the suites {', '.join(chosen.suites)}")
        return [node for node in nodes if chosen.wants_part_of(node.nodeid)]


class SuiteNode(pytest.Collector):
    """One suite."""

    def collect(self) -> Iterable[pytest.Item]:
        """An item per subject; one for the suite where it cannot be read, or where no subject is gated."""
        chosen = self.config.stash[CHOSEN]
        try:
            suite = open_suite(chosen.project.root, self.name).suite
        except Exception:  # noqa: BLE001  # whatever it is, the item meets it again and shows it
            return [_marked(WholeSuite.from_parent(self, name=WHOLE))]
        items: list[pytest.Item] = [*self._subjects(suite)]
        if all(subject.enforcement != "ci" for subject in suite.subjects.values()):
            items.append(_marked(WholeSuite.from_parent(self, name=WHOLE)))
        known = [item.nodeid for item in items]
        missing = [wanted for wanted in chosen.ids if wanted.startswith(f"{self.nodeid}::") and wanted not in known]
        if missing:
            raise self.CollectError(f"not found: {missing[0]}\n{self.name} has {', '.join(known)}")
        return [item for item in items if chosen.wants(item.nodeid)]

    def _subjects(self, suite: Suite) -> Iterable[pytest.Item]:
        for name, provider in suite.subjects.items():
            item = _marked(Subject.from_parent(self, name=name))
            item.may_skip = suite.pytest.no_verdict == "skip"
            if provider.enforcement == "manual":
                item.add_marker(pytest.mark.skip(reason=MANUAL))
            yield item


class WholeSuite(pytest.Item):
    """The verdict on a suite as a whole."""

    def runtest(self) -> None:
        """Run the suite, or take the run that is there, and judge it."""
        self.judge(None)

    def judge(self, provider: str | None, *, may_skip: bool = False) -> None:
        """Fail, with the verdict's text, unless it is a PASS."""
        ran = self.config.stash[CHOSEN].runs.of(self.path.parent.parent.name)
        if isinstance(ran, UserError):
            pytest.fail(printable("\n".join(f"error: {problem}" for problem in ran.problems)), pytrace=False)
        told = verdict_on(ran, provider)
        if told.outcome == "NO VERDICT" and may_skip:
            pytest.skip(told.reason)
        if told.outcome != "PASS":
            pytest.fail(told.text, pytrace=False)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        """The verdict's text; of a bug the traceback from where the run begins."""
        excinfo.traceback = excinfo.traceback.cut(path=RUN)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str], int | None, str]:
        """The suite's declaration, and the node id as the headline of a failure."""
        return self.path, 0, self.nodeid


class Subject(WholeSuite):
    """The verdict on one subject of a suite."""

    may_skip = False
    """Whether NO VERDICT is a skip; the suite says so."""

    def runtest(self) -> None:
        """As for the whole suite, without the other subjects' checks."""
        self.judge(self.name, may_skip=self.may_skip)


Marked = TypeVar("Marked", bound=WholeSuite)


def _marked(item: Marked) -> Marked:
    """The item with the plugin's marker, and with the group by which pytest-xdist keeps a suite's items together."""
    item.add_marker("assay")
    if item.config.pluginmanager.hasplugin("xdist"):
        item.add_marker(pytest.mark.xdist_group(f"assay-{item.parent.name}" if item.parent else "assay"))
    return item
