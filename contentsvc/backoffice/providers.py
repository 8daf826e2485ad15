"""The administrator's providers and model configs."""

from __future__ import annotations

from collections.abc import Sequence

from pyramid.config import Configurator
from sqlalchemy import exists, select

from contentsvc.backoffice.audit import record_change
from contentsvc.generation.models import AITask
from contentsvc.http import (
    ApiError,
    ApiRequest,
    ApiService,
    ErrorCode,
    FieldErrors,
    NotFound,
    Permission,
    outside_transaction,
)
from contentsvc.http.types import parse_uuid
from contentsvc.providers.checks import CheckResult, check_provider
from contentsvc.providers.models import ModelConfig, Provider
from contentsvc.providers.outbound import gateway_of
from contentsvc.providers.schemas import (
    CheckOut,
    ModelFilter,
    ModelIn,
    ModelOut,
    ModelPatch,
    ProviderFields,
    ProviderIn,
    ProviderOut,
    ProviderPatch,
)
from contentsvc.providers.services import Models, Providers, lock_defaults
from contentsvc.security.secrets import secret_box_of


def _providers(request: ApiRequest) -> Providers:
    return Providers(request.db, secret_box_of(request.registry))


def _provider(request: ApiRequest) -> Provider:
    try:
        return _providers(request).get(parse_uuid(request.matchdict["id"]))
    except ValueError:
        raise NotFound from None


def _model(request: ApiRequest) -> ModelConfig:
    try:
        return Models(request.db).get(parse_uuid(request.matchdict["id"]))
    except ValueError:
        raise NotFound from None


def _require_callable(request: ApiRequest, base_url: str) -> None:
    """A name is looked up when it is called; an address that is written out can be refused now."""
    if base_url and not gateway_of(request.registry).policy.may_name(base_url):
        raise FieldErrors.one("base_url", "This address may not be called; see providers.allowed_networks.")


providers = ApiService("admin-providers", "/api/admin/providers/")
provider_item = ApiService("admin-provider", "/api/admin/providers/{id}/")
provider_test = ApiService("admin-provider-test", "/api/admin/providers/{id}/test/")
models = ApiService("admin-models", "/api/admin/models/")
model_item = ApiService("admin-model", "/api/admin/models/{id}/")
model_default = ApiService("admin-model-set-default", "/api/admin/models/{id}/set-default/")


@providers.get(permission=Permission.PLATFORM, response=list[ProviderOut])
def list_providers(request: ApiRequest) -> Sequence[Provider]:
    """List all providers, newest first."""
    return _providers(request).list()


@providers.post(permission=Permission.PLATFORM, body=ProviderIn, response=ProviderOut, status=201)
def create_provider(request: ApiRequest) -> Provider:
    """Set up a provider.

    ``driver`` names the registered driver that talks to it, and is the provider's own name
    unless told; a provider whose driver is not installed is kept, and its models can't be
    ordered. ``api_key`` is stored encrypted and shows as ``has_api_key`` only.
    """
    body: ProviderIn = request.validated["body"]
    _require_callable(request, body.base_url)
    values = body.model_dump(exclude={"api_key"}) | {"driver": body.driver or body.name}
    row = _providers(request).create(values, body.api_key.get_secret_value() if body.api_key else None)
    record_change(request, "provider.create", "provider", row.id, after=ProviderFields.model_validate(row))
    return row


@provider_item.patch(
    permission=Permission.PLATFORM,
    subject=_provider,
    body=ProviderPatch,
    response=ProviderOut,
    refusals=(ErrorCode.CONFLICT,),
)
def change_provider(request: ApiRequest) -> Provider:
    """Change a provider; every process sees it at its next order.

    ``api_key`` replaces the stored key, null or "" removes it, and left out it stays.
    """
    row: Provider = request.validated["subject"]
    body: ProviderPatch = request.validated["body"]
    _require_callable(request, body.base_url)
    service = _providers(request)
    service.lock(row)
    before = ProviderFields.model_validate(row)
    service.change(row, body.model_dump(exclude_unset=True, exclude={"api_key"}))
    if "api_key" in body.model_fields_set:
        service.set_api_key(row, body.api_key.get_secret_value() if body.api_key else None)
    after = ProviderFields.model_validate(row)
    is_new_key = body.api_key is not None or after.has_api_key != before.has_api_key
    if is_new_key or after != before:
        service.forget_trouble(row)
        action = "provider.set_key" if is_new_key else "provider.change"
        record_change(request, action, "provider", row.id, before=before, after=after)
    return row


@provider_item.delete(
    permission=Permission.PLATFORM, subject=_provider, status=204, refusals=(ErrorCode.CONFLICT,)
)
def delete_provider(request: ApiRequest) -> None:
    """Delete a provider and its key; 409 while it has models."""
    row: Provider = request.validated["subject"]
    service = _providers(request)
    service.lock(row)
    before = ProviderFields.model_validate(row)
    service.delete(row)
    record_change(request, "provider.delete", "provider", row.id, before=before)


@provider_test.post(permission=Permission.PLATFORM, subject=_provider, response=CheckOut, idempotent=False)
def test_provider(request: ApiRequest) -> CheckResult:
    """Call a provider to see whether orders would work; costs nothing.

    What is asked is the driver's business; one that has no test of its own is only looked
    up at its address, without the key. 200 with ``ok`` false and the reason in ``detail``
    where it doesn't work, within 15 seconds.
    """
    row: Provider = request.validated["subject"]
    with outside_transaction(request):
        return check_provider(request.registry, row)


@models.get(permission=Permission.PLATFORM, query=ModelFilter, response=list[ModelOut])
def list_models(request: ApiRequest) -> Sequence[ModelConfig]:
    """List all models, newest first, the inactive ones too.

    ``provider`` takes an id or a name.
    """
    query: ModelFilter = request.validated["query"]
    return Models(request.db).list(query.provider, query.capability)


@models.post(permission=Permission.PLATFORM, body=ModelIn, response=ModelOut, status=201)
def create_model(request: ApiRequest) -> ModelConfig:
    """Set up a model of a provider, which is named by id or name.

    ``unit_price`` is in platform currency for one ``billing_unit``, which is by default the
    usual one of the capability. Of the ``options`` the service itself reads
    ``resubmit_safe``, ``fallback``, ``ratios`` and ``tokens_per_second``.
    """
    body: ModelIn = request.validated["body"]
    row = Models(request.db).create(body.model_dump())
    record_change(request, "model.create", "model", row.id, after=ModelOut.model_validate(row))
    return row


@model_item.patch(
    permission=Permission.PLATFORM,
    subject=_model,
    body=ModelPatch,
    response=ModelOut,
    refusals=(ErrorCode.CONFLICT,),
)
def change_model(request: ApiRequest) -> ModelConfig:
    """Change a model; orders that are under way keep the price they were made at.

    ``options`` are replaced as a whole. A default model that gets another capability is
    the default of none.
    """
    row: ModelConfig = request.validated["subject"]
    body: ModelPatch = request.validated["body"]
    service = Models(request.db)
    service.lock(row)
    before = ModelOut.model_validate(row)
    service.change(row, body.model_dump(exclude_unset=True))
    after = ModelOut.model_validate(row)
    if after != before:
        record_change(request, "model.change", "model", row.id, before=before, after=after)
    return row


@model_item.delete(permission=Permission.PLATFORM, subject=_model, status=204, refusals=(ErrorCode.CONFLICT,))
def delete_model(request: ApiRequest) -> None:
    """Delete a model; 409 when tasks refer to it: make it inactive instead."""
    row: ModelConfig = request.validated["subject"]
    service = Models(request.db)
    service.lock(row)
    if request.db.scalar(select(exists().where(AITask.model_config_id == row.id))):
        raise ApiError(ErrorCode.CONFLICT, "Tasks refer to this model; make it inactive instead.", status=409)
    before = ModelOut.model_validate(row)
    service.delete(row)
    record_change(request, "model.delete", "model", row.id, before=before)


@model_default.post(permission=Permission.PLATFORM, subject=_model, response=ModelOut)
def set_default_model(request: ApiRequest) -> ModelConfig:
    """Make a model the default of its capability, instead of the one that was."""
    row: ModelConfig = request.validated["subject"]
    lock_defaults(request.db)
    service = Models(request.db)
    service.lock(row)
    before = ModelOut.model_validate(row)
    row = service.set_default(row)
    after = ModelOut.model_validate(row)
    if after != before:
        record_change(request, "model.set_default", "model", row.id, before=before, after=after)
    return row


def includeme(config: Configurator) -> None:
    """The routes."""
    for service in (providers, provider_item, provider_test, models, model_item, model_default):
        config.add_cornice_service(service)
