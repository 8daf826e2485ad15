"""How Volcengine answers, by its documents: https://www.volcengine.com/docs/82379 and /docs/6561."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from contentsvc.plugin import Capability, ScriptSegment
from contentsvc.testing import Dialect, Kind, Made, Reply, Request
from contentsvc.testing.dialects import SECRET

CODES = {
    400: "InvalidParameter",
    401: "AuthenticationError",
    403: "AccessDenied",
    404: "NotFound.Task",
    429: "RateLimitExceeded.EndpointRPMExceeded",
    500: "InternalServiceError",
    503: "InternalServiceError",
}


def ark_error(status: int, code: str, message: str = "The request failed.", param: str = "") -> Reply:
    error = {"code": code, "message": f"{message} Request id: 0217", "param": param, "type": "BadRequest"}
    return Reply.json({"error": error}, status)


def script_document(segments: Sequence[ScriptSegment]) -> dict[str, Any]:
    return {
        "segments": [
            {
                "narration": segment.narration,
                "visual_prompt": segment.visual_prompt,
                "duration_seconds": segment.duration_seconds,
                "dialogue": [{"speaker": None, "line": segment.narration}],
            }
            for segment in segments
        ]
    }


class ArkDialect(Dialect):
    driver = "volcengine"
    base_path = "/api/v3"

    def error(self, status: int, message: str, request: Request) -> Reply:
        return ark_error(status, CODES.get(status, "InvalidParameter"), message)

    def refused(self, request: Request) -> Reply:
        return ark_error(400, "InputTextSensitiveContentDetected")


def chunk(delta: Mapping[str, Any], reason: str | None = None) -> bytes:
    return event({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}], "usage": None})


def event(document: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(document).encode() + b"\n\n"


def chat_reply(document: Mapping[str, Any], taken: Any, made: Any = 0) -> Reply:
    """An answer with a thought before it, and the tokens of question and answer."""
    answer = json.dumps(document)
    pieces = [answer[at : at + 40] for at in range(0, len(answer), 40)]
    usage = {"prompt_tokens": taken, "completion_tokens": made}
    return Reply.stream(
        [
            chunk({"role": "assistant", "content": "", "reasoning_content": "A grey "}),
            chunk({"reasoning_content": "morning."}),
            *(chunk({"content": piece}) for piece in pieces),
            chunk({"content": ""}, "stop"),
            event({"choices": [], "usage": usage}),
            b"data: [DONE]\n\n",
        ]
    )


class ScriptDialect(ArkDialect):
    capability = Capability.SCRIPT
    reports_usage = True

    def done(self, made: Made, request: Request) -> Reply:
        return chat_reply(script_document(made.segments), made.usage)


class EntityDialect(ArkDialect):
    capability = Capability.ENTITY_EXTRACTION
    reports_usage = True

    def done(self, made: Made, request: Request) -> Reply:
        entities = [
            {
                "type": entity.type.value,
                "name": entity.name,
                "visual_prompt": entity.visual_prompt,
                "segments": list(entity.segments),
            }
            for entity in made.entities
        ]
        return chat_reply({"entities": entities}, made.usage)


class PictureDialect(ArkDialect):
    has_link = True
    reports_usage = True

    def __init__(self, capability: Capability) -> None:
        self.capability = capability

    def done(self, made: Made, request: Request) -> Reply:
        return self._pictures(made, 1)

    def twice(self, made: Made, request: Request) -> Reply:
        return self._pictures(made, 2)

    def _pictures(self, made: Made, count: int) -> Reply:
        usage = {"generated_images": made.usage, "output_tokens": 16_384, "total_tokens": 16_384}
        data = [{"url": made.link, "size": "2048x2048"}] * count
        return Reply.json({"model": "seedream", "created": 1, "data": data, "usage": usage})


class ClipDialect(ArkDialect):
    capability = Capability.VIDEO_GENERATION
    is_job = True
    has_link = True
    reports_usage = True

    def accepted(self, job: str, request: Request) -> Reply:
        return Reply.json({"id": job})

    def pending(self, request: Request) -> Reply:
        return task("running", content=None, usage=None)

    def done(self, made: Made, request: Request) -> Reply:
        usage = {"completion_tokens": made.usage, "total_tokens": made.usage}
        return task("succeeded", content={"video_url": made.link}, usage=usage)

    def checked(self, request: Request) -> Reply:
        return Reply.json({"items": [], "total": 0})

    def failed(self, request: Request) -> Reply:
        return task("failed", error={"code": "InternalServiceError", "message": "It broke."})


def task(status: str, **members: Any) -> Reply:
    return Reply.json({"id": "job-5f2a", "model": "seedance", "status": status, "error": None, **members})


class VoiceDialect(Dialect):
    capability = Capability.SPEECH
    driver = "volcengine-speech"
    base_path = "/api/v3"
    reports_usage = True

    def done(self, made: Made, request: Request) -> Reply:
        half = len(made.file) // 2
        return Reply.stream(
            [
                sound_line(made.file[:half]),
                sound_line(made.file[half:]),
                json.dumps({"code": 20000000, "message": "ok", "usage": {"text_words": made.usage}}).encode()
                + b"\n",
            ],
            "application/json",
        )

    def error(self, status: int, message: str, request: Request) -> Reply:
        return Reply.json({"code": 45000000, "message": message}, status)

    def refused(self, request: Request) -> Reply:
        return Reply.json({"code": 45000010, "message": "InputTextSensitiveContentDetected"}, 400)


def sound_line(data: bytes) -> bytes:
    return json.dumps({"code": 0, "message": "", "data": base64.b64encode(data).decode()}).encode() + b"\n"


ACCESS_KEYS = json.dumps({"api_key": SECRET, "access_key_id": "AKLTkit", "secret_access_key": "c2VjcmV0"})


class ReviewDialect(Dialect):
    capability = Capability.ASSET_REVIEW
    driver = "volcengine"
    base_path = "/api/v3"
    is_job = True
    secret = ACCESS_KEYS

    def kind(self, request: Request) -> Kind:
        kinds = {"CreateAsset": Kind.ORDER, "GetAsset": Kind.POLL}
        return kinds.get(request.query.get("Action", ""), Kind.ASIDE)

    def aside(self, request: Request) -> Reply:
        return result({"Id": "group-20261120-abcde"})

    def accepted(self, job: str, request: Request) -> Reply:
        return result({"Id": job})

    def pending(self, request: Request) -> Reply:
        return result({"Id": "job-5f2a", "Status": "Processing"})

    def done(self, made: Made, request: Request) -> Reply:
        return result({"Id": "job-5f2a", "Status": "Active"})

    def failed(self, request: Request) -> Reply:
        error = {"Code": "DownloadFailed", "Message": "No such file."}
        return result({"Id": "job-5f2a", "Status": "Failed", "Error": error})

    def refused(self, request: Request) -> Reply:
        return asset_error(400, "InputImageSensitiveContentDetected", "Not this one.")

    def error(self, status: int, message: str, request: Request) -> Reply:
        return asset_error(status, CODES.get(status, "InvalidParameter"), message)


def asset_error(status: int, code: str, message: str) -> Reply:
    error = {"Code": code, "Message": message}
    return Reply.json({"ResponseMetadata": {"RequestId": "0217", "Error": error}}, status)


def result(document: Mapping[str, Any]) -> Reply:
    return Reply.json({"ResponseMetadata": {"RequestId": "0217"}, "Result": document})
