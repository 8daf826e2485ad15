"""Providers and model configs as they come in and go out."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, StringConstraints, field_validator

from contentsvc.http import PageQuery
from contentsvc.http.types import Factor, FactorIn, Id, In, JsonObject, Out, Word
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.providers.declarations import MAX_PRICE
from contentsvc.providers.models import ConfigStatus, Health


def _web_address(value: str) -> str:
    """An http(s) URL whose every part can be shown, or nothing."""
    if not value:
        return value
    message = "An http or https address is expected, as https://api.example.com/v1."
    if any(character.isspace() or not character.isprintable() for character in value):
        raise ValueError(message)
    try:
        parts = urlsplit(value)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(message) from None
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise ValueError(message)
    if parts.username is not None or parts.password is not None:
        raise ValueError("Credentials don't belong in the address; send them as api_key.")
    return value


def _api_key(value: SecretStr | None) -> SecretStr | None:
    """A pasted key without the white space around it; null and "" are no key."""
    text = value.get_secret_value().strip() if value is not None else ""
    if not text:
        return None
    if len(text) > 4096 or not text.isascii() or not text.isprintable():
        raise ValueError("At most 4096 visible ASCII characters are expected.")
    return SecretStr(text)


Name = Annotated[str, StringConstraints(min_length=1, max_length=255, strip_whitespace=True)]
BaseUrl = Annotated[str, StringConstraints(max_length=2048), AfterValidator(_web_address)]
ApiKey = Annotated[SecretStr | None, AfterValidator(_api_key)]
Price = Annotated[FactorIn, Field(ge=0, lt=MAX_PRICE)]
Endpoint = Annotated[str, StringConstraints(max_length=2048)]


class ProviderFields(Out):
    """An account with somebody who runs models, as it is set up; his key is never shown."""

    id: Id
    name: str
    display_name: str
    driver: str
    base_url: str
    has_api_key: bool
    status: ConfigStatus


class ProviderOut(ProviderFields):
    """An account with somebody who runs models; his key is never shown."""

    health: Health = Field(
        description="`open`: processes send it nothing at present, because it fails. "
        "`degraded`: it has failed lately, or asked to be left alone for a while."
    )


class ProviderIn(In):
    """A new provider. ``driver`` is a registered driver's name, and the provider's own unless told."""

    name: Name
    display_name: Name
    driver: Name | None = None
    base_url: BaseUrl = ""
    api_key: ApiKey = None
    status: ConfigStatus = ConfigStatus.ACTIVE


class ProviderPatch(In):
    """What is to change. ``api_key``: null or "" removes the stored key; left out, it stays."""

    name: Name = ""
    display_name: Name = ""
    driver: Name = ""
    base_url: BaseUrl = ""
    api_key: ApiKey = None
    status: ConfigStatus = ConfigStatus.ACTIVE


class CheckOut(Out):
    """What a call of a provider has found."""

    ok: bool
    latency_ms: int = Field(description="How long it took.")
    detail: str = Field(description="What was found, or why orders would fail.")


class ModelOut(Out):
    """A model that can be ordered; ``unit_price`` is in platform currency for one ``billing_unit``."""

    id: Id
    provider: Id
    provider_name: str
    name: str
    display_name: str
    capability: Capability
    endpoint: str
    unit_price: Factor
    billing_unit: BillingUnit
    options: JsonObject
    status: ConfigStatus
    is_default: bool

    @field_validator("provider", mode="before")
    @classmethod
    def _id_of_provider(cls, value: Any) -> Any:
        return getattr(value, "id", value)


class ModelIn(In):
    """A new model. ``provider`` is an id or a name; ``billing_unit`` defaults by capability."""

    provider: Word
    name: Name
    display_name: Name
    capability: Capability
    endpoint: Endpoint = ""
    unit_price: Price = Decimal(0)
    billing_unit: BillingUnit | None = None
    options: JsonObject = Field(default_factory=dict)
    status: ConfigStatus = ConfigStatus.ACTIVE


class ModelPatch(In):
    """What is to change; ``options`` are replaced as a whole."""

    provider: Word = ""
    name: Name = ""
    display_name: Name = ""
    capability: Capability = Capability.SCRIPT
    endpoint: Endpoint = ""
    unit_price: Price = Decimal(0)
    billing_unit: BillingUnit = BillingUnit.TASK
    options: JsonObject = Field(default_factory=dict)
    status: ConfigStatus = ConfigStatus.ACTIVE


class ModelFilter(In):
    """``provider`` is an id or a name."""

    provider: Word | None = None
    capability: Capability | None = None


class ModelPageQuery(PageQuery):
    """A page of the models a team can order."""

    capability: Capability | None = None
