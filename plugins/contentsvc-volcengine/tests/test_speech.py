"""Doubao's voices."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from volcengine_calls import calling
from volcengine_dialects import sound_line

from contentsvc.plugin import (
    AuthenticationFailed,
    Capability,
    ContentRejected,
    ProviderError,
    RateLimited,
    SpeechRequest,
)
from contentsvc.testing import Reply, sample_result

ORDER = SpeechRequest("Mornings are grey.", speed=1.25)
SOUND: bytes = sample_result(Capability.SPEECH).file


def line(**members: Any) -> bytes:
    return json.dumps(members).encode() + b"\n"


DONE = Reply.stream(
    [sound_line(SOUND[:100]), b"\n", sound_line(SOUND[100:]), line(code=20000000, usage={"text_words": 18})]
)


def test_sound_is_put_together_and_paid_by_its_characters(tmp_path: Path) -> None:
    with calling(Capability.SPEECH, DONE, tmp_path, secret="key-1") as call:
        result = call.caller.start(ORDER).answer.result
        (request,) = call.server.requests
    assert (result.usage.units, result.usage.raw) == (Decimal("0.018"), {"text_words": 18})
    assert request.path == "/api/v3/tts/unidirectional"
    assert request.headers["X-Api-Key"] == "key-1"
    assert request.headers["X-Api-Resource-Id"] == "seed-tts-2.0"
    assert request.json()["req_params"] == {
        "text": "Mornings are grey.",
        "speaker": "zh_female_vv_uranus_bigtts",
        "audio_params": {"format": "mp3", "sample_rate": 24000, "speech_rate": 25},
    }


@pytest.mark.parametrize(("speed", "rate"), [(0.5, -50), (1.0, 0), (2.0, 100)])
def test_speed_is_told_in_percent(tmp_path: Path, speed: float, rate: int) -> None:
    with calling(Capability.SPEECH, DONE, tmp_path) as call:
        call.caller.start(replace(ORDER, speed=speed))
        assert call.asked[0]["req_params"]["audio_params"]["speech_rate"] == rate


def test_the_old_console_has_two_keys(tmp_path: Path) -> None:
    secret = json.dumps({"app_id": "1234567", "access_token": "token-1"})
    with calling(Capability.SPEECH, DONE, tmp_path, secret=secret) as call:
        call.caller.start(ORDER)
        (request,) = call.server.requests
    assert (request.headers["X-Api-App-Id"], request.headers["X-Api-Access-Key"]) == ("1234567", "token-1")
    assert "X-Api-Key" not in request.headers


def test_an_attempt_that_is_repeated_has_the_same_request_id(tmp_path: Path) -> None:
    with calling(Capability.SPEECH, DONE, tmp_path) as call:
        call.caller.start(ORDER)
        call.caller.start(ORDER)
        ids = {request.headers["X-Api-Request-Id"] for request in call.server.requests}
    assert len(ids) == 1


def test_without_any_voice_nothing_is_ordered(tmp_path: Path) -> None:
    with calling(Capability.SPEECH, DONE, tmp_path, options={"voice": ""}) as call:
        assert "name one" in str(call.caller.start(ORDER).error)
        assert call.server.requests == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("quota exceeded for types: concurrency", RateLimited),
        ("requested grant not found in SaaS storage", AuthenticationFailed),
        ("get resource id: access denied", AuthenticationFailed),
        ("InputTextSensitiveContentDetected", ContentRejected),
        ("Invalid speaker", ProviderError),
    ],
)
def test_an_error_in_a_line_has_its_meaning(tmp_path: Path, said: str, kind: type[ProviderError]) -> None:
    reply = Reply.stream([line(code=55000000, message=said)])
    with calling(Capability.SPEECH, reply, tmp_path) as call:
        assert type(call.caller.start(ORDER).error) is kind


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([sound_line(SOUND)], "broke off"),
        ([line(code=20000000)], "there is none"),
        ([b"{oops\n"], "could not be read"),
        ([line(code=0, data="%%%")], "could not be read"),
    ],
)
def test_sound_that_is_not_whole_is_none(tmp_path: Path, pieces: list[bytes], words: str) -> None:
    with calling(Capability.SPEECH, Reply.stream(pieces), tmp_path) as call:
        error = call.caller.start(ORDER).error
    assert error is not None
    assert words in str(error)
    assert not error.retryable
