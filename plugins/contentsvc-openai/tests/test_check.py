from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from openai_endpoint import KEY, Endpoint, error

from contentsvc.plugin import AuthenticationFailed, ProviderError
from contentsvc.testing import Reply
from contentsvc_openai.check import check


class Context:
    """What a check gets."""

    work_dir = Path()

    def __init__(self, base_url: str, http: httpx.Client) -> None:
        self.settings: dict[str, str] = {}
        self.base_url = base_url
        self.secret: str | None = KEY
        self.http = http


def found(endpoint: Endpoint, reply: Reply) -> str:
    endpoint.says(reply)
    with httpx.Client(trust_env=False) as http:
        return check(Context(f"{endpoint.server.url}/v1/", http))


def test_the_list_of_models_tells_that_the_key_works(endpoint: Endpoint) -> None:
    assert (
        found(endpoint, Reply.json({"object": "list", "data": [{"id": "a"}, {"id": "b"}]}))
        == "The key is accepted. The endpoint lists 2 models."
    )
    [request] = endpoint.requests
    assert (request.path, request.headers["Authorization"]) == ("/v1/models", f"Bearer {KEY}")


def test_an_endpoint_without_a_list_is_no_failure(endpoint: Endpoint) -> None:
    assert "the key was not tried" in found(endpoint, error(404))


def test_a_key_that_is_refused_is_told(endpoint: Endpoint) -> None:
    with pytest.raises(AuthenticationFailed, match=r"refuses the API key"):
        found(endpoint, error(401))


@pytest.mark.parametrize(
    "reply", [Reply.file(b"<html>", "text/html"), Reply.json({"models": []}), error(500)]
)
def test_anything_else_is_a_failure(endpoint: Endpoint, reply: Reply) -> None:
    with pytest.raises(ProviderError):
        found(endpoint, reply)
