from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from openai_endpoint import Endpoint, caller, error, said

from contentsvc.plugin import (
    Capability,
    ContentRejected,
    Entity,
    EntityRequest,
    EntityType,
    ProductFacts,
    ProviderError,
    ScriptSegment,
)
from contentsvc.testing import Caller

ORDER = EntityRequest(
    (ScriptSegment("Hello.", "Anna in a kitchen", 4.0), ScriptSegment("Bye.", "Anna waves", 4.0)),
    ProductFacts(title="Cup"),
)
ANNA = {"type": "character", "name": "Anna", "visual_prompt": "A woman of forty", "segments": [0]}
KITCHEN = {"type": "scene", "name": "Kitchen", "visual_prompt": "White tiles", "segments": [0]}


@pytest.fixture
def reader(endpoint: Endpoint, tmp_path: Path) -> Caller:
    return caller(endpoint, Capability.ENTITY_EXTRACTION, tmp_path)


def found(reader: Caller) -> Any:
    """The result of an order that went well."""
    outcome = reader.start(ORDER)
    assert outcome.error is None, outcome
    return outcome.answer.result


def test_people_and_places_are_found(reader: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said({"entities": [ANNA, KITCHEN]}))
    result = found(reader)
    assert result.entities == (
        Entity(EntityType.CHARACTER, "Anna", "A woman of forty", (0,)),
        Entity(EntityType.SCENE, "Kitchen", "White tiles", (0,)),
    )
    assert result.usage.units == Decimal(4)


def test_the_script_is_told_with_its_indexes(reader: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said({"entities": [ANNA]}))
    found(reader)
    matter = json.loads(endpoint.bodies[0]["messages"][1]["content"])
    assert [(item["index"], item["visual_prompt"]) for item in matter["segments"]] == [
        (0, "Anna in a kitchen"),
        (1, "Anna waves"),
    ]


def test_the_same_person_twice_is_one(reader: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said({"entities": [ANNA, {**ANNA, "name": "ANNA", "segments": [1, 7, -1]}]}))
    [entity] = found(reader).entities
    assert entity.segments == (0, 1)


def test_what_is_no_entity_is_left_out(reader: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said({"entities": [{**ANNA, "type": "product"}, {"name": "x"}, "Anna", KITCHEN]}))
    assert [entity.name for entity in found(reader).entities] == ["Kitchen"]


def test_an_endpoint_without_schemas_is_asked_in_words(reader: Caller, endpoint: Endpoint) -> None:
    unavailable = error(400, "This response_format type is unavailable now")
    endpoint.says(unavailable, unavailable, said(f"Sure:\n```json\n{json.dumps({'entities': [ANNA]})}\n```"))
    assert [entity.name for entity in found(reader).entities] == ["Anna"]
    assert ["response_format" in body for body in endpoint.bodies] == [True, True, False]


@pytest.mark.parametrize("answer", ["Nobody.", {"entities": "Anna"}, {"entities": [5]}])
def test_an_answer_that_is_no_list_is_an_error(reader: Caller, endpoint: Endpoint, answer: Any) -> None:
    endpoint.says(said(answer))
    error_ = reader.start(ORDER).error
    assert (type(error_), error_ and error_.retryable) == (ProviderError, False)


def test_a_script_that_shows_nobody_has_no_entities(reader: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said({"entities": []}))
    assert found(reader).entities == ()


def test_refused_content_is_rejected(reader: Caller, endpoint: Endpoint) -> None:
    endpoint.says(error(400, "Flagged.", code="content_policy_violation"))
    assert isinstance(reader.start(ORDER).error, ContentRejected)
