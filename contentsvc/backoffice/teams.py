"""The platform's teams: found, looked into, changed, switched off and on."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any

from pyramid.config import Configurator
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from contentsvc.accounts import tenants
from contentsvc.accounts.schemas import TeamName, TeamOut
from contentsvc.assets.models import Asset
from contentsvc.backoffice.audit import record_change
from contentsvc.billing.models import CreditAccount
from contentsvc.billing.schemas import Rate
from contentsvc.http import ApiRequest, ApiService, Page, PageQuery, Permission, envelope, fetch_page
from contentsvc.http.paths import path_id
from contentsvc.http.types import Credits, In, LimitIn, Word
from contentsvc.products.models import Product, ProductStatus
from contentsvc.projects.models import Project
from contentsvc.security.models import Team, TeamStatus, User

teams = ApiService("admin-teams", "/api/admin/teams/")
team_item = ApiService("admin-team", "/api/admin/teams/{id}/")
team_toggle = ApiService("admin-team-toggle", "/api/admin/teams/{id}/toggle/")

_TARGET = "team"


class TeamQuery(PageQuery):
    """``search`` is literal text in the name."""

    status: TeamStatus | None = None
    search: Word = ""


class TeamPatch(In):
    """Fields that are left out stay; a limit of null is the platform's default, 0 is none."""

    name: TeamName = ""
    price_multiplier: Rate = Decimal(1)
    monthly_credit_limit: LimitIn | None = None


class TeamDetailOut(TeamOut):
    """A team with its credit, its members, and what it has that isn't deleted."""

    balance: Credits
    frozen: Credits
    members: int
    products: int
    projects: int
    assets: int


def _named(request: ApiRequest) -> Team:
    return tenants.get_team(request.db, path_id(request))


@teams.get(permission=Permission.PLATFORM, query=TeamQuery, response=Page[TeamOut])
def list_teams(request: ApiRequest) -> dict[str, Any]:
    """List all teams, newest first."""
    query: TeamQuery = request.validated["query"]
    matching = tenants.find_teams(status=query.status, search=query.search)
    return envelope(request, fetch_page(request.db, matching, query), query)


@team_item.get(permission=Permission.PLATFORM, subject=_named, response=TeamDetailOut)
def read_team(request: ApiRequest) -> TeamDetailOut:
    """Read a team with its credit and the number of what it has."""
    team: Team = request.validated["subject"]
    shown = TeamOut.model_validate(team)
    return TeamDetailOut(**shown.model_dump(), **_figures(request.db, team.id))


@team_item.patch(permission=Permission.PLATFORM, subject=_named, body=TeamPatch, response=TeamOut)
def change_team(request: ApiRequest) -> Team:
    """Change a team's name, price multiplier or monthly limit; orders under way keep their price."""
    team = tenants.get_team(request.db, request.validated["subject"].id, lock=True)
    before = TeamOut.model_validate(team)
    tenants.change_team(request.db, team, request.validated["body"].model_dump(exclude_unset=True))
    after = TeamOut.model_validate(team)
    if after != before:
        record_change(request, "team.change", _TARGET, team.id, before=before, after=after)
    return team


@team_toggle.post(permission=Permission.PLATFORM, subject=_named, response=TeamOut)
def toggle_team(request: ApiRequest) -> Team:
    """Disable a team, or enable it again.

    Disabling ends all sessions of its members, who can't sign in until it is enabled.
    """
    team = tenants.get_team(request.db, request.validated["subject"].id, lock=True)
    before = TeamOut.model_validate(team)
    tenants.toggle_team(request.db, team)
    after = TeamOut.model_validate(team)
    record_change(request, "team.toggle", _TARGET, team.id, before=before, after=after)
    return team


def _figures(session: Session, team_id: uuid.UUID) -> dict[str, Any]:
    def credit(column: Any) -> Any:
        found = select(column).where(CreditAccount.team_id == team_id).scalar_subquery()
        return func.coalesce(found, 0)

    def number(row: Any, *conditions: Any) -> Any:
        return (
            select(func.count()).select_from(row).where(row.team_id == team_id, *conditions).scalar_subquery()
        )

    figures = select(
        credit(CreditAccount.balance).label("balance"),
        credit(CreditAccount.frozen).label("frozen"),
        number(User, User.removed_at.is_(None)).label("members"),
        number(Product, Product.status == ProductStatus.ACTIVE).label("products"),
        number(Project, Project.deleted_at.is_(None)).label("projects"),
        number(Asset, Asset.deleted_at.is_(None)).label("assets"),
    )
    return dict(session.execute(figures).mappings().one())


def includeme(config: Configurator) -> None:
    """The routes."""
    for service in (teams, team_item, team_toggle):
        config.add_cornice_service(service)
