"""What the accounts endpoints take and answer."""

from __future__ import annotations

import re
import uuid
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, ValidationInfo, field_validator

from contentsvc.accounts.models import InvitationKind, InvitationStatus
from contentsvc.http.types import (
    Credits,
    Factor,
    In,
    LimitIn,
    Link,
    Out,
    Timestamp,
    Word,
)
from contentsvc.security.models import LoginSession, Role, TeamStatus

_USERNAME = re.compile(r"[A-Za-z0-9._@-]{3,64}", re.ASCII)
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_PASSWORD_LENGTHS = (8, 256)


def _username(value: str) -> str:
    if not _USERNAME.fullmatch(value):
        raise ValueError("3 to 64 ASCII letters, digits, dots, hyphens, underscores or @ are expected")
    return value


def _email(value: str) -> str:
    if value and not _EMAIL.fullmatch(value):
        raise ValueError("not an e-mail address")
    return value


def _new_password(value: str) -> str:
    shortest, longest = _PASSWORD_LENGTHS
    if not shortest <= len(value) <= longest:
        raise ValueError(f"a password has {shortest} to {longest} characters")
    return value


def require_unlike(password: str, username: str) -> str:
    """The password, unless it is the username (in whatever case): then ValueError."""
    if password.lower() == username.lower():
        raise ValueError("the password can't be the username")
    return password


Username = Annotated[str, AfterValidator(_username)]
Email = Annotated[str, Field(max_length=254), AfterValidator(_email)]
"""An address, or nothing."""

NewPassword = Annotated[str, Field(repr=False), AfterValidator(_new_password)]
GivenPassword = Annotated[str, Field(repr=False)]
"""A password to be compared with the one stored; it has no rules to fulfil."""


class Secretive(In):
    """A body with a password in it, which its errors don't repeat."""

    model_config = ConfigDict(hide_input_in_errors=True)


class NewAccount(Secretive):
    """Username and password of an account that is yet to be."""

    username: Username
    password: NewPassword

    @field_validator("password")
    @classmethod
    def _unlike_username(cls, password: str, info: ValidationInfo) -> str:
        return require_unlike(password, info.data.get("username", ""))


class RegisterIn(NewAccount):
    invite_code: str
    email: Email | None = None
    team_name: Word | None = None


class LoginIn(Secretive):
    username: str
    password: GivenPassword


class InviteCodeIn(In):
    code: str


class ProfileIn(In):
    """Fields that are left out stay as they are."""

    name: Word = ""
    phone: Annotated[str, Field(max_length=64)] = ""
    email: Email = ""


class PasswordIn(Secretive):
    old_password: GivenPassword
    new_password: NewPassword


class TeamInvitationIn(In):
    role: Role = Role.MEMBER
    email: Email | None = None
    monthly_credit_limit: LimitIn | None = None


class PlatformInvitationIn(In):
    email: Email | None = None


class UserOut(Out):
    id: uuid.UUID
    username: str
    name: str
    phone: str
    email: str
    avatar: Link = Field(validation_alias="avatar_path")
    role: Role
    team: uuid.UUID | None = Field(validation_alias="team_id")
    is_platform_admin: bool
    is_active: bool
    last_login_at: Timestamp | None
    created_at: Timestamp


class TeamOut(Out):
    id: uuid.UUID
    name: str
    status: TeamStatus
    price_multiplier: Factor
    monthly_credit_limit: Credits | None
    created_at: Timestamp


class SessionOut(Out):
    id: uuid.UUID
    created_at: Timestamp
    last_seen_at: Timestamp
    expires_at: Timestamp
    ip: str
    user_agent: str
    is_current: bool

    @classmethod
    def of(cls, login: LoginSession, current: uuid.UUID) -> Self:
        """A session as its owner sees it, who is calling with the session ``current``."""
        return cls(
            id=login.id,
            created_at=login.created_at,
            last_seen_at=login.last_seen_at,
            expires_at=login.expires_at,
            ip=login.ip,
            user_agent=login.user_agent,
            is_current=login.id == current,
        )


class SignedInOut(Out):
    """The reply to register and login."""

    token: str
    user: UserOut
    team: TeamOut | None
    session: SessionOut
    expires_at: Timestamp


class ProfileOut(Out):
    user: UserOut
    team: TeamOut | None


class TokenOut(Out):
    token: str


class RevokedOut(Out):
    revoked: int


class ValidInviteOut(Out):
    valid: Literal[True] = True
    kind: InvitationKind
    role: Role
    team_name: str | None


class InvalidInviteOut(Out):
    valid: Literal[False] = False
    detail: str


class InvitationFacts(Out):
    """An invitation without its secret, as the audit trail keeps it."""

    id: uuid.UUID
    kind: InvitationKind
    role: Role
    email: str
    monthly_credit_limit: Credits | None
    team: uuid.UUID | None = Field(validation_alias="team_id")
    team_name: str | None
    status: InvitationStatus
    created_by: uuid.UUID
    created_at: Timestamp
    expires_at: Timestamp
    accepted_at: Timestamp | None
    accepted_by: uuid.UUID | None


class InvitationOut(InvitationFacts):
    code: str
