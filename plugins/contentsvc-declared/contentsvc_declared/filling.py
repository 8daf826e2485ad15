"""From a request to the provider's input."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from contentsvc.plugin import ImageRequest, MediaRef, ProviderError, VideoRequest
from contentsvc_declared.declaration import (
    Declaration,
    LengthSlot,
    PictureSlot,
    PicturesSlot,
    SeedSlot,
    TextSlot,
)
from contentsvc_declared.paths import put

Send = Callable[[MediaRef], str]
"""Makes a picture something the provider can read, and tells its address."""

_ROUNDING = 1e-6


@dataclass(frozen=True)
class Filled:
    """The input, and how many seconds were ordered: None for pictures and where nothing says so."""

    document: dict[str, Any]
    seconds: float | None = None


def fill(declaration: Declaration, request: ImageRequest | VideoRequest, send: Send) -> Filled:
    """The provider's input for a request. Pictures are sent on with ``send``.

    Raises ProviderError for what the model can't do: a ratio it doesn't know, a frame or
    references it has no field for.
    """
    inputs = declaration.input
    filling = _Filling(copy.deepcopy(declaration.fixed))
    filling.text(inputs.prompt, request.prompt)
    filling.text(inputs.ratio, request.ratio)
    seconds = None
    if isinstance(request, ImageRequest):
        filling.seed(inputs.seed, request.seed + request.index)
        filling.text(inputs.negative_prompt, request.negative_prompt or None)
        size = request.ratio
    else:
        filling.seed(inputs.seed, request.seed)
        filling.text(inputs.resolution, request.resolution)
        seconds = filling.length(inputs.duration, request.duration_seconds)
        filling.frame(inputs.first_frame, request.first_frame, send)
        filling.frame(inputs.last_frame, request.last_frame, send)
        size = f"{request.ratio} {request.resolution}"
    for slot in (inputs.size, inputs.width, inputs.height):
        filling.text(slot, size)
    filling.pictures(inputs.references, [reference.media for reference in request.references], send)
    return Filled(filling.document, seconds)


@dataclass(frozen=True)
class _Filling:
    document: dict[str, Any]

    def text(self, slot: TextSlot | None, text: str | None) -> None:
        if slot is None or text is None:
            return
        if slot.values and text not in slot.values:
            raise ProviderError(f"The model's options hold no value of {slot.field} for {text}.")
        self._put(slot.field, slot.values.get(text, text))

    def seed(self, slot: SeedSlot | None, seed: int) -> None:
        if slot is not None:
            self._put(slot.field, seed % (slot.max + 1))

    def length(self, slot: LengthSlot | None, seconds: float) -> float | None:
        if slot is None:
            return None
        ordered = ordered_length(slot, seconds)
        figure: int | float = int(ordered) if ordered.is_integer() else ordered
        self._put(slot.field, f"{figure}{slot.suffix}" if slot.text or slot.suffix else figure)
        return ordered

    def frame(self, slot: PictureSlot | None, media: MediaRef | None, send: Send) -> None:
        if media is None:
            return
        if slot is None:
            raise ProviderError("This model takes no first or last frame.")
        self._put(slot.field, send(media))

    def pictures(self, slot: PicturesSlot | None, pictures: list[MediaRef], send: Send) -> None:
        if not pictures:
            return
        if slot is None:
            raise ProviderError("This model takes no reference pictures, or none beside a first frame.")
        if slot.single:
            self._put(slot.field, send(pictures[0]))
        else:
            self._put(slot.field, [send(media) for media in pictures[: slot.max]])

    def _put(self, path: str, value: Any) -> None:
        try:
            put(self.document, path, value)
        except TypeError as error:
            raise ProviderError(f"The model's options can't be used: {error}.") from None


def ordered_length(slot: LengthSlot, seconds: float) -> float:
    """The shortest length on offer that is not shorter than what is asked for, or the longest."""
    if not slot.allowed:
        return float(min(slot.max, max(slot.min, math.ceil(seconds - _ROUNDING))))
    long_enough = [length for length in slot.allowed if length >= seconds - _ROUNDING]
    return min(long_enough) if long_enough else max(slot.allowed)
