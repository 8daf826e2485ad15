"""What is known of a product, as JSON for a model."""

from __future__ import annotations

from typing import Any

from contentsvc.plugin import ProductFacts


def facts(product: ProductFacts) -> dict[str, Any]:
    """The facts that are there; what nobody has entered is left out."""
    known: dict[str, Any] = {
        "title": product.title,
        "brand": product.brand,
        "category": product.category,
        "target_audience": product.target_audience,
        "description": product.description,
        "specs": dict(product.specs),
        "selling_points": [
            {"title": point.title, "detail": point.detail} for point in product.selling_points
        ],
    }
    return {name: value for name, value in known.items() if value}
