"""Pictures: the capabilities image_generation and image_edit."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from contentsvc.plugin.backends import Backend
from contentsvc.plugin.values import GeneratedFile, MediaRef, ProductFacts, Usage


class ImagePurpose(StrEnum):
    """Where the picture goes; the values are the asset categories it is filed under."""

    TRY_ON = "model_tryon"
    PLATFORM_KIT = "platform_kit"
    FREE_CREATION = "free_create"
    PORTRAIT = "model_portrait"
    PERSON = "person"
    PRODUCT = "product"
    SCENE = "scene"
    THREE_VIEW = "tri_view"
    STORYBOARD = "storyboard"


class ReferenceRole(StrEnum):
    """What a reference picture shows."""

    PRODUCT = "product"
    PRESENTER = "presenter"
    CHARACTER = "character"
    SCENE = "scene"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ImageReference:
    """A picture to work from, and what it shows."""

    role: ReferenceRole
    media: MediaRef


@dataclass(frozen=True, slots=True)
class ImageRequest:
    """One picture. The same class serves generation and editing.

    ``prompt`` is complete (template and quality words applied), ``brief`` is what the
    customer typed. ``ratio`` is width:height, one of the contract's seven.
    ``references`` is empty for image_generation and ordered by weight for image_edit.
    ``index`` counts the pictures of one batch from 0: another index asks for another
    layout. ``seed`` is stable across retries of the same task.
    """

    prompt: str
    brief: str
    negative_prompt: str
    ratio: str
    purpose: ImagePurpose
    index: int
    seed: int
    references: tuple[ImageReference, ...] = ()
    product: ProductFacts | None = None


@dataclass(frozen=True, slots=True)
class ImageResult:
    """The picture; billed by ``usage.units`` images (1 where None)."""

    image: GeneratedFile
    usage: Usage = field(default_factory=Usage)


ImageBackend: TypeAlias = Backend[ImageRequest, ImageResult]
