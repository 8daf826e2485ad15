"""The administrator's quota policies."""

from __future__ import annotations

from typing import Any

from pyramid.config import Configurator

from contentsvc.backoffice.audit import record_change
from contentsvc.billing.models import QuotaPolicy
from contentsvc.billing.policies import QuotaPolicies
from contentsvc.billing.schemas import QuotaPolicyIn, QuotaPolicyOut, QuotaPolicyPatch, QuotaPolicyQuery
from contentsvc.http import ApiRequest, ApiService, ErrorCode, Page, Permission, envelope
from contentsvc.http.paths import path_id

policies = ApiService("admin-quota-policies", "/api/admin/quota-policies/")
policy_item = ApiService("admin-quota-policy", "/api/admin/quota-policies/{id}/")

_TARGET = "quota_policy"


def _named(request: ApiRequest) -> QuotaPolicy:
    return QuotaPolicies(request.db).get(path_id(request))


@policies.get(permission=Permission.PLATFORM, query=QuotaPolicyQuery, response=Page[QuotaPolicyOut])
def list_quota_policies(request: ApiRequest) -> dict[str, Any]:
    """List the quota policies of all teams, newest first."""
    query: QuotaPolicyQuery = request.validated["query"]
    return envelope(request, QuotaPolicies(request.db).page(query, query.team), query)


@policies.post(
    permission=Permission.PLATFORM,
    body=QuotaPolicyIn,
    response=QuotaPolicyOut,
    status=201,
    refusals=(ErrorCode.CONFLICT,),
)
def create_quota_policy(request: ApiRequest) -> QuotaPolicy:
    """Cap what a team can order.

    Per task, per month, and over the whole life of each project. A limit that is null or
    left out is no cap; 0 allows nothing. A team has one policy at most.
    """
    body: QuotaPolicyIn = request.validated["body"]
    row = QuotaPolicies(request.db).create(body.model_dump(exclude={"team"}) | {"team_id": body.team})
    after = QuotaPolicyOut.model_validate(row)
    record_change(request, "quota_policy.create", _TARGET, row.id, after=after)
    return row


@policy_item.patch(
    permission=Permission.PLATFORM, subject=_named, body=QuotaPolicyPatch, response=QuotaPolicyOut
)
def change_quota_policy(request: ApiRequest) -> QuotaPolicy:
    """Change a team's caps; they hold from the next order on.

    A limit set to null is no cap any more; one that is left out stays.
    """
    row: QuotaPolicy = request.validated["subject"]
    body: QuotaPolicyPatch = request.validated["body"]
    before = QuotaPolicyOut.model_validate(row)
    QuotaPolicies(request.db).change(row, body.model_dump(exclude_unset=True))
    after = QuotaPolicyOut.model_validate(row)
    if after != before:
        record_change(request, "quota_policy.change", _TARGET, row.id, before=before, after=after)
    return row


@policy_item.delete(permission=Permission.PLATFORM, subject=_named, status=204)
def delete_quota_policy(request: ApiRequest) -> None:
    """Lift a team's caps."""
    row: QuotaPolicy = request.validated["subject"]
    before = QuotaPolicyOut.model_validate(row)
    QuotaPolicies(request.db).delete(row)
    record_change(request, "quota_policy.delete", _TARGET, row.id, before=before)


def includeme(config: Configurator) -> None:
    """The routes."""
    for service in (policies, policy_item):
        config.add_cornice_service(service)
