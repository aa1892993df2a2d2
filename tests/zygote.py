"""`assay` in the fork of a process that has imported it already: all that a new process does, but for the second of imports.

For copies of the project whose code is the same as this checkout's; anything else needs a process of its own.
"""

from __future__ import annotations

import atexit
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import IO, Any, NoReturn

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("assay", "flows", "tasks")


def can_be_forked(project: Path, arguments: tuple[str, ...], environ: dict[str, str]) -> bool:
    """Whether the command is none that runs a flow, in a project that has no code under our names but that of this checkout.

    What the interpreter itself is told when it starts (`PYTHON...` in `environ`) takes a process of its own.
    """
    starts_prefect = arguments[:1] in {("run",), ("pr",)} and not {"--offline", "--help"} & {*arguments}
    is_told = any(name.startswith("PYTHON") for name in environ)
    return not (starts_prefect or is_told) and all(_sources(project / name) in ({}, _ours(name)) for name in PACKAGES)


def answered(project: Path, arguments: tuple[str, ...], environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """`assay ARGUMENTS` in the project."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        code = _server().asked(project, arguments, environ, out, err)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(["assay", *arguments], code, out.read(), err.read())


class Server:
    """The process that forks; one question at a time."""

    def __init__(self) -> None:
        clean = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG", "TMPDIR"}}
        command = [sys.executable, "-m", "tests.zygote"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=ROOT, env=clean, stdin=pipe, stdout=pipe, text=True)
        self._lock = Lock()
        atexit.register(self._stop)

    def _stop(self) -> None:
        self._process.kill()
        self._process.communicate()

    def asked(self, project: Path, arguments: tuple[str, ...], environ: dict[str, str], out: IO[str], err: IO[str]) -> int:
        """The exit code; output goes into the two files."""
        files = [f"/proc/{os.getpid()}/fd/{file.fileno()}" for file in (out, err)]
        question = {"cwd": str(project), "arguments": arguments, "environ": environ, "files": files}
        with self._lock:
            print(json.dumps(question), file=self._process.stdin, flush=True)
            return int(self._process.stdout.readline()) if self._process.stdout else 1


@cache
def _server() -> Server:
    return Server()


@cache
def _ours(name: str) -> dict[str, bytes]:
    return _sources(ROOT / name)


def _sources(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def _serve() -> None:
    """Answer questions from stdin until it is closed."""
    _import_all()
    for line in sys.stdin:
        question = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(question)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _import_all() -> None:
    """What commands import, now or when they run, but for Prefect; and the digests of that code."""
    from assay.stores.code import INSTALLED

    for package in map(import_module, PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not _is_left_out(module.name):
                import_module(module.name)
                INSTALLED.reached(module.name)
    for name in ("numpy", "pyarrow.parquet", "pyarrow.ipc", "rich.table", "rich.console", "yaml", "scipy.optimize"):
        import_module(name)


def _is_left_out(module: str) -> bool:
    """Whether it is the test runner's, or imports Prefect."""
    path = ROOT.joinpath(*module.split("."))
    source = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8")
    return module.startswith("assay.pytest_plugin") or "from prefect" in source


def _become(question: dict[str, Any]) -> NoReturn:
    """The command, as if this process had been started for it."""
    code = 1
    try:
        os.chdir(question["cwd"])
        os.environ.clear()
        os.environ.update(question["environ"])
        for fd, path in enumerate(("/dev/null", *question["files"])):
            opened = os.open(path, os.O_RDWR)
            os.dup2(opened, fd)
            os.close(opened)
        sys.stdin, sys.stdout, sys.stderr = (
            open(fd, mode, encoding="utf-8", closefd=False)  # noqa: SIM115  # they live as long as the process
            for fd, mode in enumerate("rww")
        )
        sys.modules["__main__"] = command = import_module("assay.__main__")
        sys.argv = [str(command.__file__), *question["arguments"]]
        sys.path[0] = question["cwd"]
        sys.dont_write_bytecode = True
        command.main()
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BaseException:  # noqa: BLE001  # as the interpreter itself shows whatever ends a process
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
