"""Which size a picture is ordered in: what a model makes is data of the model, not of this code."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

_SIZE: Final = re.compile(r"([1-9]\d{0,4})x([1-9]\d{0,4})")
_RATIO: Final = re.compile(r"([1-9]\d{0,3}):([1-9]\d{0,3})")


def size_for(ratio: str, options: Mapping[str, Any]) -> str | None:
    """The size of the model's option ``sizes`` that comes nearest to a ratio.

    ``sizes`` is a list of ``"1024x1536"`` and the like. None where there is no usable one: the
    endpoint then decides.
    """
    listed = options.get("sizes")
    sizes = [str(size) for size in listed if _shape(size) is not None] if isinstance(listed, list) else []
    wanted = _RATIO.fullmatch(ratio)
    if not sizes or wanted is None:
        return None
    target = math.log(int(wanted[1]) / int(wanted[2]))
    return min(sizes, key=lambda size: abs((_shape(size) or 0.0) - target))


def _shape(size: object) -> float | None:
    """The logarithm of width to height: as far from square upright as lying."""
    found = _SIZE.fullmatch(size) if isinstance(size, str) else None
    return math.log(int(found[1]) / int(found[2])) if found else None
