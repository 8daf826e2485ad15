"""Pictures and clips of fal.ai's models, from the request to the stored asset."""

from __future__ import annotations

from contentsvc.testing import Reply, Request
from contentsvc.testing.samples import clip, picture
from tests.system.hosted import clip_ordered, guest, units_charged, uploaded, work_of
from tests.system.installation import Installation

KEY = "7f3e:canary-of-fal"


def queue(request: Request) -> Reply:
    """fal.ai's queue, where every job is done at once."""
    if request.method == "POST":
        return Reply.json({"request_id": "job-1", "status": "IN_QUEUE"})
    if request.path.endswith("/status"):
        return Reply.json({"status": "COMPLETED"})
    if request.path == "/made.png":
        return Reply.file(picture(640), "image/png")
    if request.path == "/made.mp4":
        return Reply.file(clip(), "video/mp4")
    if "/wan/" in request.path:
        return Reply.json({"video": {"url": f"{request.base}/made.mp4"}})
    return Reply.json({"images": [{"url": f"{request.base}/made.png"}]})


def test_pictures_and_clips_come_from_fal(plugin_house: Installation) -> None:
    with guest(plugin_house, "fal", queue, KEY) as server:
        person = plugin_house.person()
        [order] = person.order(image_model="flux-dev")
        drawn = person.finished(order)
        assert work_of(person, drawn).startswith(b"\x89PNG")
        assert units_charged(plugin_house, drawn) == 1
        body = {"video_model": "wan-2.7", "duration": 6, "first_frame_id": uploaded(person, picture(512))}
        filmed = person.finished(clip_ordered(person, **body))
        assert work_of(person, filmed)[4:8] == b"ftyp"
        assert units_charged(plugin_house, filmed) == 6
        assert [request.path for request in server.requests if request.method == "POST"] == [
            "/fal-ai/flux/dev",
            "/fal-ai/wan/v2.7/image-to-video",
        ]
        assert all(request.headers["Authorization"] == f"Key {KEY}" for request in server.requests[:3])
        assert KEY not in (plugin_house.folder / "log").read_text(encoding="utf-8")
