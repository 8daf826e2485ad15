"""Prompts and ratios."""

from __future__ import annotations

import pytest

from contentsvc.generation.prompts import LAYOUTS, check_template, fill, picture_prompt, product_name
from contentsvc.plugin import ImagePurpose, ProductFacts, SellingPoint

CUP = ProductFacts(title="Cup", brand="Pikolo", selling_points=(SellingPoint("Warm"), SellingPoint("Red")))


def test_a_template_is_filled() -> None:
    assert fill("{product}: {prompt}", prompt="at dawn", product="Cup", ratio="1:1") == "Cup: at dawn"


@pytest.mark.parametrize("template", ["{unknown}", "{prompt.real}", "{prompt[0]}", "{0}", "{}", "{prompt"])
def test_a_template_with_anything_else_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"placeholder|braces"):
        check_template(template)


@pytest.mark.parametrize("template", ["{prompt:>999999}", "{prompt!r}"])
def test_a_template_takes_no_formats(template: str) -> None:
    with pytest.raises(ValueError, match="format"):
        check_template(template)


def test_what_the_customer_typed_is_never_taken_for_a_template() -> None:
    assert fill("{prompt}", prompt="{unknown}", product="", ratio="") == "{unknown}"


def test_the_prompt_names_the_product_and_its_points() -> None:
    prompt = picture_prompt(ImagePurpose.PLATFORM_KIT, "at dawn", CUP, 0).prompt
    assert "Pikolo Cup" in prompt
    assert "Warm, Red" in prompt


def test_pictures_of_a_batch_ask_for_different_layouts() -> None:
    prompts = {
        picture_prompt(ImagePurpose.PLATFORM_KIT, "at dawn", CUP, i).prompt for i in range(len(LAYOUTS))
    }
    assert len(prompts) == len(LAYOUTS) == 12


def test_a_product_without_a_name_is_still_called_something() -> None:
    assert product_name(ProductFacts()) == "the product"
