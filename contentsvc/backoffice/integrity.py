"""The integrity report: what shouldn't be there, beside how much there is."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field
from pyramid.config import Configurator
from sqlalchemy import ColumnElement, Select, exists, func, select

from contentsvc.accounts.models import Invitation, InvitationStatus
from contentsvc.assets.models import Asset
from contentsvc.billing.models import CreditAccount
from contentsvc.generation.interventions import STUCK
from contentsvc.generation.models import AITask
from contentsvc.http import ApiRequest, ApiService, Permission
from contentsvc.http.types import Out, Timestamp
from contentsvc.jobs.clock import now
from contentsvc.products.models import Product, ProductImage
from contentsvc.projects.models import Project, ProjectStatus
from contentsvc.security.models import Team, User
from contentsvc.storage.models import MediaFile

integrity = ApiService("admin-integrity", "/api/admin/integrity/")


class IntegrityCounts(Out):
    """What should be looked at; all are zero where nothing is wrong."""

    teams_without_account: int
    products_without_image: int
    expired_invitations: int = Field(description="Neither accepted nor revoked.")
    assets_without_file: int
    failed_projects: int
    stuck_reserved_tasks: int = Field(description="What the administrator may reap.")


class IntegrityTotals(Out):
    """How much there is; what lies in the trash counts, what was deleted for good doesn't."""

    teams: int
    users: int
    products: int
    projects: int
    assets: int
    tasks: int


class IntegrityOut(Out):
    """The report."""

    checked_at: Timestamp
    counts: IntegrityCounts
    totals: IntegrityTotals


def _count(entity: Any, *conditions: ColumnElement[bool]) -> Select[int]:
    return select(func.count()).select_from(entity).where(*conditions)


def _counts() -> dict[str, Select[int]]:
    return {
        "teams_without_account": _count(Team, ~exists().where(CreditAccount.team_id == Team.id)),
        "products_without_image": _count(Product, ~exists().where(ProductImage.product_id == Product.id)),
        "expired_invitations": _count(Invitation, Invitation.status == InvitationStatus.EXPIRED),
        "assets_without_file": _count(Asset, ~exists().where(MediaFile.id == Asset.file_id)),
        "failed_projects": _count(
            Project, Project.deleted_at.is_(None), Project.status == ProjectStatus.FAILED
        ),
        "stuck_reserved_tasks": _count(STUCK.subquery()),
    }


def _totals() -> dict[str, Select[int]]:
    return {
        "teams": _count(Team),
        "users": _count(User, User.removed_at.is_(None)),
        "products": _count(Product),
        "projects": _count(Project, Project.deleted_at.is_(None)),
        "assets": _count(Asset),
        "tasks": _count(AITask),
    }


@integrity.get(permission=Permission.PLATFORM, response=IntegrityOut)
def read_integrity(request: ApiRequest) -> dict[str, Any]:
    """Count what shouldn't be there, and all there is.

    One statement for each of the two, whatever the size of the database.
    """
    checked_at: datetime = request.db.execute(select(now())).scalar_one()
    return {"checked_at": checked_at, "counts": _row(request, _counts()), "totals": _row(request, _totals())}


def _row(request: ApiRequest, columns: dict[str, Select[int]]) -> dict[str, int]:
    named = [statement.scalar_subquery().label(name) for name, statement in columns.items()]
    return dict(request.db.execute(select(*named)).mappings().one())


def includeme(config: Configurator) -> None:
    """The route."""
    config.add_cornice_service(integrity)
