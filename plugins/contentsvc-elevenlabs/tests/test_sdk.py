"""What the SDK must not do: be loaded by those who don't call it, listen to the machine, and try again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from elevenlabs_dialects import Voices, refusal

from contentsvc.plugin import ProviderError
from contentsvc.testing import Kind, Reply, Stage
from contentsvc_elevenlabs import plugin
from contentsvc_elevenlabs.sdk import opened

ENVIRONMENT = """
import os
os.environ["ELEVENLABS_API_KEY"] = os.environ["ELEVEN_API_KEY"] = "sk-of-the-machine"

import httpx
from types import SimpleNamespace
from contentsvc_elevenlabs.sdk import opened

sent = []
def answer(request):
    sent.append(request)
    return httpx.Response(200, json={"voices": []})

with httpx.Client(transport=httpx.MockTransport(answer)) as http:
    for secret in (None, "of-the-row"):
        with opened(SimpleNamespace(base_url="http://localhost/x/", secret=secret, http=http)) as client:
            client.voices.get_all()
print([(str(request.url), request.headers.get("xi-api-key")) for request in sent])
"""


@pytest.fixture
def stage(stage_of: Callable[..., Stage]) -> Stage:
    return stage_of(plugin, Voices())


def printed(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_it_is_not_loaded_with_the_plugin() -> None:
    code = """
import sys
from contentsvc_elevenlabs import plugin
from contentsvc_elevenlabs.driver import elevenlabs_driver

elevenlabs_driver()
print([name for name in ("elevenlabs", "websockets") if name in sys.modules])
"""
    assert printed(code) == "[]"


def test_the_environment_changes_nothing() -> None:
    url = "http://localhost/x/v1/voices"
    assert printed(ENVIRONMENT) == str([(url, None), (url, "of-the-row")])


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_nothing_is_sent_twice(stage: Stage, status: int) -> None:
    for kind in (Kind.ORDER, Kind.ASIDE):
        stage.when(kind, refusal(status, "error"))
    stage.refuses(stage.start(), ProviderError)
    stage.refuses(stage.check_key(), ProviderError)
    assert [request.method for request in stage.provider.requests] == ["POST", "GET"]


def test_no_redirect_is_followed(stage: Stage) -> None:
    stage.when(Kind.ORDER, Reply(307, b"", {"Location": f"{stage.provider.url}/v2"}))
    stage.refuses(stage.start(), ProviderError)
    assert len(stage.provider.requests) == 1


@pytest.mark.parametrize(("seconds", "limits"), [(None, (60, 10)), (7.0, (7, 10))])
def test_it_waits_as_long_as_it_is_told(seconds: float | None, limits: tuple[float, float]) -> None:
    waited = []

    def answer(request: httpx.Request) -> httpx.Response:
        waited.append((request.extensions["timeout"]["read"], request.extensions["timeout"]["connect"]))
        return httpx.Response(200, json={"voices": []})

    timeout = httpx.Timeout(60, connect=10)
    with httpx.Client(transport=httpx.MockTransport(answer), timeout=timeout) as http:
        ctx: Any = SimpleNamespace(base_url="http://localhost", secret="key", http=http)
        with opened(ctx, seconds) as client:
            client.voices.get_all()
            list(client.text_to_speech.convert("voice", text="Hello."))
    assert waited == [limits, limits]


def test_the_sound_is_written_while_it_comes(stage: Stage) -> None:
    pieces = [b"RIFF", *[bytes(20_000)] * 5]
    stage.when(Kind.ORDER, Reply.stream(pieces, "audio/wav"))
    result = stage.caller.start(stage.order).answer.result
    assert result.audio.path.read_bytes() == b"".join(pieces)
