"""The audit trail, for reading: who has changed what, and how it was before."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AliasChoices, Field
from pyramid.config import Configurator
from sqlalchemy import select

from contentsvc.assets.schemas import BlankIsAbsent
from contentsvc.backoffice.models import AuditRecord
from contentsvc.http import ApiRequest, ApiService, Page, PageQuery, Permission, envelope, fetch_page
from contentsvc.http.types import Id, JsonObject, Out, Timestamp, Word

trail = ApiService("admin-audit", "/api/admin/audit/")


class AuditQuery(PageQuery):
    """Filters of the audit trail; they add up, and an empty one counts as not given."""

    actor: Annotated[Id | None, BlankIsAbsent] = Field(None, description="Id of the user who did it.")
    action: Word = Field("", description="As the rows have it: provider.change.")
    target: Annotated[Id | None, BlankIsAbsent] = Field(None, description="Id of what was changed.")


class AuditOut(Out):
    """One change. ``before`` and ``after`` are what the API shows of it; no secrets."""

    id: Id
    actor: Id = Field(validation_alias=AliasChoices("actor_id", "actor"))
    action: str
    target_type: str
    target_id: Id | None = Field(description="Null where there is only one of its type.")
    before: JsonObject | None = Field(description="Null for what was made.")
    after: JsonObject | None = Field(description="Null for what was deleted.")
    ip: str
    created_at: Timestamp


@trail.get(permission=Permission.PLATFORM, query=AuditQuery, response=Page[AuditOut])
def list_audit_records(request: ApiRequest) -> dict[str, Any]:
    """List what administrators have changed, newest first.

    Refused changes, and those that changed nothing, leave no row.
    """
    query: AuditQuery = request.validated["query"]
    statement = select(AuditRecord).order_by(AuditRecord.created_at.desc(), AuditRecord.id.desc())
    if query.actor is not None:
        statement = statement.where(AuditRecord.actor_id == query.actor)
    if query.action:
        statement = statement.where(AuditRecord.action == query.action)
    if query.target is not None:
        statement = statement.where(AuditRecord.target_id == query.target)
    return envelope(request, fetch_page(request.db, statement, query), query)


def includeme(config: Configurator) -> None:
    """The route."""
    config.add_cornice_service(trail)
