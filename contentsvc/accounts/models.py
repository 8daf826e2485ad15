"""Invitations and preferences."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, case, func
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from contentsvc.db.base import Amount, Base, Entity, finite, one_of
from contentsvc.security.models import Role, Team


class InvitationKind(StrEnum):
    JOIN_TEAM = "join_team"
    CREATE_TEAM = "create_team"


class InvitationStatus(StrEnum):
    PENDING = "pending"
    ACCEPTED = "accepted"
    REVOKED = "revoked"
    EXPIRED = "expired"


class Invitation(Entity, Base):
    """A code that admits one person. Its status is derived from the three times."""

    __tablename__ = "invitation"
    __table_args__ = (
        one_of("kind", InvitationKind),
        one_of("role", Role),
        CheckConstraint(
            "(kind = 'join_team') = (team_id IS NOT NULL) OR accepted_at IS NOT NULL", name="team"
        ),
        CheckConstraint("accepted_at IS NULL OR revoked_at IS NULL", name="one_end"),
        finite("monthly_credit_limit", "monthly_credit_limit >= 0"),
        Index(None, "team_id", "created_at"),
        Index(None, "created_at"),
    )

    code: Mapped[str] = mapped_column(unique=True)
    kind: Mapped[str]
    role: Mapped[str] = mapped_column(default=Role.MEMBER)
    email: Mapped[str] = mapped_column(default="")
    monthly_credit_limit: Mapped[Amount | None]
    team_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("team.id", ondelete="CASCADE"))
    created_by: Mapped[uuid.UUID]
    expires_at: Mapped[datetime] = mapped_column()
    revoked_at: Mapped[datetime | None] = mapped_column()
    accepted_at: Mapped[datetime | None] = mapped_column()
    accepted_by: Mapped[uuid.UUID | None]

    team: Mapped[Team | None] = relationship(lazy="joined")
    status: Mapped[str] = column_property(
        case(
            (accepted_at.is_not(None), InvitationStatus.ACCEPTED.value),
            (revoked_at.is_not(None), InvitationStatus.REVOKED.value),
            (expires_at <= func.clock_timestamp(), InvitationStatus.EXPIRED.value),
            else_=InvitationStatus.PENDING.value,
        )
    )

    @property
    def team_name(self) -> str | None:
        """The name of the team the code leads to; None while that team is yet to be founded."""
        return self.team.name if self.team else None


class UserPreference(Base):
    """The keys a user has set; what is missing has its default."""

    __tablename__ = "user_preference"

    user_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("app_user.id", ondelete="CASCADE"), primary_key=True
    )
    values: Mapped[dict[str, Any]] = mapped_column(default=dict)
