"""What each role may do."""

from __future__ import annotations

import pytest

from contentsvc.http.errors import PermissionDenied
from contentsvc.http.permissions import Permission
from contentsvc.security.identity import Identity
from contentsvc.security.models import LoginSession, Role, Team, User

EVERYBODY = {Permission.PUBLIC, Permission.PROFILE}
ADMIN = {Permission.READ, Permission.WORK, Permission.MANAGE, Permission.EXPLAIN}
PLATFORM = {Permission.PLATFORM, Permission.EXPLAIN}


def identity(role: str = Role.OWNER, *, platform: bool = False, team: bool = True) -> Identity:
    user = User(username="anna", role=role, is_platform_admin=platform)
    return Identity(user=user, session=LoginSession(), team=Team(name="Team") if team else None)


def allowed(who: Identity) -> set[Permission]:
    return {permission for permission in Permission if who.may(permission)}


@pytest.mark.parametrize(
    ("role", "permissions"),
    [
        (Role.VIEWER, {Permission.READ}),
        (Role.MEMBER, {Permission.READ, Permission.WORK}),
        (Role.ADMIN, ADMIN),
        (Role.OWNER, ADMIN | {Permission.OWN}),
    ],
)
def test_role_covers_exactly(role: str, permissions: set[Permission]) -> None:
    assert allowed(identity(role)) == EVERYBODY | permissions


def test_administrator_without_a_team_has_the_platform_only() -> None:
    assert allowed(identity(platform=True, team=False)) == EVERYBODY | PLATFORM


def test_administrator_in_a_team_has_his_role_there_as_well() -> None:
    who = identity(Role.VIEWER, platform=True)

    assert allowed(who) == EVERYBODY | {Permission.READ} | PLATFORM


def test_team_id_of_who_has_no_team_is_refused() -> None:
    with pytest.raises(PermissionDenied):
        _ = identity(platform=True, team=False).team_id
