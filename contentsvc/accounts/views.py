"""Coming in and going out: register, invitation codes, login, logout."""

from __future__ import annotations

from typing import Any

from contentsvc.accounts.guesses import Guesses, Visitor, code_guesses
from contentsvc.accounts.invitations import find_invitation, refusal_of
from contentsvc.accounts.registration import register
from contentsvc.accounts.schemas import (
    InvalidInviteOut,
    InviteCodeIn,
    LoginIn,
    RegisterIn,
    SessionOut,
    SignedInOut,
    ValidInviteOut,
)
from contentsvc.accounts.services import SignedIn, log_in
from contentsvc.http import ApiRequest, ApiService, ErrorCode, Permission, outside_transaction
from contentsvc.security.tokens import revoke_session

registration = ApiService("register", "/api/auth/register/")
invite_check = ApiService("validate-invite", "/api/auth/validate-invite/")
login = ApiService("login", "/api/auth/login/")
logout = ApiService("logout", "/api/auth/logout/")

SERVICES = (registration, invite_check, login, logout)


def visitor_of(request: ApiRequest) -> Visitor:
    """Where the request comes from."""
    return Visitor(address=request.client_address, user_agent=request.user_agent or "")


def _code_guesses(request: ApiRequest) -> Guesses:
    """The address's guesses at codes, unless there were too many: told before the body is read."""
    guesses = code_guesses(request.registry, request.client_address)
    with outside_transaction(request):
        guesses.check()
    return guesses


def _reply(done: SignedIn) -> dict[str, Any]:
    return {
        "token": done.token,
        "user": done.user,
        "team": done.team,
        "session": SessionOut.of(done.session, current=done.session.id),
        "expires_at": done.session.expires_at,
    }


@registration.post(
    permission=Permission.PUBLIC,
    subject=_code_guesses,
    body=RegisterIn,
    response=SignedInOut,
    status=201,
    other_statuses=(200,),
    refusals=(ErrorCode.INVALID_INVITE, ErrorCode.USER_DISABLED, ErrorCode.TEAM_DISABLED),
)
def register_account(request: ApiRequest) -> dict[str, Any]:
    """Register with an invitation code.

    A `create_team` code founds a team and makes the registrant its owner; a `join_team`
    code admits him to the code's team. Who registers again with the same username and
    password and a code of his team is signed in and gets 200; nothing is granted twice.
    """
    with outside_transaction(request):
        done = register(request.registry, request.validated["body"], visitor_of(request))
    if not done.is_new:
        request.response.status_int = 200
    return _reply(done.signed_in)


@invite_check.post(
    permission=Permission.PUBLIC,
    subject=_code_guesses,
    body=InviteCodeIn,
    response=ValidInviteOut | InvalidInviteOut,
)
def validate_invite(request: ApiRequest) -> ValidInviteOut | InvalidInviteOut:
    """Tell whether an invitation code can be used, and for what.

    The reply is 200 in both cases; invalid codes are counted for the address.
    """
    invitation = find_invitation(request.db, request.validated["body"].code)
    reason = refusal_of(invitation)
    if invitation is None or reason:
        with outside_transaction(request):
            request.validated["subject"].failed()
        return InvalidInviteOut(detail=reason)
    return ValidInviteOut(kind=invitation.kind, role=invitation.role, team_name=invitation.team_name)


@login.post(
    permission=Permission.PUBLIC,
    body=LoginIn,
    response=SignedInOut,
    refusals=(ErrorCode.INVALID_CREDENTIALS, ErrorCode.USER_DISABLED, ErrorCode.TEAM_DISABLED),
)
def log_in_user(request: ApiRequest) -> dict[str, Any]:
    """Sign in with username and password."""
    given: LoginIn = request.validated["body"]
    with outside_transaction(request):
        done = log_in(request.registry, given.username, given.password, visitor_of(request))
    return _reply(done)


@logout.post(permission=Permission.PROFILE, status=204, idempotent=False)
def log_out(request: ApiRequest) -> None:
    """End the current session."""
    revoke_session(request.db, request.identity.session.id)
