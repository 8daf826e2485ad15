"""What plugins declare, checked: drivers with their settings, models, recharge channels."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
)

from contentsvc.plugin import BillingUnit, Capability, Driver, Model, PaymentChannel

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
SETTING_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
RESERVED_CHANNELS = frozenset({"manual"})
MAX_PRICE = Decimal(10) ** 12
MAX_OPTIONS_BYTES = 64 * 1024


class DeclarationError(ValueError):
    """A plugin declares something that can't be taken; the message says what and why."""


class KnownOptions(BaseModel):
    """The model options the service itself reads; any others belong to the backend."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    resubmit_safe: StrictBool = False
    fallback: StrictStr | None = None
    ratios: list[StrictStr] | None = None
    tokens_per_second: Annotated[StrictInt | StrictFloat, Field(gt=0, le=1_000_000)] | None = None


def check_driver(driver: Driver) -> None:
    """Raise DeclarationError unless ``driver`` can be used."""
    if not isinstance(driver, Driver):
        raise DeclarationError(f"a Driver is expected, not {type(driver).__name__}")
    if not NAME.fullmatch(driver.name):
        raise DeclarationError(f"driver name {driver.name!r}: lower-case letters, digits, - and _ only")
    if not driver.capabilities:
        raise DeclarationError(f"driver {driver.name} has no capability")
    for capability, backend in driver.capabilities.items():
        if not isinstance(capability, Capability) or not isinstance(backend, type):
            raise DeclarationError(
                f"driver {driver.name}: capabilities map a Capability to the class that backs it"
            )
    if driver.check is not None and not callable(driver.check):
        raise DeclarationError(f"driver {driver.name}: check can't be called")
    seen: set[str] = set()
    for setting in driver.settings:
        if not SETTING_NAME.fullmatch(setting.name) or setting.name in seen:
            raise DeclarationError(
                f"driver {driver.name}: setting {setting.name!r} is repeated or badly named"
            )
        seen.add(setting.name)


def check_model(model: Model, drivers: Mapping[str, Driver]) -> None:
    """Raise DeclarationError unless ``model`` can be written to the configuration tables."""
    if not isinstance(model, Model):
        raise DeclarationError(f"a Model is expected, not {type(model).__name__}")
    label = f"model {model.provider}/{model.name}"
    driver = drivers.get(model.provider)
    if driver is None:
        raise DeclarationError(f"{label}: no plugin has registered a driver {model.provider}")
    if not model.name or len(model.name) > 255:
        raise DeclarationError(f"{label}: a name has 1 to 255 characters")
    if model.capability not in driver.capabilities:
        raise DeclarationError(f"{label}: its driver does not back {model.capability}")
    if not isinstance(model.billing_unit, BillingUnit):
        raise DeclarationError(f"{label}: billing_unit is not a BillingUnit")
    if not _is_price(model.unit_price):
        raise DeclarationError(f"{label}: unit_price is not a Decimal from 0 with at most 6 decimals")
    if fault := options_fault(dict(model.options)):
        raise DeclarationError(f"{label}: {fault[0]} {fault[1]}")


def check_channel(channel: PaymentChannel) -> None:
    """Raise DeclarationError unless ``channel`` can be offered."""
    if not isinstance(channel, PaymentChannel):
        raise DeclarationError(f"a PaymentChannel is expected, not {type(channel).__name__}")
    if not NAME.fullmatch(channel.name) or channel.name in RESERVED_CHANNELS:
        raise DeclarationError(f"payment channel {channel.name!r} is badly named, or the service's own")
    ways = [way for way in (channel.confirm, channel.pay) if way is not None]
    if len(ways) != 1 or not callable(ways[0]):
        raise DeclarationError(f"payment channel {channel.name}: either confirm or pay is a function")


def options_fault(options: dict[str, Any]) -> tuple[str, str] | None:
    """``(dotted field, message)`` of the first fault in a model's options, or None."""
    try:
        text = json.dumps(options, allow_nan=False)
        KnownOptions.model_validate(options)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        path = ".".join(str(part) for part in ("options", *first["loc"][:1]))
        return path, f"{first['msg']}."
    except (TypeError, ValueError):
        return "options", "The options must be JSON."
    if len(text) > MAX_OPTIONS_BYTES:
        return "options", f"The options are larger than {MAX_OPTIONS_BYTES // 1024} KiB."
    return None


def _is_price(price: object) -> bool:
    if not isinstance(price, Decimal) or not price.is_finite() or not 0 <= price < MAX_PRICE:
        return False
    exponent = price.normalize().as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -6
