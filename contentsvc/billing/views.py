"""The billing routes."""

from __future__ import annotations

from typing import Any

from pyramid.config import Configurator

from contentsvc.billing import services
from contentsvc.billing.recharge_views import recharge
from contentsvc.billing.schemas import LedgerOut, LedgerQuery, SummaryOut, TrendOut, TrendQuery
from contentsvc.billing.services import Summary
from contentsvc.billing.trend import Trend
from contentsvc.billing.trend import trend as read_trend_of
from contentsvc.http import ApiRequest, ApiService, Page, Permission, PermissionDenied, envelope

summary = ApiService("billing-summary", "/api/billing/summary/")
ledgers = ApiService("billing-ledgers", "/api/billing/ledgers/")
trend = ApiService("billing-trend", "/api/billing/trend/")

SERVICES = (summary, ledgers, trend, recharge)


@summary.get(permission=Permission.READ, response=SummaryOut)
def read_summary(request: ApiRequest) -> Summary:
    """Read the team's credits.

    ``balance`` is all the team owns, ``frozen`` what its running tasks hold.
    """
    if request.identity.team is None:
        raise PermissionDenied("You are in no team.")
    return services.summary(request.db, request.settings, request.identity.team)


@ledgers.get(permission=Permission.READ, query=LedgerQuery, response=Page[LedgerOut])
def list_ledgers(request: ApiRequest) -> dict[str, Any]:
    """List the team's movements of credit, newest first."""
    query: LedgerQuery = request.validated["query"]
    found = services.ledgers(
        request.db, query, team_id=request.identity.team_id, ledger_type=query.ledger_type
    )
    return envelope(request, found, query)


@trend.get(permission=Permission.READ, query=TrendQuery, response=TrendOut)
def read_trend(request: ApiRequest) -> Trend:
    """Read how the team's spending went.

    Days, weeks (from Monday) or months of the platform's time zone; none is left out.
    """
    query: TrendQuery = request.validated["query"]
    return read_trend_of(request.db, request.settings, request.identity.team_id, query.range)


def includeme(config: Configurator) -> None:
    """The routes."""
    for service in SERVICES:
        config.add_cornice_service(service)
