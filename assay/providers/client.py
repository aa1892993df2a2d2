"""The one HTTP client: the openai package's, with nothing taken from the environment, and what its errors mean for a retry."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from assay.errors import AssayError, Problem, UsageError, UserError
from assay.model.suite import Provider

if TYPE_CHECKING:
    from openai import AsyncOpenAI

RETRYABLE = frozenset({408, 409, 425, 429})
REFUSED = frozenset({401, 403, 404})
"""Statuses that say that no request of this run can succeed."""
SERVER_ERRORS = 500
NO_KEY = "no-key"
"""What the client sends to an endpoint that declares no key."""


class EndpointRefused(UserError):
    """The endpoint refuses key, model or address: every further request would fail too."""


class Unanswered(AssayError):
    """One attempt got no usable answer."""

    def __init__(self, reason: str, *, status: int | None, retry: bool, retry_after_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.status, self.retry, self.retry_after_s = reason, status, retry, retry_after_s


def endpoint_of(name: str, provider: Provider, environ: Mapping[str, str]) -> tuple[str, str]:
    """Address and key. Raises UsageError that names the missing variable; nothing stands in for it."""
    live = provider.live
    if live is None:
        raise UsageError(Problem(f"provider {name}", "cannot be asked", expected="a `live` block in suite.yaml"))
    address = (environ.get(live.base_url_env) if live.base_url_env else None) or live.base_url
    if not address:
        wanted = live.base_url_env or "base_url"
        raise UsageError(Problem(f"provider {name}", f"{wanted} is not set", expected="the endpoint's address"))
    key = environ.get(live.api_key_env, "").strip() if live.api_key_env else NO_KEY
    if not key:
        remedy = f"Set it with `export {live.api_key_env}=...`; nothing was asked."
        raise UsageError(Problem(f"provider {name}", f"the variable {live.api_key_env} is not set", remedy=remedy))
    _refuse_unusable(name, live.base_url_env or "base_url", live.api_key_env or "key", address, key)
    return address, key


def _refuse_unusable(name: str, address_name: str, key_name: str, address: str, key: str) -> None:
    """Raise UsageError, without showing either, for an address or key that no request can carry."""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or not address.isprintable() or " " in address:
        raise UsageError(
            Problem(f"provider {name}", f"{address_name} is not an address", expected="http(s)://host[:port]/path")
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UsageError(Problem(f"provider {name}", f"{key_name} is not a key", expected="printable ASCII on one line"))


def openai_client(address: str, key: str) -> AsyncOpenAI:
    """A client that makes one HTTP request per call, straight to the address. Raises UsageError where it is not installed."""
    try:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient
    except ImportError:
        raise UsageError(
            Problem("providers", "the openai client is not installed", remedy="Install it with `pip install 'assay[live]'`.")
        ) from None
    parts = urlsplit(address)
    with _without_client_settings():
        return AsyncOpenAI(
            base_url=urlunsplit(parts._replace(query="", fragment="")),
            default_query=dict(parse_qsl(parts.query)),
            api_key=key,
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(trust_env=False, follow_redirects=False),
        )


@contextmanager
def told_as_unanswered(timeout_s: float) -> Iterator[None]:
    """The client's errors as Unanswered, or EndpointRefused where no request can succeed."""
    import openai

    try:
        yield
    except openai.APIStatusError as error:
        raise _status_error(error) from None
    except (openai.APITimeoutError, TimeoutError):
        raise Unanswered(f"no answer within {timeout_s:g} s", status=None, retry=True) from None
    except openai.APIConnectionError as error:
        cause = error.__cause__ or error
        raise Unanswered(f"connection failed ({type(cause).__name__})", status=None, retry=True) from None


@contextmanager
def _without_client_settings() -> Iterator[None]:
    """The client reads organisation, project and headers from the environment; what is asked is in suite.yaml alone."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("OPENAI_")}
    try:
        yield
    finally:
        os.environ.update(kept)


def _status_error(error: Any) -> Exception:  # noqa: ANN401  # an openai.APIStatusError; the client is imported lazily
    status: int = error.status_code
    if status in REFUSED:
        return EndpointRefused(Problem("endpoint", f"refuses to answer (HTTP {status}); check key, model and address"))
    wait_s = retry_after_s(error.response.headers.get("retry-after"))
    return Unanswered(
        f"HTTP {status}", status=status, retry=status in RETRYABLE or status >= SERVER_ERRORS, retry_after_s=wait_s
    )


def retry_after_s(header: str | None, now: datetime | None = None) -> float | None:
    """Seconds to wait by a Retry-After header, given in seconds or as a date; None when there is none that means anything."""
    if header is None:
        return None
    try:
        seconds = float(header)
        return max(0.0, seconds) if isfinite(seconds) else None
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(header) - (now or datetime.now(UTC))).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None
