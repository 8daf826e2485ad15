"""Pictures of the offline provider: one at a time, on one core, without the service around it."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from PIL import Image

from contentsvc.db.session import transaction_scope
from contentsvc.plugin import (
    Capability,
    Done,
    ImagePurpose,
    ImageReference,
    ImageRequest,
    ImageResult,
    ProductFacts,
    ReferenceRole,
    SellingPoint,
)
from contentsvc.providers.calls import provider_call
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.models import ModelConfig
from tools.bench.figures import Figure, percentile
from tools.bench.house import PHOTO, House
from tools.demo.story import PRODUCT

PICTURES = 8
NAMES = {
    ImagePurpose.PLATFORM_KIT: "platform set",
    ImagePurpose.TRY_ON: "try-on",
    ImagePurpose.FREE_CREATION: "free creation",
    ImagePurpose.PORTRAIT: "portrait",
}


class LocalFile:
    """A reference picture that lies on this disk."""

    public_url = None

    def __init__(self, path: Path) -> None:
        self._path = path
        self.handles: dict[str, str] = {}
        self.size_bytes = path.stat().st_size
        with Image.open(path) as picture:
            self.media_type = Image.MIME[str(picture.format)]
            self.width, self.height = picture.size

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        with self._path.open("rb") as stream:
            yield stream


def measure(house: House) -> Iterator[Figure]:
    """Processor seconds of each purpose's first eight pictures."""
    portrait = house.scratch / "portrait"
    with _one_core():
        # The first picture loads fonts and code; a worker does that once in its life.
        _picture(house, ImagePurpose.PORTRAIT, 0, (), keep=portrait)
        for purpose, name in NAMES.items():
            references = _references(purpose, portrait)
            seconds = [_picture(house, purpose, index, references) for index in range(PICTURES)]
            yield Figure(
                f"Picture, {name}",
                f"{percentile(seconds, 0.5):.2f} s (slowest {max(seconds):.2f} s)",
                f"processor time of one core, median of {PICTURES} layouts at 1:1",
            )


def _references(purpose: ImagePurpose, portrait: Path) -> tuple[ImageReference, ...]:
    product = ImageReference(ReferenceRole.PRODUCT, LocalFile(PHOTO))
    presenter = ImageReference(ReferenceRole.PRESENTER, LocalFile(portrait))
    return {
        ImagePurpose.PLATFORM_KIT: (product,),
        ImagePurpose.TRY_ON: (presenter, product),
        ImagePurpose.FREE_CREATION: (product,),
        ImagePurpose.PORTRAIT: (),
    }[purpose]


def _picture(
    house: House,
    purpose: ImagePurpose,
    index: int,
    references: tuple[ImageReference, ...],
    keep: Path | None = None,
) -> float:
    request = ImageRequest(
        prompt="warm morning light, calm and honest",
        brief="warm morning light, calm and honest",
        negative_prompt="",
        ratio="1:1",
        purpose=purpose,
        index=index,
        seed=7,
        references=references,
        product=None if purpose is ImagePurpose.PORTRAIT else _facts(),
    )
    with provider_call(
        house.registry,
        _model(house, edits=bool(references)),
        team_id=house.team_id,
        idempotency_key=str(uuid.uuid4()),
        on_progress=lambda _fraction: None,
        is_cancelled=lambda: False,
    ) as (backend, ctx):
        started = time.process_time()
        outcome = backend.start(request, ctx)
        seconds = time.process_time() - started
        if not isinstance(outcome, Done) or not isinstance(outcome.result, ImageResult):
            raise TypeError("the default model doesn't draw at once")
        if keep is not None:
            keep.write_bytes(outcome.result.image.path.read_bytes())
    return seconds


def _model(house: House, *, edits: bool) -> ModelConfig:
    wanted = Capability.IMAGE_EDIT if edits else Capability.IMAGE_GENERATION
    with transaction_scope(house.registry) as session:
        return catalog_of(house.registry).default(session, wanted)


def _facts() -> ProductFacts:
    told: dict[str, Any] = {**PRODUCT, "selling_points": tuple(_points())}
    return ProductFacts(**told)


def _points() -> Iterator[SellingPoint]:
    points: Any = PRODUCT["selling_points"]
    for point in points:
        yield SellingPoint(**point)


@contextmanager
def _one_core() -> Iterator[None]:
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
