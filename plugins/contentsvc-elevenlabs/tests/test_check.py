from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from contentsvc.plugin import AuthenticationFailed, ProviderError
from contentsvc.testing import Reply, serving
from contentsvc_elevenlabs.check import check


class Context:
    """What a check gets."""

    def __init__(self, base_url: str, http: httpx.Client) -> None:
        self.settings: dict[str, str] = {}
        self.work_dir = Path()
        self.base_url = base_url
        self.secret: str | None = "canary-key"
        self.http = http


def found(reply: Reply) -> str:
    with serving(lambda _: reply) as server, httpx.Client(trust_env=False) as http:
        said = check(Context(server.url, http))
        [request] = server.requests
    assert (request.path, request.headers["xi-api-key"]) == ("/v1/voices", "canary-key")
    return said


def test_the_list_of_voices_tells_that_the_key_works() -> None:
    said = found(Reply.json({"voices": [{"voice_id": "a"}, {"voice_id": "b"}]}))
    assert said == "The key is accepted. The account has 2 voices."


def test_a_key_that_is_refused_is_told() -> None:
    with pytest.raises(AuthenticationFailed, match=r"refuses the API key"):
        found(Reply.json({"detail": {"status": "invalid_api_key"}}, 401))


@pytest.mark.parametrize(
    "reply", [Reply.json({"detail": "Not Found"}, 404), Reply.file(b"<html>", "text/html"), Reply.json([])]
)
def test_anything_else_is_a_failure(reply: Reply) -> None:
    with pytest.raises(ProviderError):
        found(reply)
