"""Calls from browsers on other origins, for the origins that the ini names."""

from __future__ import annotations

from collections.abc import Callable

from pyramid.registry import Registry
from pyramid.response import Response

from contentsvc.http.request import ApiRequest
from contentsvc.http.routes import known_path, methods_of

Handler = Callable[[ApiRequest], Response]

EXPOSED = "X-Request-ID, Retry-After, Idempotent-Replay, ETag, Content-Disposition, Content-Range"
REQUEST_HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, If-None-Match, Range, Last-Event-ID, X-Request-ID"
)
MAX_AGE_SECONDS = 3600


def share(handler: Handler, registry: Registry) -> Handler:
    """Answer preflights and mark replies; nothing at all while no origin is configured."""
    origins = frozenset(registry["contentsvc.settings"].http.cors_origins)
    if not origins:
        return handler

    def tween(request: ApiRequest) -> Response:
        origin = request.headers.get("Origin", "")
        allowed = origin in origins or "*" in origins
        if request.method == "OPTIONS" and known_path(registry, request.path_info):
            response = _options(request, allowed)
        else:
            response = handler(request)
        response.vary = (*(response.vary or ()), "Origin")
        if origin and allowed:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Expose-Headers"] = EXPOSED
        return response

    return tween


def _options(request: ApiRequest, allowed: bool) -> Response:
    methods = ", ".join((*methods_of(request.registry, request.path_info), "OPTIONS"))
    response = Response(status=204, headerlist=[("Allow", methods)])
    if allowed and "Access-Control-Request-Method" in request.headers:
        response.headers["Access-Control-Allow-Methods"] = methods
        response.headers["Access-Control-Allow-Headers"] = REQUEST_HEADERS
        response.headers["Access-Control-Max-Age"] = str(MAX_AGE_SECONDS)
    return response
