"""What git says of a project: revisions, files of the past, what differs. Each repository is made by its test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.stores.git import changed_files, commit_at, git, merge_base, state_of, tree_at

QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
AUTHOR = (
    *("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"),
    *("-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"),
)
WHERE = "--changed-since"


def do(root: Path, *arguments: str) -> str:
    """A git command that changes the test's own repository."""
    done = subprocess.run(
        ["git", *AUTHOR, *arguments], cwd=root, env={**os.environ, **QUIET}, capture_output=True, check=True, text=True
    )
    return done.stdout.strip()


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def commit(root: Path, files: dict[str, str], message: str = "c") -> str:
    """The name of a commit of all that stands in the folder after these files were written."""
    write(root, files)
    do(root, "add", "-A")
    do(root, "commit", "--allow-empty", "-m", message)
    return do(root, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit: a file beside the project `inner/`, a file in it, one in a folder of it, and an ignore file."""
    root = tmp_path / "repository"
    root.mkdir()
    do(root, "init")
    commit(root, {"beside.txt": "b", "inner/a.txt": "a", "inner/deep/d.txt": "d", ".gitignore": "*.ignored\n"})
    return root


def refused(call: object) -> str:
    with pytest.raises(UsageError) as caught:
        call()  # type: ignore[operator]
    assert caught.value.exit_code == 2
    return str(caught.value)


def files_in(folder: Path) -> dict[str, str]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def everything_in(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("revision", ["HEAD", "main", "first", "@"])
def test_a_revision_is_named_by_its_whole_commit(repository: Path, revision: str) -> None:
    do(repository, "tag", "-a", "-m", "an annotated tag", "first")
    assert commit_at(repository / "inner", revision, WHERE) == do(repository, "rev-parse", "HEAD")


@pytest.mark.parametrize(
    "revision",
    ["none", "", "HEAD~9", "--output=x", "-p", "HEAD:inner", "^HEAD", "HEAD..main", "0" * 40, "a b", "é", "a\0b", "a\nb"],
)
def test_what_names_no_commit_is_a_usage_error(repository: Path, revision: str) -> None:
    assert refused(lambda: commit_at(repository, revision, WHERE)) == (
        f"{WHERE}: unknown revision, got {revision!r}; expected a commit, branch or tag of this repository."
    )


def test_a_project_outside_any_repository_has_no_revisions(tmp_path: Path) -> None:
    told = refused(lambda: commit_at(tmp_path, "HEAD", WHERE))
    assert told.startswith(
        f"{WHERE}: unknown revision, got 'HEAD'; expected a git repository around the project (fatal: not a git"
    )


def test_without_git_the_error_says_so(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert refused(lambda: commit_at(repository, "HEAD", WHERE)) == f"{WHERE}: git cannot be run; expected git on the PATH."
    assert git(repository, "rev-parse", "HEAD") is None
    assert state_of(repository) is None


@pytest.mark.parametrize(
    ("revision", "fetch"),
    [
        ("origin/topic", "git fetch origin topic:refs/remotes/origin/topic"),
        ("origin/a/b", "git fetch origin a/b:refs/remotes/origin/a/b"),
        ("topic", "git fetch origin topic:topic"),
        ("1" * 40, f"git fetch origin {'1' * 40}"),
    ],
)
def test_a_revision_that_the_remote_may_have_is_told_with_the_command_that_brings_it(
    repository: Path, revision: str, fetch: str
) -> None:
    do(repository, "remote", "add", "origin", "nowhere")
    assert refused(lambda: commit_at(repository, revision, WHERE)).endswith(f" Where the remote has it: `{fetch}`.")


def test_that_command_brings_it(repository: Path, tmp_path: Path) -> None:
    do(repository, "branch", "topic")
    do(tmp_path, "clone", "--depth=1", "--branch=main", f"file://{repository}", "shallow")
    shallow = tmp_path / "shallow"
    told = refused(lambda: commit_at(shallow, "origin/topic", WHERE))
    do(shallow, *told.partition("`git ")[2].removesuffix("`.").split())
    assert commit_at(shallow, "origin/topic", WHERE) == do(repository, "rev-parse", "topic")


def test_a_hook_s_variables_do_not_lead_to_another_repository(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "other"))
    assert commit_at(repository / "inner", "HEAD", WHERE)
    assert changed_files(repository / "inner", "HEAD") == []


@pytest.fixture
def branched(repository: Path) -> Path:
    """main: 1 2; topic, checked out: 1 3 4."""
    do(repository, "checkout", "-q", "-b", "topic")
    commit(repository, {"three": "3"})
    commit(repository, {"four": "4"})
    do(repository, "checkout", "-q", "main")
    commit(repository, {"two": "2"})
    do(repository, "checkout", "-q", "topic")
    return repository


def test_the_merge_base_is_where_the_branch_left(branched: Path) -> None:
    assert merge_base(branched / "inner", "main", WHERE) == do(branched, "rev-parse", "main~1")
    assert merge_base(branched, "topic~1", WHERE) == do(branched, "rev-parse", "topic~1")
    assert merge_base(branched, "topic", WHERE) == do(branched, "rev-parse", "topic")


def test_an_unknown_base_is_a_usage_error(branched: Path) -> None:
    assert refused(lambda: merge_base(branched, "none", WHERE)).startswith(f"{WHERE}: unknown revision, got 'none'")


def test_histories_without_a_common_commit_have_no_merge_base(branched: Path) -> None:
    do(branched, "checkout", "-q", "--orphan", "alone")
    commit(branched, {})
    assert refused(lambda: merge_base(branched, "main", WHERE)) == (
        f"{WHERE}: has no commit in common with the present one, got 'main'; expected a revision of the same history."
    )


@pytest.mark.parametrize("depth", [1, 2])
def test_in_a_shallow_clone_the_whole_history_is_asked_for(branched: Path, tmp_path: Path, depth: int) -> None:
    """At depth 2 topic and main each lack the commit that they share."""
    do(tmp_path, "clone", "--no-single-branch", f"--depth={depth}", f"file://{branched}", "shallow")
    shallow = tmp_path / "shallow"
    do(shallow, "checkout", "-q", "topic")
    told = refused(lambda: merge_base(shallow, "origin/main", WHERE))
    assert told.startswith(f"{WHERE}: cannot be compared in a shallow clone, which lacks the history, got 'origin/main'")
    assert told.endswith("Run `git fetch --unshallow`.")
    do(shallow, "fetch", "--unshallow")
    assert merge_base(shallow, "origin/main", WHERE) == do(branched, "rev-parse", "main~1")


def test_in_a_shallow_clone_a_base_within_its_history_is_certain(branched: Path, tmp_path: Path) -> None:
    do(tmp_path, "clone", "--depth=2", "--branch=topic", f"file://{branched}", "shallow")
    assert merge_base(tmp_path / "shallow", "HEAD~1", WHERE) == do(branched, "rev-parse", "topic~1")


def test_a_tree_holds_the_project_s_files_as_they_were_and_goes_away(repository: Path) -> None:
    first = do(repository, "rev-parse", "HEAD")
    commit(repository, {"inner/a.txt": "later", "inner/new.txt": "n"})
    write(repository, {"inner/a.txt": "not committed"})
    before = everything_in(repository)
    with tree_at(repository / "inner", first) as folder:
        assert files_in(folder) == {"a.txt": "a", "deep/d.txt": "d"}
        write(folder, {"scratch": "s"})
    assert not folder.exists()
    assert everything_in(repository) == before
    with tree_at(repository, first) as folder:
        assert set(files_in(folder)) == {".gitignore", "beside.txt", "inner/a.txt", "inner/deep/d.txt"}


def test_a_project_that_was_not_there_yet_had_no_files(repository: Path) -> None:
    first = do(repository, "rev-parse", "HEAD")
    commit(repository, {"later/a.txt": "a"})
    with tree_at(repository / "later", first) as folder:
        assert files_in(folder) == {}
        assert folder.is_dir()


def test_a_tree_is_what_a_checkout_gives_whatever_an_archive_would_leave_out(repository: Path) -> None:
    attributes = "inner/a.txt export-ignore\ninner/deep/d.txt text eol=crlf\n"
    commit(repository, {".gitattributes": attributes, "inner/deep/d.txt": "d\n", "inner/ü -x.txt": "ü"})
    with tree_at(repository / "inner", "HEAD") as folder:
        assert set(files_in(folder)) == {"a.txt", "deep/d.txt", "ü -x.txt"}
        assert (folder / "deep/d.txt").read_bytes() == b"d\r\n"


def test_links_that_lead_out_of_the_tree_are_not_made(repository: Path, tmp_path: Path) -> None:
    write(tmp_path, {"secret/s.txt": "s"})
    inner = repository / "inner"
    for name, to in {
        "in": "deep",
        "round": "../inner/a.txt",
        "up": "../beside.txt",
        "out": str(tmp_path / "secret"),
        "loop": "loop",
    }.items():
        (inner / name).symlink_to(to)
    (inner / "deep" / "back").symlink_to("../a.txt")
    commit(repository, {})
    with tree_at(inner, "HEAD") as folder:
        assert {path.name for path in folder.rglob("*") if path.is_symlink()} == {"in", "round", "back"}
        assert (folder / "in" / "d.txt").read_text(encoding="utf-8") == "d"


def test_a_tree_of_no_commit_is_a_usage_error(repository: Path, tmp_path: Path) -> None:
    for root in (repository, tmp_path):
        with pytest.raises(UsageError, match="cannot read the project's files"), tree_at(root, "0" * 40):
            pass


def test_a_tree_goes_away_after_a_crash(repository: Path) -> None:
    with pytest.raises(RuntimeError), tree_at(repository, "HEAD") as folder:
        raise RuntimeError
    assert not folder.exists()


def test_changed_files_are_committed_staged_edited_deleted_and_unknown_ones_below_the_project(repository: Path) -> None:
    first = do(repository, "rev-parse", "HEAD")
    inner = repository / "inner"
    commit(repository, {"inner/committed": "1", "inner/back": "1", "beside.txt": "later"})
    write(inner, {"staged": "1", "a.txt": "edited", "unknown ü": "1", "deep/in": "1", "x.ignored": "1"})
    do(repository, "add", "inner/staged")
    (inner / "deep/d.txt").unlink()
    (inner / "back").unlink()
    assert changed_files(inner, first) == ["a.txt", "committed", "deep/d.txt", "deep/in", "staged", "unknown ü"]
    assert changed_files(inner, "HEAD") == ["a.txt", "back", "deep/d.txt", "deep/in", "staged", "unknown ü"]


def test_a_moved_file_differs_in_both_places(repository: Path) -> None:
    do(repository, "mv", "inner/a.txt", "inner/moved.txt")
    assert changed_files(repository, "HEAD") == ["inner/a.txt", "inner/moved.txt"]


def test_an_unchanged_project_has_no_changed_files_although_its_times_differ(repository: Path) -> None:
    """Nor does git write down that it looked."""
    os.utime(repository / "inner/a.txt", (1, 1))
    index = (repository / ".git/index").read_bytes()
    assert changed_files(repository / "inner", "HEAD") == []
    assert state_of(repository / "inner") == commit_at(repository, "HEAD", WHERE)
    assert (repository / ".git/index").read_bytes() == index


def test_what_cannot_be_compared_is_an_error_and_not_unchanged(repository: Path, tmp_path: Path) -> None:
    for root in (repository, tmp_path):
        assert "cannot tell what differs" in refused(lambda root=root: changed_files(root, "none"))


def test_a_clean_project_s_state_is_its_commit_whatever_lies_beside_it(repository: Path) -> None:
    write(repository, {"beside.txt": "edited", "inner/x.ignored": "1", "inner/evidence/e": "1"})
    head = do(repository, "rev-parse", "HEAD")
    assert state_of(repository / "inner", ["evidence", "none", ""]) == head
    assert state_of(repository / "inner", ["evidence"]) == head
    assert state_of(repository / "inner", ["evi*"]) != head


def test_a_differing_project_s_state_names_what_differs(repository: Path) -> None:
    head, inner = do(repository, "rev-parse", "HEAD"), repository / "inner"
    states = [state_of(inner)]
    write(inner, {"a.txt": "edited"})
    states.append(state_of(inner))
    write(inner, {"a.txt": "edited again"})
    states.append(state_of(inner))
    write(inner, {"unknown": "1"})
    states.append(state_of(inner))
    write(inner, {"unknown": "2"})
    states.append(state_of(inner))
    (inner / "unknown").rename(inner / "renamed")
    states.append(state_of(inner))
    (inner / "renamed").chmod(0o755)
    states.append(state_of(inner))
    (inner / "link").symlink_to("a.txt")
    states.append(state_of(inner))
    (inner / "a.txt").unlink()
    states.append(state_of(inner))
    assert states[0] == head
    assert len(set(states)) == len(states)
    assert all(state and state.startswith(f"{head}+") and len(state) == len(head) + 9 for state in states[1:])


def test_equal_differences_are_one_state_staged_or_not(repository: Path) -> None:
    write(repository, {"inner/unknown": "1", "inner/a.txt": "edited"})
    before = state_of(repository)
    do(repository, "add", "-A")
    assert state_of(repository) == before


def test_there_is_no_state_without_a_commit_that_holds_the_project(repository: Path, tmp_path: Path) -> None:
    assert state_of(tmp_path) is None
    (tmp_path / "new").mkdir()
    do(tmp_path / "new", "init")
    assert state_of(tmp_path / "new") is None
    write(repository, {"elsewhere.ignored/p/f": "1"})
    assert state_of(repository / "elsewhere.ignored/p") is None


def test_a_project_that_is_not_committed_yet_differs_from_the_commit(repository: Path) -> None:
    write(repository, {"later/f": "1"})
    state = state_of(repository / "later")
    assert state is not None
    assert state.startswith(do(repository, "rev-parse", "HEAD") + "+")
