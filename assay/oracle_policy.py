"""The oracle policy: a changed contract is not covered by recordings that were made from the expectations."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from assay.contract import record_command
from assay.errors import InputError, Problem
from assay.model.exchange import Manifest
from assay.model.verdict import Check


def exemption_of(suite: str) -> str:
    """What a pull request's body must hold to excuse an oracle-aligned recording."""
    return f"{re.sub('[^A-Z0-9]', '_', suite.upper())}_EVAL_ORACLE_OK=1"


def changed_paths(text: str, shown: str) -> frozenset[str]:
    """The changed paths, one a line, as plain data. Raises InputError for a path that leaves the repository."""
    paths: set[str] = set()
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), start=1):
        path = PurePosixPath(line.strip())
        if not line.strip():
            continue
        if path.is_absolute() or ".." in path.parts:
            problems.append(
                Problem(f"{shown}:{number}", "path leaves the repository", line, "a path relative to its top folder")
            )
        paths.add(str(path))
    if problems:
        raise InputError(problems)
    return frozenset(paths)


def oracle_policy(
    suite: str,
    contract_files: Collection[str],
    cassettes: Mapping[str, tuple[str, Manifest]],
    changed: Collection[str],
    pr_body: str,
) -> dict[str, Check]:
    """One check per provider; `cassettes` maps a provider to (path of its cassette, manifest).

    A touched contract file breaks it for an oracle-aligned recording, unless the body holds the exemption, and for a live
    one that was not recorded anew in the same change: a new hash in the manifest alone proves nothing.
    """
    touched = sorted(set(contract_files) & set(changed))
    exempt = re.search(rf"(?<![\w=]){re.escape(exemption_of(suite))}(?!\w)", pr_body) is not None
    return {
        name: _judged(suite, name, manifest, touched, recorded_anew=path in changed, exempt=exempt)
        for name, (path, manifest) in sorted(cassettes.items())
    }


def _judged(suite: str, name: str, manifest: Manifest, touched: list[str], *, recorded_anew: bool, exempt: bool) -> Check:
    check = f"oracle_policy.{name}"
    if not touched:
        return Check(name=check, status="kept", message="no contract file is touched")
    files = ", ".join(touched)
    if not manifest.is_oracle and recorded_anew:
        return Check(name=check, status="kept", message=f"{files} changed and {name} was recorded live in the same change")
    if manifest.is_oracle and exempt:
        message = f"EXCEPTION: {files} changed over an oracle-aligned recording, excused by {exemption_of(suite)}"
        return Check(name=check, status="kept", message=message)
    if manifest.is_oracle:
        why = "its recording is oracle-aligned, so nobody has seen a model answer the new contract"
        command = record_command(suite, name, oracle=False)
        mend = f"Record it live with `{command}`, or write {exemption_of(suite)} in the pull request."
    else:
        why = "its recording was not made anew; a changed hash in the manifest alone proves nothing"
        mend = f"Record it with `{record_command(suite, name, oracle=False)}`."
    return Check(name=check, status="broken", message=f"{files} changed, and {why}. {mend}")
