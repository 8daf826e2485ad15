from importlib import metadata

import pytest
from volcengine_calls import DECLARED

from contentsvc.plugin import Capability, Model
from contentsvc_volcengine import plugin


def test_entry_point_leads_to_the_plugin() -> None:
    (entry,) = metadata.entry_points(group="contentsvc.plugins", name="volcengine")
    assert entry.load() is plugin


def test_drivers_need_a_key_each() -> None:
    assert {name: driver.needs_secret for name, driver in DECLARED.drivers.items()} == {
        "volcengine": True,
        "volcengine-speech": True,
    }


def test_no_model_becomes_a_default() -> None:
    assert not any(model.is_default for model in DECLARED.models)


def test_no_order_of_unknown_outcome_is_repeated() -> None:
    assert not any(model.options.get("resubmit_safe") for model in DECLARED.models)


def test_every_capability_has_a_model() -> None:
    backed = {capability for driver in DECLARED.drivers.values() for capability in driver.capabilities}
    assert {model.capability for model in DECLARED.models} == backed
    assert backed == set(Capability) - {Capability.EXPORT}


@pytest.mark.parametrize("model", [m for m in DECLARED.models if "sizes" in m.options], ids=lambda m: m.name)
def test_sizes_have_the_shape_of_their_ratio(model: Model) -> None:
    for ratio, size in model.options["sizes"].items():
        across, down = map(int, ratio.split(":"))
        width, height = map(int, size.split("x"))
        assert width / height == pytest.approx(across / down, rel=0.002)
        assert 3_686_400 <= width * height <= 10_404_496
