"""What wraps every request: its id, its log line, safe headers, a readable address."""

from __future__ import annotations

import time
from collections.abc import Callable
from http import HTTPStatus

import structlog
from pyramid.config import Configurator
from pyramid.registry import Registry
from pyramid.response import Response
from pyramid.tweens import EXCVIEW, INGRESS
from structlog.contextvars import bind_contextvars, clear_contextvars

from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.http.forwarding import apply_forwarded
from contentsvc.http.metrics.measures import measures_of
from contentsvc.http.render import error_response
from contentsvc.http.request import ApiRequest

Handler = Callable[[ApiRequest], Response]

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}

log = structlog.get_logger("contentsvc.request")


def identify(handler: Handler, registry: Registry) -> Handler:
    """Give the request its id, the log its line, the measures their figures; believe trusted proxies only."""
    trusted = registry["contentsvc.settings"].http.trusted_proxies
    measures = measures_of(registry)

    def tween(request: ApiRequest) -> Response:
        apply_forwarded(request.environ, trusted)
        clear_contextvars()
        bind_contextvars(request_id=request.id)
        began = time.perf_counter()
        response = handler(request)
        response.headers["X-Request-ID"] = request.id
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        seconds = time.perf_counter() - began
        _write_line(request, response, seconds)
        route = request.matched_route
        measures.count(
            request.method, route.pattern if route is not None else None, response.status_int, seconds
        )
        return response

    return tween


def _write_line(request: ApiRequest, response: Response, seconds: float) -> None:
    route = request.matched_route
    log.log(
        30 if response.status_int >= HTTPStatus.INTERNAL_SERVER_ERROR else 20,
        "request",
        method=request.method,
        # The pattern, not the path: ids and keys of other people stay out of the log.
        route=route.pattern if route is not None else None,
        status=response.status_int,
        ms=round(seconds * 1000, 1),
        address=request.client_address,
    )


def refuse_unreadable(handler: Handler, _registry: Registry) -> Handler:
    """A path or query that is no UTF-8, or holds NUL, is a 400 before anything looks at it."""

    def tween(request: ApiRequest) -> Response:
        try:
            texts = [request.path_info]
            for name, value in request.GET.items():
                texts += [name, value]
        except UnicodeDecodeError:
            return _unreadable("The address is not valid UTF-8.")
        if any("\x00" in text for text in texts):
            return _unreadable("NUL characters are not allowed in the address.")
        return handler(request)

    return tween


def _unreadable(detail: str) -> Response:
    return error_response(ApiError(ErrorCode.MALFORMED_JSON, detail))


def includeme(config: Configurator) -> None:
    """The tweens, outermost first: a refusal of one is identified, and readable by browsers."""
    tweens = [f"{__name__}.identify", "contentsvc.http.cors.share", f"{__name__}.refuse_unreadable"]
    for index, name in enumerate(tweens):
        below = [*tweens[index + 1 :], "pyramid_tm.tm_tween_factory", EXCVIEW]
        config.add_tween(name, under=INGRESS if index == 0 else tweens[index - 1], over=below)
