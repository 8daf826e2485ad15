"""Everything that goes wrong, as the one error envelope."""

from __future__ import annotations

import structlog
from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPException
from pyramid.response import Response
from sqlalchemy.exc import DataError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.http.render import error_response
from contentsvc.http.request import ApiRequest

log = structlog.get_logger(__name__)

_BY_STATUS = {
    401: (ErrorCode.NOT_AUTHENTICATED, "Sign in first: send Authorization: Token <your token>."),
    403: (ErrorCode.PERMISSION_DENIED, "You are not allowed to do this."),
    404: (ErrorCode.NOT_FOUND, "There is nothing here."),
    405: (ErrorCode.METHOD_NOT_ALLOWED, "This path does not take this method."),
    413: (ErrorCode.PAYLOAD_TOO_LARGE, "The body is too large."),
    415: (ErrorCode.UNSUPPORTED_MEDIA_TYPE, "This media type is not taken here."),
}


def api_error(error: ApiError, _request: ApiRequest) -> Response:
    """A refusal of our own."""
    return error_response(error)


def http_exception(error: HTTPException, _request: ApiRequest) -> Response:
    """A refusal of the framework; redirects pass as they are."""
    if error.status_int < 400:
        return error
    code, detail = _BY_STATUS.get(
        error.status_int, (ErrorCode.MALFORMED_JSON, "The request can't be understood.")
    )
    response = error_response(ApiError(code, detail, status=error.status_int))
    if allowed := error.headers.get("Allow"):
        response.headers["Allow"] = allowed
    return response


def data_error(error: DataError, request: ApiRequest) -> Response:
    """A value PostgreSQL can't hold got through validation: a 400, and a defect to mend."""
    log.error("data_error_reached_database", path=request.path, error=str(error.orig))
    return error_response(ApiError(ErrorCode.MALFORMED_JSON, "A value of the request can't be stored."))


def unavailable(error: Exception, request: ApiRequest) -> Response:
    """The database is away, busy or out of connections."""
    log.warning("database_unavailable", path=request.path, error=type(error).__name__)
    return error_response(
        ApiError(ErrorCode.UNAVAILABLE, "The service is busy. Try again in a moment.", retry_after=2)
    )


def internal_error(error: Exception, request: ApiRequest) -> Response:
    """A defect of ours. The log has the traceback, the client the request id."""
    log.error("unhandled_error", path=request.path, method=request.method, exc_info=error)
    return error_response(
        ApiError(ErrorCode.INTERNAL_ERROR, f"Something went wrong. Request id: {request.id}.")
    )


def includeme(config: Configurator) -> None:
    """Register the exception views."""
    for context, view in (
        (ApiError, api_error),
        (HTTPException, http_exception),
        (DataError, data_error),
        (OperationalError, unavailable),
        (PoolTimeout, unavailable),
        (Exception, internal_error),
    ):
        config.add_exception_view(view, context=context)
