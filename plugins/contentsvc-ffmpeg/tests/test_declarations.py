from decimal import Decimal
from importlib import metadata

from contentsvc.plugin import BillingUnit, Capability, Driver, Model
from contentsvc_ffmpeg import FfmpegPlugin, plugin
from contentsvc_ffmpeg.backend import FfmpegExport


def declared() -> tuple[Driver, Model]:
    drivers: list[Driver] = []
    models: list[Model] = []
    FfmpegPlugin().contentsvc_register_providers(register=drivers.append)
    FfmpegPlugin().contentsvc_register_models(register=models.append)
    (driver,), (model,) = drivers, models
    return driver, model


def test_entry_point_leads_to_the_plugin() -> None:
    (entry,) = [
        entry for entry in metadata.entry_points(group="contentsvc.plugins") if entry.name == "ffmpeg"
    ]
    assert entry.load() is plugin


def test_driver_backs_exports_without_a_key() -> None:
    driver, _ = declared()
    assert (driver.name, driver.needs_secret) == ("ffmpeg", False)
    assert driver.capabilities == {Capability.EXPORT: FfmpegExport}


def test_driver_declares_its_settings() -> None:
    driver, _ = declared()
    assert {setting.name: setting.default for setting in driver.settings} == {
        "binary": "",
        "font": "",
        "stall_seconds": "60",
        "threads": "0",
    }


def test_exports_are_free_and_may_be_repeated() -> None:
    _, model = declared()
    assert (model.unit_price, model.billing_unit) == (Decimal(0), BillingUnit.TASK)
    assert model.options["resubmit_safe"] is True


def test_the_model_is_the_default_of_its_capability() -> None:
    _, model = declared()
    assert (model.name, model.capability, model.is_default) == ("ffmpeg-export", Capability.EXPORT, True)
