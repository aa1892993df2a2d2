"""What the reader of transcripts prints: counts with their nouns, faults, and what is vacuous among what is kept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "tools" / "transcripts.py"
CHAT = {"messages": [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Good day."}]}
RULES = """\
format: 1
rules:
  - name: no-write-before-look
    never: {kind: tool_call, name: write}
    before: {kind: tool_call, name: look}
"""


def printed(folder: Path, *options: str) -> tuple[int, list[str]]:
    command = [sys.executable, str(SCRIPT), str(folder), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout.splitlines()


def test_one_is_one_and_a_source_without_events_has_no_line_of_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"other": 1}), encoding="utf-8")
    (tmp_path / "b.txt").write_text("x", encoding="utf-8")
    code, lines = printed(tmp_path)
    assert code == 2
    assert lines[0] == "unknown: 1 file, 0 transcripts, 0 events, 1 error, 1 transcript lost to them, 0 silently skipped"
    assert lines[1].startswith("  error: a.json: ")
    assert lines[2:] == ["1 file of other kinds: .txt"]


def test_what_is_vacuous_stands_as_a_part_of_what_is_kept(tmp_path: Path) -> None:
    chats, rules = tmp_path / "chats", tmp_path / "rules.yaml"
    chats.mkdir()
    (chats / "a.json").write_text(json.dumps(CHAT), encoding="utf-8")
    rules.write_text(RULES, encoding="utf-8")
    code, lines = printed(chats, "--rules", str(rules))
    assert code == 0
    assert [line.split() for line in lines[-2:]] == [
        ["rule", "kept", "of", "it", "vacuous", "broken", "could", "not", "run"],
        ["no-write-before-look", "1", "1", "0", "0"],
    ]
    assert [len(line) for line in lines[-2:]] == [len(lines[-1])] * 2
