"""Which model an order gets. Read from the tables each time, so that edits hold at once everywhere."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from pyramid.registry import Registry
from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from contentsvc.http.errors import ApiError, ErrorCode, FieldErrors
from contentsvc.http.types import parse_uuid
from contentsvc.plugin import Capability
from contentsvc.providers.models import ConfigStatus, ModelConfig, Provider
from contentsvc.providers.plugins import Plugins, plugins_of
from contentsvc.providers.schemas import ModelOut

IMAGE_CAPABILITIES: Final = (Capability.IMAGE_GENERATION, Capability.IMAGE_EDIT)


class Catalog:
    """The model configs, seen through the installed drivers. Keeps no state of its own."""

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins

    def available(self, model: ModelConfig) -> bool:
        """Whether an order could be placed: model and provider active, not deleted, driver installed."""
        return _active(model) and self._installed(model)

    def orderable(self, model: ModelConfig) -> bool:
        """Whether a new order makes sense: available, and there is the API key that it needs."""
        return self.available(model) and self._lack(model) is None

    def keyed_drivers(self) -> frozenset[str]:
        """Drivers whose providers can't be asked for anything without an API key."""
        return frozenset(name for name, driver in self._plugins.drivers.items() if driver.needs_secret)

    def as_offered(self, model: ModelConfig) -> ModelOut:
        """An active model as a team sees it: inactive where its plugin or the API key it needs is missing."""
        shown = ModelOut.model_validate(model)
        if self._lack(model) is None:
            return shown
        return shown.model_copy(update={"status": ConfigStatus.INACTIVE})

    def default(self, session: Session, capability: Capability) -> ModelConfig:
        """The capability's default model. Raises ApiError ``no_model`` where it can't be ordered."""
        for model in _models(session, ModelConfig.capability == capability, ModelConfig.is_default):
            if self.orderable(model):
                return model
        raise _no_model(f"No model is set up for {_words(capability)}.")

    def choose(
        self, session: Session, capability: Capability, model_id: uuid.UUID | None, *, field: str
    ) -> ModelConfig:
        """The model a client names by its id, the default without one.

        Raises FieldErrors on ``field`` for what is no active model of this capability, or
        ApiError ``no_model``.
        """
        if model_id is None:
            return self.default(session, capability)
        return self._pick(session, capability, ModelConfig.id == model_id, field)

    def choose_named(
        self, session: Session, capability: Capability, name_or_id: str | None, *, field: str
    ) -> ModelConfig:
        """The same for a client that may also use the model's name."""
        if name_or_id is None:
            return self.default(session, capability)
        return self._pick(session, capability, _called(name_or_id), field)

    def _pick(
        self, session: Session, capability: Capability, called: ColumnElement[bool], field: str
    ) -> ModelConfig:
        named = _models(session, called, ModelConfig.capability == capability)
        active = [model for model in named if _active(model)]
        if not active:
            raise FieldErrors.one(field, f"There is no such active model for {_words(capability)}.")
        return self._first_complete(active)

    def choose_image_model(
        self, session: Session, name_or_id: str | None, *, with_references: bool
    ) -> ModelConfig:
        """The model of an image order; ``name_or_id`` is the client's ``image_model``.

        A client names a model once, whatever its capability: with references the config of
        the same provider and name that edits is taken, without them the one that generates.
        Raises FieldErrors on ``image_model``, or ApiError ``no_model``.
        """
        wanted = Capability.IMAGE_EDIT if with_references else Capability.IMAGE_GENERATION
        if name_or_id is None:
            return self.default(session, wanted)
        named = _named_images(session, name_or_id)
        if not named:
            raise FieldErrors.one("image_model", "No active image model has this id or name.")
        addresses = {(model.provider_id, model.name) for model in named}
        fitting = [
            model
            for model in _models(
                session,
                ModelConfig.capability == wanted,
                ModelConfig.provider_id.in_({provider for provider, _ in addresses}),
                ModelConfig.name.in_({name for _, name in addresses}),
            )
            if _active(model) and (model.provider_id, model.name) in addresses
        ]
        if not fitting:
            raise FieldErrors.one("image_model", f"This model does not support {_words(wanted)}.")
        return self._first_complete(fitting)

    def fallback_of(self, session: Session, model: ModelConfig) -> ModelConfig | None:
        """The model that ``options.fallback`` names, where it can take over the same order.

        It must be available and have the same capability and billing unit; of several with
        this name the one of the same provider comes first.
        """
        name = model.options.get("fallback")
        if not isinstance(name, str):
            return None
        candidates = [
            other
            for other in _models(
                session,
                ModelConfig.name == name,
                ModelConfig.capability == model.capability,
                ModelConfig.billing_unit == model.billing_unit,
                ModelConfig.id != model.id,
            )
            if self.orderable(other)
        ]
        candidates.sort(key=lambda other: other.provider_id != model.provider_id)
        return candidates[0] if candidates else None

    def _first_complete(self, models: Sequence[ModelConfig]) -> ModelConfig:
        for model in models:
            if self._lack(model) is None:
                return model
        raise _no_model(self._lack(models[0]) or "")

    def _lack(self, model: ModelConfig) -> str | None:
        """What an active model's provider lacks, in words; None: nothing."""
        if not self._installed(model):
            return "The plugin behind this model is not installed."
        driver = self._plugins.drivers[model.provider.driver]
        if driver.needs_secret and model.provider.api_key_encrypted is None:
            return "No API key is set for the provider of this model."
        return None

    def _installed(self, model: ModelConfig) -> bool:
        return self._plugins.backend_of(model.provider.driver, model.capability) is not None


def catalog_of(registry: Registry) -> Catalog:
    """The application's catalog."""
    return Catalog(plugins_of(registry))


def _models(session: Session, *conditions: object) -> Sequence[ModelConfig]:
    """Undeleted models, the default first, then the oldest; as the database has them now."""
    statement = (
        select(ModelConfig)
        .join(Provider, Provider.id == ModelConfig.provider_id)
        .where(ModelConfig.deleted_at.is_(None), Provider.deleted_at.is_(None), *conditions)  # type: ignore[arg-type]
        .order_by(ModelConfig.is_default.desc(), ModelConfig.created_at, ModelConfig.id)
        .execution_options(populate_existing=True)
    )
    return session.scalars(statement).unique().all()


def _named_images(session: Session, name_or_id: str) -> list[ModelConfig]:
    return [
        model
        for model in _models(session, _called(name_or_id), ModelConfig.capability.in_(IMAGE_CAPABILITIES))
        if _active(model)
    ]


def _called(name_or_id: str) -> ColumnElement[bool]:
    called = ModelConfig.name == name_or_id
    with suppress(ValueError):
        called = or_(ModelConfig.id == parse_uuid(name_or_id), called)
    return called


def _active(model: ModelConfig) -> bool:
    return (
        model.status == ConfigStatus.ACTIVE
        and model.deleted_at is None
        and model.provider.status == ConfigStatus.ACTIVE
        and model.provider.deleted_at is None
    )


def _no_model(detail: str) -> ApiError:
    return ApiError(ErrorCode.NO_MODEL, detail)


def _words(capability: str) -> str:
    return capability.replace("_", " ")
