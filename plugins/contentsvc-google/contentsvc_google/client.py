"""Requests to the Gemini API. Plain HTTP: see the README for why no SDK."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Protocol
from urllib.parse import quote

import httpx

from contentsvc.plugin import Context, OutcomeUnknown, ProviderError
from contentsvc_google.failures import UNREADABLE, order_failure, poll_failure
from contentsvc_google.reading import option

VERSION: Final = "v1beta"
KEY_HEADER: Final = "x-goog-api-key"
CONNECT_SECONDS: Final = 10.0
_VERSION: Final = re.compile(r"v[0-9a-z]{1,20}")


class Caller(Protocol):
    """What of a Context or CheckContext is needed to ask."""

    @property
    def base_url(self) -> str:
        """The provider's address."""

    @property
    def secret(self) -> str | None:
        """The API key."""

    @property
    def http(self) -> httpx.Client:
        """The client."""


class Google:
    """One call's way to the API."""

    def __init__(self, caller: Caller, version: object = None) -> None:
        named = version if isinstance(version, str) and _VERSION.fullmatch(version) else VERSION
        self._base = f"{caller.base_url.rstrip('/')}/{named}"
        self._http = caller.http
        self.headers = {KEY_HEADER: caller.secret or ""}

    @classmethod
    def of(cls, ctx: Context) -> Google:
        """For an order: in the version of the API that the model's options name."""
        return cls(ctx, ctx.model.options.get("api_version"))

    def get(self, path: str) -> Mapping[str, Any]:
        """Ask for something that costs nothing. Raises ProviderError, httpx's transport errors."""
        reply = self._http.get(f"{self._base}/{path}", headers=self.headers)
        if not reply.is_success:
            raise poll_failure(reply)
        found = json_object(reply.content)
        if found is None:
            raise ProviderError(UNREADABLE, retryable=True)
        return found

    def order(self, path: str, body: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        """Place an order; Google may be silent for so many seconds. Raises as :meth:`get`."""
        with self.stream(path, body, seconds) as reply:
            found = json_object(reply.read())
        if found is None:
            # Taken, as the status says; what came of it nobody can tell.
            raise OutcomeUnknown(UNREADABLE)
        return found

    @contextmanager
    def stream(self, path: str, body: Mapping[str, Any], seconds: float) -> Iterator[httpx.Response]:
        """Place an order whose answer is read as it comes. Raises as :meth:`get`."""
        timeout = httpx.Timeout(seconds, connect=CONNECT_SECONDS)
        with self._http.stream(
            "POST", f"{self._base}/{path}", headers=self.headers, json=body, timeout=timeout
        ) as reply:
            if not reply.is_success:
                reply.read()
                raise order_failure(reply)
            yield reply


def method(ctx: Context, name: str) -> str:
    """The path of one of the ordered model's methods."""
    model = quote(ctx.model.endpoint or ctx.model.name, safe="/")
    return f"{model if '/' in model else f'models/{model}'}:{name}"


def patience(ctx: Context, seconds: float) -> float:
    """How long Google may be silent; the option ``timeout_seconds`` says otherwise."""
    return option(ctx, "timeout_seconds", seconds)


def json_object(data: bytes) -> dict[str, Any] | None:
    """A JSON object; None for anything else."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
