"""Lumen keeps to the rules: every case of the kit, for both of its capabilities."""

import contentsvc_lumen

from contentsvc.plugin import Capability
from contentsvc.testing import Dialect, Made, Reply, Request, conformance


class Pictures(Dialect):
    capability = Capability.IMAGE_GENERATION
    base_path = "/v1"
    is_job = True
    has_link = True
    reports_usage = True

    def accepted(self, job: str, request: Request) -> Reply:
        return Reply.json({"id": job}, 202)

    def pending(self, request: Request) -> Reply:
        return Reply.json({"status": "running", "progress": 0.5})

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.json({"status": "done", "url": made.link, "pictures": made.usage})

    def failed(self, request: Request) -> Reply:
        return Reply.json({"status": "failed"})

    def refused(self, request: Request) -> Reply:
        return self.error(422, "The prompt was flagged.", request)


class Voices(Dialect):
    capability = Capability.SPEECH
    base_path = "/v1"
    reports_usage = True

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.file(made.file, "audio/wav", **{"X-Characters": str(made.usage)})

    def refused(self, request: Request) -> Reply:
        return self.error(422, "The text was flagged.", request)

    def checked(self, request: Request) -> Reply:
        return Reply.json({"name": "Ada"})


test_conformance = conformance(contentsvc_lumen, Pictures(), Voices())
