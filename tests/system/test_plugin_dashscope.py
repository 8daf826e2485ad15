"""Scripts, pictures and clips of Alibaba's models, from the request to what is stored and charged."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

from contentsvc.plugin import Capability
from contentsvc.testing import Reply, Request
from contentsvc.testing.samples import clip, picture
from tests.functional.projecting import add_project
from tests.system.hosted import clip_ordered, hosted, make_default, units_charged, uploaded, work_of

KEY = "sk-canary-of-dashscope"
SHOT = {"narration": "Good morning.", "visual_prompt": "A red cup", "duration_seconds": 4, "dialogue": []}


def model_studio(request: Request) -> Reply:
    """Model Studio, where every clip is done at once."""
    if request.path.endswith("/chat/completions"):
        answer = json.dumps({"plan": "One shot.", "segments": [SHOT]})
        chunks = [
            {"choices": [{"delta": {"content": answer}, "finish_reason": "stop"}]},
            {"choices": [], "usage": {"prompt_tokens": 500, "completion_tokens": 200}},
        ]
        return Reply.stream([b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks])
    if request.path.endswith("/multimodal-generation/generation"):
        choice = {"message": {"content": [{"image": f"{request.base}/made.png"}]}}
        return Reply.json({"output": {"choices": [choice]}, "usage": {"image_count": 1}})
    if request.path.endswith("/video-synthesis"):
        return Reply.json({"output": {"task_id": "film-1", "task_status": "PENDING"}})
    if request.path == "/api/v1/tasks/film-1":
        output = {"task_id": "film-1", "task_status": "SUCCEEDED", "video_url": f"{request.base}/made.mp4"}
        return Reply.json({"output": output, "usage": {"duration": 6.5}})
    if request.path == "/made.png":
        return Reply.file(picture(640), "image/png")
    return Reply.file(clip(), "video/mp4")


def test_dashscope_writes_draws_and_films(postgres_url: str, tmp_path: Path) -> None:
    with hosted(postgres_url, tmp_path, "dashscope", model_studio, key=KEY) as (service, server):
        person = service.person()
        [order] = person.order(image_model="qwen-image-2.0")
        drawn = person.finished(order)
        assert work_of(person, drawn).startswith(b"\x89PNG")
        assert units_charged(service, drawn) == 1

        body = {
            "video_model": "wan3.0-video",
            "duration": 6,
            "first_frame_id": uploaded(person, picture(512)),
        }
        filmed = person.finished(clip_ordered(person, **body))
        assert work_of(person, filmed)[4:8] == b"ftyp"
        # What is billed, not what was ordered.
        assert units_charged(service, filmed) == Decimal("6.5")

        make_default(service, "dashscope", Capability.SCRIPT)
        project = add_project(service.registry, person.team_id)
        reply = person.http.post(f"/api/projects/{project}/script-agent-stream/", json={"mode": "auto"})
        frames = [json.loads(line.removeprefix("data: ")) for line in reply.text.splitlines() if line]
        assert (frames[-1]["type"], frames[-2]["type"]) == ("done", "saved")
        [segment] = frames[-2]["script_version"]["segments"]
        assert segment["narration"] == "Good morning."
        [written, *_] = person.http.get("/api/ai/tasks/").json()["results"]
        assert units_charged(service, written) == 1
        assert written["actual_cost"] == frames[-1]["charged"]

        at_home = [request for request in server.requests if request.path.startswith(("/api", "/compatible"))]
        assert all(request.headers["Authorization"] == f"Bearer {KEY}" for request in at_home)
        assert not any(request.says(KEY) for request in server.requests if request not in at_home)
        assert KEY not in (tmp_path / "log").read_text(encoding="utf-8")
