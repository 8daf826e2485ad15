"""Base assets and storyboard frames."""

from pathlib import Path

import pytest
import studio_fakes as fakes
from PIL import Image

from contentsvc.plugin import ImagePurpose, ImageReference, ReferenceRole, ReviewRequest
from contentsvc_studio.images.figure.likeness import traits_of
from contentsvc_studio.images.figure.traits import HAIRS
from contentsvc_studio.images.places.draw import PLACES
from contentsvc_studio.reviews.backend import Verdict, judge

PRODUCT = (fakes.reference(fakes.scene()),)
PACKSHOT = (fakes.reference(fakes.packshot()),)
PHOTO_OF_PERSON = (fakes.reference(fakes.portrait(), ReferenceRole.CHARACTER),)
RAVI = "Ravi, a man in his twenties with a short beard and black hair and a terracotta shirt"
CAFE = "Corner café: a wooden counter, warm lamps, no people"
FILM = (
    ImagePurpose.PERSON,
    ImagePurpose.PRODUCT,
    ImagePurpose.SCENE,
    ImagePurpose.THREE_VIEW,
    ImagePurpose.STORYBOARD,
)


@pytest.fixture(scope="module")
def portrait(tmp_path_factory: pytest.TempPathFactory) -> ImageReference:
    """A person that Studio has drawn."""
    _, made = fakes.make(
        fakes.order(ImagePurpose.PERSON, brief=RAVI, ratio="3:4"), tmp_path_factory.mktemp("person")
    )
    return fakes.reference(made.path.read_bytes(), ReferenceRole.CHARACTER)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> ImageReference:
    _, made = fakes.make(
        fakes.order(ImagePurpose.SCENE, brief=CAFE, ratio="9:16"), tmp_path_factory.mktemp("place")
    )
    return fakes.reference(made.path.read_bytes(), ReferenceRole.SCENE)


def shot(brief: str, references: tuple[ImageReference, ...], folder: Path, index: int = 0) -> Image.Image:
    request = fakes.order(
        ImagePurpose.STORYBOARD, brief=brief, references=references, ratio="9:16", index=index
    )
    return fakes.make(request, folder)[0]


def difference(one: Image.Image, two: Image.Image) -> float:
    pairs = zip(one.resize((48, 48)).tobytes(), two.resize((48, 48)).tobytes(), strict=True)
    return sum(abs(a - b) for a, b in pairs) / (48 * 48 * 3)


@pytest.mark.parametrize("purpose", FILM)
@pytest.mark.usefixtures("small")
def test_the_same_order_gives_the_same_bytes(purpose: ImagePurpose, tmp_path: Path) -> None:
    request = fakes.order(purpose, references=PRODUCT, brief=f"{RAVI}, in a kitchen")
    first = fakes.make(request, tmp_path / "one")[1].path.read_bytes()
    assert fakes.make(request, tmp_path / "two")[1].path.read_bytes() == first


@pytest.mark.parametrize("purpose", FILM)
@pytest.mark.parametrize("references", [(), PRODUCT, PACKSHOT, PHOTO_OF_PERSON])
@pytest.mark.usefixtures("small")
def test_every_picture_passes_the_review(
    purpose: ImagePurpose, references: tuple[ImageReference, ...], tmp_path: Path
) -> None:
    request = fakes.order(purpose, references=references, brief="A woman in a kitchen", ratio="9:16")
    _, made = fakes.make(request, tmp_path)
    assert judge(ReviewRequest(fakes.FakeMedia(made.path.read_bytes()), "x")) is Verdict.APPROVED


def test_a_person_is_labelled_as_an_illustration(tmp_path: Path) -> None:
    _, made = fakes.make(fakes.order(ImagePurpose.PERSON, brief="a woman"), tmp_path)
    assert made.metadata["illustration"] is True
    assert made.metadata["illustration_label"] == "Illustrated woman, drawn by Studio; not a real person"


def test_a_person_looks_as_described(portrait: ImageReference) -> None:
    with portrait.media.open() as stream, Image.open(stream) as picture:
        traits = traits_of(picture)
    assert traits is not None
    assert (traits.woman, traits.beard, traits.garment, traits.hair) == (False, True, "shirt", HAIRS["black"])
    red, green, blue = traits.cloth
    assert red > green > blue


@pytest.mark.parametrize(
    "picture", [fakes.portrait(), fakes.scene(), fakes.packshot(), Image.new("RGB", (400, 500))]
)
def test_nobody_else_is_recognised(picture: Image.Image) -> None:
    assert traits_of(picture) is None


@pytest.mark.usefixtures("small")
def test_three_views_show_the_person_of_the_portrait(portrait: ImageReference, tmp_path: Path) -> None:
    request = fakes.order(ImagePurpose.THREE_VIEW, references=(portrait,), ratio="16:9")
    picture, made = fakes.make(request, tmp_path)
    assert made.metadata["views"] == ["front", "half side", "back"]
    third = picture.width // 3
    front, side, back = (picture.crop((at * third, 0, (at + 1) * third, picture.height)) for at in range(3))
    assert difference(front, side) > 2
    assert difference(front, back) > 4
    shirt = picture.getpixel((third // 2, picture.height - 40))
    assert isinstance(shirt, tuple)
    assert shirt[0] > shirt[1] > shirt[2]


@pytest.mark.usefixtures("small")
def test_three_views_of_a_photograph_claim_no_other_sides(tmp_path: Path) -> None:
    for references in (PRODUCT, PHOTO_OF_PERSON):
        request = fakes.order(ImagePurpose.THREE_VIEW, references=references, ratio="16:9")
        _, made = fakes.make(request, tmp_path)
        assert made.metadata["views"] == ["whole", "nearer", "detail"]
        assert made.metadata["illustration"] is False


@pytest.mark.parametrize("words", [names[0] for _, names in PLACES])
@pytest.mark.usefixtures("small")
def test_every_place_can_be_drawn(words: str, tmp_path: Path) -> None:
    request = fakes.order(ImagePurpose.SCENE, brief=words, ratio="16:9")
    _, made = fakes.make(request, tmp_path)
    expected = next(place.__name__ for place, names in PLACES if words in names)
    assert made.metadata["place"] == expected


def test_a_product_picture_shows_the_product(tmp_path: Path) -> None:
    picture, _ = fakes.make(fakes.order(ImagePurpose.PRODUCT, references=PACKSHOT, ratio="1:1"), tmp_path)
    assert fakes.share_of(picture, fakes.SUBJECT) > 0.1


@pytest.mark.usefixtures("small")
def test_a_shot_of_the_product_shows_it_large(place: ImageReference, tmp_path: Path) -> None:
    for index in range(3):
        picture = shot("Close-up of the cup", (place, *PACKSHOT), tmp_path, index)
        assert fakes.share_of(picture, fakes.SUBJECT) > 0.04


@pytest.mark.usefixtures("small")
def test_a_shot_of_a_person_shows_person_place_and_product(
    portrait: ImageReference, place: ImageReference, tmp_path: Path
) -> None:
    text = f"Corner café, evening. Medium shot of {RAVI}, holding the cup"
    picture = shot(text, (portrait, place, *PACKSHOT), tmp_path)
    without = shot(text, (place, *PACKSHOT), tmp_path)
    assert fakes.share_of(picture, fakes.SUBJECT) > 0.02
    assert difference(picture, without) > 1
    assert fakes.share_of(picture, (184, 99, 68), 30) > 0.05


@pytest.mark.usefixtures("small")
def test_close_and_wide_shots_differ(portrait: ImageReference, place: ImageReference, tmp_path: Path) -> None:
    close, wide = (
        shot(f"{kind} shot of {RAVI}, smiling", (portrait, place), tmp_path) for kind in ("Close", "Wide")
    )
    assert difference(close, wide) > 6


@pytest.mark.usefixtures("small")
def test_a_shot_keeps_to_the_first_person_and_place(
    portrait: ImageReference, place: ImageReference, tmp_path: Path
) -> None:
    text = f"Medium shot of {RAVI}, smiling"
    alone = shot(text, (portrait, place), tmp_path, 3)
    assert shot(text, (portrait, place, *PHOTO_OF_PERSON), tmp_path, 3) == alone
