"""fal.ai's queue: orders, their state, their results. Plain HTTP, as the SDK would repeat an order."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from contentsvc.plugin import CheckContext, Context, OutcomeUnknown, ProviderError
from contentsvc_declared import UNREADABLE, Api, Provider, document_of

FAL: Final = Provider("fal.ai")

_ENDPOINT: Final = re.compile(r"\w[\w.-]*(/\w[\w.-]*)+")
_REQUEST_ID: Final = re.compile(r"[\w-]{1,128}")
_JOB: Final = re.compile(r"\w[\w.-]*(/\w[\w.-]*)+/requests/[\w-]{1,128}")
# The namespaces whose applications have a third part in their name.
_NAMESPACES: Final = frozenset({"workflows", "comfy"})
_CONTENT: Final = frozenset({"content_policy_violation"})
# All others say no more than that the job isn't there.
_TROUBLES: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS})


def submit(ctx: Context, endpoint: str, document: Mapping[str, Any]) -> str:
    """Place an order; the path of its job below the queue's address."""
    if not _ENDPOINT.fullmatch(endpoint):
        raise ProviderError("The model's endpoint must be fal.ai's id of it, as fal-ai/flux/dev.")
    reply = _api(ctx).order(endpoint, document, _lifetime(ctx))
    _raise_refusal(reply)
    return _job(FAL.ordered(reply), ctx.base_url, endpoint)


def result(ctx: Context, job: str) -> dict[str, Any] | None:
    """What the model has made, None while it works. Raises ProviderError where it has failed."""
    if not _JOB.fullmatch(job):
        raise FAL.failed()
    api = _api(ctx)
    state = api.ask(f"{job}/status")
    status = state.get("status")
    if not isinstance(status, str):
        raise ProviderError(UNREADABLE, retryable=True)
    # Of a state that nobody knows yet the time-out makes an end: the order is paid for.
    if status != "COMPLETED":
        return None
    if state.get("error"):
        raise FAL.refused() if str(state.get("error_type")) in _CONTENT else FAL.failed()
    reply = api.get(job)
    _raise_refusal(reply)
    if _types(reply):
        raise FAL.failed()
    return FAL.told(reply)


def check(ctx: CheckContext) -> str:
    """Ask after a job that does not exist: the key is looked at first, and nothing is ordered."""
    nothing = "fal-ai/flux/requests/00000000-0000-0000-0000-000000000000/status"
    reply = _api(ctx).get(nothing)
    if reply.is_server_error or reply.is_redirect or reply.status_code in _TROUBLES:
        FAL.told(reply)
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
        raise FAL.refused()


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


def _api(ctx: CheckContext) -> Api:
    return Api(FAL, ctx, "Key")


def _lifetime(ctx: Context) -> dict[str, str]:
    seconds = ctx.settings.get("keep_seconds", "")
    if not seconds.isdecimal():
        return {}
    wish = json.dumps({"expiration_duration_seconds": int(seconds)})
    return {"X-Fal-Object-Lifecycle-Preference": wish}
