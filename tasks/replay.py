"""replay: the recorded replies to every case's requests."""

from __future__ import annotations

from assay.digest import sha256_hex
from assay.model.exchange import Exchange
from assay.model.gold import GoldCase
from assay.model.ports import requests_part
from assay.model.suite import Provider
from assay.reading import records
from assay.replay import replay
from assay.stores.artifacts import Body
from tasks._stage import Inputs, Params, Stage


def run(kind: str, inputs: Inputs, params: Params) -> Body:
    """Inputs: cases, prompt, schema, cassette. Params: name, provider, shown, by_case.

    Body: by provider replies, misses, unused and checks.
    """
    part, provider = requests_part(kind), Provider.model_validate(params["provider"])
    prompt, schema_sha256 = inputs["prompt"].decode(), sha256_hex(inputs["schema"])
    requests = (
        (case.id, part.requests_for(case, prompt, schema_sha256, provider))
        for case in map(GoldCase.model_validate, inputs["cases"])
    )
    exchanges = records(inputs["cassette"], params["shown"], Exchange)
    result = replay(requests, exchanges, by_case=params["by_case"])
    replies = {case: [reply.model_dump(mode="json") for reply in found] for case, found in sorted(result.replies.items())}
    body = {"replies": replies, "misses": dict(result.misses), "unused": list(result.unused), "checks": []}
    return Body("json", {"providers": {params["name"]: body}}, sum(map(len, replies.values())))


REPLAY = Stage("replay", run, part="requests")
