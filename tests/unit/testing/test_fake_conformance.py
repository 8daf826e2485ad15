"""The provider plugin of the other tests keeps to the rules it is there to test."""

from __future__ import annotations

import json
from typing import Any

import contentsvc_fake

from contentsvc.plugin import Capability, ScriptSegment
from contentsvc.testing import Dialect, Made, Reply, Request, conformance


class _Fake(Dialect):
    takes_nothing_on_5xx = True

    def refused(self, request: Request) -> Reply:
        return self.error(422, "Not this.", request)


class Pictures(_Fake):
    def __init__(self, capability: Capability) -> None:
        self.capability = capability

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.file(made.file, made.media_type)


class Clips(_Fake):
    capability = Capability.VIDEO_GENERATION
    is_job = True
    reports_usage = True

    def accepted(self, job: str, request: Request) -> Reply:
        return Reply.json({"job": job}, 202)

    def pending(self, request: Request) -> Reply:
        return Reply.json({"progress": 0.5}, 202)

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.file(made.file, made.media_type, **{"X-Tokens": str(made.usage)})

    def failed(self, request: Request) -> Reply:
        return self.error(410, "It broke.", request)


class Voices(_Fake):
    capability = Capability.SPEECH
    reports_usage = True

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.json({"units": made.usage})


class Entities(_Fake):
    capability = Capability.ENTITY_EXTRACTION
    reports_usage = True

    def done(self, made: Made, request: Request) -> Reply:
        found = [{"type": e.type, "name": e.name, "visual_prompt": e.visual_prompt} for e in made.entities]
        return Reply.json({"entities": found, "units": made.usage})


class Scripts(_Fake):
    capability = Capability.SCRIPT
    reports_usage = True

    def done(self, made: Made, request: Request) -> Reply:
        lines: list[dict[str, Any]] = [
            {"text": "A cup. "},
            {"text": "A sill."},
            {"result": [_segment(item) for item in made.segments], "units": made.usage},
        ]
        return Reply.stream([json.dumps(line).encode() + b"\n" for line in lines])


class Reviews(_Fake):
    capability = Capability.ASSET_REVIEW
    is_job = True

    def accepted(self, job: str, request: Request) -> Reply:
        return Reply.json({"job": job}, 202)

    def pending(self, request: Request) -> Reply:
        return Reply.json({}, 202)

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.json({"approved": made.is_approved, "reason": made.reason})

    def failed(self, request: Request) -> Reply:
        return self.error(410, "It broke.", request)


class Films(_Fake):
    capability = Capability.EXPORT

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.json({"film": "made"})


def _segment(segment: ScriptSegment) -> dict[str, Any]:
    return {
        "narration": segment.narration,
        "visual_prompt": segment.visual_prompt,
        "duration_seconds": segment.duration_seconds,
    }


test_conformance = conformance(
    contentsvc_fake,
    Pictures(Capability.IMAGE_GENERATION),
    Pictures(Capability.IMAGE_EDIT),
    Clips(),
    Voices(),
    Entities(),
    Scripts(),
    Reviews(),
    Films(),
)
