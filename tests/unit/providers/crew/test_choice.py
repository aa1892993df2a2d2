"""The mock is chosen, never fallen into: not by an import, not by a default, not by a missing key."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import assay.providers.crew
from assay.errors import InputError, UsageError
from assay.providers.crew.choice import default_choice, suite_choice
from assay.providers.crew.target import default_factory, factory
from tests.builders import provider
from tests.fault_server import ANSWER, FaultServer, always
from tests.unit.providers.crew.runs import CASES, context

PACKAGE = Path(assay.providers.crew.__file__).parent
ROOT = PACKAGE.parents[2]
MISSING = "provider crew: the variable OPENAI_API_KEY is not set. Set it with `export OPENAI_API_KEY=...`; nothing was asked."
SURROUNDINGS = {"os", "posix", "importlib"}
"""Modules through which a module could come by the environment of its process."""
EVERY_IMPORT = """
import gc, importlib, pkgutil
import assay.providers.crew as crew
names = [found.name for found in pkgutil.iter_modules(crew.__path__, "assay.providers.crew.")]
for name in names:
    importlib.import_module(name)
from assay.errors import UsageError
from assay.providers.crew.choice import default_choice
from assay.providers.crew.recorder import Instrumented
from assay.providers.crew.scripted import ScriptedModel, WithPolicy
made = [one for one in gc.get_objects() if isinstance(one, ScriptedModel | WithPolicy | Instrumented)]
try:
    told = default_choice({}).kind
except UsageError as error:
    told = str(error)
print(len(names), len(made), told)
"""


def test_no_import_makes_a_scripted_model_and_no_default_reaches_it() -> None:
    modules = [path for path in PACKAGE.glob("*.py") if path.name != "__init__.py"]
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", EVERY_IMPORT], env=environ, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout, done.stderr) == (f"{len(modules)} 0 {MISSING}\n", "")


def test_imports_do_not_engage_the_mock_even_with_the_flag_in_the_process() -> None:
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "ASSAY_MOCK": "1"}
    done = subprocess.run(
        [sys.executable, "-c", EVERY_IMPORT], env=environ, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.split(" ", 2)[1:] == ["0", MISSING + "\n"]


def test_only_the_target_makes_a_scripted_model_and_nobody_reads_the_process_environment() -> None:
    makers, readers = set(), set()
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ScriptedModel":
                makers.add(path.name)
            if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in {"getenv", "os.environ", "os.getenv"}:
                readers.add(path.name)
            if isinstance(node, ast.Import) and any(alias.name in SURROUNDINGS for alias in node.names):
                readers.add(path.name)
            if isinstance(node, ast.ImportFrom) and node.module in SURROUNDINGS:
                readers.add(path.name)
    assert (makers, readers) == ({"target.py"}, set())


@pytest.mark.parametrize(
    "environ", [{}, {"ASSAY_MOCK": ""}, {"ASSAY_MOCK": "0"}, {"ASSAY_MOCK": "true"}, {"OPENAI_API_KEY": " "}]
)
def test_without_flag_and_key_the_default_crew_is_refused(environ: dict[str, str]) -> None:
    with pytest.raises(UsageError) as found:
        default_factory(context(), environ)
    assert str(found.value) == MISSING
    assert found.value.exit_code == 2


def test_the_flag_is_read_at_every_call() -> None:
    environ = {"ASSAY_MOCK": "1"}
    assert (default_choice(environ).kind, default_choice(environ).by) == ("scripted", "ASSAY_MOCK")
    del environ["ASSAY_MOCK"]
    with pytest.raises(UsageError):
        default_choice(environ)
    environ["OPENAI_API_KEY"] = "k"
    assert (default_choice(environ).kind, default_choice(environ).by) == ("live", "key")
    environ["ASSAY_MOCK"] = "1"
    assert default_choice(environ).kind == "scripted"


def test_the_transcript_says_who_chose_the_mock() -> None:
    case = CASES["editor-passes-at-once"]
    by_suite = factory(context()).answer(case)
    by_flag = default_factory(context(), {"ASSAY_MOCK": "1"}).answer(case)
    assert '"arguments":{"chosen_by":"suite","model":"scripted"}' in by_suite
    assert by_flag == by_suite.replace('"chosen_by":"suite"', '"chosen_by":"ASSAY_MOCK"')


def test_a_suite_that_names_a_live_model_without_its_key_is_refused_before_anything_is_asked() -> None:
    with FaultServer(always(ANSWER)) as server:
        live = provider(model="m", live={"base_url": server.url, "api_key_env": "OPENAI_API_KEY"})
        for environ in ({}, {"ASSAY_MOCK": "1"}):
            with pytest.raises(UsageError) as found:
                factory(context(provider=live, mode="live", environ=environ))
            assert str(found.value) == MISSING
        assert server.seen == []


def test_a_model_that_nobody_can_ask_is_not_replaced_by_the_mock() -> None:
    with pytest.raises(UsageError, match="cannot be asked"):
        suite_choice(provider(model="scripted-2"), {"ASSAY_MOCK": "1"}, is_live=True)


@pytest.mark.parametrize("environ", [{}, {"ASSAY_MOCK": "1"}, {"OPENAI_API_KEY": "k"}])
def test_a_recorded_model_without_its_recording_is_not_replaced_by_the_mock(environ: dict[str, str]) -> None:
    with FaultServer(always(ANSWER)) as server:
        live = provider(model="m", live={"base_url": server.url, "api_key_env": "OPENAI_API_KEY"})
        with pytest.raises(InputError) as found:
            factory(context(provider=live, environ=environ))
        assert str(found.value) == "recording of m: is not there. Make it with `assay record`."
        assert server.seen == []


def test_a_live_run_leaves_a_model_that_the_suite_calls_scripted_scripted() -> None:
    environ = {"OPENAI_API_KEY": "k"}
    assert suite_choice(provider(model="scripted"), environ, is_live=True).kind == "scripted"
    answer = factory(context(mode="live", environ=environ)).answer(CASES["editor-passes-at-once"])
    assert answer == factory(context()).answer(CASES["editor-passes-at-once"])


@pytest.mark.parametrize("is_live", [False, True])
def test_scripted_and_live_at_once_is_a_contradiction(is_live: bool) -> None:
    with pytest.raises(UsageError, match="is both scripted and live"):
        suite_choice(provider(model="scripted", live={"base_url": "http://127.0.0.1:1/v1"}), {}, is_live=is_live)


def test_a_scripted_crew_without_scripts_says_what_to_add() -> None:
    with pytest.raises(InputError) as found:
        factory(context(files={}))
    assert str(found.value) == "crew: has no scripted replies; expected `scenarios: <file>` under `files` in suite.yaml."


def test_the_check_of_the_target_says_so_too() -> None:
    (check,) = factory(context()).checks()
    assert (check.name, check.status) == ("mock_is_chosen", "kept")
    assert MISSING in check.message
