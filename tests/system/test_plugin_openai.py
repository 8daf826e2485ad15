"""A film's texts, pictures and voices from OpenAI-compatible endpoints, from the request to the asset."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import select

from contentsvc.db.session import transaction_scope
from contentsvc.plugin import Capability
from contentsvc.providers.models import ModelConfig, Provider
from contentsvc.providers.services import Models
from contentsvc.security.secrets import secret_box_of
from contentsvc.testing import ProviderServer, Reply, Request, serving
from contentsvc.testing.samples import picture, sound
from tests.functional.projecting import add_project
from tests.system.hosted import hosted, units_charged, uploaded, work_of
from tests.system.installation import Installation, Person

KEY = "sk-canary-of-openai"
GATEWAY_KEY = "gw-canary-of-the-gateway"
TEXTS = (Capability.SCRIPT, Capability.ENTITY_EXTRACTION, Capability.SPEECH)
SCRIPT = {
    "plan": "A grey street first, then the cup.",
    "segments": [
        {
            "narration": text,
            "visual_prompt": f"Anna in a kitchen: {text}",
            "duration_seconds": 4,
            "dialogue": [{"speaker": None, "line": text}],
        }
        for text in ("Mornings are grey.", "Not this one.")
    ],
}
ENTITIES = {
    "entities": [
        {"type": "character", "name": "Anna", "visual_prompt": "A woman of forty", "segments": [0, 1]}
    ]
}


def openai(request: Request) -> Reply:
    """OpenAI: chat in a stream, pictures in the reply, sound as it is."""
    if request.path == "/chat/completions":
        name = request.json()["response_format"]["json_schema"]["name"]
        return chat(json.dumps({"script": SCRIPT, "entities": ENTITIES}[name]))
    if request.path.startswith("/images/"):
        data = base64.b64encode(picture(640)).decode()
        return Reply.json({"data": [{"b64_json": data}], "usage": {"total_tokens": 1550}})
    if request.path == "/audio/speech":
        return Reply.file(sound(1.0), "audio/wav")
    return Reply.json({"error": {"message": "No such path."}}, 404)


def chat(text: str) -> Reply:
    """An answer of a chat model, in pieces."""
    pieces = [text[at : at + 50] for at in range(0, len(text), 50)]
    chunks: list[Any] = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    chunks.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    chunks.append({"choices": [], "usage": {"prompt_tokens": 400, "completion_tokens": 100}})
    return Reply.stream(
        [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks] + [b"data: [DONE]\n\n"]
    )


def gateway(request: Request) -> Reply:
    """A compatible endpoint, which hands over links."""
    if request.method == "GET":
        return Reply.file(picture(512, "olive"), "image/png")
    return Reply.json({"data": [{"url": f"{request.base}/files/1.png"}]})


@pytest.fixture(scope="module")
def running(
    postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Installation, ProviderServer]]:
    folder = tmp_path_factory.mktemp("openai")
    with hosted(postgres_url, folder, "openai", openai, key=KEY) as (service, server):
        with transaction_scope(service.registry) as session:
            models = Models(session)
            rows = session.scalars(select(ModelConfig).join(Provider).where(Provider.name == "openai")).all()
            for row in rows:
                if row.capability in TEXTS:
                    models.set_default(row)
        yield service, server
        written = (folder / "log").read_text(encoding="utf-8")
        assert KEY not in written
        assert GATEWAY_KEY not in written


@pytest.fixture(scope="module")
def service(running: tuple[Installation, ProviderServer]) -> Installation:
    return running[0]


@pytest.fixture
def endpoint(running: tuple[Installation, ProviderServer]) -> ProviderServer:
    running[1].requests.clear()
    return running[1]


@pytest.fixture(scope="module")
def person(service: Installation) -> Person:
    return service.person()


def newest(person: Person) -> Any:
    """The newest task, as it is alone."""
    [task, *_] = person.http.get("/api/ai/tasks/").json()["results"]
    return person.finished(task["id"])


def test_a_film_gets_its_script_its_cast_and_its_voice(service: Installation, person: Person) -> None:
    project = f"/api/projects/{add_project(service.registry, person.team_id)}"
    told = person.http.post(f"{project}/script-agent-stream/", json={"mode": "auto"}).raise_for_status()
    assert "A grey street" in told.text
    # 400 tokens in, and 100 out at six times the price.
    assert units_charged(service, newest(person)) == 1

    script = person.http.get(f"{project}/").json()["current_script"]
    assert [item["narration"] for item in script["segments"]] == ["Mornings are grey.", "Not this one."]
    person.http.post(f"{project}/adopt-script/", json={"script_version_id": script["id"]}).raise_for_status()
    person.http.post(f"{project}/extract-entities/").raise_for_status()
    assert units_charged(service, newest(person)) == 1
    found = person.http.get(f"{project}/extract-status/").json()["entities"]
    assert [entity["name"] for entity in found] == ["Anna"]

    items = {"items": [{"index": 0, "text": "Mornings are grey."}], "voice_type": "coral"}
    person.http.post(f"{project}/generate-voiceover/", json=items).raise_for_status()
    spoken = newest(person)
    assert units_charged(service, spoken) == Decimal("0.018")
    assert work_of(person, spoken).startswith(b"RIFF")


def test_pictures_are_drawn_and_edited(
    service: Installation, endpoint: ProviderServer, person: Person
) -> None:
    [drawn] = person.order(image_model="gpt-image-2")
    [edited] = person.order(
        image_model="gpt-image-2", reference_image_ids=[uploaded(person, picture(512, "sienna"))]
    )
    for order in (drawn, edited):
        task = person.finished(order)
        assert work_of(person, task) == picture(640)
        assert units_charged(service, task) == 1
    assert [request.path for request in endpoint.requests] == ["/images/generations", "/images/edits"]
    assert {request.headers["Authorization"] for request in endpoint.requests} == {f"Bearer {KEY}"}


def test_a_second_row_reaches_another_endpoint_with_its_own_key(
    service: Installation, endpoint: ProviderServer, person: Person
) -> None:
    with serving(gateway) as server:
        with transaction_scope(service.registry) as session:
            row = Provider(
                name="gateway",
                display_name="Gateway",
                driver="openai",
                base_url=f"{server.url}/v1/",
                api_key_encrypted=secret_box_of(service.registry).encrypt(GATEWAY_KEY),
            )
            model = ModelConfig(
                provider=row,
                name="local-painter",
                display_name="Painter",
                capability=Capability.IMAGE_GENERATION,
                endpoint="painter-xl",
                unit_price=Decimal("0.02"),
                billing_unit="image",
            )
            session.add(model)
        [order] = person.order(image_model="local-painter")
        task = person.finished(order)
        assert work_of(person, task) == picture(512, "olive")
        assert units_charged(service, task) == 1
        order_request = server.requests[0]
    assert (order_request.path, order_request.json()["model"]) == ("/v1/images/generations", "painter-xl")
    assert order_request.headers["Authorization"] == f"Bearer {GATEWAY_KEY}"
    assert endpoint.requests == []
