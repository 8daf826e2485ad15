"""What the accounts endpoints take and answer."""

from __future__ import annotations

import re
import uuid
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, ValidationInfo, field_validator

from contentsvc.accounts.models import InvitationKind, InvitationStatus
from contentsvc.billing.counters import Usage
from contentsvc.http.types import (
    Credits,
    Factor,
    In,
    JsonObject,
    LimitIn,
    Link,
    Out,
    Timestamp,
    Word,
)
from contentsvc.security.models import LoginSession, Role, TeamStatus, User

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

TeamName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)]

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


class AvatarIn(In):
    """An avatar comes without any fields beside the file."""


class PreferencesIn(In):
    """Keys to set; null takes a key back to its default, or away. Further keys are kept as they are sent."""

    model_config = ConfigDict(extra="allow")

    language: Word | None = None
    timezone: Word | None = None
    theme: Word | None = None
    notifications: JsonObject | None = None
    default_ratio: Word | None = None


class MemberIn(NewAccount):
    """A new member; a limit of 0 is none."""

    name: Word = ""
    email: Email = ""
    role: Role = Role.MEMBER
    monthly_credit_limit: LimitIn = Decimal(0)
    daily_credit_limit: LimitIn = Decimal(0)
    total_credit_limit: LimitIn = Decimal(0)


class MemberPatch(In):
    """Fields that are left out stay as they are; a limit of 0 is none."""

    name: Word = ""
    role: Role = Role.MEMBER
    monthly_credit_limit: LimitIn = Decimal(0)
    daily_credit_limit: LimitIn = Decimal(0)
    total_credit_limit: LimitIn = Decimal(0)


class PasswordSetIn(Secretive):
    """A password for somebody else."""

    password: NewPassword


class TeamSettingsPatch(In):
    """Fields that are left out stay; a limit of null is the platform's default, 0 is none."""

    name: TeamName = ""
    monthly_credit_limit: LimitIn | None = None


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


class PreferencesOut(Out):
    """The known keys, with their defaults where none was set, and whatever else was stored."""

    model_config = ConfigDict(extra="allow")

    language: str = "en"
    timezone: str = "UTC"
    theme: str = "system"
    notifications: JsonObject = Field(default_factory=dict)
    default_ratio: str = "1:1"


class MemberOut(Out):
    """A member; what counts as used is what was charged in the window and what open tasks hold."""

    id: uuid.UUID
    username: str
    name: str
    email: str
    role: Role
    is_active: bool
    monthly_credit_limit: Credits
    daily_credit_limit: Credits
    total_credit_limit: Credits
    monthly_used: Credits
    daily_used: Credits
    total_used: Credits
    created_at: Timestamp

    @classmethod
    def of(cls, user: User, usage: Usage) -> Self:
        """A member and what he has used."""
        return cls(
            id=user.id,
            username=user.username,
            name=user.name,
            email=user.email,
            role=Role(user.role),
            is_active=user.is_active,
            monthly_credit_limit=user.monthly_credit_limit,
            daily_credit_limit=user.daily_credit_limit,
            total_credit_limit=user.total_credit_limit,
            monthly_used=usage.month + usage.reserved,
            daily_used=usage.day + usage.reserved,
            total_used=usage.total + usage.reserved,
            created_at=user.created_at,
        )


class TeamSettingsOut(Out):
    """What counts as used is what was charged this month and what open tasks hold."""

    id: uuid.UUID
    name: str
    monthly_credit_limit: Credits | None
    monthly_used: Credits
    price_multiplier: Factor


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
