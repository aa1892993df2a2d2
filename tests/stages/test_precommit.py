"""`assay precommit`: what must not be committed is refused by file, and what was looked at before costs next to nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from assay.cli.precommit import precommit
from assay.errors import UsageError
from assay.stores.suite_folders import all_folders
from flows.precommit import refused_in
from tests.stages.copies import CASSETTE, GOLD, appended, edited, environment, finished, started, swapped

MANIFEST = CASSETTE.replace(".jsonl", ".manifest.json")
TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"
KEY = "a passphrase / nobody's"
CASES = f"{GOLD}/conversations.jsonl"
ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("pydantic", "yaml", "numpy", "prefect")
Call = Callable[..., tuple[int, list[str]]]


@pytest.fixture(scope="module")
def template(small_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the small suite alone, looked at once."""
    project = tmp_path_factory.mktemp("precommit") / "project"
    for folder in ("goldsets", "cassettes"):
        shutil.copytree(small_template / folder, project / folder)
    (found,) = all_folders(project)
    assert refused_in(found, project / ".assay", {}) == []
    return project


@pytest.fixture
def project(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = shutil.copytree(template, tmp_path / "project")
    monkeypatch.chdir(copy)
    for name in ("ASSAY_HOME", "OPENAI_API_KEY", "VLLM_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return copy


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], project: Path) -> Call:
    """Exit code and lines of `assay precommit FILES` in the project."""

    def called(*files: str) -> tuple[int, list[str]]:
        code = precommit.main(list(files), standalone_mode=False)
        return int(code), capsys.readouterr().out.splitlines()

    return called


def test_a_clean_suite_is_not_refused(call: Call) -> None:
    assert call() == (0, ["1 suite looked at, nothing refused"])
    assert call(CASES, CASSETTE, "README.md") == (0, ["1 suite looked at, nothing refused"])


def test_files_of_no_suite_are_not_looked_at(call: Call, project: Path) -> None:
    (project / CASSETTE).write_text("nonsense", encoding="utf-8")
    told = "none of these files belongs to a suite"
    assert call("README.md", "gone/away.py", "goldsets/README.md", "/elsewhere/x.jsonl") == (0, [told])
    assert call("goldsets/other/v1/removed.jsonl") == (0, ["1 suite looked at, nothing refused"])


def test_a_deleted_or_renamed_file_names_its_suite_all_the_same(call: Call, project: Path) -> None:
    (project / MANIFEST).unlink()
    for files in ((MANIFEST,), (f"{GOLD}/old_name.jsonl",), (str(project / CASES),)):
        code, (line, last) = call(*files)
        assert (code, last) == (1, "1 refused in 1 suite")
        assert line == (
            f"{MANIFEST}: no such file, though {CASSETTE} is there. Record it with `assay record extraction --provider openai`."
        )


def test_a_manifest_without_its_cassette_is_refused(call: Call, project: Path) -> None:
    (project / CASSETTE).unlink()
    code, lines = call(MANIFEST)
    assert (code, lines[0].startswith(f"{CASSETTE}: no such file, though {MANIFEST} is there.")) == (1, True)


def test_a_cassette_edited_by_hand_is_refused(call: Call, project: Path) -> None:
    with edited(project / CASSETTE, lambda text: text.replace("Lyon", "Paris")):
        code, lines = call(CASSETTE)
        assert (code, len(lines)) == (1, 2)
        assert lines[0].startswith(f"{CASSETTE}: is not what its manifest describes (sha256 ")
        assert lines[0].endswith("put it back, or record it with `assay record extraction --provider openai --oracle`.")
    with edited(project / CASSETTE, lambda text: text + text):
        _, lines = call(CASSETTE)
        assert "(4 lines instead of 2, sha256 " in lines[0]
    assert call(CASSETTE)[0] == 0


def test_a_manifest_of_another_recording_is_refused(call: Call, project: Path) -> None:
    with edited(project / MANIFEST, swapped('"provider": "openai"', '"provider": "other"')):
        code, lines = call(MANIFEST)
    assert code == 1
    assert lines[0].startswith(
        f"{MANIFEST}: belongs to another recording, got 'extraction v1 other'; expected extraction v1 openai."
    )


@pytest.mark.parametrize(
    ("escaped", "told"),
    [(TOKEN, "a repository token"), (TOKEN.replace("ghp_", "\\u0067hp_"), "a repository token")],
    ids=["plain", "as JSON escapes it"],
)
def test_a_secret_in_a_gold_set_is_refused_by_line(call: Call, project: Path, escaped: str, told: str) -> None:
    with edited(project / CASES, swapped("Thanks!", f"Thanks! {escaped}")):
        code, lines = call(CASES)
    assert (code, lines) == (
        1,
        [
            f"{CASES}:2: holds {told}. Take it out and change the key; a recording is made anew with `assay record`.",
            "1 refused in 1 suite",
        ],
    )


def test_a_secret_in_a_cassette_is_refused_and_never_shown(call: Call, project: Path) -> None:
    with edited(project / CASSETTE, lambda text: text.replace("Lyon", TOKEN)):
        code, lines = call(CASSETTE)
    assert (code, len(lines)) == (1, 3)
    assert lines[0].startswith(f"{CASSETTE}:1: holds a repository token.")
    assert not any(TOKEN in line for line in lines)


def test_a_secret_in_any_other_file_of_the_suite_is_refused(call: Call, project: Path) -> None:
    (project / GOLD / "notes.txt").write_text(f"one\n{TOKEN}\n", encoding="utf-8")
    code, lines = call()
    assert (code, lines[0].partition(".txt")[2].partition(".")[0]) == (1, ":2: holds a repository token")


def test_the_value_of_a_declared_variable_is_looked_for_though_nothing_changed(
    call: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / GOLD / "notes.txt").write_text(f"one\ntwo {json.dumps(KEY)}\n", encoding="utf-8")
    assert call()[0] == 0
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    code, lines = call()
    assert (code, lines[0].split(" Take")[0]) == (1, f"{GOLD}/notes.txt:2: holds the value of OPENAI_API_KEY.")
    kept = b"".join(path.read_bytes() for path in (project / ".assay").rglob("*") if path.is_file())
    assert KEY.encode() not in kept


def test_a_fault_of_the_audit_is_refused(call: Call, project: Path) -> None:
    with edited(project / f"{GOLD}/expected_memories.jsonl", swapped('"c1-m2"', '"c1-m1"')):
        code, lines = call(CASES)
    assert code == 1
    assert lines[0] == (
        f"{GOLD}/expected_memories.jsonl: the id 'c1-m1' stands 2 times; expected each id once. "
        "See `assay audit extraction --gold-version v1`."
    )
    assert call(CASES)[0] == 0


def test_a_gold_file_that_is_missing_or_no_json_is_refused(call: Call, project: Path) -> None:
    with edited(project / CASES, appended("{\n")):
        code, lines = call(CASES)
    assert (code, lines[0].startswith(f"{CASES}:3: is not JSON")) == (1, True)
    (project / CASES).unlink()
    code, lines = call(CASES)
    assert (code, lines[0]) == (1, f"{CASES}: no such file. {GOLD}/suite.yaml names it.")


def test_a_suite_that_cannot_be_read_is_refused_and_its_files_are_searched(call: Call, project: Path) -> None:
    with edited(project / GOLD / "suite.yaml", appended(f"stale_after_days: {TOKEN}\n")):
        code, lines = call(CASES)
    assert (code, len(lines)) == (1, 3)
    assert lines[0].startswith(f"{GOLD}/suite.yaml: stale_after_days: is not valid (")
    assert lines[0].endswith("got '…'.")
    assert "suite.yaml:" in lines[1]
    assert "holds a repository token" in lines[1]
    (project / GOLD / "suite.yaml").unlink()
    code, lines = call(CASES)
    assert (code, lines[0].startswith(f"{GOLD}/suite.yaml: no such file")) == (1, True)


def test_what_a_look_found_is_kept_until_a_file_changes(call: Call, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / MANIFEST).unlink()
    first = call()
    assert first[0] == 1

    def never(*_: object) -> None:
        raise AssertionError("looked at again")

    monkeypatch.setattr("flows.suite_look.look", never)
    assert call() == first
    (project / GOLD / "notes.txt").write_text("new", encoding="utf-8")
    with pytest.raises(AssertionError, match="looked at again"):
        call()


def test_a_damaged_memory_is_not_believed(call: Call, project: Path) -> None:
    (project / MANIFEST).unlink()
    first = call()
    for path in (project / ".assay" / "seen").iterdir():
        path.write_text(path.read_text(encoding="utf-8").replace("refused", "Refused").replace('"value"', '"valve"', 1))
    assert call() == first
    for path in (project / ".assay" / "seen").iterdir():
        value = json.loads(path.read_bytes())
        value["value"]["refused"] = []
        path.write_text(json.dumps(value), encoding="utf-8")
    assert call() == first


def test_a_memory_that_cannot_be_kept_costs_time_only(call: Call, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "taken").write_text("a file", encoding="utf-8")
    monkeypatch.setenv("ASSAY_HOME", str(project / "taken"))
    assert call()[0] == 0


def test_several_looks_at_once_agree(project: Path) -> None:
    (project / MANIFEST).unlink()
    shutil.rmtree(project / ".assay")
    (folders,) = all_folders(project)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: refused_in(folders, project / ".assay", {}), range(8)))
    assert len(found[0]) == 1
    assert all(lines == found[0] for lines in found)


def test_a_suite_outside_any_project_is_looked_at_by_its_files(call: Call, project: Path) -> None:
    mine = project / "mine"
    shutil.copytree(project / GOLD, mine)
    shutil.copytree((project / CASSETTE).parent, mine / "cassettes")
    assert call("mine/conversations.jsonl") == (0, ["1 suite looked at, nothing refused"])
    with edited(mine / "cassettes/openai.jsonl", lambda text: text.replace("Lyon", "Paris")):
        code, lines = call("mine/suite.yaml")
    assert (code, lines[0].startswith("mine/cassettes/openai.jsonl: is not what its manifest describes")) == (1, True)
    with edited(mine / "expected_memories.jsonl", swapped('"c1-m2"', '"c1-m1"')):
        code, lines = call("mine/README.md")
    assert lines[0].endswith("See `assay audit extraction --goldset mine`.")


def test_without_files_and_without_a_suite_nothing_is_called_clean(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty" / "goldsets").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "empty")
    with pytest.raises(UsageError, match="holds no suite"):
        call()


def test_an_unchanged_suite_is_looked_at_without_heavy_imports(project: Path) -> None:
    code = (
        "import sys; from assay.cli.precommit import precommit; code = precommit.main([], standalone_mode=False); "
        f"print([name for name in {HEAVY} if name in sys.modules]); sys.exit(code)"
    )
    done = finished(started(project, "-c", code, **{**environment(ROOT), "PYTHONPATH": str(ROOT)}))
    assert (done.returncode, done.stdout.splitlines()) == (0, ["1 suite looked at, nothing refused", "[]"]), done.stderr


def test_the_hook_calls_the_command() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"] == f"assay {precommit.name}"
    assert hook["require_serial"]
