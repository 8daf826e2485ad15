"""How Model Studio speaks, as its documentation has it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from contentsvc.plugin import Capability, Entity, ScriptSegment
from contentsvc.testing import Dialect, Made, Reply, Request

CODES = {
    400: "InvalidParameter",
    401: "InvalidApiKey",
    403: "AccessDenied",
    404: "ModelNotFound",
    429: "Throttling.RateQuota",
    500: "InternalError",
    503: "ModelUnavailable",
}


def failed(status: int, message: str, code: str = "") -> Reply:
    """An error in Model Studio's own form."""
    named = code or CODES.get(status, "Unknown")
    return Reply.json({"code": named, "message": message, "request_id": "r-1"}, status)


def chat_failed(status: int, message: str, code: str = "") -> Reply:
    """An error in the form that is like OpenAI's."""
    error = {"message": message, "type": code or "invalid_request_error", "param": None, "code": code or None}
    return Reply.json({"error": error, "request_id": "r-1"}, status)


def figures(made: Any) -> dict[str, Any]:
    """Usage with so many tokens of output."""
    return {"prompt_tokens": 500, "completion_tokens": made, "total_tokens": 1500}


def streamed(
    document: Any, *, finish: str = "stop", usage: Any = None, thought: str = "", pieces: int = 5
) -> Reply:
    """A model's answer as events: the text in pieces, the reason of its end, the usage."""
    said = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    length = -(-len(said) // pieces)
    events = [delta(content=said[at : at + length]) for at in range(0, len(said), length)]
    if thought:
        events.insert(0, delta(content=None, reasoning_content=thought))
    events.append(
        {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": finish}], "usage": None}
    )
    events.append({"choices": [], "usage": figures(1000) if usage is None else usage})
    return events_of(*events, is_done=True)


def delta(**members: Any) -> dict[str, Any]:
    """An event with more of the answer."""
    return {"choices": [{"index": 0, "delta": members, "finish_reason": None}], "usage": None}


def events_of(*events: Mapping[str, Any], is_done: bool = False) -> Reply:
    """A stream of these events."""
    said = [f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode() for event in events]
    return Reply.stream([*said, b"data: [DONE]\n\n"] if is_done else said)


def script(segments: tuple[ScriptSegment, ...]) -> dict[str, Any]:
    """A script as the schema has it."""
    return {
        "plan": "A morning in two shots.",
        "segments": [
            {
                "narration": segment.narration,
                "visual_prompt": segment.visual_prompt,
                "duration_seconds": segment.duration_seconds,
                "dialogue": [{"speaker": None, "line": segment.narration}],
            }
            for segment in segments
        ],
    }


def entities(found: tuple[Entity, ...]) -> dict[str, Any]:
    """Entities as the schema has them."""
    return {
        "entities": [
            {
                "type": entity.type.value,
                "name": entity.name,
                "visual_prompt": entity.visual_prompt,
                "segments": list(entity.segments),
            }
            for entity in found
        ]
    }


def pictured(*links: str, usage: Any = None) -> Reply:
    """Pictures behind links."""
    choices = [
        {"finish_reason": "stop", "message": {"role": "assistant", "content": [{"image": link}]}}
        for link in links
    ]
    counted = {"width": 1328, "height": 1328, "image_count": 1} if usage is None else usage
    return Reply.json({"output": {"choices": choices}, "usage": counted, "request_id": "r-1"})


def spoken(link: str, characters: Any = 32) -> Reply:
    """Sound behind a link."""
    audio = {"data": "", "url": link, "id": "audio_1", "expires_at": 1766113409}
    output = {"finish_reason": "stop", "audio": audio}
    return Reply.json({"output": output, "usage": {"characters": characters}, "request_id": "r-1"})


def task(status: str, usage: Any = None, job: str = "job-5f2a", **members: Any) -> Reply:
    """A task in some state."""
    output = {"task_id": job, "task_status": status, **members}
    return Reply.json({"output": output, "request_id": "r-1", **({"usage": usage} if usage else {})})


def filmed(link: str, seconds: Any = 5) -> Reply:
    """A task whose clip is behind a link."""
    usage = {"duration": seconds, "size": "720*1280", "video_count": 1, "SR": 720}
    return task("SUCCEEDED", usage, video_url=link, orig_prompt="…", submit_time="2026-11-20 10:00:00.000")


class Chats(Dialect):
    """The API that is like OpenAI's."""

    base_path = "/api/v1"
    reports_usage = True

    def error(self, status: int, message: str, request: Request) -> Reply:
        return chat_failed(status, message)

    def refused(self, request: Request) -> Reply:
        return chat_failed(400, "Output data may contain inappropriate content.", "data_inspection_failed")


class Scripts(Chats):
    capability = Capability.SCRIPT

    def done(self, made: Made, request: Request) -> Reply:
        return streamed(script(made.segments), usage=figures(made.usage))

    def twice(self, made: Made, request: Request) -> Reply:
        written = json.dumps(script(made.segments))
        return streamed(written + written)


class Entities(Chats):
    capability = Capability.ENTITY_EXTRACTION

    def done(self, made: Made, request: Request) -> Reply:
        return streamed(entities(made.entities), usage=figures(made.usage))

    def twice(self, made: Made, request: Request) -> Reply:
        return streamed(entities(made.entities * 2))


class Works(Dialect):
    """Model Studio's own API."""

    has_link = True
    reports_usage = True

    def error(self, status: int, message: str, request: Request) -> Reply:
        return failed(status, message)

    def refused(self, request: Request) -> Reply:
        return failed(400, "Input data may contain inappropriate content.", "DataInspectionFailed")


class Pictures(Works):
    capability = Capability.IMAGE_GENERATION

    def done(self, made: Made, request: Request) -> Reply:
        return pictured(made.link, usage={"image_count": made.usage})

    def twice(self, made: Made, request: Request) -> Reply:
        return pictured(made.link, made.link)


class Edits(Pictures):
    capability = Capability.IMAGE_EDIT


class Voices(Works):
    capability = Capability.SPEECH

    def done(self, made: Made, request: Request) -> Reply:
        return spoken(made.link, made.usage)


class Clips(Works):
    capability = Capability.VIDEO_GENERATION
    is_job = True
    refuses_later = True

    def accepted(self, job: str, request: Request) -> Reply:
        return task("PENDING", job=job)

    def pending(self, request: Request) -> Reply:
        return task("RUNNING")

    def done(self, made: Made, request: Request) -> Reply:
        return filmed(made.link, made.usage)

    def failed(self, request: Request) -> Reply:
        return task("FAILED", code="InternalError", message="Something broke.")

    def refused(self, request: Request) -> Reply:
        return task("FAILED", code="DataInspectionFailed", message="Inappropriate content.")
