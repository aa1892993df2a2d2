"""Which endpoint is asked with which key, and what is missing or wrong is said before anything is sent."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from assay.errors import UsageError, UserError
from assay.providers.chat import ChatEndpoint
from assay.providers.client import endpoint_of
from tests.builders import provider
from tests.fault_server import ANSWER, FaultServer, always
from tests.unit.providers.asked import KEY, asked, reachable


def test_a_missing_key_names_the_variable_and_nothing_is_sent() -> None:
    told = "provider p: the variable P_KEY is not set. Set it with `export P_KEY=...`; nothing was asked."
    with FaultServer(always(ANSWER)) as server:
        for environ in ({}, {"P_KEY": ""}, {"P_KEY": "  "}, {"OPENAI_API_KEY": "another"}):
            with pytest.raises(UsageError) as found:
                ChatEndpoint("p", reachable(server), {}, environ)
            assert str(found.value) == told
    assert server.seen == []


@pytest.mark.parametrize("key", ["“sk-typographic”", "two\nlines", "null\0byte"])
def test_a_key_that_no_header_can_hold_is_an_error_that_names_the_variable_and_not_the_key(key: str) -> None:
    with FaultServer(always(ANSWER)) as server, pytest.raises(UserError, match="P_KEY") as found:
        asked(server, environ={"P_KEY": key})
    assert key not in str(found.value)
    assert server.seen == []


@pytest.mark.parametrize(
    "address", ["localhost:8000/v1", "nonsense", "ftp://127.0.0.1/v1", "http://", "http://127.0.0.1:99999"]
)
def test_an_address_that_is_none_is_an_error_that_names_where_it_comes_from(address: str) -> None:
    live = {"base_url_env": "P_URL"}
    with pytest.raises(UserError, match="P_URL"):
        endpoint_of("p", provider("manual", live=live), {"P_URL": address})


def test_the_address_of_the_environment_wins_over_the_declared_one() -> None:
    with FaultServer(always(ANSWER)) as server, FaultServer(always(ANSWER)) as other:
        declared = reachable(server, live={"base_url_env": "P_URL"})
        assert endpoint_of("p", declared, {"P_KEY": KEY, "P_URL": other.url}) == (other.url, KEY)
        for environ in ({"P_KEY": KEY}, {"P_KEY": KEY, "P_URL": ""}):
            assert endpoint_of("p", declared, environ) == (server.url, KEY)


@pytest.mark.parametrize(("live", "wanted"), [({"base_url_env": "P_URL"}, "P_URL"), ({}, "base_url")])
def test_a_missing_address_is_named(live: dict[str, Any], wanted: str) -> None:
    with pytest.raises(UsageError) as found:
        endpoint_of("p", provider("manual", live=live), {})
    assert str(found.value) == f"provider p: {wanted} is not set; expected the endpoint's address."


def test_a_provider_without_an_endpoint_cannot_be_asked() -> None:
    with pytest.raises(UsageError) as found:
        endpoint_of("p", provider(), {})
    assert str(found.value) == "provider p: cannot be asked; expected a `live` block in suite.yaml."


def test_an_endpoint_that_declares_no_key_gets_none_of_the_environment() -> None:
    with FaultServer(always(ANSWER)) as server:
        open_to_all = reachable(server, live={"api_key_env": None})
        assert endpoint_of("p", open_to_all, {"OPENAI_API_KEY": KEY}) == (server.url, "no-key")


def test_without_the_client_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with FaultServer(always(ANSWER)) as server, pytest.raises(UsageError) as found:
        asked(server)
    told = "providers: the openai client is not installed. Install it with `pip install 'assay[live]'`."
    assert str(found.value) == told
