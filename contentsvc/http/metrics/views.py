"""The route, and who may ask."""

from __future__ import annotations

import hmac
from importlib.metadata import version
from ipaddress import ip_address
from typing import Final

from pyramid.response import Response

from contentsvc.db.session import engine_of
from contentsvc.http.errors import ErrorCode, PermissionDenied
from contentsvc.http.metrics.families import CONTENT_TYPE, Family, Kind, Sample, render
from contentsvc.http.metrics.measures import measures_of
from contentsvc.http.metrics.sources import read_sources
from contentsvc.http.permissions import Permission
from contentsvc.http.request import ApiRequest
from contentsvc.http.service import ApiService

metrics = ApiService("metrics", "/api/metrics/")

_SCHEMES: Final = frozenset({"bearer", "token"})
_PROXY_HEADERS: Final = (
    "Forwarded",
    "Via",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Real-IP",
)


@metrics.get(
    permission=Permission.PUBLIC,
    rated=False,
    media_type="text/plain",
    refusals=(ErrorCode.PERMISSION_DENIED,),
)
def show_metrics(request: ApiRequest) -> Response:
    """The service's figures, in Prometheus' text format.

    With `http.metrics_token` in the ini that token is asked for, as `Authorization: Bearer`;
    without one, only a client on the same machine that came through no proxy is answered.
    """
    _require_scraper(request)
    own = [
        Family(
            "info", Kind.GAUGE, "The version that answers.", [Sample(1, {"version": version("contentsvc")})]
        ),
        *measures_of(request.registry).families(),
        _connections(request),
    ]
    # Bytes and header as they are: Response would sort the parameters of the media type.
    body = render([*own, *read_sources(request.registry)]).encode()
    return Response(body=body, headerlist=[("Content-Type", CONTENT_TYPE), ("Cache-Control", "no-store")])


def _require_scraper(request: ApiRequest) -> None:
    token = request.settings.http.metrics_token
    if token is not None:
        scheme, _, sent = request.headers.get("Authorization", "").strip().partition(" ")
        allowed = scheme.lower() in _SCHEMES and hmac.compare_digest(
            sent.strip().encode("utf-8", "surrogateescape"), token.encode()
        )
    else:
        allowed = _is_loopback(request.environ.get("REMOTE_ADDR", "")) and not any(
            name in request.headers for name in _PROXY_HEADERS
        )
    if not allowed:
        raise PermissionDenied("Metrics are for the token of the ini, or for clients on this machine.")


def _is_loopback(text: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    # A dual-stack socket shows IPv4 peers as ::ffff:a.b.c.d.
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _connections(request: ApiRequest) -> Family:
    pool = engine_of(request.registry).pool
    text = "Database connections this process has in use."
    in_use: int = pool.checkedout()  # type: ignore[attr-defined]
    mine = measures_of(request.registry).process
    return Family("database_connections_in_use", Kind.GAUGE, text, [Sample(in_use, {"process": mine})])
