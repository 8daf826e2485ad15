"""The configuration tables: what teams can order, and what administrators change."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Select, delete, exists, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, undefer

from contentsvc.http.errors import ApiError, ErrorCode, FieldErrors, NotFound
from contentsvc.http.pagination import PageQuery, Slice, fetch_page
from contentsvc.http.types import parse_uuid
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.providers.declarations import options_fault
from contentsvc.providers.models import ConfigStatus, ModelConfig, Provider, ProviderTrouble
from contentsvc.security.secrets import SecretBox

DEFAULT_UNITS: Final[Mapping[str, BillingUnit]] = MappingProxyType(
    {
        Capability.SCRIPT: BillingUnit.THOUSAND_TOKENS,
        Capability.ENTITY_EXTRACTION: BillingUnit.THOUSAND_TOKENS,
        Capability.IMAGE_GENERATION: BillingUnit.IMAGE,
        Capability.IMAGE_EDIT: BillingUnit.IMAGE,
        Capability.VIDEO_GENERATION: BillingUnit.SECOND,
        Capability.SPEECH: BillingUnit.THOUSAND_CHARACTERS,
        Capability.ASSET_REVIEW: BillingUnit.TASK,
        Capability.EXPORT: BillingUnit.TASK,
    }
)
_DEFAULT_LOCK: Final = "contentsvc.model_config.default"


def list_orderable(
    session: Session, query: PageQuery, capability: Capability | None, *, keyed: Collection[str]
) -> Slice:
    """A page of the active models of active providers, newest first; one query for the rows.

    Providers on one of the ``keyed`` drivers count once they have an API key: plugins bring
    dozens of models that nobody has set up.
    """
    statement = (
        select(ModelConfig)
        .join(Provider, Provider.id == ModelConfig.provider_id)
        .where(
            ModelConfig.deleted_at.is_(None),
            ModelConfig.status == ConfigStatus.ACTIVE,
            Provider.deleted_at.is_(None),
            Provider.status == ConfigStatus.ACTIVE,
            or_(Provider.driver.not_in(keyed), Provider.api_key_encrypted.is_not(None)),
        )
        .order_by(ModelConfig.created_at.desc(), ModelConfig.id.desc())
    )
    if capability is not None:
        statement = statement.where(ModelConfig.capability == capability)
    return fetch_page(session, statement, query)


def lock_defaults(session: Session) -> None:
    """Until the transaction ends nobody else changes which models are defaults."""
    session.execute(select(func.pg_advisory_xact_lock(func.hashtext(_DEFAULT_LOCK))))


class Providers:
    """The administrator's providers. Secrets go in encrypted and never come out."""

    def __init__(self, session: Session, box: SecretBox) -> None:
        self._session = session
        self._box = box

    def list(self) -> Sequence[Provider]:
        """All undeleted providers, newest first."""
        newest_first = (Provider.created_at.desc(), Provider.id.desc())
        live = _live_providers().order_by(*newest_first).options(undefer(Provider.health))
        return self._session.scalars(live).all()

    def get(self, provider_id: uuid.UUID) -> Provider:
        """Raises NotFound."""
        provider = self._session.scalar(_live_providers().where(Provider.id == provider_id))
        if provider is None:
            raise NotFound
        return provider

    def create(self, values: Mapping[str, Any], api_key: str | None) -> Provider:
        """``values`` by column. Raises ApiError ``conflict`` for a name that is taken."""
        provider = Provider(**values, api_key_encrypted=self._sealed(api_key))
        with _unique(self._session, "There is a provider of this name."):
            self._session.add(provider)
        return provider

    def change(self, provider: Provider, values: Mapping[str, Any]) -> None:
        """Set the given columns; what differs counts as edited. Raises ApiError ``conflict``."""
        with _unique(self._session, "There is a provider of this name."):
            _edit(provider, values)

    def lock(self, provider: Provider) -> None:
        """Let nobody else change or delete it until the end of the transaction. Raises NotFound."""
        self._session.refresh(provider, with_for_update=True)
        if provider.deleted_at is not None:
            raise NotFound

    def set_api_key(self, provider: Provider, api_key: str | None) -> None:
        """Store another key; None removes it."""
        provider.api_key_encrypted = self._sealed(api_key)

    def forget_trouble(self, provider: Provider) -> None:
        """What processes have seen of it is of another address or key."""
        self._session.execute(delete(ProviderTrouble).where(ProviderTrouble.provider_id == provider.id))

    def delete(self, provider: Provider) -> None:
        """Take a locked provider and its key away. Raises ApiError ``conflict`` while it has models."""
        mine = (ModelConfig.provider_id == provider.id) & ModelConfig.deleted_at.is_(None)
        if self._session.scalar(select(exists().where(mine))):
            raise ApiError(ErrorCode.CONFLICT, "The provider still has models.", status=409)
        provider.api_key_encrypted = None
        provider.deleted_at = func.clock_timestamp()
        self._session.flush()

    def _sealed(self, api_key: str | None) -> bytes | None:
        return self._box.encrypt(api_key) if api_key else None


class Models:
    """The administrator's model configs."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def list(
        self, provider: str | None = None, capability: Capability | None = None
    ) -> Sequence[ModelConfig]:
        """Undeleted models, newest first; ``provider`` is an id or a name."""
        statement = _live_models().order_by(ModelConfig.created_at.desc(), ModelConfig.id.desc())
        if provider is not None:
            statement = statement.where(
                ModelConfig.provider_id.in_(select(Provider.id).where(_called(provider)))
            )
        if capability is not None:
            statement = statement.where(ModelConfig.capability == capability)
        return self._session.scalars(statement).unique().all()

    def get(self, model_id: uuid.UUID) -> ModelConfig:
        """Raises NotFound."""
        model = self._session.scalar(_live_models().where(ModelConfig.id == model_id))
        if model is None:
            raise NotFound
        return model

    def create(self, values: Mapping[str, Any]) -> ModelConfig:
        """``values`` by column; ``provider`` is an id or a name.

        Raises FieldErrors on ``provider`` or ``options``, and ApiError ``conflict`` for a
        second model of the same provider, capability and name.
        """
        columns = self._columns(values)
        columns["billing_unit"] = columns.get("billing_unit") or DEFAULT_UNITS[values["capability"]]
        model = ModelConfig(**columns)
        with _unique(self._session, _SAME_MODEL):
            self._session.add(model)
        return model

    def change(self, model: ModelConfig, values: Mapping[str, Any]) -> None:
        """Set the given columns; what differs counts as edited. Errors as in :meth:`create`.

        A default model that moves to another capability is the default of none.
        """
        columns = self._columns(values)
        if columns.get("capability", model.capability) != model.capability:
            model.is_default = False
        with _unique(self._session, _SAME_MODEL):
            _edit(model, columns)

    def lock(self, model: ModelConfig) -> None:
        """Keep changes, and new tasks that refer to it, away until the transaction ends. Raises NotFound."""
        self._session.refresh(model, with_for_update={"of": ModelConfig})
        if model.deleted_at is not None:
            raise NotFound

    def delete(self, model: ModelConfig) -> None:
        """Take a model away; the caller has made sure that no task refers to it."""
        model.is_default = False
        model.deleted_at = func.clock_timestamp()
        self._session.flush()

    def set_default(self, model: ModelConfig) -> ModelConfig:
        """Make it its capability's default, and the only one, however many are doing this.

        Raises NotFound when it has been deleted meanwhile.
        """
        lock_defaults(self._session)
        current = _live_models().where(ModelConfig.id == model.id).execution_options(populate_existing=True)
        fresh = self._session.scalar(current)
        if fresh is None:
            raise NotFound
        self._session.execute(
            update(ModelConfig)
            .where(
                ModelConfig.capability == fresh.capability, ModelConfig.is_default, ModelConfig.id != fresh.id
            )
            .values(is_default=False)
        )
        fresh.is_default = True
        self._session.flush()
        return fresh

    def _columns(self, values: Mapping[str, Any]) -> dict[str, Any]:
        columns = dict(values)
        if "options" in columns and (fault := options_fault(columns["options"])):
            raise FieldErrors.one(*fault)
        if "provider" in columns:
            columns["provider"] = self._provider(columns["provider"])
        return columns

    def _provider(self, name_or_id: str) -> Provider:
        # The share lock waits for a deletion that is under way, and then doesn't find the row.
        found = self._session.scalars(
            _live_providers().where(_called(name_or_id)).with_for_update(read=True, key_share=True)
        ).all()
        if not found:
            raise FieldErrors.one("provider", "There is no provider with this id or name.")
        return found[0]


_SAME_MODEL: Final = "The provider has a model of this capability and name."


def _live_providers() -> Select[Provider]:
    return select(Provider).where(Provider.deleted_at.is_(None))


def _live_models() -> Select[ModelConfig]:
    return select(ModelConfig).where(ModelConfig.deleted_at.is_(None))


def _called(name_or_id: str) -> Any:
    try:
        return Provider.id == parse_uuid(name_or_id)
    except ValueError:
        return Provider.name == name_or_id


def _edit(row: Provider | ModelConfig, values: Mapping[str, Any]) -> None:
    changed = []
    for field, value in values.items():
        if getattr(row, field) != value:
            setattr(row, field, value)
            changed.append(field)
    row.edited_fields = [*row.edited_fields, *(field for field in changed if field not in row.edited_fields)]


@contextmanager
def _unique(session: Session, message: str) -> Iterator[None]:
    """A savepoint around a write that may find its name taken."""
    try:
        with session.begin_nested():
            yield
    except IntegrityError as error:
        raise ApiError(ErrorCode.CONFLICT, message, status=409) from error
