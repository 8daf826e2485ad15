"""Stored files as HTTP replies: entity tags, ranges, and headers that disarm what browsers do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyramid.response import Response

from contentsvc.http.errors import ApiError, ErrorCode, NotFound
from contentsvc.http.render import error_response
from contentsvc.http.request import ApiRequest, outside_transaction
from contentsvc.storage.backends import storage_of
from contentsvc.storage.disposition import content_disposition
from contentsvc.storage.errors import FileMissing
from contentsvc.storage.models import MediaFile

FOREVER = "public, max-age=31536000, immutable"
"""Public files never change under their key."""

PRIVATE = "private, no-cache"
"""For what needs a token: kept by the browser, asked for again."""

# A file is data: opened as a page it runs nothing, loads nothing, and has no origin.
_POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII | re.IGNORECASE)
_TAG = re.compile(r'(?:W/)?("[^"]*")')


def serve(request: ApiRequest, file: MediaFile, *, cache: str) -> Response:
    """The file's bytes: 200, 206, 304 or 416. Holds no database connection while it streams.

    Raises NotFound when the bytes are gone, StorageError when they can't be reached.
    """
    tag = f'"{file.etag}"'
    headers = {
        "ETag": tag,
        "Cache-Control": cache,
        "Accept-Ranges": "bytes",
        "Content-Security-Policy": _POLICY,
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
    if is_known(request.headers.get("If-None-Match"), tag):
        return Response(status=304, headers=headers, content_type=None)
    headers["Content-Disposition"] = content_disposition(file.filename, file.media_type)
    wanted = _wanted_range(request, tag)
    span = (0, file.size_bytes) if wanted is None else resolved(wanted, file.size_bytes)
    if span is None:
        return _unsatisfiable(file.size_bytes)
    start, end = span
    response = Response(status=200 if wanted is None else 206, headers=headers)
    if wanted is not None:
        response.headers["Content-Range"] = f"bytes {start}-{end - 1}/{file.size_bytes}"
    response.app_iter = () if request.method == "HEAD" else _opened(request, file, start, end)
    response.headers["Content-Type"] = file.media_type
    response.content_length = end - start
    return response


def is_known(if_none_match: str | None, tag: str) -> bool:
    """Whether the client holds the bytes already; tags compare weakly here (RFC 9110, 13.1.2)."""
    if not if_none_match:
        return False
    return if_none_match.strip() == "*" or tag in _TAG.findall(if_none_match)


def resolved(wanted: tuple[str, str], size: int) -> tuple[int, int] | None:
    """First byte and the one after the last; None when the file has no such bytes."""
    first, last = wanted
    if first:
        start = int(first)
        end = min(size, int(last) + 1) if last else size
    else:
        start, end = max(0, size - int(last)), size
    return (start, end) if start < end else None


def _wanted_range(request: ApiRequest, tag: str) -> tuple[str, str] | None:
    """The one range asked for; None for none, several, or what isn't understood: all bytes, then."""
    match = _RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if match is None or not (match[1] or match[2]) or request.method not in {"GET", "HEAD"}:
        return None
    if match[1] and match[2] and int(match[2]) < int(match[1]):
        return None
    condition = request.headers.get("If-Range")
    return None if condition is not None and condition.strip() != tag else (match[1], match[2])


def _opened(request: ApiRequest, file: MediaFile, start: int, end: int) -> Iterator[bytes]:
    whole = (start, end) == (0, file.size_bytes)
    with outside_transaction(request):
        storage = storage_of(request.registry)
        try:
            return storage.read(file.key) if whole else storage.read(file.key, start, end)
        except FileMissing as error:
            raise NotFound from error


def _unsatisfiable(size: int) -> Response:
    response = error_response(
        ApiError(ErrorCode.CONFLICT, f"The file has {size} bytes; none are in that range.", status=416)
    )
    response.headers["Content-Range"] = f"bytes */{size}"
    return response
