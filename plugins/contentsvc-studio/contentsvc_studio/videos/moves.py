"""From a prompt to a camera move, from pictures to the frames it goes over."""

from __future__ import annotations

import re
from random import Random

from PIL import Image

from contentsvc.plugin import ImageReference, MediaRef, ProviderError, ReferenceRole, VideoRequest
from contentsvc_studio.images import light
from contentsvc_studio.images.places.draw import draw_place
from contentsvc_studio.images.references import load
from contentsvc_studio.images.shots import enlarge
from contentsvc_studio.images.words import read_theme

SHORT_SIDES = {"480p": 480, "720p": 720, "1080p": 1080}
MOVES = (
    ("in", r"push(es|ing)? in|zoom(s|ing)? in|dolly in|closer|slow zoom|move in"),
    ("out", r"pull(s|ing)? (out|back)|zoom(s|ing)? out|dolly out|reveal"),
    ("right", r"(pan|pans|panning|track|tracking|slide)\b[^.]{0,20}\bright"),
    ("left", r"(pan|pans|panning|track|tracking|slide)\b[^.]{0,20}\bleft"),
    ("up", r"(tilt|tilts|tilting|crane|rise)\b[^.]{0,16}\bup|crane up"),
    ("down", r"(tilt|tilts|tilting|crane)\b[^.]{0,16}\bdown"),
    ("drift-back", r"drift[^.]{0,20}\bleft|orbit|parallax"),
    ("drift", r"drift|handheld|float|follow"),
)
# The camera comes as near as 1.17; the source is that much larger than the frame.
RESERVE = 1.2
LEAST_KEPT = 0.42


def size_of(ratio: str, resolution: str) -> tuple[int, int]:
    """Even pixels; ProviderError for a ratio or resolution nobody can film in."""
    match = re.fullmatch(r"(\d{1,2}):(\d{1,2})", ratio)
    if match is None or resolution not in SHORT_SIDES or "0" in match.groups():
        raise ProviderError(f"Studio makes no clips of {resolution[:8]!r} and {ratio[:8]!r}.")
    across, down = int(match.group(1)), int(match.group(2))
    if max(across, down) > 3 * min(across, down):
        raise ProviderError(f"Studio makes no clips of the ratio {ratio!r}.")
    short = SHORT_SIDES[resolution]
    long = 2 * round(short * max(across, down) / min(across, down) / 2)
    return (short, long) if across <= down else (long, short)


def move_for(prompt: str, seed: int) -> str:
    """The move the prompt names, else one by the seed."""
    lowered = prompt.lower()
    for move, pattern in MOVES:
        if re.search(pattern, lowered):
            return move
    return MOVES[seed % len(MOVES)][0]


def first_picture(request: VideoRequest, size: tuple[int, int]) -> Image.Image:
    """What the clip begins with: the first frame, else the first reference, else a place
    drawn from the prompt."""
    if request.first_frame is not None:
        return _source(request.first_frame, size)
    if request.references:
        return _source(request.references[0].media, size)
    larger = _reserved(size)
    rng = Random(f"{request.seed}:{request.prompt}")  # noqa: S311 - variety, not secrecy
    picture, _ = draw_place(larger, request.prompt, read_theme(request.prompt), rng)
    light.grain(picture, request.seed, 3)
    return picture


def last_picture(request: VideoRequest, size: tuple[int, int]) -> Image.Image | None:
    """What the clip ends with, where that is given."""
    return _source(request.last_frame, size) if request.last_frame is not None else None


def _reserved(size: tuple[int, int]) -> tuple[int, int]:
    return round(size[0] * RESERVE), round(size[1] * RESERVE)


def _source(media: MediaRef, size: tuple[int, int]) -> Image.Image:
    """The picture filling the frame; where a crop would lose most of it, whole on a soft
    enlargement of itself."""
    picture = load(ImageReference(ReferenceRole.OTHER, media))
    if picture.mode == "RGBA":
        flat = Image.new("RGB", picture.size, (244, 243, 241))
        flat.paste(picture, mask=picture.getchannel("A"))
        picture = flat
    larger = _reserved(size)
    scale = min(picture.width / larger[0], picture.height / larger[1])
    across, down = larger[0] * scale, larger[1] * scale
    left, top = (picture.width - across) / 2, (picture.height - down) / 2
    filled = enlarge(picture, (left, top, left + across, top + down), larger)
    if across * down >= LEAST_KEPT * picture.width * picture.height:
        return filled
    ground = light.softened(filled, 0.03)
    fit = min(larger[0] / picture.width, larger[1] / picture.height)
    inner = (max(2, round(picture.width * fit)), max(2, round(picture.height * fit)))
    ground.paste(
        enlarge(picture, (0, 0, picture.width, picture.height), inner),
        ((larger[0] - inner[0]) // 2, (larger[1] - inner[1]) // 2),
    )
    return ground
