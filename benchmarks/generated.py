"""Cases, replies and recordings made up in memory from a seed: any number of them, the same every time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import accumulate
from random import Random

from assay.model.exchange import Exchange, Message, Reply, Request
from assay.model.gold import GoldCase
from assay.model.suite import Sampling
from assay.suites.extraction.schema import CATEGORIES

ZERO = "0" * 64
SYLLABLES = ("ba", "den", "fi", "gor", "hal", "jun", "ke", "lom", "mi", "nor", "pa", "ris", "so", "tur", "ve", "zan")
VERBS = ("likes", "moved to", "works at", "avoids", "waters", "no longer eats", "plans to visit", "repairs", "was paid by")
TAILS = ("every {n} days", "since {n} May", "with {name}", "for ${n}", "in {name}'s garage", "before noon", "")
VOCABULARY = 20_000
"""Words by falling frequency (1/rank), so that rare ones keep coming, as in real text."""
MEMORIES = (0, 1, 2, 3, 4, 4, 5, 6, 8)
MALFORMED = 0.02


class Sentences:
    """Random statements about a user, with names and numbers in them."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311  # made-up text, no secret
        self._words = [self._word() for _ in range(VOCABULARY)]
        self._weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))

    def sentence(self) -> str:
        """One statement of about a dozen words."""
        chosen = self.random.choices(self._words, cum_weights=self._weights, k=self.random.randint(4, 9))
        tail = self.random.choice(TAILS).format(n=self.random.randint(2, 90), name=chosen[0].capitalize())
        return f"The user {self.random.choice(VERBS)} the {' '.join(chosen)} {tail}".rstrip() + "."

    def _word(self) -> str:
        return "".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 4)))


def scored_cases(count: int, seed: int) -> Iterator[tuple[GoldCase, Reply]]:
    """Gold cases with replies that get some memories right, word some otherwise, and miss or add some."""
    texts = Sentences(seed)
    for number in range(count):
        memories = [_memory(texts, f"c{number}", index) for index in range(texts.random.choice(MEMORIES))]
        answer = json.dumps({"memories": list(_answered(texts, memories))})
        cut = len(answer) // 2 if texts.random.random() < MALFORMED else None
        yield GoldCase(id=f"c{number}", input={}, expected={"memories": memories}), _reply(answer[:cut])


def recorded_requests(count: int, seed: int) -> tuple[list[tuple[str, tuple[Request, ...]]], list[Exchange]]:
    """As many requests, one per case, and their recordings in another order."""
    texts = Sentences(seed)
    system = Message(role="system", content="Extract what is worth remembering.")
    requests: list[tuple[str, tuple[Request, ...]]] = []
    exchanges: list[Exchange] = []
    for number in range(count):
        user = Message(role="user", content=" ".join(texts.sentence() for _ in range(6)))
        asked = Request(model="m", messages=(system, user), schema_sha256=ZERO, sampling=Sampling())
        requests.append((f"c{number}", (asked,)))
        fields, reply = asked.fields, _reply('{"memories": []}')
        exchanges.append(Exchange(request_sha256=fields.digest, case_id=f"c{number}", request=fields, reply=reply))
    texts.random.shuffle(exchanges)
    return requests, exchanges


def _memory(texts: Sentences, case: str, index: int) -> dict[str, object]:
    is_dated = texts.random.random() < 0.3
    return {
        "id": f"{case}-m{index}",
        "conversation_id": case,
        "content": texts.sentence(),
        "categories": texts.random.sample(CATEGORIES, k=1 + (texts.random.random() < 0.1)),
        "temporal_kind": "bounded" if is_dated else "indefinite",
        "valid_from": f"2026-0{texts.random.randint(1, 9)}-15" if is_dated else None,
        "valid_until": None,
        "supersedes": None,
    }


def _answered(texts: Sentences, memories: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    for memory in memories:
        luck = texts.random.random()
        answer = {name: value for name, value in memory.items() if name not in {"id", "conversation_id"}}
        words = str(memory["content"]).split()
        if luck < 0.1:
            continue
        if luck < 0.3:
            del words[texts.random.randrange(2, len(words))]
        if luck > 0.9:
            yield {**answer, "content": texts.sentence()}
        yield {**answer, "content": " ".join(words)}


def _reply(text: str) -> Reply:
    return Reply(text=text, finish_reason="stop", model_served=None, usage=None, latency_ms=None)
