"""Questions to Ark, the address behind chat, pictures and clips. Nothing is ever asked twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Protocol

import httpx

from contentsvc.plugin import OutcomeUnknown, ProviderError
from contentsvc_volcengine.failures import UNREADABLE, reply_failure
from contentsvc_volcengine.keys import Keys, read_keys


class Caller(Protocol):
    """What of a Context or CheckContext is needed to ask."""

    @property
    def base_url(self) -> str:
        """The provider's address."""

    @property
    def secret(self) -> str | None:
        """The API key, as :func:`read_keys` takes it."""

    @property
    def http(self) -> httpx.Client:
        """The client."""


class Ark:
    """One call's way to Ark."""

    def __init__(self, ctx: Caller) -> None:
        self.keys: Keys = read_keys(ctx.secret)
        (key,) = self.keys.need("api_key")
        self._http = ctx.http
        self._base = ctx.base_url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {key}"}

    def get(self, path: str) -> Mapping[str, Any]:
        """Ask for something that costs nothing. Raises ProviderError, httpx's transport errors."""
        reply = self._http.get(f"{self._base}{path}", headers=self._headers)
        return document(reply, self.keys, places_order=False)

    def order(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Place an order. Raises ProviderError, httpx's transport errors."""
        reply = self._http.post(f"{self._base}{path}", headers=self._headers, json=body)
        return document(reply, self.keys, places_order=True)

    @contextmanager
    def stream(self, path: str, body: Mapping[str, Any]) -> Iterator[httpx.Response]:
        """Place an order whose answer comes line by line. Raises as :meth:`order`."""
        with self._http.stream("POST", f"{self._base}{path}", headers=self._headers, json=body) as reply:
            if reply.status_code != HTTPStatus.OK:
                reply.read()
                raise reply_failure(reply, self.keys, places_order=True)
            yield reply


def document(reply: httpx.Response, keys: Keys, *, places_order: bool) -> Mapping[str, Any]:
    """The JSON object of a reply. Raises ProviderError for everything else."""
    if not reply.is_success:
        raise reply_failure(reply, keys, places_order=places_order)
    try:
        found = reply.json()
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, Mapping):
        return found
    if places_order:
        # Taken, as the status says; what came of it nobody can tell.
        raise OutcomeUnknown(UNREADABLE)
    raise ProviderError(UNREADABLE, retryable=True)
