"""The platform's invitations: codes that found teams, and a look at those of all teams."""

from __future__ import annotations

from typing import Any

from pyramid.config import Configurator

from contentsvc.accounts.invitations import Invitations
from contentsvc.accounts.models import Invitation, InvitationKind, InvitationStatus
from contentsvc.accounts.schemas import InvitationFacts, InvitationOut, PlatformInvitationIn
from contentsvc.backoffice.audit import record_change
from contentsvc.http import ApiRequest, ApiService, Page, PageQuery, Permission, envelope, fetch_page
from contentsvc.http.paths import path_id
from contentsvc.http.types import Word
from contentsvc.security.models import Role

invitations = ApiService("admin-invitations", "/api/admin/invitations/")
invitation_revoke = ApiService("admin-invitation-revoke", "/api/admin/invitations/{id}/revoke/")

_TARGET = "invitation"


class InvitationQuery(PageQuery):
    """``search`` is literal text in the email or the team's name, or the whole code."""

    kind: InvitationKind | None = None
    status: InvitationStatus | None = None
    search: Word = ""


def _invitations(request: ApiRequest) -> Invitations:
    return Invitations(request.db, request.settings, None)


def _named(request: ApiRequest) -> Invitation:
    return _invitations(request).get(path_id(request))


@invitations.get(permission=Permission.PLATFORM, query=InvitationQuery, response=Page[InvitationOut])
def list_invitations(request: ApiRequest) -> dict[str, Any]:
    """List the invitations of all teams and of the platform, newest first."""
    query: InvitationQuery = request.validated["query"]
    matching = _invitations(request).matching(kind=query.kind, status=query.status, search=query.search)
    return envelope(request, fetch_page(request.db, matching, query), query)


@invitations.post(
    permission=Permission.PLATFORM, body=PlatformInvitationIn, response=InvitationOut, status=201
)
def create_invitation(request: ApiRequest) -> Invitation:
    """Invite somebody to found a team."""
    invitation = _invitations(request).create(
        request.identity.user.id, role=Role.OWNER, email=request.validated["body"].email
    )
    after = InvitationFacts.model_validate(invitation)
    record_change(request, "invitation.create", _TARGET, invitation.id, after=after)
    return invitation


@invitation_revoke.post(permission=Permission.PLATFORM, subject=_named, response=InvitationOut)
def revoke_invitation(request: ApiRequest) -> Invitation:
    """Make an invitation's code worthless; accepted ones can't be revoked."""
    invitation: Invitation = request.validated["subject"]
    before = InvitationFacts.model_validate(invitation)
    _invitations(request).revoke(invitation)
    after = InvitationFacts.model_validate(invitation)
    if after != before:
        record_change(request, "invitation.revoke", _TARGET, invitation.id, before=before, after=after)
    return invitation


def includeme(config: Configurator) -> None:
    """The routes."""
    config.add_cornice_service(invitations)
    config.add_cornice_service(invitation_revoke)
