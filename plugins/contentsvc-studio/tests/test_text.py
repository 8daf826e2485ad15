from pathlib import Path
from typing import Any

import pytest
import studio_fakes as fakes
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFont

import contentsvc_studio
from contentsvc.plugin import ImagePurpose, ProductFacts, ProviderError, ReferenceRole, SellingPoint
from contentsvc_studio.images.color import contrast, oklch, to_oklch
from contentsvc_studio.images.facts import read_facts
from contentsvc_studio.images.fonts import Fonts, clean
from contentsvc_studio.images.palette import SCHEMES, from_hue
from contentsvc_studio.images.sizes import SIZES
from contentsvc_studio.images.text import Lines, Para, column, measure, wrap

LONG = (
    "Hand-thrown stoneware espresso cup with matching saucer, double-fired reactive glaze in "
    "terracotta red, dishwasher safe, gift boxed set of six, 80 ml"
)
LONG_FACTS = ProductFacts(
    title=LONG,
    brand="The Extraordinarily Long Named Pottery Company",
    category="Kitchen and dining",
    description=LONG * 2,
    specs={f"specification number {at}": LONG for at in range(8)},
    selling_points=tuple(SellingPoint(LONG[at : at + 80], LONG) for at in range(6)),
)
UNBREAKABLE = ProductFacts(
    title="W" * 150, brand="M" * 40, selling_points=(SellingPoint("Q" * 80, "W" * 160),)
)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("facts", "ratio"),
    [
        *((LONG_FACTS, ratio) for ratio in ("1:1", "3:4", "9:16", "16:9")),
        (UNBREAKABLE, "9:16"),
        (UNBREAKABLE, "16:9"),
    ],
)
def test_no_text_leaves_the_picture(
    facts: ProductFacts, ratio: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[float, float, float, float]] = []
    draw = Lines.draw

    def watched(self: Lines, picture: Image.Image, x: int, y: int, span: int, align: str) -> None:
        drawn.append((x, y, x + max(span, self.width), y + self.height))
        assert self.width <= span + 1
        draw(self, picture, x, y, span, align)

    monkeypatch.setattr(Lines, "draw", watched)
    width, height = (length // 3 for length in SIZES[ratio])
    orders = [
        *((ImagePurpose.PLATFORM_KIT, at) for at in range(13)),
        *((ImagePurpose.TRY_ON, at) for at in range(3)),
    ]
    for purpose, index in orders:
        references = (fakes.reference(fakes.scene()),)
        fakes.make(
            fakes.order(purpose, references=references, ratio=ratio, product=facts, index=index), tmp_path
        )
    assert drawn
    assert all(left >= 0 and top >= 0 and right <= width and low <= height for left, top, right, low in drawn)


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet=st.sampled_from("abc WM-,.éß漢字 "), min_size=1, max_size=160),
    st.integers(120, 900),
    st.integers(30, 500),
)
def test_a_column_never_exceeds_its_box(text: str, width: int, height: int) -> None:
    found = column(Fonts(), [Para(clean(text), "strong", 8, (0, 0, 0))], width, height, 10.8)
    if found is not None:
        assert found.height <= height
        assert found.width <= width + 1


@given(st.text(alphabet="ab cdW", max_size=80), st.integers(20, 300))
@settings(deadline=None)
def test_wrapping_loses_no_letter(text: str, width: int) -> None:
    face = Fonts().face("text", 20)
    lines = wrap(face, clean(text), width)
    assert "".join(lines).replace(" ", "") == clean(text).replace(" ", "")
    assert all(measure(face, line, 0) <= width or len(line) == 1 for line in lines)


def test_chinese_is_wrapped_between_its_letters() -> None:
    face = ImageFont.load_default(20)
    assert isinstance(face, ImageFont.FreeTypeFont)
    lines = wrap(face, "一二三四五六七八", face.getlength("一二三") + 1)
    assert [len(line) for line in lines] == [3, 3, 2]


def test_texts_without_a_font_are_left_out_and_noted(tmp_path: Path) -> None:
    product = ProductFacts(title="浓缩咖啡杯", brand="Pikolo")
    _, made = fakes.make(fakes.order(product=product, references=(fakes.reference(fakes.scene()),)), tmp_path)
    assert made.metadata["text_omitted"] is True


def test_drawable_texts_are_not_noted_as_left_out(tmp_path: Path) -> None:
    _, made = fakes.make(fakes.order(references=(fakes.reference(fakes.scene()),)), tmp_path)
    assert "text_omitted" not in made.metadata


@pytest.mark.parametrize("text", ["Żółć Ärger", "Привет, мир", "Καλημέρα", "Crème brûlée № 5"])
def test_european_scripts_are_drawn(text: str) -> None:
    assert Fonts().role_for(text, "serif") is not None


@pytest.mark.parametrize("text", ["浓缩咖啡", "مرحبا", "नमस्ते", "한국어"])
def test_other_scripts_are_not_drawn_by_the_bundled_fonts(text: str) -> None:
    assert Fonts().role_for(text, "serif") is None


def test_letters_a_display_face_lacks_move_the_text_to_the_sans() -> None:
    assert Fonts().role_for("Привет", "poster") == "heavy"


def test_a_font_that_is_set_up_is_asked_last() -> None:
    manrope = Path(contentsvc_studio.__file__).parent / "fonts" / "Manrope-Regular.ttf"
    fonts = Fonts(extra=str(manrope))
    # Of the bundled families only the sans has the tugrik sign.
    assert fonts.role_for("₮", "serif") == "strong"
    assert fonts.role_for("浓缩", "serif") is None


def test_a_wrong_font_setting_is_told_in_words(tmp_path: Path) -> None:
    product = ProductFacts(title="浓缩咖啡杯")
    with pytest.raises(ProviderError, match="font"):
        fakes.make(fakes.order(product=product), tmp_path, settings={"font": str(tmp_path / "none.ttf")})


def test_emoji_and_control_characters_are_dropped() -> None:
    assert clean("Cup\u0000 ☕\ufe0f of\n\tjoy 🎉") == "Cup of joy"


def facts_of(**changes: Any) -> Any:
    return read_facts(fakes.order(**changes), Fonts())


def test_facts_hold_nothing_the_customer_did_not_say() -> None:
    facts = facts_of(product=ProductFacts(), brief="")
    assert facts.silent
    assert (facts.title, facts.brand, facts.points, facts.specs) == ("", "", (), ())


def test_only_plain_values_become_specifications() -> None:
    specs = {"volume": "80 ml", "weight": 310, "nested": {"a": 1}, "list": [1], "flag": True, "none": None}
    assert facts_of(product=ProductFacts(specs=specs)).specs == (("Volume", "80 ml"), ("Weight", "310"))


def test_a_short_brief_is_a_headline() -> None:
    assert facts_of(brief="slow mornings, good coffee", product=None).headline == "Slow mornings, good coffee"


def test_a_long_brief_is_no_headline() -> None:
    assert facts_of(brief="a " * 30, product=None).headline == ""


def test_no_text_in_the_brief_keeps_the_picture_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Lines, "draw", lambda *_: pytest.fail("a text was drawn"))
    references = (fakes.reference(fakes.scene(), ReferenceRole.PRODUCT),)
    fakes.make(fakes.order(brief="clean, no text please", references=references), tmp_path)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("hue", range(0, 360, 30))
@pytest.mark.parametrize("chroma", [0.0, 0.06, 0.16])
def test_every_palette_is_readable(scheme: str, hue: int, chroma: float) -> None:
    palette = from_hue(hue, chroma, scheme)
    assert contrast(palette.ink, palette.ground) >= 4.5
    assert contrast(palette.muted, palette.ground) >= 4.5
    assert contrast(palette.panel_ink, palette.panel) >= 4.5
    assert contrast(palette.accent, palette.ground) >= 4.5
    assert contrast(palette.panel_accent, palette.panel) >= 4.5


@pytest.mark.parametrize("rgb", [(255, 0, 0), (12, 90, 200), (250, 250, 245), (3, 3, 3), (120, 130, 60)])
def test_oklch_round_trip_keeps_the_colour(rgb: tuple[int, int, int]) -> None:
    back = oklch(*to_oklch(rgb))
    assert max(abs(one - two) for one, two in zip(rgb, back, strict=True)) <= 2
