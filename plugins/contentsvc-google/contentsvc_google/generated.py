"""What the model has generated: a reply of ``generateContent``, or one event of its stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contentsvc.plugin import ContentRejected, Context, Usage
from contentsvc_authoring import items, member, text, tokens_used
from contentsvc_google.failures import REJECTED

_TAKEN: Final = ("promptTokenCount", "toolUsePromptTokenCount")
_MADE: Final = ("candidatesTokenCount", "thoughtsTokenCount")


def parts_of(reply: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The parts of the first candidate. Raises ContentRejected where the request was blocked."""
    if text(reply, "promptFeedback", "blockReason"):
        raise ContentRejected(REJECTED)
    parts = items(_candidate(reply), "content", "parts")
    return [part for part in parts if isinstance(part, Mapping)]


def finish_of(reply: Mapping[str, Any]) -> str:
    """Why the first candidate ended; empty where it goes on."""
    return text(_candidate(reply), "finishReason")


def usage_of(reply: Mapping[str, Any], ctx: Context) -> Usage:
    """What the reply says was used."""
    report = member(reply, "usageMetadata")
    return tokens_used(ctx, _sum(report, _TAKEN), _sum(report, _MADE), report)


def _sum(report: object, names: tuple[str, ...]) -> int | None:
    """The figures together; None where one of them can't be true, or none is there."""
    values = [member(report, name) for name in names]
    there = [value for value in values if value is not None]
    figures = [value for value in there if isinstance(value, int) and not isinstance(value, bool)]
    if not there or len(figures) != len(there) or min(figures) < 0:
        return None
    return sum(figures)


def _candidate(reply: Mapping[str, Any]) -> Any:
    candidates = items(reply, "candidates")
    return candidates[0] if candidates else None
