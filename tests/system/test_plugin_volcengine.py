"""A film by Volcengine, from the requests to the stored assets: texts, voice, pictures, review, clip."""

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
from contentsvc.testing import ProviderServer, Reply, Request
from contentsvc.testing.samples import clip, picture, sound
from tests.functional.projecting import add_project
from tests.system.hosted import clip_ordered, hosted, units_charged, uploaded
from tests.system.installation import Installation, Person
from tests.system.processes import eventually

CANARIES = ("ark-canary-of-ark", "AKLTcanary-of-assets", "c2VjcmV0-canary-of-assets", "canary-of-the-voices")
ARK_KEY = json.dumps({"api_key": CANARIES[0], "access_key_id": CANARIES[1], "secret_access_key": CANARIES[2]})
BY_DEFAULT = (Capability.SCRIPT, Capability.ENTITY_EXTRACTION, Capability.SPEECH, Capability.ASSET_REVIEW)
ANSWERS = {
    "script": {
        "segments": [
            {
                "narration": text,
                "visual_prompt": f"Anna in a kitchen: {text}",
                "duration_seconds": 4,
                "dialogue": [],
            }
            for text in ("Mornings are grey.", "Not this one.")
        ]
    },
    "entities": {
        "entities": [{"type": "character", "name": "Anna", "visual_prompt": "A woman", "segments": [0]}]
    },
}
ACTIONS = {
    "CreateAssetGroup": {"Id": "group-1"},
    "CreateAsset": {"Id": "asset-1"},
    "GetAsset": {"Id": "asset-1", "Status": "Active"},
}


def volcengine(request: Request) -> Reply:
    """Ark, the asset library and the voices at one address."""
    match request.path:
        case "/":
            reply = Reply.json({"ResponseMetadata": {}, "Result": ACTIONS[request.query["Action"]]})
        case "/chat/completions":
            reply = chat(request.json())
        case "/images/generations":
            usage = {"generated_images": 1, "total_tokens": 16384}
            reply = Reply.json({"data": [{"url": f"{request.base}/made.png"}], "usage": usage})
        case "/tts/unidirectional":
            reply = speech()
        case "/made.png":
            reply = Reply.file(picture(640), "image/png")
        case "/made.mp4":
            reply = Reply.file(clip(), "video/mp4")
        case "/contents/generations/tasks":
            reply = Reply.json({"id": "cgt-1"})
        case _:
            reply = film(request)
    return reply


def film(request: Request) -> Reply:
    """A task of Seedance that is done."""
    content = {"video_url": f"{request.base}/made.mp4"}
    usage = {"completion_tokens": 108_900, "total_tokens": 108_900}
    return Reply.json({"id": "cgt-1", "status": "succeeded", "content": content, "usage": usage})


def speech() -> Reply:
    """A second of sound, for 18 characters."""
    piece = {"code": 0, "data": base64.b64encode(sound(1.0)).decode()}
    ended = {"code": 20000000, "usage": {"text_words": 18}}
    return Reply.stream([json.dumps(line).encode() + b"\n" for line in (piece, ended)])


def chat(body: Any) -> Reply:
    """Doubao, which thinks first."""
    answer = json.dumps(ANSWERS[body["response_format"]["json_schema"]["name"]])
    chunks: list[Any] = [
        {"choices": [{"delta": {"reasoning_content": "A grey street first."}}]},
        {"choices": [{"delta": {"content": answer}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 400, "completion_tokens": 20, "total_tokens": 420}},
    ]
    return Reply.stream(
        [*(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks), b"data: [DONE]\n\n"]
    )


@pytest.fixture(scope="module")
def running(
    postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Installation, ProviderServer]]:
    folder = tmp_path_factory.mktemp("volcengine")
    public = {"http__public_url": "https://media.test"}
    with hosted(postgres_url, folder, "volcengine", volcengine, key=ARK_KEY, **public) as (service, server):
        with transaction_scope(service.registry) as session:
            voices = session.scalars(select(Provider).where(Provider.name == "volcengine-speech")).one()
            voices.base_url = server.url
            voices.api_key_encrypted = secret_box_of(service.registry).encrypt(CANARIES[3])
            models = Models(session)
            ours = select(ModelConfig).join(Provider).where(Provider.name.startswith("volcengine"))
            for row in session.scalars(ours).all():
                if row.capability in BY_DEFAULT:
                    models.set_default(row)
        yield service, server
        written = (folder / "log").read_text(encoding="utf-8")
        assert [canary for canary in CANARIES if canary in written] == []


@pytest.fixture(scope="module")
def service(running: tuple[Installation, ProviderServer]) -> Installation:
    return running[0]


@pytest.fixture
def provider(running: tuple[Installation, ProviderServer]) -> ProviderServer:
    running[1].requests.clear()
    return running[1]


@pytest.fixture(scope="module")
def person(service: Installation) -> Person:
    return service.person()


def newest(person: Person) -> Any:
    """The newest task, once it is over."""
    [task, *_] = person.http.get("/api/ai/tasks/").json()["results"]
    return person.finished(task["id"])


def bytes_of(person: Person, task: Any) -> bytes:
    """The one asset a task has made; its preview link is for the world outside."""
    assert task["status"] == "succeeded", task["error_message"]
    [asset] = task["assets"]
    return person.http.get(f"/api/assets/{asset['id']}/raw/").raise_for_status().content


def test_a_film_gets_its_script_its_cast_and_its_voice(service: Installation, person: Person) -> None:
    project = f"/api/projects/{add_project(service.registry, person.team_id)}"
    told = person.http.post(f"{project}/script-agent-stream/", json={"mode": "auto"}).raise_for_status()
    assert "A grey street first." in told.text
    assert units_charged(service, newest(person)) == Decimal("0.5")

    script = person.http.get(f"{project}/").json()["current_script"]
    assert [item["narration"] for item in script["segments"]] == ["Mornings are grey.", "Not this one."]
    person.http.post(f"{project}/adopt-script/", json={"script_version_id": script["id"]}).raise_for_status()
    person.http.post(f"{project}/extract-entities/").raise_for_status()
    assert units_charged(service, newest(person)) == Decimal("0.52")
    found = person.http.get(f"{project}/extract-status/").json()["entities"]
    assert [entity["name"] for entity in found] == ["Anna"]

    items = {"items": [{"index": 0, "text": "Mornings are grey."}]}
    person.http.post(f"{project}/generate-voiceover/", json=items).raise_for_status()
    spoken = newest(person)
    assert units_charged(service, spoken) == Decimal("0.018")
    assert bytes_of(person, spoken).startswith(b"RIFF")


def test_pictures_are_drawn_and_edited(
    service: Installation, provider: ProviderServer, person: Person
) -> None:
    references = {"reference_image_ids": [uploaded(person, picture(512, "sienna"))]}
    orders = [person.order(image_model="doubao-seedream-4-5", **more)[0] for more in ({}, references)]
    for order in orders:
        task = person.finished(order)
        assert bytes_of(person, task) == picture(640)
        assert units_charged(service, task) == 1
    bodies = [request.json() for request in provider.requests if request.method == "POST"]
    assert sorted(len(body["image"] or ()) for body in bodies) == [0, 1]


def test_a_portrait_that_has_passed_its_review_leads_a_clip_by_its_id_there(
    service: Installation, provider: ProviderServer, person: Person
) -> None:
    face = {"file": ("anna.png", picture(640, "tan"))}
    portrait = person.http.post("/api/models/upload/", files=face).raise_for_status().json()["portrait"]["id"]
    person.http.post(f"/api/assets/{portrait}/submit-review/").raise_for_status()

    def passed() -> bool:
        asset = person.http.get(f"/api/assets/{portrait}/").json()
        return bool(asset["review_status"] == "active")

    eventually(passed, within=30, what="the portrait has passed")
    task = person.finished(
        clip_ordered(person, video_model="doubao-seedance-2-0-fast", duration=5, first_frame_id=portrait)
    )
    assert bytes_of(person, task) == clip()
    assert units_charged(service, task) == Decimal("108.9")
    [order] = [request for request in provider.requests if request.path.endswith("/tasks")]
    assert order.json()["content"][1] == {
        "type": "image_url",
        "image_url": {"url": "asset://asset-1"},
        "role": "first_frame",
    }
    [handed_in] = [request for request in provider.requests if "Action=CreateAsset&" in request.target]
    assert handed_in.json()["GroupId"] == "group-1"
    assert handed_in.json()["URL"].startswith("https://media.test/")
