"""How Google speaks, as its documentation has it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from contentsvc.plugin import Capability, Entity, ScriptSegment
from contentsvc.testing import Dialect, Made, Reply, Request

STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


def failed(status: int, message: str, reason: str = "", details: Any = ()) -> Reply:
    """An error in Google's envelope."""
    named = reason or STATUSES.get(status, "UNKNOWN")
    error = {"code": status, "message": message, "status": named, "details": list(details)}
    return Reply.json({"error": error}, status)


def generated(parts: list[dict[str, Any]], finish: str = "STOP", usage: Any = None) -> dict[str, Any]:
    """A reply of generateContent."""
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}],
        "usageMetadata": figures(1000) if usage is None else usage,
        "modelVersion": "gemini-test",
        "responseId": "r-1",
    }


def figures(made: Any) -> dict[str, Any]:
    """Usage with so many tokens of output."""
    return {"promptTokenCount": 500, "candidatesTokenCount": made, "totalTokenCount": 1500}


def streamed(
    document: Any, *, finish: str = "STOP", usage: Any = None, thought: str = "", pieces: int = 5
) -> Reply:
    """A model's answer as events: the text in pieces, the reason of its end in the last one."""
    said = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    length = -(-len(said) // pieces)
    parts = [said[at : at + length] for at in range(0, len(said), length)]
    events: list[dict[str, Any]] = [
        {"candidates": [{"content": {"parts": [{"text": part}], "role": "model"}}]} for part in parts
    ]
    if thought:
        parts_of_thought = [{"text": thought, "thought": True}]
        events.insert(0, {"candidates": [{"content": {"parts": parts_of_thought}}]})
    events.append(generated([{"text": ""}], finish, usage))
    return events_of(*events)


def events_of(*events: Mapping[str, Any]) -> Reply:
    """A stream of these events."""
    return Reply.stream(
        [f"data: {json.dumps(event, ensure_ascii=False)}\r\n\r\n".encode() for event in events]
    )


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


def picture(file: bytes, media_type: str = "image/png") -> dict[str, Any]:
    """A picture as a part."""
    return {"inlineData": {"mimeType": media_type, "data": base64.b64encode(file).decode()}}


class Gemini(Dialect):
    """Common to all of Google's methods."""

    def error(self, status: int, message: str, request: Request) -> Reply:
        return failed(status, message)

    def refused(self, request: Request) -> Reply:
        return Reply.json(
            {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": figures(0)}
        )


class Scripts(Gemini):
    capability = Capability.SCRIPT
    reports_usage = True

    def done(self, made: Made, request: Request) -> Reply:
        return streamed(script(made.segments), usage=figures(made.usage))

    def refused(self, request: Request) -> Reply:
        return events_of({"promptFeedback": {"blockReason": "SAFETY"}})

    def twice(self, made: Made, request: Request) -> Reply:
        written = json.dumps(script(made.segments))
        return streamed(written + written)


class Entities(Gemini):
    capability = Capability.ENTITY_EXTRACTION
    reports_usage = True

    def done(self, made: Made, request: Request) -> Reply:
        return streamed(entities(made.entities), usage=figures(made.usage))

    def refused(self, request: Request) -> Reply:
        return events_of({"promptFeedback": {"blockReason": "SAFETY"}})

    def twice(self, made: Made, request: Request) -> Reply:
        return streamed(entities(made.entities * 2))


class Pictures(Gemini):
    capability = Capability.IMAGE_GENERATION
    reports_usage = True

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.json(generated([picture(made.file)], usage=figures(made.usage)))

    def twice(self, made: Made, request: Request) -> Reply:
        return Reply.json(generated([picture(made.file)] * 2))


class Edits(Pictures):
    capability = Capability.IMAGE_EDIT


class Clips(Gemini):
    capability = Capability.VIDEO_GENERATION
    is_job = True
    has_link = True
    reports_usage = True
    refuses_later = True

    def accepted(self, job: str, request: Request) -> Reply:
        return Reply.json(interaction("queued", job=job))

    def pending(self, request: Request) -> Reply:
        return Reply.json(interaction("in_progress"))

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.json(filmed(made.link, made.usage))

    def twice(self, made: Made, request: Request) -> Reply:
        return Reply.json(filmed(made.link, made.usage, copies=2))

    def failed(self, request: Request) -> Reply:
        errors = [{"code": "internal", "message": "Something broke."}]
        return Reply.json(interaction("failed", errors=errors))

    def refused(self, request: Request) -> Reply:
        errors = [{"code": "SAFETY", "message": "The request was blocked for safety reasons."}]
        return Reply.json(interaction("failed", errors=errors))


def interaction(status: str, job: str = "job-5f2a", **members: Any) -> dict[str, Any]:
    """An interaction in some state."""
    return {"id": job, "object": "interaction", "status": status, **members}


def filmed(link: str, made: Any = 1000, copies: int = 1) -> dict[str, Any]:
    """An interaction whose clip is behind a link."""
    clip = {"type": "video", "uri": link, "mime_type": "video/mp4"}
    usage = {"total_input_tokens": 100, "total_output_tokens": made, "total_tokens": 1100}
    steps = [{"type": "thought"}, {"type": "model_output", "content": [clip] * copies}]
    return interaction("completed", steps=steps, usage=usage)
