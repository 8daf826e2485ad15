from decimal import Decimal
from pathlib import Path

import pytest
import studio_fakes as fakes

from contentsvc.plugin import ImagePurpose, ImageReference, ProductFacts, ProviderError, ReferenceRole
from contentsvc_studio.images.backend import StudioImages
from contentsvc_studio.images.layouts import ART, FIGURE, KIT, PORTRAIT, TRY_ON, WITH_PHOTO, choose
from contentsvc_studio.images.references import load
from contentsvc_studio.images.shots import make_shot
from contentsvc_studio.images.sizes import SIZES

PRODUCT = (fakes.reference(fakes.scene()),)
PACKSHOT = (fakes.reference(fakes.packshot()),)
PRESENTER = (fakes.reference(fakes.portrait(), ReferenceRole.PRESENTER),)

MARKETING = (
    ImagePurpose.TRY_ON,
    ImagePurpose.PLATFORM_KIT,
    ImagePurpose.FREE_CREATION,
    ImagePurpose.PORTRAIT,
)


def names_of(purpose: ImagePurpose, references: tuple[ImageReference, ...], count: int) -> list[str]:
    """The layouts a batch gets, without making the pictures."""
    shots = tuple(make_shot(load(each)) for each in references if each.role is not ReferenceRole.PRESENTER)
    presenters = [each for each in references if each.role is ReferenceRole.PRESENTER]
    person = make_shot(load(presenters[0]), person=True) if presenters else None
    return [choose(fakes.order(purpose, index=index), shots, person).name for index in range(count)]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("purpose", MARKETING)
@pytest.mark.parametrize("references", [(), PRODUCT, PRESENTER + PRODUCT], ids=["none", "product", "both"])
def test_same_request_gives_the_same_bytes(
    purpose: ImagePurpose, references: tuple[ImageReference, ...], tmp_path: Path
) -> None:
    request = fakes.order(purpose, references=references, brief="warm autumn light", index=1)
    first = fakes.make(request, tmp_path / "one")[1].path.read_bytes()
    assert fakes.make(request, tmp_path / "two")[1].path.read_bytes() == first


def test_another_seed_gives_another_picture(tmp_path: Path) -> None:
    one = fakes.make(fakes.order(references=PRODUCT, seed=1), tmp_path)[1].path.read_bytes()
    assert fakes.make(fakes.order(references=PRODUCT, seed=2), tmp_path)[1].path.read_bytes() != one


@pytest.mark.parametrize("ratio", list(SIZES))
def test_every_ratio_is_met_exactly(ratio: str, tmp_path: Path) -> None:
    picture, _ = fakes.make(fakes.order(references=PRODUCT, ratio=ratio), tmp_path)
    across, down = (int(part) for part in ratio.split(":"))
    assert picture.width * down == picture.height * across


@pytest.mark.parametrize("ratio", list(SIZES))
def test_long_side_has_at_least_1024_pixels(ratio: str) -> None:
    assert max(SIZES[ratio]) >= 1024


def test_unknown_ratio_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="5:4"):
        fakes.make(fakes.order(ratio="5:4"), tmp_path)


@pytest.mark.parametrize("purpose", MARKETING)
@pytest.mark.parametrize(
    "references", [(), PRODUCT, PACKSHOT, PRESENTER + PRODUCT], ids=["none", "scene", "packshot", "both"]
)
def test_a_batch_of_twelve_has_twelve_layouts(
    purpose: ImagePurpose, references: tuple[ImageReference, ...]
) -> None:
    assert len(set(names_of(purpose, references, 12))) == 12


@pytest.mark.usefixtures("small")
def test_layouts_of_a_batch_look_different(tmp_path: Path) -> None:
    pictures = [
        fakes.make(fakes.order(references=PRODUCT, index=index), tmp_path)[1].path.read_bytes()
        for index in range(len(KIT))
    ]
    assert len(set(pictures)) == len(KIT)


def test_first_picture_of_a_platform_set_is_the_hero() -> None:
    assert names_of(ImagePurpose.PLATFORM_KIT, PRODUCT, 1) == ["hero"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("product", "ratio"),
    [(fakes.FACTS, "9:16"), (fakes.FACTS, "16:9"), (ProductFacts(), "1:1")],
    ids=["facts upright", "facts wide", "empty"],
)
@pytest.mark.parametrize(
    ("purpose", "references", "count"),
    [
        (ImagePurpose.PLATFORM_KIT, PRODUCT, len(KIT)),
        (ImagePurpose.PLATFORM_KIT, PACKSHOT, len(KIT) - 1),
        (ImagePurpose.TRY_ON, PRESENTER + PRODUCT, len(TRY_ON)),
        (ImagePurpose.TRY_ON, PRESENTER, len(TRY_ON)),
        (ImagePurpose.TRY_ON, PRODUCT, len(FIGURE)),
        (ImagePurpose.FREE_CREATION, PRODUCT + PRESENTER, len(WITH_PHOTO) + 1),
        (ImagePurpose.FREE_CREATION, (), len(ART)),
        (ImagePurpose.PORTRAIT, PRESENTER, len(PORTRAIT)),
        (ImagePurpose.PORTRAIT, (), len(PORTRAIT)),
    ],
)
def test_every_layout_works_with_and_without_facts(
    purpose: ImagePurpose,
    references: tuple[ImageReference, ...],
    count: int,
    product: ProductFacts,
    ratio: str,
    tmp_path: Path,
) -> None:
    for index in range(count):
        request = fakes.order(purpose, references=references, ratio=ratio, product=product, index=index)
        picture, _ = fakes.make(request, tmp_path)
        assert picture.size == (SIZES[ratio][0] // 3, SIZES[ratio][1] // 3)
        darkest, lightest = picture.convert("L").getextrema()
        assert float(lightest) - float(darkest) > 30  # type: ignore[arg-type]


def test_usage_is_one_image_with_its_size(tmp_path: Path) -> None:
    done = StudioImages().start(fakes.order(references=PRODUCT, ratio="3:4"), fakes.FakeContext(tmp_path))
    assert done.result.usage.units == Decimal(1)
    assert done.result.usage.raw == {"images": 1, "width": 1080, "height": 1440}


def test_progress_only_grows_and_ends_at_one(tmp_path: Path) -> None:
    context = fakes.FakeContext(tmp_path)
    StudioImages().start(fakes.order(references=PRODUCT), context)
    assert context.reported == sorted(context.reported)
    assert context.reported[-1] == 1.0


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_a_cancelled_order_stops_between_its_stages(after: int, tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="no longer wanted"):
        fakes.make(
            fakes.order(references=PRODUCT), tmp_path, stop=lambda context: len(context.reported) >= after
        )
    assert not list(tmp_path.iterdir())


def test_photographs_are_no_illustrations(tmp_path: Path) -> None:
    _, made = fakes.make(fakes.order(ImagePurpose.TRY_ON, references=PRESENTER + PRODUCT), tmp_path)
    assert made.metadata["illustration"] is False


@pytest.mark.parametrize("purpose", [ImagePurpose.TRY_ON, ImagePurpose.PORTRAIT])
def test_a_drawn_person_is_labelled_as_an_illustration(purpose: ImagePurpose, tmp_path: Path) -> None:
    _, made = fakes.make(fakes.order(purpose, references=()), tmp_path)
    assert made.metadata["illustration"] is True
    assert "not a real person" in str(made.metadata["illustration_label"])


@pytest.mark.usefixtures("small")
def test_brief_decides_who_is_drawn(tmp_path: Path) -> None:
    labels = [
        fakes.make(fakes.order(ImagePurpose.PORTRAIT, brief=brief, seed=seed, product=None), tmp_path)[
            1
        ].metadata["illustration_label"]
        for brief in ("an older woman with grey hair", "a man with a beard")
        for seed in range(3)
    ]
    assert [str(label).split(",")[0] for label in labels] == ["Illustrated woman"] * 3 + [
        "Illustrated man"
    ] * 3


def test_hero_shows_the_photographs_own_pixels(tmp_path: Path) -> None:
    picture, _ = fakes.make(fakes.order(references=PRODUCT, ratio="16:9"), tmp_path)
    width = round(picture.width * 0.58)
    panel = picture.crop((0, 0, width, picture.height)).resize((96, 96))
    expected = make_shot(fakes.scene()).crop(width, picture.height).resize((96, 96))
    pairs = zip(panel.tobytes(), expected.tobytes(), strict=True)
    assert sum(abs(one - two) for one, two in pairs) / len(panel.tobytes()) < 5


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("references", [PRODUCT, PACKSHOT], ids=["scene", "packshot"])
def test_every_kit_layout_shows_the_product_in_its_own_colour(
    references: tuple[ImageReference, ...], tmp_path: Path
) -> None:
    for index in range(12):
        # A ground of another hue, so that the colour found is the product's.
        picture, made = fakes.make(
            fakes.order(references=references, index=index, brief="purple", ratio="3:4"), tmp_path
        )
        assert fakes.share_of(picture, fakes.SUBJECT) > 0.02, made.metadata["layout"]


def test_figure_holds_the_product(tmp_path: Path) -> None:
    request = fakes.order(ImagePurpose.TRY_ON, references=PRODUCT, brief="purple", ratio="3:4")
    picture, made = fakes.make(request, tmp_path)
    assert made.metadata["layout"] == "presented"
    assert fakes.share_of(picture, fakes.SUBJECT) > 0.01


def test_colour_named_in_the_brief_colours_the_picture(tmp_path: Path) -> None:
    means = []
    for brief in ("calm blue ocean", "calm green ocean"):
        picture, _ = fakes.make(fakes.order(ImagePurpose.FREE_CREATION, brief=brief, product=None), tmp_path)
        red, green, blue = picture.resize((1, 1)).tobytes()
        means.append((red, green, blue))
    assert means[0][2] > means[0][1] > means[0][0]
    assert means[1][1] > means[1][0]
    assert means[1][1] - means[1][2] > means[0][1] - means[0][2]


def test_motif_named_in_the_brief_comes_first(tmp_path: Path) -> None:
    _, made = fakes.make(
        fakes.order(ImagePurpose.FREE_CREATION, brief="mountain lake at dawn", product=None), tmp_path
    )
    assert made.metadata["layout"] == "hills"


def test_polling_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProviderError):
        StudioImages().poll("x", fakes.FakeContext(tmp_path))
