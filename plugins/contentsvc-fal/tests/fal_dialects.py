"""How fal.ai's queue speaks."""

from __future__ import annotations

from typing import Any

from contentsvc.plugin import Capability
from contentsvc.testing import Dialect, Made, Reply, Request


class Queue(Dialect):
    """The queue: a job's state at ``…/status``, its result at the job's own address."""

    is_job = True
    has_link = True
    refuses_later = True

    def __init__(self, model: str = "", **changed: Any) -> None:
        self.model = model
        self.options = changed

    def accepted(self, job: str, request: Request) -> Reply:
        application = "/".join(request.path.split("/")[1:3])
        address = f"{request.base}/{application}/requests/{job}"
        return Reply.json(
            {
                "request_id": job,
                "status": "IN_QUEUE",
                "queue_position": 0,
                "response_url": address,
                "status_url": f"{address}/status",
                "cancel_url": f"{address}/cancel",
            }
        )

    def pending(self, request: Request) -> Reply:
        return Reply.json({"status": "IN_QUEUE", "queue_position": 2}, 202)

    def done(self, made: Made, request: Request) -> Reply:
        return self._told(request, self.output([made.link]))

    def twice(self, made: Made, request: Request) -> Reply:
        return self._told(request, self.output([made.link, made.link]))

    def failed(self, request: Request) -> Reply:
        error = {"status": "COMPLETED", "error": "Runner gone", "error_type": "runner_server_error"}
        return Reply.json(error)

    def refused(self, request: Request) -> Reply:
        refusal = {"loc": ["body", "prompt"], "msg": "Flagged", "type": "content_policy_violation"}
        return self._told(request, {"detail": [refusal]}, 422)

    def error(self, status: int, message: str, request: Request) -> Reply:
        return Reply.json({"detail": message}, status)

    def checked(self, request: Request) -> Reply:
        return Reply.json({"detail": "Request not found"}, 404)

    def output(self, links: list[str]) -> dict[str, Any]:
        images = [{"url": link, "content_type": "image/png", "width": 64, "height": 64} for link in links]
        return {"images": images, "timings": {"inference": 1.5}, "has_nsfw_concepts": [False], "seed": 1}

    def _told(self, request: Request, result: dict[str, Any], status: int = 200) -> Reply:
        if request.path.endswith("/status"):
            return Reply.json({"status": "COMPLETED", "metrics": {"inference_time": 1.5}})
        return Reply.json(result, status)


class Pictures(Queue):
    capability = Capability.IMAGE_GENERATION


class Edits(Queue):
    capability = Capability.IMAGE_EDIT


class Clips(Queue):
    capability = Capability.VIDEO_GENERATION

    def output(self, links: list[str]) -> dict[str, Any]:
        return {"video": {"url": links[0], "content_type": "video/mp4"}, "seed": 1}
