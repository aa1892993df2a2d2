"""Prompt and schema may be names of the user's own code, whatever that code does."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.stores.goldsets import Source, open_suite
from tests.unit.stores.small_suite import SHOWN, SUITE_YAML, small_suite

MODEL = """
from pydantic import BaseModel

class Answer(BaseModel):
    text: str
"""


@pytest.fixture(autouse=True)
def _modules_of_the_user() -> Iterator[None]:
    """Each test imports the user's modules anew, from its own project."""
    before, path = set(sys.modules), list(sys.path)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - before:
        if name.split(".")[0] == "contract_of_user":
            del sys.modules[name]


def with_code(root: Path, code: str, *, prompt: str = "prompt.md", schema: str = "schema.json") -> Source:
    """The small suite beside a module `contract_of_user` of the user."""
    (root / "contract_of_user.py").write_text(code, encoding="utf-8")
    text = SUITE_YAML.replace("prompt.md", f'"{prompt}"').replace("schema.json", f'"{schema}"')
    small_suite(root, text)
    return open_suite(root, "extraction")


def refusal(root: Path, code: str, source: str = "contract_of_user:PROMPT", part: str = "prompt") -> str:
    """What is said about a name of the user's code."""
    with pytest.raises(InputError) as caught:
        with_code(root, code, **{part: source})
    return str(caught.value)


def test_a_prompt_may_be_a_text_of_the_users_module(tmp_path: Path) -> None:
    source = with_code(tmp_path, "PROMPT = 'Extract é.'", prompt="contract_of_user:PROMPT")
    assert (source.prompt, source.contract_files[0]) == ("Extract é.", "contract_of_user.py")


def test_a_name_may_stand_in_a_module_of_a_package(tmp_path: Path) -> None:
    (tmp_path / "contract_of_user").mkdir()
    (tmp_path / "contract_of_user" / "__init__.py").touch()
    (tmp_path / "contract_of_user" / "texts.py").write_text("PROMPT = 'p'", encoding="utf-8")
    source = with_code(tmp_path, "", prompt="contract_of_user.texts:PROMPT")
    assert (source.prompt, source.contract_files[0]) == ("p", "contract_of_user/texts.py")


@pytest.mark.parametrize("code", ["SCHEMA = {'b': 1, 'a': [2]}", """SCHEMA = '{"b": 1, "a": [2]}'"""])
def test_a_schema_may_be_a_mapping_or_a_text(tmp_path: Path, code: str) -> None:
    source = with_code(tmp_path, code, schema="contract_of_user:SCHEMA")
    assert (source.response_schema, source.contract_files[1]) == ('{"a":[2],"b":1}', "contract_of_user.py")


def test_a_schema_may_be_a_pydantic_model(tmp_path: Path) -> None:
    source = with_code(tmp_path, MODEL, schema="contract_of_user:Answer")
    assert json.loads(source.response_schema) == {
        "properties": {"text": {"title": "Text", "type": "string"}},
        "required": ["text"],
        "title": "Answer",
        "type": "object",
    }


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise RuntimeError('no database')", "RuntimeError: no database"),
        ("1 +", "SyntaxError: invalid syntax (contract_of_user.py, line 1)"),
        ("import nothing_by_this_name", "ModuleNotFoundError: No module named 'nothing_by_this_name'"),
        ("PROMT = ''", "AttributeError: module 'contract_of_user' has no attribute 'PROMPT'"),
    ],
)
def test_code_that_cannot_be_imported_is_told_with_its_reason(tmp_path: Path, code: str, why: str) -> None:
    assert refusal(tmp_path, code) == (
        f"{SHOWN}/suite.yaml: contract.prompt: cannot be imported ({why}), got 'contract_of_user:PROMPT'."
    )


def test_an_unknown_module_is_told(tmp_path: Path) -> None:
    assert refusal(tmp_path, "", "contract_of_user.none:PROMPT").startswith(
        f"{SHOWN}/suite.yaml: contract.prompt: cannot be imported (ModuleNotFoundError: "
    )


@pytest.mark.parametrize("code", ["raise SystemExit(0)", "import sys\nsys.exit()"])
def test_code_that_ends_the_process_is_input_too(tmp_path: Path, code: str) -> None:
    try:
        said = refusal(tmp_path, code)
    except SystemExit:
        said = "the process ended, with no verdict"
    assert said.startswith(f"{SHOWN}/suite.yaml: contract.prompt: cannot be imported (")


@pytest.mark.parametrize(
    "code",
    [
        "SCHEMA = object()",
        "SCHEMA = {'a': {1, 2}}",
        "SCHEMA = {'a': float('nan')}",
        "SCHEMA = {'a': float('inf')}",
        "SCHEMA = 'not JSON'",
        "SCHEMA = []\nSCHEMA.append(SCHEMA)",
        "from collections.abc import Callable\n\nimport pydantic\n\nSCHEMA = pydantic.create_model('A', x=(Callable, ...))",
    ],
)
def test_a_value_that_is_no_schema_is_input_and_no_crash(tmp_path: Path, code: str) -> None:
    assert refusal(tmp_path, code, "contract_of_user:SCHEMA", "schema") != ""


def test_a_prompt_with_half_a_surrogate_pair_is_input_and_no_crash(tmp_path: Path) -> None:
    assert refusal(tmp_path, "PROMPT = '\\ud800'") != ""


@pytest.mark.parametrize("code", ["PROMPT = 'p'", "raise RuntimeError"])
def test_importing_puts_the_project_last_on_the_search_path_and_once(tmp_path: Path, code: str) -> None:
    before = list(sys.path)
    for _ in range(2):
        with contextlib.suppress(InputError):
            with_code(tmp_path, code, prompt="contract_of_user:PROMPT")
    assert sys.path == [*before, str(tmp_path)]


def test_code_of_the_project_hides_nothing_that_is_installed(tmp_path: Path) -> None:
    (tmp_path / "tabnanny.py").write_text("PROMPT = 'p'", encoding="utf-8")
    assert "module 'tabnanny' has no attribute 'PROMPT'" in refusal(tmp_path, "", "tabnanny:PROMPT")


@pytest.mark.parametrize("source", ["os:system('x')", "a b:C", ":X", "x:", "../x:Y"])
def test_what_does_not_look_like_a_name_is_a_file(tmp_path: Path, source: str) -> None:
    assert "cannot be imported" not in refusal(tmp_path, "", source)
