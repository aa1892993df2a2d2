"""Posts the comment that `assay pr` wrote, or updates the one that is there: `python3 -I tools/post_comment.py FOLDER`.

Runs where a token may write, so it trusts only GitHub's own event. FOLDER comes from a run of the change's code: its files are
data of limited size. The pull request's number in it counts only if that pull request is open and its head is the commit, in
the repository, that the event names. Needs nothing but the standard library.
"""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

MARKER = "<!-- assay -->"
AUTHOR = "github-actions[bot]"
SIZE = 60_000
"""A comment may have 65,536 characters."""
PAGES = 20
_NUMBER = re.compile(rb"[1-9][0-9]{0,9}")
_MENTION = re.compile(r"(?<!\w)@(?=\w)")
_INVISIBLE = "\u200b"


class Refused(Exception):
    """Nothing is posted, and why."""


class Forge:
    """The few calls that are made, for one repository."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._url = f"{environ['GITHUB_API_URL']}/repos/{environ['GITHUB_REPOSITORY']}"
        self._token = environ["GITHUB_TOKEN"]

    def get(self, path: str) -> Any:  # noqa: ANN401  # JSON
        """The answer as plain values."""
        return self._asked("GET", path, None)

    def send(self, method: str, path: str, body: str) -> None:
        """Write a comment's text."""
        self._asked(method, path, json.dumps({"body": body}).encode())

    def _asked(self, method: str, path: str, data: bytes | None) -> Any:  # noqa: ANN401  # as above
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/vnd.github+json"}
        request = urllib.request.Request(f"{self._url}/{path}", data, headers, method=method)  # noqa: S310  # the runner's own
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310  # as above
            return json.load(answer)


def main(folder: Path, environ: Mapping[str, str]) -> int:
    """Post or update; says what was done."""
    run = json.loads(Path(environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))["workflow_run"]
    link = f"{environ['GITHUB_SERVER_URL']}/{environ['GITHUB_REPOSITORY']}/actions/runs/{int(run['id'])}"
    forge = Forge(environ)
    try:
        number = verified_number(folder, run, forge)
        print(f"#{number}: {posted(number, text_of(folder / 'comment.md', run, link), forge)}")
    except Refused as refused:
        print(f"nothing posted: {refused}")
    except urllib.error.URLError as error:
        print(f"nothing posted: {error}", file=sys.stderr)
        return 1
    return 0


def posted(number: int, body: str, forge: Forge) -> str:
    """Update the comment that is there, or post the first one."""
    found = next(own_comments(number, forge), None)
    if found is None:
        forge.send("POST", f"issues/{number}/comments", body)
        return "posted"
    forge.send("PATCH", f"issues/comments/{found}", body)
    return "updated"


def verified_number(folder: Path, run: Mapping[str, Any], forge: Forge) -> int:
    """The pull request that the run was of. Raises Refused where the artifact's claim does not fit the event."""
    claimed = content(folder / "number", 11)
    if claimed is None or not _NUMBER.fullmatch(claimed):
        raise Refused("the artifact names no pull request")
    number = int(claimed)
    known = [pull["number"] for pull in run.get("pull_requests") or ()]
    if known and number not in known:
        raise Refused(f"the run belongs to {known}, the artifact says {number}")
    pull = forge.get(f"pulls/{number}")
    head, origin = pull["head"], (run.get("head_repository") or {}).get("full_name")
    if pull["state"] != "open":
        raise Refused(f"pull request {number} is {pull['state']}")
    if head["sha"] != run["head_sha"] or origin is None or (head["repo"] or {}).get("full_name") != origin:
        raise Refused(f"the head of pull request {number} is not the commit of the run")
    return number


def text_of(path: Path, run: Mapping[str, Any], link: str) -> str:
    """The comment as it is posted: the marker, what the run wrote with nobody called by it, and which run that was."""
    sha = re.sub(r"[^0-9a-f]", "", run["head_sha"])[:12]
    written = content(path, SIZE)
    if written is None:
        told = f"**No comment came of this run.** It ended as {re.sub('[^a-z_]', '', str(run['conclusion']))}; see its log."
    else:
        told = _MENTION.sub(f"@{_INVISIBLE}", written.decode("utf-8", "replace").removeprefix(MARKER).strip())
    return f"{MARKER}\n{told}\n\n<sub>[run of {sha}]({link})</sub>\n"


def content(path: Path, limit: int) -> bytes | None:
    """A file's bytes; None where it is missing, larger than the limit or no plain file."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > limit:
        return None
    return path.read_bytes()


def own_comments(number: int, forge: Forge) -> Iterator[int]:
    """The comments that this workflow posted, by id."""
    for page in range(1, PAGES + 1):
        found = forge.get(f"issues/{number}/comments?per_page=100&page={page}")
        yield from (one["id"] for one in found if one["user"]["login"] == AUTHOR and one["body"].startswith(MARKER))
        if len(found) < 100:  # noqa: PLR2004  # a page that is not full is the last
            return


if __name__ == "__main__":
    if len(sys.argv) != 2:  # noqa: PLR2004  # the script and its one argument
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(Path(sys.argv[1]), os.environ))
