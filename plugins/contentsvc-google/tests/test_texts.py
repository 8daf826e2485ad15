import json
from decimal import Decimal
from typing import Any

import pytest
from google_calls import Place
from google_dialects import entities, events_of, figures, script, streamed

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
    ScriptResult,
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


def written(google: Place, reply: Reply, order: ScriptRequest = ORDER, **options: Any) -> list[Any]:
    google.replies.append(reply)
    outcome = google.caller(Capability.SCRIPT, **options).start(order)
    assert outcome.error is None, outcome
    events: list[Any] = outcome.answer
    return events


def refused(google: Place, reply: Reply) -> ProviderError:
    google.replies.append(reply)
    error = google.caller(Capability.SCRIPT).start(ORDER).error
    assert error is not None
    return error


def test_a_script_comes_as_plan_drafts_and_result(google: Place) -> None:
    events = written(google, streamed(script(SHOTS), thought="Hm. ", pieces=60))
    assert events[0] == ScriptTool("write", "Writing the script")
    assert (
        "".join(event.text for event in events if isinstance(event, ScriptText))
        == "Hm. A morning in two shots."
    )
    assert [len(event.segments) for event in events if isinstance(event, ScriptDraft)] == [1, 2]
    result = events[-1]
    assert isinstance(result, ScriptResult)
    assert [segment.narration for segment in result.segments] == ["Grey.", "Then “colour”: ☕ 😀."]
    assert result.segments[1].dialogue[0].line == "Then “colour”: ☕ 😀."


def test_the_answer_is_asked_for_by_a_schema(google: Place) -> None:
    written(google, streamed(script(SHOTS)), parameters={"temperature": 0.4})
    assert google.requests[0].target == "/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse"
    config = google.body["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"]["required"] == ["plan", "segments"]
    assert config["temperature"] == 0.4
    matter = json.loads(google.body["contents"][0]["parts"][0]["text"])
    assert matter == {
        "task": "Write a script on the wish.",
        "wish": "a quiet morning",
        "product": {"title": "Cup"},
        "aspect_ratio": "9:16",
        "total_seconds": None,
    }


@pytest.mark.parametrize(
    ("mode", "config"), [("object", {"responseMimeType": "application/json"}), ("prompt", {})]
)
def test_a_model_without_schemas_gets_it_in_words(google: Place, mode: str, config: Any) -> None:
    answer = f"Gladly:\n```json\n{json.dumps(script(SHOTS))}\n```"
    assert len(written(google, streamed(answer), json=mode)[-1].segments) == 2
    assert google.body["generationConfig"] == config
    assert '"dialogue"' in google.body["systemInstruction"]["parts"][0]["text"]


def test_tokens_are_weighed_with_the_thoughts(google: Place) -> None:
    usage = {**figures(1000), "thoughtsTokenCount": 250}
    assert written(google, streamed(script(SHOTS), usage=usage))[-1].usage.units == Decimal(8)


@pytest.mark.parametrize("answered", [SHOTS[:1], SHOTS], ids=["alone", "with the others"])
def test_one_segment_is_revised(google: Place, answered: tuple[ScriptSegment, ...]) -> None:
    changed = script(
        (SHOTS[0], ScriptSegment("New.", "A new shot", 3.0)) if len(answered) > 1 else (SHOTS[0],)
    )
    order = ScriptRequest(
        ScriptMode.REVISE,
        ProductFacts(),
        instruction="shorter",
        segments=SHOTS,
        target_index=len(answered) - 1,
    )
    (segment,) = written(google, streamed(changed), order)[-1].segments
    assert segment.narration == ("New." if len(answered) > 1 else "Grey.")
    task = json.loads(google.body["contents"][0]["parts"][0]["text"])["task"]
    assert f"index {len(answered) - 1} " in task


def test_an_answer_that_was_cut_at_its_limit_is_told(google: Place) -> None:
    error = refused(google, streamed(script(SHOTS), finish="MAX_TOKENS"))
    assert "limit of tokens" in error.public_message


def test_a_model_that_declines_is_a_refusal(google: Place) -> None:
    assert isinstance(refused(google, streamed("{", finish="SAFETY")), ContentRejected)


def test_an_answer_that_ends_before_it_began_is_told(google: Place) -> None:
    assert refused(google, Reply.stream([])).public_message == "The model's answer broke off."


@pytest.mark.parametrize(
    "event", [b'{"error": 7}', b"[1]", b'{"error": {"code": "x"}}', b"<html>", b"[" * 9999]
)
def test_an_event_that_is_none_is_told(google: Place, event: bytes) -> None:
    error = refused(google, Reply.stream([b"data: " + event + b"\r\n\r\n"]))
    assert error.public_message == "Google's answer can't be read."


def test_a_reason_to_end_that_is_new_is_taken_for_a_break(google: Place) -> None:
    error = refused(google, streamed(script(SHOTS), finish="SOMETHING_NEW"))
    assert error.public_message == "The model's answer broke off."


def test_an_error_in_the_stream_ends_it(google: Place) -> None:
    error = refused(google, events_of({"error": {"code": 500, "message": "No.", "status": "INTERNAL"}}))
    assert error.public_message == "Google broke off its answer (INTERNAL)."
    assert not error.retryable


@pytest.mark.parametrize(
    "answer", ["{}", "[]", '{"segments": 7}', '{"segments": [{"duration_seconds": "x"}]}']
)
def test_an_answer_of_another_shape_is_an_error(google: Place, answer: str) -> None:
    assert "not the JSON" in refused(google, streamed(answer, pieces=1)).public_message


def test_entities_of_one_name_are_one(google: Place) -> None:
    found = (
        Entity(EntityType.CHARACTER, "Anna", "A woman of forty", (1, 9)),
        Entity(EntityType.CHARACTER, "anna", "Somebody else", (0,)),
        Entity(EntityType.SCENE, "Kitchen", "White tiles", (1,)),
    )
    answer = entities(found)
    answer["entities"].append({"type": "prop", "name": "Cup"})
    google.replies.append(streamed(answer))
    result = google.caller(Capability.ENTITY_EXTRACTION).start(sample_order(Capability.ENTITY_EXTRACTION))
    assert result.answer.result.entities == (
        Entity(EntityType.CHARACTER, "Anna", "A woman of forty", (0, 1)),
        Entity(EntityType.SCENE, "Kitchen", "White tiles", (1,)),
    )
