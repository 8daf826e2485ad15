"""Pyramid's security policy: tokens in, permissions out, and the session's scope between."""

from __future__ import annotations

from typing import Any

import structlog
from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPForbidden
from pyramid.request import RequestLocalCache
from pyramid.response import Response
from pyramid.security import Allowed, Denied
from sqlalchemy.exc import SQLAlchemyError
from structlog.contextvars import bind_contextvars

from contentsvc.db.tenancy import enter_platform, enter_team
from contentsvc.http.errors import ApiError, ErrorCode, PermissionDenied
from contentsvc.http.permissions import Permission
from contentsvc.http.render import error_response
from contentsvc.http.request import ApiRequest
from contentsvc.security.identity import Identity, presented_token, recognize
from contentsvc.security.tokens import renew_session

log = structlog.get_logger(__name__)


class TokenPolicy:
    """``Authorization: Token …`` makes ``request.identity``; roles decide what it may do."""

    def __init__(self) -> None:
        self._identities = RequestLocalCache(_recognize)

    def identity(self, request: ApiRequest) -> Identity | None:
        """The caller, looked up once a request; None without a token that counts."""
        found: Identity | None = self._identities.get_or_create(request)
        return found

    def authenticated_userid(self, request: ApiRequest) -> str | None:
        """The caller's user id."""
        identity = self.identity(request)
        return None if identity is None else str(identity.user.id)

    def permits(self, request: ApiRequest, _context: Any, permission: str) -> Allowed | Denied:
        """Whether the caller may; if so, the request's session serves his team or the platform."""
        needed = Permission(permission)
        if needed is Permission.PUBLIC:
            return Allowed("open to everybody")
        identity = self.identity(request)
        if identity is None:
            return Denied("nobody is signed in")
        if not identity.may(needed):
            return Denied("the role does not cover it")
        _enter_scope(request, identity, needed)
        return Allowed("the role covers it")


def _recognize(request: ApiRequest) -> Identity | None:
    token = presented_token(request.headers.get("Authorization"))
    if token is None:
        return None
    recognized = recognize(request.db, token)
    if recognized is None:
        return None
    if recognized.renewal_due:
        # After the request's transaction: whatever comes of it the session was used, and
        # no request holds two connections.
        request.add_finished_callback(_renew)
    identity = recognized.identity
    bind_contextvars(user_id=str(identity.user.id), team_id=identity.team and str(identity.team.id))
    return identity


def _renew(request: ApiRequest) -> None:
    try:
        renew_session(request.registry, request.identity.session.id)
    except SQLAlchemyError:
        log.warning("session_renewal_failed", exc_info=True)


def _enter_scope(request: ApiRequest, identity: Identity, permission: Permission) -> None:
    if identity.serves_platform(permission):
        enter_platform(request.db)
    elif identity.team is not None:
        enter_team(request.db, identity.team.id)


def forbidden(_error: HTTPForbidden, request: ApiRequest) -> Response:
    """401 for who isn't known, 403 for who is."""
    if request.identity is not None:
        return error_response(PermissionDenied())
    if presented_token(request.headers.get("Authorization")) is None:
        error = ApiError(
            ErrorCode.NOT_AUTHENTICATED, "Sign in first: send Authorization: Token <your token>."
        )
    else:
        error = ApiError(ErrorCode.INVALID_TOKEN, "This token is not valid, or not any more. Sign in again.")
    response = error_response(error)
    response.headers["WWW-Authenticate"] = "Token"
    return response


def includeme(config: Configurator) -> None:
    """The policy, and the view of its refusals."""
    config.set_security_policy(TokenPolicy())
    config.add_forbidden_view(forbidden)
