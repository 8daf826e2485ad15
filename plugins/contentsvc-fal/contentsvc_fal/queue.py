"""fal.ai's queue: orders, their state, their results. Plain HTTP, as the SDK would repeat an order."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, urlsplit

import httpx

from contentsvc.plugin import (
    CheckContext,
    ContentRejected,
    Context,
    OutcomeUnknown,
    ProviderError,
)
from contentsvc_declared import UNREADABLE, Provider, document_of, placing

FAL: Final = Provider("fal.ai")
REJECTED: Final = "fal.ai refuses this content."
FAILED: Final = "The model on fal.ai has failed."

_ENDPOINT: Final = re.compile(r"\w[\w.-]*(/\w[\w.-]*)+")
_REQUEST_ID: Final = re.compile(r"[\w-]{1,128}")
_JOB: Final = re.compile(r"\w[\w.-]*(/\w[\w.-]*)+/requests/[\w-]{1,128}")
# The namespaces whose applications have a third part in their name.
_NAMESPACES: Final = frozenset({"workflows", "comfy"})
_CONTENT: Final = frozenset({"content_policy_violation"})


def submit(ctx: Context, endpoint: str, document: Mapping[str, Any]) -> str:
    """Place an order; the path of its job below the queue's address."""
    if not _ENDPOINT.fullmatch(endpoint):
        raise ProviderError("The model's endpoint must be fal.ai's id of it, as fal-ai/flux/dev.")
    with placing():
        reply = ctx.http.post(
            _address(ctx.base_url, endpoint), json=document, headers=_headers(ctx.secret) | _lifetime(ctx)
        )
    _raise_refusal(reply)
    return _job(FAL.ordered(reply), ctx.base_url, endpoint)


def result(ctx: Context, job: str) -> dict[str, Any] | None:
    """What the model has made, None while it works. Raises ProviderError where it has failed."""
    if not _JOB.fullmatch(job):
        raise ProviderError(FAILED)
    state = FAL.told(ctx.http.get(_address(ctx.base_url, f"{job}/status"), headers=_headers(ctx.secret)))
    status = state.get("status")
    if not isinstance(status, str):
        raise ProviderError(UNREADABLE, retryable=True)
    # Of a state that nobody knows yet the time-out makes an end: the order is paid for.
    if status != "COMPLETED":
        return None
    if state.get("error"):
        raise _failure(str(state.get("error_type")))
    reply = ctx.http.get(_address(ctx.base_url, job), headers=_headers(ctx.secret))
    _raise_refusal(reply)
    if _types(reply):
        raise ProviderError(FAILED)
    return FAL.told(reply)


def check(ctx: CheckContext) -> str:
    """Ask after a job that does not exist: the key is looked at first, and nothing is ordered."""
    nothing = "fal-ai/flux/requests/00000000-0000-0000-0000-000000000000/status"
    reply = ctx.http.get(_address(ctx.base_url, nothing), headers=_headers(ctx.secret))
    if reply.is_server_error:
        raise ProviderError(f"fal.ai answers with HTTP {reply.status_code}.")
    if (
        reply.status_code
        in (
            HTTPStatus.UNAUTHORIZED,
            HTTPStatus.FORBIDDEN,
            HTTPStatus.TOO_MANY_REQUESTS,
        )
        or reply.is_redirect
    ):
        FAL.raise_for_status(reply)
    return "The queue answers and does not refuse the key. Whether there is credit can't be asked."


def _job(document: Mapping[str, Any], base_url: str, endpoint: str) -> str:
    request_id = document.get("request_id")
    if not isinstance(request_id, str) or not _REQUEST_ID.fullmatch(request_id):
        raise OutcomeUnknown("fal.ai took the order and did not name its job.")
    told = _path_below(document.get("response_url"), base_url)
    if told.endswith(f"/requests/{request_id}") and _JOB.fullmatch(told):
        return told
    parts = endpoint.split("/")
    application = parts[: 3 if parts[0] in _NAMESPACES else 2]
    return f"{'/'.join(application)}/requests/{request_id}"


def _path_below(url: object, base_url: str) -> str:
    """The path of an address at the queue's own host, without the queue's; empty for any other."""
    try:
        there, home = urlsplit(str(url)), urlsplit(base_url)
    except ValueError:
        return ""
    prefix = f"{home.path.rstrip('/')}/"
    same = (there.scheme, there.netloc) == (home.scheme, home.netloc)
    return there.path.removeprefix(prefix) if same and there.path.startswith(prefix) else ""


def _raise_refusal(reply: httpx.Response) -> None:
    if not reply.is_success and _CONTENT.intersection(_types(reply)):
        raise ContentRejected(REJECTED)


def _types(reply: httpx.Response) -> list[str]:
    """The kinds of the errors that a model reports, which no gateway would write."""
    if reply.is_success:
        return []
    try:
        detail = document_of(reply).get("detail")
    except ValueError:
        return []
    errors = detail if isinstance(detail, list) else []
    return [str(error.get("type")) for error in errors if isinstance(error, Mapping)]


def _failure(kind: str) -> ProviderError:
    return ContentRejected(REJECTED) if kind in _CONTENT else ProviderError(FAILED)


def _address(base_url: str, path: str) -> str:
    return f"{base_url.rstrip('/')}/{quote(path)}"


def _headers(secret: str | None) -> dict[str, str]:
    return {"Authorization": f"Key {secret}"}


def _lifetime(ctx: Context) -> dict[str, str]:
    seconds = ctx.settings.get("keep_seconds", "")
    if not seconds.isdecimal():
        return {}
    wish = json.dumps({"expiration_duration_seconds": int(seconds)})
    return {"X-Fal-Object-Lifecycle-Preference": wish}
