"""Scripts, casts, pictures and clips of Google's models, from the request to what is stored and charged."""

from __future__ import annotations

import base64
import json
from typing import Any

from contentsvc.plugin import Capability
from contentsvc.testing import Reply, Request
from contentsvc.testing.samples import clip, picture
from tests.functional.projecting import add_project
from tests.system.hosted import clip_ordered, guest, make_default, units_charged, uploaded, work_of
from tests.system.installation import Installation, Person

KEY = "AIza-canary-of-google"
USAGE = {"promptTokenCount": 400, "candidatesTokenCount": 100, "totalTokenCount": 500}
SHOT = {"narration": "Good morning.", "visual_prompt": "Anna smiles", "duration_seconds": 4, "dialogue": []}
ANNA = {"type": "character", "name": "Anna", "visual_prompt": "A woman of forty", "segments": [0]}
ANSWERS = {
    "segments": {"plan": "One shot.", "segments": [SHOT]},
    "entities": {"entities": [ANNA]},
}


def gemini(request: Request) -> Reply:
    """Google, where every clip is done at once."""
    if request.path.endswith(":generateContent"):
        written = base64.b64encode(picture(640)).decode()
        return generated({"inlineData": {"mimeType": "image/png", "data": written}})
    if request.path.endswith(":streamGenerateContent"):
        asked = request.json()["generationConfig"]["responseJsonSchema"]["required"][-1]
        reply = generated({"text": json.dumps(ANSWERS[asked])})
        return Reply.stream([b"data: " + reply.body + b"\r\n\r\n"])
    if request.path == "/v1beta/interactions":
        return Reply.json({"id": "v1_film", "status": "queued"})
    if request.path == "/v1beta/interactions/v1_film":
        video = {"type": "video", "uri": f"{request.base}/film:download?alt=media"}
        steps = [{"type": "model_output", "content": [video]}]
        return Reply.json({"id": "v1_film", "status": "completed", "steps": steps})
    return Reply.file(clip(), "video/mp4")


def generated(part: dict[str, Any]) -> Reply:
    """What the model has generated."""
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    return Reply.json({"candidates": [candidate], "usageMetadata": USAGE})


def newest(person: Person) -> Any:
    """The newest task, once it is over."""
    [task, *_] = person.http.get("/api/ai/tasks/").json()["results"]
    return person.finished(task["id"])


def test_a_script_and_its_cast_come_from_google(plugin_house: Installation) -> None:
    with guest(plugin_house, "google", gemini, KEY):
        for capability in (Capability.SCRIPT, Capability.ENTITY_EXTRACTION):
            make_default(plugin_house, "google", capability)
        person = plugin_house.person()
        project = f"/api/projects/{add_project(plugin_house.registry, person.team_id)}"
        person.http.post(f"{project}/script-agent-stream/", json={"mode": "auto"}).raise_for_status()
        # 400 tokens in, 100 out that count six times.
        assert units_charged(plugin_house, newest(person)) == 1
        script = person.http.get(f"{project}/").json()["current_script"]
        assert [segment["narration"] for segment in script["segments"]] == ["Good morning."]

        adopted = {"script_version_id": script["id"]}
        person.http.post(f"{project}/adopt-script/", json=adopted).raise_for_status()
        person.http.post(f"{project}/extract-entities/").raise_for_status()
        assert units_charged(plugin_house, newest(person)) == 1
        found = person.http.get(f"{project}/extract-status/").json()["entities"]
        assert [entity["name"] for entity in found] == ["Anna"]


def test_pictures_and_clips_come_from_google(plugin_house: Installation) -> None:
    with guest(plugin_house, "google", gemini, KEY) as server:
        person = plugin_house.person()
        photo = uploaded(person, picture(512))
        references = {"reference_image_ids": [photo]}
        for more in ({}, references):
            [order] = person.order(image_model="gemini-nano-banana-2.1", **more)
            drawn = person.finished(order)
            assert work_of(person, drawn) == picture(640)
            assert units_charged(plugin_house, drawn) == 1
        bodies = [request.json() for request in server.requests]
        assert [len(body["contents"][0]["parts"]) for body in bodies] == [1, 2]

        body = {"video_model": "gemini-omni-1.1-flash", "duration": 6, "first_frame_id": photo}
        filmed = person.finished(clip_ordered(person, **body))
        assert work_of(person, filmed) == clip()
        assert units_charged(plugin_house, filmed) == 6

        assert all(request.headers["x-goog-api-key"] == KEY for request in server.requests)
        assert KEY not in (plugin_house.folder / "log").read_text(encoding="utf-8")
