"""A local endpoint in OpenAI's wire format, and calls of the plugin as the service makes them."""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contentsvc.plugin import Capability, ModelInfo
from contentsvc.testing import Caller, ProviderServer, Reply, Request, serving
from contentsvc_openai.driver import openai_driver, openai_models

KEY = "sk-test-0123456789abcdef"


@dataclass
class Endpoint:
    """The server; ``replies`` are used up by its requests."""

    server: ProviderServer
    replies: deque[Reply] = field(default_factory=deque)

    @property
    def requests(self) -> list[Request]:
        return self.server.requests

    @property
    def bodies(self) -> list[Any]:
        """What was asked, as JSON."""
        return [request.json() for request in self.requests]

    def says(self, *replies: Reply) -> None:
        self.replies.extend(replies)


@contextmanager
def endpoint_running() -> Iterator[Endpoint]:
    """The endpoint, closed at the end."""
    with serving(lambda _: made.replies.popleft()) as server:
        made = Endpoint(server)
        yield made


def caller(endpoint: Endpoint, capability: Capability, folder: Path, **changes: Any) -> Caller:
    """A caller of the declared model; ``changes`` are options, and ``billing_unit``."""
    (declared,) = [model for model in openai_models() if model.capability is capability]
    unit = changes.pop("billing_unit", declared.billing_unit)
    options = {**declared.options, **changes}
    model = ModelInfo(declared.name, declared.endpoint, capability, options, unit)
    backend = openai_driver().capabilities[capability]
    return Caller(backend, model, f"{endpoint.server.url}/v1", KEY, {}, folder)


def chunk(
    delta: dict[str, Any] | None = None, *, finish: str | None = None, **members: Any
) -> dict[str, Any]:
    """An event of a stream."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}],
        **members,
    }


def streamed(*chunks: dict[str, Any], is_done: bool = True) -> Reply:
    """A stream of events."""
    events = [f"data: {json.dumps(item, ensure_ascii=False)}\n\n".encode() for item in chunks]
    return Reply.stream([*events, b"data: [DONE]\n\n"] if is_done else events)


def said(answer: Any, *, usage: Any = None, pieces: int = 4, reasoning: str = "") -> Reply:
    """A model's answer as a stream: a document or a text, in so many pieces."""
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    length = -(-len(text) // pieces)
    parts = [text[at : at + length] for at in range(0, len(text), length)]
    thoughts = [chunk({"reasoning_content": reasoning})] if reasoning else []
    figures = {"prompt_tokens": 1000, "completion_tokens": 500, "total_tokens": 1500}
    return streamed(
        chunk({"role": "assistant", "content": ""}),
        *thoughts,
        *(chunk({"content": part}) for part in parts),
        chunk(finish="stop"),
        {"object": "chat.completion.chunk", "choices": [], "usage": figures if usage is None else usage},
    )


def error(
    status: int, message: str = "No.", code: str | None = None, param: str | None = None, **headers: str
) -> Reply:
    """An error in OpenAI's envelope."""
    body = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Reply.json({"error": body}, status, **headers)


def pictured(data: bytes, **members: Any) -> Reply:
    """A picture in the reply itself."""
    usage = {"input_tokens": 50, "output_tokens": 1500, "total_tokens": 1550}
    picture = {"b64_json": base64.b64encode(data).decode()}
    return Reply.json({"created": 1, "data": [picture], "usage": usage, **members})


def linked(url: str) -> Reply:
    """A picture behind a link, as compatible endpoints answer."""
    return Reply.json({"created": 1, "data": [{"url": url, "revised_prompt": "A cup"}]})


def shots(*narrations: str) -> Sequence[dict[str, Any]]:
    """Segments as the schema has them."""
    return [
        {
            "narration": text,
            "visual_prompt": f"Shot: {text}",
            "duration_seconds": 4,
            "dialogue": [{"speaker": None, "line": text}],
        }
        for text in narrations
    ]
