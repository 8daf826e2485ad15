"""Orders to place, and results to make: as small as they can be, and real."""

from __future__ import annotations

import functools
import io
import wave
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from PIL import Image

from contentsvc.plugin import (
    Capability,
    Entity,
    EntityRequest,
    EntityType,
    ExportClip,
    ExportRequest,
    ImagePurpose,
    ImageReference,
    ImageRequest,
    MediaRef,
    ProductFacts,
    ReferenceRole,
    ReviewRequest,
    ScriptMode,
    ScriptRequest,
    ScriptSegment,
    SellingPoint,
    SpeechRequest,
    VideoRequest,
)
from contentsvc.testing.dialects import Made

PRODUCT = ProductFacts(
    title="Stoneware cup",
    brand="Pikolo",
    category="Kitchen",
    description="A thick-walled cup for short coffees.",
    selling_points=(SellingPoint("Keeps the heat", "Thick walls hold the temperature."),),
)
SEGMENTS = (
    ScriptSegment("Mornings are grey.", "A grey street, one red cup on a sill", 4.0),
    ScriptSegment("Not this one.", "Anna lifts the cup in a bright kitchen", 4.0),
)
ENTITIES = (
    Entity(EntityType.CHARACTER, "Anna", "A woman of forty in a blue apron", (1,)),
    Entity(EntityType.SCENE, "Kitchen", "A bright kitchen with white tiles", (1,)),
)
_CLIP = Path(__file__).parent / "clip.mp4"


@dataclass
class SampleMedia:
    """A :class:`~contentsvc.plugin.MediaRef` of bytes at hand."""

    data: bytes
    media_type: str
    width: int | None = None
    height: int | None = None
    public_url: str | None = None
    handles: Mapping[str, str] = field(default_factory=dict)

    @property
    def size_bytes(self) -> int:
        """Length of the bytes."""
        return len(self.data)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes, as a stream."""
        with io.BytesIO(self.data) as stream:
            yield stream


@functools.cache
def picture(side: int = 64, colour: str = "teal") -> bytes:
    """A PNG of one colour."""
    stream = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(stream, "PNG")
    return stream.getvalue()


def sound(seconds: float = 0.1) -> bytes:
    """A WAV file that is silent."""
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(2 * int(8000 * seconds)))
    return stream.getvalue()


def clip() -> bytes:
    """An MP4 of a second."""
    return _CLIP.read_bytes()


def media(url: str | None = None) -> MediaRef:
    """A picture as orders refer to them; ``url`` is where a provider could fetch it."""
    return SampleMedia(picture(256, "sienna"), "image/png", 256, 256, url)


def film() -> MediaRef:
    """A clip as exports refer to them."""
    return SampleMedia(clip(), "video/mp4", 64, 64)


def sample_order(capability: Capability, url: str | None = None) -> Any:
    """An order of this capability, with pictures at ``url``."""
    return {
        Capability.IMAGE_GENERATION: _image(()),
        Capability.IMAGE_EDIT: _image((ImageReference(ReferenceRole.PRODUCT, media(url)),)),
        Capability.VIDEO_GENERATION: VideoRequest(
            "Slow push in on a cup", 5.0, "9:16", "720p", 11, first_frame=media(url)
        ),
        Capability.SPEECH: SpeechRequest("Mornings are grey. Not this one.", language="en"),
        Capability.SCRIPT: ScriptRequest(ScriptMode.AUTO, PRODUCT, total_duration=8.0, seed=11),
        Capability.ENTITY_EXTRACTION: EntityRequest(SEGMENTS, PRODUCT),
        Capability.ASSET_REVIEW: ReviewRequest(media(url), "Anna"),
        Capability.EXPORT: ExportRequest((ExportClip(film()),), width=64, height=64),
    }[capability]


def sample_result(capability: Capability) -> Made:
    """What a provider would have made of it."""
    match capability:
        case Capability.IMAGE_GENERATION | Capability.IMAGE_EDIT:
            return Made(picture(), "image/png")
        case Capability.VIDEO_GENERATION | Capability.EXPORT:
            return Made(clip(), "video/mp4")
        case Capability.SPEECH:
            return Made(sound(), "audio/wav")
        case _:
            return Made(segments=SEGMENTS, entities=ENTITIES)


def _image(references: tuple[ImageReference, ...]) -> ImageRequest:
    return ImageRequest(
        prompt="A stoneware cup on a sill in morning light",
        brief="cup, morning",
        negative_prompt="text",
        ratio="1:1",
        purpose=ImagePurpose.FREE_CREATION,
        index=0,
        seed=11,
        references=references,
        product=PRODUCT,
    )
