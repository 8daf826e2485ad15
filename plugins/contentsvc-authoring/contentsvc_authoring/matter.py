"""What a model has to know of product and script, as members of a JSON document."""

from __future__ import annotations

from typing import Any

from contentsvc.plugin import ProductFacts, ScriptSegment


def facts(product: ProductFacts) -> dict[str, Any]:
    """What is known of the product, without what nobody has entered."""
    points = [{"title": point.title, "detail": point.detail} for point in product.selling_points]
    known: dict[str, Any] = {
        "title": product.title,
        "brand": product.brand,
        "category": product.category,
        "target_audience": product.target_audience,
        "description": product.description,
        "specs": dict(product.specs),
        "selling_points": points,
    }
    return {name: value for name, value in known.items() if value}


def shot(segment: ScriptSegment) -> dict[str, Any]:
    """A segment as the schema of scripts has it."""
    return {
        "narration": segment.narration,
        "visual_prompt": segment.visual_prompt,
        "duration_seconds": segment.duration_seconds,
        "dialogue": [{"speaker": line.speaker, "line": line.line} for line in segment.dialogue],
    }
