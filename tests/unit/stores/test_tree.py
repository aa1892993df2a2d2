"""Code is followed name by name below a root, without being imported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.stores.tree import code_below, modules_below

APP = '''"""Doc."""
import json
from desk.words import fold
from . import match
from desk.shared import *

LIMIT = 3


def subject(given):
    """Doc."""
    return fold(given)


def control(given):
    return match.pair(given, LIMIT)


def typed(given: "LIMIT", other: LIMIT = 1) -> fold:
    return other
'''
FILES = {
    "desk/__init__.py": '"""Doc."""\n',
    "desk/app.py": APP,
    "desk/words.py": "TABLE = {}\n\n\ndef fold(text):\n    return text.lower()\n\n\ndef unused():\n    return TABLE\n",
    "desk/match.py": "def pair(a, b):\n    return a == b\n",
    "desk/shared.py": "def anything():\n    pass\n",
}
Edit = Callable[[str, str, str], Path]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def edit(root: Path, file: str, old: str, new: str) -> None:
    path = root / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def pieces(root: Path, *entries: str) -> list[str]:
    return sorted(code_below(root, *entries))


def test_a_function_rests_on_the_names_that_it_uses(root: Path) -> None:
    assert pieces(root, "desk.app:subject") == ["desk.app:subject", "desk.shared:anything", "desk.words:fold"]


def test_a_module_used_by_name_is_taken_whole(root: Path) -> None:
    assert pieces(root, "desk.app:control") == ["desk.app:LIMIT", "desk.app:control", "desk.match:pair", "desk.shared:anything"]


def test_annotations_lead_nowhere_and_defaults_do_not_either_unless_they_name_something(root: Path) -> None:
    assert "desk.words:fold" not in pieces(root, "desk.app:typed")


def test_a_whole_module_is_all_that_it_defines(root: Path) -> None:
    assert {"desk.app:subject", "desk.app:control", "desk.app:typed", "desk.app:LIMIT"} <= set(pieces(root, "desk.app"))


def test_an_edit_beside_a_function_does_not_change_it(root: Path) -> None:
    before = code_below(root, "desk.app:control")
    edit(root, "desk/app.py", "return fold(given)", "return fold(given).strip()")
    assert code_below(root, "desk.app:control") == before
    edit(root, "desk/match.py", "a == b", "True")
    assert code_below(root, "desk.app:control") != before


@pytest.mark.parametrize(
    ("old", "new"),
    [("import json\n", "import json  # said\n"), ('"""Doc."""', '"""Other."""'), ("LIMIT = 3", "LIMIT = (\n    3\n)")],
)
def test_comments_docstrings_and_layout_do_not_count(root: Path, old: str, new: str) -> None:
    before = code_below(root, "desk.app")
    edit(root, "desk/app.py", old, new)
    assert code_below(root, "desk.app") == before


@pytest.mark.parametrize(
    "more", ["fold = len\n", "LIMIT += 1\n", "if LIMIT:\n    def control(given):\n        return 1\n", "print(LIMIT)\n"]
)
def test_what_is_done_to_a_module_when_it_is_imported_counts(root: Path, more: str) -> None:
    before = code_below(root, "desk.app:control", "desk.app:subject")
    edit(root, "desk/app.py", "LIMIT = 3\n", f"LIMIT = 3\n{more}")
    assert code_below(root, "desk.app:control", "desk.app:subject") != before


def test_what_a_package_does_when_it_is_imported_counts(root: Path) -> None:
    before = code_below(root, "desk.match:pair")
    (root / "desk/__init__.py").write_text("from desk import match\n\nmatch.pair = lambda a, b: True\n")
    assert "desk" in code_below(root, "desk.match:pair").keys() - before.keys()


def test_what_only_a_type_checker_reads_does_not_count(root: Path) -> None:
    before = code_below(root, "desk.match:pair")
    edit(root, "desk/match.py", "def pair", "if TYPE_CHECKING:\n    from desk.app import typed\n\n\ndef pair")
    assert code_below(root, "desk.match:pair") == before


def test_what_is_not_below_the_root_is_left_out(root: Path) -> None:
    assert pieces(root, "json", "assay.gate:judge", "nowhere.at:all") == []
    assert not any(name.startswith("json") for name in code_below(root, "desk.app"))


def test_packages_may_lie_in_src_and_folders_need_no_init(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "src" / "plain").mkdir(parents=True)
    (other / "src/plain/app.py").write_text("from plain import words\n\n\ndef run():\n    return words.fold()\n")
    (other / "src/plain/words.py").write_text("def fold():\n    return 1\n")
    assert pieces(other, "plain.app:run") == ["plain.app:run", "plain.words:fold"]


def test_a_name_that_is_handed_on_is_followed_to_where_it_is_defined(root: Path) -> None:
    (root / "desk/__init__.py").write_text("from desk.words import fold\n")
    (root / "own.py").write_text("from desk import fold\n\n\ndef run(x):\n    return fold(x)\n")
    assert pieces(root, "own:run") == ["desk.words:fold", "own:run"]


def test_a_name_that_cannot_be_found_stands_for_the_whole_module(root: Path) -> None:
    assert pieces(root, "desk.words:made_up") == ["desk.words:TABLE", "desk.words:fold", "desk.words:unused"]


def test_circles_end(root: Path) -> None:
    (root / "one.py").write_text("import two\n\n\ndef a():\n    return two.b()\n")
    (root / "two.py").write_text("import one\n\n\ndef b():\n    return one.a()\n")
    assert pieces(root, "one:a") == ["one:a", "two:b"]


def test_text_that_is_no_python_goes_by_its_bytes(root: Path) -> None:
    edit(root, "desk/words.py", "def fold(text):", "def fold(text:")
    before = code_below(root, "desk.words:fold")
    assert list(before) == ["desk.words"]
    edit(root, "desk/words.py", "lower", "upper")
    assert code_below(root, "desk.words:fold") != before


def test_a_relative_import_that_leads_out_of_everything_is_passed_over(root: Path) -> None:
    (root / "own.py").write_text("from ...far import away\n\n\ndef run():\n    return away()\n")
    assert pieces(root, "own:run") == ["own:run"]


def test_two_trees_are_read_by_one_process(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "later"
    (other / "desk").mkdir(parents=True)
    for name, text in FILES.items():
        (other / name).write_text(text.replace("text.lower()", "text"))
    before, after = (code_below(tree, "desk.app:subject") for tree in (root, other))
    assert [name for name in before if before[name] != after[name]] == ["desk.words:fold"]


def test_modules_go_by_their_own_text_and_packages_by_all_of_theirs(root: Path) -> None:
    before = modules_below(root, "desk", "desk.words", "nowhere")
    assert sorted(before) == ["desk", "desk.app", "desk.match", "desk.shared", "desk.words"]
    edit(root, "desk/words.py", "lower", "upper")
    after = modules_below(root, "desk", "desk.words", "nowhere")
    assert [name for name in before if before[name] != after[name]] == ["desk.words"]
