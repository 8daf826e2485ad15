"""Providers, model configs, and what plugins keep per team."""

from __future__ import annotations

import uuid
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import ForeignKey, Index, LargeBinary, case, func, select, text
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from contentsvc.db.base import Base, Entity, Factor, TeamOwned, finite, one_of
from contentsvc.plugin import BillingUnit, Capability


class ConfigStatus(StrEnum):
    ACTIVE = "active"
    INACTIVE = "inactive"


class Health(StrEnum):
    """``open``: a process sends a provider nothing at present, because he fails. ``degraded``: he has
    failed lately, or asked one to wait."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    OPEN = "open"


class Provider(Entity, Base):
    """An account with somebody who runs models. ``driver`` names the code that talks to him.

    ``declared_key`` says which declaration of a plugin the row came from, whatever its name is
    now; ``edited_fields`` are those the administrator has set, which plugin sync leaves alone;
    ``deleted_at`` keeps a declared row that he deleted from coming back. ``health`` is a
    :class:`Health`, read when it is asked for.
    """

    __tablename__ = "provider"
    __table_args__ = (
        one_of("status", ConfigStatus),
        Index("uq_provider_name", "name", unique=True, postgresql_where=text("deleted_at IS NULL")),
    )

    name: Mapped[str]
    display_name: Mapped[str]
    driver: Mapped[str]
    base_url: Mapped[str] = mapped_column(default="")
    api_key_encrypted: Mapped[bytes | None] = mapped_column(LargeBinary)
    status: Mapped[str] = mapped_column(default=ConfigStatus.ACTIVE)
    declared_key: Mapped[str | None] = mapped_column(unique=True)
    edited_fields: Mapped[list[Any]] = mapped_column(default=list)
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())
    deleted_at: Mapped[datetime | None]

    health: ClassVar[Any]

    @property
    def has_api_key(self) -> bool:
        """Whether a key is stored; the key itself is shown to nobody."""
        return self.api_key_encrypted is not None


class ModelConfig(Entity, Base):
    """A model that can be ordered, with its price for one ``billing_unit`` in platform currency."""

    __tablename__ = "model_config"
    __table_args__ = (
        one_of("status", ConfigStatus),
        one_of("capability", Capability),
        one_of("billing_unit", BillingUnit),
        finite("unit_price", "unit_price >= 0"),
        Index(
            "uq_model_config_name",
            "provider_id",
            "capability",
            "name",
            unique=True,
            postgresql_where=text("deleted_at IS NULL"),
        ),
        Index(
            "uq_model_config_default",
            "capability",
            unique=True,
            postgresql_where=text("is_default AND deleted_at IS NULL"),
        ),
    )

    provider_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("provider.id", ondelete="RESTRICT"))
    name: Mapped[str]
    display_name: Mapped[str]
    capability: Mapped[str]
    endpoint: Mapped[str] = mapped_column(default="")
    unit_price: Mapped[Factor] = mapped_column(default=Decimal(0))
    billing_unit: Mapped[str]
    options: Mapped[dict[str, Any]] = mapped_column(default=dict)
    status: Mapped[str] = mapped_column(default=ConfigStatus.ACTIVE)
    is_default: Mapped[bool] = mapped_column(default=False)
    declared_key: Mapped[str | None] = mapped_column(unique=True)
    edited_fields: Mapped[list[Any]] = mapped_column(default=list)
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())
    deleted_at: Mapped[datetime | None]

    provider: Mapped[Provider] = relationship(lazy="joined", innerjoin=True)

    @property
    def provider_name(self) -> str:
        """The provider's name, for replies."""
        return self.provider.name

    @property
    def resubmit_safe(self) -> bool:
        """Whether an order of unknown outcome may be placed again."""
        return self.options.get("resubmit_safe") is True


class ProviderState(TeamOwned, Base):
    """The small document a plugin keeps per team and provider."""

    __tablename__ = "provider_state"

    team_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"), primary_key=True)
    provider_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("provider.id", ondelete="CASCADE"), primary_key=True
    )
    document: Mapped[dict[str, Any]] = mapped_column(default=dict)


class ProviderTrouble(Base):
    """What a process has seen of a provider who gives trouble, until when it means something.

    A row of a process that is gone says nothing any more once its times are over.
    """

    __tablename__ = "provider_trouble"

    provider_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("provider.id", ondelete="CASCADE"), primary_key=True
    )
    process: Mapped[str] = mapped_column(primary_key=True)
    open_until: Mapped[datetime | None]
    degraded_until: Mapped[datetime]


Provider.health = column_property(
    select(
        case(
            (func.max(ProviderTrouble.open_until) > func.statement_timestamp(), Health.OPEN.value),
            (func.max(ProviderTrouble.degraded_until) > func.statement_timestamp(), Health.DEGRADED.value),
            else_=Health.HEALTHY.value,
        )
    )
    .where(ProviderTrouble.provider_id == Provider.id)
    .correlate(Provider)
    .scalar_subquery(),
    deferred=True,
)
