"""A judge of a suite: a model's verdicts on outputs, recorded as exchanges and looked up. Nothing is asked here.

In: of the suite's files those with the roles `judge` (what was recorded) and `judge_prompt`. Out: `judge_fn(actual, expected)`.
`assay judge SUITE` makes the recording (flows/judging.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import Field, JsonValue

from assay.digest import canonical, digest_of
from assay.errors import InputError, Problem
from assay.evaluators.guard import CannotRun
from assay.model.base import Frozen
from assay.model.exchange import Exchange, Failure, Message, Outcome, Reply, Request
from assay.model.gold import GoldCase
from assay.model.suite import Live, Provider, ResponseFormat, Sampling
from assay.reading import json_value, text_of, validated
from assay.suites.checks.cases import row_of
from assay.suites.checks.judgements import judgements_in
from assay.suites.checks.options import JUDGE, Options
from assay.suites.checks.planning import Files, at_path

ROLE = "judge"
PROMPT_ROLE = "judge_prompt"
FORMS: Mapping[str, JsonValue] = {"passed": {"type": "boolean"}, "score": {"type": "number", "minimum": 0, "maximum": 1}}
"""What a judge may be asked for, as JSON Schema."""


class JudgeOptions(Frozen):
    """`options` of the resource: the model, how it is asked, and what its answer means."""

    model: str = Field(min_length=1)
    sampling: Sampling = Sampling(max_tokens=256)
    response_format: ResponseFormat = "json_schema"
    threshold: float | None = Field(None, ge=0, le=1)
    """Null asks for `{"passed": true or false}`; a number asks for `{"score": number in [0, 1]}` and passes from it on."""
    live: Live | None = None
    """How the model is reached; null for a judge that can only be replayed."""

    @property
    def provider(self) -> Provider:
        """The judge as something that can be asked; what it says gates nothing."""
        return Provider(
            enforcement="manual",
            model=self.model,
            sampling=self.sampling,
            response_format=self.response_format,
            live=self.live,
        )


@dataclass(frozen=True)
class Judge:
    """One judge of a suite: what it is asked, and what its answer means."""

    prompt: str
    options: JudgeOptions

    @property
    def schema(self) -> dict[str, JsonValue]:
        """The JSON Schema that a verdict is asked for in."""
        return {
            "type": "object",
            "properties": {self._asked_for: FORMS[self._asked_for]},
            "required": [self._asked_for],
            "additionalProperties": False,
        }

    def request(self, actual: object, expected: object) -> Request:
        """The question about one pair, named by model, sampling, prompt, form of the answer and the pair.

        Raises ValueError for a pair that is no JSON.
        """
        pair = canonical({"actual": actual, "expected": expected}).decode()
        return Request(
            model=self.options.model,
            messages=(Message(role="system", content=self.prompt), Message(role="user", content=pair)),
            schema_sha256=digest_of(self.schema),
            response_format=self.options.response_format,
            sampling=self.options.sampling,
        )

    def verdict(self, reply: Reply) -> bool:
        """Whether the judge let the output pass. Raises CannotRun for a reply in another form than it was asked for."""
        wanted = f'{{"{self._asked_for}": {"true or false" if self._asked_for == "passed" else "a number in [0, 1]"}}}'
        try:
            value = json_value(reply.text, "reply")
        except InputError:
            value = reply.text
        found = value[self._asked_for] if isinstance(value, dict) and list(value) == [self._asked_for] else None
        if self.options.threshold is None and isinstance(found, bool):
            return found
        if self.options.threshold is not None and _is_share(found):
            return float(found) >= self.options.threshold  # type: ignore[arg-type]  # a share is a number
        raise CannotRun("judge_fn", "the judge's reply is no verdict", reply.text, wanted)

    @property
    def _asked_for(self) -> str:
        return "passed" if self.options.threshold is None else "score"


@dataclass(frozen=True)
class RecordedJudge:
    """`judge_fn` over what was recorded. Raises CannotRun, which makes the check one that could not run, for all else."""

    judge: Judge
    recorded: Mapping[str, Exchange] = field(default_factory=dict)
    """By request digest."""

    def __call__(self, actual: object, expected: object) -> bool:
        """Whether the judge let the output pass when it was asked."""
        try:
            request = self.judge.request(actual, expected)
        except (TypeError, ValueError) as error:
            raise CannotRun("judge_fn", f"cannot be asked about a pair that is no JSON ({error})") from None
        found = self.recorded.get(request.fields.digest)
        if found is None:
            raise CannotRun(
                "judge_fn",
                f"no recorded judgement of this output{self._what_differs(request)}",
                remedy="Record it with `assay judge SUITE`.",
            )
        outcome: Outcome = found.outcome
        if isinstance(outcome, Failure):
            told, remedy = f"the judge gave no answer ({outcome.reason})", "Ask again with `assay judge SUITE --retry-failed`."
            raise CannotRun("judge_fn", told, remedy=remedy)
        return self.judge.verdict(outcome)

    def _what_differs(self, request: Request) -> str:
        """How the question differs from a recorded one about the same pair, in words; empty where there is none."""
        now = request.fields
        asked = [e.request for e in self.recorded.values() if e.request.messages_sha256[1:] == now.messages_sha256[1:]]
        if not asked:
            return ""
        (then, *_) = asked
        parts = {
            "prompt": then.messages_sha256[:1] != now.messages_sha256[:1],
            "model": then.model != now.model,
            "sampling": then.sampling != now.sampling,
            "form of the answer": (then.schema_sha256, then.response_format) != (now.schema_sha256, now.response_format),
        }
        return f" by this judge: another {' and '.join(name for name, differs in parts.items() if differs)} judged it"


@dataclass(frozen=True)
class Question:
    """One output that a judge has to say something of."""

    judge: str
    """The resource's name."""
    case_id: str
    request: Request


def recorded_judge(files: Files, options: Mapping[str, JsonValue]) -> RecordedJudge:
    """The factory of a judge. Raises InputError for a missing prompt, an odd option and a recording that was edited."""
    judge = judge_of(files, options)
    _, exchanges = judgements_in(*_judge_file(files))
    return RecordedJudge(judge, {exchange.request_sha256: exchange for exchange in exchanges})


def judge_of(files: Files, options: Mapping[str, JsonValue], where: str = "suite.yaml: options.resources") -> Judge:
    """A judge by its prompt and options. Raises InputError."""
    chosen = validated(dict(options), f"{where}.options", JudgeOptions)
    if PROMPT_ROLE not in files:
        wanted = f"`files: [{ROLE}, {PROMPT_ROLE}]`, both declared in the suite's `files`"
        raise InputError(Problem(where, f"a judge without its {PROMPT_ROLE!r} file", expected=wanted))
    shown, data = files[PROMPT_ROLE]
    prompt = text_of(data, shown)
    if not prompt.strip():
        raise InputError(Problem(shown, "asks nothing", expected="what the judge is to judge, and how it answers"))
    return Judge(prompt, chosen)


def judges_in(options: Options, files: Files) -> dict[str, Judge]:
    """The suite's judges by the names of their resources. Raises InputError."""
    return {
        name: judge_of({role: files[role] for role in found.files if role in files}, found.options, _place(name))
        for name, found in options.resources.items()
        if found.factory == JUDGE
    }


def questions(case: GoldCase, outcomes: Sequence[Outcome], options: Options, judges: Mapping[str, Judge]) -> Iterator[Question]:
    """Each pair of one case that a check puts to a judge. Nothing for an output that no evaluator could look at."""
    row = row_of(case)
    for check in options.checks:
        asked = [name for name in check.resources.values() if name in judges]
        if not asked or (row.checks is not None and check.name not in row.checks):
            continue
        expects, expected = at_path(row.expected, check.expected)
        for output in _readable(outcomes, options.reads):
            is_there, actual = at_path(output, check.path)
            if is_there and expects and actual is not None:
                yield from (Question(name, case.id, judges[name].request(actual, expected)) for name in asked)


def _readable(outcomes: Sequence[Outcome], reads: str) -> Iterator[object]:
    for outcome in outcomes:
        if not isinstance(outcome, Reply):
            continue
        try:
            value = outcome.text if reads == "text" else json.loads(outcome.text)
            canonical(value)
        except ValueError:
            continue
        yield value


def _judge_file(files: Files) -> tuple[str, bytes]:
    if ROLE not in files:
        wanted = f"`files: [{ROLE}, {PROMPT_ROLE}]`, both declared in the suite's `files`"
        raise InputError(Problem("suite.yaml: options.resources", f"a judge without its {ROLE!r} file", expected=wanted))
    return files[ROLE]


def _place(name: str) -> str:
    return f"suite.yaml: options.resources.{name}"


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
