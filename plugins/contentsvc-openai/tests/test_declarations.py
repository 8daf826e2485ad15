from __future__ import annotations

from importlib import metadata

from contentsvc.plugin import Capability
from contentsvc.testing import Declared
from contentsvc_openai import plugin


def test_entry_point_leads_to_the_plugin() -> None:
    [entry] = [found for found in metadata.entry_points(group="contentsvc.plugins") if found.name == "openai"]
    assert entry.load() is plugin


def test_the_driver_needs_a_key() -> None:
    [driver] = Declared.of(plugin).drivers.values()
    assert (driver.name, driver.needs_secret, driver.base_url) == (
        "openai",
        True,
        "https://api.openai.com/v1",
    )


def test_every_capability_has_a_model_and_none_is_a_default() -> None:
    declared = Declared.of(plugin)
    [driver] = declared.drivers.values()
    assert sorted(model.capability for model in declared.models) == sorted(driver.capabilities)
    assert not any(model.is_default for model in declared.models)


def test_no_order_is_repeated_by_itself() -> None:
    assert not any("resubmit_safe" in model.options for model in Declared.of(plugin).models)


def test_each_offered_shape_has_a_size() -> None:
    [model] = [model for model in Declared.of(plugin).models if model.capability is Capability.IMAGE_EDIT]
    shapes = [tuple(map(int, size.split("x"))) for size in model.options["sizes"]]
    assert all(width % 16 == 0 and height % 16 == 0 for width, height in shapes)
    assert len(shapes) == len(model.options["ratios"]) == 7
