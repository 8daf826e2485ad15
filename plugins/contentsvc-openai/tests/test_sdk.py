"""What the SDK must not do: be loaded by those who don't call it, and listen to the machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from openai_endpoint import KEY, Endpoint, caller, error, pictured, said, shots

from contentsvc.plugin import Capability
from contentsvc.testing import Reply, sample_order
from contentsvc.testing.samples import picture, sound

ENVIRONMENT = {
    "OPENAI_API_KEY": "sk-of-the-machine",
    "OPENAI_ADMIN_KEY": "sk-admin-of-the-machine",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/of-the-machine",
    "OPENAI_ORG_ID": "org-of-the-machine",
    "OPENAI_PROJECT_ID": "project-of-the-machine",
    "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer of-the-machine\nX-Own: of-the-machine",
}
REPLIES = {
    Capability.SCRIPT: said({"plan": "", "segments": shots("Grey.")}),
    Capability.ENTITY_EXTRACTION: said({"entities": []}),
    Capability.IMAGE_GENERATION: pictured(picture()),
    Capability.IMAGE_EDIT: pictured(picture()),
    Capability.SPEECH: Reply.file(sound(), "audio/mpeg"),
}


def test_it_is_not_loaded_with_the_plugin() -> None:
    code = """
import sys
from contentsvc_openai import plugin
from contentsvc_openai.driver import openai_driver

openai_driver()
print([name for name in ("openai", "httpx2") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("capability", REPLIES)
def test_the_environment_changes_nothing(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capability: Capability
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    endpoint.says(REPLIES[capability])
    assert caller(endpoint, capability, tmp_path).start(sample_order(capability)).error is None
    [request] = endpoint.requests
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert not request.says("of-the-machine")


@pytest.mark.parametrize("capability", REPLIES)
@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_nothing_is_sent_twice(
    endpoint: Endpoint, tmp_path: Path, capability: Capability, status: int
) -> None:
    endpoint.says(error(status), REPLIES[capability])
    assert caller(endpoint, capability, tmp_path).start(sample_order(capability)).error is not None
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("capability", REPLIES)
def test_no_redirect_is_followed(endpoint: Endpoint, tmp_path: Path, capability: Capability) -> None:
    endpoint.says(Reply(307, b"", {"Location": f"{endpoint.server.url}/v2"}), REPLIES[capability])
    told = caller(endpoint, capability, tmp_path).start(sample_order(capability)).error
    assert str(told) == "The provider's address leads elsewhere: enter the one it leads to."
    assert len(endpoint.requests) == 1
