"""Replicate's predictions: orders, their state, uploads. Plain HTTP over the service's own client."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from contentsvc.plugin import (
    CheckContext,
    ContentRejected,
    Context,
    MediaRef,
    OutcomeUnknown,
    ProviderError,
)
from contentsvc_declared import UNREADABLE, Provider, before_the_order, data_uri, placing

REPLICATE: Final = Provider("Replicate")
REJECTED: Final = "The model on Replicate refuses this content."
FAILED: Final = "The model on Replicate has failed."
CANCELLED: Final = "The work was cancelled at Replicate."

_INLINE_BYTES: Final = 256 * 1024
_NAME: Final = r"\w[\w.-]*"
_MODEL: Final = re.compile(f"{_NAME}/{_NAME}")
_VERSION: Final = re.compile(rf"(?:{_NAME}/{_NAME}:)?(?P<version>[0-9a-f]{{64}})")
_JOB: Final = re.compile(r"[\w-]{1,128}")
_USER: Final = re.compile(r"[\w-]{1,64}")
# How models word a refusal; there is no field for it. E005 is Replicate's own number.
_CONTENT_WORDS: Final = ("nsfw", "(e005)", "flagged as sensitive", "content policy", "safety filter")
_CANCELLED: Final = frozenset({"canceled", "aborted"})


def create(ctx: Context, endpoint: str, document: Mapping[str, Any]) -> str:
    """Place an order; the name of its job. The endpoint is a model, or a version of one."""
    path, body = _order(endpoint, document)
    with placing():
        reply = ctx.http.post(address(ctx.base_url, path), json=body, headers=headers(ctx.secret))
    job = REPLICATE.ordered(reply).get("id")
    if not isinstance(job, str) or not _JOB.fullmatch(job):
        raise OutcomeUnknown("Replicate took the order and did not name its job.")
    return job


def prediction(ctx: Context, job: str) -> dict[str, Any] | None:
    """The job once the model is done, None while it works. Raises ProviderError where it has failed."""
    if not _JOB.fullmatch(job):
        raise ProviderError(FAILED)
    reply = ctx.http.get(address(ctx.base_url, f"predictions/{job}"), headers=headers(ctx.secret))
    found = REPLICATE.told(reply)
    status = found.get("status")
    if not isinstance(status, str):
        raise ProviderError(UNREADABLE, retryable=True)
    if status == "failed":
        words = str(found.get("error")).lower()
        is_refused = any(word in words for word in _CONTENT_WORDS)
        raise ContentRejected(REJECTED) if is_refused else ProviderError(FAILED)
    if status in _CANCELLED:
        raise ProviderError(CANCELLED)
    # Of a state that nobody knows yet the time-out makes an end: the order is paid for.
    return found if status == "succeeded" else None


def picture_address(ctx: Context, media: MediaRef) -> str:
    """Where the model finds a picture: its public address, else itself, else where it was uploaded."""
    if media.public_url:
        return media.public_url
    limit = ctx.settings.get("inline_max_bytes", "")
    most = int(limit) if limit.isdecimal() else _INLINE_BYTES
    return data_uri(media, most) if media.size_bytes <= most else _uploaded(ctx, media)


def check(ctx: CheckContext) -> str:
    """Ask whose token it is."""
    account = REPLICATE.told(ctx.http.get(address(ctx.base_url, "account"), headers=headers(ctx.secret)))
    user = account.get("username")
    if not isinstance(user, str) or not _USER.fullmatch(user):
        raise ProviderError(UNREADABLE)
    return f"The token is good; it is of the account {user}. Whether there is credit can't be asked."


def address(base_url: str, path: str) -> str:
    """The URL of one operation."""
    return f"{base_url.rstrip('/')}/{path}"


def headers(secret: str | None) -> dict[str, str]:
    """The header with the token."""
    return {"Authorization": f"Bearer {secret}"}


def _order(endpoint: str, document: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if version := _VERSION.fullmatch(endpoint):
        return "predictions", {"version": version["version"], "input": document}
    if _MODEL.fullmatch(endpoint):
        return f"models/{endpoint}/predictions", {"input": document}
    raise ProviderError("The model's endpoint must be owner/name, or a version's id of 64 digits.")


def _uploaded(ctx: Context, media: MediaRef) -> str:
    with before_the_order(), media.open() as stream:
        reply = ctx.http.post(
            address(ctx.base_url, "files"),
            files={"content": ("picture", stream, media.media_type)},
            headers=headers(ctx.secret),
        )
    found = REPLICATE.told(reply).get("urls")
    link = found.get("get") if isinstance(found, Mapping) else None
    if not isinstance(link, str):
        raise ProviderError(UNREADABLE)
    return link
