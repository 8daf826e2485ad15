"""Doubao as author and reader, as far as it isn't what all authors share."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from volcengine_calls import calling
from volcengine_dialects import (
    EntityDialect,
    ScriptDialect,
    ark_error,
    chat_reply,
    chunk,
    event,
    script_document,
)

from contentsvc.plugin import Capability, ContentRejected, ProviderError, ScriptResult, ScriptText
from contentsvc.testing import Made, Reply, Request, sample_order, sample_result

ORDER = sample_order(Capability.SCRIPT)
MADE: Made = sample_result(Capability.SCRIPT)


def script_reply(request: Request) -> Reply:
    return ScriptDialect().done(MADE, request)


def only_words(request: Request) -> Reply:
    """A model without response formats."""
    if request.json()["response_format"]:
        return ark_error(400, "InvalidParameter", "Not supported.", "response_format.type")
    return script_reply(request)


def test_thoughts_are_told_and_the_script_is_read(tmp_path: Path) -> None:
    with calling(Capability.SCRIPT, script_reply, tmp_path) as call:
        events = call.caller.start(ORDER).answer
    assert [event.text for event in events if isinstance(event, ScriptText)] == ["A grey ", "morning."]
    result = events[-1]
    assert isinstance(result, ScriptResult)
    assert [s.narration for s in result.segments] == [s.narration for s in MADE.segments]
    assert result.usage.units == Decimal("0.003")
    assert result.usage.raw == {"prompt_tokens": 3, "completion_tokens": 0}


def test_the_order_has_schema_and_the_options_parameters(tmp_path: Path) -> None:
    with calling(Capability.SCRIPT, script_reply, tmp_path) as call:
        call.caller.start(ORDER)
        (request,), (body,) = call.server.requests, call.asked
    assert request.path == "/api/v3/chat/completions"
    assert request.headers["Authorization"] == "Bearer sk-kit-4b1e9d7c2f60a853"
    assert set(body) == {"model", "messages", "thinking", "response_format", "stream", "stream_options"}
    assert body["model"] == "doubao-seed-2-1-pro-260915"
    assert body["thinking"] == {"type": "enabled"}
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["stream_options"] == {"include_usage": True}


def test_a_model_without_response_formats_is_asked_in_words_and_from_then_on_at_once(tmp_path: Path) -> None:
    with calling(Capability.SCRIPT, only_words, tmp_path) as call:
        answers = [call.caller.start(ORDER).answer for _ in range(2)]
        asked = [body.get("response_format", {}).get("type") for body in call.asked]
    assert [type(events[-1]) for events in answers] == [ScriptResult, ScriptResult]
    assert asked == ["json_schema", "json_object", None, None]


def test_another_fault_of_the_request_is_not_tried_in_other_words(tmp_path: Path) -> None:
    fault = ark_error(400, "InvalidParameter", "Too long.", "max_tokens")
    with calling(Capability.SCRIPT, fault, tmp_path) as call:
        outcome = call.caller.start(ORDER)
        assert len(call.asked) == 1
    assert str(outcome.error) == "Volcengine refuses this order (HTTP 400): Too long."


@pytest.mark.parametrize(
    ("pieces", "kind", "words"),
    [
        ([chunk({"content": "{"}), chunk({}, "content_filter")], ContentRejected, "refuses this content"),
        ([event({"error": {"code": "OutputTextRiskDetection"}})], ContentRejected, "held back"),
        ([event({"error": {"code": "InternalServiceError"}})], ProviderError, "could not answer"),
        ([event({"error": "broken"})], ProviderError, "could not answer"),
        ([b"data: {oops\n\n"], ProviderError, "could not be read"),
        ([b"data: \xff\n\n"], ProviderError, "could not be read"),
        ([b"data: 7\n\n"], ProviderError, "could not be read"),
        ([b"data: " + b"[" * 100_000 + b"\n\n"], ProviderError, "could not be read"),
    ],
)
def test_a_stream_that_goes_wrong_says_why(
    tmp_path: Path, pieces: list[bytes], kind: type[ProviderError], words: str
) -> None:
    with calling(Capability.SCRIPT, Reply.stream(pieces), tmp_path) as call:
        error = call.caller.start(ORDER).error
    assert isinstance(error, kind)
    assert words in str(error)
    assert not error.retryable


def test_chunks_of_another_shape_say_nothing(tmp_path: Path) -> None:
    odd = [{}, {"choices": 7}, {"choices": [7]}, {"choices": [{"delta": {"content": 7}}]}, {"usage": "many"}]
    usual = chat_reply(script_document(MADE.segments), 3)
    with calling(Capability.SCRIPT, Reply.stream([*map(event, odd), *usual.pieces]), tmp_path) as call:
        result = call.caller.start(ORDER).answer[-1]
    assert len(result.segments) == 2


def test_entities_are_read_without_thinking(tmp_path: Path) -> None:
    made = sample_result(Capability.ENTITY_EXTRACTION)
    order = sample_order(Capability.ENTITY_EXTRACTION)
    with calling(
        Capability.ENTITY_EXTRACTION, lambda request: EntityDialect().done(made, request), tmp_path
    ) as call:
        result = call.caller.start(order).answer.result
        (body,) = call.asked
    assert result.entities == made.entities
    assert body["thinking"] == {"type": "disabled"}


def test_tokens_that_are_written_count_as_the_model_says(tmp_path: Path) -> None:
    reply = chat_reply({"entities": []}, 400, 100)
    with calling(Capability.ENTITY_EXTRACTION, reply, tmp_path, options={"output_weight": 5}) as call:
        result = call.caller.start(sample_order(Capability.ENTITY_EXTRACTION)).answer.result
    assert result.usage.units == Decimal("0.9")
