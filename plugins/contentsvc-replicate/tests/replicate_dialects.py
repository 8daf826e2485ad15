"""How Replicate's predictions speak."""

from __future__ import annotations

from typing import Any

from contentsvc.plugin import Capability
from contentsvc.testing import Dialect, Kind, Made, Reply, Request


class Predictions(Dialect):
    """A prediction: the same document whenever it is asked for, further on each time."""

    base_path = "/v1"
    is_job = True
    has_link = True
    refuses_later = True

    def __init__(self, model: str = "") -> None:
        self.model = model

    def kind(self, request: Request) -> Kind:
        return Kind.ASIDE if request.path == "/v1/files" else super().kind(request)

    def accepted(self, job: str, request: Request) -> Reply:
        return Reply.json(self.prediction("starting", id=job), 201)

    def pending(self, request: Request) -> Reply:
        return Reply.json(self.prediction("processing"))

    def done(self, made: Made, request: Request) -> Reply:
        metrics = {"predict_time": made.usage}
        return Reply.json(self.prediction("succeeded", output=self.output([made.link]), metrics=metrics))

    def twice(self, made: Made, request: Request) -> Reply:
        return Reply.json(self.prediction("succeeded", output=[made.link, made.link]))

    def failed(self, request: Request) -> Reply:
        return Reply.json(self.prediction("failed", error="CUDA out of memory"))

    def refused(self, request: Request) -> Reply:
        words = "The input or output was flagged as sensitive. Please try again. (E005)"
        return Reply.json(self.prediction("failed", error=words))

    def error(self, status: int, message: str, request: Request) -> Reply:
        return Reply.json({"title": "Error", "detail": message, "status": status}, status)

    def checked(self, request: Request) -> Reply:
        return Reply.json({"type": "organization", "username": "acme", "name": "Acme"})

    def aside(self, request: Request) -> Reply:
        return Reply.json({"id": "f1", "urls": {"get": "https://files.example.com/f1"}}, 201)

    def prediction(self, status: str, **members: Any) -> dict[str, Any]:
        usual = {"id": "job-5f2a", "status": status, "output": None, "error": None, "logs": "", "metrics": {}}
        return {**usual, **members}

    def output(self, links: list[str]) -> Any:
        return links


class Pictures(Predictions):
    capability = Capability.IMAGE_GENERATION
    reports_usage = True


class Edits(Predictions):
    capability = Capability.IMAGE_EDIT

    def output(self, links: list[str]) -> Any:
        return links[0]


class Clips(Predictions):
    capability = Capability.VIDEO_GENERATION

    def output(self, links: list[str]) -> Any:
        return links[0]
