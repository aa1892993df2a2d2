"""A plan names everything that a stage key follows from, and nothing else. It is held against keys of real runs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from assay.stores.baselines import write_baseline
from assay.stores.code import INSTALLED
from assay.stores.goldsets import suites_in
from flows.plan import UNREADABLE, plan_of
from tests.builders import baseline_of, evidence, metric
from tests.unit.planned import CREW, asked_by, edited, two_suites, write

ROOT = Path(__file__).resolve().parents[2]
Plan = dict[str, dict[str, str]]
FILES = sorted(
    path.relative_to(ROOT).as_posix() for top in ("goldsets", "cassettes") for path in (ROOT / top).rglob("*") if path.is_file()
)
BY_MEANING = ("suite.yaml", "schema.json", "README.md")
"""Files of which the layout does not count, or nothing."""
GOLD = "goldsets/extraction/v1"
CREW_GOLD = "goldsets/crew/v1"
CASSETTE = "cassettes/extraction/v1/openai"


@pytest.fixture(autouse=True)
def _modules_of_the_user() -> Iterator[None]:
    """Each test finds the user's modules in its own project."""
    path = list(sys.path)
    yield
    sys.path[:] = path
    for name in [name for name in sys.modules if name.startswith("mine")]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed suites without the code of assay: a project of a user's own."""
    root = tmp_path_factory.mktemp("data")
    for top in ("goldsets", "cassettes"):
        shutil.copytree(ROOT / top, root / top)
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return two_suites(tmp_path / "project", tmp_path / "recording")


def touched(before: Plan, after: Plan) -> set[str]:
    return {suite for suite in {*before, *after} if before.get(suite) != after.get(suite)}


def differing(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}


def counting_files(suite: str) -> list[str]:
    return [name for name in FILES if name.split("/")[1] == suite and Path(name).name not in BY_MEANING]


@pytest.mark.parametrize("suite", ["decisions", "orchestration", "retrieval"])
def test_every_content_and_code_of_every_stage_of_a_committed_suite_stands_in_the_plan(suite: str, tmp_path: Path) -> None:
    assert_planned(ROOT, suite, tmp_path)


@pytest.mark.parametrize("suite", ["crew", "extraction"])
def test_every_content_and_code_of_every_stage_of_a_small_suite_stands_in_the_plan(
    project: Path, suite: str, tmp_path: Path
) -> None:
    assert_planned(project, suite, tmp_path / "home")


def assert_planned(root: Path, suite: str, home: Path) -> None:
    """Each input of each stage is the result of another stage or stands in the plan, and so does all code."""
    planned = set(plan_of(root)[suite].values())
    made: set[str] = set()
    asked = asked_by(root, suite, home)
    assert len(asked) > 6
    for one in asked:
        wanted = {ref.digest for ref in one.call.inputs.values()} - made
        wanted |= {one.code(INSTALLED), *codes_in(one.call.params)}
        assert wanted <= planned, f"{one.call.stage.name} {one.call.provider}: {wanted - planned}"
        assert one.result is not None
        made.add(one.result.digest)


def codes_in(params: Mapping[str, Any]) -> set[str]:
    """The digests of code among a stage's parameters."""
    named = {digest for name, digest in params.items() if name.endswith("_code") and digest}
    return named | set(params.get("code", {}).values())


def test_a_byte_of_a_file_counts_for_its_suite_and_that_alone(data: Path) -> None:
    """One file of every suite is edited at a time, and each suite names its own."""
    before, wrong = plan_of(data), []
    for files in zip_longest(*(counting_files(suite) for suite in before)):
        names = dict(zip(before, files, strict=True))
        with ExitStack() as edits:
            for path in (data / name for name in names.values() if name):
                edits.enter_context(edited(path, path.read_bytes() + b" "))
            after = plan_of(data)
        for suite, name in names.items():
            shown = "baseline.json" if name and name.endswith("/baseline.json") else name
            shown = "prompt" if name and name.endswith("/prompt.md") else shown
            if differing(before[suite], after[suite]) != {shown} - {None}:
                wrong.append((name, differing(before[suite], after[suite])))
    assert wrong == []


def test_the_datasheet_does_not_count(data: Path) -> None:
    before = plan_of(data)
    with ExitStack() as edits:
        for path in data.rglob("README.md"):
            edits.enter_context(edited(path, b"Other words."))
        assert plan_of(data) == before


def test_the_declaration_counts_by_its_meaning(data: Path) -> None:
    before = plan_of(data)
    for suite in before:
        path = data / "goldsets" / suite / "v1" / "suite.yaml"
        text = path.read_text(encoding="utf-8")
        with edited(path, f"# a comment\n{text}\n".encode()):
            assert plan_of(data) == before
        with edited(path, text.replace("\ntitle: ", "\ntitle: Other ").encode()):
            found = plan_of(data)
        assert touched(before, found) == {suite}
        assert differing(before[suite], found[suite]) == {"suite.yaml"}


ADDED = b" "
SWAPPED = CREW[f"{CREW_GOLD}/suite.yaml"].replace("one: one.txt, two: two.txt", "two: two.txt, one: one.txt")
EDITS: dict[str, tuple[str, str, object]] = {
    "a comment in the declaration": ("", f"{GOLD}/suite.yaml", b"# comment\n"),
    "layout of the schema": ("", f"{GOLD}/schema.json", b"\n"),
    "a docstring": ("", "mine_crew/make.py", ("A crew.", "Other words.")),
    "a module that nobody imports": ("", "mine_stranger.py", ("X = 1", "X = 2")),
    "the datasheet": ("", f"{GOLD}/README.md", "new"),
    "the title": ("extraction", f"{GOLD}/suite.yaml", ("title: Small", "title: Large")),
    "the model": ("extraction", f"{GOLD}/suite.yaml", ("model: m", "model: other")),
    "the gate": ("extraction", f"{GOLD}/suite.yaml", ("metrics: [recall_macro]", "metrics: [precision_macro]")),
    "an option": ("extraction", f"{GOLD}/suite.yaml", b"options: {other: 1}\n"),
    "a conversation": ("extraction", f"{GOLD}/conversations.jsonl", b"\n"),
    "an expectation": ("extraction", f"{GOLD}/expected.jsonl", b"\n"),
    "the prompt": ("extraction", f"{GOLD}/prompt.md", ADDED),
    "a pair": ("extraction", f"{GOLD}/matcher_pairs.jsonl", b"\n"),
    "the calibration": ("extraction", f"{GOLD}/calibration.json", ADDED),
    "the schema": ("extraction", f"{GOLD}/schema.json", ('"object"', '"array"')),
    "the recording": ("extraction", f"{CASSETTE}.jsonl", b"\n"),
    "its manifest": ("extraction", f"{CASSETTE}.manifest.json", ADDED),
    "the order of files": ("crew", f"{CREW_GOLD}/suite.yaml", SWAPPED),
    "a case": ("crew", f"{CREW_GOLD}/cases.jsonl", b"\n"),
    "a rule": ("crew", f"{CREW_GOLD}/rules.yaml", ("final: DONE", "final: ENDED")),
    "a file that only the target knows": ("crew", f"{CREW_GOLD}/one.txt", ADDED),
    "the target": ("crew", "mine_crew/make.py", ("lambda given", "lambda asked")),
    "its package": ("crew", "mine_crew/__init__.py", b"READY = True\n"),
    "a module beside it": ("crew", "mine_beside.py", ("DONE", "ENDED")),
}
"""By what is edited: the suite with other keys, the file, and what is appended, swapped or written instead."""


def bytes_after(path: Path, edit: object) -> bytes:
    before = path.read_bytes() if path.exists() else b""
    if isinstance(edit, bytes):
        return before + edit
    if isinstance(edit, str):
        return edit.encode()
    old, new = (text.encode() for text in edit)  # type: ignore[attr-defined]
    assert before.count(old) == 1, f"{before.count(old)} times: {old!r}"
    return before.replace(old, new)


def keys(root: Path, home: Path) -> dict[str, set[str]]:
    return {suite: {one.key for one in asked_by(root, suite, home)} for suite in suites_in(root)}


def test_whenever_a_key_of_a_run_differs_the_plan_differs_and_for_no_other_suite(project: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    plan, run = plan_of(project), keys(project, home)
    assert {suite: len(found) > 6 for suite, found in run.items()} == {"crew": True, "extraction": True}
    for what, (suite, name, edit) in EDITS.items():
        with edited(project / name, bytes_after(project / name, edit)):
            plan_after, run_after = plan_of(project), keys(project, home)
        other_keys = {name for name in run if run[name] != run_after[name]}
        assert (other_keys, touched(plan, plan_after)) == ({suite} - {""}, {suite} - {""}), what


def test_a_baseline_or_recording_that_comes_or_goes_counts(project: Path, tmp_path: Path) -> None:
    home, before = tmp_path / "home", plan_of(project)
    keyed = keys(project, home)["extraction"]
    write_baseline(project / GOLD, baseline_of(evidence({"recall_macro": metric(1.0)})))
    with_baseline = plan_of(project)
    assert keys(project, home)["extraction"] != keyed
    assert {*with_baseline["extraction"]} - {*before["extraction"]} == {"baseline.json"}
    for suffix in ("jsonl", "manifest.json"):
        (project / f"{CASSETTE}.{suffix}").unlink()
    without = plan_of(project)
    assert {*with_baseline["extraction"]} - {*without["extraction"]} == {f"{CASSETTE}.jsonl", f"{CASSETTE}.manifest.json"}
    assert touched(before, without) == {"extraction"}


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        (f"{CREW_GOLD}/suite.yaml", ("kind: orchestration", "kind: none")),
        (f"{CREW_GOLD}/suite.yaml", b"surplus: 1\n"),
        (f"{CREW_GOLD}/suite.yaml", ("suite: crew", "suite: other")),
        (f"{CREW_GOLD}/suite.yaml", ("rules.yaml", "none.yaml")),
        ("mine_crew/make.py", b"1 +\n"),
        ("mine_crew/__init__.py", b"raise SystemExit(0)\n"),
    ],
)
def test_a_suite_that_cannot_be_read_says_so_and_is_not_left_out(project: Path, name: str, edit: object) -> None:
    before = plan_of(project)
    with edited(project / name, bytes_after(project / name, edit)):
        for module in [name for name in sys.modules if name.startswith("mine")]:
            del sys.modules[module]
        found = plan_of(project)
    assert list(found["crew"]) == [UNREADABLE]
    assert found["extraction"] == before["extraction"]


def test_the_newest_version_counts(project: Path) -> None:
    before = plan_of(project)
    shutil.copytree(project / CREW_GOLD, project / "goldsets/crew/v10")
    newest = project / "goldsets/crew/v10/suite.yaml"
    newest.write_bytes(bytes_after(newest, ("version: v1", "version: v10")))
    (project / CREW_GOLD / "one.txt").write_text("an older version", encoding="utf-8")
    found = plan_of(project)
    assert touched(before, found) == {"crew"}
    assert "goldsets/crew/v10/one.txt" in found["crew"]
    assert f"{CREW_GOLD}/one.txt" not in found["crew"]


def test_a_provider_called_like_a_stage_hides_nothing(project: Path) -> None:
    path = project / CREW_GOLD / "suite.yaml"
    path.write_bytes(bytes_after(path, ("  idle:", "  load:")))
    before = plan_of(project)
    assert before["crew"]["code of load"] != before["crew"]["code of provider load"]


def test_a_project_without_suites_has_an_empty_plan(tmp_path: Path) -> None:
    assert plan_of(write(tmp_path, {"goldsets/README.md": ""})) == {}
