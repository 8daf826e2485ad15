"""What Model Studio's errors mean to the service. Nothing of their wording is shown: it may quote the key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

import httpx

from contentsvc.plugin import (
    AuthenticationFailed,
    ContentRejected,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
    retry_after,
)
from contentsvc_authoring import member, text

REJECTED: Final = "Model Studio refuses this content."
UNREADABLE: Final = "Model Studio's answer can't be read."
LATER: Final = "Model Studio can't be asked at the moment."
GONE: Final = "Model Studio does not know this task any more."

_CODE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.]{0,63}")
_REFUSALS: Final = ("datainspection", "infringement", "inappropriatecontent", "contentsafety")
_OVERDUE: Final = frozenset({"arrearage", "prepaidbilloverdue", "postpaidbilloverdue"})


@dataclass(frozen=True, slots=True)
class Fault:
    """An error as Model Studio words it; empty where it says nothing."""

    status: int
    code: str = ""
    message: str = ""

    @classmethod
    def read(cls, status: int, document: object) -> Fault:
        """From a reply's JSON, in the form of its own API or of the one that is like OpenAI's."""
        error = member(document, "error")
        found = error if isinstance(error, Mapping) else document
        return cls(status, text(found, "code") or text(found, "type"), text(found, "message"))

    @property
    def plain_code(self) -> str:
        """The code in one way of writing: the two forms of the API differ in it."""
        return re.sub(r"[^a-z.]", "", self.code.lower())

    @property
    def is_about_content(self) -> bool:
        """Whether the content was refused, not the request's form."""
        return any(word in self.plain_code for word in _REFUSALS)


def order_failure(reply: httpx.Response) -> ProviderError:
    """The error of an order's reply that is no success; its body must have been read."""
    fault = fault_of(reply)
    if fault.status == HTTPStatus.SERVICE_UNAVAILABLE:
        return _overloaded(retry_after(reply))
    if fault.status >= HTTPStatus.INTERNAL_SERVER_ERROR or fault.status == HTTPStatus.REQUEST_TIMEOUT:
        return OutcomeUnknown(f"Model Studio has failed while it had the order (HTTP {fault.status}).")
    if fault.status == HTTPStatus.NOT_FOUND:
        return ProviderError("Model Studio knows no such model: check the model's endpoint, and the region.")
    return _failure(fault, retry_after(reply))


def poll_failure(reply: httpx.Response) -> ProviderError:
    """The same for a reply to a poll: the task goes on, whatever a question came to."""
    fault = fault_of(reply)
    if fault.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ProviderError(LATER, retryable=True)
    if fault.status == HTTPStatus.NOT_FOUND:
        return ProviderError(GONE)
    return _failure(fault, retry_after(reply))


def fault_of(reply: httpx.Response) -> Fault:
    """What a reply says went wrong."""
    try:
        return Fault.read(reply.status_code, reply.json())
    except (ValueError, RecursionError):
        return Fault(reply.status_code)


def taken_failure(document: object, sentence: str) -> ProviderError:
    """The error of an order that was taken and came to nothing; never retryable."""
    fault = Fault.read(HTTPStatus.OK, document)
    if fault.is_about_content:
        return ContentRejected(REJECTED)
    return ProviderError(f"{sentence}{_named(fault)}.")


def _overloaded(pause: float | None) -> ProviderError:
    message = "Model Studio is overloaded."
    if pause is None:
        return ProviderError(message, retryable=True)
    return RateLimited(message, retry_after=pause)


def _failure(fault: Fault, pause: float | None) -> ProviderError:
    if fault.plain_code in _OVERDUE:
        return ProviderError("The Model Studio account has no credit left.")
    if fault.status == HTTPStatus.TOO_MANY_REQUESTS:
        return RateLimited("Model Studio is busy, or the account's quota is used up.", retry_after=pause)
    if fault.is_about_content:
        return ContentRejected(REJECTED)
    if fault.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) or fault.plain_code == "invalidapikey":
        return AuthenticationFailed("Model Studio refuses the API key, or does not let it use this model.")
    if fault.status < HTTPStatus.BAD_REQUEST:
        return ProviderError("Model Studio's address leads elsewhere: enter the one it leads to.")
    return ProviderError(f"Model Studio refuses this order{_named(fault, f'HTTP {fault.status}')}.")


def _named(fault: Fault, *words: str) -> str:
    """Identifiers in brackets: they can be shown where a sentence could not."""
    code = [fault.code] if _CODE.fullmatch(fault.code) else []
    named = ", ".join([*words, *code])
    return f" ({named})" if named else ""
