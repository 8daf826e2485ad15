"""How the interfaces of such providers are called."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from contentsvc.plugin import OutcomeUnknown, ProviderError
from contentsvc.testing import Reply, Request, serving
from contentsvc.testing.samples import media, picture
from contentsvc_declared import Api, Provider


def asked(reply: Reply, call: Any, secret: str | None = "key-7", scheme: str = "Key") -> tuple[Any, Request]:
    """What a call of the interface comes to, and its request."""
    with serving(lambda _: reply) as server, httpx.Client(trust_env=False) as client:
        ctx = SimpleNamespace(base_url=f"{server.url}/v1/", secret=secret, http=client)
        found = call(Api(Provider("Acme"), ctx, scheme))
        [request] = server.requests
        return found, request


def test_paths_lie_below_the_base_url_and_are_quoted() -> None:
    found, request = asked(Reply.json({"a": 1}), lambda api: api.ask("jobs/ä b"))
    assert (found, request.target) == ({"a": 1}, "/v1/jobs/%C3%A4%20b")


def test_the_key_is_sent_as_the_scheme_says_where_there_is_one() -> None:
    assert asked(Reply.json({}), lambda api: api.ask("a"))[1].headers["Authorization"] == "Key key-7"
    assert "Authorization" not in asked(Reply.json({}), lambda api: api.ask("a"), None)[1].headers


def test_an_order_may_have_headers_of_its_own() -> None:
    reply, request = asked(Reply.json({}), lambda api: api.order("acme/film", {"a": 1}, {"X-Keep": "7"}))
    assert reply.status_code == 200
    assert (request.json(), request.headers["X-Keep"]) == ({"a": 1}, "7")
    assert request.headers["Authorization"] == "Key key-7"


def test_an_upload_is_a_form() -> None:
    told, request = asked(
        Reply.json({"name": "up"}),
        lambda api: api.upload("files", "content", media(), "cup.png", kind="input"),
    )
    assert told == {"name": "up"}
    assert b'name="content"; filename="cup.png"' in request.body
    assert picture(256, "sienna") in request.body
    assert b'name="kind"\r\n\r\ninput\r\n' in request.body


@pytest.mark.parametrize(
    "call", [lambda api: api.order("a", {}), lambda api: api.upload("a", "file", media(), "cup.png")]
)
def test_without_a_connection_nothing_was_ordered(call: Any) -> None:
    def refuse(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no")

    with httpx.Client(transport=httpx.MockTransport(refuse)) as client:
        ctx = SimpleNamespace(base_url="https://acme.example.com", secret=None, http=client)
        with pytest.raises(ProviderError) as caught:
            call(Api(Provider("Acme"), ctx))
    assert caught.value.retryable


def test_an_upload_that_breaks_has_ordered_nothing_either() -> None:
    with pytest.raises(ProviderError) as caught:
        asked(Reply.json({}, 500), lambda api: api.upload("files", "content", media(), "cup.png"))
    assert caught.value.retryable
    assert not isinstance(caught.value, OutcomeUnknown)
