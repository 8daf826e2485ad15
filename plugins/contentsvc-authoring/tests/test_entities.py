"""A reader: who and where is seen in a script."""

from __future__ import annotations

from typing import Any

import pytest
from authoring_calls import Reader, Told, desk, told

from contentsvc.plugin import (
    Entity,
    EntityRequest,
    EntityType,
    ProductFacts,
    ProviderError,
    ScriptSegment,
    Usage,
)

SCRIPT = (ScriptSegment("One.", "Ann in a kitchen", 4.0), ScriptSegment("Two.", "A cup", 5.0))
ORDER = EntityRequest(segments=SCRIPT, product=ProductFacts(title="Cup"))


def found(model: Told) -> tuple[Entity, ...]:
    entities: tuple[Entity, ...] = Reader(model).start(ORDER, desk()).result.entities
    return entities


def entity(**more: Any) -> dict[str, Any]:
    return {"type": "character", "name": "Ann", "visual_prompt": "Forty, grey hair", "segments": [0], **more}


def test_people_and_places_are_read() -> None:
    place = {"type": "scene", "name": "Kitchen", "visual_prompt": "White tiles", "segments": [0, 1]}
    assert found(told({"entities": [entity(), place]}, thought="Hm.")) == (
        Entity(EntityType.CHARACTER, "Ann", "Forty, grey hair", (0,)),
        Entity(EntityType.SCENE, "Kitchen", "White tiles", (0, 1)),
    )


def test_one_name_is_one_entity() -> None:
    again = entity(name=" ann ", visual_prompt="Another", segments=[1, 0])
    assert found(told({"entities": [entity(), again]})) == (
        Entity(EntityType.CHARACTER, "Ann", "Forty, grey hair", (0, 1)),
    )


def test_segments_that_do_not_exist_are_left_out() -> None:
    assert found(told({"entities": [entity(segments=[-1, 1, 7])]}))[0].segments == (1,)


def test_what_has_no_looks_is_drawn_by_its_name() -> None:
    assert found(told({"entities": [entity(visual_prompt="")]}))[0].visual_prompt == "Ann"


def test_a_script_may_show_nobody() -> None:
    assert found(told({"entities": []})) == ()


def test_unusable_ones_are_left_out() -> None:
    bad: list[object] = [entity(type="prop"), entity(name=""), "Ann"]
    assert [one.name for one in found(told({"entities": [*bad, entity()]}))] == ["Ann"]


@pytest.mark.parametrize(
    "answer", [{"entities": "none"}, {"entities": [{"name": 5}]}, {"people": []}, "No."], ids=str
)
def test_an_answer_of_another_shape_fails(answer: object) -> None:
    with pytest.raises(ProviderError, match="not the JSON"):
        found(told(answer))


def test_the_question_has_the_segments_by_index() -> None:
    model = told({"entities": []})
    found(model)
    [question] = model.questions
    assert [(segment["index"], segment["narration"]) for segment in question.matter["segments"]] == [
        (0, "One."),
        (1, "Two."),
    ]
    assert question.matter["product"] == {"title": "Cup"}


def test_usage_is_the_chats() -> None:
    model = told({"entities": []})
    model.usage = Usage(raw={"total_tokens": 7})
    assert Reader(model).start(ORDER, desk()).result.usage == model.usage


def test_there_is_no_job_to_ask_for() -> None:
    with pytest.raises(ProviderError, match="no job"):
        Reader(told("")).poll("7", desk())
