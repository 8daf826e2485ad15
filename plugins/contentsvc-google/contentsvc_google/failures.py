"""What Google's errors mean to the service. Nothing of their wording is shown: it may quote the key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final

import httpx

from contentsvc.plugin import (
    AuthenticationFailed,
    ContentRejected,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
)
from contentsvc_authoring import items, member, text

REJECTED: Final = "Google refuses this content."
UNREADABLE: Final = "Google's answer can't be read."
LATER: Final = "Google can't be asked at the moment."
GONE: Final = "Google does not know this job any more."

_REASON: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,47}")
_REFUSALS: Final = ("SAFETY", "PROHIBITED", "BLOCKLIST", "SPII", "RECITATION")
_BLOCKED: Final = re.compile(r"\bblocked\b[^.]*\b(?:safety|polic)|\bviolat\w+\b[^.]*\bpolic", re.IGNORECASE)
_PAUSE: Final = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)s")


@dataclass(frozen=True, slots=True)
class Fault:
    """An error as Google words it; empty where it says nothing."""

    status: int
    reason: str = ""
    message: str = ""
    details: tuple[object, ...] = ()

    @classmethod
    def read(cls, status: int, document: object) -> Fault:
        """From a reply's JSON. Some of Google's front ends put the error into a list."""
        if isinstance(document, list) and document:
            document = document[0]
        error = member(document, "error")
        # The interactions call ``code`` what the rest of the API calls ``status``.
        reason = text(error, "status") or text(error, "code")
        return cls(status, reason, text(error, "message"), tuple(items(error, "details")))

    @property
    def is_about_content(self) -> bool:
        """Whether the content was refused, not the request's form."""
        return is_refusal(self.reason) or bool(_BLOCKED.search(self.message))

    @property
    def is_about_key(self) -> bool:
        """Whether the key is meant: an invalid one is answered with 400."""
        if self.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            return True
        return any(text(detail, "reason").startswith("API_KEY") for detail in self.details)


def is_refusal(reason: str) -> bool:
    """Whether a reason, of an error or of an answer that ended, is one of content."""
    return any(word in reason.upper() for word in _REFUSALS)


def order_failure(reply: httpx.Response) -> ProviderError:
    """The error of an order's reply whose status isn't 200; its body must have been read."""
    fault = fault_of(reply)
    if reply.is_success:
        # Taken, as the status says; what came of it nobody can tell.
        return OutcomeUnknown(UNREADABLE)
    if fault.status == HTTPStatus.SERVICE_UNAVAILABLE:
        return _overloaded(_pause(fault, reply.headers))
    if fault.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return OutcomeUnknown(f"Google has failed while it had the order (HTTP {fault.status}).")
    if fault.status == HTTPStatus.NOT_FOUND:
        return ProviderError("Google knows no such model: check the model's endpoint.")
    return _failure(fault, reply.headers)


def poll_failure(reply: httpx.Response) -> ProviderError:
    """The same for a reply to a poll: the job goes on, whatever a question came to."""
    fault = fault_of(reply)
    if reply.is_success or fault.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ProviderError(LATER, retryable=True)
    if fault.status == HTTPStatus.NOT_FOUND or "invalid interaction name" in fault.message.lower():
        return ProviderError(GONE)
    if fault.status == HTTPStatus.BAD_REQUEST and not fault.is_about_key:
        # The question is always the same one, so this says nothing of the job.
        return ProviderError(LATER, retryable=True)
    return _failure(fault, reply.headers)


def fault_of(reply: httpx.Response) -> Fault:
    """What a reply says went wrong."""
    try:
        return Fault.read(reply.status_code, reply.json())
    except (ValueError, RecursionError):
        return Fault(reply.status_code)


def stream_failure(document: object) -> ProviderError:
    """The error that stands in a stream which began well: the order was taken."""
    fault = Fault.read(HTTPStatus.OK, document)
    if fault.is_about_content:
        return ContentRejected(REJECTED)
    return ProviderError(f"Google broke off its answer{_named(fault)}.")


def _overloaded(pause: float | None) -> ProviderError:
    message = "Google's model is overloaded."
    if pause is None:
        return ProviderError(message, retryable=True)
    return RateLimited(message, retry_after=pause)


def _failure(fault: Fault, headers: Mapping[str, str]) -> ProviderError:
    if fault.status == HTTPStatus.TOO_MANY_REQUESTS:
        return RateLimited(
            "Google is busy, or the account's quota is used up.", retry_after=_pause(fault, headers)
        )
    if fault.is_about_key:
        return AuthenticationFailed("Google refuses the API key, or does not let it use this model.")
    if fault.is_about_content:
        return ContentRejected(REJECTED)
    if fault.reason == "FAILED_PRECONDITION":
        return ProviderError("Google wants billing to be set up for this key, or does not serve its region.")
    if fault.status < HTTPStatus.BAD_REQUEST:
        return ProviderError("Google's address leads elsewhere: enter the one it leads to.")
    return ProviderError(f"Google refuses this order{_named(fault, f'HTTP {fault.status}')}.")


def _named(fault: Fault, *words: str) -> str:
    """Identifiers in brackets: they can be shown where a sentence could not."""
    reason = [fault.reason] if _REASON.fullmatch(fault.reason) else []
    named = ", ".join([*words, *reason])
    return f" ({named})" if named else ""


def _pause(fault: Fault, headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from the header in either of its forms, or from the error's details."""
    header = headers.get("Retry-After", "").strip()
    if header.isascii() and header.isdigit():
        return float(header[:9])
    try:
        until = parsedate_to_datetime(header)
    except ValueError:
        found = [_PAUSE.fullmatch(text(detail, "retryDelay")) for detail in fault.details]
        return next((float(match[1]) for match in found if match), None)
    return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
