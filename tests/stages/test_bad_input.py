"""What is wrong with a file is one message, the right exit code, and nothing written but cache."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from assay.digest import sha256_hex
from assay.model.suite import Suite

Assay = Callable[..., subprocess.CompletedProcess[str]]
Break = Callable[[Path], None]
GOLD, TAPE = "goldsets/extraction/v1", "cassettes/extraction/v1"
RUN = ("run", "extraction", "--offline")


def tree(project: Path) -> dict[str, str]:
    """Every file outside the cache by content."""
    found = sorted(path for path in project.rglob("*") if path.is_file() or path.is_symlink())
    names = {path.relative_to(project).as_posix(): path for path in found}
    return {
        name: sha256_hex(path.read_bytes()) for name, path in names.items() if not name.startswith((".assay/", "evidence/"))
    }


def edited(file: str, edit: Callable[[bytes], bytes]) -> Break:
    """The file after an edit; an absent one counts as empty."""

    def apply(project: Path) -> None:
        path = project / file
        path.write_bytes(edit(path.read_bytes() if path.exists() else b""))

    return apply


def swapped(file: str, old: str, new: str) -> Break:
    """The file with one text for another, which must be there."""

    def edit(data: bytes) -> bytes:
        assert old.encode() in data
        return data.replace(old.encode(), new.encode(), 1)

    return edited(file, edit)


def line(number: int, text: str) -> Callable[[bytes], bytes]:
    """An edit that puts `text` in place of line `number`."""

    def edit(data: bytes) -> bytes:
        lines = data.split(b"\n")
        lines[number - 1] = text.encode()
        return b"\n".join(lines)

    return edit


def removed(file: str) -> Break:
    return lambda project: (project / file).unlink()


def linked_out(file: str) -> Break:
    """The file moved out of the project, with a link in its place."""

    def apply(project: Path) -> None:
        (project / file).rename(project.parent / "outside")
        (project / file).symlink_to(project.parent / "outside")

    return apply


def changed_json(file: str, **changes: object) -> Break:
    return edited(file, lambda data: json.dumps({**json.loads(data), **changes}).encode())


def first_doubled(data: bytes) -> bytes:
    return data + data.split(b"\n")[0] + b"\n"


def refused(project: Path, assay: Assay, *arguments: str) -> str:
    """The message of a command that must end with 2 and write nothing but cache."""
    before = tree(project)
    done = assay(*arguments)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert tree(project) == before
    assert not (project / ".assay" / "runs").exists()
    return done.stderr


KEYS = ", ".join(sorted(Suite.model_fields))
FORMAT = "expected format 1. It was written by another release of assay."
HUGE = '{"id": "' + "x" * (1 << 20) + '"}'

FAULTS: dict[str, tuple[Break, str]] = {
    "broken JSON in the conversations": (
        edited(f"{GOLD}/conversations.jsonl", line(17, '{"id": }')),
        f"{GOLD}/conversations.jsonl:17: is not JSON (Expecting value at column 8), got '{{\"id\": }}'.",
    ),
    "broken JSON in the expectations": (
        edited(f"{GOLD}/expected_memories.jsonl", line(3, "oops")),
        f"{GOLD}/expected_memories.jsonl:3: is not JSON (Expecting value at column 1), got 'oops'.",
    ),
    "broken JSON in the cassette": (
        edited(f"{TAPE}/openai.jsonl", line(5, "{")),
        f"{TAPE}/openai.jsonl:5: is not JSON (Expecting property name enclosed in double quotes at column 2), got '{{'.",
    ),
    "a number out of range in the schema": (
        edited(f"{GOLD}/schema.json", lambda _: b'{"maximum": 1e400}'),
        f"{GOLD}/schema.json: is not acceptable JSON (",
    ),
    "a missing gold file": (removed(f"{GOLD}/conversations.jsonl"), f"{GOLD}/conversations.jsonl: no such file."),
    "a missing manifest": (
        removed(f"{TAPE}/openai.manifest.json"),
        f"{TAPE}/openai.manifest.json: no such file. Record it with `assay record extraction --provider openai`.",
    ),
    "an unknown key in suite.yaml": (
        swapped(f"{GOLD}/suite.yaml", "synthetic: true", "synthetic: true\ntitel: x"),
        f"{GOLD}/suite.yaml: titel: unknown key, got 'titel'; expected one of {KEYS}. Did you mean 'title'?",
    ),
    "a duplicate conversation": (
        edited(f"{GOLD}/conversations.jsonl", first_doubled),
        f"{GOLD}/conversations.jsonl: the id 'ext-001' stands 2 times; expected each id once.",
    ),
    "a duplicate memory": (
        edited(f"{GOLD}/expected_memories.jsonl", first_doubled),
        f"{GOLD}/expected_memories.jsonl: the id 'ext-001-m1' stands 2 times; expected each id once.",
    ),
    "a gold set without conversations": (
        edited(f"{GOLD}/conversations.jsonl", lambda _: b""),
        f"{GOLD}/conversations.jsonl, expected_memories.jsonl: holds no case; expected at least one case.",
    ),
    "NaN in a baseline": (
        edited(f"{GOLD}/baseline.json", lambda _: b'{"format": 1, "providers": NaN}'),
        f'{GOLD}/baseline.json: is not acceptable JSON (NaN is not a number), got \'{{"format": 1, "providers": NaN}}\'.',
    ),
    "a huge line": (
        edited(f"{GOLD}/conversations.jsonl", line(2, HUGE)),
        f"{GOLD}/conversations.jsonl:2: line of 1,048,586 characters; expected at most 1,048,576.",
    ),
    "a binary gold file": (
        edited(f"{GOLD}/conversations.jsonl", lambda _: b"\x89PNG\r\n\x1a\n\x00\x00"),
        f"{GOLD}/conversations.jsonl:1: is not UTF-8 text, got b'\\x89PNG\\r\\n\\x1a\\n'; expected UTF-8.",
    ),
    "a path out of the project": (
        swapped(f"{GOLD}/suite.yaml", "conversations: conversations.jsonl", "conversations: ../../../../out"),
        f"{GOLD}/suite.yaml: files.conversations: leads out of its folder, got '../../../../out'; expected a path below v1/.",
    ),
    "a link out of the project": (
        linked_out(f"{GOLD}/prompt.md"),
        f"{GOLD}/suite.yaml: contract.prompt: leads out of its folder, got 'prompt.md'; expected a path below v1/.",
    ),
    "a cassette of another format": (
        changed_json(f"{TAPE}/openai.manifest.json", format=2),
        f"{TAPE}/openai.manifest.json: unknown format version, got 2; {FORMAT}",
    ),
    "a date that is none": (
        changed_json(f"{TAPE}/openai.manifest.json", recorded_at="yesterday"),
        f"{TAPE}/openai.manifest.json: recorded_at: is not valid (",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_bad_input_is_one_message_and_exit_2(project: Path, assay: Assay, fault: str) -> None:
    damage, said = FAULTS[fault]
    damage(project)
    message = refused(project, assay, *RUN)
    assert message.startswith(f"error: {said}")
    assert len(message.splitlines()) == 1
    if said.endswith((".", "?")):
        assert message == f"error: {said}\n"


def test_an_empty_gold_set_is_one_message(project: Path, assay: Assay) -> None:
    for name in ("conversations.jsonl", "expected_memories.jsonl"):
        (project / GOLD / name).write_bytes(b"\n")
    files = f"{GOLD}/conversations.jsonl, expected_memories.jsonl"
    assert refused(project, assay, *RUN) == f"error: {files}: holds no case; expected at least one case.\n"


def test_a_gold_file_in_a_folder_of_its_own_is_named_in_full(project: Path, assay: Assay) -> None:
    (project / GOLD / "data").mkdir()
    (project / GOLD / "data" / "c.jsonl").write_bytes(b"oops\n")
    swapped(f"{GOLD}/suite.yaml", "conversations: conversations.jsonl", "conversations: data/c.jsonl")(project)
    assert refused(project, assay, *RUN) == (
        f"error: {GOLD}/data/c.jsonl:1: is not JSON (Expecting value at column 1), got 'oops'.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("run", "extractoin", "--offline"),
            "goldsets/: unknown suite, got 'extractoin'; expected one of SUITES. Did you mean 'extraction'?",
        ),
        ((*RUN, "--gold-version", "v9"), "goldsets/extraction: unknown version, got 'v9'; expected one of v1."),
        (
            (*RUN, "--provider", "opnai"),
            "--provider: unknown provider, got 'opnai'; expected one of PROVIDERS. Did you mean 'openai'?",
        ),
        ((*RUN, "--set", "title"), "--set: is not KEY=VALUE, got 'title'; expected for example gate.max_drop_pp=5."),
        ((*RUN, "--set", "title=["), "--set: value is not YAML, got '['."),
        (("gate",), "RUN: there is no run yet. Make one with `assay run SUITE`."),
        (("gate", "none"), "RUN: no such run, got 'none'; expected a run id, a folder with report.json, or latest."),
        (("verify", "extraction", "--changed-files", "none.txt"), "none.txt: no such file."),
    ],
)
def test_a_command_that_does_not_fit_is_one_message(project: Path, assay: Assay, arguments: tuple[str, ...], said: str) -> None:
    declared = yaml.safe_load((project / GOLD / "suite.yaml").read_text(encoding="utf-8"))["providers"]
    suites = sorted({path.parent.parent.name for path in project.glob("goldsets/*/v*/suite.yaml")})
    said = said.replace("PROVIDERS", ", ".join(declared)).replace("SUITES", ", ".join(suites))
    assert refused(project, assay, *arguments) == f"error: {said}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        (*RUN, "--set", "gate.max_drop_pp=2026-13-45"),
        (*RUN, "--set", 'gate.max_drop_pp=!!int ""'),
        (*RUN, "--out", "pyproject.toml/report"),
        ("gate", "x" * 300),
    ],
)
def test_an_impossible_value_is_a_message_and_no_crash(project: Path, assay: Assay, arguments: tuple[str, ...]) -> None:
    assert refused(project, assay, *arguments).startswith("error: ")


def last_line_gone(data: bytes) -> bytes:
    return data[: data.rstrip(b"\n").rfind(b"\n") + 1]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (edited(f"{TAPE}/openai.jsonl", last_line_gone), "no exchange for ext-160"),
        (swapped(f"{TAPE}/openai.jsonl", "Ayrshire", "Jersey"), "the cassette was edited after recording"),
        (edited(f"{TAPE}/openai.jsonl", lambda _: b""), "no exchange for ext-001"),
        (swapped(f"{GOLD}/expected_memories.jsonl", "Ayrshire", "Jersey"), "1 edited: ext-001"),
    ],
)
def test_an_integrity_fault_is_told_and_exit_1(project: Path, assay: Assay, damage: Break, said: str) -> None:
    damage(project)
    before = tree(project)
    done = assay(*RUN)
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    assert said in " ".join(done.stdout.split())
    assert tree(project) == before
