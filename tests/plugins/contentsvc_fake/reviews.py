"""A reviewer of faces whose every verdict the test has written down."""

from __future__ import annotations

import httpx

from contentsvc.plugin import (
    Accepted,
    Context,
    Done,
    Pending,
    ProviderError,
    RateLimited,
    ReviewRequest,
    ReviewResult,
)


class FakeReviews:
    """``POST /reviews`` hands a picture in; 202 names a job to be asked for at ``/jobs/<id>``.

    A verdict is ``{"approved", "reason", "handles"}``. The group of a team's pictures is
    named by its first one.
    """

    def start(self, request: ReviewRequest, ctx: Context) -> Done[ReviewResult] | Accepted:
        group = ctx.state.setdefault("group", ctx.idempotency_key)
        reply = ctx.http.post(
            f"{ctx.base_url}/reviews",
            json={"name": request.name, "media_type": request.media.media_type, "group": group},
            headers={"Idempotency-Key": ctx.idempotency_key},
        )
        _raise_for(reply)
        if reply.status_code == httpx.codes.ACCEPTED:
            return Accepted(reply.json()["job"])
        return _verdict(reply)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ReviewResult]:
        reply = ctx.http.get(f"{ctx.base_url}/jobs/{job_id}")
        _raise_for(reply)
        if reply.status_code == httpx.codes.ACCEPTED:
            return Pending()
        return _verdict(reply)


def _verdict(reply: httpx.Response) -> Done[ReviewResult]:
    document = reply.json()
    handles = document.get("handles", {})
    return Done(ReviewResult(document["approved"], document.get("reason", ""), handles))


def _raise_for(reply: httpx.Response) -> None:
    if reply.status_code == httpx.codes.TOO_MANY_REQUESTS:
        raise RateLimited("The reviewer is busy.", retry_after=30.0)
    if reply.status_code >= httpx.codes.BAD_REQUEST:
        raise ProviderError("The reviewer has failed.", retryable=reply.is_server_error)
