"""What is tested: one capability of a plugin, as the service would load it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from contentsvc.plugin import Driver, Model, ModelInfo
from contentsvc.providers.declarations import check_driver, check_model
from contentsvc.testing.dialects import Dialect


@dataclass(frozen=True)
class Declared:
    """The drivers and models that a plugin registers, checked as the service checks them."""

    drivers: Mapping[str, Driver]
    models: Sequence[Model]

    @classmethod
    def of(cls, plugin: Any) -> Declared:
        """Ask a plugin: what its entry point names. Raises what is wrong with a declaration."""
        drivers: list[Driver] = []
        plugin.contentsvc_register_providers(register=drivers.append)
        for driver in drivers:
            check_driver(driver)
        by_name = {driver.name: driver for driver in drivers}
        models: list[Model] = []
        if hasattr(plugin, "contentsvc_register_models"):
            plugin.contentsvc_register_models(register=models.append)
        for model in models:
            check_model(model, by_name)
        return cls(by_name, models)


@dataclass(frozen=True)
class Subject:
    """A dialect, and the part of the plugin that speaks it."""

    declared: Declared
    dialect: Dialect

    @cached_property
    def driver(self) -> Driver:
        """The driver that the dialect names, or the only one with its capability."""
        found = [
            driver
            for driver in self.declared.drivers.values()
            if self.dialect.driver in ("", driver.name) and self.dialect.capability in driver.capabilities
        ]
        if len(found) != 1:
            names = ", ".join(driver.name for driver in found) or "none"
            raise LookupError(f"{self.dialect.capability} is backed by {names}; the dialect names one driver")
        return found[0]

    @cached_property
    def backend(self) -> type[Any]:
        """The class behind the capability."""
        return self.driver.capabilities[self.dialect.capability]

    @cached_property
    def model(self) -> ModelInfo:
        """The model that is ordered; a nameless one where the plugin declares none."""
        capability = self.dialect.capability
        for model in self.declared.models:
            ours = model.provider == self.driver.name and model.capability is capability
            if ours and self.dialect.model in ("", model.name):
                options = {**model.options, **self.dialect.options}
                return ModelInfo(model.name, model.endpoint, capability, options, model.billing_unit)
        if self.dialect.model:
            raise LookupError(f"the plugin declares no model {self.dialect.model} for {capability}")
        return ModelInfo("model", "", capability, self.dialect.options)

    def settings(self, folder: Path) -> dict[str, str]:
        """The driver's settings, defaults filled in."""
        defaults = {setting.name: setting.default for setting in self.driver.settings}
        return defaults | dict(self.dialect.settings(folder))
