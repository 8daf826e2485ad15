"""Stand-ins for what the service hands to a backend, and photographs made on the spot."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from PIL import Image, ImageDraw, ImageFilter

from contentsvc.plugin import (
    GeneratedFile,
    ImagePurpose,
    ImageReference,
    ImageRequest,
    ProductFacts,
    ReferenceRole,
    SellingPoint,
)
from contentsvc_studio.images.backend import StudioImages

SUBJECT = (24, 168, 72)

FACTS = ProductFacts(
    title="Stoneware Espresso Cup",
    brand="Pikolo",
    category="Kitchen",
    description="A thick-walled cup for short coffees. And more.",
    specs={"volume": "80 ml", "material": "Stoneware"},
    selling_points=(
        SellingPoint("Keeps the heat", "Thick walls hold the temperature."),
        SellingPoint("Fired twice", "A hard glaze."),
    ),
)


@dataclass
class FakeMedia:
    data: bytes
    media_type: str = "image/png"
    width: int | None = None
    height: int | None = None
    public_url: str | None = None
    handles: dict[str, str] = field(default_factory=dict)

    @property
    def size_bytes(self) -> int:
        return len(self.data)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        with io.BytesIO(self.data) as stream:
            yield stream


@dataclass
class FakeContext:
    work_dir: Path
    settings: dict[str, str] = field(default_factory=lambda: {"font": ""})
    stop: Callable[[FakeContext], bool] = lambda _: False
    reported: list[float] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    idempotency_key: str = "order-1"

    @property
    def cancelled(self) -> bool:
        return self.stop(self)

    def progress(self, fraction: float) -> None:
        self.reported.append(fraction)


def encode(picture: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, kind, **options)
    return stream.getvalue()


def scene(width: int = 600, height: int = 400) -> Image.Image:
    """A product of a colour of its own on a busy, sandy ground: nothing to cut out."""
    rng = random.Random(5)
    noise = Image.frombytes("L", (60, 40), rng.randbytes(2400)).resize((width, height))
    ground = Image.composite(
        Image.new("RGB", noise.size, (196, 150, 104)), Image.new("RGB", noise.size, (120, 84, 56)), noise
    )
    ImageDraw.Draw(ground).ellipse((width * 0.28, height * 0.18, width * 0.72, height * 0.82), fill=SUBJECT)
    return ground


def packshot(side: int = 700) -> Image.Image:
    """A product that stands free on white."""
    picture = Image.new("RGB", (side, side), (250, 250, 250))
    ImageDraw.Draw(picture).rounded_rectangle(
        (side * 0.3, side * 0.2, side * 0.7, side * 0.85), side * 0.05, fill=SUBJECT
    )
    return picture.filter(ImageFilter.GaussianBlur(0.8))


def portrait(width: int = 500, height: int = 700) -> Image.Image:
    """A head and shoulders on a busy ground."""
    picture = scene(width, height).filter(ImageFilter.GaussianBlur(12))
    pen = ImageDraw.Draw(picture)
    pen.ellipse((width * 0.1, height * 0.62, width * 0.9, height * 1.5), fill=(40, 60, 140))
    pen.ellipse((width * 0.32, height * 0.16, width * 0.68, height * 0.58), fill=(226, 180, 150))
    return picture


def reference(picture: Image.Image | bytes, role: ReferenceRole = ReferenceRole.PRODUCT) -> ImageReference:
    data = picture if isinstance(picture, bytes) else encode(picture)
    return ImageReference(role, FakeMedia(data))


def order(purpose: ImagePurpose = ImagePurpose.PLATFORM_KIT, **changes: Any) -> ImageRequest:
    values: dict[str, Any] = {
        "prompt": "",
        "brief": "",
        "negative_prompt": "",
        "ratio": "1:1",
        "purpose": purpose,
        "index": 0,
        "seed": 11,
        "references": (),
        "product": FACTS,
    }
    return ImageRequest(**{**values, **changes})


def make(request: ImageRequest, folder: Path, **context: Any) -> tuple[Image.Image, GeneratedFile]:
    """The finished picture and what the backend says of it."""
    folder.mkdir(parents=True, exist_ok=True)
    made = StudioImages().start(request, FakeContext(folder, **context)).result.image
    with Image.open(made.path) as picture:
        return picture.convert("RGB"), made


def share_of(picture: Image.Image, colour: tuple[int, int, int], near: int = 40) -> float:
    """The share of pixels near a colour."""
    small = picture.resize((160, 160), Image.Resampling.BOX)
    data = small.tobytes()
    hits = sum(
        all(abs(data[at + part] - colour[part]) <= near for part in range(3)) for at in range(0, len(data), 3)
    )
    return hits / (160 * 160)
