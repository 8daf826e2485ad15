"""A film's texts, voice, pictures and clips of Alibaba's models, from the request to the stored assets."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from contentsvc.plugin import Capability
from contentsvc.testing import Reply, Request
from contentsvc.testing.samples import clip, picture, sound
from tests.functional.projecting import add_project
from tests.system.hosted import clip_ordered, guest, make_default, units_charged, uploaded, work_of
from tests.system.installation import Installation, Person

KEY = "sk-canary-of-dashscope"
SHOT = {"narration": "Good morning.", "visual_prompt": "Anna smiles", "duration_seconds": 4, "dialogue": []}
ANNA = {"type": "character", "name": "Anna", "visual_prompt": "A woman of forty", "segments": [0]}
FILES = {
    "/made.png": Reply.file(picture(640), "image/png"),
    "/made.wav": Reply.file(sound(1.0), "audio/wav"),
    "/made.mp4": Reply.file(clip(), "video/mp4"),
}


def model_studio(request: Request) -> Reply:
    """Model Studio, where every clip is done at once."""
    if request.path in FILES:
        return FILES[request.path]
    if request.path.endswith("/chat/completions"):
        return chat(request)
    if request.path.endswith("/multimodal-generation/generation"):
        choice = {"message": {"content": [{"image": f"{request.base}/made.png"}]}}
        return Reply.json({"output": {"choices": [choice]}, "usage": {"image_count": 1}})
    if request.path.endswith("/SpeechSynthesizer"):
        audio = {"url": f"{request.base}/made.wav", "expires_at": 1795000000}
        return Reply.json({"output": {"audio": audio}, "usage": {"characters": 18}})
    if request.path.endswith("/video-synthesis"):
        return Reply.json({"output": {"task_id": "film-1", "task_status": "PENDING"}})
    output = {"task_id": "film-1", "task_status": "SUCCEEDED", "video_url": f"{request.base}/made.mp4"}
    return Reply.json({"output": output, "usage": {"duration": 6.5}})


def chat(request: Request) -> Reply:
    """Qwen's answer, in one piece."""
    is_script = request.says("shot by shot")
    answer = {"plan": "One shot.", "segments": [SHOT]} if is_script else {"entities": [ANNA]}
    chunks = [
        {"choices": [{"delta": {"content": json.dumps(answer)}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 500, "completion_tokens": 200}},
    ]
    return Reply.stream([b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks])


def newest(person: Person) -> Any:
    """The newest task, once it is over."""
    [task, *_] = person.http.get("/api/ai/tasks/").json()["results"]
    return person.finished(task["id"])


def test_a_film_gets_its_script_its_cast_and_its_voice(plugin_house: Installation) -> None:
    with guest(plugin_house, "dashscope", model_studio, KEY):
        for capability in (Capability.SCRIPT, Capability.ENTITY_EXTRACTION, Capability.SPEECH):
            make_default(plugin_house, "dashscope", capability)
        person = plugin_house.person()
        project = f"/api/projects/{add_project(plugin_house.registry, person.team_id)}"
        person.http.post(f"{project}/script-agent-stream/", json={"mode": "auto"}).raise_for_status()
        # 500 tokens in, 200 out that count two and a half times.
        assert units_charged(plugin_house, newest(person)) == 1
        script = person.http.get(f"{project}/").json()["current_script"]
        assert [segment["narration"] for segment in script["segments"]] == ["Good morning."]

        adopted = {"script_version_id": script["id"]}
        person.http.post(f"{project}/adopt-script/", json=adopted).raise_for_status()
        person.http.post(f"{project}/extract-entities/").raise_for_status()
        assert units_charged(plugin_house, newest(person)) == 1
        found = person.http.get(f"{project}/extract-status/").json()["entities"]
        assert [entity["name"] for entity in found] == ["Anna"]

        items = {"items": [{"index": 0, "text": "Good morning."}]}
        person.http.post(f"{project}/generate-voiceover/", json=items).raise_for_status()
        spoken = newest(person)
        assert units_charged(plugin_house, spoken) == Decimal("0.018")
        assert work_of(person, spoken) == sound(1.0)


def test_pictures_and_clips_come_from_dashscope(plugin_house: Installation) -> None:
    with guest(plugin_house, "dashscope", model_studio, KEY) as server:
        person = plugin_house.person()
        photo = uploaded(person, picture(512))
        references = {"reference_image_ids": [photo]}
        for more in ({}, references):
            [order] = person.order(image_model="qwen-image-2.0", **more)
            drawn = person.finished(order)
            assert work_of(person, drawn) == picture(640)
            assert units_charged(plugin_house, drawn) == 1
        orders = [request.json() for request in server.requests if request.method == "POST"]
        assert [len(body["input"]["messages"][0]["content"]) for body in orders] == [1, 2]

        body = {"video_model": "wan3.0-video", "duration": 6, "first_frame_id": photo}
        filmed = person.finished(clip_ordered(person, **body))
        assert work_of(person, filmed) == clip()
        # What is billed, not what was ordered.
        assert units_charged(plugin_house, filmed) == Decimal("6.5")

        fetched = [request for request in server.requests if request.path in FILES]
        assert not any(request.says(KEY) for request in fetched)
        asked = [request for request in server.requests if request.path not in FILES]
        assert all(request.headers["Authorization"] == f"Bearer {KEY}" for request in asked)
        assert KEY not in (plugin_house.folder / "log").read_text(encoding="utf-8")
