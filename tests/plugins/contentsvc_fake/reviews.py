"""A reviewer of faces whose every verdict the test has written down."""

from __future__ import annotations

import httpx

from contentsvc.plugin import (
    Accepted,
    Context,
    Done,
    Pending,
    ReviewRequest,
    ReviewResult,
)
from contentsvc_fake.replies import document, raise_for


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
        raise_for(reply, "The reviewer has failed.")
        if reply.status_code == httpx.codes.ACCEPTED:
            return Accepted(document(reply, "job")["job"])
        return _verdict(reply)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ReviewResult]:
        reply = ctx.http.get(f"{ctx.base_url}/jobs/{job_id}")
        raise_for(reply, "The reviewer has failed.")
        if reply.status_code == httpx.codes.ACCEPTED:
            return Pending()
        return _verdict(reply)


def _verdict(reply: httpx.Response) -> Done[ReviewResult]:
    found = document(reply, "approved")
    return Done(ReviewResult(found["approved"], found.get("reason", ""), found.get("handles", {})))
