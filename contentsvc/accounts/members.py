"""The members of a team: who may change whom, and the owner that is always left."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from contentsvc.accounts.invitations import require_naming
from contentsvc.accounts.schemas import MemberIn
from contentsvc.accounts.services import find_user, set_password
from contentsvc.http import ApiError, ErrorCode, FieldErrors, NotFound, Permission, PermissionDenied
from contentsvc.security.identity import PERMISSIONS_OF
from contentsvc.security.models import Role, User
from contentsvc.security.tokens import revoke_sessions


@dataclass(frozen=True)
class _Locked:
    """Rows nobody else changes until the commit: the member, who changes him, and all owners.

    ``actor`` is None when he has left the team a moment ago.
    """

    member: User
    actor: User | None
    owners: Sequence[User]

    def require_replaceable(self, what: str) -> None:
        """Raise ApiError 400 for the last owner and for oneself."""
        if self.member.role == Role.OWNER and len(self.owners) == 1:
            raise _conflict(f"The team's last owner can't be {what}.")
        if self.member is self.actor:
            raise _conflict(f"You can't be {what} by yourself.")

    def require_manager(self) -> User:
        """The actor. Raises PermissionDenied, or ApiError INVALID_TOKEN, unless he may change the member."""
        if self.actor is None:
            raise ApiError(ErrorCode.INVALID_TOKEN, "You have just left this team.")
        require_manageable(self.actor, self.member)
        return self.actor


class Members:
    """The members of one team. Who has left it counts as unknown."""

    def __init__(self, session: Session, team_id: uuid.UUID) -> None:
        self._session = session
        self._team_id = team_id

    def all(self) -> Sequence[User]:
        """All members, newest first."""
        return self._session.scalars(self._select().order_by(User.created_at.desc(), User.id.desc())).all()

    def get(self, member_id: uuid.UUID) -> User:
        """One member. Raises NotFound."""
        found: User | None = self._session.scalars(self._select().where(User.id == member_id)).one_or_none()
        if found is None:
            raise _unknown()
        return found

    def require_free(self, username: str) -> None:
        """Raise FieldErrors on ``username`` when somebody has it, or has had it."""
        if find_user(self._session, username) is not None:
            raise FieldErrors.one("username", "This username is taken.")

    def add(self, given: MemberIn, password_hash: str) -> User:
        """A new member. Raises ApiError CONFLICT when his username was taken a moment ago."""
        made: User | None = self._session.scalars(
            insert(User)
            .values(
                team_id=self._team_id,
                password_hash=password_hash,
                **given.model_dump(exclude={"password"}),
            )
            .on_conflict_do_nothing()
            .returning(User)
        ).one_or_none()
        if made is None:
            raise ApiError(
                ErrorCode.CONFLICT, "This username was taken by somebody else at this very moment."
            )
        return made

    def change(self, actor_id: uuid.UUID, member_id: uuid.UUID, changes: Mapping[str, Any]) -> User:
        """Set name, role or limits.

        Raises PermissionDenied (an admin and an owner, whichever way), ApiError 400 (one's own
        role, the last owner's).
        """
        locked = self._lock(actor_id, member_id)
        role = changes.get("role", locked.member.role)
        if role != locked.member.role:
            locked.require_replaceable("given another role")
        require_naming(locked.require_manager(), role)
        for field, value in changes.items():
            setattr(locked.member, field, value)
        self._session.flush()
        return locked.member

    def remove(self, actor_id: uuid.UUID, member_id: uuid.UUID) -> None:
        """He leaves the team and can't sign in any more; what he made stays.

        Raises PermissionDenied, ApiError 400 (oneself, the last owner).
        """
        locked = self._lock(actor_id, member_id)
        locked.require_replaceable("removed")
        locked.require_manager()
        locked.member.removed_at = func.clock_timestamp()
        self._session.flush()
        revoke_sessions(self._session, locked.member.id)

    def set_password(self, actor_id: uuid.UUID, member_id: uuid.UUID, password_hash: str) -> None:
        """Set a member's password and end his sessions. Raises PermissionDenied."""
        locked = self._lock(actor_id, member_id)
        locked.require_manager()
        set_password(self._session, locked.member, password_hash)

    def _select(self) -> Select[Any]:
        return select(User).where(User.team_id == self._team_id, User.removed_at.is_(None))

    def _lock(self, actor_id: uuid.UUID, member_id: uuid.UUID) -> _Locked:
        """Lock the rows that decide, always in the order of their ids, and read them anew.

        Two owners who remove each other come here one after the other, and the second one
        finds a single owner.
        """
        rows = self._session.scalars(
            self._select()
            .where(or_(User.role == Role.OWNER, User.id.in_([member_id, actor_id])))
            .order_by(User.id)
            .with_for_update(of=User, key_share=True)
            .execution_options(populate_existing=True)
        ).all()
        found = {user.id: user for user in rows}
        if member_id not in found:
            raise _unknown()
        owners = [user for user in rows if user.role == Role.OWNER]
        return _Locked(found[member_id], found.get(actor_id), owners)


def require_manageable(actor: User, member: User) -> None:
    """Raise PermissionDenied unless one user may change the other."""
    if Permission.MANAGE not in PERMISSIONS_OF[actor.role]:
        raise PermissionDenied
    if member.role == Role.OWNER and actor.role != Role.OWNER:
        raise PermissionDenied("Only an owner can change an owner.")
    if member.is_platform_admin:
        raise PermissionDenied("The platform's administrators are not the team's to change.")


def _unknown() -> NotFound:
    return NotFound("There is no such member.")


def _conflict(detail: str) -> ApiError:
    return ApiError(ErrorCode.CONFLICT, detail, status=400)
