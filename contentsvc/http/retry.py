"""Requests that lost a race for a row are tried again; what still escapes becomes JSON."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import structlog
from pyramid.config import Configurator
from pyramid.response import Response
from pyramid_retry import RetryableExecutionPolicy
from webob.request import DisconnectionError

from contentsvc.http.body import read_piece
from contentsvc.http.draining import drain
from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.http.render import error_response
from contentsvc.http.request import ApiRequest

ATTEMPTS = 3

log = structlog.get_logger(__name__)


def attempts_of(request: ApiRequest) -> int | None:
    """How often a request may be tried: once where its body isn't kept, else the default.

    Another attempt needs the body again, so JSON bodies are read here, before a
    transaction begins and a slow client could hold a connection.
    """
    limit = request.settings.http.max_body_bytes
    length = request.content_length
    if request.content_type == "multipart/form-data" or (length or 0) > limit:
        return 1
    if length is None and request.is_body_readable:
        # Chunked: no further than one byte over the limit, which then is a 413.
        request.body = read_piece(request.body_file_raw, limit + 1)
    return None


def execution_policy() -> Callable[[dict[str, Any], Any], Response]:
    """pyramid_retry's policy, with a JSON reply for what no exception view could see.

    Whoever is refused or redirected before his body was read may first send it to its end.
    """
    retrying = RetryableExecutionPolicy(ATTEMPTS, attempts_of)

    def policy(environ: dict[str, Any], router: Any) -> Response:
        # Requests put their own input there.
        source, sock = environ.get("wsgi.input"), environ.get("gunicorn.socket")
        response = answer(environ, router)
        if sock is not None and response.status_int >= HTTPStatus.MULTIPLE_CHOICES:
            drain(source, sock)
        return response

    def answer(environ: dict[str, Any], router: Any) -> Response:
        try:
            return retrying(environ, router)
        except ApiError as refusal:
            error = refusal
        except DisconnectionError:
            error = ApiError(ErrorCode.MALFORMED_JSON, "The body is shorter than its Content-Length.")
        except Exception:
            log.exception("unhandled_error")
            error = ApiError(ErrorCode.INTERNAL_ERROR, "Something went wrong.")
        response = error_response(error)
        response.headers["X-Request-ID"] = ApiRequest(environ).id
        return response

    return policy


def includeme(config: Configurator) -> None:
    """Install the policy."""
    config.set_execution_policy(execution_policy())
