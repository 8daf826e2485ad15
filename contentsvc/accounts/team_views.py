"""One's own team: its members and its settings."""

from __future__ import annotations

from typing import Any

from contentsvc.accounts.invitations import require_naming
from contentsvc.accounts.members import Members, require_manageable
from contentsvc.accounts.schemas import (
    MemberIn,
    MemberOut,
    MemberPatch,
    PasswordSetIn,
    TeamSettingsOut,
    TeamSettingsPatch,
)
from contentsvc.accounts.services import check_new_password
from contentsvc.billing.services import members_usage, team_usage
from contentsvc.http import (
    ApiRequest,
    ApiService,
    ErrorCode,
    Permission,
    PermissionDenied,
    outside_transaction,
)
from contentsvc.http.paths import path_id
from contentsvc.security.models import Team, User
from contentsvc.security.passwords import hash_password

members = ApiService("team-members", "/api/auth/team/members/")
member_item = ApiService("team-member", "/api/auth/team/members/{id}/")
member_password = ApiService("team-member-password", "/api/auth/team/members/{id}/password/")
settings = ApiService("team-settings", "/api/auth/team/settings/")

SERVICES = (members, member_item, member_password, settings)


def _members(request: ApiRequest) -> Members:
    return Members(request.db, request.identity.team_id)


def _manageable(request: ApiRequest) -> User:
    member = _members(request).get(path_id(request))
    require_manageable(request.identity.user, member)
    return member


def _shown(request: ApiRequest, *users: User) -> list[MemberOut]:
    usage = members_usage(request.db, request.settings, request.identity.team_id, [user.id for user in users])
    return [MemberOut.of(user, usage[user.id]) for user in users]


@members.get(permission=Permission.READ, response=list[MemberOut])
def list_members(request: ApiRequest) -> list[MemberOut]:
    """List the team's members, newest first, with their limits and what they have used."""
    return _shown(request, *_members(request).all())


@members.post(
    permission=Permission.MANAGE,
    body=MemberIn,
    response=MemberOut,
    status=201,
    refusals=(ErrorCode.CONFLICT,),
)
def create_member(request: ApiRequest) -> MemberOut:
    """Make an account in the team; only an owner makes owners."""
    given: MemberIn = request.validated["body"]
    require_naming(request.identity.user, given.role)
    _members(request).require_free(given.username)
    with outside_transaction(request):
        hashed = hash_password(request.registry, given.password)
    return _shown(request, _members(request).add(given, hashed))[0]


@member_item.patch(
    permission=Permission.MANAGE,
    subject=_manageable,
    body=MemberPatch,
    response=MemberOut,
    refusals=(ErrorCode.CONFLICT,),
)
def change_member(request: ApiRequest) -> MemberOut:
    """Change a member's name, role or limits.

    Only an owner changes owners and names them. Nobody changes his own role, and the last
    owner stays one.
    """
    changes = request.validated["body"].model_dump(exclude_unset=True)
    require_naming(request.identity.user, changes.get("role", ""))
    changed = _members(request).change(request.identity.user.id, request.validated["subject"].id, changes)
    return _shown(request, changed)[0]


@member_item.delete(
    permission=Permission.MANAGE, subject=_manageable, status=204, refusals=(ErrorCode.CONFLICT,)
)
def remove_member(request: ApiRequest) -> None:
    """Remove a member from the team.

    He is signed out and can't sign in any more; what he made stays, and so does his username.
    Nobody removes himself or the last owner.
    """
    _members(request).remove(request.identity.user.id, request.validated["subject"].id)


@member_password.post(permission=Permission.MANAGE, subject=_manageable, body=PasswordSetIn, status=204)
def set_member_password(request: ApiRequest) -> None:
    """Set a member's password, which ends all his sessions."""
    member: User = request.validated["subject"]
    given: PasswordSetIn = request.validated["body"]
    check_new_password("password", given.password, member.username)
    with outside_transaction(request):
        hashed = hash_password(request.registry, given.password)
    _members(request).set_password(request.identity.user.id, member.id, hashed)


def _team(request: ApiRequest) -> Team:
    team: Team | None = request.identity.team
    if team is None:
        raise PermissionDenied("You are in no team.")
    return team


def _settings(request: ApiRequest) -> dict[str, Any]:
    team = _team(request)
    usage = team_usage(request.db, request.settings, team.id)
    return {
        "id": team.id,
        "name": team.name,
        "monthly_credit_limit": team.monthly_credit_limit,
        "monthly_used": usage.month + usage.reserved,
        "price_multiplier": team.price_multiplier,
    }


@settings.get(permission=Permission.READ, response=TeamSettingsOut)
def read_settings(request: ApiRequest) -> dict[str, Any]:
    """Read the team's settings.

    A `monthly_credit_limit` of null means the platform's default, 0 no limit.
    """
    return _settings(request)


@settings.patch(permission=Permission.OWN, body=TeamSettingsPatch, response=TeamSettingsOut)
def change_settings(request: ApiRequest) -> dict[str, Any]:
    """Change the team's name or its monthly limit."""
    team = _team(request)
    for field, value in request.validated["body"].model_dump(exclude_unset=True).items():
        setattr(team, field, value)
    return _settings(request)
