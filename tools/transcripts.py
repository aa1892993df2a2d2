"""Reads recorded transcripts and judges them by rules: counts per source, every fault, and the results of each rule.

Usage: python tools/transcripts.py DIR|FILE... [--rules FILE] [--by LABEL] [--step LABEL]

Of a folder every .json and .jsonl file below it is read; other files are counted. Exit 2 when anything did not parse.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from assay.errors import Problem, UserError
from assay.model.run import plural
from assay.suites.orchestration.recorded import Recorded
from assay.suites.orchestration.rule_check import Broken, Judgement, Kept, judge
from assay.suites.orchestration.rule_file import rules_of
from assay.suites.orchestration.transcripts import read

ENDINGS = (".json", ".jsonl")


@dataclass
class Source:
    """What was found in files of one form."""

    files: int = 0
    recorded: list[Recorded] = field(default_factory=list)
    errors: list[Problem] = field(default_factory=list)
    failed: int = 0
    skipped: int = 0


def files_of(paths: Sequence[Path]) -> tuple[list[tuple[Path, str]], list[Path]]:
    """The files to read, with the names they are shown by, and the files that are left alone."""
    wanted: list[tuple[Path, str]] = []
    others: list[Path] = []
    for path in paths:
        if path.is_dir():
            below = sorted(one for one in path.rglob("*") if one.is_file())
            wanted += [(one, one.relative_to(path).as_posix()) for one in below if one.suffix in ENDINGS]
            others += [one for one in below if one.suffix not in ENDINGS]
        else:
            wanted.append((path, path.name))
    return wanted, others


def sources_of(files: Iterable[tuple[Path, str]]) -> dict[str, Source]:
    """What the files hold, by form."""
    sources: dict[str, Source] = defaultdict(Source)
    for path, shown in files:
        found = read(path.read_bytes(), shown)
        source = sources[found.form]
        source.files += 1
        source.recorded += found.recorded
        source.errors += found.errors
        source.failed += found.failed
        source.skipped += found.skipped
    return dict(sources)


def print_counts(sources: dict[str, Source], others: Sequence[Path]) -> None:
    """Files, transcripts, events by kind and faults, per form."""
    for form, source in sorted(sources.items()):
        kinds = Counter(event.kind for one in source.recorded for event in one.transcript.events)
        print(
            f"{form}: {plural(source.files, 'file')}, {plural(len(source.recorded), 'transcript')}, "
            f"{plural(kinds.total(), 'event')}, {plural(len(source.errors), 'error')}, "
            f"{plural(source.failed, 'transcript')} lost to them, {source.skipped} silently skipped"
        )
        if kinds:
            print("  " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
        for problem in source.errors:
            print(f"  error: {problem}")
    if others:
        print(f"{plural(len(others), 'file')} of other kinds: {', '.join(sorted({one.suffix or one.name for one in others}))}")


def print_rules(rules: Path, recorded: Sequence[Recorded], by: str | None, step: str | None) -> None:
    """One line per rule; with `by`, the broken ones by that label; with `step`, how far from the labelled step they broke."""
    wanted = rules_of(rules.read_bytes(), str(rules))
    judged = [(one, judge(wanted, one.transcript)) for one in recorded]
    print(f"\n{'rule':32} {'kept':>5} {'of it vacuous':>14} {'broken':>7} {'could not run':>14}")
    for column in zip(*(judgements for _, judgements in judged), strict=True):
        counts = Counter(judgement.status for judgement in column)
        vacuous = sum(isinstance(judgement, Kept) and judgement.vacuous for judgement in column)
        print(f"{column[0].rule:32} {counts['kept']:5} {vacuous:14} {counts['broken']:7} {counts['could-not-run']:14}")
        for judgement in [one for one in column if one.status == "could-not-run"][:1]:
            print(f"    could not run, for instance: {judgement.model_dump_json(include={'at', 'reason'})}")
        of_rule = [(one, judgement) for (one, _), judgement in zip(judged, column, strict=True)]
        if by:
            _print_by(by, of_rule)
        if step:
            _print_step(step, of_rule)


def _print_by(label: str, judged: Sequence[tuple[Recorded, Judgement]]) -> None:
    told = [(one.labels[label], judgement) for one, judgement in judged if label in one.labels]
    all_, broken = Counter(str(value) for value, _ in told), Counter(str(value) for value, j in told if j.status == "broken")
    print("    broken by " + label + ": " + ", ".join(f"{value}: {broken[value]} of {all_[value]}" for value in sorted(all_)))


def _print_step(label: str, judged: Sequence[tuple[Recorded, Judgement]]) -> None:
    offsets: list[int] = []
    chance = 0.0
    for one, judgement in judged:
        wanted = one.labels.get(label)
        if isinstance(judgement, Broken) and isinstance(wanted, int):
            offsets.append(judgement.at - wanted)
            chance += 1 / len(one.transcript.events)
    if offsets:
        next_ = offsets.count(1)
        print(
            f"    first violation against {label}: {offsets.count(0)} of {len(offsets)} at the step ({chance:.1f} by chance), "
            f"{next_} one step after, {sum(o < 0 for o in offsets)} earlier, {sum(o > 1 for o in offsets)} later still"
        )


def main() -> None:
    """Print it all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+", metavar="DIR|FILE")
    parser.add_argument("--rules", type=Path)
    parser.add_argument("--by", metavar="LABEL", help="count broken rules by this label of the recordings, such as reward")
    parser.add_argument("--step", metavar="LABEL", help="compare first violations with this label, such as mistake_step")
    arguments = parser.parse_args()
    for path in arguments.paths:
        if not path.exists():
            parser.error(f"{path}: there is no such file or folder")
    files, others = files_of(arguments.paths)
    if not files:
        parser.error("no .json or .jsonl file there")
    sources = sources_of(files)
    print_counts(sources, others)
    recorded = [one for _, source in sorted(sources.items()) for one in source.recorded]
    if arguments.rules and recorded:
        try:
            print_rules(arguments.rules, recorded, arguments.by, arguments.step)
        except UserError as error:
            sys.exit(f"{error}")
    sys.exit(2 if any(source.errors for source in sources.values()) else 0)


if __name__ == "__main__":
    main()
