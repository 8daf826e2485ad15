from pathlib import Path

import pytest
import studio_fakes as fakes
from PIL import Image

from contentsvc.plugin import ImageReference, ProviderError, ReferenceRole
from contentsvc_studio.images.references import LONGEST_SIDE, load
from contentsvc_studio.images.shots import make_shot


def loaded(picture: Image.Image, kind: str = "PNG", **options: object) -> Image.Image:
    return load(fakes.reference(fakes.encode(picture, kind, **options)))


def test_exif_orientation_is_applied() -> None:
    picture = fakes.scene(300, 200)
    exif = Image.Exif()
    exif[0x0112] = 6
    assert loaded(picture, "JPEG", exif=exif.tobytes()).size == (200, 300)


def test_large_photographs_come_out_at_a_workable_size() -> None:
    big = Image.new("RGB", (8660, 5774), (90, 120, 150))
    assert max(loaded(big, "JPEG", quality=30).size) == LONGEST_SIDE


def test_small_photographs_keep_their_size() -> None:
    assert loaded(fakes.scene(300, 200)).size == (300, 200)


def test_real_transparency_is_kept() -> None:
    picture = Image.new("RGBA", (80, 80), (0, 0, 0, 0))
    picture.paste((255, 0, 0, 255), (20, 20, 60, 60))
    assert loaded(picture).mode == "RGBA"


def test_opaque_alpha_is_dropped() -> None:
    assert loaded(Image.new("RGBA", (80, 80), (1, 2, 3, 255))).mode == "RGB"


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "I;16", "CMYK"])
def test_every_pixel_format_becomes_colour(mode: str) -> None:
    picture = fakes.scene(120, 80).convert("L" if mode == "I;16" else mode)
    if mode == "I;16":
        picture = picture.convert("I").point(lambda value: value * 257).convert("I;16")
    kind = "TIFF" if mode == "CMYK" else "PNG"
    assert loaded(picture, kind).mode in ("RGB", "RGBA")


def test_sixteen_bit_grey_keeps_its_brightness() -> None:
    picture = Image.new("I;16", (40, 40), 128 * 257)
    assert abs(loaded(picture).getpixel((5, 5))[0] - 128) <= 1  # type: ignore[index]


@pytest.mark.parametrize(
    ("role", "name"),
    [
        (ReferenceRole.PRODUCT, "product picture"),
        (ReferenceRole.PRESENTER, "presenter's portrait"),
        (ReferenceRole.OTHER, "reference picture"),
    ],
)
@pytest.mark.parametrize("kind", ["text", "cut off", "empty"])
def test_unreadable_references_are_named_in_words(role: ReferenceRole, name: str, kind: str) -> None:
    data = {
        "text": b"no picture at all",
        "cut off": fakes.encode(fakes.scene())[:900],
        "empty": b"",
    }[kind]
    with pytest.raises(ProviderError, match=f"The {name} can't be read") as caught:
        load(ImageReference(role, fakes.FakeMedia(data)))
    assert not caught.value.retryable


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("size", [(1, 1), (7, 5), (3000, 60), (60, 3000)])
@pytest.mark.parametrize("ratio", ["16:9", "9:16"])
def test_odd_sizes_still_make_a_picture(size: tuple[int, int], ratio: str, tmp_path: Path) -> None:
    for index in range(13):
        request = fakes.order(references=(fakes.reference(fakes.scene(*size)),), ratio=ratio, index=index)
        picture, _ = fakes.make(request, tmp_path)
        assert min(picture.size) == 360


def test_a_free_standing_product_is_cut_out() -> None:
    cut = make_shot(fakes.packshot()).cut
    assert cut is not None
    assert abs(cut.width - 280) <= 6
    assert abs(cut.height - 455) <= 6


def test_the_cut_has_a_soft_edge_and_the_products_own_colour() -> None:
    cut = make_shot(fakes.packshot()).cut
    assert cut is not None
    levels = set(cut.getchannel("A").tobytes())
    assert {0, 255} < levels
    middle = cut.getpixel((cut.width // 2, cut.height // 2))
    assert middle == (*fakes.SUBJECT, 255)


@pytest.mark.parametrize(
    "picture",
    [
        fakes.scene(),
        Image.new("RGB", (400, 400), "white"),
        fakes.packshot().crop((300, 200, 700, 700)),
        Image.linear_gradient("L").convert("RGB"),
    ],
    ids=["busy ground", "nothing there", "touches the border", "gradient"],
)
def test_unsafe_cuts_are_left(picture: Image.Image) -> None:
    assert make_shot(picture).cut is None


def test_a_person_is_never_cut_out_of_an_opaque_photo() -> None:
    picture = Image.new("RGB", (400, 500), (230, 230, 232))
    picture.paste((40, 60, 140), (100, 100, 300, 400))
    assert make_shot(picture).cut is not None
    assert make_shot(picture, person=True).cut is None


def test_alpha_is_the_cut_where_a_reference_has_one() -> None:
    picture = Image.new("RGBA", (200, 200), (0, 0, 0, 0))
    picture.paste((200, 40, 40, 255), (50, 60, 150, 180))
    cut = make_shot(picture).cut
    assert cut is not None
    assert cut.size == (100, 120)


def test_crops_keep_an_off_centre_subject() -> None:
    picture = Image.new("RGB", (900, 300), (128, 124, 120))
    picture.paste(fakes.SUBJECT, (640, 60, 820, 240))
    crop = make_shot(picture).crop(300, 300)
    assert fakes.share_of(crop, fakes.SUBJECT) > 0.3
