"""Reading a reference picture: whatever it is, upright sRGB of a workable size comes out."""

from __future__ import annotations

import io
import warnings
from typing import cast

from PIL import Image, ImageCms, ImageOps

from contentsvc.plugin import ImageReference, ProviderError, ReferenceRole

LONGEST_SIDE = 2000
MOST_PIXELS = 120_000_000

_NAMES = {
    ReferenceRole.PRODUCT: "product picture",
    ReferenceRole.PRESENTER: "presenter's portrait",
    ReferenceRole.CHARACTER: "character's portrait",
    ReferenceRole.SCENE: "picture of the scene",
    ReferenceRole.OTHER: "reference picture",
}


def load(reference: ImageReference) -> Image.Image:
    """The picture as RGB, or RGBA where it really has transparent parts.

    Upright (EXIF), in sRGB where it names another profile, at most
    :data:`LONGEST_SIDE` pixels. Large JPEGs are already decoded smaller.
    Raises ProviderError with a readable message where it can't be read.
    """
    name = _NAMES.get(reference.role, "reference picture")
    try:
        with warnings.catch_warnings(), reference.media.open() as stream:
            # Our own limit below answers in words; the library's would be a warning.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(stream) as picture:
                if picture.width * picture.height <= MOST_PIXELS:
                    return _prepare(picture)
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise ProviderError(f"The {name} can't be read; please upload it again.") from error
    raise ProviderError(f"The {name} has too many pixels to work with.")


def _prepare(picture: Image.Image) -> Image.Image:
    if picture.format == "JPEG":
        picture.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
    picture.load()
    profile = picture.info.get("icc_profile")
    upright = ImageOps.exif_transpose(picture)
    if max(upright.size) > LONGEST_SIDE:
        scale = LONGEST_SIDE / max(upright.size)
        size = (max(1, round(upright.width * scale)), max(1, round(upright.height * scale)))
        if upright.mode == "P":
            upright = upright.convert("RGBA")
        upright = upright.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)
    return _to_srgb(_eight_bit(upright), profile)


def _eight_bit(picture: Image.Image) -> Image.Image:
    if picture.mode == "F" or picture.mode.startswith("I"):
        wide = picture.convert("I").convert("F")
        _, brightest = cast("tuple[float, float]", wide.getextrema())
        factor = 255 / 65535 if brightest > 255 else 1.0
        return wide.point(lambda value: value * factor + 0.0).convert("L").convert("RGB")
    has_alpha = "A" in picture.getbands() or "transparency" in picture.info
    if not has_alpha:
        return picture.convert("RGB")
    with_alpha = picture.convert("RGBA")
    least, _ = with_alpha.getchannel("A").getextrema()
    return with_alpha.convert("RGB") if least == 255 else with_alpha


def _to_srgb(picture: Image.Image, profile: object) -> Image.Image:
    if not isinstance(profile, bytes) or not profile:
        return picture
    colours = picture.convert("RGB")
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if "sRGB" in (ImageCms.getProfileDescription(source) or ""):
            return picture
        target = ImageCms.createProfile("sRGB")
        converted = ImageCms.profileToProfile(colours, source, target, outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError):
        # A profile of CMYK or a broken one: the plain conversion is close enough.
        return picture
    if converted is None:
        return picture
    if picture.mode == "RGBA":
        converted.putalpha(picture.getchannel("A"))
    return converted
