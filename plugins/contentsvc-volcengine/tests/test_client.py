"""What the SDK does with a call: nothing but what it is told, and over the service's client alone."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from test_chat import ORDER as SCRIPT
from test_images import DONE
from test_images import ORDER as PICTURE
from test_videos import ORDER as CLIP
from test_videos import TAKEN
from volcengine_calls import calling
from volcengine_dialects import chat_reply, script_document

from contentsvc.plugin import Accepted, Capability, OutcomeUnknown, ProviderError
from contentsvc.testing import Reply, sample_result

PROXY = "http://127.0.0.1:9"
ENVIRONMENT = {
    "ARK_API_KEY": "ark-of-the-environment",
    "ARK_BASE_URL": PROXY,
    "VOLC_ACCESSKEY": "AKLTenvironment",
    "VOLC_SECRETKEY": "c2VjcmV0",
    "VOLC_ARK_ENCRYPTION": "AICC",
    "E2E_CERTIFICATE_PATH": "/etc/hostname",
    "VOLCENGINE_ACCESS_KEY": "AKLTenvironment",
    "HTTP_PROXY": PROXY,
    "ALL_PROXY": PROXY,
}
# Would make the SDK fetch a certificate with a client of its own, were it an argument to it.
ENCRYPTED = {"extra_headers": {"x-is-encrypted": "true"}, "timeout": 0.0001, "max_retries": 5}
CALLS = [
    (Capability.SCRIPT, SCRIPT, chat_reply(script_document(sample_result(Capability.SCRIPT).segments), 3)),
    (Capability.IMAGE_GENERATION, PICTURE, DONE),
    (Capability.VIDEO_GENERATION, CLIP, TAKEN),
]
ODD = [
    '{"cls": 1, "data": []}',
    '{"_fields_set": 7, "id": "cgt-1"}',
    '{"data": [{"self": 1, "cls": 2}], "id": [], "status": {}}',
    '{"a":' * 400 + "1" + "}" * 400,
    '{"a":' * 100_000,
    '"cgt-1"',
    "7",
    "true",
]


class Watched(dict[str, str]):
    """An environment that writes down who asks for what."""

    def __init__(self, asked: list[str]) -> None:
        super().__init__({**os.environ, **ENVIRONMENT})
        self._asked = asked

    def get(self, key: str, default: Any = None) -> Any:
        self._asked.append(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> str:
        self._asked.append(key)
        return super().__getitem__(key)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The variables that were asked for since the SDK was imported."""
    import volcenginesdkarkruntime  # noqa: F401

    names: list[str] = []
    monkeypatch.setattr(os, "environ", Watched(names))
    return names


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The addresses that this thread connects to."""
    addresses: list[Any] = []
    connect, ours = socket.socket.connect, threading.get_ident()

    def watched(self: socket.socket, address: Any) -> None:
        if threading.get_ident() == ours:
            addresses.append(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", watched)
    return addresses


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """The threads that this one starts."""
    threads: list[threading.Thread] = []
    start, ours = threading.Thread.start, threading.get_ident()

    def watched(self: threading.Thread) -> None:
        if threading.get_ident() == ours:
            threads.append(self)
        start(self)

    monkeypatch.setattr(threading.Thread, "start", watched)
    return threads


@pytest.mark.parametrize(("capability", "order", "reply"), CALLS)
def test_nothing_of_the_environment_changes_a_call(
    tmp_path: Path, asked: list[str], capability: Capability, order: Any, reply: Reply
) -> None:
    with calling(capability, reply, tmp_path, secret="ark-1") as call:
        assert call.caller.start(order).error is None
        (request,) = call.server.requests
    assert set(asked).isdisjoint(ENVIRONMENT)
    assert request.headers["Authorization"] == "Bearer ark-1"


@pytest.mark.parametrize(("capability", "order", "reply"), CALLS)
def test_the_providers_address_is_the_only_one_that_is_called(
    tmp_path: Path,
    connected: list[Any],
    started: list[threading.Thread],
    capability: Capability,
    order: Any,
    reply: Reply,
) -> None:
    with calling(capability, reply, tmp_path, options={"parameters": ENCRYPTED}) as call:
        del started[:]  # the server's own
        assert call.caller.start(order).error is None
        (request,) = call.server.requests
        port = int(call.server.url.rpartition(":")[2])
    assert [address[1] for address in connected] == [port]
    assert started == []
    assert "x-is-encrypted" not in request.headers
    assert request.json()["extra_headers"] == ENCRYPTED["extra_headers"]


@pytest.mark.parametrize("said", ODD)
def test_an_odd_document_is_none(tmp_path: Path, said: str) -> None:
    reply = Reply.file(said.encode(), "application/json")
    with calling(Capability.VIDEO_GENERATION, reply, tmp_path) as call:
        ordered, polled = call.caller.start(CLIP), call.caller.poll("cgt-1")
    assert ordered.answer == Accepted("cgt-1") or isinstance(ordered.raised, OutcomeUnknown)
    assert isinstance(polled.raised, ProviderError)
    assert polled.error is not None
    assert polled.error.retryable


@pytest.mark.parametrize("said", ODD)
def test_an_odd_document_is_no_picture(tmp_path: Path, said: str) -> None:
    reply = Reply.file(said.encode(), "application/json")
    with calling(Capability.IMAGE_GENERATION, reply, tmp_path) as call:
        outcome = call.caller.start(PICTURE)
    assert isinstance(outcome.raised, ProviderError)
    assert outcome.error is not None
    assert not outcome.error.retryable


def test_the_sdk_is_imported_by_the_first_call_alone() -> None:
    program = (
        "import sys\n"
        "from contentsvc_volcengine import plugin\n"
        "plugin.contentsvc_register_providers(lambda driver: None)\n"
        "plugin.contentsvc_register_models(lambda model: None)\n"
        "print(*(name for name in sys.modules if name.startswith('volcenginesdk')))\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
