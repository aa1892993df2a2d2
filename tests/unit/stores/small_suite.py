"""The smallest whole suite on disk, for tests that break one thing of it."""

from __future__ import annotations

from pathlib import Path

from tests.builders import conversation, json_lines, memory

SHOWN = "goldsets/extraction/v1"
SUITE_YAML = """\
format: 1
suite: extraction
version: v1
kind: extraction
title: Small
synthetic: true
files:
  conversations: conversations.jsonl
  expected: expected.jsonl
contract:
  prompt: prompt.md
  schema: schema.json
providers:
  openai:
    enforcement: ci
    model: m
gate:
  metrics: [recall_macro]
"""


def small_suite(root: Path, declaration: str = SUITE_YAML, version: str = "v1") -> Path:
    """Write the suite below `root` and return its folder."""
    folder = root / "goldsets" / "extraction" / version
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "suite.yaml").write_text(declaration.replace("version: v1", f"version: {version}"), encoding="utf-8")
    (folder / "conversations.jsonl").write_bytes(json_lines(conversation("c1")))
    (folder / "expected.jsonl").write_bytes(json_lines(memory("c1-m1", "c1")))
    (folder / "prompt.md").write_text("Extract.\n", encoding="utf-8")
    (folder / "schema.json").write_text('{"type": "object"}\n', encoding="utf-8")
    return folder
