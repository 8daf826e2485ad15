"""What Volcengine's errors mean to the service, by HTTP status and error code."""

from __future__ import annotations

import re
from http import HTTPStatus

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
from contentsvc_volcengine.keys import Keys

REAL_PERSON = (
    "A picture of this order may show a real person, which Volcengine only accepts after its own review. "
    "Have the picture reviewed, then order again."
)
REFUSED_INPUT = "Volcengine's content check refuses what this order contains."
REFUSED_OUTPUT = "Volcengine's content check has held back what was made."
BUSY = "Volcengine is busy."
BAD_KEY = "Volcengine refuses the API key."
NOT_ALLOWED = "Volcengine does not let this account do this."
NOT_OPEN = "This model is not open to the account; activate it in Volcengine's console."
NO_MODEL = "Volcengine does not know this model."
OVERDUE = "The Volcengine account has no credit left."
UNREADABLE = "Volcengine's answer could not be read."
NO_ANSWER = "Volcengine failed while it had the order."
NOT_ANSWERED = "The model could not answer"
LATER = "Volcengine has failed; it may work again later."

_REQUEST_ID = re.compile(r"\s*Request id:.*", re.IGNORECASE | re.DOTALL)
_LINK = re.compile(r"\S+://\S+")
_KEY_FAULTS = frozenset(
    {"AuthenticationError", "InvalidAccountStatus", "InvalidAccessKey", "SignatureDoesNotMatch"}
)
_NO_MODEL = ("InvalidEndpointOrModel", "NotFound.Model", "NotFound.Endpoint")


class RequestRefused(ProviderError):
    """A request that Volcengine does not take as it is; ``param`` is what it names as the reason."""

    def __init__(self, public_message: str, code: str, param: str) -> None:
        super().__init__(public_message)
        self.code = code
        self.param = param

    def is_about(self, name: str) -> bool:
        """Whether it is this member of the request that isn't taken."""
        return self.param.partition(".")[0] == name


def error_of(document: object) -> tuple[str, str]:
    """Code and message of an error in any of the provider's forms; both may be empty."""
    found = member(document, "error") or member(document, "ResponseMetadata", "Error") or document
    return (
        text(found, "code") or text(found, "Code"),
        text(found, "message") or text(found, "Message"),
    )


def is_moderation(code: str) -> bool:
    """Whether a code says that content was refused."""
    return "SensitiveContent" in code or "RiskDetection" in code or code.startswith("ContentRestricted")


def rejection(code: str) -> ContentRejected:
    """The refusal of content that a code tells of."""
    if code.endswith("PrivacyInformation"):
        return ContentRejected(REAL_PERSON)
    return ContentRejected(REFUSED_OUTPUT if code.startswith("Output") else REFUSED_INPUT)


def answer_failure(error: object) -> ProviderError:
    """The error in an answer that has been begun. Never retryable: the order was taken."""
    code, _ = error_of(error)
    return rejection(code) if is_moderation(code) else ProviderError(told(NOT_ANSWERED, code, ""))


def reply_failure(reply: httpx.Response, keys: Keys, *, places_order: bool) -> ProviderError:
    """The error that a reply from 300 on stands for; its body must have been read."""
    try:
        document = reply.json()
    except (ValueError, RecursionError):
        document = None
    code, message = error_of(document)
    param = text(document, "error", "param")
    status = reply.status_code
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _server_failure(status, places_order=places_order)
    if status == HTTPStatus.TOO_MANY_REQUESTS or "FlowLimit" in code:
        return RateLimited(BUSY, retry_after=retry_after(reply))
    return _client_failure(status, code, keys.hide(message), param)


def _server_failure(status: int, *, places_order: bool) -> ProviderError:
    # What answers 503 has no machine to spare; after any other of these the order may be under way.
    if places_order and status != HTTPStatus.SERVICE_UNAVAILABLE:
        return OutcomeUnknown(NO_ANSWER)
    return ProviderError(LATER, retryable=True)


def _client_failure(status: int, code: str, message: str, param: str) -> ProviderError:
    if is_moderation(code):
        return rejection(code)
    if (error := _account_failure(status, code)) is not None:
        return error
    if code.startswith(_NO_MODEL):
        return ProviderError(NO_MODEL)
    sentence = told(f"Volcengine refuses this order (HTTP {status})", code, message)
    return RequestRefused(sentence, code, param)


def _account_failure(status: int, code: str) -> ProviderError | None:
    """What only the administrator can mend: key, rights, money."""
    if code == "AccountOverdueError":
        return ProviderError(OVERDUE)
    if code == "ModelNotOpen":
        return AuthenticationFailed(NOT_OPEN)
    if status == HTTPStatus.UNAUTHORIZED or code in _KEY_FAULTS:
        return AuthenticationFailed(BAD_KEY)
    return AuthenticationFailed(NOT_ALLOWED) if status == HTTPStatus.FORBIDDEN else None


def told(sentence: str, code: str, message: str) -> str:
    """A sentence with what the provider says of it, as far as that can be shown."""
    said = " ".join(_LINK.sub("", _REQUEST_ID.sub("", message)).split())[:200]
    detail = said or re.sub(r"[^A-Za-z0-9_.]", "", code)[:80]
    return f"{sentence}: {detail}" if detail else f"{sentence}."
