"""Wrong rankings of the retrieval kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from assay.digest import digest_of
from assay.sabotage.catalogue.replies import NOTICED, on_json, system
from assay.sabotage.defect import Answered, Defect, InReplies

KIND = "retrieval"
Ranking = list[tuple[str, float]]


def _ranked(change: Callable[[Ranking], Ranking]) -> Callable[[Answered], str | None]:
    def changed(value: Any) -> Any:  # noqa: ANN401  # JSON
        ranking = value.get("ranking") if isinstance(value, dict) else None
        return {**value, "ranking": change([(name, score) for name, score in ranking])} if ranking else None

    return on_json(changed)


def _under(names: list[str], ranking: Ranking) -> Ranking:
    """The names in this order under the scores of the ranking."""
    return [(name, score) for name, (_, score) in zip(names, ranking, strict=False)]


def _shuffled(ranking: Ranking) -> Ranking:
    return _under(sorted((name for name, _ in ranking), key=lambda name: digest_of(["shuffled", name])), ranking)


def _half(ranking: Ranking) -> Ranking:
    """The documents that an index without every other one still knows."""
    return [(name, score) for name, score in ranking if int(digest_of(name)[0], 16) % 2]


def _same_for_all(answered: Answered) -> str:
    """A tokenizer that makes every query the same one: documents by their name."""
    value = json.loads(answered.text)
    value["ranking"] = _under(sorted(name for name, _ in value["ranking"]), value["ranking"])
    return json.dumps(value)


def _whole(name: str, change: Callable[[Answered], str | None]) -> Defect:
    """A fault of the system and not of an answer: it hits every query."""
    return Defect(name, "system", InReplies(change), NOTICED, frozenset({KIND}))


DEFECTS: tuple[Defect, ...] = (
    system("ranking shuffled", _ranked(_shuffled), KIND),
    system("ranking reversed", _ranked(lambda found: _under([name for name, _ in reversed(found)], found)), KIND),
    system("best document dropped", _ranked(lambda found: found[1:]), KIND),
    system("best document moved to the end", _ranked(lambda f: _under([*(n for n, _ in f[1:]), f[0][0]], f)), KIND),
    system("top five lost", _ranked(lambda found: found[5:]), KIND),
    system("best document twice", _ranked(lambda found: [found[0], *found]), KIND),
    _whole("constant scores", _ranked(lambda found: [(name, 0.5) for name, _ in found])),
    _whole("scores turned round", _ranked(lambda found: [(name, -score) for name, score in found])),
    _whole("dead tokenizer", _same_for_all),
    _whole("half the corpus invisible", _ranked(_half)),
    _whole("whole corpus in order of names", _ranked(lambda found: _under(sorted(n for n, _ in found), found))),
    _whole("confident about everything", _ranked(lambda found: [(name, min(score + 0.6, 1.0)) for name, score in found])),
)
