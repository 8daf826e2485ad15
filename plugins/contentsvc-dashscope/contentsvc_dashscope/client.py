"""Requests to Model Studio. Plain HTTP: see the README for why no SDK."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import httpx

from contentsvc.plugin import CheckContext, Context, OutcomeUnknown, ProviderError
from contentsvc_authoring import option
from contentsvc_dashscope.failures import UNREADABLE, order_failure, poll_failure

API: Final = "/api/v1"
CHAT: Final = "/compatible-mode/v1"
CONNECT_SECONDS: Final = 10.0


class DashScope:
    """One call's way to the API. The address may be entered with or without either of its paths."""

    def __init__(self, caller: CheckContext) -> None:
        self._base = caller.base_url.rstrip("/").removesuffix(API).removesuffix(CHAT)
        self._http = caller.http
        self._headers = {"Authorization": f"Bearer {caller.secret or ''}"}

    def get(self, path: str) -> Mapping[str, Any]:
        """Ask for something that costs nothing. Raises ProviderError, httpx's transport errors."""
        reply = self._http.get(f"{self._base}{path}", headers=self._headers)
        if not reply.is_success:
            raise poll_failure(reply)
        found = json_object(reply.content)
        if found is None:
            raise ProviderError(UNREADABLE, retryable=True)
        return found

    def order(
        self, path: str, body: Mapping[str, Any], seconds: float, *, as_task: bool = False
    ) -> Mapping[str, Any]:
        """Place an order; Model Studio may be silent for so many seconds. Raises as :meth:`get`."""
        headers = {"X-DashScope-Async": "enable"} if as_task else {}
        with self._posted(path, body, seconds, headers) as reply:
            found = json_object(reply.read())
        if found is None:
            # Taken, as the status says; what came of it nobody can tell.
            raise OutcomeUnknown(UNREADABLE)
        return found

    @contextmanager
    def stream(self, path: str, body: Mapping[str, Any], seconds: float) -> Iterator[httpx.Response]:
        """Place an order whose answer is read as it comes. Raises as :meth:`get`."""
        with self._posted(path, body, seconds, {}) as reply:
            yield reply

    @contextmanager
    def _posted(
        self, path: str, body: Mapping[str, Any], seconds: float, headers: Mapping[str, str]
    ) -> Iterator[httpx.Response]:
        with self._http.stream(
            "POST",
            f"{self._base}{path}",
            headers={**self._headers, **headers},
            json=body,
            timeout=httpx.Timeout(seconds, connect=CONNECT_SECONDS),
        ) as reply:
            if not reply.is_success:
                reply.read()
                raise order_failure(reply)
            yield reply


def patience(ctx: Context, seconds: float) -> float:
    """How long Model Studio may be silent; the option ``timeout_seconds`` says otherwise."""
    return option(ctx, "timeout_seconds", seconds)


def json_object(data: bytes) -> dict[str, Any] | None:
    """A JSON object; None for anything else."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
