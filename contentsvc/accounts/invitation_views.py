"""The invitations of one's own team."""

from __future__ import annotations

from contentsvc.accounts.invitations import Invitations, require_naming
from contentsvc.accounts.models import Invitation
from contentsvc.accounts.schemas import InvitationOut, TeamInvitationIn
from contentsvc.http import ApiRequest, ApiService, Permission
from contentsvc.http.paths import path_id
from contentsvc.security.models import Role

invitations = ApiService("team-invitations", "/api/auth/team/invitations/")
invitation_revoke = ApiService("team-invitation-revoke", "/api/auth/team/invitations/{id}/revoke/")

SERVICES = (invitations, invitation_revoke)


def _invitations(request: ApiRequest) -> Invitations:
    return Invitations(request.db, request.settings, request.identity.team_id)


def _manageable(request: ApiRequest) -> Invitation:
    invitation = _invitations(request).get(path_id(request))
    require_naming(request.identity.user, invitation.role)
    return invitation


def _shown(request: ApiRequest, invitation: Invitation) -> InvitationOut:
    """An owner's code makes owners: to an admin it is not told."""
    shown = InvitationOut.model_validate(invitation)
    hidden = invitation.role == Role.OWNER and request.identity.user.role != Role.OWNER
    return shown.model_copy(update={"code": ""}) if hidden else shown


@invitations.get(permission=Permission.MANAGE, response=list[InvitationOut])
def list_invitations(request: ApiRequest) -> list[InvitationOut]:
    """List the team's invitations, newest first.

    To an admin the `code` of an invitation for an owner is empty.
    """
    return [_shown(request, invitation) for invitation in _invitations(request).all()]


@invitations.post(permission=Permission.MANAGE, body=TeamInvitationIn, response=InvitationOut, status=201)
def create_invitation(request: ApiRequest) -> Invitation:
    """Invite somebody into the team; only an owner can invite owners."""
    given: TeamInvitationIn = request.validated["body"]
    require_naming(request.identity.user, given.role)
    return _invitations(request).create(
        request.identity.user.id,
        role=given.role,
        email=given.email,
        monthly_credit_limit=given.monthly_credit_limit,
    )


@invitation_revoke.post(permission=Permission.MANAGE, subject=_manageable, response=InvitationOut)
def revoke_invitation(request: ApiRequest) -> Invitation:
    """Make an invitation's code worthless; accepted ones can't be revoked."""
    invitation: Invitation = request.validated["subject"]
    _invitations(request).revoke(invitation)
    return invitation
