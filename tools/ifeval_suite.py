"""IFEval as a suite of checks, written as a folder outside the project: 540 prompts, 832 rules of 25 kinds, GPT-4's answers.

    python tools/ifeval_suite.py FOLDER --data ../shared/data
    assay audit ifeval --goldset FOLDER
    assay run ifeval --goldset FOLDER

The evaluators are copied into the folder, and `suite.yaml` names them by import string below the folder's own name, which
therefore has to be a Python name. A case is looked at by the checks that are called like its rules; its config is their
arguments. A kind that a case gives twice is looked at by a second check of that evaluator, `<kind>_2`, so that each rule has
its own verdict. The data is read where it lies and is not part of the project; the folder is yours to delete.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ANSWERS = "input_response_data_gpt4_20231107_145030.jsonl"
LANGUAGE_RULES = ("response_language", "english_capital", "english_lowercase")
MODULES = ("ifeval_rules", "ifeval_languages")
SUITE = """\
# IFEval (google-research, instruction_following_eval, Apache-2.0), from a modified copy that lacks one of its 541 prompts.
# The prompts were made for the benchmark. The answers are GPT-4's, recorded on 2023-11-07 by the benchmark's authors and
# published with it; this suite reads them from outputs.jsonl and asks no model.
format: 1
suite: ifeval
version: v1
kind: checks
title: IFEval, {cases} prompts with {rules} rules of form
synthetic: true

files:
  cases: cases.jsonl
  outputs: outputs.jsonl

providers:
  gpt-4:
    role: subject
    enforcement: ci
    model: answers of GPT-4 that IFEval's authors recorded on 2023-11-07, read from outputs.jsonl
    target: assay.providers.outputs:recorded
  other_case:
    role: trivial_strategy
    enforcement: ci
    model: the answer to another prompt
    target: assay.providers.outputs:other_case
    of: gpt-4
    control: {{metric: cases_passed}}
  constant:
    role: trivial_strategy
    enforcement: ci
    model: the answer to the first prompt, for every prompt
    target: assay.providers.outputs:constant
    of: gpt-4
    control: {{metric: cases_passed}}
  empty:
    role: trivial_strategy
    enforcement: ci
    model: the two characters of an empty JSON object
    target: assay.providers.outputs:empty
    control: {{metric: cases_passed}}

gate:
  max_drop_pp: 0.0
  must_detect_pp: 5
  metrics: [cases_passed, could_not_run, {names}]

options:
  reads: text
  checks:
{checks}
"""
Row = dict[str, Any]


def read(data: Path) -> tuple[list[Row], list[Row]]:
    """Cases and their recorded answers, as the suite's files hold them. Raises ValueError where they do not fit."""
    prompts = list(json_lines(data / "ifeval" / "data" / "input_data.jsonl"))
    answers = list(json_lines(data / "ifeval" / "data" / ANSWERS))
    if [row["prompt"] for row in prompts] != [row["prompt"] for row in answers]:
        raise ValueError(f"{ANSWERS}: answers other prompts than input_data.jsonl has, or in another order")
    outputs = [{"id": str(row["key"]), "output": answer["response"]} for row, answer in zip(prompts, answers, strict=True)]
    return [_case(row) for row in prompts], outputs


def check_names(kinds: Sequence[str]) -> list[str]:
    """The check that looks at each of a case's rules: the kind's last part, with `_2` for the second of a kind."""
    names = [kind.partition(":")[2] for kind in kinds]
    return [name if (n := names[: i + 1].count(name)) == 1 else f"{name}_{n}" for i, name in enumerate(names)]


def evaluator_of(check: str) -> str:
    """`module:function` of the evaluator behind a check."""
    name = check[:-2] if check[-2:-1] == "_" and check[-1].isdecimal() else check
    return f"{MODULES[name in LANGUAGE_RULES]}:{name}"


def write_suite(folder: Path, data: Path) -> list[Row]:
    """Write the suite's folder; returns its cases. Raises ValueError for a folder whose name no import string can hold."""
    package = folder.resolve().name
    if not package.isidentifier():
        raise ValueError(f"{folder}: the suite's code is imported below this name; expected letters, digits and _")
    cases, outputs = read(data)
    folder.mkdir(parents=True, exist_ok=True)
    for file, rows in (("cases.jsonl", cases), ("outputs.jsonl", outputs)):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / file).write_text(lines, encoding="utf-8")
    for module in MODULES:
        shutil.copyfile(Path(__file__).with_name(f"{module}.py"), folder / f"{module}.py")
    (folder / "suite.yaml").write_text(_declared(package, cases), encoding="utf-8")
    return cases


def json_lines(path: Path) -> Iterator[Row]:
    """The rows of a JSON-lines file."""
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _case(row: Mapping[str, Any]) -> Row:
    names = check_names(row["instruction_id_list"])
    config = {name: found for name, found in zip(names, row["kwargs"], strict=True) if found}
    return {
        "id": str(row["key"]),
        "input": {"prompt": row["prompt"]},
        "checks": names,
        "config": config,
        "strata": [f"{len(names)} rule{'s' if len(names) > 1 else ''}"],
    }


def _declared(package: str, cases: Sequence[Row]) -> str:
    counts = Counter(name for case in cases for name in case["checks"])
    checks = [f"    - {{name: {name}, evaluator: '{package}.{evaluator_of(name)}'}}" for name in sorted(counts)]
    return SUITE.format(cases=len(cases), rules=counts.total(), names=", ".join(sorted(counts)), checks="\n".join(checks))


def main() -> int:
    """Write the suite's folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the suite's folder is written")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder that holds the public data")
    given = parser.parse_args()
    try:
        cases = write_suite(given.folder, given.data)
    except FileNotFoundError as error:
        print(f"error: --data: {error.filename} is not there; expected the public data's folder.", file=sys.stderr)
        return 2
    except ValueError as error:
        print(f"error: {error}.", file=sys.stderr)
        return 2
    print(f"{given.folder}: {len(cases)} cases, {sum(len(case['checks']) for case in cases)} rules")
    return 0


if __name__ == "__main__":
    sys.exit(main())
