"""The one door to git. Every command only reads: no ref, index, work tree or configuration of the repository is written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from assay.digest import digest_of, sha256_hex
from assay.errors import Problem, UsageError
from assay.stores.files import FILE_LIMIT

_SET_BY_HOOKS = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_IMPLICIT_WORK_TREE"}
)
"""What a hook leaves in the environment. The repository is the one around the project's folder, whoever starts the command."""
_READS_ONLY = ("--no-optional-locks", "--no-pager", "-c", "core.splitIndex=false", "-c", "core.fsmonitor=false")
"""No lock or second index in the repository, and no daemon."""
_NAME = re.compile(r"[\w][\w./-]*")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_DIFFERENCE_DIGITS = 8


def git(root: Path, *arguments: str) -> bytes | None:
    """A read-only git command's output, or None when it failed or git cannot be run."""
    done = _done(root, arguments)
    return done.stdout if done is not None and done.returncode == 0 else None


def commit_at(root: Path, revision: str, where: str) -> str:
    """The full name of a revision's commit. Raises UsageError for an unknown one, also where no repository is."""
    found = None if revision.startswith("-") else git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    name = "" if found is None else found.decode().strip()
    if not _COMMIT.fullmatch(name):
        raise UsageError(_unknown(root, revision, where))
    return name


def merge_base(root: Path, base: str, where: str) -> str:
    """The full name of the commit at which the present one left `base`.

    Raises UsageError where there is none, and in a shallow clone, whose history may hide a later one: only a `base` that is
    itself part of the present commit's history is certain there.
    """
    theirs, ours = commit_at(root, base, where), commit_at(root, "HEAD", where)
    answer = git(root, "merge-base", theirs, ours)
    found = "" if answer is None else answer.decode().strip()
    if found in {theirs, ours}:
        return found
    if _is_shallow(root):
        what = "cannot be compared in a shallow clone, which lacks the history"
        raise UsageError(Problem(where, what, base, "a whole clone", "Run `git fetch --unshallow`."))
    if not found:
        raise UsageError(Problem(where, "has no commit in common with the present one", base, "a revision of the same history"))
    return found


@contextmanager
def tree_at(root: Path, revision: str) -> Iterator[Path]:
    """A temporary folder that holds the project's files as a checkout of that commit would; removed at the end.

    A link that leads out of it is not made: what it points to is no part of the commit. Raises UsageError.
    """
    with tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True) as temporary:
        whole, index = Path(temporary).resolve() / "tree", {"GIT_INDEX_FILE": str(Path(temporary) / "index")}
        prefix = git(root, "rev-parse", "--show-prefix")
        read = _done(root, ("read-tree", revision), index)
        made = _done(root, ("checkout-index", "--all", "--quiet", f"--prefix={whole}/"), index)
        if prefix is None or any(done is None or done.returncode for done in (read, made)):
            told = " ".join(_told(done) for done in (read, made) if done is not None).strip()
            raise UsageError(Problem("git", f"cannot read the project's files ({told or 'no repository'})", revision))
        folder = _path(whole, prefix)
        folder.mkdir(parents=True, exist_ok=True)
        _remove_links_out_of(folder)
        yield folder


def changed_files(root: Path, revision: str) -> list[str]:
    """The project's files that differ from a commit, relative to the project: committed since, staged, edited or not yet known.

    Files that git ignores are left out. Raises UsageError.
    """
    index = git(root, "rev-parse", "--git-path", "index")
    found = None if index is None else _differing(root, revision, _path(root, index), ())
    if found is None:
        raise UsageError(Problem("git", "cannot tell what differs", revision, "a commit of this repository"))
    return found


def state_of(root: Path, excluding: Sequence[str] = ()) -> str | None:
    """The present commit where the project's files are those of it, else the commit, `+` and a digest of what differs.

    None where no commit holds the project. `excluding` names folders, relative to the root, whose files do not count.
    """
    asked = _done(root, ("rev-parse", "--git-path", "index", "HEAD", "HEAD:./"))
    if asked is None:
        return None
    index, _, named = asked.stdout.partition(b"\n")
    head = named.partition(b"\n")[0].decode()
    if not _COMMIT.fullmatch(head):
        return None
    differing = _differing(root, head, _path(root, index), excluding)
    if differing is None or (not differing and asked.returncode):
        return None
    if not differing:
        return head
    return f"{head}+{digest_of({name: _content(root / name) for name in differing})[:_DIFFERENCE_DIGITS]}"


def _differing(root: Path, commit: str, index: Path, excluding: Sequence[str]) -> list[str] | None:
    """Files whose content or mode differs from the commit, and files that git neither knows nor ignores; None on failure.

    `git diff` writes down in the index what it looked at, and locks it for that; it gets a copy.
    """
    within = [folder for folder in excluding if folder and not {"..", "/"} & set(PurePosixPath(folder).parts)]
    places = ("--", ".", *(f":(exclude,literal){folder}" for folder in within))
    with tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True) as temporary:
        copy = Path(temporary) / "index"
        if index.is_file():
            shutil.copyfile(index, copy)
        options = ("--name-only", "--no-renames", "--no-ext-diff", "--relative", "-z")
        tracked = _done(root, ("diff", *options, commit, *places), {"GIT_INDEX_FILE": str(copy)})
    unknown = git(root, "ls-files", "--others", "--exclude-standard", "-z", *places)
    if tracked is None or tracked.returncode or unknown is None:
        return None
    return sorted({os.fsdecode(name) for name in (tracked.stdout + unknown).split(b"\0") if name})


def _path(root: Path, told: bytes) -> Path:
    return root / os.fsdecode(told).rstrip("\n")


def _content(path: Path) -> str:
    """What names a file's present content in a digest; for a file that is too large to read, its size and time."""
    try:
        if path.is_symlink():
            return f"link {path.readlink()}"
        if not path.is_file():
            return "folder" if path.is_dir() else "missing"
        facts = path.stat()
        if facts.st_size > FILE_LIMIT:
            return f"{facts.st_size} bytes at {facts.st_mtime_ns}"
        return f"{facts.st_mode & 0o111:o} {sha256_hex(path.read_bytes())}"
    except OSError:
        return "unreadable"


def _remove_links_out_of(folder: Path) -> None:
    for parent, folders, files in os.walk(folder):
        for path in (Path(parent, name) for name in (*folders, *files)):
            if path.is_symlink() and not _is_within(path, folder):
                path.unlink()


def _is_within(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder)
    except (OSError, RuntimeError):
        return False


def _unknown(root: Path, revision: str, where: str) -> Problem:
    """Why a revision is not known here, and the command that brings it."""
    around = _done(root, ("rev-parse", "--git-dir"))
    if around is None:
        return Problem(where, "git cannot be run", expected="git on the PATH")
    if around.returncode:
        return Problem(where, "unknown revision", revision, f"a git repository around the project ({_told(around)})")
    remedy = _fetched_by(root, revision)
    return Problem(where, "unknown revision", revision, "a commit, branch or tag of this repository", remedy)


def _fetched_by(root: Path, revision: str) -> str:
    """The command that may bring a revision which is not here."""
    remotes = (git(root, "remote") or b"").decode().split()
    first, _, rest = revision.partition("/")
    if not remotes:
        return ""
    if not _NAME.fullmatch(revision):
        return "Run `git fetch --unshallow`." if _is_shallow(root) else ""
    if rest and first in remotes:
        return f"Where the remote has it: `git fetch {first} {rest}:refs/remotes/{revision}`."
    source = "origin" if "origin" in remotes else remotes[0]
    wanted = revision if _COMMIT.fullmatch(revision) else f"{revision}:{revision}"
    return f"Where the remote has it: `git fetch {source} {wanted}`."


def _is_shallow(root: Path) -> bool:
    return git(root, "rev-parse", "--is-shallow-repository") == b"true\n"


def _told(done: subprocess.CompletedProcess[bytes]) -> str:
    """The first line of what git says."""
    return done.stderr.decode(errors="replace").strip().partition("\n")[0]


def _done(
    root: Path, arguments: Sequence[str], environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes] | None:
    """A finished git command in the project's folder; None where git cannot be run."""
    kept = {name: value for name, value in os.environ.items() if name not in _SET_BY_HOOKS}
    command = ["git", *_READS_ONLY, *arguments]
    try:
        return subprocess.run(  # noqa: S603  # fixed command, data as arguments
            command, cwd=root, env=kept | dict(environ or {}), stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except (OSError, ValueError):
        return None
