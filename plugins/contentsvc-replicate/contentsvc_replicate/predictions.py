"""Replicate's predictions: orders, their state, uploads. Plain HTTP over the service's own client."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from contentsvc.plugin import CheckContext, Context, MediaRef, OutcomeUnknown, ProviderError
from contentsvc_declared import UNREADABLE, Api, Provider

REPLICATE: Final = Provider("Replicate")
CANCELLED: Final = "The work was cancelled at Replicate."

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
    job = REPLICATE.ordered(Api(REPLICATE, ctx).order(path, body)).get("id")
    if not isinstance(job, str) or not _JOB.fullmatch(job):
        raise OutcomeUnknown("Replicate took the order and did not name its job.")
    return job


def prediction(ctx: Context, job: str) -> dict[str, Any] | None:
    """The job once the model is done, None while it works. Raises ProviderError where it has failed."""
    if not _JOB.fullmatch(job):
        raise REPLICATE.failed()
    found = Api(REPLICATE, ctx).ask(f"predictions/{job}")
    status = found.get("status")
    if not isinstance(status, str):
        raise ProviderError(UNREADABLE, retryable=True)
    if status == "failed":
        words = str(found.get("error")).lower()
        is_refused = any(word in words for word in _CONTENT_WORDS)
        raise REPLICATE.refused() if is_refused else REPLICATE.failed()
    if status in _CANCELLED:
        raise ProviderError(CANCELLED)
    # Of a state that nobody knows yet the time-out makes an end: the order is paid for.
    return found if status == "succeeded" else None


def uploaded(ctx: Context, media: MediaRef) -> str:
    """Where a picture is that was brought to Replicate; nothing is ordered yet."""
    found = Api(REPLICATE, ctx).upload("files", "content", media, "picture").get("urls")
    link = found.get("get") if isinstance(found, Mapping) else None
    if not isinstance(link, str):
        raise ProviderError(UNREADABLE)
    return link


def check(ctx: CheckContext) -> str:
    """Ask whose token it is."""
    user = Api(REPLICATE, ctx).ask("account").get("username")
    if not isinstance(user, str) or not _USER.fullmatch(user):
        raise ProviderError(UNREADABLE)
    return f"The token is good; it is of the account {user}. Whether there is credit can't be asked."


def _order(endpoint: str, document: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if version := _VERSION.fullmatch(endpoint):
        return "predictions", {"version": version["version"], "input": document}
    if _MODEL.fullmatch(endpoint):
        return f"models/{endpoint}/predictions", {"input": document}
    raise ProviderError("The model's endpoint must be owner/name, or a version's id of 64 digits.")
