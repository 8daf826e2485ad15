"""Reading what an administrator may have edited, and what a provider may have sent: nothing is trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from contentsvc.plugin import Context


def member(document: object, *path: str) -> Any:
    """What lies at a path of members; None where there is nothing."""
    for name in path:
        if not isinstance(document, Mapping):
            return None
        document = document.get(name)
    return document


def text(document: object, *path: str) -> str:
    """The text at a path of members; empty where there is none."""
    found = member(document, *path)
    return found if isinstance(found, str) else ""


def items(document: object, *path: str) -> list[Any]:
    """The list at a path of members; empty where there is none."""
    found = member(document, *path)
    return found if isinstance(found, list) else []


def texts(document: object, *path: str) -> list[str]:
    """The texts of the list at a path of members."""
    return [item for item in items(document, *path) if isinstance(item, str)]


def option(ctx: Context, name: str, default: float) -> float:
    """A number above zero that the administrator may have set on the model."""
    value = ctx.model.options.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return float(value) if 0 < value < math.inf else default


def parameters(ctx: Context) -> dict[str, Any]:
    """What the model's options add to every request of it."""
    added = ctx.model.options.get("parameters")
    return dict(added) if isinstance(added, Mapping) else {}


def order_of(ctx: Context) -> str:
    """The provider's own name of the model that was ordered."""
    return ctx.model.endpoint or ctx.model.name
