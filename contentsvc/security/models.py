"""Who there is: teams, users, login sessions."""

from __future__ import annotations

import uuid
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from contentsvc.db.base import Amount, Base, Entity, Factor, finite, one_of
from contentsvc.storage.models import MediaFile

DEFAULT_AVATAR_PATH = "/api/media-default/avatar.png"
"""The picture of users who have set none."""


class TeamStatus(StrEnum):
    ENABLED = "enabled"
    DISABLED = "disabled"


class Role(StrEnum):
    """A member's role in the team, most powerful first."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    VIEWER = "viewer"


class Team(Entity, Base):
    """A tenant. ``monthly_credit_limit``: null the platform's default, 0 unlimited."""

    __tablename__ = "team"
    __table_args__ = (
        one_of("status", TeamStatus),
        finite("price_multiplier", "price_multiplier > 0"),
        finite("monthly_credit_limit", "monthly_credit_limit >= 0"),
        Index(None, "created_at", "id"),
        Index(None, "status", "created_at", "id"),
    )

    name: Mapped[str]
    status: Mapped[str] = mapped_column(default=TeamStatus.ENABLED)
    price_multiplier: Mapped[Factor] = mapped_column(default=Decimal(1))
    monthly_credit_limit: Mapped[Amount | None]


class User(Entity, Base):
    """A person. Usernames are taken for ever, whatever their case.

    The credit limits are the member's caps in credits; 0 is unlimited. ``removed_at`` is
    set when the user has left the team: he can't sign in, what he made stays.
    """

    __tablename__ = "app_user"
    __table_args__ = (
        one_of("role", Role),
        Index("uq_app_user_username_lower", text("lower(username)"), unique=True),
        Index(None, "team_id", "created_at"),
        Index(None, "created_at", "id"),
        Index(None, "is_active", "created_at", "id"),
        finite("monthly_credit_limit", "monthly_credit_limit >= 0"),
        finite("daily_credit_limit", "daily_credit_limit >= 0"),
        finite("total_credit_limit", "total_credit_limit >= 0"),
        CheckConstraint("team_id IS NOT NULL OR is_platform_admin OR removed_at IS NOT NULL", name="team"),
    )

    username: Mapped[str]
    password_hash: Mapped[str]
    name: Mapped[str] = mapped_column(default="")
    phone: Mapped[str] = mapped_column(default="")
    email: Mapped[str] = mapped_column(default="")
    avatar_file_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("media_file.id", ondelete="SET NULL"))
    role: Mapped[str] = mapped_column(default=Role.MEMBER)
    team_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("team.id", ondelete="RESTRICT"))
    is_platform_admin: Mapped[bool] = mapped_column(default=False)
    is_active: Mapped[bool] = mapped_column(default=True)
    removed_at: Mapped[datetime | None]
    last_login_at: Mapped[datetime | None]
    monthly_credit_limit: Mapped[Amount] = mapped_column(default=Decimal(0))
    daily_credit_limit: Mapped[Amount] = mapped_column(default=Decimal(0))
    total_credit_limit: Mapped[Amount] = mapped_column(default=Decimal(0))

    team: Mapped[Team | None] = relationship()
    avatar_file: Mapped[MediaFile | None] = relationship(lazy="joined")

    @property
    def avatar_path(self) -> str:
        """Where the user's picture is served, relative to the service's address."""
        return self.avatar_file.path if self.avatar_file else DEFAULT_AVATAR_PATH

    @property
    def team_name(self) -> str | None:
        """The name of the user's team."""
        return self.team.name if self.team else None


class LoginSession(Entity, Base):
    """One login. Only the SHA-256 of its token is stored."""

    __tablename__ = "login_session"
    __table_args__ = (Index(None, "user_id", "created_at"),)

    user_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("app_user.id", ondelete="CASCADE"))
    token_digest: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    last_seen_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    ip: Mapped[str] = mapped_column(default="")
    user_agent: Mapped[str] = mapped_column(default="")

    user: Mapped[User] = relationship()
