from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from volcengine_dialects import ACCESS_KEYS, ark_error

from contentsvc.plugin import AuthenticationFailed
from contentsvc.testing import Reply, serving
from contentsvc_volcengine.check import check


@dataclass
class Check:
    base_url: str
    secret: str | None
    settings: dict[str, str] = field(default_factory=dict)
    http: httpx.Client = field(default_factory=lambda: httpx.Client(trust_env=False))
    work_dir: Path = Path()


@pytest.mark.parametrize(
    ("secret", "words"), [("ark-1", "faces can't be reviewed"), (ACCESS_KEYS, "was not tried")]
)
def test_a_good_key_is_known(secret: str, words: str) -> None:
    with serving(lambda _: Reply.json({"items": [], "total": 0})) as server:
        ctx = Check(f"{server.url}/api/v3", secret)
        with ctx.http:
            assert words in check(ctx)
        (request,) = server.requests
    assert request.method == "GET"
    assert request.target == "/api/v3/contents/generations/tasks?page_num=1&page_size=1"


def test_a_bad_key_is_refused() -> None:
    with serving(lambda _: ark_error(401, "AuthenticationError")) as server:
        ctx = Check(f"{server.url}/api/v3", "ark-1")
        with ctx.http, pytest.raises(AuthenticationFailed, match="refuses the API key"):
            check(ctx)


def test_a_reply_is_waited_for_as_long_as_the_services_client_waits() -> None:
    waited: list[float] = []

    def answer(request: httpx.Request) -> httpx.Response:
        waited.append(request.extensions["timeout"]["read"])
        return httpx.Response(200, json={"items": []})

    with httpx.Client(transport=httpx.MockTransport(answer), timeout=7) as client:
        check(Check("https://ark.test/api/v3", "ark-1", http=client))
    assert waited == [7]
