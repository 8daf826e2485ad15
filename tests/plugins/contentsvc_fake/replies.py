"""What the replies of the tests' provider mean; whatever they are, there is an error for it."""

from __future__ import annotations

import json
from typing import Any

import httpx

from contentsvc.plugin import (
    AuthenticationFailed,
    ContentRejected,
    ProviderError,
    RateLimited,
    retry_after,
)

_NO_FILES = ("text/html", "application/json")


def raise_for(reply: httpx.Response, words: str = "The provider has failed.", *, again: bool = True) -> None:
    """Raise what the status means. The provider takes no order that ends in an error: ``again`` tells
    whether one that ends in 500 and more may be placed anew."""
    match reply.status_code:
        case httpx.codes.TOO_MANY_REQUESTS:
            raise RateLimited("The provider is busy.", retry_after=retry_after(reply))
        case httpx.codes.UNAUTHORIZED:
            raise AuthenticationFailed("The provider refuses the key.")
        case httpx.codes.UNPROCESSABLE_ENTITY:
            raise ContentRejected("The provider refuses this content.")
    if reply.is_error:
        raise ProviderError(words, retryable=again and reply.is_server_error)


def document(reply: httpx.Response, *members: str) -> dict[str, Any]:
    """The reply's JSON, which has these members."""
    try:
        found = json.loads(reply.content)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(member in found for member in members):
        raise ProviderError("The provider's answer can't be read.")
    return found


def media_type(reply: httpx.Response) -> str:
    """What the reply says it is; empty where it doesn't."""
    return str(reply.headers.get("Content-Type", ""))


def content(reply: httpx.Response) -> bytes:
    """The reply's file."""
    if media_type(reply) in _NO_FILES:
        raise ProviderError("The provider sent no file.")
    return reply.content
