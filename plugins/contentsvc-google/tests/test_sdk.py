import subprocess
import sys
from typing import Any

import pytest
from google_calls import KEY, Place
from google_dialects import filmed, generated, interaction, picture, script, streamed

from contentsvc.plugin import Capability, ScriptSegment
from contentsvc.testing import Reply, sample_order
from contentsvc.testing.samples import clip
from contentsvc.testing.samples import picture as png
from contentsvc_google.check import check

SCRIPT = script((ScriptSegment("Grey.", "A grey street", 4.0),))
ENVIRONMENT = {
    "GEMINI_API_KEY": "key-of-the-environment",
    "GOOGLE_APPLICATION_CREDENTIALS": "/nowhere/credentials.json",
    "GOOGLE_CLOUD_LOCATION": "europe-west4",
    "GOOGLE_CLOUD_PROJECT": "another-project",
    "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9/elsewhere",
    "GOOGLE_GENAI_ACCESS_TOKEN": "token-of-the-environment",
    "GOOGLE_GENAI_API_KEY": "key-of-the-environment",
    "GOOGLE_GENAI_API_VERSION": "v9",
    "GOOGLE_GENAI_CLIENT_MODE": "replay",
    "GOOGLE_GENAI_DEBUG": "1",
    "GOOGLE_GENAI_HTTP_CLIENT": "httpx2",
    "GOOGLE_GENAI_REPLAYS_DIRECTORY": "/nowhere/replays",
    "GOOGLE_GENAI_REPLAY_ID": "an/old/one",
    "GOOGLE_GENAI_USER_PROJECT": "another-project",
    "GOOGLE_GENAI_USE_ENTERPRISE": "true",
    "GOOGLE_GENAI_USE_VERTEXAI": "true",
    "GOOGLE_VERTEX_BASE_URL": "http://127.0.0.1:9/elsewhere",
    "SSL_CERT_FILE": "/nowhere/certificates.pem",
}


def test_loading_the_plugin_loads_no_sdk() -> None:
    said = "import sys, contentsvc_google; print([name for name in sys.modules if name.startswith('google')])"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def asked(google: Place, capability: Capability, *replies: Reply) -> str:
    """Place an order, and poll where a clip was ordered; what was logged meanwhile."""
    google.replies.extend(replies)
    caller = google.caller(capability)
    outcome = caller.start(sample_order(capability))
    if capability is Capability.VIDEO_GENERATION and outcome.error is None:
        outcome = caller.poll(outcome.answer.job_id)
    assert outcome.error is None, outcome
    return caller.written


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("environment")
def test_the_environment_changes_nothing(google: Place) -> None:
    link = f"{google.server.url}/film"
    orders: dict[Capability, list[Reply]] = {
        Capability.IMAGE_GENERATION: [Reply.json(generated([picture(png(64, "red"))]))],
        Capability.SCRIPT: [streamed(SCRIPT)],
        Capability.VIDEO_GENERATION: [
            Reply.json(interaction("queued")),
            Reply.json(filmed(link)),
            Reply.file(clip(), "video/mp4"),
        ],
    }
    for capability, replies in orders.items():
        assert KEY not in asked(google, capability, *replies)
    google.replies.append(Reply.json({"models": [{"name": "models/a"}]}))
    assert google.caller(Capability.SCRIPT).check(check).error is None
    assert len(google.requests) == 6
    for request in google.requests:
        headers: dict[str, Any] = {name.lower(): value for name, value in request.headers.items()}
        assert headers["x-goog-api-key"] == KEY
        assert headers["accept-encoding"] == "identity"
        assert not headers.keys() & {"authorization", "x-goog-user-project"}
        assert request.path == "/film" or request.path.startswith("/v1beta/")


def test_an_answer_that_could_go_on_is_one_order(google: Place) -> None:
    reply = generated([picture(png(64, "red"))], finish="CONTINUATION")
    reply["candidates"][0]["continuationToken"] = "Z28gb24="
    google.replies.extend([Reply.json(reply), Reply.json(reply)])
    google.caller(Capability.IMAGE_GENERATION).start(sample_order(Capability.IMAGE_GENERATION))
    assert len(google.requests) == 1
