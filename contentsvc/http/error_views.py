"""Everything that goes wrong, as the one error envelope."""

from __future__ import annotations

import structlog
from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPException, HTTPNotFound
from pyramid.response import Response
from pyramid_retry import is_last_attempt, mark_error_retryable
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.http.render import error_response
from contentsvc.http.request import ApiRequest
from contentsvc.http.routes import known_path, methods_of_route

log = structlog.get_logger(__name__)

_BY_STATUS = {
    401: (ErrorCode.NOT_AUTHENTICATED, "Sign in first: send Authorization: Token <your token>."),
    403: (ErrorCode.PERMISSION_DENIED, "You are not allowed to do this."),
    404: (ErrorCode.NOT_FOUND, "There is nothing here."),
    405: (ErrorCode.METHOD_NOT_ALLOWED, "This path does not take this method."),
    409: (ErrorCode.CONFLICT, "This is not possible now."),
    413: (ErrorCode.PAYLOAD_TOO_LARGE, "The body is too large."),
    415: (ErrorCode.UNSUPPORTED_MEDIA_TYPE, "This media type is not taken here."),
    503: (ErrorCode.UNAVAILABLE, "The service is busy. Try again in a moment."),
}
# Two requests wrote the same unique value, or a row went while another came to refer to it.
_RACES = frozenset({"23505", "23503"})
# Classes of SQLSTATE that say "not now": connection, resources, locks, operator, system.
_TRANSIENT = ("08", "53", "55P03", "57", "58")
RETRY_AFTER_SECONDS = 2


def api_error(error: ApiError, _request: ApiRequest) -> Response:
    """A refusal of our own."""
    return error_response(error)


def http_exception(error: HTTPException, request: ApiRequest) -> Response:
    """A refusal of the framework; redirects pass as they are."""
    if error.status_int < 400:
        return error
    if error.status_int == 405:
        return _wrong_method(request)
    code, detail = _BY_STATUS.get(
        error.status_int, (ErrorCode.MALFORMED_JSON, "The request can't be understood.")
    )
    return error_response(ApiError(code, detail, status=error.status_int))


def nothing_found(error: HTTPNotFound, request: ApiRequest) -> Response:
    """308 where only the slash at the end is missing, 405 where only the method is wrong, else 404."""
    if request.matched_route is not None:
        methods = methods_of_route(request.registry, request.matched_route.name)
        if methods and request.method not in methods:
            return _wrong_method(request)
        return http_exception(error, request)
    if not request.path_info.endswith("/") and known_path(request.registry, f"{request.path_info}/"):
        query = f"?{request.query_string}" if request.query_string else ""
        path = request.path_url.removeprefix(request.host_url)
        return Response(status=308, headerlist=[("Location", f"{request.base_url}{path}/{query}")])
    return http_exception(error, request)


def _wrong_method(request: ApiRequest) -> Response:
    code, detail = _BY_STATUS[405]
    response = error_response(ApiError(code, detail))
    if request.matched_route is not None:
        methods = methods_of_route(request.registry, request.matched_route.name)
        response.headers["Allow"] = ", ".join(methods)
    return response


def database_error(error: DBAPIError, request: ApiRequest) -> Response:
    """What the database refuses: a race (409, or tried again), a bad value (400), "not now" (503)."""
    state = getattr(error.orig, "sqlstate", None) or ""
    if state.startswith("40"):
        # zope.sqlalchemy's own mark comes too late: the veto aborts before it is set.
        mark_error_retryable(error)
        return unavailable(error, request)
    if isinstance(error, IntegrityError) and state in _RACES:
        return error_response(ApiError(ErrorCode.CONFLICT, "Somebody else has just changed this. Try again."))
    if isinstance(error, DataError):
        log.error("data_error_reached_database", path=request.path, error=type(error.orig).__name__)
        return error_response(ApiError(ErrorCode.MALFORMED_JSON, "A value of the request can't be stored."))
    lost = isinstance(error, OperationalError | InterfaceError) and not state
    if lost or error.connection_invalidated or state.startswith(_TRANSIENT):
        return unavailable(error, request)
    return internal_error(error, request)


def unavailable(error: Exception, request: ApiRequest) -> Response:
    """The database is away, busy or out of connections."""
    if is_last_attempt(request):
        log.warning("database_unavailable", path=request.path, error=type(error).__name__)
    return error_response(
        ApiError(
            ErrorCode.UNAVAILABLE,
            "The service is busy. Try again in a moment.",
            retry_after=RETRY_AFTER_SECONDS,
        )
    )


def internal_error(error: Exception, request: ApiRequest) -> Response:
    """A defect of ours. The log has the traceback, the client the request id."""
    log.error("unhandled_error", path=request.path, method=request.method, exc_info=error)
    return error_response(
        ApiError(ErrorCode.INTERNAL_ERROR, f"Something went wrong. Request id: {request.id}.")
    )


def includeme(config: Configurator) -> None:
    """Register the exception views; HTTPForbidden's is the security policy's."""
    for context, view in (
        (ApiError, api_error),
        (HTTPException, http_exception),
        (HTTPNotFound, nothing_found),
        (DBAPIError, database_error),
        (PoolTimeout, unavailable),
        (Exception, internal_error),
    ):
        config.add_exception_view(view, context=context)
