"""Requests to an endpoint and the reading of its replies, all of them limited."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from contentsvc.plugin import Context, ProviderError
from contentsvc_openai.errors import UNREADABLE, raise_for

CONNECT_SECONDS: Final = 10.0
TOO_LARGE: Final = "The provider's answer is too large."
CANCELLED: Final = "The work was cancelled."

_MIB: Final = 1024 * 1024
ERROR_MAX_BYTES: Final = _MIB


@contextmanager
def post(ctx: Context, path: str, seconds: float, **content: Any) -> Iterator[httpx.Response]:
    """Send one order; its reply, of whatever status, with the body still to come.

    ``content`` is httpx's ``json``, or ``data`` and ``files``. ``seconds`` is how long the
    endpoint may be silent: it works before it answers.
    """
    timeout = httpx.Timeout(option(ctx, "timeout_seconds", seconds), connect=CONNECT_SECONDS)
    headers = authorization(ctx.secret)
    with ctx.http.stream(
        "POST", address(ctx.base_url, path), headers=headers, timeout=timeout, **content
    ) as reply:
        yield reply


def address(base_url: str, path: str) -> str:
    """The URL of one operation below the provider's address."""
    return f"{base_url.rstrip('/')}/{path}"


def authorization(secret: str | None) -> dict[str, str]:
    """The header with the key, where there is one: an endpoint of one's own may want none."""
    return {"Authorization": f"Bearer {secret}"} if secret else {}


def read(reply: httpx.Response, max_bytes: int) -> bytes:
    """A body up to so many bytes. Raises ProviderError beyond them."""
    pieces, size = [], 0
    for piece in reply.iter_bytes():
        size += len(piece)
        if size > max_bytes:
            raise ProviderError(TOO_LARGE)
        pieces.append(piece)
    return b"".join(pieces)


def read_error(reply: httpx.Response, secret: str | None) -> None:
    """Raise the error of a reply that isn't a success."""
    if not reply.is_success:
        raise_for(whole(reply), secret)


def whole(reply: httpx.Response) -> httpx.Response:
    """A refusal with its body, which is short or of no interest."""
    body = b""
    for piece in reply.iter_bytes():
        body += piece
        if len(body) > ERROR_MAX_BYTES:
            body = b""
            break
    return httpx.Response(reply.status_code, headers=_plain(reply.headers), content=body)


def document(data: bytes) -> dict[str, Any]:
    """A JSON object; NaN and Infinity in it become None. Raises ProviderError for anything else."""
    try:
        found = json.loads(data, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        raise ProviderError(UNREADABLE) from None
    if not isinstance(found, dict):
        raise ProviderError(UNREADABLE)
    return found


def save(reply: httpx.Response, path: Path, max_bytes: int, ctx: Context) -> None:
    """Write a binary body to a new file. Raises ProviderError for a page, JSON, nothing, or too much."""
    kind = reply.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind.startswith("text/") or kind == "application/json":
        raise ProviderError(UNREADABLE)
    size = 0
    with path.open("xb") as file:
        for piece in reply.iter_bytes():
            if ctx.cancelled:
                raise ProviderError(CANCELLED)
            size += len(piece)
            if size > max_bytes:
                raise ProviderError(TOO_LARGE)
            file.write(piece)
    if not size:
        raise ProviderError("The provider sent an empty file.")


def option(ctx: Context, name: str, default: float) -> float:
    """A number above zero that the administrator may have set."""
    value = ctx.model.options.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        return default
    return float(value)


def parameters(ctx: Context) -> dict[str, Any]:
    """Fields of the request that the administrator adds, such as ``quality``."""
    added = ctx.model.options.get("parameters")
    return dict(added) if isinstance(added, Mapping) else {}


def _plain(headers: httpx.Headers) -> dict[str, str]:
    # The body is at hand already, decoded: its framing is over.
    framing = {"content-encoding", "content-length", "transfer-encoding"}
    return {name: value for name, value in headers.items() if name.lower() not in framing}
