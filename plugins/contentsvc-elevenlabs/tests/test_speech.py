"""What an order becomes, and what ElevenLabs' refusals mean."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from elevenlabs_dialects import GEORGE, Voices, refusal

from contentsvc.plugin import (
    AuthenticationFailed,
    ContentRejected,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
    SpeechRequest,
)
from contentsvc.testing import Kind, Reply, Request, Stage
from contentsvc_elevenlabs import plugin


@pytest.fixture
def stage(stage_of: Callable[..., Stage]) -> Callable[..., Stage]:
    """Make a stage whose model has these options."""
    return lambda **options: stage_of(plugin, Voices(**options))


def ordered(stage: Stage, order: SpeechRequest) -> Request:
    """The request that an order becomes."""
    stage.order = order
    stage.result(stage.run())
    [request] = stage.provider.of_kind(Kind.ORDER)
    return request


def failure(stage: Stage, reply: Reply) -> ProviderError:
    """What an order ends in that gets this reply."""
    stage.when(Kind.ORDER, reply)
    return stage.refuses(stage.start(), ProviderError)


def test_the_order_says_what_is_wanted(stage: Callable[..., Stage]) -> None:
    played = stage(voice_settings={"stability": 0.4})
    request = ordered(played, SpeechRequest("Mornings are grey.", "george", 1.1, "en-GB"))
    assert request.target == f"/v1/text-to-speech/{GEORGE}?output_format=mp3_44100_128"
    assert request.headers["xi-api-key"] == played.subject.dialect.secret
    assert request.json() == {
        "text": "Mornings are grey.",
        "model_id": "eleven_multilingual_v2",
        "voice_settings": {"stability": 0.4, "speed": 1.1},
    }


def test_characters_are_charged(stage: Callable[..., Stage]) -> None:
    played = stage()
    played.order = SpeechRequest("Mornings are grey.")
    assert played.result(played.run()).usage.units == Decimal("0.018")


def test_a_model_that_takes_a_language_is_told(stage: Callable[..., Stage]) -> None:
    request = ordered(stage(takes_language=True), SpeechRequest("Hallo.", language="de-AT"))
    assert request.json()["language_code"] == "de"


@pytest.mark.parametrize(("wanted", "used"), [(0.5, 0.7), (1.0, 1.0), (2.0, 1.2)])
def test_the_speed_stays_in_the_models_limits(
    stage: Callable[..., Stage], wanted: float, used: float
) -> None:
    played = stage()
    played.order = SpeechRequest("Hello.", speed=wanted)
    result = played.result(played.run())
    assert played.provider.requests[0].json()["voice_settings"]["speed"] == used
    assert result.audio.metadata == {"voice_id": GEORGE, "speed": used}


def test_the_limits_of_the_speed_are_data(stage: Callable[..., Stage]) -> None:
    request = ordered(stage(speeds=[0.5, 2]), SpeechRequest("Hello.", speed=1.75))
    assert request.json()["voice_settings"]["speed"] == 1.75


def test_the_output_format_is_data(stage: Callable[..., Stage]) -> None:
    request = ordered(stage(output_format="wav_44100"), SpeechRequest("Hello."))
    assert request.query == {"output_format": "wav_44100"}


def test_voices_are_asked_for_by_name(stage: Callable[..., Stage]) -> None:
    voices = {"clara": "21m00Tcm4TlvDq8ikWAM", "leo": "abc123"}
    request = ordered(stage(voices=voices, voice=""), SpeechRequest("Hello.", "leo"))
    assert request.path == "/v1/text-to-speech/abc123"


@pytest.mark.parametrize(
    ("voices", "wanted"),
    [
        ({"clara": "abc"}, "leo"),
        ({"clara": "abc"}, "abc"),
        ({"clara": "../user"}, "clara"),
        ({"clara": 5}, "clara"),
        (None, ""),
    ],
)
def test_any_other_voice_is_refused_before_the_order(
    stage: Callable[..., Stage], voices: Any, wanted: str
) -> None:
    played = stage(voices=voices, voice="")
    played.order = SpeechRequest("Hello.", wanted)
    assert str(played.refuses(played.start(), ProviderError)) == "This model has no voice of that name."
    assert played.orders() == 0


def test_a_text_that_is_too_long_is_refused_before_the_order(stage: Callable[..., Stage]) -> None:
    played = stage(max_characters=10)
    played.order = SpeechRequest("a" * 11)
    assert (
        str(played.refuses(played.start(), ProviderError))
        == "The provider speaks at most 10 characters at a time."
    )
    assert played.orders() == 0


def test_a_sound_has_its_limit(stage: Callable[..., Stage]) -> None:
    for most, message in ((100, "None"), (99, "The provider's answer is too large.")):
        played = stage(max_bytes=most)
        played.when(Kind.ORDER, Reply.file(bytes(100), "audio/mpeg"))
        assert str(played.caller.start(played.order).error) == message


@pytest.mark.parametrize(
    ("reply", "kind", "message"),
    [
        (refusal(401, "invalid_api_key"), AuthenticationFailed, "The provider refuses the API key."),
        (refusal(401, "quota_exceeded"), ProviderError, "The provider's account has no credit left."),
        (
            refusal(401, "detected_unusual_activity"),
            ProviderError,
            "The provider has blocked this account for unusual activity.",
        ),
        (refusal(403, "only_for_creator+"), AuthenticationFailed, "The API key may not do this."),
        (refusal(400, "voice_not_found"), ProviderError, "The provider knows no such voice."),
        (
            refusal(400, "max_character_limit_exceeded"),
            ProviderError,
            "The text is longer than the provider takes for this model.",
        ),
        (
            refusal(400, "other", "It violates our Terms of Service."),
            ContentRejected,
            "The provider refuses this content.",
        ),
        (refusal(400, "odd_thing"), ProviderError, "The provider refuses the order (HTTP 400, odd_thing)."),
        (
            Reply.json({"detail": [{"loc": ["body"], "msg": "No."}]}, 422),
            ProviderError,
            "The provider refuses the order (HTTP 422).",
        ),
        (Reply(404), ProviderError, "The provider's address answers, but not as ElevenLabs does."),
        (Reply(307), ProviderError, "The provider's address leads elsewhere: enter the one it leads to."),
        (refusal(429, "too_many_concurrent_requests"), RateLimited, "The provider is busy."),
        (refusal(429, "system_busy"), RateLimited, "The provider is busy."),
        (refusal(503, "error"), RateLimited, "The provider is busy."),
        (refusal(500, "error"), OutcomeUnknown, "The provider has failed (HTTP 500)."),
        (Reply(400, b'"\xff"'), OutcomeUnknown, "The provider's answer can't be read."),
        (Reply(400, b"[" * 100_000), OutcomeUnknown, "The provider's answer can't be read."),
        (Reply.file(b"", "audio/mpeg"), ProviderError, "The provider sent an empty file."),
    ],
)
def test_a_refusal_means_one_error(
    stage: Callable[..., Stage], reply: Reply, kind: type[ProviderError], message: str
) -> None:
    error = failure(stage(), reply)
    assert (type(error), error.public_message) == (kind, message)
