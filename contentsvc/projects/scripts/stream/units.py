"""How much a script is expected to use, in whatever unit its model is billed by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import ROUND_UP, Decimal
from typing import Any, Final

from contentsvc.plugin import BillingUnit

SECONDS_PER_SEGMENT: Final = 5
"""Length a shot of an advertising film usually has."""

DEFAULT_SECONDS: Final = 30
"""Length of a film whose customer leaves it open."""

CHARACTERS_PER_SEGMENT: Final = 900
"""A segment as a model writes it: narration, dialogue and picture, with the JSON around them."""

CHARACTERS_OF_PREFACE: Final = 1500
"""The reasoning before the script."""

CHARACTERS_OF_TASK: Final = 3000
"""The plugin's own instructions to the model."""

CHARACTERS_PER_TOKEN: Final = 3
"""On the cautious side for English; other scripts come close to it."""


def estimated_units(unit: BillingUnit, request: Mapping[str, Any]) -> Decimal:
    """Billing units to reserve for a script's request.

    A task is one unit, and so is anything a script isn't naturally billed by; a second is
    one of the film. Texts count what goes in (task, product, script so far, wish) and what
    is expected to come out (preface, and 900 characters a segment): characters for
    ``1k_characters``, a third of that for ``1k_tokens``. Charged is what the provider
    reports, and this where he reports nothing.
    """
    if unit is BillingUnit.SECOND:
        return Decimal(str(_seconds(request)))
    if unit not in (BillingUnit.THOUSAND_TOKENS, BillingUnit.THOUSAND_CHARACTERS):
        return Decimal(1)
    told = len(json.dumps(dict(request), ensure_ascii=False, default=str)) + CHARACTERS_OF_TASK
    written = CHARACTERS_OF_PREFACE + CHARACTERS_PER_SEGMENT * _segments(request)
    characters = Decimal(told + written)
    if unit is BillingUnit.THOUSAND_TOKENS:
        characters /= CHARACTERS_PER_TOKEN
    return (characters / 1000).quantize(Decimal("0.001"), ROUND_UP)


def _segments(request: Mapping[str, Any]) -> int:
    if request.get("target_index") is not None:
        return 1
    expected = max(1, round(_seconds(request) / SECONDS_PER_SEGMENT))
    return max(expected, len(request.get("segments") or ()))


def _seconds(request: Mapping[str, Any]) -> float:
    """What was asked for, else the length of the script that is rewritten."""
    written = sum(segment.get("duration_seconds", 0) for segment in request.get("segments") or ())
    return float(request.get("total_duration") or written or DEFAULT_SECONDS)
