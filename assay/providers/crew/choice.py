"""Which model answers: the mock only where somebody chose it, never because something else is missing.

A suite chooses it with `model: scripted`. The crew's own default chooses it with `ASSAY_MOCK=1`. Nothing is read at import and
nothing is cached: every call looks at the environment that it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from assay.errors import Problem, UsageError
from assay.model.suite import Live, Provider
from assay.providers.client import endpoint_of

FLAG = "ASSAY_MOCK"
SCRIPTED = "scripted"
NAME = "crew"
DEFAULT = Provider(
    enforcement="manual",
    model="gpt-4o-mini",
    live=Live(base_url="https://api.openai.com/v1", base_url_env="OPENAI_BASE_URL", api_key_env="OPENAI_API_KEY"),
)
"""What the crew asks where no suite says otherwise."""


@dataclass(frozen=True)
class Choice:
    """A model, and who chose it."""

    kind: Literal["scripted", "live"]
    by: Literal["suite", "ASSAY_MOCK", "key"]
    provider: Provider


def suite_choice(provider: Provider, environ: Mapping[str, str], *, is_live: bool) -> Choice:
    """What the suite declares. Raises UsageError for a provider that cannot be asked, and live for a missing key or address."""
    if provider.model == SCRIPTED:
        if provider.live is not None:
            found = f"model: {SCRIPTED} with `live`"
            raise UsageError(Problem(f"provider {NAME}", "is both scripted and live", found, "one of the two"))
        return Choice("scripted", "suite", provider)
    if is_live:
        endpoint_of(NAME, provider, environ)
    return Choice("live", "suite", provider)


def default_choice(environ: Mapping[str, str]) -> Choice:
    """What the environment says where no suite does. Raises UsageError for a missing key: the mock never stands in for it."""
    if environ.get(FLAG) == "1":
        return Choice("scripted", "ASSAY_MOCK", DEFAULT.model_copy(update={"model": SCRIPTED, "live": None}))
    endpoint_of(NAME, DEFAULT, environ)
    return Choice("live", "key", DEFAULT)
