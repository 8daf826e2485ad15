"""What an endpoint's refusals mean. Nothing of its own wording reaches a message: it may quote the key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from contentsvc.plugin import (
    AuthenticationFailed,
    ContentRejected,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
)

if TYPE_CHECKING:
    from openai import APIError

UNREADABLE: Final = "The provider's answer can't be read."
REJECTED: Final = "The provider refuses this content."

_CONTENT_CODES: Final = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "content_safety_violation",
        "data_inspection_failed",
        "moderation_blocked",
        "responsibleaipolicyviolation",
    }
)
_CONTENT_WORDS: Final = ("content policy", "content management policy", "safety system", "content moderation")
_NO_CREDIT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "insufficient_balance"})
_OVERLOADED: Final = frozenset({HTTPStatus.SERVICE_UNAVAILABLE, 529})
_WORD: Final = re.compile(r"[A-Za-z][\w.\[\]-]{0,47}")


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error as the endpoint words it; empty where it says nothing."""

    status: int
    code: str = ""
    param: str = ""
    text: str = ""

    @classmethod
    def of(cls, error: APIError) -> Refusal:
        """From the SDK's error, whose body is OpenAI's envelope without its cover, FastAPI's, or a text."""
        body = error.body
        text = body
        if isinstance(body, Mapping):
            text = body.get("message") or body.get("detail")
        status = getattr(error, "status_code", None) or _status_in(body)
        return cls(status, _text(error.code) or _text(error.type), _text(error.param), _text(text))

    @property
    def is_about_content(self) -> bool:
        """Whether the content was refused, not the request's form."""
        text = self.text.lower()
        return self.code.lower() in _CONTENT_CODES or any(word in text for word in _CONTENT_WORDS)


def error_of(refusal: Refusal, secret: str | None = None, pause: float | None = None) -> ProviderError:
    """The error to raise for a refusal; ``pause`` is what the endpoint asks one to wait, in seconds.

    503 and 529 say that the order was not taken; any other failure of the server leaves open what
    became of it.
    """
    status = refusal.status
    if status == HTTPStatus.TOO_MANY_REQUESTS and refusal.code not in _NO_CREDIT:
        return RateLimited("The provider is busy.", retry_after=pause)
    if status in _OVERLOADED:
        return _overloaded(pause)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT:
        return OutcomeUnknown(f"The provider has failed (HTTP {status}).")
    if status < HTTPStatus.BAD_REQUEST:
        return ProviderError("The provider's address leads elsewhere: enter the one it leads to.")
    return _error_of_order(refusal, secret)


def _overloaded(pause: float | None) -> ProviderError:
    message = "The provider is overloaded."
    if pause is None:
        return ProviderError(message, retryable=True)
    return RateLimited(message, retry_after=pause)


def _error_of_order(refusal: Refusal, secret: str | None) -> ProviderError:
    """The error for what lies with the order, the account or the configuration."""
    status = refusal.status
    if status == HTTPStatus.UNAUTHORIZED:
        return AuthenticationFailed("The provider refuses the API key.")
    if refusal.code in _NO_CREDIT or status == HTTPStatus.PAYMENT_REQUIRED:
        return ProviderError("The provider's account has no credit left.")
    if refusal.is_about_content:
        return ContentRejected(REJECTED)
    if status == HTTPStatus.FORBIDDEN:
        return AuthenticationFailed("The API key may not use this model.")
    if status == HTTPStatus.NOT_FOUND:
        return ProviderError("The provider knows no such model: check the model's endpoint and the address.")
    return ProviderError(f"The provider refuses the order ({_named(refusal, secret)}).")


def _status_in(body: object) -> int:
    """Of an error among a stream's events, whose head has said 200."""
    code = body.get("code") if isinstance(body, Mapping) else None
    return code if type(code) is int and 400 <= code < 600 else HTTPStatus.BAD_REQUEST


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _named(refusal: Refusal, secret: str | None) -> str:
    """The refusal in identifiers, which can be shown where a sentence could not."""
    names = [f"HTTP {refusal.status}"]
    for label, word in (("code", refusal.code), ("field", refusal.param)):
        if _WORD.fullmatch(word) and not (secret and (secret in word or word in secret)):
            names.append(f"{label} {word}")
    return ", ".join(names)
