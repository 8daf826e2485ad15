"""The administrator's billing routes: every team's ledger, adjustments, the platform's rates."""

from __future__ import annotations

from typing import Any

from pyramid.config import Configurator

from contentsvc.backoffice.audit import record_change
from contentsvc.billing import services
from contentsvc.billing.models import BillingConfig, LedgerRow
from contentsvc.billing.notices import tell_of_adjustment
from contentsvc.billing.schemas import (
    AdjustIn,
    AllLedgersQuery,
    BillingConfigOut,
    BillingConfigPatch,
    LedgerOut,
)
from contentsvc.http import ApiRequest, ApiService, Page, Permission, envelope

ledgers = ApiService("admin-ledgers", "/api/admin/ledgers/")
adjusting = ApiService("admin-ledgers-adjust", "/api/admin/ledgers/adjust/")
configuration = ApiService("admin-billing-config", "/api/admin/billing-config/")


@ledgers.get(permission=Permission.PLATFORM, query=AllLedgersQuery, response=Page[LedgerOut])
def list_all_ledgers(request: ApiRequest) -> dict[str, Any]:
    """List all teams' movements of credit, newest first."""
    query: AllLedgersQuery = request.validated["query"]
    found = services.ledgers(request.db, query, team_id=query.team, ledger_type=query.ledger_type)
    return envelope(request, found, query)


@adjusting.post(permission=Permission.PLATFORM, body=AdjustIn, response=LedgerOut, status=201)
def adjust_balance(request: ApiRequest) -> LedgerRow:
    """Give credit to a team, or take some away.

    The balance may fall below zero; further orders are refused until it is covered.
    """
    body: AdjustIn = request.validated["body"]
    row = services.adjust(request.db, body.team, body.amount, body.reason)
    tell_of_adjustment(request.db, request.registry, row)
    record_change(request, "ledger.adjust", "team", body.team, after=LedgerOut.model_validate(row))
    return row


@configuration.get(permission=Permission.PLATFORM, response=BillingConfigOut)
def read_billing_config(request: ApiRequest) -> BillingConfig:
    """Read the platform's rates."""
    return services.rates(request.db)


@configuration.patch(permission=Permission.PLATFORM, body=BillingConfigPatch, response=BillingConfigOut)
def change_billing_config(request: ApiRequest) -> BillingConfig:
    """Change the platform's rates.

    They hold from the next order on; orders that are under way keep the rates they were
    priced with.
    """
    body: BillingConfigPatch = request.validated["body"]
    before = BillingConfigOut.model_validate(services.rates(request.db, lock=True))
    row = services.change_rates(request.db, body.model_dump(exclude_unset=True))
    after = BillingConfigOut.model_validate(row)
    if after != before:
        record_change(request, "billing_config.change", "billing_config", None, before=before, after=after)
    return row


def includeme(config: Configurator) -> None:
    """The routes."""
    for service in (ledgers, adjusting, configuration):
        config.add_cornice_service(service)
