"""Everything that can happen between the service and a ComfyUI, for each capability."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from contentsvc.plugin import Capability
from contentsvc.testing import Dialect, Kind, Made, Reply, Request, conformance
from contentsvc_comfyui import plugin

JOB = "job-5f2a"


class Comfyui(Dialect):
    """ComfyUI's own interface: a queue, a history, and files that it hands out itself."""

    is_job = True
    has_link = True
    fetches_at_home = True
    refuses_later = True
    pictures: tuple[str, ...] = ()
    file = "made.png"

    def settings(self, folder: Path) -> Mapping[str, str]:
        folder.mkdir(parents=True)
        inputs = dict.fromkeys(("text", *self.pictures), "")
        slots = {"prompt": "1.text", **{name: f"1.{name}" for name in self.pictures}}
        workflow = {"1": {"class_type": "Everything", "inputs": inputs}}
        (folder / "model.json").write_text(json.dumps({"slots": slots, "workflow": workflow}))
        return {"workflows": str(folder)}

    def kind(self, request: Request) -> Kind:
        match request.path:
            case "/prompt":
                return Kind.ORDER
            case "/view":
                return Kind.FILE
            case "/upload/image":
                return Kind.ASIDE
        return Kind.POLL

    def aside(self, request: Request) -> Reply:
        return Reply.json({"name": "cup.png", "subfolder": "contentsvc", "type": "input"})

    def accepted(self, job: str, request: Request) -> Reply:
        return Reply.json({"prompt_id": job, "number": 3, "node_errors": {}})

    def pending(self, request: Request) -> Reply:
        if request.path == "/queue":
            return Reply.json({"queue_running": [[3, JOB, {}, {}, ["1"]]], "queue_pending": []})
        return Reply.json({})

    def done(self, made: Made, request: Request) -> Reply:
        return self._over(request, "success", [], [self.file])

    def twice(self, made: Made, request: Request) -> Reply:
        return self._over(request, "success", [], [self.file, self.file])

    def failed(self, request: Request) -> Reply:
        return self._over(request, "error", [self._error("CUDA out of memory")], [])

    def refused(self, request: Request) -> Reply:
        return self._over(request, "error", [self._error("NSFW content was found")], [])

    def error(self, status: int, message: str, request: Request) -> Reply:
        return Reply.json({"error": {"type": "some_error", "message": message}, "node_errors": {}}, status)

    def checked(self, request: Request) -> Reply:
        return Reply.json({"system": {"comfyui_version": "0.3.66"}, "devices": []})

    def _error(self, words: str) -> list[Any]:
        told = {"node_id": "1", "node_type": "Everything", "exception_message": words, "traceback": ["no"]}
        return ["execution_error", told]

    def _over(self, request: Request, status: str, messages: list[Any], names: list[str]) -> Reply:
        if request.path == "/queue":
            return self.pending(request)
        files = [{"filename": name, "subfolder": "", "type": "output"} for name in names]
        entry = {
            "outputs": {"1": {"images": files}},
            "status": {"status_str": status, "completed": status == "success", "messages": messages},
        }
        return Reply.json({JOB: entry})


class Pictures(Comfyui):
    capability = Capability.IMAGE_GENERATION


class Edits(Comfyui):
    capability = Capability.IMAGE_EDIT
    pictures = ("references",)


class Clips(Comfyui):
    capability = Capability.VIDEO_GENERATION
    pictures = ("first_frame",)
    file = "made.mp4"


test_conformance = conformance(plugin, Pictures(), Edits(), Clips())
