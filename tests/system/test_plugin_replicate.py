"""Pictures and clips of Replicate's models, from the request to the stored asset."""

from __future__ import annotations

from contentsvc.testing import Reply, Request
from contentsvc.testing.samples import clip, picture
from tests.system.hosted import clip_ordered, guest, units_charged, uploaded, work_of
from tests.system.installation import Installation

KEY = "r8_canary-of-replicate"


def predictions(request: Request) -> Reply:
    """Replicate, where every prediction succeeds at once."""
    if request.method == "POST":
        name = "film" if "seedance" in request.path else "picture"
        return Reply.json({"id": name, "status": "starting"}, 201)
    if request.path == "/made.png":
        return Reply.file(picture(640), "image/png")
    if request.path == "/made.mp4":
        return Reply.file(clip(), "video/mp4")
    made = "made.mp4" if request.path.endswith("/film") else "made.png"
    return Reply.json({"id": "p1", "status": "succeeded", "output": f"{request.base}/{made}"})


def test_pictures_and_clips_come_from_replicate(plugin_house: Installation) -> None:
    with guest(plugin_house, "replicate", predictions, KEY) as server:
        person = plugin_house.person()
        [order] = person.order(image_model="flux-dev")
        drawn = person.finished(order)
        assert work_of(person, drawn).startswith(b"\x89PNG")
        assert units_charged(plugin_house, drawn) == 1
        body = {
            "video_model": "seedance-2.0",
            "duration": 5,
            "first_frame_id": uploaded(person, picture(512)),
        }
        filmed = person.finished(clip_ordered(person, **body))
        assert work_of(person, filmed)[4:8] == b"ftyp"
        assert units_charged(plugin_house, filmed) == 5
        posted = [request for request in server.requests if request.method == "POST"]
        assert [request.path for request in posted] == [
            "/models/black-forest-labs/flux-dev/predictions",
            "/models/bytedance/seedance-2.0/predictions",
        ]
        assert posted[1].json()["input"]["image"].startswith("data:image/png;base64,")
        assert KEY not in (plugin_house.folder / "log").read_text(encoding="utf-8")
