import json
from decimal import Decimal
from typing import Any

import pytest
from dashscope_calls import KEY, Place
from dashscope_dialects import chat_failed, delta, entities, events_of, figures, script, streamed

from contentsvc.plugin import (
    Capability,
    ContentRejected,
    Entity,
    EntityType,
    ProductFacts,
    ProviderError,
    ScriptDraft,
    ScriptMode,
    ScriptRequest,
    ScriptSegment,
    ScriptText,
    ScriptTool,
)
from contentsvc.testing import Reply, sample_order

SHOTS = (
    ScriptSegment("Grey.", "A grey street", 4.0),
    ScriptSegment("Then “colour”: ☕ 😀.", "A red cup\non a sill", 4.0),
)
ORDER = ScriptRequest(ScriptMode.THEME, ProductFacts(title="Cup"), instruction="a quiet morning")


def written(studio: Place, reply: Reply, order: ScriptRequest = ORDER, **options: Any) -> list[Any]:
    studio.replies.append(reply)
    outcome = studio.caller(Capability.SCRIPT, **options).start(order)
    assert outcome.error is None, outcome
    events: list[Any] = outcome.answer
    return events


def refused(studio: Place, reply: Reply) -> ProviderError:
    studio.replies.append(reply)
    error = studio.caller(Capability.SCRIPT).start(ORDER).error
    assert error is not None
    return error


def test_a_script_comes_as_plan_drafts_and_result(studio: Place) -> None:
    events = written(studio, streamed(script(SHOTS), thought="Hm. ", pieces=60))
    assert events[0] == ScriptTool("write", "Writing the script")
    told = "".join(event.text for event in events if isinstance(event, ScriptText))
    assert told == "Hm. A morning in two shots."
    assert [len(event.segments) for event in events if isinstance(event, ScriptDraft)] == [1, 2]
    assert events[-1].segments[1].narration == "Then “colour”: ☕ 😀."
    assert events[-1].usage.units == Decimal(3)


def test_the_model_is_held_to_json(studio: Place) -> None:
    written(studio, streamed(script(SHOTS)))
    (request,) = studio.requests
    assert request.target == "/compatible-mode/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    body = studio.body
    assert body["model"] == "qwen-plus"
    assert body["response_format"] == {"type": "json_object"}
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert body["enable_thinking"] is False
    system, user = body["messages"]
    assert "Its JSON Schema is: {" in system["content"]
    assert json.loads(user["content"])["product"] == {"title": "Cup"}


def test_a_model_may_be_held_to_the_schema(studio: Place) -> None:
    written(studio, streamed(script(SHOTS)), json="schema")
    held = studio.body["response_format"]
    assert (held["type"], held["json_schema"]["strict"]) == ("json_schema", True)
    assert "JSON Schema" not in studio.body["messages"][0]["content"]


def test_a_model_may_be_asked_in_words_alone(studio: Place) -> None:
    answer = f"Gladly:\n```json\n{json.dumps(script(SHOTS))}\n```"
    assert len(written(studio, streamed(answer), json="prompt")[-1].segments) == 2
    assert "response_format" not in studio.body


def test_one_segment_is_revised(studio: Place) -> None:
    changed = script((SHOTS[0], ScriptSegment("New.", "A new shot", 3.0)))
    order = ScriptRequest(
        ScriptMode.REVISE, ProductFacts(), instruction="shorter", segments=SHOTS, target_index=1
    )
    (segment,) = written(studio, streamed(changed), order)[-1].segments
    assert segment.narration == "New."


def test_an_answer_that_was_cut_at_its_limit_is_told(studio: Place) -> None:
    assert "limit of tokens" in refused(studio, streamed(script(SHOTS), finish="length")).public_message


@pytest.mark.parametrize(
    "reply",
    [
        chat_failed(400, "Inappropriate.", "data_inspection_failed"),
        events_of(delta(content="{"), {"error": {"code": "data_inspection_failed", "message": "No."}}),
        streamed("{", finish="content_filter"),
    ],
    ids=["before", "within", "at the end"],
)
def test_content_may_be_refused_at_any_time(studio: Place, reply: Reply) -> None:
    assert isinstance(refused(studio, reply), ContentRejected)


def test_an_error_in_the_stream_ends_it(studio: Place) -> None:
    error = refused(studio, events_of({"error": {"code": "internal_error", "message": "No."}}))
    assert error.public_message == "Model Studio broke off its answer (internal_error)."
    assert not error.retryable


def test_an_account_without_credit_is_told(studio: Place) -> None:
    error = refused(studio, chat_failed(400, "Access denied.", "Arrearage"))
    assert error.public_message == "The Model Studio account has no credit left."


@pytest.mark.parametrize(
    "answer", ["{}", "[]", '{"segments": 7}', '{"segments": [{"duration_seconds": "x"}]}']
)
def test_an_answer_of_another_shape_is_an_error(studio: Place, answer: str) -> None:
    assert "not the JSON" in refused(studio, streamed(answer, pieces=1)).public_message


def test_a_report_without_tokens_leaves_the_estimate(studio: Place) -> None:
    usage = written(studio, streamed(script(SHOTS), usage=figures("many")))[-1].usage
    assert (usage.units, usage.raw) == (None, {"prompt_tokens": 500, "total_tokens": 1500})


def test_entities_of_one_name_are_one(studio: Place) -> None:
    found = (
        Entity(EntityType.CHARACTER, "Anna", "A woman of forty", (1, 9)),
        Entity(EntityType.CHARACTER, "anna", "Somebody else", (0,)),
        Entity(EntityType.SCENE, "Kitchen", "White tiles", (1,)),
    )
    studio.replies.append(streamed(entities(found)))
    outcome = studio.caller(Capability.ENTITY_EXTRACTION).start(sample_order(Capability.ENTITY_EXTRACTION))
    assert outcome.answer.result.entities == (
        Entity(EntityType.CHARACTER, "Anna", "A woman of forty", (0, 1)),
        Entity(EntityType.SCENE, "Kitchen", "White tiles", (1,)),
    )
