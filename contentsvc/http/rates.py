"""General rates: so many requests a token, so many an address that sends none.

The count is read in the request's own transaction and raised after it has ended, so that
no request holds two connections. Requests that run at the same moment don't see each
other: a burst may exceed the rate by as many as run at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import structlog
from pyramid.config import Configurator
from pyramid.response import Response
from pyramid.viewderivers import INGRESS
from sqlalchemy.exc import SQLAlchemyError

from contentsvc.http.operations import Operation
from contentsvc.http.permissions import Permission
from contentsvc.http.request import ApiRequest
from contentsvc.http.throttling import RateLimit

View = Callable[[Any, ApiRequest], Response]

log = structlog.get_logger(__name__)


def rated(view: View, info: Any) -> View:
    """View deriver over the permission check: 401 goes first, 403 comes after."""
    operation: Operation | None = info.options.get("operation")
    if operation is None or not operation.rated:
        return view
    settings = info.registry["contentsvc.settings"].http
    by_token = RateLimit(info.registry, settings.token_rate)
    by_address = RateLimit(info.registry, settings.address_rate)
    public = operation.permission is Permission.PUBLIC

    def wrapper(context: Any, request: ApiRequest) -> Response:
        if by_token.count and request.authenticated_userid is not None:
            # The last word alone: "Token x" and "token  x" are one token.
            token = request.headers["Authorization"].split()[-1]
            _count(request, by_token, f"token:{hashlib.sha256(token.encode()).hexdigest()}")
        elif by_address.count and public:
            _count(request, by_address, f"address:{request.client_address}")
        return view(context, request)

    return wrapper


rated.options = ("operation",)  # type: ignore[attr-defined]  # how Pyramid learns of the argument


def _count(request: ApiRequest, limit: RateLimit, bucket: str) -> None:
    limit.check(request.db, bucket)
    request.add_finished_callback(lambda _request: _hit(limit, bucket))


def _hit(limit: RateLimit, bucket: str) -> None:
    try:
        limit.hit(bucket)
    except SQLAlchemyError:
        log.warning("rate_not_counted", exc_info=True)


def includeme(config: Configurator) -> None:
    """Register the deriver above Pyramid's permission check."""
    config.add_view_deriver(rated, name="rated", over="secured_view", under=INGRESS)
