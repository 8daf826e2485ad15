"""What the check makes of ElevenLabs' answers, beside the cases of the kit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from elevenlabs_dialects import Voices

from contentsvc.plugin import ProviderError
from contentsvc.testing import Kind, Reply, Stage
from contentsvc_elevenlabs import plugin


@pytest.fixture
def stage(stage_of: Callable[..., Stage]) -> Stage:
    return stage_of(plugin, Voices())


def test_the_list_of_voices_tells_that_the_key_works(stage: Stage) -> None:
    stage.when(Kind.ASIDE, stage.subject.dialect.checked)
    assert stage.check_key().answer == "The key is accepted. The account has 2 voices."
    [request] = stage.provider.requests
    assert (request.path, request.headers["xi-api-key"]) == ("/v1/voices", stage.caller.secret)


def test_another_address_is_told(stage: Stage) -> None:
    stage.when(Kind.ASIDE, Reply.json({"detail": "Not Found"}, 404))
    assert "but not as ElevenLabs does" in str(stage.refuses(stage.check_key(), ProviderError))


@pytest.mark.parametrize(
    "reply",
    [
        Reply.file(b"<html>", "text/html"),
        Reply.json([]),
        Reply.json([["a", 1]]),
        Reply.json({"voices": 5}),
        Reply.json({"voices": [5]}),
        Reply.json({"voices": [{"_fields_set": 5, "voice_id": "a"}]}),
        Reply(200, b'"\xff"'),
        Reply(200, b"[" * 100_000),
    ],
)
def test_what_is_no_list_of_voices_is_a_failure(stage: Stage, reply: Reply) -> None:
    stage.when(Kind.ASIDE, reply)
    stage.refuses(stage.check_key(), ProviderError)
