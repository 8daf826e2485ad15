"""Pieces that several layouts set: eyebrow, title, lead, points, specification."""

from __future__ import annotations

from contentsvc_studio.images.color import RGB, mix
from contentsvc_studio.images.lists import Chips, Point, Spec
from contentsvc_studio.images.stage import Stage
from contentsvc_studio.images.text import Item, Para, Rule


def eyebrow(stage: Stage, colour: RGB, size: float = 2.3) -> Item | None:
    """Brand or category in spaced capitals."""
    text = stage.facts.eyebrow
    if not text:
        return None
    return Para(text, "strong", size, colour, least=1.6, lines=1, tracking=0.22, upper=True, gap=3.2)


def title(stage: Stage, colour: RGB, size: float = 8.5, role: str = "serif", lines: int = 4) -> Item | None:
    """The product's title, or what stands for it."""
    text = stage.facts.display
    if not text:
        return None
    long = len(text) > 48
    leading = 1.02 if role in ("serif", "italic") else 1.06
    return Para(
        text,
        role,
        size * (0.72 if long else 1.0),
        colour,
        least=2.8,
        lines=lines + (2 if long else 0),
        leading=leading,
        gap=3.4,
    )


def lead(stage: Stage, colour: RGB, size: float = 2.9, role: str = "text") -> Item | None:
    """One sentence: of the description, else the first point that has a detail."""
    facts = stage.facts
    text = facts.sentence or next((detail for _, detail in facts.points if detail), "")
    if not text:
        return None
    return Para(text, role, size, colour, least=2.0, lines=4, leading=1.42, gap=3.2, optional=True)


def rule(colour: RGB, length: float = 8.0) -> Item:
    return Rule(colour, length=length, gap=3.4, optional=True)


def points(
    stage: Stage, colour: RGB, muted: RGB, accent: RGB, most: int = 4, size: float = 3.2
) -> list[Item | None]:
    """The selling points, numbered."""
    return [
        Point(str(at), name, detail, colour, muted, accent, size=size)
        for at, (name, detail) in enumerate(stage.facts.points[:most], 1)
    ]


def chips(stage: Stage, fill: RGB, colour: RGB, most: int = 3) -> Item | None:
    """The points' titles, or the first specifications, in pills."""
    facts = stage.facts
    texts = [name for name, _ in facts.points if len(name) <= 34] or [value for _, value in facts.specs]
    return Chips(tuple(texts[:most]), fill, colour) if texts else None


def specs(stage: Stage, colour: RGB, muted: RGB, ground: RGB, most: int = 7) -> list[Item | None]:
    """The specification as rows with hairlines."""
    line = mix(ground, colour, 0.2)
    return [Spec(name, value, colour, muted, line) for name, value in stage.facts.specs[:most]]
