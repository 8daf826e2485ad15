from decimal import Decimal
from importlib import metadata

import pytest

from contentsvc.plugin import BillingUnit, Capability, Driver, Model
from contentsvc_studio import StudioPlugin, plugin
from contentsvc_studio.images.backend import StudioImages


@pytest.fixture
def driver() -> Driver:
    found: list[Driver] = []
    StudioPlugin().contentsvc_register_providers(register=found.append)
    (driver,) = found
    return driver


@pytest.fixture
def models() -> list[Model]:
    found: list[Model] = []
    StudioPlugin().contentsvc_register_models(register=found.append)
    return found


def test_entry_point_leads_to_the_plugin() -> None:
    (entry,) = [
        entry for entry in metadata.entry_points(group="contentsvc.plugins") if entry.name == "studio"
    ]
    assert entry.load() is plugin


def test_driver_needs_no_secret(driver: Driver) -> None:
    assert (driver.name, driver.needs_secret) == ("studio", False)


def test_driver_backs_both_image_capabilities(driver: Driver) -> None:
    assert driver.capabilities[Capability.IMAGE_GENERATION] is StudioImages
    assert driver.capabilities[Capability.IMAGE_EDIT] is StudioImages


def test_every_setting_of_the_driver_may_be_left_empty(driver: Driver) -> None:
    assert [(setting.name, setting.default) for setting in driver.settings] == [
        ("font", ""),
        ("work_dir", ""),
    ]


def test_each_image_capability_has_a_default_model(models: list[Model]) -> None:
    images = {model.capability: model for model in models if model.name == "studio-image"}
    assert set(images) == {Capability.IMAGE_GENERATION, Capability.IMAGE_EDIT}
    assert all(model.is_default for model in images.values())


def test_pictures_are_priced_by_the_image(models: list[Model]) -> None:
    prices = {(model.unit_price, model.billing_unit) for model in models if model.name == "studio-image"}
    assert prices == {(Decimal("0.02"), BillingUnit.IMAGE)}


def test_models_may_be_ordered_again_after_an_unknown_outcome(models: list[Model]) -> None:
    assert all(model.options["resubmit_safe"] is True for model in models)


def test_image_models_know_the_seven_ratios(models: list[Model]) -> None:
    for model in models:
        if model.name != "studio-image":
            continue
        assert sorted(model.options["ratios"]) == ["16:9", "1:1", "2:3", "3:2", "3:4", "4:3", "9:16"]


def test_every_capability_of_the_driver_has_one_default_model(driver: Driver, models: list[Model]) -> None:
    assert sorted(model.capability for model in models) == sorted(driver.capabilities)
    assert all(model.is_default for model in models)
