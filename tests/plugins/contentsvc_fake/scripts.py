"""A script author whose every event comes over HTTP, a line of JSON each, when the test wants it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from contentsvc.plugin import (
    Context,
    DialogueLine,
    ProviderError,
    ScriptDraft,
    ScriptEvent,
    ScriptRequest,
    ScriptResult,
    ScriptSegment,
    ScriptText,
    ScriptTool,
    Usage,
    figure,
)
from contentsvc_fake.replies import raise_for

_EVENTS = frozenset({"text", "tool", "draft", "result", "error", "raw"})


class FakeScripts:
    """``POST /scripts``: lines ``{"text"}``, ``{"tool", "label", "done"}``, ``{"draft"}``,
    ``{"result", "units"}``, ``{"error"}``, ``{"raw"}`` (yielded as it is)."""

    def stream(self, request: ScriptRequest, ctx: Context) -> Iterator[ScriptEvent]:
        body = {
            "mode": request.mode.value,
            "instruction": request.instruction,
            "product": request.product.title,
            "points": [point.title for point in request.product.selling_points],
            "aspect_ratio": request.aspect_ratio,
            "total_duration": request.total_duration,
            "narrations": [segment.narration for segment in request.segments],
            "target_index": request.target_index,
            "model": ctx.model.name,
        }
        headers = {"Idempotency-Key": ctx.idempotency_key}
        with ctx.http.stream("POST", f"{ctx.base_url}/scripts", json=body, headers=headers) as reply:
            raise_for(reply, again=False)
            for line in reply.iter_lines():
                event = _event(_read(line))
                yield event
                if isinstance(event, ScriptResult):
                    return
        raise ProviderError("The provider has stopped in the middle.")


def _read(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not found.keys() & _EVENTS:
        raise ProviderError("The provider's answer can't be read.")
    return found


def _event(line: dict[str, Any]) -> ScriptEvent:
    if "text" in line:
        return ScriptText(line["text"])
    if "tool" in line:
        return ScriptTool(line["tool"], line["label"], line["done"])
    if "draft" in line:
        return ScriptDraft(_segments(line["draft"]))
    if "result" in line:
        usage = Usage(figure(line.get("units")), {"made_by": "fake"})
        return ScriptResult(_segments(line["result"]), usage)
    if "error" in line:
        raise ProviderError(line["error"])
    broken: ScriptEvent = line["raw"]
    return broken


def _segments(items: list[dict[str, Any]]) -> tuple[ScriptSegment, ...]:
    return tuple(
        ScriptSegment(
            narration=item["narration"],
            visual_prompt=item["visual_prompt"],
            duration_seconds=item["duration_seconds"],
            dialogue=tuple(DialogueLine(**line) for line in item.get("dialogue", ())),
        )
        for item in items
    )
