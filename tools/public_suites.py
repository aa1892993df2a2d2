"""Retrieval suites over public data, written as folders outside the project: SciFact, BFCL memory, tau2 banking.

    python tools/public_suites.py scifact FOLDER --data ../shared/data
    assay record scifact --provider semantic --goldset FOLDER
    assay calibrate scifact --goldset FOLDER
    assay run scifact --goldset FOLDER

The data is read where it lies and is not part of the project; the folder is yours to delete.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

Rows = tuple[list[dict[str, Any]], list[dict[str, Any]]]
"""Documents and queries, as the suite's files hold them."""
DAY = "2026-01-01T00:00:00Z"
"""Public documents carry no time of their own."""
SUITE = """\
format: 1
suite: {name}
version: v1
kind: retrieval
title: {title}
synthetic: {synthetic}

files:
  documents: documents.jsonl
  queries: queries.jsonl
  calibration: calibration.json

providers:
  semantic:
    role: subject
    enforcement: ci
    model: all-MiniLM-L6-v2-onnx-int8
    target: assay.providers.retrieval.targets:semantic
    recorded_as: arrow
  bm25:
    role: subject
    enforcement: ci
    model: BM25 (k1 1.5, b 0.75, no stemming)
    target: assay.providers.retrieval.targets:bm25
  keyword:
    role: positive_control
    enforcement: ci
    model: the old keyword search, defects kept
    target: assay.providers.retrieval.targets:keyword
    control: {{metric: mrr, floor: {floor}}}
  deterministic:
    role: negative_control
    enforcement: ci
    model: hash vectors without meaning
    target: assay.providers.retrieval.targets:deterministic
    control: {{metric: recall@k}}
  abstain:
    role: trivial_strategy
    enforcement: ci
    model: nothing for every query
    target: assay.providers.retrieval.targets:abstain
    control: {{metric: recall@k}}

gate:
  max_drop_pp: 1.0
  metrics: [ndcg@10, recall@k, mrr]

options:
  top_k: 5
  depth: 100
  measures: [recall@k, precision@k, mrr, ndcg@10]
"""


def scifact(data: Path) -> Rows:
    """5,183 abstracts, 300 claims of the test split (BEIR's layout)."""
    with gzip.open(data / "scifact" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = [_document(row["_id"], f"{row['title']} {row['text']}") for row in map(json.loads, lines)]
    texts = {row["_id"]: row["text"] for row in _json_lines(data / "scifact" / "queries.jsonl")}
    relevant: dict[str, list[str]] = {}
    for line in (data / "scifact" / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines():
        query, _, document, gain = line.split()
        if int(gain) > 0:
            relevant.setdefault(query, []).append(document)
    return documents, [_query(name, texts[name], found) for name, found in relevant.items()]


def bfcl(data: Path) -> Rows:
    """323 messages of dated conversations, 143 questions with the message that holds the answer."""
    folder = data / "bfcl-memory"
    tests = folder / "berkeley-function-call-leaderboard" / "bfcl_eval" / "data"
    documents = [
        _document(f"{row['id']}#{n}", " ".join(message["content"] for message in turn))
        for path in sorted((tests / "memory_prereq_conversation").glob("*.json"))
        for row in _json_lines(path)
        for n, turn in enumerate(row["question"])
    ]
    asked = {row["id"]: row["question"][0][0]["content"] for row in _json_lines(tests / "BFCL_v4_memory.json")}
    qrels = json.loads((folder / "derived" / "qrels_143.json").read_text(encoding="utf-8"))
    return documents, [_query(name, asked[name], list(found)) for name, found in qrels.items()]


def tau2(data: Path) -> Rows:
    """698 documents of a bank, 97 tasks with the documents that they need; the task's instructions are the query."""
    folder = data / "tau2-bench" / "data" / "tau2" / "domains" / "banking_knowledge"
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((folder / "documents").glob("*.json"))]
    documents = [_document(row["id"], f"{row['title']} {row['content']}") for row in found]
    tasks = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    return documents, [_query(t["id"], t["user_scenario"]["instructions"], t["required_documents"]) for t in tasks]


PUBLIC: Mapping[str, tuple[Callable[[Path], Rows], str, float]] = {
    "scifact": (scifact, "SciFact, 5,183 abstracts and 300 claims", 0.001),
    "bfcl": (bfcl, "BFCL memory, 323 messages and 143 questions", 0.01),
    "tau2": (tau2, "tau2 banking, 698 documents and 97 tasks", 0.01),
}
"""By name: how it is read, its title, and the floor of the keyword control's MRR."""


def _document(name: str, text: str) -> dict[str, Any]:
    return {"id": name, "content_type": "document", "text": text, "created_at": DAY}


def _query(name: str, text: str, relevant: list[str]) -> dict[str, Any]:
    return {"id": name, "query": text, "grade": "live", "style": "ordinary", "relevant": sorted(set(relevant)), "note": ""}


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def write_suite(name: str, folder: Path, data: Path) -> Rows:
    """Write the suite's folder; returns its rows."""
    read, title, floor = PUBLIC[name]
    documents, queries = read(data)
    folder.mkdir(parents=True, exist_ok=True)
    for file, rows in (("documents.jsonl", documents), ("queries.jsonl", queries)):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / file).write_text(lines, encoding="utf-8")
    declared = SUITE.format(name=name, title=title, synthetic="false", floor=floor)
    (folder / "suite.yaml").write_text(declared, encoding="utf-8")
    return documents, queries


def main() -> int:
    """Write one suite's folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(PUBLIC))
    parser.add_argument("folder", type=Path, help="where the suite's folder is written")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder that holds the public data")
    given = parser.parse_args()
    try:
        documents, queries = write_suite(given.name, given.folder, given.data)
    except FileNotFoundError as error:
        print(f"error: --data: {error.filename} is not there; expected the public data's folder.", file=sys.stderr)
        return 2
    print(f"{given.folder}: {len(documents)} documents, {len(queries)} queries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
