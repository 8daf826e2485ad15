"""Invitations: a team's own, those of the platform, and the one use of each code."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import Select, func, or_, select, update
from sqlalchemy.orm import Session

from contentsvc.accounts.models import Invitation, InvitationKind, InvitationStatus
from contentsvc.http import ApiError, ErrorCode, NotFound, PermissionDenied
from contentsvc.security.models import Role, Team, TeamStatus, User
from contentsvc.settings import Settings

_CODE_BYTES = 24
_REASONS = {
    InvitationStatus.ACCEPTED: "This invitation was used already.",
    InvitationStatus.REVOKED: "This invitation was revoked.",
    InvitationStatus.EXPIRED: "This invitation has expired.",
}


class Invitations:
    """The invitations of one team; with ``team_id`` None those of all teams, for the platform."""

    def __init__(self, session: Session, settings: Settings, team_id: uuid.UUID | None) -> None:
        self._session = session
        self._settings = settings
        self._team_id = team_id

    def get(self, invitation_id: uuid.UUID) -> Invitation:
        """One invitation. Raises NotFound for unknown ones and for other teams'."""
        found: Invitation | None = self._session.scalars(
            self._select().where(Invitation.id == invitation_id)
        ).one_or_none()
        if found is None:
            raise NotFound("There is no such invitation.")
        return found

    def all(self) -> Sequence[Invitation]:
        """All of them, newest first."""
        return self._session.scalars(self._ordered()).all()

    def matching(
        self, *, kind: InvitationKind | None, status: InvitationStatus | None, search: str
    ) -> Select[Any]:
        """The statement of those that match, newest first; ``search`` is literal text in the
        email, the team's name or the code."""
        statement = self._ordered()
        if kind is not None:
            statement = statement.where(Invitation.kind == kind)
        if status is not None:
            statement = statement.where(Invitation.status == status)
        if search:
            statement = statement.outerjoin(Team, Team.id == Invitation.team_id).where(
                or_(
                    Invitation.email.icontains(search, autoescape=True),
                    Team.name.icontains(search, autoescape=True),
                    Invitation.code == search,
                )
            )
        return statement

    def create(
        self,
        created_by: uuid.UUID,
        *,
        role: Role,
        email: str | None,
        monthly_credit_limit: Decimal | None = None,
    ) -> Invitation:
        """A new code: to join the team, or, for the platform, to found one."""
        invitation = Invitation(
            code=secrets.token_urlsafe(_CODE_BYTES),
            kind=InvitationKind.CREATE_TEAM if self._team_id is None else InvitationKind.JOIN_TEAM,
            role=role,
            email=email or "",
            monthly_credit_limit=monthly_credit_limit,
            team_id=self._team_id,
            created_by=created_by,
            expires_at=func.clock_timestamp() + timedelta(days=self._settings.accounts.invitation_days),
        )
        self._session.add(invitation)
        self._session.flush()
        self._session.refresh(invitation)
        return invitation

    def revoke(self, invitation: Invitation) -> None:
        """Make the code worthless; revoked ones stay. Raises ApiError 400 for accepted ones."""
        self._session.execute(
            update(Invitation)
            .where(Invitation.id == invitation.id, *_unused())
            .values(revoked_at=func.clock_timestamp())
            .execution_options(synchronize_session=False)
        )
        self._session.refresh(invitation)
        if invitation.status == InvitationStatus.ACCEPTED:
            raise ApiError(ErrorCode.CONFLICT, "This invitation was accepted already.", status=400)

    def _select(self) -> Select[Any]:
        statement = select(Invitation)
        return statement if self._team_id is None else statement.where(Invitation.team_id == self._team_id)

    def _ordered(self) -> Select[Any]:
        return self._select().order_by(Invitation.created_at.desc(), Invitation.id.desc())


def require_naming(actor: User, role: str) -> None:
    """Raise PermissionDenied unless the user may give that role, in person or by an invitation."""
    if role == Role.OWNER and actor.role != Role.OWNER:
        raise PermissionDenied("Only an owner can name owners.")


def find_invitation(session: Session, code: str) -> Invitation | None:
    """The invitation with that code, whatever its state."""
    return session.scalars(select(Invitation).where(Invitation.code == code)).one_or_none()


def refusal_of(invitation: Invitation | None) -> str:
    """Why nobody can register with this code; empty when somebody can."""
    if invitation is None:
        return "There is no such invitation."
    if invitation.team is not None and invitation.team.status != TeamStatus.ENABLED:
        return "The team of this invitation is disabled."
    return _REASONS.get(InvitationStatus(invitation.status), "")


def accept(session: Session, invitation_id: uuid.UUID, *, user_id: uuid.UUID, team_id: uuid.UUID) -> bool:
    """Use the code up; False when it was used, revoked or has expired meanwhile."""
    used = session.scalar(
        update(Invitation)
        .where(Invitation.id == invitation_id, *_unused(), Invitation.expires_at > func.clock_timestamp())
        .values(accepted_at=func.clock_timestamp(), accepted_by=user_id, team_id=team_id)
        .returning(Invitation.id)
        .execution_options(synchronize_session=False)
    )
    return used is not None


def _unused() -> tuple[Any, ...]:
    return Invitation.accepted_at.is_(None), Invitation.revoked_at.is_(None)
