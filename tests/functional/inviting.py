"""Invitations for tests, made in any state, and what is done with their codes."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from sqlalchemy import func, update
from webtest import TestApp

from contentsvc.accounts.models import Invitation, InvitationKind
from contentsvc.security.models import Role, Team, TeamStatus

REGISTER = "/api/auth/register/"
VALIDATE = "/api/auth/validate-invite/"
PASSWORD = "correct horse battery"

Invite = Callable[..., str]
Database = Callable[..., Any]


def inviter(database: Database) -> Invite:
    """``invite(team_id=None, **columns)``: the code of a new invitation, founding without a team."""

    def make(team_id: uuid.UUID | None = None, **columns: Any) -> str:
        code = uuid.uuid4().hex
        founds = team_id is None
        values = {
            "kind": InvitationKind.CREATE_TEAM if founds else InvitationKind.JOIN_TEAM,
            "role": Role.OWNER if founds else Role.MEMBER,
            "created_by": uuid.uuid4(),
            "expires_at": func.clock_timestamp() + timedelta(days=7),
            **columns,
        }
        with database() as session:
            session.add(Invitation(code=code, team_id=team_id, **values))
        return code

    return make


def register(api: TestApp, code: str, username: str = "anna", status: int = 201, **fields: Any) -> Any:
    """The reply to a registration."""
    body = {"username": username, "password": PASSWORD, "invite_code": code, **fields}
    return api.post_json(REGISTER, body, status=status)


def validate(api: TestApp, code: str) -> dict[str, Any]:
    """What is told of a code."""
    reply: dict[str, Any] = api.post_json(VALIDATE, {"code": code}, status=200).json
    return reply


def set_team_status(database: Database, team_id: Any, status: TeamStatus) -> None:
    """Disable a team, or enable it."""
    with database() as session:
        session.execute(update(Team).where(Team.id == uuid.UUID(str(team_id))).values(status=status))
