"""What the fake provider says when it is asked for a script."""

from __future__ import annotations

import json
from typing import Any

from tests.fakes.provider import Piece, Reply

STORY = ("Mornings are grey.", "Then comes the cup.", "Order yours today.")


def line(**event: Any) -> bytes:
    """One event of the author's stream."""
    return json.dumps(event).encode() + b"\n"


def shot(narration: str, **fields: Any) -> dict[str, Any]:
    """A segment as an author writes it."""
    return {"narration": narration, "visual_prompt": f"Shot: {narration}", "duration_seconds": 5, **fields}


def result(*narrations: str, units: str | None = "1") -> bytes:
    """The author's last event."""
    return line(result=[shot(text) for text in narrations or STORY], units=units)


def said(*pieces: Piece, cut: bool = False) -> Reply:
    """A reply of these pieces; ``cut`` breaks the connection after them."""
    return Reply(pieces=pieces, cut=cut)


def script(*narrations: str, units: str | None = "1") -> Reply:
    """A well-behaved author: a step, some reasoning, a draft, the script."""
    texts = narrations or STORY
    return said(
        line(tool="plan", label="Planning the story", done=False),
        line(text="The cup "),
        line(text="is the hero."),
        line(tool="plan", label="Planning the story", done=True),
        line(draft=[shot(texts[0])]),
        result(*texts, units=units),
    )
