"""The platform's users: found, switched off and on, given a new password."""

from __future__ import annotations

from typing import Any

from pyramid.config import Configurator

from contentsvc.accounts import tenants
from contentsvc.accounts.schemas import PasswordSetIn, UserOut
from contentsvc.accounts.services import check_new_password
from contentsvc.accounts.tenants import UserStatus
from contentsvc.backoffice.audit import record_change
from contentsvc.http import (
    ApiRequest,
    ApiService,
    ErrorCode,
    Page,
    PageQuery,
    Permission,
    envelope,
    fetch_page,
    outside_transaction,
)
from contentsvc.http.paths import path_id
from contentsvc.http.types import Word
from contentsvc.security.models import User
from contentsvc.security.passwords import hash_password

users = ApiService("admin-users", "/api/admin/users/")
user_toggle = ApiService("admin-user-toggle", "/api/admin/users/{id}/toggle/")
user_password = ApiService("admin-user-reset-password", "/api/admin/users/{id}/reset-password/")

_TARGET = "user"


class UserQuery(PageQuery):
    """``search`` is literal text in username, name, email or the team's name."""

    status: UserStatus | None = None
    search: Word = ""


class PlatformUserOut(UserOut):
    """A user with the name of his team."""

    team_name: str | None


def _named(request: ApiRequest) -> User:
    return tenants.get_user(request.db, path_id(request))


@users.get(permission=Permission.PLATFORM, query=UserQuery, response=Page[PlatformUserOut])
def list_users(request: ApiRequest) -> dict[str, Any]:
    """List the users of all teams and of the platform, newest first, without those who have left."""
    query: UserQuery = request.validated["query"]
    matching = tenants.find_users(status=query.status, search=query.search)
    return envelope(request, fetch_page(request.db, matching, query), query)


@user_toggle.post(
    permission=Permission.PLATFORM, subject=_named, response=PlatformUserOut, refusals=(ErrorCode.CONFLICT,)
)
def toggle_user(request: ApiRequest) -> User:
    """Disable a user, which ends all his sessions, or enable him again.

    Platform administrators can't be disabled.
    """
    user = tenants.get_user(request.db, request.validated["subject"].id, lock=True)
    before = PlatformUserOut.model_validate(user)
    tenants.toggle_user(request.db, user)
    after = PlatformUserOut.model_validate(user)
    record_change(request, "user.toggle", _TARGET, user.id, before=before, after=after)
    return user


@user_password.post(permission=Permission.PLATFORM, subject=_named, body=PasswordSetIn, status=204)
def reset_password(request: ApiRequest) -> None:
    """Set a user's password, which ends all his sessions."""
    user: User = request.validated["subject"]
    given: PasswordSetIn = request.validated["body"]
    check_new_password("password", given.password, user.username)
    with outside_transaction(request):
        hashed = hash_password(request.registry, given.password)
    tenants.reset_password(request.db, user.id, hashed)
    record_change(request, "user.reset_password", _TARGET, user.id)


def includeme(config: Configurator) -> None:
    """The routes."""
    for service in (users, user_toggle, user_password):
        config.add_cornice_service(service)
