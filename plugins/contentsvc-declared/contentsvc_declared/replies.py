"""Reading what a provider answers. Nothing of its own wording reaches a message: it may quote the key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import httpx

from contentsvc.plugin import (
    AuthenticationFailed,
    ContentRejected,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
    figure,
    retry_after,
)

UNREADABLE: Final = "The provider's answer can't be read."
UNREACHABLE: Final = "The provider can't be reached."
_OVERLOADED: Final = frozenset({HTTPStatus.SERVICE_UNAVAILABLE, 529})
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,40}")


class Unreadable(ValueError):
    """A reply that is no JSON object."""


@dataclass(frozen=True)
class Provider:
    """Whose replies are read; ``name`` is for people."""

    name: str

    def ordered(self, reply: httpx.Response) -> dict[str, Any]:
        """What came of an order that was sent: a JSON object.

        Raises OutcomeUnknown where the order may have been taken, and otherwise what the
        status means.
        """
        status = reply.status_code
        if status in _OVERLOADED:
            raise self._overloaded(reply)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT:
            raise OutcomeUnknown(f"{self.name} has failed (HTTP {status}).")
        self.raise_for_status(reply)
        try:
            return document_of(reply)
        except ValueError:
            raise OutcomeUnknown(UNREADABLE) from None

    def told(self, reply: httpx.Response) -> dict[str, Any]:
        """What a question is answered with: a JSON object. Raises what may pass as retryable."""
        if reply.status_code in _OVERLOADED:
            raise self._overloaded(reply)
        if reply.is_server_error:
            raise ProviderError(f"{self.name} has failed (HTTP {reply.status_code}).", retryable=True)
        self.raise_for_status(reply)
        try:
            return document_of(reply)
        except ValueError:
            raise ProviderError(UNREADABLE, retryable=True) from None

    def raise_for_status(self, reply: httpx.Response) -> None:
        """Raise what a status below 500 means, unless it is a success."""
        if reply.is_success:
            return
        match reply.status_code:
            case HTTPStatus.UNAUTHORIZED:
                raise AuthenticationFailed(f"{self.name} refuses the API key.")
            case HTTPStatus.FORBIDDEN:
                raise AuthenticationFailed("The API key may not use this model.")
            case HTTPStatus.PAYMENT_REQUIRED:
                raise ProviderError(f"The account at {self.name} has no credit left.")
            case HTTPStatus.NOT_FOUND | HTTPStatus.GONE:
                raise ProviderError(f"{self.name} knows no such model or job.")
            case HTTPStatus.TOO_MANY_REQUESTS:
                raise RateLimited(f"{self.name} is busy.", retry_after=_pause(reply))
        if reply.status_code < HTTPStatus.BAD_REQUEST:
            raise ProviderError(f"{self.name}'s address leads elsewhere: enter the one it leads to.")
        where = f", field {field}" if (field := _field(reply)) else ""
        raise ProviderError(f"{self.name} refuses the order (HTTP {reply.status_code}{where}).")

    def refused(self) -> ContentRejected:
        """The error for content that a model refuses."""
        return ContentRejected(f"The model on {self.name} refuses this content.")

    def failed(self) -> ProviderError:
        """The error for a job that came to nothing."""
        return ProviderError(f"The model on {self.name} has failed.")

    def _overloaded(self, reply: httpx.Response) -> ProviderError:
        """Nothing was taken; some say how long to wait."""
        message, pause = f"{self.name} is overloaded.", _pause(reply)
        if pause is None:
            return ProviderError(message, retryable=True)
        return RateLimited(message, retry_after=pause)


@contextmanager
def before_the_order() -> Iterator[None]:
    """For what is sent before the order: whatever breaks, nothing was ordered."""
    try:
        yield
    except httpx.TransportError as error:
        if _is_refused(error):
            raise
        raise ProviderError(UNREACHABLE, retryable=True) from None


@contextmanager
def placing() -> Iterator[None]:
    """For the order itself: no connection means no order, although there were requests before it."""
    try:
        yield
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
        if _is_refused(error):
            raise
        raise ProviderError(UNREACHABLE, retryable=True) from None


def document_of(reply: httpx.Response) -> dict[str, Any]:
    """The JSON object in a reply, NaN and Infinity as None. Raises ValueError for anything else."""
    try:
        found = json.loads(reply.content, parse_constant=_nothing)
    except RecursionError as error:
        raise Unreadable("nested too deeply") from error
    if not isinstance(found, dict):
        raise Unreadable("no object")
    return found


def figures(found: object, names: tuple[str, ...]) -> dict[str, float]:
    """Those of an object's members that are sane figures; see :func:`contentsvc.plugin.figure`."""
    members = found if isinstance(found, Mapping) else {}
    known = {name: figure(members.get(name)) for name in names}
    return {name: float(value) for name, value in known.items() if value is not None}


def _is_refused(error: httpx.TransportError) -> bool:
    # The outbound policy's own: it will not pass, and the service words it.
    return type(error).__module__ != httpx.TransportError.__module__


def _pause(reply: httpx.Response) -> float | None:
    """Seconds to wait, from the header ``Retry-After`` or a member of that name."""
    seconds = retry_after(reply)
    if seconds is not None:
        return seconds
    try:
        told = figure(document_of(reply).get("retry_after"))
    except ValueError:
        return None
    return None if told is None else float(told)


def _field(reply: httpx.Response) -> str:
    """The field that a validation error is about, where it can be named: FastAPI's ``detail``."""
    try:
        detail = document_of(reply).get("detail")
    except ValueError:
        return ""
    first = detail[0] if isinstance(detail, list) and detail else None
    place = first.get("loc") if isinstance(first, dict) else None
    name = place[-1] if isinstance(place, list) and place else None
    return name if isinstance(name, str) and _NAME.fullmatch(name) else ""


def _nothing(_: str) -> None:
    """Such a figure is no reason to lose a result that is paid for."""
