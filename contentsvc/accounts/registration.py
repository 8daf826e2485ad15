"""Registration: an invitation code becomes an account, once, and repeating it does no harm."""

from __future__ import annotations

from dataclasses import dataclass

from pyramid.registry import Registry
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from contentsvc.accounts.guesses import Visitor, code_guesses, password_guesses
from contentsvc.accounts.invitations import accept, find_invitation, refusal_of
from contentsvc.accounts.models import Invitation, InvitationKind
from contentsvc.accounts.schemas import RegisterIn
from contentsvc.accounts.services import SignedIn, enter, find_user, sign_in
from contentsvc.billing.accounts import open_account
from contentsvc.db.session import transaction_scope
from contentsvc.http import ApiError, ErrorCode, FieldErrors
from contentsvc.notifications.models import NotificationType
from contentsvc.notifications.services import Notice, Step, aside, notify
from contentsvc.security.models import Role, Team, TeamStatus, User
from contentsvc.security.passwords import hash_password

_TRIES = 3
_USERNAME_INDEX = "uq_app_user_username_lower"


class _Overtaken(Exception):
    """Somebody else took the name or the code between our reading and our writing."""


@dataclass(frozen=True)
class Registered:
    """Who is signed in now, and whether his account is new."""

    signed_in: SignedIn
    is_new: bool


def register(registry: Registry, order: RegisterIn, visitor: Visitor) -> Registered:
    """Make an account with a code, or sign in who has made it with that team's code before.

    Raises ApiError INVALID_INVITE, USER_DISABLED, TEAM_DISABLED, RATE_LIMITED, or
    FieldErrors on ``username`` when the name is another person's.
    """
    for _ in range(_TRIES):
        try:
            return _register(registry, order, visitor)
        except _Overtaken:
            # Look again: a double click finds the account its twin has just made.
            continue
    raise ApiError(ErrorCode.CONFLICT, "This was taken by somebody else at this very moment.")


def _register(registry: Registry, order: RegisterIn, visitor: Visitor) -> Registered:
    with transaction_scope(registry) as session:
        invitation = find_invitation(session, order.invite_code)
        user = find_user(session, order.username)
    if user is not None and invitation is not None:
        return Registered(_return(registry, user, invitation, order, visitor), is_new=False)
    reason = refusal_of(invitation) or _wrong_address(invitation, order)
    if invitation is None or reason:
        code_guesses(registry, visitor.address).failed()
        raise ApiError(ErrorCode.INVALID_INVITE, reason)
    hashed = hash_password(registry, order.password)
    try:
        with transaction_scope(registry) as session:
            return Registered(_admit(session, registry, invitation, order, hashed, visitor), is_new=True)
    except IntegrityError as error:
        if _USERNAME_INDEX not in str(error.orig):
            raise
        raise _Overtaken from None


def _wrong_address(invitation: Invitation | None, order: RegisterIn) -> str:
    bound = invitation.email if invitation else ""
    if bound and order.email and order.email.lower() != bound.lower():
        return "This invitation is for another e-mail address."
    return ""


def _return(
    registry: Registry, user: User, invitation: Invitation, order: RegisterIn, visitor: Visitor
) -> SignedIn:
    """Sign in who registers again with a code of the team he is in; nothing is granted."""
    guesses = password_guesses(registry, user.username, visitor.address)
    proven = guesses.password_matches(user.password_hash, order.password)
    is_own = invitation.team_id is not None and invitation.team_id == user.team_id
    if not proven or not is_own or user.removed_at is not None:
        raise FieldErrors.one("username", "This username is taken.")
    return sign_in(registry, user.id, user.password_hash, order.password, visitor)


def _admit(
    session: Session,
    registry: Registry,
    invitation: Invitation,
    order: RegisterIn,
    hashed: str,
    visitor: Visitor,
) -> SignedIn:
    founds = invitation.kind == InvitationKind.CREATE_TEAM
    team = _found_team(session, order) if founds else _hold_team(session, invitation)
    user = User(
        id=uuid7(),
        username=order.username,
        password_hash=hashed,
        email=order.email or invitation.email,
        role=Role.OWNER if founds else invitation.role,
        team_id=team.id,
        monthly_credit_limit=invitation.monthly_credit_limit or 0,
    )
    if not accept(session, invitation.id, user_id=user.id, team_id=team.id):
        raise _Overtaken
    session.add(user)
    session.flush()
    _welcome(session, registry, user, team)
    return enter(session, registry, user, team, visitor)


def _welcome(session: Session, registry: Registry, user: User, team: Team) -> None:
    notice = Notice(
        NotificationType.SYSTEM,
        f"Welcome to {team.name}",
        "Add a product, and make its first pictures and its first film.",
        [Step("registered", "Registered", user.created_at)],
    )
    with aside(session):
        notify(session, registry, [user.id], notice)


def _found_team(session: Session, order: RegisterIn) -> Team:
    team = Team(name=(order.team_name or "").strip() or order.username)
    session.add(team)
    session.flush()
    open_account(session, team.id)
    return team


def _hold_team(session: Session, invitation: Invitation) -> Team:
    """The code's team, which nobody disables until the commit."""
    team = session.get(Team, invitation.team_id, with_for_update={"read": True})
    if team is None or team.status != TeamStatus.ENABLED:
        raise _Overtaken
    return team
