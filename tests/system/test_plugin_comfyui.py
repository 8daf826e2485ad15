"""Pictures and clips of a ComfyUI's workflows, from the request to the stored asset."""

from __future__ import annotations

from decimal import Decimal

from contentsvc.plugin import BillingUnit, Capability
from contentsvc.testing import Reply, Request
from contentsvc.testing.samples import clip, picture
from tests.system.hosted import add_model, clip_ordered, guest, units_charged, uploaded, work_of
from tests.system.installation import Installation


class Comfyui:
    """A ComfyUI that has done every order at once."""

    def __init__(self) -> None:
        self.saved = {"SaveImage": ("a.png", "images"), "SaveVideo": ("a.mp4", "images")}
        self.done: dict[str, dict[str, object]] = {}

    def __call__(self, request: Request) -> Reply:
        match request.path.split("/")[1]:
            case "upload":
                return Reply.json({"name": "cup.png", "subfolder": "contentsvc", "type": "input"})
            case "prompt":
                order = request.json()
                name, heading = self.saved[order["prompt"]["save"]["class_type"]]
                file = {"filename": name, "subfolder": "contentsvc", "type": "output"}
                entry = {"outputs": {"save": {heading: [file]}}, "status": {"status_str": "success"}}
                self.done[order["prompt_id"]] = entry
                return Reply.json({"prompt_id": order["prompt_id"], "number": 1, "node_errors": {}})
            case "view":
                is_clip = request.query["filename"] == "a.mp4"
                return Reply.file(clip(), "video/mp4") if is_clip else Reply.file(picture(640), "image/png")
        return Reply.json(self.done)


def test_pictures_and_clips_come_from_comfyui(plugin_house: Installation) -> None:
    with guest(plugin_house, "comfyui", Comfyui()) as server:
        priced = {"unit_price": Decimal("0.02"), "billing_unit": BillingUnit.IMAGE}
        add_model(
            plugin_house,
            "comfyui",
            name="sdxl-text-to-image",
            capability=Capability.IMAGE_GENERATION,
            **priced,
        )
        add_model(
            plugin_house,
            "comfyui",
            name="wan",
            capability=Capability.VIDEO_GENERATION,
            endpoint="wan-text-to-video",
            unit_price=Decimal("0.05"),
            billing_unit=BillingUnit.SECOND,
            options={"variants": {"first_frame": "wan-image-to-video"}},
        )
        person = plugin_house.person()
        [order] = person.order(image_model="sdxl-text-to-image")
        drawn = person.finished(order)
        assert work_of(person, drawn).startswith(b"\x89PNG")
        assert units_charged(plugin_house, drawn) == 1
        frame = uploaded(person, picture(512))
        filmed = person.finished(clip_ordered(person, video_model="wan", duration=4, first_frame_id=frame))
        assert work_of(person, filmed)[4:8] == b"ftyp"
        assert units_charged(plugin_house, filmed) == 4
        graphs = [request.json()["prompt"] for request in server.requests if request.path == "/prompt"]
        assert graphs[1]["frame"]["inputs"]["image"] == "contentsvc/cup.png"
        assert graphs[1]["latent"]["inputs"]["length"] == 97
