"""What models can do, and what they are paid for."""

from __future__ import annotations

from enum import StrEnum


class Capability(StrEnum):
    """What a model can do. A model config has exactly one."""

    SCRIPT = "script"
    ENTITY_EXTRACTION = "entity_extraction"
    IMAGE_GENERATION = "image_generation"
    IMAGE_EDIT = "image_edit"
    VIDEO_GENERATION = "video_generation"
    SPEECH = "speech"
    ASSET_REVIEW = "asset_review"
    EXPORT = "export"


class BillingUnit(StrEnum):
    """What ``unit_price`` is the price of."""

    IMAGE = "image"
    SECOND = "second"
    THOUSAND_TOKENS = "1k_tokens"
    THOUSAND_CHARACTERS = "1k_characters"
    TASK = "task"
