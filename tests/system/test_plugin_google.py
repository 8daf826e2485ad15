"""Scripts, pictures and clips of Google's models, from the request to what is stored and charged."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from contentsvc.plugin import Capability
from contentsvc.testing import Reply, Request
from contentsvc.testing.samples import clip, picture
from tests.functional.projecting import add_project
from tests.system.hosted import clip_ordered, hosted, make_default, units_charged, uploaded, work_of

KEY = "AIza-canary-of-google"
USAGE = {"promptTokenCount": 400, "candidatesTokenCount": 100, "totalTokenCount": 500}
SHOT = {"narration": "Good morning.", "visual_prompt": "A red cup", "duration_seconds": 4, "dialogue": []}


def gemini(request: Request) -> Reply:
    """Google, where every clip is done at once."""
    if request.path.endswith(":generateContent"):
        written = base64.b64encode(picture(640)).decode()
        return generated({"inlineData": {"mimeType": "image/png", "data": written}})
    if request.path.endswith(":streamGenerateContent"):
        reply = generated({"text": json.dumps({"plan": "One shot.", "segments": [SHOT]})})
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


def test_google_writes_draws_and_films(postgres_url: str, tmp_path: Path) -> None:
    with hosted(postgres_url, tmp_path, "google", gemini, key=KEY) as (service, server):
        person = service.person()
        [order] = person.order(image_model="gemini-nano-banana-2.1")
        drawn = person.finished(order)
        assert work_of(person, drawn).startswith(b"\x89PNG")
        assert units_charged(service, drawn) == 1

        body = {
            "video_model": "gemini-omni-1.1-flash",
            "duration": 6,
            "first_frame_id": uploaded(person, picture(512)),
        }
        filmed = person.finished(clip_ordered(person, **body))
        assert work_of(person, filmed)[4:8] == b"ftyp"
        assert units_charged(service, filmed) == 6

        make_default(service, "google", Capability.SCRIPT)
        project = add_project(service.registry, person.team_id)
        reply = person.http.post(f"/api/projects/{project}/script-agent-stream/", json={"mode": "auto"})
        frames = [json.loads(line.removeprefix("data: ")) for line in reply.text.splitlines() if line]
        assert (frames[-1]["type"], frames[-2]["type"]) == ("done", "saved")
        [segment] = frames[-2]["script_version"]["segments"]
        assert segment["narration"] == "Good morning."
        [written, *_] = person.http.get("/api/ai/tasks/").json()["results"]
        assert units_charged(service, written) == 1
        assert written["actual_cost"] == frames[-1]["charged"]

        assert all(request.headers["x-goog-api-key"] == KEY for request in server.requests)
        assert KEY not in (tmp_path / "log").read_text(encoding="utf-8")
