"""What ElevenLabs' refusals mean. Its own sentences reach no message: they may quote the key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import httpx

from contentsvc.plugin import (
    AuthenticationFailed,
    ContentRejected,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
    retry_after,
)

if TYPE_CHECKING:
    from elevenlabs.core.api_error import ApiError

UNREADABLE: Final = "The provider's answer can't be read."

_NO_CREDIT: Final = frozenset({"quota_exceeded", "payment_required", "insufficient_credits"})
_CONTENT: Final = frozenset(
    {"bad_prompt", "content_against_policy", "content_policy_violation", "safety_violation"}
)
_CONTENT_WORDS: Final = ("terms of service", "usage policy", "content policy", "safety system")
_NAMED: Final[Mapping[str, str]] = {
    "max_character_limit_exceeded": "The text is longer than the provider takes for this model.",
    "text_too_long": "The text is longer than the provider takes for this model.",
    "voice_not_found": "The provider knows no such voice.",
    "voice_does_not_exist": "The provider knows no such voice.",
    "model_not_found": "The provider knows no such model.",
    "detected_unusual_activity": "The provider has blocked this account for unusual activity.",
}
_NOT_ALLOWED: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: "The provider refuses the API key.",
    HTTPStatus.FORBIDDEN: "The API key may not do this.",
}
_BUSY: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_WORD: Final = re.compile(r"[a-z][a-z0-9_]{0,47}")


def error_of(error: ApiError, secret: str | None) -> ProviderError:
    """The error to raise for a reply that isn't a success.

    429 comes both for too many calls at once and where the service is busy. 503 says that the
    order was not taken; any other failure of the server leaves open what became of it.
    """
    status = error.status_code or HTTPStatus.INTERNAL_SERVER_ERROR
    if status in _BUSY:
        pause = retry_after(httpx.Response(status, headers=error.headers))
        return RateLimited("The provider is busy.", retry_after=pause)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT:
        return OutcomeUnknown(f"The provider has failed (HTTP {status}).")
    if status < HTTPStatus.BAD_REQUEST:
        return ProviderError("The provider's address leads elsewhere: enter the one it leads to.")
    return _refusal(status, *_detail(error.body), secret)


def _refusal(status: int, name: str, text: str, secret: str | None) -> ProviderError:
    """The error for what lies with the order, the account or the configuration."""
    # A used-up quota comes as 401 too, so the name counts before the status.
    if name in _NO_CREDIT or status == HTTPStatus.PAYMENT_REQUIRED:
        return ProviderError("The provider's account has no credit left.")
    if name in _CONTENT or any(words in text.lower() for words in _CONTENT_WORDS):
        return ContentRejected("The provider refuses this content.")
    if name in _NAMED:
        return ProviderError(_NAMED[name])
    if status in _NOT_ALLOWED:
        return AuthenticationFailed(_NOT_ALLOWED[status])
    if status == HTTPStatus.NOT_FOUND:
        return ProviderError("The provider's address answers, but not as ElevenLabs does.")
    known = _WORD.fullmatch(name) and not (secret and (secret in name or name in secret))
    return ProviderError(f"The provider refuses the order (HTTP {status}{f', {name}' if known else ''}).")


def _detail(body: object) -> tuple[str, str]:
    """Name and sentence of an error: of ``{"detail": {"status", "message"}}``, or a bare sentence."""
    detail = body.get("detail") if isinstance(body, Mapping) else None
    if isinstance(detail, Mapping):
        name = detail.get("status") or detail.get("code") or ""
        return str(name), str(detail.get("message", ""))
    return "", detail if isinstance(detail, str) else ""
