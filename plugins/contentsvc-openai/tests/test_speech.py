from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from openai_endpoint import Endpoint, caller, error

from contentsvc.plugin import AuthenticationFailed, Capability, ProviderError, SpeechRequest
from contentsvc.testing import Caller, Reply
from contentsvc.testing.samples import sound

ORDER = SpeechRequest("Mornings are grey.", voice="coral", speed=1.25)


@pytest.fixture
def speaker(endpoint: Endpoint, tmp_path: Path) -> Caller:
    return caller(endpoint, Capability.SPEECH, tmp_path)


def failure(speaker: Caller, order: SpeechRequest = ORDER) -> ProviderError:
    """The error of an order that failed."""
    error_ = speaker.start(order).error
    assert error_ is not None
    return error_


def test_the_sound_is_written(speaker: Caller, endpoint: Endpoint) -> None:
    endpoint.says(Reply.file(sound(), "audio/mpeg"))
    result: Any = speaker.start(ORDER).answer.result
    assert result.audio.path.read_bytes() == sound()
    assert result.usage.units == Decimal("0.018")


def test_the_order_says_what_is_wanted(speaker: Caller, endpoint: Endpoint) -> None:
    endpoint.says(Reply.file(sound(), "audio/mpeg"))
    speaker.start(ORDER)
    assert endpoint.requests[0].path == "/v1/audio/speech"
    assert endpoint.bodies == [
        {
            "model": "gpt-4o-mini-tts",
            "voice": "coral",
            "input": "Mornings are grey.",
            "response_format": "mp3",
            "speed": 1.25,
        }
    ]


def test_without_a_voice_the_models_own_speaks(speaker: Caller, endpoint: Endpoint) -> None:
    endpoint.says(Reply.file(sound(), "audio/mpeg"))
    speaker.start(SpeechRequest("Hello."))
    assert endpoint.bodies[0]["voice"] == "alloy"


def test_an_unknown_voice_is_refused_before_the_order(speaker: Caller, endpoint: Endpoint) -> None:
    error_ = failure(speaker, SpeechRequest("Hello.", voice="clara"))
    assert (error_.public_message, endpoint.requests) == ("This model has no voice of that name.", [])


def test_a_text_that_is_too_long_is_refused_before_the_order(speaker: Caller, endpoint: Endpoint) -> None:
    error_ = failure(speaker, SpeechRequest("a" * 4097))
    assert (error_.public_message, endpoint.requests) == (
        "The provider speaks at most 4096 characters at a time.",
        [],
    )


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply.file(b"", "audio/mpeg"), "The provider sent an empty file."),
        (Reply.file(b"<html></html>", "text/html; charset=utf-8"), "The provider's answer is no file."),
        (Reply.json({"ok": True}), "The provider's answer is no file."),
        (Reply.file(b"ID3" + bytes(2000), "audio/mpeg"), "The provider's answer is too large."),
    ],
)
def test_a_reply_that_is_no_sound_is_an_error(
    endpoint: Endpoint, tmp_path: Path, reply: Reply, message: str
) -> None:
    endpoint.says(reply)
    error_ = failure(caller(endpoint, Capability.SPEECH, tmp_path, max_bytes=1000))
    assert (error_.public_message, error_.retryable) == (message, False)


def test_a_key_that_is_refused_is_told(speaker: Caller, endpoint: Endpoint) -> None:
    endpoint.says(error(401, "Incorrect API key provided: sk-test-0***cdef."))
    error_ = failure(speaker)
    assert isinstance(error_, AuthenticationFailed)
    assert error_.public_message == "The provider refuses the API key."
